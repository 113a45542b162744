#include <mpi.h>
#include <string.h>

/* Paths on which the receive, or its copies, are not executed. */

void recv_if(double *u, int n, int c, int s, MPI_Comm cm)
{
    double b[100];
    memset(b, 0, sizeof b);
    if (c)
        MPI_Recv(b, n, MPI_DOUBLE, s, 1, cm, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        u[i * 3] = b[i];
}

void recv_return(double *u, int n, int c, int s, MPI_Comm cm)
{
    double b[100];
    MPI_Recv(b, n, MPI_DOUBLE, s, 1, cm, MPI_STATUS_IGNORE);
    if (c)
        return;
    for (int i = 0; i < n; i++)
        u[i * 3] = b[i];
}

void recv_continue(double *u, int n, int c, int s, MPI_Comm cm)
{
    for (int k = 0; k < 3; k++) {
        double b[100];
        MPI_Recv(b, n, MPI_DOUBLE, s, 1, cm, MPI_STATUS_IGNORE);
        if (k == c)
            continue;
        for (int i = 0; i < n; i++)
            u[k * 100 + i * 3] = b[i];
    }
}

/* In a case of a switch, too: the tree has an `if` there. */
void left_in_a_case(double *restrict u, int n, int m, int k, int from, int tag, MPI_Comm comm)
{
    double b[100];
    switch (m) {
    case 3:
        MPI_Recv(b, n, MPI_DOUBLE, from, tag, comm, MPI_STATUS_IGNORE);
        if (k == 3)
            return;
        for (int i = 0; i < n; i++)
            u[i + 2] = b[i];
        break;
    default:
        u[0] = 1;
    }
}
