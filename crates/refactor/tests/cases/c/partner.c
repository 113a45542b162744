/* Copies that are made only where there is somebody at the other end: they are made whenever the message moves
   something. The partner must be the message's, and stay who it is. */
#include <mpi.h>

static void partner_shifted(double *u, int n, int m, int left, int right, int tag, MPI_Comm comm)
{
    double s[64], r[64];
    for (int i = 0; i < n; i++)
        s[i] = u[i * m + m - 2];
    MPI_Sendrecv(s, n, MPI_DOUBLE, right, tag, r, n, MPI_DOUBLE, left, tag, comm, MPI_STATUS_IGNORE);
    if (left != MPI_PROC_NULL)
        for (int i = 0; i < n; i++)
            u[i * m] = r[i];
}

static void partner_pending(double *restrict u, const double *restrict v, int n, int m, int of[2], int tag, MPI_Comm comm)
{
    MPI_Request q[2];
    double s[64], r[64];
    if (MPI_PROC_NULL != of[0]) {
        for (int i = 0; i < n; i++)
            s[i] = v[i * m + 1];
    }
    MPI_Irecv(r, n, MPI_DOUBLE, of[1], tag, comm, &q[0]);
    MPI_Isend(s, n, MPI_DOUBLE, of[0], tag, comm, &q[1]);
    MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    if (of[1] != MPI_PROC_NULL) {
        for (int i = 0; i < n; i++)
            u[2 * i] = r[i];
    }
}

static void partner_of_another(double *u, int n, int m, int left, int right, int tag, MPI_Comm comm)
{
    double r[64];
    MPI_Recv(r, n, MPI_DOUBLE, left, tag, comm, MPI_STATUS_IGNORE);
    if (right != MPI_PROC_NULL)
        for (int i = 0; i < n; i++)
            u[i * m] = r[i];
}

static void partner_another(double *u, int n, int m, int left, int tag, MPI_Comm comm)
{
    double r[64];
    MPI_Recv(r, n, MPI_DOUBLE, left, tag, comm, MPI_STATUS_IGNORE);
    left = n ? MPI_PROC_NULL : left;
    if (left != MPI_PROC_NULL)
        for (int i = 0; i < n; i++)
            u[i * m] = r[i];
}

/* In each turn of a loop another one. */
static void partner_of_turn(double *u, int n, int m, int of[2], int tag, MPI_Comm comm)
{
    for (int d = 0; d < 2; d++) {
        double r[64];
        MPI_Recv(r, n, MPI_DOUBLE, of[d], tag, comm, MPI_STATUS_IGNORE);
        if (of[d] != MPI_PROC_NULL)
            for (int i = 0; i < n; i++)
                u[2 * i + d] = r[i];
    }
}

/* What is asked before is of another one. */
static void partner_before(double *u, int n, int left, int right, int tag, MPI_Comm comm)
{
    int k = 0;
    double r[64];
    if (left != MPI_PROC_NULL)
        k = 1;
    left = right;
    MPI_Recv(r, n, MPI_DOUBLE, left, tag, comm, MPI_STATUS_IGNORE);
    if (left != MPI_PROC_NULL)
        for (int i = 0; i < n; i++)
            u[2 * i + k] = r[i];
}

/* run:
   double u[7 * 9], v[7 * 9];
   int nobody = MPI_PROC_NULL, both[2] = {PEER, PEER}, none[2] = {MPI_PROC_NULL, MPI_PROC_NULL};
   FILL(u); FILL(v);
   partner_shifted(u, 7, 9, PEER, PEER, TAG, COMM);
   partner_shifted(u, 7, 9, nobody, nobody, TAG, COMM);
   SHOW(u);
   partner_pending(u, v, 7, 8, both, TAG, COMM);
   partner_pending(u, v, 7, 8, none, TAG, COMM);
   SHOW(u);
   RECV(7, MPI_DOUBLE, partner_of_another(u, 7, 9, PEER, nobody, TAG, COMM));
   RECV(7, MPI_DOUBLE, partner_another(u, 7, 9, PEER, TAG, COMM));
   SHOW(u);
   both[1] = nobody;
   RECV(7, MPI_DOUBLE, partner_of_turn(u, 7, 9, both, TAG, COMM));
   SHOW(u);
   RECV(7, MPI_DOUBLE, partner_before(u, 7, nobody, PEER, TAG, COMM));
   SHOW(u);
*/
