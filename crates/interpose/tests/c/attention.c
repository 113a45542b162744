/* A ring of long messages, all of them sent and received by the same two calls, in steps that tests/trace.rs knows: new
 * bytes for a long time, then what has come is passed on, new bytes again, and sums. Each step begins with
 * MPI_Pcontrol(100 + step). Prints what every rank has in the end.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

enum { N = 512, LONG = 80, SHORT = 10 };

static int rank, ranks;
static double buffers[2][N];

static void exchange(double *out, double *in)
{
    MPI_Request request;
    MPI_Irecv(in, N, MPI_DOUBLE, (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, &request);
    MPI_Send(out, N, MPI_DOUBLE, (rank + 1) % ranks, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void fill(double *values, double salt)
{
    for (int i = 0; i < N; i++)
        values[i] = salt + i * 0.1 + (rank + 1) / 3.0;
}

static void new_bytes(double salt)
{
    for (int i = 0; i < LONG; i++) {
        fill(buffers[0], salt + i);
        exchange(buffers[0], buffers[1]);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Pcontrol(100);
    new_bytes(1);
    MPI_Pcontrol(101);
    for (int i = 0; i < SHORT; i++)
        exchange(buffers[i % 2], buffers[1 - i % 2]);
    MPI_Pcontrol(102);
    new_bytes(1000);
    MPI_Pcontrol(103);
    fill(buffers[0], 5000);
    for (int i = 0; i < SHORT; i++) {
        exchange(buffers[0], buffers[1]);
        for (int k = 0; k < N; k++)
            buffers[0][k] += buffers[1][k];
    }
    MPI_Pcontrol(104);
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += buffers[0][i] * i + buffers[1][i];
    printf("rank %d: %.17g\n", rank, sum);
    MPI_Finalize();
    return 0;
}
