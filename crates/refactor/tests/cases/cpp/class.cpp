// A method packs members of its class.
#include <mpi.h>
#include <vector>

class Field {
public:
    Field(int nx, int ny) : nx_(nx), ny_(ny) {}
    void send_row(int row, int to, int tag, MPI_Comm comm) const;
    double values[12][10];

private:
    int nx_, ny_;
};

void Field::send_row(int row, int to, int tag, MPI_Comm comm) const
{
    double b[12];
    for (int i = 0; i < nx_; i++)
        b[i] = values[i][row];
    MPI_Send(b, nx_, MPI_DOUBLE, to, tag, comm);
}

/* run:
Field f(12, 10); FILLN(&f.values[0][0], 120);
SEND(12, MPI_DOUBLE, f.send_row(3, PEER, TAG, COMM));
SHOW(f.values);
*/
