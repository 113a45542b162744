// The memory of vectors stays where it is, or moves, while a request is used.
#include <mpi.h>
#include <utility>
#include <vector>

void send_rows(std::vector<double> &u, int nx, int ny, int steps, int to, int tag, MPI_Comm comm)
{
    std::vector<double> b(ny);
    MPI_Request request;
    MPI_Send_init(&b[0], ny, MPI_DOUBLE, to, tag, comm, &request);
    for (int t = 0; t < steps; ++t) {
        for (int j = 0; j < ny; ++j)
            b[j] = u[j * nx + 2];
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int k = 0; k < nx * ny; ++k)
            u[k] = u[k] + t;
    }
    MPI_Request_free(&request);
}

void send_rows_in_turn(std::vector<double> &u, std::vector<double> &v, int nx, int ny, int steps, int to, int tag, MPI_Comm comm)
{
    std::vector<double> b(ny);
    MPI_Request request;
    MPI_Send_init(&b[0], ny, MPI_DOUBLE, to, tag, comm, &request);
    for (int t = 0; t < steps; ++t) {
        for (int j = 0; j < ny; ++j)
            b[j] = u[j * nx + 2];
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        std::swap(u, v);
    }
    MPI_Request_free(&request);
}

// run:
// std::vector<double> u(12); FILLN(&u[0], 12);
// if (RANK == 0) send_rows(u, 4, 3, 2, PEER, TAG, COMM);
// else { TAKE(3, MPI_DOUBLE); TAKE(3, MPI_DOUBLE); }
// SHOWN(&u[0], 12);
