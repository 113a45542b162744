// Objects begin and end, move, and keep their elements elsewhere.
#include <mpi.h>
#include <array>
#include <utility>
#include <vector>

static std::vector<double> owned;

struct scribbles {
    int at;
    ~scribbles() { owned[static_cast<std::size_t>(at)] = -5; }
};

void lt_guarded(int n, int to, int tag, MPI_Comm comm)
{
    double b[40];
    {
        scribbles guard{0};
        for (int i = 0; i < n; i++)
            b[i] = owned[2 * i];
    }
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

void lt_moved(int n, int to, int tag, MPI_Comm comm)
{
    double b[40];
    for (int i = 0; i < n; i++)
        b[i] = owned[2 * i];
    std::vector<double> taken = std::move(owned);
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
    owned = taken;
}

void lt_rows(int n, int to, int tag, MPI_Comm comm)
{
    std::vector<std::vector<double>> rows(8, std::vector<double>(5, owned[3]));
    double b[40];
    int p = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 3; j++)
            b[p++] = rows[i][j];
    MPI_Send(b, p, MPI_DOUBLE, to, tag, comm);
}

void lt_grown(int n, int to, int tag, MPI_Comm comm)
{
    std::vector<double> own(owned);
    double b[40];
    for (int i = 0; i < n; i++)
        b[i] = own[2 * i];
    own.assign(200, -1.0);
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

void lt_block(int n, int to, int tag, MPI_Comm comm)
{
    std::vector<std::array<double, 5>> rows(8);
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 5; j++)
            rows[i][j] = owned[i * 5 + j];
    double b[40];
    int p = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 3; j++)
            b[p++] = rows[i][j];
    MPI_Send(b, p, MPI_DOUBLE, to, tag, comm);
}

/* run:
double u[200]; FILL(u); owned.assign(u, u + 200);
SEND(10, MPI_DOUBLE, lt_guarded(10, PEER, TAG, COMM));
SEND(10, MPI_DOUBLE, lt_moved(10, PEER, TAG, COMM));
SEND(12, MPI_DOUBLE, lt_rows(4, PEER, TAG, COMM));
SEND(10, MPI_DOUBLE, lt_grown(10, PEER, TAG, COMM));
SEND(12, MPI_DOUBLE, lt_block(4, PEER, TAG, COMM));
*/
