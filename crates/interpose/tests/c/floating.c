/* Messages that look like all kinds of numbers, in a program that traps what is invalid or overflows, and adds none of them.
 * Prints the flags that are raised at the end. */
#define _GNU_SOURCE
#include <fenv.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { NUMBERS = 64, TURNS = 60 };

/* Too large to be added, too small, none that is quiet, none that is not, and zero. */
static const unsigned long kinds[] = {0x7fefffffffffffff, 1, 0x7ff8000000000000, 0x7ff0000000000001, 0xffefffffffffffff, 0};

static unsigned long greatest[2 * NUMBERS], got[2 * NUMBERS];

static void fill(int rank, int turn)
{
    for (int i = 0; i < NUMBERS; i++)
        greatest[2 * i] = kinds[(i + turn) % 6] ^ (unsigned long)(rank + turn) << 2;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Datatype type;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_vector(NUMBERS, 1, 2, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW);
    for (int turn = 0; turn < TURNS; turn++) {
        fill(rank, turn);
        if (rank) {
            MPI_Send(greatest, 1, type, 0, 0, MPI_COMM_WORLD);
            MPI_Recv(greatest, 1, type, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            continue;
        }
        for (int from = 1; from < size; from++) {
            MPI_Recv(got, 1, type, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int i = 0; i < 2 * NUMBERS; i += 2)
                if (got[i] > greatest[i])
                    greatest[i] = got[i];
        }
        for (int to = 1; to < size; to++)
            MPI_Send(greatest, 1, type, to, 1, MPI_COMM_WORLD);
    }
    printf("rank %d: flags %x, traps %x\n", rank, fetestexcept(FE_ALL_EXCEPT), fegetexcept());
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
