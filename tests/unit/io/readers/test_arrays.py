"""npy and npz files: every layout comes back as it was written, and every fault has one error."""

import hashlib
import io
import re
import tracemalloc
import zipfile

import numpy as np
import pytest
from scipy.spatial.distance import squareform

from reference import random_distances, rng_for
from tetiwd import memory
from tetiwd.errors import DataError, MemoryLimitError, SettingsError
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.read import read_series

SIZES = {2001: 5, 2003: 4, 2010: 6}
MATRICES = {year: random_distances(rng_for(70, year), n, 3) for year, n in SIZES.items()}
IDS = {year: [f"p{year % 7}{i}" for i in range(n)] for year, n in SIZES.items()}
POOLED = random_distances(rng_for(71), 11, 3)
TIME = np.array([2, 1, 2, 2, 1, 1, 2, 1, 1, 2, 2])
SQUARED = DataSettings(squared=True)


def settings(**options):
    return DataSettings(**({"squared": True} | options))


def assert_is(series, expected=MATRICES, ids=None):
    assert series.times == tuple(expected)
    for found, matrix in zip(series.D, expected.values(), strict=True):
        assert np.array_equal(found, matrix)
    if ids is None:
        assert series.ids is None
    else:
        assert [own.tolist() for own in series.ids] == list(ids.values())


@pytest.mark.parametrize("form", [np.asarray, squareform])
def test_one_npy_per_epoch(here, form):
    for year, matrix in MATRICES.items():
        np.save(f"D_{year}.npy", form(matrix))
    files = ["D_2010.npy", "D_2001.npy", "D_2003.npy"]
    found = read_series(files, SQUARED)
    assert_is(found.series)
    assert found.format == "arrays"
    assert found.remarks == ("order of epochs (from the names of files): 2001, 2003, 2010",)
    assert found.hashes == {name: hashlib.sha256((here / name).read_bytes()).hexdigest() for name in files}


@pytest.mark.parametrize("form", [np.asarray, squareform])
@pytest.mark.parametrize("with_ids", [False, True])
@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("prefix", ["D_", "dist-", ""])
def test_one_npz(here, form, with_ids, save, prefix):
    arrays = {f"{prefix}{year}": form(matrix) for year, matrix in reversed(MATRICES.items())}
    if with_ids:
        arrays |= {f"ids_{year}": np.array(own) for year, own in IDS.items()}
    save("all.npz", **arrays)
    found = read_series(["all.npz"], SQUARED)
    assert_is(found.series, ids=IDS if with_ids else None)
    assert found.remarks == ("order of epochs (from the names of arrays): 2001, 2003, 2010",)


def test_one_npz_per_epoch_with_ids(here):
    for year, matrix in MATRICES.items():
        np.savez(f"{year}.npz", D=matrix, ids=np.array(IDS[year], dtype="S"))
    assert_is(read_series([f"{year}.npz" for year in MATRICES], SQUARED).series, ids=IDS)


@pytest.mark.parametrize("form", [np.asarray, squareform])
def test_pooled_npz(here, form):
    np.savez("pooled.npz", D=form(POOLED), time=TIME, ids=np.arange(50, 61))
    series = read_series(["pooled.npz"], settings(cross=True)).series
    rows = {t: np.flatnonzero(t == TIME) for t in (1, 2)}
    ids = {t: (50 + own).tolist() for t, own in rows.items()}
    assert_is(series, {t: POOLED[np.ix_(own, own)] for t, own in rows.items()}, ids)
    order = np.concatenate(list(rows.values()))
    assert np.array_equal(series.cross, POOLED[np.ix_(order, order)])
    assert np.array_equal(read_series(["pooled.npz"], SQUARED).series.cross, series.cross)
    assert read_series(["pooled.npz"], settings(cross=False)).series.cross is None


def test_other_names_and_dates(here):
    days = np.array(["2014-01-03", "2015-02-01"], dtype="datetime64[D]")[TIME % 2]
    np.savez("pooled.npz", anything=POOLED, when=days, names=np.arange(11).astype(str))
    series = read_series(["pooled.npz"], settings(time="when", id="names", by="year")).series
    assert series.times == (2014, 2015)
    assert series.ids[0].tolist() == [str(i) for i in np.flatnonzero(TIME == 2)]
    assert read_series(["pooled.npz"], settings(time="when", id="names")).series.times == ("2014-01-03", "2015-02-01")


@pytest.mark.parametrize("with_ids", [False, True])
def test_pooled_npy_with_objects(here, with_ids):
    np.save("D.npy", POOLED)
    lines = [f"p{i},{t}" if with_ids else str(t) for i, t in enumerate(TIME)]
    (here / "objects.csv").write_text("\n".join([f"{'id,' if with_ids else ''}time", *lines]))
    found = read_series(["D.npy"], settings(objects="objects.csv"))
    rows = {t: np.flatnonzero(t == TIME) for t in (1, 2)}
    ids = {t: [f"p{i}" for i in r] for t, r in rows.items()} if with_ids else None
    assert_is(found.series, {t: POOLED[np.ix_(r, r)] for t, r in rows.items()}, ids)
    assert set(found.hashes) == {"D.npy", "objects.csv"}


def test_ids_of_the_matrix_find_their_rows_in_the_table(here):
    np.savez("D.npz", D=POOLED, ids=np.arange(11))
    lines = [f"{i},{TIME[i]}" for i in reversed(range(11))]
    (here / "objects.csv").write_text("\n".join(["id,time", "77,1", *lines]))
    found = read_series(["D.npz"], settings(objects="objects.csv"))
    assert found.series.ids[0].tolist() == np.flatnonzero(TIME == 1).tolist()
    assert found.remarks == ("1 row belongs to no object of the matrix (objects.csv)",)


def test_rows_found_by_the_sample_and_known_by_the_subject(here):
    np.savez("D.npz", D=POOLED, ids=np.arange(11))
    who = {i: f"p{(TIME[:i] == TIME[i]).sum()}" for i in range(11)}
    lines = [f"{i},{TIME[i]},{who[i]}" for i in reversed(range(11))]
    (here / "objects.csv").write_text("\n".join(["id,time,who", *lines]))
    series = read_series(["D.npz"], settings(objects="objects.csv", subject="who")).series
    for t, ids in zip(series.times, series.ids, strict=True):
        assert ids.tolist() == [who[i] for i in np.flatnonzero(t == TIME)]
    with pytest.raises(DataError, match="has no column 'whom', which subject names"):
        read_series(["D.npz"], settings(objects="objects.csv", subject="whom"))


def test_similarities(here):
    X = rng_for(72).standard_normal((11, 4))
    K = X @ X.T
    K = (K + K.T) / 2
    np.savez("K.npz", D=K, time=TIME)
    np.save("K_1.npy", K)
    kernel = DataSettings(kind="similarities")
    pooled = read_series(["K.npz"], kernel).series
    assert pooled.kind == "similarities"
    rows = np.flatnonzero(TIME == 2)
    assert np.array_equal(pooled.matrices[1], K[np.ix_(rows, rows)])
    assert np.array_equal(read_series(["K_1.npy"], kernel).series.matrices[0], K)


def test_plain_distances_are_squared(here):
    np.save("D.npy", np.sqrt(MATRICES[2001]))
    series = read_series("D.npy", settings(squared=False)).series
    assert np.array_equal(series.D[0], np.sqrt(MATRICES[2001]) ** 2)
    assert series.times == ("D",)


@pytest.mark.parametrize("given", ["float64", "float32", "float16", "int64", ">f8"])
def test_numbers_of_any_type(here, given):
    whole = np.rint(4 * MATRICES[2001]).astype(given)
    np.save("D.npy", np.asfortranarray(whole))
    series = read_series(["D.npy"], SQUARED).series
    assert np.array_equal(series.D[0], whole.astype(float))
    assert series.D[0].dtype == ("float32" if given == "float32" else "float64")
    narrow = read_series(["D.npy"], settings(dtype="float32")).series.D[0]
    assert narrow.dtype == "float32"
    assert np.array_equal(narrow, whole.astype("float32"))


def test_labels_that_are_given(here):
    for year, matrix in MATRICES.items():
        np.save(f"{year}.npy", matrix)
    files = ["2010.npy", "2001.npy"]
    series = read_series(files, settings(times=("first", "then"))).series
    assert series.times == ("first", "then")
    assert np.array_equal(series.D[0], MATRICES[2010])
    with pytest.raises(DataError, match=r"^2010\.npy, 2001\.npy: 2 epochs but times has 3 labels; give one per epoch"):
        read_series(files, settings(times=(1, 2, 3)))


def test_small_epochs_can_be_left_out(here):
    np.savez("all.npz", D_1=POOLED, D_2=POOLED[:2, :2], D_3=POOLED[:3, :3])
    found = read_series(["all.npz"], settings(drop_small=True))
    assert found.series.times == (1, 3)
    assert "left out 1 of 3 epochs with fewer than 3 objects: 2 (2)" in found.remarks
    with pytest.raises(DataError, match=r"^all\.npz: no epoch has 20 objects \(the largest has 11\)"):
        read_series(["all.npz"], settings(drop_small=True, min_objects=20))
    np.savez("pooled.npz", D=POOLED, time=np.array([1] * 9 + [2] * 2))
    found = read_series(["pooled.npz"], settings(drop_small=True, cross=True))
    assert found.series.times == (1,)
    assert np.array_equal(found.series.cross, POOLED[:9, :9])
    with pytest.raises(DataError, match=re.escape("pooled.npz: D[1] (2) has 2 objects, too few to learn clusters")):
        read_series(["pooled.npz"], SQUARED)


def test_unknown_distances_between_epochs_are_not_used(here):
    D, time = POOLED.copy(), np.array([1] * 5 + [2] * 6)
    D[0, 10] = D[10, 0] = np.nan
    np.savez("pooled.npz", D=D, time=time)
    found = read_series(["pooled.npz"], SQUARED)
    assert found.series.cross is None
    assert "distances between epochs are not all known" in found.remarks[-1]
    with pytest.raises(DataError, match="has NaN at"):
        read_series(["pooled.npz"], settings(cross=True))


def test_repair(here):
    D = np.ones((4, 4)) - np.eye(4)
    D[0, 1] = D[1, 0] = 9
    np.save("D.npy", D)
    assert not read_series(["D.npy"], SQUARED).series.negative_type()[0].holds
    for how in ("shift", "clip"):
        assert read_series(["D.npy"], settings(repair=how)).series.negative_type()[0].holds


def archive(packing=zipfile.ZIP_STORED, **members):
    """An npz file whose members are bytes."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", packing) as stream:
        for name, content in members.items():
            stream.writestr(f"{name}.npy", content)
    return data.getvalue()


def spoiled(packing, first, last):
    """An npz file with other bytes somewhere in what is packed."""
    content = bytearray(archive(packing, D=npy(np.random.default_rng(1).random((30, 30)))))
    for i in range(first, last):
        content[i] = content[i] * 7 + 13 & 255
    return bytes(content)


def npy(array, **options):
    data = io.BytesIO()
    np.save(data, array, **options)
    return data.getvalue()


def header(shape, descr="<f8"):
    data = io.BytesIO()
    np.lib.format.write_array_header_1_0(data, {"descr": descr, "fortran_order": False, "shape": shape})
    return data.getvalue()


GOOD = MATRICES[2001]
FAULTS = {
    "text file": ("D.npy", b"0,1\n1,0\n", "is not an npy file, or damaged ("),
    "magic only": ("D.npy", b"\x93NUMPY", "is not an npy file, or damaged ("),
    "header cut off": ("D.npy", npy(GOOD)[:40], "is not an npy file, or damaged ("),
    "numbers cut off": (
        "D.npy",
        npy(GOOD)[:-8],
        "is cut off: 5 × 5 numbers of type float64 take 200 bytes, but there",
    ),
    "huge": ("D.npy", header((10**6, 10**6)), "is cut off: 1000000 × 1000000 numbers of type float64 take 8,000,000"),
    "negative shape": ("D.npy", header((-3, 4)), "says that its shape is (-3, 4)"),
    "shape of no numbers": ("D.npy", header((True, True)) + bytes(8), "is not an npy file, or damaged"),
    "shape beyond all numbers": ("D.npy", header((2**70, 0)), "is not an npy file, or damaged"),
    "newer version": ("D.npy", b"\x93NUMPY\x03\x00" + npy(GOOD)[8:], "is not an npy file, or damaged (version 3.0"),
    "code in the header": ("D.npy", b"\x93NUMPY\x01\x00\x16\x00__import__('os').abort\n", "is not an npy file"),
    "objects": ("D.npy", npy(GOOD.astype(object), allow_pickle=True), "holds Python objects, which are not read"),
    "complex": ("D.npy", npy(GOOD.astype(complex)), "holds complex numbers; convert it to real numbers"),
    "text": ("D.npy", npy(GOOD.astype(str)), "holds text; convert it to real numbers"),
    "records": ("D.npy", npy(np.zeros(3, dtype=[("a", float)])), "holds [('a', '<f8')]; convert"),
    "condensed length": ("D.npy", npy(np.ones(7)), "is one-dimensional with 7 numbers, which no number of objects has"),
    "nothing condensed": ("D.npy", npy(np.ones(0)), "is one-dimensional with 0 numbers"),
    "not square": ("D.npy", npy(GOOD[:, :3]), "D[0] (D) is not square: its shape is (5, 3)"),
    "a number": ("D.npy", npy(np.array(3.0)), "D[0] (D) is not square: its shape is ()"),
    "a stack": ("D.npy", npy(np.zeros((2, 4, 4))), "D[0] (D) is not square: its shape is (2, 4, 4)"),
    "no objects": ("D.npy", npy(np.empty((0, 0))), "D[0] (D) has no objects"),
    "not a zip": ("D.npz", npy(GOOD), "is not an npz file, or cut off"),
    "zip cut off": ("D.npz", archive(D=npy(GOOD))[:-30], "is not an npz file, or cut off"),
    "zip without arrays": ("D.npz", archive(), "holds no arrays"),
    "zip damaged": (
        "D.npz",
        archive(D=npy(GOOD)).replace(npy(GOOD)[150:170], b"x" * 20),
        "is damaged or not a",
    ),
    "deflate damaged": ("D.npz", spoiled(zipfile.ZIP_DEFLATED, 60, 160), "is damaged or not a plain npz file"),
    "bzip2 damaged": ("D.npz", spoiled(zipfile.ZIP_BZIP2, 60, 160), "is damaged or not a plain npz file"),
    "lzma damaged": ("D.npz", spoiled(zipfile.ZIP_LZMA, 60, 160), "is damaged or not a plain npz file"),
    "lzma with other settings": ("D.npz", spoiled(zipfile.ZIP_LZMA, 39, 40), "is damaged or not a plain npz file"),
    "array cut off": ("D.npz", archive(D=npy(GOOD)[:-8]), "the array 'D' is cut off: 5 × 5 numbers"),
    "array huge": ("D.npz", archive(D=header((10**6, 10**6))), "the array 'D' is cut off: 1000000 × 1000000"),
    "array junk": ("D.npz", archive(D=b"junk"), "the array 'D' is not an npy file, or damaged"),
    "array of objects": ("D.npz", archive(D=npy(GOOD.astype(object), allow_pickle=True)), "the array 'D' holds Python"),
    "ids of objects": (
        "D.npz",
        archive(D=npy(GOOD), ids=npy(np.array([1, "a", None, 2, 3], dtype=object), allow_pickle=True)),
        "the array 'ids' holds Python objects",
    ),
    "array of text": ("D.npz", archive(D_1=npy(GOOD), D_2=npy(GOOD.astype(str))), "the array 'D_2' holds text"),
    "array condensed": (
        "D.npz",
        archive(D_1=npy(GOOD), D_2=npy(np.ones(7))),
        "the array 'D_2' is one-dimensional",
    ),
    "ids of decimals": ("D.npz", archive(D=npy(GOOD), ids=npy(np.ones(5))), "the array 'ids' must be a list of text"),
    "ids with half a character": (
        "D.npz",
        archive(D=npy(GOOD), ids=npy(np.array(["a", "b", "c", "d", "\ud800"]))),
        "the array 'ids' holds half a character",
    ),
    "times with half a character": (
        "D.npz",
        archive(D=npy(GOOD), time=npy(np.array(["\ud800"] * 5))),
        "the array 'time' holds half a character",
    ),
    "times that are records": (
        "D.npz",
        archive(D=npy(GOOD), time=npy(np.zeros(5, dtype=[("a", int), ("b", int)]))),
        "the array 'time' holds neither text nor numbers nor dates",
    ),
    "times without a unit": (
        "D.npz",
        archive(D=npy(GOOD), time=npy(np.zeros(5, "M8"))),
        "the array 'time' holds dates without a unit",
    ),
    "too few ids": ("D.npz", archive(D=npy(GOOD), ids=npy(np.arange(4))), "D[0] (D) has 5 objects but 4 ids"),
    "ids twice": ("D.npz", archive(D=npy(GOOD), ids=npy(np.array([1, 2, 3, 2, 5]))), "epoch 0 (D) has the id 2 twice"),
    "ids at one epoch": (
        "D.npz",
        archive(D_1=npy(GOOD), D_2=npy(GOOD), ids_1=npy(np.arange(5))),
        "D_2 has no ids but D_1 (D.npz) has; give ids at every epoch or at none",
    ),
    "ids of no matrix": (
        "D.npz",
        archive(D_1=npy(GOOD), D_2=npy(GOOD), ids_3=npy(np.arange(5))),
        "the array 'ids_3' belongs to none of the matrices D_1, D_2",
    ),
    "one list of ids": (
        "D.npz",
        archive(D_1=npy(GOOD), D_2=npy(GOOD), ids=npy(np.arange(5))),
        "holds 2 matrices",
    ),
    "mixed ids": (
        "D.npz",
        archive(D_1=npy(GOOD), D_2=npy(GOOD), ids_1=npy(np.arange(5)), ids_2=npy(np.array(list("abcde")))),
        "ids are numbers at epoch 0 (1) and text at epoch 1 (2)",
    ),
    "times too few": (
        "D.npz",
        archive(D=npy(GOOD), time=npy(np.ones(4))),
        "the array 'time' has shape (4,) for",
    ),
    "only times": ("D.npz", archive(time=npy(np.ones(4))), "holds no matrix, only time"),
    "pooled, two matrices": (
        "D.npz",
        archive(A=npy(GOOD), B=npy(GOOD), time=npy(np.ones(5))),
        "holds 2 arrays (A, B) where one matrix is expected; call the matrix D",
    ),
    "pooled, a number": (
        "D.npz",
        archive(D=npy(np.array(3.0)), time=npy(np.ones(4))),
        "is not a matrix over all times",
    ),
    "pooled, a stack": ("D.npz", archive(D=npy(np.zeros((2, 4, 4))), time=npy(np.ones(2))), "is not a matrix over all"),
    "pooled, not square": (
        "D.npz",
        archive(D=npy(GOOD[:, :3]), time=npy(np.ones(5))),
        "D* is not square: its shape is",
    ),
    "times missing": (
        "D.npz",
        archive(D=npy(GOOD), time=npy(np.array([1, 1, 1, np.nan, 1]))),
        "the array 'time', row 3: there is no time; fill it in",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_fault(here, fault):
    name, content, message = FAULTS[fault]
    (here / name).write_bytes(content)
    with pytest.raises(DataError, match="^" + re.escape(f"{name}: {message}")):
        read_series([name], SQUARED)


def test_pooled_similarities_that_are_not_square(here):
    np.savez("K.npz", D=GOOD[:, :3], time=np.ones(5))
    message = r"^K\.npz: the similarities have shape \(5, 3\) but there are times of 5 objects"
    with pytest.raises(DataError, match=message):
        read_series(["K.npz"], DataSettings(kind="similarities"))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_arrays_of_one_name(here):
    with zipfile.ZipFile("D.npz", "w") as stream:
        for _ in range(2):
            stream.writestr("D.npy", npy(GOOD))
    with pytest.raises(DataError, match=r"^D\.npz: holds two arrays named 'D'"):
        read_series(["D.npz"], SQUARED)


def test_second_version_of_the_format(here):
    with open("D.npy", "wb") as stream:
        np.lib.format.write_array(stream, GOOD, version=(2, 0))
    assert np.array_equal(read_series(["D.npy"], SQUARED).series.D[0], GOOD)


def test_a_long_header_is_not_read(here):
    """Packed, a header of gigabytes is a small file."""
    header = b"\x93NUMPY\x02\x00" + (2**31).to_bytes(4, "little") + b" " * 100_000
    with zipfile.ZipFile("D.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("D.npy", header)
    with pytest.raises(DataError, match="a header of 2,147,483,648 bytes"):
        read_series(["D.npz"], SQUARED)


def test_nothing_to_leave_out(here):
    np.savez("pooled.npz", D=POOLED, time=TIME)
    found = read_series(["pooled.npz"], settings(drop_small=True))
    assert found.series.n_objects == (5, 6)
    assert found.remarks == ()


def test_the_file_of_the_faulty_epoch_is_named(here):
    for year in MATRICES:
        np.save(f"{year}.npy", GOOD)
    bad = GOOD.copy()
    bad[1, 2] = np.nan
    np.save("2003.npy", bad)
    with pytest.raises(DataError, match=re.escape("2003.npy: D[1] (2003) has NaN at (1, 2)")):
        read_series([f"{year}.npy" for year in reversed(MATRICES)], SQUARED)
    np.savez("2003.npz", D=GOOD, ids=np.array([1, 2, 2, 3, 4]))
    np.savez("2001.npz", D=GOOD, ids=np.arange(5))
    with pytest.raises(DataError, match=re.escape("2003.npz: epoch 1 (2003) has the id 2 twice")):
        read_series(["2003.npz", "2001.npz"], SQUARED)


def test_faults_of_the_table_of_objects(here):
    np.savez("D.npz", D=GOOD, ids=np.array(list("abcde")))
    cases = {
        "id,time\na,1\nb,1\nc,1\nd,1\n": "objects.csv: has no row for 1 of 5 objects, the first 'e'; add",
        "id,time\na,1\nb,1\nc,1\nd,1\ne,\n": "objects.csv: line 6, column time: there is no time; fill it in",
        "id,time\na,1\nb,1\na,1\n": "objects.csv: has the id 'a' twice, in lines 2 and 4",
        "id,when\na,1\n": "objects.csv: has no column 'time'; name it with time (the columns are id",
        "name,time\na,1\n": 'objects.csv: has no column "id"; name the column with the ids with id',
        "id,time\na,1\n,1\n": "objects.csv: line 3, column id: there is no id",
    }
    for text, message in cases.items():
        (here / "objects.csv").write_text(text)
        with pytest.raises(DataError, match="^" + re.escape(message)):
            read_series(["D.npz"], settings(objects="objects.csv"))
    np.save("D.npy", GOOD)
    for rows, counted in (("1\n1\n", "2 rows"), ("1\n", "1 row")):
        (here / "objects.csv").write_text(f"time\n{rows}")
        with pytest.raises(
            DataError, match=rf"^D\.npy: the matrix has 5 rows and no ids, but objects\.csv has {counted};"
        ):
            read_series(["D.npy"], settings(objects="objects.csv"))
    (here / "objects.csv").write_text("time\n" + "2014-01-01\n" * 4 + "soon\n")
    with pytest.raises(DataError, match=re.escape("objects.csv: line 6, column time: 'soon' is not a date")):
        read_series(["D.npy"], settings(objects="objects.csv", by="year"))
    with pytest.raises(DataError, match=r"^D\.npz: objects goes with one matrix over all times"):
        read_series(["D.npy", "D.npz"], settings(objects="objects.csv"))
    with pytest.raises(DataError, match=r"^gone\.csv: there is no such file"):
        read_series(["D.npy"], settings(objects="gone.csv"))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"squared": None}, SettingsError, "it is not known whether the distances are squared"),
        ({"cross": True}, DataError, "D.npy: cross=True needs distances between epochs"),
        ({"by": "year"}, DataError, 'D.npy: by="year" needs the times of objects'),
        ({"standardize": True}, SettingsError, "standardize=True is for the format features, but D.npy is read as"),
        ({"squared": None, "kind": "similarities"}, DataError, "D.npy: K[0] (D) has a zero diagonal"),
    ],
)
def test_settings_that_do_not_fit(here, options, error, message):
    np.save("D.npy", GOOD)
    with pytest.raises(error, match="^" + re.escape(message)):
        read_series(["D.npy"], settings(**options))


def test_times_give_the_order_of_rows(here):
    np.savez("D.npz", D=POOLED, time=np.array(["early", "late"])[TIME - 1])
    with pytest.raises(DataError, match=r"^D\.npz: these times are text whose order in time is not known"):
        read_series(["D.npz"], SQUARED)
    assert read_series(["D.npz"], settings(times=("late", "early"))).series.times == ("late", "early")
    with pytest.raises(DataError, match=r"^D\.npz: times and the data disagree: only the data have early"):
        read_series(["D.npz"], settings(times=("late",)))


@pytest.mark.parametrize("setting", ["id", "time"])
def test_arrays_that_are_not_there(here, setting):
    np.savez("D.npz", D=GOOD)
    with pytest.raises(DataError, match=rf"^D\.npz: has no array 'other', which {setting} names; leave out {setting}"):
        read_series(["D.npz"], settings(**{setting: "other"}))


def test_a_matrix_alone_has_its_times_in_a_table(here):
    np.save("D.npy", GOOD)
    with pytest.raises(DataError, match=r"leave out time, or give a table of objects with objects$"):
        read_series(["D.npy"], settings(time="month"))


def test_several_arrays_in_several_files(here):
    for year in (1, 2):
        np.savez(f"{year}.npz", A=GOOD, B=GOOD)
    with pytest.raises(DataError, match=re.escape("1.npz: holds 2 arrays (A, B) where one matrix is expected")):
        read_series(["1.npz", "2.npz"], SQUARED)


def test_beyond_float32(here):
    np.save("D.npy", 1e39 * GOOD)
    with pytest.raises(DataError, match=r"^D\.npy: has values beyond float32; divide by a constant"):
        read_series(["D.npy"], settings(dtype="float32"))


def test_too_large_is_refused_before_it_is_loaded(here, monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: (500, "says the test"))
    monkeypatch.setattr(np.lib.format, "read_array", lambda *_, **__: pytest.fail("it was loaded"))
    np.save("D.npy", POOLED)
    with pytest.raises(
        MemoryLimitError, match=r"^D\.npy: loading 11 × 11 numbers of type float64 takes 0.00 GiB of memory"
    ):
        read_series(["D.npy"], SQUARED)
    np.savez_compressed("D.npz", D_1=POOLED, D_2=POOLED)
    with pytest.raises(MemoryLimitError, match=r"^D\.npz: loading 2 arrays takes 0.00 GiB of memory"):
        read_series(["D.npz"], SQUARED)


def test_a_condensed_matrix_is_not_unfolded_if_it_would_not_fit(here, monkeypatch):
    np.save("D.npy", np.ones(45))
    monkeypatch.setattr(memory, "available_memory", lambda: (500, "says the test"))
    with pytest.raises(MemoryLimitError, match=r"^D\.npy: keeping the distances between 10 objects takes 0.00 GiB"):
        read_series(["D.npy"], SQUARED)


def zeros_on_disk(archive, name, descr, shape, n_bytes):
    """An array of nothing but zeros, written without having it."""
    with archive.open(f"{name}.npy", "w", force_zip64=True) as stream:
        header = {"descr": descr, "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(stream, header)
        for _ in range(0, n_bytes, 1 << 20):
            stream.write(bytes(1 << 20))


@pytest.mark.parametrize("matrix", ["D", "D_1", "X"])
@pytest.mark.parametrize(
    ("descr", "n", "says"),
    [("|S0", 300_000_000, "300,000,000 empty texts"), ("|i1", 1 << 25, "33,554,432 ids for 3 objects")],
    ids=["empty", "short"],
)
def test_more_ids_than_objects_are_refused_before_they_are_made(here, matrix, descr, n, says):
    with zipfile.ZipFile("d.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        zeros_on_disk(archive, "ids_1" if matrix == "D_1" else "ids", descr, (n,), n if descr == "|i1" else 0)
        for name in [matrix, "D_2"] if matrix == "D_1" else [matrix]:
            with archive.open(f"{name}.npy", "w") as stream:
                np.save(stream, 1 - np.eye(3))
        with archive.open("time.npy" if matrix != "D_1" else "ids_2.npy", "w") as stream:
            np.save(stream, np.array(["1", "2", "3"]))
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match=says):
            read_series(["d.npz"], DataSettings(squared=None if matrix == "X" else True))
        assert tracemalloc.get_traced_memory()[1] < 3 * (1 << 25)
    finally:
        tracemalloc.stop()


def test_labels_that_do_not_fit_into_memory_as_objects_are_refused(here, monkeypatch):
    np.savez("d.npz", D=1 - np.eye(3), ids=np.array(["a", "b", "c" * 9_000_000]), time=np.arange(3))
    monkeypatch.setattr(memory, "available_memory", lambda: (1 << 27, "for a test"))
    with pytest.raises(MemoryLimitError, match="keeping 3 entries of the array 'ids' takes"):
        read_series(["d.npz"], SQUARED)


def test_times_of_bytes_are_text(here):
    np.savez("d.npz", D=POOLED, time=TIME.astype("S"))
    assert read_series(["d.npz"], SQUARED).series.times == (1, 2)
    np.savez("d.npz", D=POOLED, time=np.where(TIME == 1, b"visit \xff 1", b"visit \xff 2"))
    assert read_series(["d.npz"], SQUARED).series.times == ("visit \ufffd 1", "visit \ufffd 2")
