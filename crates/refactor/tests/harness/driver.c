#include "driver.h"

int RANK, PEER, TAG = 7;
MPI_Comm COMM;
MPI_Fint F_COMM;
int case_value;
static FILE *out;

void cases_of_c(void);
void cases_of_cpp(void);
void cases_of_fortran(void);

void case_begin(const char *name)
{
    MPI_Barrier(COMM);
    case_value = 1 + 5000 * RANK;
    fprintf(out, "case %s\n", name);
    fflush(out);
}

void case_end(void)
{
    int left = 0;
    MPI_Barrier(COMM);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, COMM, &left, MPI_STATUS_IGNORE);
    if (left)
        fprintf(out, "WRONG: a message is left\n");
}

void case_bytes(void *to, size_t bytes)
{
    unsigned char *at = to;
    for (size_t i = 0; i < bytes; i++)
        at[i] = (unsigned char)((i * 37 + (i >> 8) * 11 + 5 + 101 * RANK) % 251);
}

void case_show(const char *name, const void *at, size_t bytes)
{
    const unsigned char *from = at;
    fprintf(out, "%s:", name);
    for (size_t i = 0; i < bytes; i++)
        fprintf(out, i % 8 ? "%02x" : " %02x", from[i]);
    fprintf(out, "\n");
}

void case_take(int count, MPI_Datatype of)
{
    MPI_Status status;
    int size, got;
    MPI_Type_size(of, &size);
    unsigned char *buffer = calloc((size_t)count + 8, (size_t)size);
    MPI_Recv(buffer, count + 8, of, PEER, MPI_ANY_TAG, COMM, &status);
    MPI_Get_count(&status, of, &got);
    if (got != count)
        fprintf(out, "WRONG: %d elements came, not %d\n", got, count);
    case_show("taken", buffer, (size_t)count * (size_t)size);
    free(buffer);
}

void case_give(int count, MPI_Datatype of)
{
    int size;
    MPI_Type_size(of, &size);
    unsigned char *buffer = malloc((size_t)count * (size_t)size + 1);
    case_bytes(buffer, (size_t)count * (size_t)size);
    MPI_Send(buffer, count, of, PEER, TAG, COMM);
    free(buffer);
}

int main(int argc, char **argv)
{
    char name[4096];
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &COMM);
    F_COMM = MPI_Comm_c2f(COMM);
    MPI_Comm_rank(COMM, &RANK);
    MPI_Comm_size(COMM, &size);
    PEER = 1 - RANK;
    snprintf(name, sizeof name, "%s.%d", argv[1], RANK);
    out = fopen(name, "w");
    if (size != 2 || !out)
        MPI_Abort(COMM, 1);
    cases_of_c();
    cases_of_cpp();
    cases_of_fortran();
    fprintf(out, "end\n");
    fclose(out);
    MPI_Comm_free(&COMM);
    MPI_Finalize();
    return 0;
}
