/* Process 0 sends a block to each other one, TURNS times: blocks that are all there (1), blocks that are made one after the
   other (2), blocks that are cleared one after the other (3), and blocks in memory that is freed and unmapped (4). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { TURNS = 4, N = 512 };

static double a[8][N];

static void fill(double *block)
{
    static double next = 1;
    for (int i = 0; i < N; i++)
        block[i] = next += 0.5;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int way = 1; way <= 4; way++) {
        MPI_Pcontrol(100 + way);
        for (int turn = 0; turn < TURNS; turn++) {
            double(*x)[N] = a;
            if (way == 4)
                x = mmap(NULL, 8 * sizeof *a, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            for (int to = 1; to < size; to++)
                fill(x[to]);
            for (int to = 1; to < size && rank == 0; to++) {
                if (way == 2)
                    fill(x[to]);
                MPI_Send(x[to], N, MPI_DOUBLE, to, way, MPI_COMM_WORLD);
                if (way == 3)
                    memset(x[to], 0, sizeof x[to]);
            }
            if (rank > 0)
                MPI_Recv(x[0], N, MPI_DOUBLE, 0, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (way == 4)
                munmap(x, 8 * sizeof *a);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Pcontrol(99);
    MPI_Finalize();
    return 0;
}
