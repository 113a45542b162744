/* Preloaded into the examples by `examples.rs`: damages what they receive, so that their verification can be tested.
 *
 * DAMAGE_AT is a byte offset in each receive buffer. DAMAGE=count adds one to the byte there after every receive;
 * DAMAGE=stale puts back the eight bytes that were there before.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PENDING = 64, KEPT = 8 };

static struct receive {
    unsigned char *at, kept[KEPT];
} pending[MAX_PENDING];
static int pending_count;

static struct receive before(void *buffer)
{
    struct receive receive = {.at = (unsigned char *)buffer + atoi(getenv("DAMAGE_AT"))};
    memcpy(receive.kept, receive.at, KEPT);
    return receive;
}

static void after(const struct receive *receive)
{
    if (strcmp(getenv("DAMAGE"), "count") == 0)
        *receive->at += 1;
    else
        memcpy(receive->at, receive->kept, KEPT);
}

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    struct receive receive = before(buffer);
    int code = PMPI_Recv(buffer, count, type, source, tag, comm, status);
    after(&receive);
    return code;
}

int MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int destination, int out_tag, void *in,
                 int in_count, MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm, MPI_Status *status)
{
    struct receive receive = before(in);
    int code = PMPI_Sendrecv(out, out_count, out_type, destination, out_tag, in, in_count, in_type, source, in_tag,
                             comm, status);
    after(&receive);
    return code;
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
    if (pending_count < MAX_PENDING)
        pending[pending_count++] = before(buffer);
    return PMPI_Irecv(buffer, count, type, source, tag, comm, request);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    int code = PMPI_Waitall(count, requests, statuses);
    while (pending_count > 0)
        after(&pending[--pending_count]);
    return code;
}

int MPI_Neighbor_alltoallw(const void *out, const int out_counts[], const MPI_Aint out_at[],
                           const MPI_Datatype out_types[], void *in, const int in_counts[], const MPI_Aint in_at[],
                           const MPI_Datatype in_types[], MPI_Comm comm)
{
    struct receive receive = before(in);
    int code = PMPI_Neighbor_alltoallw(out, out_counts, out_at, out_types, in, in_counts, in_at, in_types, comm);
    after(&receive);
    return code;
}
