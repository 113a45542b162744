/* Several threads call MPI: a type that all of them share would be made and used at once. */
#include <mpi.h>

int begin_kept_threads(int *argc, char ***argv)
{
    int level;
    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level);
    return level;
}

void send_kept_threaded(double *u, int nx, int ny, int peer, int tag, MPI_Comm comm)
{
    double b[64];
    for (int j = 0; j < ny; j++)
        b[j] = u[j * nx];
    MPI_Send(b, ny, MPI_DOUBLE, peer, tag, comm);
}

/* run:
double u[72]; FILL(u);
SEND(4, MPI_DOUBLE, send_kept_threaded(u, 5, 4, PEER, TAG, COMM));
*/
