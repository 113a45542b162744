/* A profiling tool, as they are linked to programs: it stands before every other MPI_X and calls PMPI_X. It counts the
 * elements that it sees, and the calls, so that the test can tell whether it sees what the program does. */
#include <mpi.h>
#include <stdio.h>

static long sent, received, completed, committed, sends, receives, waits;

int MPI_Type_commit(MPI_Datatype *type)
{
    committed++;
    return PMPI_Type_commit(type);
}

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    sent += count;
    sends++;
    return PMPI_Send(buffer, count, type, to, tag, comm);
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    sent += count;
    sends++;
    return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    received += count;
    receives++;
    return PMPI_Recv(buffer, count, type, from, tag, comm, status);
}

/* MPI_Irecv is not replaced: its requests are completed by PMPI_Wait and PMPI_Waitall all the same. */

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    completed++;
    waits++;
    return PMPI_Wait(request, status);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    completed += count;
    waits++;
    return PMPI_Waitall(count, requests, statuses);
}

int MPI_Finalize(void)
{
    long seen[7] = {sent, received, completed, committed, sends, receives, waits}, all[2][7];
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    /* One process prints: lines of two come mixed. */
    PMPI_Gather(seen, 7, MPI_LONG, all, 7, MPI_LONG, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < 2; i++) {
        printf("rank %d tool: %ld sent, %ld received, %ld completed, %ld committed\n", i, all[i][0], all[i][1],
               all[i][2], all[i][3]);
        printf("rank %d calls: %ld sends, %ld receives, %ld waits\n", i, all[i][4], all[i][5], all[i][6]);
    }
    return PMPI_Finalize();
}
