"""Transposes of mpi4py-fft, which sends subarrays by MPI_Alltoallw, or a step of a spectral code around them: what they take, and what each rank has then.

    program N ROUNDS slab|pencil transposes|turbulence

Prints `seconds: S` of all rounds, and `bytes: H` of each rank.
"""

import hashlib
import sys

import numpy
from mpi4py import MPI
from mpi4py_fft import PFFT, newDistArray

WORLD = MPI.COMM_WORLD


def transposes(fft, rounds):
    """All transposes there and back, as between one-dimensional transforms, without the transforms."""
    ends = [(step.forward.output_array, after.forward.input_array) for step, after in zip(fft.xfftn, fft.xfftn[1:])]
    for number, (source, _) in enumerate(ends):
        source[...] = numpy.random.default_rng([WORLD.rank, number]).standard_normal(source.shape)
    for _ in range(rounds):
        for transfer, (source, target) in zip(fft.transfer, ends):
            transfer.forward(source, target)
            transfer.backward(target, source)
    return [array for pair in ends for array in pair]


def turbulence(fft, rounds, n):
    """Navier and Stokes in a periodic cube from the vortex of Taylor and Green, in Fourier space: Euler's steps with nine transforms each."""
    u, u_hat = newDistArray(fft, False, rank=1), newDistArray(fft, True, rank=1)
    cross, cross_hat, curl = newDistArray(fft, False, rank=1), newDistArray(fft, True, rank=1), newDistArray(fft, False, rank=1)
    waves = [numpy.fft.fftfreq(n, 1.0 / n)] * 2 + [numpy.fft.rfftfreq(n, 1.0 / n)]
    k = numpy.array(numpy.meshgrid(*[wave[part] for wave, part in zip(waves, fft.local_slice(True))], indexing="ij"))
    k2 = numpy.sum(k * k, 0)
    inverse = 1.0 / numpy.where(k2 == 0, 1.0, k2)
    kept = numpy.all(numpy.abs(k) < n / 3, axis=0)
    x = numpy.meshgrid(*[numpy.arange(part.start, part.stop) * 2 * numpy.pi / n for part in fft.local_slice(False)], indexing="ij")
    u[0] = numpy.sin(x[0]) * numpy.cos(x[1]) * numpy.cos(x[2])
    u[1] = -numpy.cos(x[0]) * numpy.sin(x[1]) * numpy.cos(x[2])
    u[2] = 0
    for i in range(3):
        u_hat[i] = fft.forward(u[i], u_hat[i])
    for _ in range(rounds):
        for i in range(3):
            a, b = (i + 1) % 3, (i + 2) % 3
            curl[i] = fft.backward(1j * (k[a] * u_hat[b] - k[b] * u_hat[a]), curl[i])
            u[i] = fft.backward(u_hat[i], u[i])
        for i in range(3):
            a, b = (i + 1) % 3, (i + 2) % 3
            cross[i] = u[a] * curl[b] - u[b] * curl[a]
            cross_hat[i] = fft.forward(cross[i], cross_hat[i])
        cross_hat *= kept
        pressure = numpy.sum(cross_hat * k, 0) * inverse
        u_hat += 0.001 * (cross_hat - pressure * k - 0.000625 * k2 * u_hat)
    return [u_hat]


def main():
    n, rounds, grid, work = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
    # Plans that are measured differ from run to run, and with them the last bits.
    fft = PFFT(WORLD, [n] * 3, axes=(0, 1, 2), dtype=float, grid=(-1,) if grid == "slab" else None, planner_effort="FFTW_ESTIMATE")
    WORLD.Barrier()
    start = MPI.Wtime()
    arrays = transposes(fft, rounds) if work == "transposes" else turbulence(fft, rounds, n)
    seconds = WORLD.allreduce(MPI.Wtime() - start, op=MPI.MAX)
    hashes = WORLD.gather(hashlib.sha256(b"".join(numpy.ascontiguousarray(a).tobytes() for a in arrays)).hexdigest()[:16])
    if WORLD.rank == 0:
        print("\n".join(f"bytes: {rank} {value}" for rank, value in enumerate(hashes)), f"seconds: {seconds:.6f}", sep="\n")


main()
