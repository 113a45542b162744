"""Views and structured elements sent from one process to another by `commloom.buf`, and compared
element by element. An MPI program: `mpiexec -n 2 python -m mpi4py round_trips.py`.
"""

import sys

import numpy as np
from mpi4py import MPI

import commloom
from commloom import Layout

STRUCTURED = [
    np.dtype(fields, align=align)
    for fields in [
        [("a", "i1"), ("b", "f8")],
        [("a", "f8"), ("b", "i1")],
        [("a", "i2"), ("b", "i4"), ("c", "i1")],
        [("a", "f4", (3,)), ("b", "i8")],
        [("a", "i1", (2, 3)), ("b", "f8", (2,))],
        [("a", "S5"), ("b", "i4")],
        [("a", [("x", "i1"), ("y", "f4")]), ("b", "i1")],
        [("a", [("x", "f8"), ("y", "i2")], (2,)), ("b", "D")],
        [("a", "?"), ("b", "u2"), ("c", "F")],
    ]
    for align in (False, True)
] + [
    np.dtype({"names": ["b", "a"], "formats": ["f8", "i4"], "offsets": [0, 12], "itemsize": 24}),
    np.dtype({"names": ["a", "b"], "formats": ["i4", "f8"], "offsets": [16, 0], "itemsize": 40}),
    np.dtype({"names": ["a", "b"], "formats": ["i4", "f8"], "offsets": [8, 24], "itemsize": 40}),
]

CUTS = [
    np.s_[:],
    np.s_[::2],
    np.s_[::-1],
    np.s_[1:-1, 2:-2],
    np.s_[:, 0],
    np.s_[:, ::3],
    np.s_[::-1, ::-1],
    np.s_[..., 1],
    np.s_[..., ::-2],
    np.s_[3:4, :, 1:2],
    np.s_[2, 3, 1:],
    np.s_[2, 3, 1, ...],
    np.s_[::2, :, 1:-1],
    np.s_[5:1:-2, ::2, ::-1],
    np.s_[:0],
]


def views(array):
    """Thirty views of an array of three dimensions."""
    for axes in ((0, 1, 2), (2, 0, 1)):
        for cut in CUTS:
            yield array.transpose(axes)[cut]


def filled(shape, dtype, seed):
    """Numbers by chance in all elements."""
    chance = np.random.default_rng(seed)
    array = np.zeros(shape, dtype)
    fill(array, chance)
    return array


def fill(array, chance):
    if array.dtype.names:
        for name in array.dtype.names:
            fill(array[name], chance)
    elif array.dtype.kind == "S":
        array[...] = [b"%05d" % number for number in chance.integers(0, 99999, array.shape[0])]
    else:
        array[...] = chance.integers(0, 100, array.shape)


def exchange(comm, sent, received):
    """Sends from 0 to 1; the other array takes what comes."""
    if comm.rank == 0:
        comm.Send(commloom.buf(sent), dest=1)
    elif comm.rank == 1:
        comm.Recv(commloom.buf(received), source=0)


def drawn(chance, shape):
    """The shape of an array, and how to cut a view of the given shape out of it, by chance: axes
    in any order, steps of both signs, something left over at both ends.
    """
    steps = chance.choice([1, 1, 2, 3, -1, -2], len(shape))
    ends = chance.integers(0, 3, (2, len(shape)))
    sizes = [low + n * abs(step) + high for n, step, low, high in zip(shape, steps, *ends)]
    axes = chance.permutation(len(shape))
    inner = [slice(low, low + n * abs(step)) for n, step, low in zip(shape, steps, ends[0])]
    steps = [slice(None, None, step) for step in steps]

    def cut(array):
        return array.transpose(np.argsort(axes))[tuple(inner)][tuple(steps)]

    return [sizes[axis] for axis in axes], cut


def by_chance(comm, number):
    """One view into another of the same shape. Both processes draw the same."""
    chance = np.random.default_rng(1000 + number)
    shape = chance.integers(1, 9, chance.integers(1, 5))
    dtype = np.dtype(str(chance.choice(["i1", "i2", "i4", "f4", "f8", "F", "D", "?"])))
    if number % 4 == 0:
        dtype, shape = STRUCTURED[number // 4 % len(STRUCTURED)], shape[:1]
    (sizes, cut), (others, cut_other) = drawn(chance, shape), drawn(chance, shape)
    source, (target, wanted) = np.zeros(sizes, dtype), np.zeros((2, *others), dtype)
    cut(source)[...] = filled(tuple(shape), dtype, number)
    cut_other(wanted)[...] = cut(source)
    exchange(comm, cut(source), cut_other(target))
    if comm.rank == 1:
        assert (target == wanted).all(), f"by chance {number}: {dtype} {shape}"
    return comm.rank


def fields_that_touch(comm):
    """Fields that follow one another somewhere in a larger element, after memory was used and
    given back: MPICH may read there (`RunWithOffset` in crates/mpi/src/faults.rs).
    """
    fields = {"names": ["a", "b"], "formats": ["4i4", "8f8"], "offsets": [8, 24], "itemsize": 160}
    datatype = Layout.from_array(np.zeros(500, np.dtype(fields))).to_mpi()
    for number in range(10):
        used = [np.full(2000, -1) for _ in range(50)]
        del used
        source, target = filled(500, np.dtype(fields), number), np.zeros(500, np.dtype(fields))
        if comm.rank == 0:
            comm.Send([source.view("u1"), 1, datatype], dest=1)
        elif comm.rank == 1:
            comm.Recv([target.view("u1"), 1, datatype], source=0)
            assert (target["a"] == source["a"]).all() and (target["b"] == source["b"]).all()


def main():
    comm = MPI.COMM_WORLD
    fields_that_touch(comm)
    checked = sum(by_chance(comm, number) for number in range(200))
    source = filled((7, 8, 9), "d", 1)
    target = np.full((7, 8, 9), -1.0)
    for number, (sent, received) in enumerate(zip(views(source), views(target))):
        target[...] = -1
        exchange(comm, sent, received)
        if comm.rank == 1:
            wanted = np.full((7, 8, 9), -1.0)
            list(views(wanted))[number][...] = sent
            assert (target == wanted).all(), f"view {number}: {sent.shape} {sent.strides}"
            checked += 1
    for number, dtype in enumerate(STRUCTURED):
        for cut in (np.s_[:], np.s_[::-2], np.s_[3:4]):
            source, target = filled(12, dtype, number), np.zeros(12, dtype)
            exchange(comm, source[cut], target[cut])
            if comm.rank == 1:
                wanted = np.zeros(12, dtype)
                wanted[cut] = source[cut]
                assert (target == wanted).all(), f"{dtype}"
        checked += 1
    # What is received need not look like what is sent.
    columns = np.zeros((9, 7))
    exchange(comm, filled((7, 9), "d", 5)[:, ::-1], columns.T)
    if comm.rank == 1:
        assert (columns.T == filled((7, 9), "d", 5)[:, ::-1]).all()
        # Messages without waiting, whose arrays nobody else holds.
    other = 1 - comm.rank
    requests = [
        comm.Isend(commloom.buf(filled((50, 50), "i", 10 + comm.rank)[:, i::7]), other, i)
        for i in range(7)
    ]
    halves = np.zeros((50, 50), "i")
    for i in range(7):
        comm.Recv(commloom.buf(halves[:, i::7]), other, i)
    MPI.Request.Waitall(requests)
    assert (halves == filled((50, 50), "i", 10 + other)).all()
    if comm.rank == 1:
        print(f"{checked} round trips are right")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
