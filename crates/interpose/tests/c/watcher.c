/* A tool behind commloom: counts, for each function, the buffers that reach the library, and those of them that are not the
 * program's own with its own datatype. The program says which these are. */
#include <mpi.h>
#include <stddef.h>
#include <string.h>

enum { FUNCTIONS = 64 };

static struct {
    const char *name;
    int seen, strange;
} functions[FUNCTIONS];
static char *start, *end;
static MPI_Datatype own;

void watch(void *first, size_t length, MPI_Datatype datatype)
{
    start = first;
    end = start + length;
    own = datatype;
    memset(functions, 0, sizeof functions);
}

/* Stops watching, and tells what each function has got. */
void watched(void (*tell)(const char *name, int seen, int strange))
{
    start = end = NULL;
    for (int i = 0; i < FUNCTIONS && functions[i].name; i++)
        tell(functions[i].name, functions[i].seen, functions[i].strange);
}

static void look(const char *name, const void *buffer, MPI_Datatype datatype)
{
    int i = 0;
    if (!start)
        return;
    while (i < FUNCTIONS - 1 && functions[i].name && strcmp(functions[i].name, name))
        i++;
    functions[i].name = name;
    functions[i].seen++;
    functions[i].strange += (const char *)buffer < start || (const char *)buffer >= end || datatype != own;
}

/* A function with one buffer. */
#define ONE(name, buffer, parameters, arguments) \
    int MPI_##name parameters                    \
    {                                            \
        look("MPI_" #name, buffer, t);           \
        return PMPI_##name arguments;            \
    }
/* A function with a buffer for each side. */
#define BOTH(name, sent, received, parameters, arguments) \
    int MPI_##name parameters                             \
    {                                                     \
        look("MPI_" #name, sb, sent);                     \
        look("MPI_" #name, b, received);                  \
        return PMPI_##name arguments;                     \
    }

#define BUFFER void *b, int n, MPI_Datatype t
#define SENT const void *sb, int sn, MPI_Datatype st
#define SENT_LIST const void *sb, const int *sn, const int *sd, MPI_Datatype st
#define LIST void *b, const int *n, const int *d, MPI_Datatype t

ONE(Send, b, (const BUFFER, int to, int tag, MPI_Comm c), (b, n, t, to, tag, c))
ONE(Recv, b, (BUFFER, int from, int tag, MPI_Comm c, MPI_Status *s), (b, n, t, from, tag, c, s))
ONE(Isend, b, (const BUFFER, int to, int tag, MPI_Comm c, MPI_Request *r), (b, n, t, to, tag, c, r))
ONE(Irecv, b, (BUFFER, int from, int tag, MPI_Comm c, MPI_Request *r), (b, n, t, from, tag, c, r))
ONE(Send_init, b, (const BUFFER, int to, int tag, MPI_Comm c, MPI_Request *r), (b, n, t, to, tag, c, r))
ONE(Recv_init, b, (BUFFER, int from, int tag, MPI_Comm c, MPI_Request *r), (b, n, t, from, tag, c, r))
ONE(Mrecv, b, (BUFFER, MPI_Message *m, MPI_Status *s), (b, n, t, m, s))
ONE(Imrecv, b, (BUFFER, MPI_Message *m, MPI_Request *r), (b, n, t, m, r))
ONE(Sendrecv_replace, b, (BUFFER, int to, int stag, int from, int tag, MPI_Comm c, MPI_Status *s), (b, n, t, to, stag, from, tag, c, s))
ONE(Bcast, b, (BUFFER, int root, MPI_Comm c), (b, n, t, root, c))
ONE(Ibcast, b, (BUFFER, int root, MPI_Comm c, MPI_Request *r), (b, n, t, root, c, r))
ONE(File_write_at, b, (MPI_File f, MPI_Offset at, const BUFFER, MPI_Status *s), (f, at, b, n, t, s))
ONE(File_read_at, b, (MPI_File f, MPI_Offset at, BUFFER, MPI_Status *s), (f, at, b, n, t, s))
ONE(File_write_all, b, (MPI_File f, const BUFFER, MPI_Status *s), (f, b, n, t, s))
ONE(File_read_all, b, (MPI_File f, BUFFER, MPI_Status *s), (f, b, n, t, s))

BOTH(Sendrecv, st, t, (SENT, int to, int stag, BUFFER, int from, int tag, MPI_Comm c, MPI_Status *s),
     (sb, sn, st, to, stag, b, n, t, from, tag, c, s))
BOTH(Gather, st, t, (SENT, BUFFER, int root, MPI_Comm c), (sb, sn, st, b, n, t, root, c))
BOTH(Igather, st, t, (SENT, BUFFER, int root, MPI_Comm c, MPI_Request *r), (sb, sn, st, b, n, t, root, c, r))
BOTH(Gatherv, st, t, (SENT, LIST, int root, MPI_Comm c), (sb, sn, st, b, n, d, t, root, c))
BOTH(Scatter, st, t, (SENT, BUFFER, int root, MPI_Comm c), (sb, sn, st, b, n, t, root, c))
BOTH(Iscatter, st, t, (SENT, BUFFER, int root, MPI_Comm c, MPI_Request *r), (sb, sn, st, b, n, t, root, c, r))
BOTH(Scatterv, st, t, (SENT_LIST, BUFFER, int root, MPI_Comm c), (sb, sn, sd, st, b, n, t, root, c))
BOTH(Allgather, st, t, (SENT, BUFFER, MPI_Comm c), (sb, sn, st, b, n, t, c))
BOTH(Iallgather, st, t, (SENT, BUFFER, MPI_Comm c, MPI_Request *r), (sb, sn, st, b, n, t, c, r))
BOTH(Allgatherv, st, t, (SENT, LIST, MPI_Comm c), (sb, sn, st, b, n, d, t, c))
BOTH(Alltoall, st, t, (SENT, BUFFER, MPI_Comm c), (sb, sn, st, b, n, t, c))
BOTH(Ialltoall, st, t, (SENT, BUFFER, MPI_Comm c, MPI_Request *r), (sb, sn, st, b, n, t, c, r))
BOTH(Alltoallv, st, t, (SENT_LIST, LIST, MPI_Comm c), (sb, sn, sd, st, b, n, d, t, c))
BOTH(Alltoallw, st[0], t[0],
     (const void *sb, const int *sn, const int *sd, const MPI_Datatype *st, void *b, const int *n, const int *d,
      const MPI_Datatype *t, MPI_Comm c),
     (sb, sn, sd, st, b, n, d, t, c))
BOTH(Neighbor_allgather, st, t, (SENT, BUFFER, MPI_Comm c), (sb, sn, st, b, n, t, c))
BOTH(Neighbor_allgatherv, st, t, (SENT, LIST, MPI_Comm c), (sb, sn, st, b, n, d, t, c))
BOTH(Neighbor_alltoall, st, t, (SENT, BUFFER, MPI_Comm c), (sb, sn, st, b, n, t, c))
BOTH(Ineighbor_alltoall, st, t, (SENT, BUFFER, MPI_Comm c, MPI_Request *r), (sb, sn, st, b, n, t, c, r))
BOTH(Neighbor_alltoallv, st, t, (SENT_LIST, LIST, MPI_Comm c), (sb, sn, sd, st, b, n, d, t, c))
BOTH(Neighbor_alltoallw, st[0], t[0],
     (const void *sb, const int *sn, const MPI_Aint *sd, const MPI_Datatype *st, void *b, const int *n, const MPI_Aint *d,
      const MPI_Datatype *t, MPI_Comm c),
     (sb, sn, sd, st, b, n, d, t, c))

int MPI_Pack(const void *b, int n, MPI_Datatype t, void *packed, int size, int *at, MPI_Comm c)
{
    if (n > 0) /* commloom asks with none for errors */
        look(__func__, b, t);
    return PMPI_Pack(b, n, t, packed, size, at, c);
}

int MPI_Unpack(const void *packed, int size, int *at, void *b, int n, MPI_Datatype t, MPI_Comm c)
{
    if (n > 0)
        look(__func__, b, t);
    return PMPI_Unpack(packed, size, at, b, n, t, c);
}
