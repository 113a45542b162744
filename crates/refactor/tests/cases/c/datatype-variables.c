/* Variables that are a datatype of MPI, and never anything else. */
#include <mpi.h>

static const MPI_Datatype of_fluxes = MPI_DOUBLE;
MPI_Datatype of_marks = MPI_INT;

void send_fluxes(const double *u, int n, int to, int tag, MPI_Comm comm)
{
    double b[50];
    for (int i = 0; i < n; i++)
        b[i] = u[3 * i];
    MPI_Send(b, n, of_fluxes, to, tag, comm);
}

void send_marks(const int *u, int n, int to, int tag, MPI_Comm comm)
{
    MPI_Datatype own = of_marks;
    int b[50];
    for (int i = 0; i < n; i++)
        b[i] = u[4 * i];
    MPI_Send(b, n, own, to, tag, comm);
}

/* run:
double u[60]; int marks[60]; FILL(u); FILL(marks);
SEND(9, MPI_DOUBLE, send_fluxes(u, 9, PEER, TAG, COMM));
SEND(8, MPI_INT, send_marks(marks, 8, PEER, TAG, COMM));
SHOW(u); SHOW(marks);
*/
