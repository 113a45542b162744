// Requests in an array, both ways, unpacked after one wait for all.
#include <mpi.h>
#include <vector>

void exchange(double *u, int nx, int ny, int other, int tag, MPI_Comm comm)
{
    std::vector<double> out(ny), in(ny);
    MPI_Request requests[2];
    for (int j = 0; j < ny; j++)
        out[j] = u[j * nx + 1];
    MPI_Isend(out.data(), ny, MPI_DOUBLE, other, tag, comm, &requests[0]);
    MPI_Irecv(in.data(), ny, MPI_DOUBLE, other, tag, comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int j = 0; j < ny; j++)
        u[j * nx + nx - 1] = in[j];
}

// assume: the elements of 'u' that are received are distinct
// assume: what is received into 'u' is not what is sent from it
/* run:
double u[40]; FILL(u);
exchange(u, 8, 5, PEER, TAG, COMM);
SHOW(u);
*/
