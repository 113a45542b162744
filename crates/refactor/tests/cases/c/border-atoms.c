/* Positions and types of the atoms at a border: three coordinates for each entry of a list. */
#include <mpi.h>

#define PAD 4

void send_border(double (*x)[PAD], const int *sendlist, int count, int to, int tag, MPI_Comm comm)
{
    double buf[3000];
    int m = 0;
    for (int i = 0; i < count; i++) {
        int j = sendlist[i];
        buf[m++] = x[j][0];
        buf[m++] = x[j][1];
        buf[m++] = x[j][2];
    }
    MPI_Send(buf, m, MPI_DOUBLE, to, tag, comm);
}

/* run:
double x[20 * 4]; int list[] = {19, 2, 2, 0, 7}; FILL(x);
SEND(15, MPI_DOUBLE, send_border((void *)x, list, 5, PEER, TAG, COMM));
SEND(0, MPI_DOUBLE, send_border((void *)x, list, 0, PEER, TAG, COMM));
SHOW(x);
*/
