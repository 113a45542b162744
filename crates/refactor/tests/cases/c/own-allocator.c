/* Memory from a procedure of the program that gives what nobody else knows. Procedures that do
   otherwise are below it: there two pointers may lead to one memory. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static void *own_memory(size_t bytes)
{
    void *memory = NULL;
    if (bytes > 4096) {
        if (posix_memalign(&memory, 64, bytes))
            memory = NULL;
        return memory;
    }
    memory = malloc(bytes);
    if (!memory)
        abort();
    memset(memory, 0, bytes);
    return memory;
}

static double pool_of_memory[400];

static double *from_the_pool(int n)
{
    double *memory = malloc(n * sizeof(double));
    if (memory == NULL || n < 100)
        return pool_of_memory;
    return memory;
}

static double *last_memory;

static double *known_memory(int n)
{
    double *memory = malloc(n * sizeof(double));
    last_memory = memory;
    return memory;
}

double with_own_memory(int n, int m, int to, int tag, MPI_Comm comm)
{
    double *u = own_memory(n * m * sizeof(double));
    double *b = (double *)own_memory(m * sizeof(double));
    MPI_Request request;
    if (!u || !b)
        return 0;
    for (int i = 0; i < n * m; i++)
        u[i] = i;
    for (int j = 0; j < m; j++)
        b[j] = u[j * n];
    MPI_Isend(b, m, MPI_DOUBLE, to, tag, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    double sum = u[0] + u[n * m - 1];
    free(u);
    free(b);
    return sum;
}

void with_a_pool(int n, int m, int to, int tag, MPI_Comm comm)
{
    double *u = from_the_pool(n * m), *b = from_the_pool(m);
    for (int i = 0; i < n * m; i++)
        u[i] = i;
    for (int j = 0; j < m; j++)
        b[j] = u[j * n];
    MPI_Send(b, m, MPI_DOUBLE, to, tag, comm);
}

void with_known_memory(int n, int m, int to, int tag, MPI_Comm comm)
{
    double *u = known_memory(n * m), *b = last_memory;
    for (int j = 0; j < m; j++)
        b[j] = u[j * n];
    MPI_Send(b, m, MPI_DOUBLE, to, tag, comm);
}

/* run:
SEND(6, MPI_DOUBLE, with_own_memory(5, 6, PEER, TAG, COMM));
*/
