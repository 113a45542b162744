/* Branches of the preprocessor in which numbers and datatypes do not go together. */
#include <mpi.h>

/* In one of them the datatype is that of other numbers. */
#ifdef WRONG_IN_ONE
#define NUMBER_ONE double
#define MPI_NUMBER_ONE MPI_FLOAT
#else
#define NUMBER_ONE double
#define MPI_NUMBER_ONE MPI_DOUBLE
#endif

void send_one(const NUMBER_ONE *u, int n, int to, int tag, MPI_Comm comm)
{
    NUMBER_ONE b[50];
    for (int i = 0; i < n; i++)
        b[i] = u[3 * i];
    MPI_Send(b, n, MPI_NUMBER_ONE, to, tag, comm);
}

/* Two conditions: all four combinations count. */
#ifdef FIRST_HALF
#define NUMBER_TWO double
#else
#define NUMBER_TWO float
#endif
#ifdef SECOND_HALF
#define MPI_NUMBER_TWO MPI_DOUBLE
#else
#define MPI_NUMBER_TWO MPI_FLOAT
#endif

void send_two(const NUMBER_TWO *u, int n, int to, int tag, MPI_Comm comm)
{
    NUMBER_TWO b[50];
    for (int i = 0; i < n; i++)
        b[i] = u[3 * i];
    MPI_Send(b, n, MPI_NUMBER_TWO, to, tag, comm);
}

/* Taken away, and something else from there on. */
#ifdef SHORT_NUMBERS
#define MPI_NUMBER_THREE MPI_FLOAT
#else
#define MPI_NUMBER_THREE MPI_DOUBLE
#endif
#undef MPI_NUMBER_THREE
MPI_Datatype MPI_NUMBER_THREE;

void send_three(const double *u, int n, int to, int tag, MPI_Comm comm)
{
    double b[50];
    for (int i = 0; i < n; i++)
        b[i] = u[3 * i];
    MPI_Send(b, n, MPI_NUMBER_THREE, to, tag, comm);
}
