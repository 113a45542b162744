/* The call is a part of a condition that may not come to it; another one has no place before it. */
#include <mpi.h>

int send_checked(const double *u, int n, int to, int tag, MPI_Comm comm)
{
    double b[100];
    for (int i = 0; i < n; i++)
        b[i] = u[4 * i];
    if (to >= 0 && MPI_Send(b, n, MPI_DOUBLE, to, tag, comm) != MPI_SUCCESS)
        return 1;
    return 0;
}

int form_again(const double *u, int n, int to, int tag, MPI_Comm comm)
{
    double b[100];
    for (int i = 0; i < n; i++)
        b[i] = u[4 * i];
    while (MPI_Send(b, n, MPI_DOUBLE, to, tag, comm) != MPI_SUCCESS)
        tag++;
    return tag;
}

#define TRANSMIT(buffer, count) MPI_Send(buffer, count, MPI_DOUBLE, to, tag, comm)

void form_by_macro(const double *u, int n, int to, int tag, MPI_Comm comm)
{
    double b[100];
    for (int i = 0; i < n; i++)
        b[i] = u[4 * i];
    TRANSMIT(b, n);
}

#define MAKE_SENDER(name, stride) \
    void name(const double *u, int n, int to, int tag, MPI_Comm comm) \
    { \
        double b[100]; \
        for (int i = 0; i < n; i++) \
            b[i] = u[stride * i]; \
        MPI_Send(b, n, MPI_DOUBLE, to, tag, comm); \
    }
MAKE_SENDER(send_thirds, 3)

#define BEGIN_SENDER(name) void name(const double *u, int n, int to, int tag, MPI_Comm comm) {
BEGIN_SENDER(send_fifths)
    double b[100];
    for (int i = 0; i < n; i++)
        b[i] = u[5 * i];
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}

#define LEAVE_FORM(failed) \
    do { \
        if ((failed) != MPI_SUCCESS) \
            return 1; \
    } while (0)

int form_leaves(double *u, int n, int from, int tag, MPI_Comm comm)
{
    double b[100];
    LEAVE_FORM(MPI_Recv(b, n, MPI_DOUBLE, from, tag, comm, MPI_STATUS_IGNORE));
    for (int i = 0; i < n; i++)
        u[4 * i] = b[i];
    return 0;
}
