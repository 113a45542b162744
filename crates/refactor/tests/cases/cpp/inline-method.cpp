// The same in the class itself, the array behind a pointer.
#include <mpi.h>

struct Mesh {
    int nx, ny;
    double *values;

    void send_side(int to, int tag, MPI_Comm comm)
    {
        double *b = new double[ny];
        for (int j = 0; j < ny; j++)
            b[j] = this->values[j * nx];
        MPI_Send(b, ny, MPI_DOUBLE, to, tag, comm);
        delete[] b;
    }
};

/* run:
double values[40]; FILL(values);
Mesh mesh = {8, 5, values};
SEND(5, MPI_DOUBLE, mesh.send_side(PEER, TAG, COMM));
SHOW(values);
*/
