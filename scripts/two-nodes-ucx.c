/* Preloaded under MPICH on the nodes of scripts/two-nodes.
 *
 * MPICH 4.0.2 on UCX closes its connections in MPI_Finalize, and waits without making progress for the other processes:
 * one that comes later waits for an answer of these, for ever. With more than two processes every second program hangs.
 * Here connections are left open and end with the process. */
#include <stddef.h>

void *ucp_disconnect_nb(void *endpoint)
{
    (void)endpoint;
    return NULL;
}
