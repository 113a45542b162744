/* The largest eigenvalue of a symmetric matrix by power iteration. Each process has some rows, and
   all need the whole vector in each step: they pass their blocks around a ring. The argument is the
   number of steps. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 64 };

static void gather(double *x, MPI_Comm comm)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    for (int k = 0; k < size - 1; k++) {
        int out = (rank + size - k) % size, in = (rank + size - k - 1) % size;
        MPI_Sendrecv(x + out * ROWS, ROWS, MPI_DOUBLE, right, 0, x + in * ROWS, ROWS, MPI_DOUBLE,
                     left, 0, comm, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int steps = argc > 1 ? atoi(argv[1]) : 300;
    int n = ROWS * size, first = rank * ROWS;
    double *a = malloc(sizeof(double) * ROWS * n), *x = malloc(sizeof(double) * n), norm = 1;
    double *y = malloc(sizeof(double) * n);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < n; j++)
            a[i * n + j] = 1.0 / (1 + abs(first + i - j));
    for (int i = 0; i < n; i++)
        y[i] = 1 + i % 3;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int step = 0; step < steps; step++) {
        norm = 0;
        for (int i = 0; i < n; i++)
            norm += y[i] * y[i];
        norm = sqrt(norm);
        for (int i = 0; i < n; i++)
            x[i] = y[i] / norm;
        for (int i = 0; i < ROWS; i++) {
            double sum = 0;
            for (int j = 0; j < n; j++)
                sum += a[i * n + j] * x[j];
            y[first + i] = sum;
        }
        gather(y, MPI_COMM_WORLD);
    }
    double time = MPI_Wtime() - start;
    if (rank == 0)
        printf("eigenvalue %.12f, %.1f us a step\n", norm, 1e6 * time / steps);
    free(a);
    free(x);
    free(y);
    MPI_Finalize();
    return 0;
}
