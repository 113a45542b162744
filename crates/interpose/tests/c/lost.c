/* Persistent receives of messages that are too long, which Open MPI frees while it completes them; then persistent requests of other
 * messages, for which the library may use the same handles again. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CASES = 60, MOST = 64 };

int main(int argc, char **argv)
{
    int rank, one[2] = {1, 1};
    MPI_Aint places[2] = {0, 8};
    MPI_Datatype parts[2] = {MPI_FLOAT, MPI_DOUBLE}, type;
    MPI_Init(&argc, &argv);
    /* A request that was not started is waited for without end. */
    alarm(300);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Type_create_struct(2, one, places, parts, &type);
    MPI_Type_commit(&type);
    for (int k = 0; k < CASES; k++) {
        int n = 1 + k % 7 * 9, empty = k % 3, class;
        char from[16 * MOST], into[16 * MOST] = {0};
        for (size_t i = 0; i < sizeof from; i++)
            from[i] = (char)(rank * 31 + i + k);
        MPI_Request request, both[2];
        if (rank) {
            MPI_Send(from, n + 1, type, 0, 1, MPI_COMM_WORLD);
        } else {
            MPI_Recv_init(into, n, type, 1, 1, MPI_COMM_WORLD, &request);
            MPI_Start(&request);
            MPI_Error_class(MPI_Wait(&request, MPI_STATUS_IGNORE), &class);
            printf("case %d: too long, class %d, gone %d\n", k, class, request == MPI_REQUEST_NULL);
            if (request != MPI_REQUEST_NULL)
                MPI_Request_free(&request);
        }
        /* The next ones are empty, ints, or of the same datatype. */
        MPI_Datatype next = empty == 2 ? type : MPI_INT;
        int count = empty ? n : 0, other = !rank;
        memset(into, 0, sizeof into);
        MPI_Recv_init(into, count, next, other, 2, MPI_COMM_WORLD, &both[0]);
        MPI_Send_init(from, count, next, other, 2, MPI_COMM_WORLD, &both[1]);
        for (int round = 0; round < 3; round++) {
            MPI_Startall(2, both);
            MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        }
        unsigned sum = 0;
        for (size_t i = 0; i < sizeof into; i++)
            sum = sum * 31 + (unsigned char)into[i];
        printf("rank %d, case %d: %u\n", rank, k, sum);
        MPI_Request_free(&both[0]);
        MPI_Request_free(&both[1]);
    }
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
