// A virtual function between the copies and the call may write anything.
#include <mpi.h>

struct Observer {
    virtual void before_send() = 0;
    virtual ~Observer() {}
};

void send_observed(Observer &observer, double *u, int n, int to, int tag, MPI_Comm comm)
{
    double b[100];
    for (int i = 0; i < n; i++)
        b[i] = u[4 * i];
    observer.before_send();
    MPI_Send(b, n, MPI_DOUBLE, to, tag, comm);
}
