/* Elements of more than 16 bytes, in a layout with gaps, to the process itself and to the next. Open MPI takes a message apart where
 * it likes; where that is inside of such an element, a receive of what has gaps writes past the end of 16 bytes of its own. As a
 * vector is sent, it is never taken apart there; as bytes without gaps, or as many elements with an extent, it is. */
#include <mpi.h>
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>

enum { CASES = 24, STEP = 2, ROOM = 1 << 24 };

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    void *attached = malloc(ROOM);
    MPI_Buffer_attach(attached, ROOM);
    for (int k = 0; k < CASES; k++) {
        int n = 100 + k * 271, other = k % 4 < 2 ? rank : (rank + 1) % ranks, wrong = 0;
        MPI_Datatype type;
        MPI_Type_vector(n, 1, STEP, MPI_C_LONG_DOUBLE_COMPLEX, &type);
        MPI_Type_commit(&type);
        long double complex *from = malloc(sizeof *from * n * STEP), *into = calloc(n * STEP, sizeof *into);
        for (int i = 0; i < n * STEP; i++)
            from[i] = i * 1.25L + k * I;
        MPI_Request request;
        if (k % 3)
            MPI_Ibsend(from, 1, type, other, k, MPI_COMM_WORLD, &request);
        else
            MPI_Isend(from, 1, type, other, k, MPI_COMM_WORLD, &request);
        /* What receives it is the library alone, where it is asked for. */
        MPI_Pcontrol(0);
        MPI_Recv(into, 1, type, MPI_ANY_SOURCE, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Pcontrol(1);
        for (int i = 0; i < n * STEP; i++)
            wrong += into[i] != (i % STEP ? 0 : from[i]);
        printf("rank %d, case %d: %s\n", rank, k, wrong ? "wrong" : "right");
        MPI_Type_free(&type);
        free(from);
        free(into);
    }
    MPI_Buffer_detach(&attached, &(int){0});
    free(attached);
    MPI_Finalize();
    return 0;
}
