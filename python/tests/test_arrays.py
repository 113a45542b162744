"""Views of NumPy's arrays, drawn by chance, packed, unpacked and copied as NumPy does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import commloom
from commloom import Layout

SCALARS = ["?", "b", "B", "h", "H", "i", "I", "l", "L", "q", "Q", "e", "f", "d", "g", "F", "D", "G"]
OTHERS = [">f8", ">i4", "S3", "S1", "U2", "V5", "M8[s]", "m8[us]"]
STRUCTURED = [
    np.dtype(fields, align=align)
    for fields in [
        [("a", "i1"), ("b", "f8")],
        [("a", "i1"), ("b", "f8"), ("c", "i1")],
        [("a", "f8"), ("b", "f4"), ("c", "i2"), ("d", "i1")],
        [("a", "i2", (3,)), ("b", "f8", (2, 2))],
        [("a", "S5"), ("b", "i4")],
        [("a", [("x", "i1"), ("y", "f4")]), ("b", "i1")],
        [("a", [("x", "i1"), ("y", "f4")], (2,)), ("b", "D")],
        [("a", "?"), ("b", "g")],
        [("a", "i1")],
    ]
    for align in (False, True)
] + [
    np.dtype({"names": ["b", "a"], "formats": ["f8", "i4"], "offsets": [0, 12], "itemsize": 24}),
    np.dtype({"names": ["a", "b"], "formats": ["i4", "f8"], "offsets": [16, 0], "itemsize": 40}),
    np.dtype({"names": ["a", "b"], "formats": ["i4", "f8"], "offsets": [8, 24], "itemsize": 40}),
    np.dtype({"names": ["all", "low"], "formats": ["u4", "u2"], "offsets": [0, 0]}),
    np.dtype([(("a title", "a"), "i4"), ("b", "f8")]),
    np.dtype([]),
]


def filled(shape, dtype):
    """An array of bytes that differ from their neighbours, as far as the elements allow that."""
    array = np.zeros(shape, dtype)
    if not array.nbytes:
        return array
    raw = np.frombuffer(array, "u1")
    raw[:] = (np.arange(raw.size) * 37 + 11) % 256
    if dtype.kind == "U":
        raw[np.arange(raw.size) % 4 != 0] = 0
    for name in dtype.names or ():
        if dtype[name].kind == "b":
            array[name] = True
    if dtype.kind == "b":
        raw %= 2
    return array


@st.composite
def views(draw, dtypes=st.sampled_from(SCALARS + OTHERS).map(np.dtype) | st.sampled_from(STRUCTURED)):
    """An array with up to four dimensions, transposed, cut, with steps of both signs."""
    shape = tuple(draw(st.lists(st.integers(0, 6), max_size=4)))
    view = filled(shape, draw(dtypes))
    view = view.transpose(draw(st.permutations(range(len(shape)))))
    index = []
    for n in view.shape:
        step = draw(st.sampled_from([1, 1, 2, 3, -1, -2, -3]))
        start = draw(st.none() | st.integers(-n - 1, n))
        stop = draw(st.none() | st.integers(-n - 1, n))
        index.append(slice(start, stop, step))
    view = view[(*index, ...)]
    if draw(st.booleans()):
        view = view[np.newaxis]
    return view


def elements(view):
    """The bytes of all fields, in the order of C, by NumPy alone."""
    if view.dtype.names is None:
        return view.tobytes()
    flat = view.reshape(-1)
    ones = (flat[i : i + 1] for i in range(flat.size))
    return b"".join(elements(one[name]) for one in ones for name in view.dtype.names)


@settings(deadline=None, max_examples=400)
@given(views())
def test_pack_gives_the_bytes_of_the_elements_in_order(view):
    layout = Layout.from_array(view)
    wanted = elements(view)
    assert layout.size == len(wanted)
    packed = layout.pack(view)
    assert isinstance(packed, np.ndarray) and packed.tobytes() == wanted
    out = np.empty(len(wanted), "u1")
    assert commloom.pack(view, out) is out and out.tobytes() == wanted
    if not view.dtype.names:
        assert wanted == np.ascontiguousarray(view).tobytes()
    assert layout.normalize().pack(view).tobytes() == wanted
    assert Layout.from_array(view) == layout and Layout.parse(str(layout)) == layout


@settings(deadline=None, max_examples=400)
@given(views())
def test_unpack_writes_the_elements_and_nothing_else(view):
    if view.size and 0 in view.strides and view.size > 1:
        return
    wanted = elements(view)
    base = view if view.base is None else view.base
    before = base.tobytes("A")
    commloom.unpack(bytes(len(wanted)), view)
    overlaps = view.dtype.names == ("all", "low")
    assert overlaps or elements(view) == bytes(len(wanted))
    if not overlaps:
        commloom.unpack(wanted, view)
        assert base.tobytes("A") == before


@settings(deadline=None, max_examples=400)
@given(views(st.sampled_from(SCALARS + OTHERS).map(np.dtype)), st.data())
def test_copy_is_that_of_numpy(view, data):
    other = filled(view.shape, view.dtype)
    step = data.draw(st.sampled_from([1, 2, -1, -3]))
    other = np.repeat(other, abs(step), axis=0)[::step] if view.ndim and view.shape[0] else other
    commloom.copy(view, other)
    assert elements(other) == elements(view)


@settings(deadline=None, max_examples=200)
@given(st.integers(0, 12), st.integers(0, 12), st.sampled_from([1, 2, -1, -2]), st.integers(0, 8))
def test_overlapping_copies_are_those_of_numpy(start, end, step, n):
    numbers = np.arange(60.0)
    wanted = numbers.copy()
    cut = (slice(start + 20, None, step), slice(end + 20, None, -step))
    a, b = (numbers[part][:n] for part in cut)
    wanted[cut[1]][:n] = numbers[cut[0]][:n].copy()
    commloom.copy(a, b)
    assert (numbers == wanted).all()


def test_shapes_may_differ_in_a_copy():
    a, b = np.arange(12.0).reshape(3, 4)[::-1], np.zeros((2, 3, 4))[:, :, ::2]
    commloom.copy(a, b)
    assert (b.reshape(-1) == a.reshape(-1)).all()


def test_arrays_of_other_protocols_are_views():
    class Interface:
        def __init__(self, array):
            self.array, self.__array_interface__ = array, array.__array_interface__

    class Tensor:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    class Elsewhere(Tensor):
        def __dlpack_device__(self):
            return (2, 3)

    array = np.arange(24.0).reshape(4, 6)[::2, ::-3]
    for kind in (Interface, Tensor):
        assert commloom.pack(kind(array)).tobytes() == array.tobytes()
        commloom.unpack(bytes(array.nbytes), kind(array))
        assert not array.any()
        array += np.arange(array.size).reshape(array.shape)
    with pytest.raises(TypeError, match="device 3 of the DLPack kind 2"):
        commloom.pack(Elsewhere(array))


def test_classes_made_of_arrays_are_arrays(tmp_path):
    mapped = np.memmap(tmp_path / "data", "d", "w+", shape=(4, 5))
    mapped[:] = np.arange(20).reshape(4, 5)
    assert commloom.pack(mapped[:, 1::2]).tobytes() == np.asarray(mapped[:, 1::2]).tobytes()
    commloom.unpack(bytes(64), mapped[:, 1::2])
    assert not mapped[:, 1::2].any() and mapped[:, ::2].any()


def test_objects_and_read_only_arrays_are_refused():
    objects = np.array([None, 1, "x"], dtype=object)
    nested = np.zeros(3, [("a", [("b", "i4"), ("c", "O")])])
    word = Layout.parse("MPI_LONG")
    for array in (objects, nested):
        with pytest.raises(TypeError, match="objects"):
            Layout.from_array(array)
        with pytest.raises(TypeError, match="objects"):
            word.pack(array)
        with pytest.raises(TypeError, match="objects"):
            word.unpack(bytes(8), array)
        with pytest.raises(TypeError, match="addresses"):
            word.unpack(bytes(8), memoryview(array))
    with pytest.raises(TypeError, match="a.c"):
        Layout.from_array(nested)
    frozen = np.arange(4.0)
    frozen.flags.writeable = False
    for array in (frozen, np.broadcast_to(1.0, 4)):
        assert commloom.pack(array).tobytes() == array.tobytes()
        with pytest.raises(ValueError, match="read-only"):
            commloom.unpack(bytes(32), array)
        with pytest.raises(ValueError, match="read-only"):
            commloom.copy(np.zeros(4), array)
        with pytest.raises(ValueError, match="read-only"):
            commloom.pack(np.zeros(4), array)


def test_layouts_reach_no_further_than_the_array():
    array = np.arange(20.0)
    layout = Layout.from_array(array[::2])
    assert layout.pack(array).tobytes() == array[::2].tobytes()
    for shorter in (array[:18], array[2:], array[::-1], array[19:]):
        with pytest.raises(ValueError, match="the layout takes the bytes 0 to 152"):
            layout.pack(shorter)
        with pytest.raises(ValueError, match="the layout takes the bytes 0 to 152"):
            layout.unpack(bytes(80), shorter)


def test_indices_are_those_of_take():
    chance = np.random.default_rng(1)
    for _ in range(50):
        indices = chance.integers(0, 100, chance.integers(1, 60))
        array = chance.random(100)
        layout = Layout.from_indices(indices, array.dtype)
        assert layout.pack(array).tobytes() == array[indices].tobytes()
        assert layout.lower_bound <= layout.cost
    records = np.zeros(10, [("a", "i4"), ("b", "f8")])
    records["a"], records["b"] = np.arange(10), np.arange(10) / 7
    layout = Layout.from_indices([7, 1, 2, 3], records.dtype)
    assert layout.pack(records).tobytes() == records[[7, 1, 2, 3]].tobytes()


def test_many_different_arrays_are_forgotten_again():
    for n in range(1500):
        array = np.zeros(n, [("a%d" % n, "i4")] if n % 3 == 0 else "i4")
        array["a%d" % n if n % 3 == 0 else ...] = np.arange(n)
        assert commloom.pack(array).tobytes() == array.tobytes()
