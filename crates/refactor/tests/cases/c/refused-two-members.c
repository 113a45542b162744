/* Nothing says that the two pointers of a structure do not point to the same elements, nor that what is received does not change them. */
#include <mpi.h>

struct two_fields {
    double *x, *y;
};

void receive_two_fields(struct two_fields f, int n, int from, int tag, MPI_Comm comm)
{
    double b[200];
    MPI_Recv(b, 2 * n, MPI_DOUBLE, from, tag, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++) {
        f.x[i] = b[2 * i];
        f.y[i] = b[2 * i + 1];
    }
}
