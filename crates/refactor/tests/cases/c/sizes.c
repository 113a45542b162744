/* Sizes that differ from machine to machine: of long double, of pointers, of structs with them. */
#include <mpi.h>
#include <stdint.h>
#include <string.h>

struct node {
    char mark;
    struct node *next;
    long double weight[2];
    int32_t id;
};

void send_ids(const struct node *all, int n, int to, int tag, MPI_Comm comm)
{
    int32_t b[40];
    for (int i = 0; i < n; i++) {
        b[2 * i] = all[i].id;
        b[2 * i + 1] = all[i + 1].id;
    }
    MPI_Send(b, 2 * n, MPI_INT32_T, to, tag, comm);
}

void send_weights(const struct node *all, int n, int to, int tag, MPI_Comm comm)
{
    char b[40 * sizeof(long double)];
    for (int i = 0; i < n; i++)
        memcpy(b + i * sizeof(long double), &all[i].weight[1], sizeof(long double));
    MPI_Send(b, n * (int)sizeof(long double), MPI_BYTE, to, tag, comm);
}

struct sample {
    char mark;
    long double weight;
    short id;
};

void send_samples(const struct sample *all, int n, int to, int tag, MPI_Comm comm)
{
    struct sample b[20];
    for (int i = 0; i < n; i++)
        b[i] = all[2 * i + 1];
    MPI_Send(b, n * (int)sizeof(struct sample), MPI_BYTE, to, tag, comm);
}

/* The same bytes only where both have one size. */
void send_longs(const long *u, int n, int to, int tag, MPI_Comm comm)
{
    int64_t b[40];
    for (int i = 0; i < n; i++)
        b[i] = u[3 * i];
    MPI_Send(b, n, MPI_INT64_T, to, tag, comm);
}

/* run:
struct node all[12]; struct sample some[12]; long u[30]; FILLB(all); FILLB(some); FILL(u);
SEND(20, MPI_INT, send_ids(all, 10, PEER, TAG, COMM));
SEND(10 * sizeof(long double), MPI_BYTE, send_weights(all, 10, PEER, TAG, COMM));
SEND(5 * sizeof(struct sample), MPI_BYTE, send_samples(some, 5, PEER, TAG, COMM));
SEND(8, MPI_INT64_T, send_longs(u, 8, PEER, TAG, COMM));
SHOW(all); SHOW(some); SHOW(u);
*/
