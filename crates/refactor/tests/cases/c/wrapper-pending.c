/* The program's own names for MPI's procedures, in another order: what they do says the table. */
#include <mpi.h>

void post_sending(int to, const void *what, int count, MPI_Datatype type, MPI_Request *request)
{
    MPI_Isend(what, count, type, to, 7, MPI_COMM_WORLD, request);
}

void finish_all(MPI_Request *requests, int count)
{
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

void faces_posted(double *u, int nx, int ny, int to)
{
    double left[64], right[64];
    MPI_Request requests[2];
    for (int j = 0; j < ny; j++)
        left[j] = u[j * nx];
    post_sending(to, left, ny, MPI_DOUBLE, &requests[0]);
    for (int j = 0; j < ny; j++)
        right[j] = u[j * nx + nx - 1];
    post_sending(to, right, ny, MPI_DOUBLE, &requests[1]);
    finish_all(requests, 2);
    u[0] = 1;
}

/* wrapper: post_sending = MPI_Isend(dest=1, buf=2, count=3, datatype=4, request=5) */
/* wrapper: finish_all = MPI_Waitall(requests=1, count=2) */
/* run:
double u[8 * 5], got[5]; FILL(u);
if (RANK == 0) faces_posted(u, 8, 5, PEER);
else for (int side = 0; side < 2; side++) {
    MPI_Recv(got, 5, MPI_DOUBLE, PEER, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    SHOW(got);
}
SHOW(u);
*/
