/* Matrices of sites on one face of a lattice, by a list of sites: whole structs are copied. */
#include <mpi.h>
#include <stdlib.h>

typedef struct {
    float real, imag;
} fcomplex;

typedef struct {
    fcomplex e[3][3];
} su3;

typedef struct {
    short x, y, z, t;
    char parity;
    su3 link[4];
    double weight;
} site;

void send_links(const site *lattice, const int *face, int n, int dir, int to, int tag, MPI_Comm comm)
{
    su3 *out = (su3 *)malloc(n * sizeof(su3));
    for (int i = 0; i < n; i++)
        out[i] = lattice[face[i]].link[dir];
    MPI_Send(out, n * 18, MPI_FLOAT, to, tag, comm);
    free(out);
}

/* run:
site all[12]; int face[] = {7, 0, 3, 11, 4}; FILLB(all);
SEND(90, MPI_FLOAT, send_links(all, face, 5, 2, PEER, TAG, COMM));
SEND(0, MPI_FLOAT, send_links(all, face, 0, 2, PEER, TAG, COMM));
SHOW(all);
*/
