/* Persistent requests that keep what is not what is packed later. */
#include <mpi.h>
#include <stdlib.h>

void compute(double *u, double *v);

/* The arrays are swapped: the request keeps the first one's address. */
void swapped(double *u, double *unew, int n, int nx, int steps, int to, MPI_Comm comm)
{
    double b[100];
    MPI_Request r;
    MPI_Send_init(b, n, MPI_DOUBLE, to, 0, comm, &r);
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            b[i] = u[i * nx];
        MPI_Start(&r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        double *other = u;
        u = unew;
        unew = other;
    }
    MPI_Request_free(&r);
}

/* The stride is another one each time. */
void coarser(const double *restrict u, int n, int nx, int steps, int to, MPI_Comm comm)
{
    double b[100];
    MPI_Request r;
    MPI_Send_init(b, n, MPI_DOUBLE, to, 0, comm, &r);
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            b[i] = u[i * nx];
        MPI_Start(&r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        nx *= 2;
    }
    MPI_Request_free(&r);
}

/* The list is made after the request. */
void late_list(const double *restrict u, int *restrict list, int n, int steps, int to, MPI_Comm comm)
{
    double b[100];
    MPI_Request r;
    MPI_Send_init(b, n, MPI_DOUBLE, to, 0, comm, &r);
    for (int i = 0; i < n; i++)
        list[i] = 3 * i;
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            b[i] = u[list[i]];
        MPI_Start(&r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&r);
}

/* A source is written before the send is complete. */
void too_early(double *restrict u, int n, int steps, int to, MPI_Comm comm)
{
    double b[100];
    MPI_Request r;
    MPI_Send_init(b, n, MPI_DOUBLE, to, 0, comm, &r);
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            b[i] = u[2 * i];
        MPI_Start(&r);
        for (int i = 0; i < 2 * n; i++)
            u[i] += 1;
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&r);
}

/* Two buffers in turn: the request keeps the first one. */
void two_buffers(const double *restrict u, int n, int steps, int to, MPI_Comm comm)
{
    double *b = malloc(n * sizeof(double)), *c = malloc(n * sizeof(double));
    MPI_Request r;
    MPI_Send_init(b, n, MPI_DOUBLE, to, 0, comm, &r);
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            b[i] = u[2 * i];
        MPI_Start(&r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        double *other = b;
        b = c;
        c = other;
    }
    MPI_Request_free(&r);
}

/* Others start it, too. */
void given(const double *restrict u, int n, int steps, int to, MPI_Comm comm, MPI_Request *r)
{
    double b[100];
    MPI_Send_init(b, n, MPI_DOUBLE, to, 0, comm, r);
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            b[i] = u[2 * i];
        MPI_Start(r);
        MPI_Wait(r, MPI_STATUS_IGNORE);
    }
}

/* It is started once more with what was packed before. */
void again(const double *restrict u, int n, int to, MPI_Comm comm)
{
    double b[100];
    MPI_Request r;
    MPI_Send_init(b, n, MPI_DOUBLE, to, 0, comm, &r);
    for (int i = 0; i < n; i++)
        b[i] = u[2 * i];
    MPI_Start(&r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Start(&r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Request_free(&r);
}

/* Where it is complete depends on a test. */
void tested(const double *restrict u, int n, int steps, int to, MPI_Comm comm)
{
    double b[100];
    MPI_Request r;
    MPI_Send_init(b, n, MPI_DOUBLE, to, 0, comm, &r);
    for (int t = 0; t < steps; t++) {
        int done = 0;
        for (int i = 0; i < n; i++)
            b[i] = u[2 * i];
        MPI_Start(&r);
        while (!done)
            MPI_Test(&r, &done, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&r);
}

/* The last message is received, but not unpacked. */
void left_early(double *restrict u, int n, int from, MPI_Comm comm)
{
    double b[100];
    MPI_Request r;
    MPI_Recv_init(b, n, MPI_DOUBLE, from, 0, comm, &r);
    for (int t = 0;; t++) {
        MPI_Status s;
        MPI_Start(&r);
        MPI_Wait(&r, &s);
        if (s.MPI_TAG == 9)
            break;
        for (int i = 0; i < n; i++)
            u[2 * i] = b[i];
    }
    MPI_Request_free(&r);
}

/* What is received into is used in between. */
void used(double *restrict u, int n, int steps, int from, MPI_Comm comm)
{
    double b[100], sum = 0;
    MPI_Request r;
    MPI_Recv_init(b, n, MPI_DOUBLE, from, 0, comm, &r);
    for (int t = 0; t < steps; t++) {
        MPI_Start(&r);
        for (int i = 0; i < n; i++)
            sum += u[2 * i];
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        for (int i = 0; i < n; i++)
            u[2 * i] = b[i];
    }
    u[1] = sum;
    MPI_Request_free(&r);
}

/* Fewer are completed than are started. */
void fewer(const double *restrict u, int n, int steps, int many, int to, MPI_Comm comm)
{
    double b[100];
    MPI_Request r[4];
    for (int k = 0; k < 3; k++)
        MPI_Send_init(b, 0, MPI_DOUBLE, MPI_PROC_NULL, 0, comm, &r[k]);
    MPI_Send_init(b, n, MPI_DOUBLE, to, 0, comm, &r[3]);
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            b[i] = u[2 * i];
        MPI_Startall(4, r);
        MPI_Waitall(many, r, MPI_STATUSES_IGNORE);
    }
}

/* Of several requests the first ones are completed, not this one. */
void other_one(const double *restrict u, int n, int steps, int to, MPI_Comm comm)
{
    double b[100], c[1];
    MPI_Request r[2];
    MPI_Send_init(c, 1, MPI_DOUBLE, to, 0, comm, &r[0]);
    MPI_Send_init(b, n, MPI_DOUBLE, to, 0, comm, &r[1]);
    for (int i = 0; i < n; i++)
        b[i] = u[2 * i];
    MPI_Startall(2, r);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
}

/* The list is looked at before it is known that somebody needs it. */
void perhaps_no_list(const double *restrict u, const int *restrict list, int n, int to, MPI_Comm comm)
{
    double b[100];
    MPI_Request r;
    MPI_Send_init(b, n, MPI_DOUBLE, to, 0, comm, &r);
    if (list) {
        for (int i = 0; i < n; i++)
            b[i] = u[list[i]];
        MPI_Start(&r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&r);
}

/* Another number than is packed: the request's count is an older one. */
void older_count(const double *restrict u, int n, int steps, int to, MPI_Comm comm)
{
    double b[100];
    MPI_Request r;
    MPI_Send_init(b, n, MPI_DOUBLE, to, 0, comm, &r);
    n = n - 1;
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            b[i] = u[2 * i];
        MPI_Start(&r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&r);
}
