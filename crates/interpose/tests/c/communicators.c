/* Makes communicators in all ways on four ranks. Messages in two duplicates of the world have the same peers, tags and
 * bytes, and are received in the other order.
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, ranks, tag = 5;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm first, second, half, odd = MPI_COMM_NULL, between, merged, ring, later;
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    int out[2] = {rank, rank + 100}, in[2] = {0, 0};
    int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    MPI_Request requests[4];
    MPI_Irecv(&in[1], 1, MPI_INT, left, tag, second, &requests[0]);
    MPI_Irecv(&in[0], 1, MPI_INT, left, tag, first, &requests[1]);
    MPI_Isend(&out[0], 1, MPI_INT, right, tag, first, &requests[2]);
    MPI_Isend(&out[1], 1, MPI_INT, right, tag, second, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);

    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
    MPI_Group world, group;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    int members[2] = {1, 3};
    MPI_Group_incl(world, 2, members, &group);
    if (rank % 2 == 1)
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 9, &odd);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank / 2 ? 0 : 2, 7, &between);
    MPI_Intercomm_merge(between, rank / 2, &merged);
    int periodic = 1;
    MPI_Cart_create(merged, 1, &ranks, &periodic, 0, &ring);
    MPI_Request duplicated;
    MPI_Comm_idup(ring, &later, &duplicated);
    MPI_Wait(&duplicated, MPI_STATUS_IGNORE);
    MPI_Barrier(later);

    printf("rank %d: %d %d\n", rank, in[0], in[1]);
    MPI_Group_free(&world);
    MPI_Group_free(&group);
    if (odd != MPI_COMM_NULL)
        MPI_Comm_free(&odd);
    MPI_Comm *all[] = {&first, &second, &half, &between, &merged, &ring, &later};
    for (int i = 0; i < 7; i++)
        MPI_Comm_free(all[i]);
    MPI_Finalize();
    return 0;
}
