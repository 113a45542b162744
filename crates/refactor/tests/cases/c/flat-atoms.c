/* The same with a flat array, and the entries of the list used where they are. */
#include <mpi.h>

void send_flat(const float *x, const int *list, int n, int to, int tag, MPI_Comm comm)
{
    float buf[3 * n + 1];
    for (int i = 0; i < n; i++) {
        buf[3 * i] = x[3 * list[i]];
        buf[3 * i + 1] = x[3 * list[i] + 1];
        buf[3 * i + 2] = x[3 * list[i] + 2];
    }
    MPI_Send(buf, 3 * n, MPI_FLOAT, to, tag, comm);
}

/* run:
float x[60]; int list[] = {19, 2, 2, 0, 7}; FILL(x);
SEND(15, MPI_FLOAT, send_flat(x, list, 5, PEER, TAG, COMM));
SHOW(x);
*/
