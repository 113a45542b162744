"""Layouts and datatypes of mpi4py, in one process and between two."""

import gc
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from test_arrays import views

import commloom
from commloom import Layout

MPI = pytest.importorskip("mpi4py.MPI", exc_type=ImportError)

HERE = pathlib.Path(__file__).parent


def packed(array, datatype):
    """What MPI packs of one element at the beginning of an array."""
    one = memoryview(array).cast("B")[: datatype.extent]
    out = bytearray(datatype.Pack_size(1, MPI.COMM_SELF))
    position = datatype.Pack(one, out, 0, MPI.COMM_SELF)
    return bytes(out[:position])


def derived():
    """Datatypes by all constructors, to be freed by whoever asks for them."""
    double = MPI.DOUBLE
    yield MPI.DOUBLE.Dup()
    yield double.Create_contiguous(5)
    yield double.Create_vector(4, 2, 3)
    yield double.Create_hvector(4, 2, 40)
    yield double.Create_indexed([1, 3, 2], [0, 4, 9])
    yield double.Create_hindexed([1, 3, 2], [0, 32, 72])
    yield double.Create_indexed_block(2, [0, 3, 8])
    yield double.Create_hindexed_block(2, [0, 24, 64])
    yield double.Create_subarray([6, 5], [3, 2], [1, 2], MPI.ORDER_C)
    yield double.Create_subarray([6, 5], [3, 2], [1, 2], MPI.ORDER_FORTRAN)
    yield double.Create_resized(0, 24)
    yield MPI.Datatype.Create_struct([2, 1, 3], [0, 32, 56], [MPI.INT, MPI.DOUBLE, MPI.CHAR])
    yield double.Create_darray(
        4,
        1,
        [8, 7],
        [MPI.DISTRIBUTE_BLOCK, MPI.DISTRIBUTE_CYCLIC],
        [MPI.DISTRIBUTE_DFLT_DARG, 2],
        [2, 2],
        MPI.ORDER_C,
    )


def test_layouts_of_datatypes_pack_what_mpi_packs():
    array = np.arange(100.0)
    for datatype in derived():
        datatype.Commit()
        layout = Layout.from_mpi(datatype)
        assert layout.size == datatype.Get_size()
        assert layout.extent == datatype.Get_extent()
        assert layout.pack(array).tobytes() == packed(array, datatype), str(layout)
        again = layout.to_mpi()
        assert packed(array, again) == packed(array, datatype), str(layout)
        assert again.Get_extent() == datatype.Get_extent()
        datatype.Free()


def test_predefined_datatypes_have_layouts():
    for name in ["INT", "DOUBLE", "LONG_LONG", "INT64_T", "C_BOOL", "C_DOUBLE_COMPLEX", "BYTE"]:
        datatype = getattr(MPI, name)
        assert Layout.from_mpi(datatype).size == datatype.Get_size()
    assert Layout.from_mpi(MPI.DOUBLE_INT).size == 12
    with pytest.raises(ValueError, match="NULL"):
        Layout.from_mpi(MPI.DATATYPE_NULL)
    with pytest.raises(TypeError, match="not int"):
        Layout.from_mpi(3)


def test_equal_layouts_have_one_datatype_which_is_freed_at_the_end():
    first = Layout.parse("vec(4, 24, MPI_DOUBLE)").to_mpi()
    assert Layout.parse("vec(4, 24, MPI_DOUBLE)").to_mpi() is first
    # Far more than are kept, and most of them are freed.
    for number in range(1000):
        array = np.zeros((number + 2, 3), "i")
        commloom.buf(array[:, 1])
    gc.collect()
    assert first.Get_size() == 32
    assert Layout.parse("vec(4, 24, MPI_DOUBLE)").to_mpi().Get_size() == 32


def test_buffers_are_views_that_live_as_long_as_they_are_used():
    array = np.arange(24.0).reshape(4, 6)
    memory, count, datatype = commloom.buf(array[::-1, ::2])
    assert count == 1 and datatype.Get_size() == 96
    assert packed(np.asarray(memory), datatype) == array[::-1, ::2].tobytes()
    del array
    gc.collect()
    assert np.asarray(memory)[-40:-32].view("d") == 18.0
    frozen = np.arange(4.0)
    frozen.flags.writeable = False
    assert memoryview(commloom.buf(frozen[::2])[0]).readonly
    room = bytearray(80)
    memory = commloom.buf(memoryview(room)[::2])[0]
    with pytest.raises(BufferError):
        room.extend(b"x")
    del memory
    assert commloom.buf(np.zeros((3, 0)))[1] == 0


def to_self(sent, received):
    """A message from this process to itself."""
    ends = {"dest": 0, "source": 0}
    MPI.COMM_SELF.Sendrecv(commloom.buf(sent), recvbuf=commloom.buf(received), **ends)


def values(array):
    """The bytes of all fields; of a long double the ten that are its value, because libraries
    move it in a register, and the others are lost on the way.
    """
    if array.dtype.names is not None:
        return [values(array[name]) for name in array.dtype.names]
    if array.dtype.char in "gG":
        return np.ascontiguousarray(array).view("u1").reshape(-1, 16)[:, :10].tobytes()
    return array.tobytes()


@settings(deadline=None, max_examples=300)
@given(views())
def test_views_by_chance_arrive_element_by_element(view):
    flat = np.zeros(view.shape, view.dtype)
    to_self(view, flat)
    assert values(flat) == values(view)
    if view.dtype.names and "low" in view.dtype.names:
        return  # Its fields share memory: MPI forbids to receive them.
    # Every other place of a larger array, from its end on; the places between stay as they are.
    cut = (*(slice(2 * n, 0, -2) for n in view.shape), ...)
    room, wanted = (np.zeros([2 * n + 1 for n in view.shape], view.dtype) for _ in range(2))
    wanted[cut] = view
    to_self(flat, room[cut])
    assert values(room) == values(wanted)


def launcher():
    beside = pathlib.Path(sys.executable).with_name("mpiexec")
    return str(beside) if beside.exists() else shutil.which("mpiexec")


def test_round_trips_between_two_processes():
    mpiexec = launcher()
    if mpiexec is None:
        pytest.fail("mpi4py is here, but no mpiexec: install mpich or openmpi")
    # By `-m mpi4py` an exception of one process ends both.
    program = [sys.executable, "-m", "mpi4py", str(HERE / "round_trips.py")]
    command = [mpiexec, "-n", "2", *program]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "251 round trips are right" in result.stdout
