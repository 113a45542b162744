// std::copy of rows, by pointers, by iterators and through a running pointer; std::copy_n of a column of blocks.
#include <algorithm>
#include <mpi.h>
#include <vector>

void send_rows_copied(const double *u, int nx, int rows, int width, int to, int tag, MPI_Comm comm)
{
    std::vector<double> b(rows * width);
    for (int j = 0; j < rows; ++j)
        std::copy(u + j * nx + 1, u + j * nx + 1 + width, b.begin() + j * width);
    MPI_Send(b.data(), rows * width, MPI_DOUBLE, to, tag, comm);
}

void send_rows_running(const double *u, int nx, int rows, int width, int to, int tag, MPI_Comm comm)
{
    double b[100];
    double *p = b;
    for (int j = 0; j < rows; ++j)
        p = std::copy(&u[j * nx], &u[j * nx + width], p);
    MPI_Send(b, rows * width, MPI_DOUBLE, to, tag, comm);
}

void send_blocks(const std::vector<int> &u, int nx, int rows, int to, int tag, MPI_Comm comm)
{
    std::vector<int> b(3 * rows);
    for (int j = 0; j < rows; ++j)
        std::copy_n(u.begin() + j * nx + 2, 3, b.data() + 3 * j);
    MPI_Send(b.data(), 3 * rows, MPI_INT, to, tag, comm);
}

void recv_rows_copied(double *u, int nx, int rows, int width, int from, int tag, MPI_Comm comm)
{
    double b[100];
    MPI_Recv(b, rows * width, MPI_DOUBLE, from, tag, comm, MPI_STATUS_IGNORE);
    for (int j = 0; j < rows; ++j)
        std::copy(b + j * width, b + (j + 1) * width, u + j * nx);
}

// assume: the elements of 'u' that are received are distinct
/* run:
double u[48]; FILL(u);
std::vector<int> v(48); FILLN(v, 48);
SEND(20, MPI_DOUBLE, send_rows_copied(u, 8, 4, 5, PEER, TAG, COMM));
SEND(20, MPI_DOUBLE, send_rows_running(u, 8, 4, 5, PEER, TAG, COMM));
SEND(18, MPI_INT, send_blocks(v, 8, 6, PEER, TAG, COMM));
RECV(20, MPI_DOUBLE, recv_rows_copied(u, 8, 4, 5, PEER, TAG, COMM));
SHOW(u);
*/
