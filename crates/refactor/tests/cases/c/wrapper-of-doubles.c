/* Procedures for numbers of one type become the calls of MPI that they stand for. */
#include <mpi.h>

int world_tag = 7;

void put_doubles(int to, const double *what, int count)
{
    MPI_Send(what, count, MPI_DOUBLE, to, world_tag, MPI_COMM_WORLD);
}

void get_doubles(int from, double *what, int count, MPI_Status *status)
{
    MPI_Recv(what, count, MPI_DOUBLE, from, world_tag, MPI_COMM_WORLD, status);
}

void swap_columns(double *u, int nx, int ny, int other, int first)
{
    double out[64], in[64];
    for (int j = 0; j < ny; j++)
        out[j] = u[j * nx + 1];
    if (first)
        put_doubles(other, out, ny);
    get_doubles(other, in, ny, MPI_STATUS_IGNORE);
    for (int j = 0; j < ny; j++)
        u[j * nx] = in[j];
}

void put_rows(const double *u, int nx, int ny, int to)
{
    double out[256];
    int n = 0;
    for (int j = 0; j < ny; j += 2)
        for (int i = 1; i < nx; i++)
            out[n++] = u[j * nx + i];
    put_doubles(to /* the other one */, out, n);
}

/* wrapper: put_doubles = MPI_Send(dest=1, buf=2, count=3, datatype=MPI_DOUBLE, tag=world_tag, comm=MPI_COMM_WORLD) */
/* wrapper: get_doubles = MPI_Recv(source=1, buf=2, count=3, datatype=MPI_DOUBLE, tag=world_tag, comm=MPI_COMM_WORLD, status=4) */
/* assume: the elements of 'u' that are received are distinct */
/* run:
double u[8 * 5], got[5]; FILL(u);
if (RANK == 0) {
    swap_columns(u, 8, 5, PEER, 1);
    put_rows(u, 8, 5, PEER);
} else {
    MPI_Recv(got, 5, MPI_DOUBLE, PEER, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    SHOW(got);
    MPI_Send(u, 5, MPI_DOUBLE, PEER, 7, MPI_COMM_WORLD);
    MPI_Recv(u, 21, MPI_DOUBLE, PEER, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
SHOW(u);
*/
