"""What elements of an HDF5 file take in memory, before they are read; a ValueError if the file cannot be honest.

Shapes do not tell it: many rows may share one long text, and a small chunk may unpack to gigabytes. The lengths of
texts are stored beside the addresses of texts, so they are added up without reading any text.
"""

import math
import zlib
from collections.abc import Iterator
from operator import mul
from typing import Any

import numpy as np

from tetiwd.io.h5_attributes import MOST_BYTES_OF_TEXT, length_of_attributes
from tetiwd.io.tables import BYTES_PER_TEXT, BYTES_PER_VALUE
from tetiwd.memory import available_memory

BYTES_PER_LETTER = 9  # as stored, and four as text, with and without blanks around it, if a character of it is rare
MOST_LEVELS = 4  # of groups: obs, a column of categories, the categories, their values
MOST_TWICE = 1000  # groups and arrays that are looked at again, under another name
ROWS_AT_ONCE = 1 << 16
DEFLATE, CHECKSUM, LZF = 1, 3, 32000  # filters of HDF5
MOST_UNPACKED = 1032  # bytes that a byte packed by the first of them can become
COMPACT = 0  # the layout of a small array that is stored within its description


def bytes_of(element: Any, as_values: bool = False) -> int:
    """What an element takes in memory: as arrays, or with every entry as one of Python's values."""
    return sum(attributes_of(own) + _bytes_of_array(own, as_values) for own in parts_of(element))


def bytes_of_arrays(element: Any) -> int:
    """The same without what is in attributes, where NetCDF files have links between arrays."""
    return sum(_bytes_of_array(own, as_values=False) for own in parts_of(element))


def parts_of(element: Any) -> list[Any]:
    """An element, and all groups and arrays in it, as often as they occur; few may occur more often than once."""
    import h5py

    found: list[Any] = []
    known: set[int] = set()
    for own in _all_of(element, MOST_LEVELS):
        found.append(own)
        known.add(h5py.h5o.get_info(own.id).addr)
        if len(found) > len(known) + MOST_TWICE:
            raise ValueError(f"groups and arrays at {element.name} are there under thousands of names")
    return found


def _all_of(element: Any, levels: int) -> Iterator[Any]:
    """An element, and all that is in it."""
    yield element
    if hasattr(element, "keys"):
        if not levels:
            raise ValueError(f"there are groups within groups at {element.name}")
        for name in element:
            yield from _all_of(element[name], levels - 1)


def _bytes_of_array(element: Any, as_values: bool) -> int:
    """What an array takes; a group takes nothing."""
    if hasattr(element, "keys"):
        return 0
    is_text = _is_text(element)
    per_entry = BYTES_PER_TEXT if is_text or element.dtype.kind in "SU" else BYTES_PER_VALUE if as_values else 0
    n = math.prod(element.shape or ())
    in_chunk = math.prod(element.chunks or ())
    made = math.prod(max(1, length) for length in element.shape or ())  # rows without columns are rows, too
    known = max(n, in_chunk) * element.dtype.itemsize + made * per_entry
    room = _room()
    if known > room:
        return known
    if element.chunks is not None:
        _check_chunks(element, room)
    return known + (BYTES_PER_LETTER * _length_of_texts(element, room) if is_text and n else 0)


def attributes_of(element: Any) -> int:
    """What the texts in attributes of an element take."""
    return BYTES_PER_LETTER * length_of_attributes(element)


def rows_of(element: Any) -> int:
    """The length of the longest array in an element."""
    arrays = [part for part in parts_of(element) if not hasattr(part, "keys")]
    return max((array.shape[0] if array.shape else 0 for array in arrays), default=0)


def _room() -> float:
    room = available_memory()
    return math.inf if room is None else room[0]


def _is_text(element: Any) -> bool:
    """Whether entries are texts of any length; other entries of any length are refused."""
    import h5py

    if element.is_virtual or element.external:
        raise ValueError(f"values of {element.name} are in other files")
    if not element.dtype.hasobject:
        return False
    if h5py.check_string_dtype(element.dtype) is None:
        raise ValueError(f"{element.name} holds neither text nor numbers")
    return True


def _check_chunks(element: Any, room: float) -> None:
    """Refuse packed chunks that are larger than what they say they hold."""
    filters = _filters(element)
    if DEFLATE not in filters:
        return
    place = filters.index(DEFLATE)
    size = 2 * math.prod(element.chunks) * _stored_size(element) + 1024
    for origin, n_bytes, left_out in _chunks(element):
        is_wrong = n_bytes > size or set(filters[place + 1 :]) - {CHECKSUM}
        if not is_wrong and MOST_UNPACKED * n_bytes > room / 4 and not left_out >> place & 1:
            is_wrong = len(_inflated(element.id.read_direct_chunk(origin)[1], size)) > size
        if is_wrong:
            raise ValueError(f"a chunk of {element.name} unpacks to more than it should hold")


def _length_of_texts(element: Any, room: float) -> int:
    """Bytes of all texts, each counted as many times as it occurs; more than ``room`` is not counted to the end."""
    layout = element.id.get_create_plist().get_layout()
    if element.chunks is None and layout != COMPACT:
        if not element.id.get_storage_size():
            return math.prod(element.shape) * len(element[(0,) * element.ndim])
        return sum(map(int, _lengths_in_file(element, element.id.get_offset())))
    if element.chunks is not None and _filters(element) in ([], [DEFLATE], [LZF]):
        return _lengths_in_chunks(element)
    return _lengths_when_read(element, room)


def _lengths_in_file(element: Any, offset: int) -> Iterator[int]:
    """Sums over texts whose addresses are in one piece."""
    each, left = _stored_size(element), math.prod(element.shape)
    with open(element.file.filename, "rb") as stream:
        stream.seek(offset)
        while left:
            n = min(left, ROWS_AT_ONCE)
            addresses = stream.read(n * each)
            if len(addresses) < n * each:
                raise ValueError("it ends too early")
            yield _sum_of_lengths(addresses, each)
            left -= n


def _lengths_in_chunks(element: Any) -> int:
    total, each, in_chunk = 0, _stored_size(element), math.prod(element.chunks)
    numbers = tuple(-(-length // own) for length, own in zip(element.shape, element.chunks, strict=True))
    known, filters = set(), _filters(element)
    for origin, _, _ in _chunks(element):
        known.add(origin)
        left_out, packed = element.id.read_direct_chunk(origin)
        unpack = (lambda packed, _: packed) if left_out or not filters else UNPACK[filters[0]]
        addresses = unpack(packed, in_chunk * each)
        if len(addresses) != in_chunk * each:
            raise ValueError(f"a chunk of {element.name} has another size")
        total += _sum_of_lengths(addresses, each)
    n_missing = math.prod(numbers) - len(known)
    if n_missing > 0:  # these hold the same value everywhere
        origins = (tuple(map(mul, place, element.chunks)) for place in np.ndindex(*numbers))
        total += n_missing * in_chunk * len(element[next(origin for origin in origins if origin not in known)])
    return total


def _lengths_when_read(element: Any, room: float) -> int:
    """Blocks are so small that texts as long as the file would fit."""
    longest = min(element.file.id.get_filesize(), MOST_BYTES_OF_TEXT)
    budget = min(room / 20, 2**29)
    n = int(min(max(1, budget // (BYTES_PER_LETTER * longest)), ROWS_AT_ONCE))
    total = 0
    if element.ndim == 1:
        for first in range(0, element.shape[0], n):
            total += sum(map(len, element[first : first + n]))
            if BYTES_PER_LETTER * total > room:
                break
        return total
    for place in np.ndindex(*element.shape):
        total += len(element[place])
        if BYTES_PER_LETTER * total > room:
            break
    return total


def _sum_of_lengths(addresses: bytes, each: int) -> int:
    """Every address of a text begins with its length."""
    kind = np.dtype({"names": ["length"], "formats": ["<u4"], "itemsize": each})
    return int(np.frombuffer(addresses, kind)["length"].sum(dtype=np.uint64))


def _inflated(packed: bytes, n_bytes: int) -> bytes:
    """What gzip has packed, up to one byte more than there should be."""
    return zlib.decompressobj().decompress(packed, n_bytes + 1)


def _unpacked_by_lzf(packed: bytes, n_bytes: int) -> bytes:
    """HDF5 alone knows lzf, so it unpacks it from a file in memory."""
    import h5py

    with h5py.File("a chunk", "w", driver="core", backing_store=False) as file:
        data = file.create_dataset("data", (n_bytes,), "u1", chunks=(n_bytes,), compression="lzf")
        data.id.write_direct_chunk((0,), packed)
        return bytes(data[()])


UNPACK = {DEFLATE: _inflated, LZF: _unpacked_by_lzf}


def _stored_size(element: Any) -> int:
    """Bytes of an entry in the file; a text has a length, an address and a number there."""
    if element.dtype.hasobject:
        return 8 + int(element.file.id.get_create_plist().get_sizes()[0])
    return int(element.id.get_type().get_size())


def _filters(element: Any) -> list[int]:
    properties = element.id.get_create_plist()
    return [properties.get_filter(i)[0] for i in range(properties.get_nfilters())]


def _chunks(element: Any) -> list[tuple[tuple[int, ...], int, int]]:
    """Origin, stored bytes and filters left out, of every chunk that is stored."""
    found: list[tuple[tuple[int, ...], int, int]] = []
    element.id.chunk_iter(lambda info: found.append((info.chunk_offset, info.size, info.filter_mask)))
    return found
