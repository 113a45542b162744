"""The module without NumPy: strided views of the standard library, and layouts by their notation.

Runs under pytest, and alone: `python test_standard_library.py`, as `cargo test` starts it with the
module of the build.
"""

import array
import ctypes
import pickle
import random
import sys
import threading

import commloom
from commloom import Layout


def run(names):
    """All tests of a module, without pytest."""
    tests = [value for name, value in names.items() if name.startswith("test_")]
    for test in tests:
        test()
    print(f"{len(tests)} tests passed with Python {sys.version.split()[0]}")


def test_the_version_has_three_numbers():
    assert [part.isdigit() for part in commloom.__version__.split(".")] == [True] * 3


def refused(kind, words, call):
    """The call raises this, and says why."""
    try:
        call()
    except kind as error:
        assert words in str(error), f"{error!r} does not say {words!r}"
    else:
        raise AssertionError(f"not refused: {words}")


def displacements(layout):
    """Where the bytes of a layout of vec and idx lie, by its notation, read as an expression."""

    def vec(count, stride, child):
        return [i * stride + at for i in range(count) for at in child]

    def idx(indices, child):
        return [index + at for index in indices for at in child]

    names = {"MPI_BYTE": range(1), "MPI_INT": range(4), "MPI_DOUBLE": range(8)}
    text = str(layout).replace("<", "(").replace(">", ",)").replace("(,)", "()")
    return eval(text, {"vec": vec, "idx": idx, "leaf": list, **names})


def drawn(chance, depth):
    """A layout by chance."""
    if depth == 0:
        return chance.choice(["MPI_BYTE", "MPI_INT", "MPI_DOUBLE"])
    child = drawn(chance, depth - 1)
    if chance.random() < 0.6:
        return f"vec({chance.randint(0, 5)}, {chance.randint(-90, 90)}, {child})"
    indices = ",".join(str(chance.randint(-200, 200)) for _ in range(chance.randint(1, 5)))
    return f"idx(<{indices}>, {child})"


def test_layouts_pack_and_unpack_the_bytes_that_they_name():
    for seed in range(400):
        chance = random.Random(seed)
        layout = Layout.parse(drawn(chance, chance.randint(0, 4)))
        places = displacements(layout)
        assert layout.size == len(places)
        low, length = layout.true_extent
        # The first element of the view is displacement 0: in the middle, where some lie before.
        room = bytearray(chance.randbytes(max(low + length, 1) - min(low, 0)))
        back = memoryview(room)[::-1]
        if low < 0 and low + length <= 1:
            memory, at = back, lambda place: len(room) - 1 + place
        elif low >= 0:
            memory, at = room, lambda place: place
        else:
            layout, places = layout._moved(-low), [place - low for place in places]
            memory, at = room, lambda place: place
        packed = layout.pack(memory)
        assert packed == bytes(room[at(place)] for place in places), str(layout)
        before = bytes(room)
        news = chance.randbytes(layout.size)
        layout.unpack(news, memory)
        values = {}
        for place, byte in zip(places, news):
            values.setdefault(at(place), set()).add(byte)
        for place, byte in enumerate(room):
            assert byte in values.get(place, {before[place]}), f"{layout}: byte {place}"
        whole = before if memory is room else memoryview(before)[::-1]
        assert layout.normalize().pack(whole) == packed
        assert layout.lower_bound <= layout.normalize().cost <= layout.cost
        assert Layout.parse(str(layout)) == layout == pickle.loads(pickle.dumps(layout))


def test_views_of_arrays_are_layouts():
    numbers = array.array("d", range(20))
    for view in [
        memoryview(numbers),
        memoryview(numbers)[3:17:4],
        memoryview(numbers)[::-1],
        memoryview(numbers)[15:2:-3],
        memoryview(numbers)[5:5],
    ]:
        layout = Layout.from_array(view)
        wanted = array.array("d", view.tolist())
        assert commloom.pack(view) == wanted.tobytes() == layout.pack(view)
        assert layout.size == 8 * len(view)
        target = array.array("d", bytes(320))
        step = memoryview(target)[: 2 * len(view) : 2]
        commloom.copy(view, step)
        assert step.tolist() == view.tolist()
        assert not any(memoryview(target)[1::2])
        commloom.unpack(bytes(layout.size), step)
        assert not any(target)


def test_arrays_of_ctypes_have_dimensions():
    table = ((ctypes.c_int * 3) * 4)()
    for row in range(4):
        for column in range(3):
            table[row][column] = 10 * row + column
    layout = Layout.from_array(table)
    assert layout.elements == 12
    packed = array.array("i", bytes(commloom.pack(table)))
    assert packed.tolist() == [10 * row + column for row in range(4) for column in range(3)]
    word = Layout.parse("MPI_LONG")
    for kind in [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_wchar_p, ctypes.py_object]:
        refused(TypeError, "addresses", lambda kind=kind: word.pack((kind * 2)()))
        refused(TypeError, "addresses", lambda kind=kind: word.unpack(bytes(8), (kind * 2)()))


def test_overlapping_memory_is_copied_as_if_read_first():
    for start, end in [((0, 12), (4, 16)), ((4, 16), (0, 12)), ((0, 8), (0, 8))]:
        numbers = array.array("i", range(20))
        view = memoryview(numbers)
        before = view[start[0] : start[1]].tolist()
        commloom.copy(view[start[0] : start[1]], view[end[0] : end[1]])
        assert view[end[0] : end[1]].tolist() == before
    numbers = array.array("i", range(20))
    view = memoryview(numbers)
    commloom.copy(view[::2], view[9::-1])
    assert view[9::-1].tolist() == list(range(0, 20, 2))
    room = bytearray(range(16))
    commloom.pack(memoryview(room)[14::-2], memoryview(room)[4:12])
    assert room[4:12] == bytes(range(14, -1, -2))
    room = bytearray(range(16))
    commloom.unpack(memoryview(room)[4:12], memoryview(room)[14::-2])
    assert memoryview(room)[14::-2] == bytes(range(4, 12))


def test_wrong_memory_is_refused():
    double = Layout.parse("vec(3, 16, MPI_DOUBLE)")
    refused(ValueError, "bytes 0 to 40", lambda: double.pack(bytearray(39)))
    below = Layout.parse("idx(<-8, 0>, MPI_DOUBLE)")
    refused(ValueError, "bytes -8 to 8", lambda: below.pack(bytes(99)))
    refused(ValueError, "`out` has 23", lambda: double.pack(bytearray(40), bytearray(23)))
    refused(ValueError, "`out` has 25", lambda: double.pack(bytearray(40), bytearray(25)))
    refused(ValueError, "gaps", lambda: double.pack(bytearray(40), memoryview(bytearray(48))[::2]))
    refused(BufferError, "`out`", lambda: double.pack(bytearray(40), bytes(24)))
    refused(BufferError, "`a`", lambda: double.unpack(bytes(24), bytes(40)))
    refused(ValueError, "`packed` has 8", lambda: double.unpack(bytes(8), bytearray(40)))
    refused(ValueError, "`b`", lambda: double.copy(bytearray(40), bytearray(39)))
    refused(BufferError, "`b`", lambda: double.copy(bytearray(40), bytes(40)))
    other = Layout.parse("vec(6, 4, MPI_INT)")
    refused(ValueError, "elements", lambda: double.copy(bytes(40), bytearray(40), other))
    refused(TypeError, "not list", lambda: commloom.pack([1.0, 2.0]))
    refused(TypeError, "not NoneType", lambda: double.unpack(None, bytearray(40)))
    refused(TypeError, "Layout", lambda: double.copy(bytes(40), bytearray(40), "MPI_INT"))


def test_wrong_descriptions_are_refused_with_their_place():
    refused(ValueError, "layout:1:14", lambda: Layout.parse("vector(4, 2, MPI_INT)"))
    refused(ValueError, "MPI_FROB", lambda: Layout.from_indices([1], "MPI_FROB"))
    refused(IndexError, "index 1", lambda: Layout.from_indices([0, 1 << 62], "d"))
    refused(OverflowError, "", lambda: Layout.from_indices([1 << 64]))
    refused(TypeError, "", lambda: Layout.from_indices([0.5]))
    refused(TypeError, "", lambda: Layout())


def test_the_cheapest_description_of_indices_is_found():
    found = Layout.from_indices([0, 2, 3, 5, 10, 12, 13, 15, 20, 22, 23, 25, 30, 32, 33, 35])
    assert str(found) == "vec(4, 10, idx(<0,2,3,5>, leaf(MPI_BYTE)))"
    assert (found.cost, found.optimal) == (22, True)
    listed = Layout.from_indices(array.array("l", [3, 5, 8]), "d")
    assert str(listed) == "idx(<24,40,64>, leaf(MPI_DOUBLE))"
    assert Layout.from_indices([1, 2], "i", in_bytes=True).true_extent == (1, 5)
    assert Layout.from_indices([]).size == 0


def test_buffers_are_held_during_a_call_and_given_back():
    room = bytearray(1 << 20)
    commloom.pack(room)
    commloom.unpack(bytes(len(room)), room)
    refused(ValueError, "", lambda: Layout.parse("MPI_DOUBLE").pack(memoryview(room)[:4]))
    # A buffer that is still exported cannot be resized.
    room.extend(b"more")


def test_threads_pack_the_same_layout_at_the_same_time():
    layout = Layout.parse("vec(65536, 16, MPI_DOUBLE)")
    rooms = [bytes([number]) * (16 * 65536) for number in range(4)]
    results = {}

    def work(number):
        for _ in range(20):
            results[number] = layout.pack(rooms[number])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(4):
        assert results[number] == bytes([number]) * (8 * 65536)


def test_layouts_say_what_they_are():
    layout = Layout.parse("vector(4, 1, 3, MPI_INT)")
    assert "loop 4" in str(layout.plan()) or "rows" in str(layout.plan())
    assert (layout.plan().bytes, layout.plan().bounds, layout.plan().runs) == (16, (0, 40), 4)
    assert layout._repr_svg_().startswith("<svg") and "<pre>" in layout._repr_html_()
    assert eval(repr(layout), {"Layout": Layout}) == layout
    assert layout != "vector" and hash(layout) == hash(Layout.parse(str(layout)))


if __name__ == "__main__":
    run(globals())
