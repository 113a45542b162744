"""Halo exchange of a grid in three dimensions, with mpi4py and commloom.buf.

    mpiexec -n 2 commloom exec -- python examples/halo.py

The faces of a NumPy array are strided views, which mpi4py does not take as buffers. `commloom.buf`
makes an MPI datatype of each, so nothing is copied in Python; under `commloom exec` the datatypes
are also sent faster where that was measured in the run. Checks what it has received.
"""

import argparse
import time

import numpy as np
from mpi4py import MPI

import commloom


def neighbours(comm, grid):
    """For each face: what is sent, to whom, what is received, from whom."""
    for axis in range(3):
        lower, upper = comm.Shift(axis, 1)

        def face(at, axis=axis):
            index = [slice(1, -1)] * 3
            index[axis] = at
            return commloom.buf(grid[tuple(index)])

        yield face(-2), upper, face(0), lower
        yield face(1), lower, face(-1), upper


def exchange(comm, faces):
    requests = []
    for tag, (_, _, received, source) in enumerate(faces):
        requests.append(comm.Irecv(received, source, tag))
    for tag, (sent, target, _, _) in enumerate(faces):
        requests.append(comm.Isend(sent, target, tag))
    MPI.Request.Waitall(requests)


def values(comm, n):
    """The grid that every process should have in the end: each cell has its place in the world."""
    dims, coords = np.array(comm.dims), np.array(comm.coords)
    places = [
        (np.arange(-1, n + 1) + coords[axis] * n) % (n * dims[axis]) for axis in range(3)
    ]
    x, y, z = np.meshgrid(*places, indexing="ij")
    return x * 1e6 + y * 1e3 + z


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=64, help="cells of a process in each direction")
    parser.add_argument("--reps", type=int, default=200, help="exchanges")
    options = parser.parse_args()

    world = MPI.COMM_WORLD
    dims = MPI.Compute_dims(world.size, 3)
    comm = world.Create_cart(dims, periods=[True] * 3)
    wanted = values(comm, options.n)
    inner = (slice(1, -1),) * 3
    grid = np.full_like(wanted, -1.0)
    grid[inner] = wanted[inner]
    faces = list(neighbours(comm, grid))

    exchange(comm, faces)
    comm.Barrier()
    start = time.perf_counter()
    for _ in range(options.reps):
        exchange(comm, faces)
    spent = comm.allreduce(time.perf_counter() - start, MPI.MAX)

    # Edges and corners are not exchanged.
    outside = sum(np.indices(grid.shape) % (options.n + 1) == 0)
    wrong = np.count_nonzero((grid != wanted) & (outside <= 1))
    if comm.allreduce(wrong):
        raise SystemExit(f"rank {comm.rank}: {wrong} cells are wrong")
    if comm.rank == 0:
        each = spent / max(options.reps, 1) * 1e6
        print(f"{world.size} processes, {options.n}^3 cells each: {each:.1f} us an exchange")


if __name__ == "__main__":
    main()
