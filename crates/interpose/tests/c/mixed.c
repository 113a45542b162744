/* Long messages of structs of several basic types, there and back: each rank may pack or not, and the library may
 * refuse packed bytes in their place. Two ranks; prints what arrived. */
#include "observe.h"

struct particle {
    char kind[2];
    int cell;
    double place[3];
    short flags;
};

static MPI_Datatype particles(void)
{
    struct particle p;
    int lengths[] = {2, 1, 3, 1};
    MPI_Aint at[] = {(char *)p.kind - (char *)&p, (char *)&p.cell - (char *)&p, (char *)p.place - (char *)&p,
                     (char *)&p.flags - (char *)&p};
    MPI_Datatype types[] = {MPI_CHAR, MPI_INT, MPI_DOUBLE, MPI_SHORT}, made;
    MPI_Type_create_struct(4, lengths, at, types, &made);
    MPI_Type_commit(&made);
    return made;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Datatype type = particles();
    static const int counts[] = {1, 10, 100, 1000, 20000};
    for (int k = 0; k < 5; k++) {
        int n = counts[k], peer = 1 - rank;
        unsigned char *memory = malloc(n * sizeof(struct particle));
        for (int round = 0; round < 20; round++) {
            for (size_t i = 0; i < n * sizeof(struct particle); i++)
                memory[i] = (unsigned char)(rank ? 255 : 13 * i + round);
            MPI_Status status;
            if (rank == 0) {
                MPI_Send(memory, n, type, peer, 0, MPI_COMM_WORLD);
                MPI_Recv(memory, n, type, peer, 0, MPI_COMM_WORLD, &status);
            } else {
                MPI_Recv(memory, n, type, peer, 0, MPI_COMM_WORLD, &status);
                MPI_Send(memory, n, type, peer, 0, MPI_COMM_WORLD);
            }
            MPI_Bcast(memory, n, type, round % 2, MPI_COMM_WORLD);
            int received;
            MPI_Get_count(&status, type, &received);
            if (received != n)
                printf("rank %d: %d of %d arrived\n", rank, received, n);
        }
        unsigned long sum = 0;
        for (size_t i = 0; i < n * sizeof(struct particle); i++)
            sum = 31 * sum + memory[i];
        printf("rank %d: %d particles, %lx\n", rank, n, sum);
        free(memory);
    }
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
