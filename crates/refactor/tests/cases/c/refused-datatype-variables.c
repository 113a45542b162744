/* Variables that begin as a datatype of MPI, and are others later. */
#include <mpi.h>

MPI_Datatype of_faces = MPI_DOUBLE;
MPI_Datatype of_edges = MPI_DOUBLE;
static MPI_Datatype of_corners;

void choose_faces(MPI_Datatype other)
{
    of_faces = other;
}

void make_edges(void)
{
    MPI_Type_contiguous(3, MPI_DOUBLE, &of_edges);
    MPI_Type_commit(&of_edges);
}

void send_faces(const double *u, int n, int to, int tag, MPI_Comm comm)
{
    double b[50];
    for (int i = 0; i < n; i++)
        b[i] = u[3 * i];
    MPI_Send(b, n, of_faces, to, tag, comm);
}

void send_edges(const double *u, int n, int to, int tag, MPI_Comm comm)
{
    double b[50];
    for (int i = 0; i < n; i++)
        b[i] = u[3 * i];
    MPI_Send(b, n, of_edges, to, tag, comm);
}

void send_corners(const double *u, int n, int to, int tag, MPI_Comm comm)
{
    double b[50];
    for (int i = 0; i < n; i++)
        b[i] = u[3 * i];
    MPI_Send(b, n, of_corners, to, tag, comm);
}

void send_either(const double *u, int n, int is_large, int to, int tag, MPI_Comm comm)
{
    MPI_Datatype one = MPI_FLOAT;
    double b[50];
    if (is_large)
        one = MPI_DOUBLE;
    for (int i = 0; i < n; i++)
        b[i] = u[3 * i];
    MPI_Send(b, n, one, to, tag, comm);
}
