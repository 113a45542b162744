/* Many long messages, each from and to memory of its own. Prints the most memory that the process had, in kilobytes. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { MESSAGES = 48, LENGTH = 1 << 20 };

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *out = malloc((size_t)MESSAGES * LENGTH), *in = malloc((size_t)MESSAGES * LENGTH);
    for (int i = 0; i < MESSAGES; i++) {
        char *from = out + (size_t)i * LENGTH, *to = in + (size_t)i * LENGTH;
        memset(from, i + 1, LENGTH);
        MPI_Sendrecv(from, LENGTH, MPI_BYTE, 1 - rank, 1, to, LENGTH, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("rank %d: %ld\n", rank, usage.ru_maxrss);
    MPI_Finalize();
    return 0;
}
