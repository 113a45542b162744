/* One rank: packs, unpacks, and sends to itself, blocking and not. Prints a sum over all bytes. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { N = 4000 };

int main(int argc, char **argv)
{
    static int out[N], in[N], packed[N];
    MPI_Init(&argc, &argv);
    unsigned sum = 0;
    for (int round = 0; round < 20; round++) {
        MPI_Datatype type;
        int blocks[3] = {2, 5, 1}, places[3] = {0, 9, 30 + round};
        if (round % 2)
            MPI_Type_indexed(3, blocks, places, MPI_INT, &type);
        else
            MPI_Type_vector(100, 2, 4 + round, MPI_INT, &type);
        MPI_Type_commit(&type);
        for (int i = 0; i < N; i++)
            out[i] = i * 7 + round;
        memset(in, -1, sizeof in);
        int at = 0;
        MPI_Pack(out, 1, type, packed, sizeof packed, &at, MPI_COMM_WORLD);
        int end = at;
        at = 0;
        MPI_Unpack(packed, end, &at, in, 1, type, MPI_COMM_WORLD);
        MPI_Request requests[2];
        MPI_Irecv(in + N / 2, 1, type, 0, 0, MPI_COMM_SELF, &requests[0]);
        MPI_Isend(out, 1, type, 0, 0, MPI_COMM_SELF, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Type_free(&type);
        for (int i = 0; i < N; i++)
            sum = sum * 31 + (unsigned)in[i];
    }
    printf("the sum is %u\n", sum);
    MPI_Finalize();
    return 0;
}
