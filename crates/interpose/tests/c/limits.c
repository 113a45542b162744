/* Two ranks exchange a few typed messages; then no file of theirs may be longer than 64 bytes (`ulimit -f`), or standard error has
 * no reader, as the argument says; then MPI ends, and so does rank 0 with status 3, unless ENDS is set: a launcher kills the
 * others then. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static double out[4096], in[4096];
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Datatype vector;
    MPI_Type_vector(64, 2, 4, MPI_DOUBLE, &vector);
    MPI_Type_commit(&vector);
    for (int i = 0; i < 4; i++)
        MPI_Sendrecv(out, 1, vector, (rank + 1) % size, i, in, 1, vector, (rank + size - 1) % size, i, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    MPI_Type_free(&vector);
    if (argc > 1 && strcmp(argv[1], "short") == 0) {
        struct rlimit limit = {64, 64};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    if (argc > 1 && strcmp(argv[1], "unread") == 0) {
        int ends[2];
        if (pipe(ends) == 0) {
            dup2(ends[1], 2);
            close(ends[0]);
            close(ends[1]);
        }
    }
    printf("rank %d of %d ends\n", rank, size);
    fflush(stdout);
    MPI_Finalize();
    return getenv("ENDS") ? 0 : 3 * (rank == 0);
}
