"""How long the texts in the attributes of an element of an HDF5 file are, before they are read.

HDF5 reads an attribute as a whole, and its texts may all be the same long one. So their lengths are taken from where
they are stored: in the messages of the element's header, in either of its two versions.
"""

import math
import struct
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

MOST_BYTES_OF_TEXT = 2**32  # that HDF5 can store
ATTRIBUTE, CONTINUES = 0x0C, 0x10  # kinds of messages
ANY_LENGTH, SHARED = 9, 2  # the class of texts of any length; a type that is stored elsewhere
BYTES_PER_ADDRESS = 8
REFERENCE = np.dtype([("length", "<u4"), ("address", "<u8"), ("number", "<u4")])  # to a text
MOST_BLOCKS = 1000  # of a header


def length_of_attributes(element: Any) -> int:
    """Bytes of all texts of any length in attributes, or the most that they can have where they are stored apart."""
    import h5py

    attributes = [h5py.h5a.open(element.id, name.encode()) for name in element.attrs]
    of_texts = [attribute for attribute in attributes if attribute.dtype.hasobject]
    if not of_texts:
        return 0
    if any(h5py.check_string_dtype(attribute.dtype) is None for attribute in of_texts):
        raise ValueError("an attribute holds neither text nor numbers")
    n_texts = sum(math.prod(attribute.shape) for attribute in of_texts)
    file = element.file
    try:
        with open(file.filename, "rb") as stream:
            found = list(_lengths(stream, file.userblock_size, h5py.h5o.get_info(element.id).addr))
    except (
        AttributeError,
        IndexError,
        ValueError,
        struct.error,
    ):  # stored in a way unknown here
        found = []
    if file.id.get_create_plist().get_sizes()[0] == BYTES_PER_ADDRESS and sum(map(len, found)) == n_texts:
        return sum(int(lengths.sum(dtype=np.uint64)) for lengths in found)
    return int(n_texts * min(file.id.get_filesize(), MOST_BYTES_OF_TEXT))


def _lengths(stream: BinaryIO, base: int, address: int) -> Iterator[NDArray[np.uint32]]:
    """The lengths of texts, for every attribute that has texts."""
    for kind, flags, body in _messages(stream, base, address):
        if kind != ATTRIBUTE or flags & SHARED:
            continue
        version, shared, n_name, n_type, n_space = struct.unpack_from("<BBHHH", body)
        start, unit = (9, 1) if version == 3 else (8, 8 if version == 1 else 1)
        n_name, n_type, n_space = (-(-n // unit) * unit for n in (n_name, n_type, n_space))
        if shared & 1 or body[start + n_name] & 0x0F != ANY_LENGTH:
            continue
        n = _n_entries(body[start + n_name + n_type :])
        yield np.frombuffer(body, REFERENCE, n, start + n_name + n_type + n_space)["length"]


def _n_entries(space: bytes) -> int:
    """How many entries a dataspace has."""
    version, n_dimensions = space[0], space[1]
    return math.prod(struct.unpack_from(f"<{n_dimensions}Q", space, 8 if version == 1 else 4))


def _messages(stream: BinaryIO, base: int, address: int) -> Iterator[tuple[int, int, bytes]]:
    """Kind, flags and body of every message of a header."""
    stream.seek(base + address)
    start = stream.read(16)
    is_new = start[:4] == b"OHDR"
    if is_new:
        n_before = 6 + 16 * (start[5] >> 5 & 1) + 4 * (start[5] >> 4 & 1)
        n_length = 1 << (start[5] & 3)
        stream.seek(base + address + n_before)
        first = base + address + n_before + n_length, int.from_bytes(stream.read(n_length), "little")
    else:
        first = base + address + 16, int.from_bytes(start[8:12], "little")
    form = ("<BHB" if not start[5] & 4 else "<BHBH") if is_new else "<HHB3x"
    n_head, blocks = struct.calcsize(form), [first]
    for at, length in blocks:  # which grow
        stream.seek(at)
        block = stream.read(min(length, 1 << 24))
        place = 0
        while place + n_head <= len(block):
            kind, size, flags = struct.unpack_from(form, block, place)[:3]
            body = block[place + n_head : place + n_head + size]
            place += n_head + size
            yield kind, flags, body
            if kind == CONTINUES and len(blocks) < MOST_BLOCKS:
                where, n = struct.unpack_from("<QQ", body)
                blocks.append((base + where + 4, n - 8) if is_new else (base + where, n))
