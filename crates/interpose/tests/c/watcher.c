/* A tool behind commloom: counts the buffers that reach the library, and those of them that are not the program's own with its
 * own datatype. The program says which these are. */
#include <mpi.h>
#include <stddef.h>

static char *start, *end;
static MPI_Datatype own;
static int seen, strange;

void watch(void *first, size_t length, MPI_Datatype datatype)
{
    start = first;
    end = start + length;
    own = datatype;
    seen = strange = 0;
}

void watched(int *all, int *others)
{
    start = end = NULL;
    *all = seen;
    *others = strange;
}

static void look(const void *buffer, MPI_Datatype datatype)
{
    if (!start)
        return;
    seen++;
    strange += (const char *)buffer < start || (const char *)buffer >= end || datatype != own;
}

int MPI_Send(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c)
{
    look(b, t);
    return PMPI_Send(b, n, t, to, tag, c);
}

int MPI_Recv(void *b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Status *s)
{
    look(b, t);
    return PMPI_Recv(b, n, t, from, tag, c, s);
}

int MPI_Isend(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request *r)
{
    look(b, t);
    return PMPI_Isend(b, n, t, to, tag, c, r);
}

int MPI_Irecv(void *b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Request *r)
{
    look(b, t);
    return PMPI_Irecv(b, n, t, from, tag, c, r);
}

int MPI_Sendrecv(const void *sb, int sn, MPI_Datatype st, int to, int stag, void *b, int n, MPI_Datatype t, int from, int tag,
                 MPI_Comm c, MPI_Status *s)
{
    look(sb, st);
    look(b, t);
    return PMPI_Sendrecv(sb, sn, st, to, stag, b, n, t, from, tag, c, s);
}

int MPI_Send_init(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request *r)
{
    look(b, t);
    return PMPI_Send_init(b, n, t, to, tag, c, r);
}

int MPI_Recv_init(void *b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Request *r)
{
    look(b, t);
    return PMPI_Recv_init(b, n, t, from, tag, c, r);
}

int MPI_Bcast(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    look(b, t);
    return PMPI_Bcast(b, n, t, root, c);
}

int MPI_Alltoall(const void *sb, int sn, MPI_Datatype st, void *b, int n, MPI_Datatype t, MPI_Comm c)
{
    look(sb, st);
    look(b, t);
    return PMPI_Alltoall(sb, sn, st, b, n, t, c);
}

int MPI_Alltoallv(const void *sb, const int *sn, const int *sd, MPI_Datatype st, void *b, const int *n, const int *d, MPI_Datatype t,
                  MPI_Comm c)
{
    look(sb, st);
    look(b, t);
    return PMPI_Alltoallv(sb, sn, sd, st, b, n, d, t, c);
}

int MPI_Alltoallw(const void *sb, const int *sn, const int *sd, const MPI_Datatype *st, void *b, const int *n, const int *d,
                  const MPI_Datatype *t, MPI_Comm c)
{
    look(sb, st[0]);
    look(b, t[0]);
    return PMPI_Alltoallw(sb, sn, sd, st, b, n, d, t, c);
}

int MPI_Pack(const void *b, int n, MPI_Datatype t, void *packed, int size, int *at, MPI_Comm c)
{
    if (n > 0) /* commloom asks with none for errors */
        look(b, t);
    return PMPI_Pack(b, n, t, packed, size, at, c);
}

int MPI_Unpack(const void *packed, int size, int *at, void *b, int n, MPI_Datatype t, MPI_Comm c)
{
    if (n > 0)
        look(b, t);
    return PMPI_Unpack(packed, size, at, b, n, t, c);
}
