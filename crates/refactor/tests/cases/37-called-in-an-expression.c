#include <mpi.h>

/* What unpacks is called a second time, within an expression: there it must find its loop. */
static void start_again(double *v, double *w, int n, int from, MPI_Comm comm, MPI_Request *request)
{
    MPI_Irecv(w, n, MPI_DOUBLE, from, 3, comm, request);
}

static int finish_again(double *v, double *w, int n)
{
    for (int i = 0; i < n; i++)
        v[2 * i] = w[i];
}

void pairs_again(double *v, int n, int from, MPI_Comm comm)
{
    double w[1000];
    MPI_Request request;
    start_again(v, w, n, from, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    finish_again(v, w, n);
}

int more_again(double *v, double *w, int n)
{
    return n > 0 && finish_again(v, w, n);
}
