#include <mpi.h>

/* What unpacks is called a second time, within an expression: there it must find its loop. */
static void start(double *v, double *w, int n, int from, MPI_Comm comm, MPI_Request *request)
{
    MPI_Irecv(w, n, MPI_DOUBLE, from, 3, comm, request);
}

static int finish(double *v, double *w, int n)
{
    for (int i = 0; i < n; i++)
        v[2 * i] = w[i];
}

void pairs(double *v, int n, int from, MPI_Comm comm)
{
    double w[1000];
    MPI_Request request;
    start(v, w, n, from, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    finish(v, w, n);
}

int more(double *v, double *w, int n)
{
    return n > 0 && finish(v, w, n);
}
