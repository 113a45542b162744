#include <mpi.h>

/* What is waited for is another request, or it is not waited for on every path. */

void wait_other(double *u, int n, int s, MPI_Comm cm)
{
    double b[100], d[100];
    MPI_Request r[2];
    for (int i = 0; i < n; i++)
        b[i] = u[i * 3];
    MPI_Isend(b, n, MPI_DOUBLE, s, 1, cm, &r[0]);
    MPI_Irecv(d, n, MPI_DOUBLE, s, 2, cm, &r[1]);
    MPI_Wait(&r[1], MPI_STATUS_IGNORE);
    u[0] = d[0];
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
}

void waitall_one(double *u, int n, int s, MPI_Comm cm)
{
    double b[100], d[100];
    MPI_Request r[2];
    for (int i = 0; i < n; i++)
        b[i] = u[i * 3];
    MPI_Irecv(d, n, MPI_DOUBLE, s, 2, cm, &r[0]);
    MPI_Isend(b, n, MPI_DOUBLE, s, 1, cm, &r[1]);
    MPI_Waitall(1, r, MPI_STATUSES_IGNORE);
    u[0] = d[0];
    MPI_Wait(&r[1], MPI_STATUS_IGNORE);
}

void wait_branch(double *u, int n, int c, int s, MPI_Comm cm)
{
    double b[100];
    MPI_Request r = MPI_REQUEST_NULL;
    if (c) {
        for (int i = 0; i < n; i++)
            b[i] = u[i * 3];
        MPI_Isend(b, n, MPI_DOUBLE, s, 1, cm, &r);
    }
    if (c) {
        c = 2;
    } else {
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    u[0] = 5;
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

void wait_continue(double *u, int n, int c, int s, MPI_Comm cm)
{
    double b[100];
    int pending = 0;
    MPI_Request r = MPI_REQUEST_NULL;
    for (int k = 0; k < 4; k++) {
        if (pending) {
            u[0] = 1;
            MPI_Wait(&r, MPI_STATUS_IGNORE);
            pending = 0;
            continue;
        }
        for (int i = 0; i < n; i++)
            b[i] = u[i * 3];
        MPI_Isend(b, n, MPI_DOUBLE, s, 1, cm, &r);
        if (k == c) {
            pending = 1;
            continue;
        }
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
}
