#include <mpi.h>
#include <string.h>

typedef struct {
    double r[3];
    int id;
    double q;
} A;

void atoms(const A *a, int n, int d, int t, MPI_Comm c)
{
    char b[28 * 100];
    int p = 0;
    for (int i = 0; i < n; i++) {
        memcpy(b + p, a[i].r, 24);
        p += 24;
        memcpy(b + p, &a[i].id, 4);
        p += 4;
    }
    MPI_Send(b, p, MPI_BYTE, d, t, c);
}

/* run:
A all[9]; FILLB(all);
SEND(9 * 28, MPI_BYTE, atoms(all, 9, PEER, TAG, COMM));
SHOW(all);
*/
