/* Messages of each process to itself, out of memory of which a stand-in for a driver says that it is a GPU's, or not, and says
 * something else later: the same addresses are given to other memory. Each step has a layout of its own, so that the report
 * tells them apart. Prints how often the driver was asked in each. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { INTS = 1 << 12, ROWS = 200, STRIDE = 3, PLACES = 16, SMALL = STRIDE * (ROWS + 20) + PLACES, TIMES = 200 };

static int rank, wrong, came[ROWS + 20];
static void (*mark)(void *, size_t, int), (*forget)(void);
static int (*asked)(void);

/* Pages at this address, or anywhere. */
static int *pages(void *at)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0);
    int *memory = mmap(at, INTS * sizeof(int), PROT_READ | PROT_WRITE, flags, -1, 0);
    if (memory == MAP_FAILED)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < INTS; i++)
        memory[i] = 1000 * rank + i;
    return memory;
}

/* What was at the addresses of this memory is freed, and something else is there. */
static void again(int *memory)
{
    munmap(memory, INTS * sizeof(int));
    pages(memory);
}

static void step(const char *name, int rows, const int *memory)
{
    MPI_Datatype type;
    int before = asked();
    MPI_Type_vector(rows, 1, STRIDE, MPI_INT, &type);
    MPI_Type_commit(&type);
    for (int k = 0; k < TIMES; k++) {
        const int *from = memory + k % PLACES;
        for (int i = 0; i < rows; i++)
            came[i] = -1;
        MPI_Sendrecv(from, 1, type, 0, 0, came, rows, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        for (int i = 0; i < rows; i++)
            wrong += came[i] != from[STRIDE * i];
    }
    MPI_Type_free(&type);
    printf("rank %d: %s: %d questions for %d messages\n", rank, name, asked() - before, TIMES);
}

int main(int argc, char **argv)
{
    int stack[SMALL], *heap = malloc(sizeof stack), *memory, *other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    void *driver = dlopen(getenv("STANDIN"), RTLD_NOW | RTLD_LOCAL);
    if (!driver) {
        puts(dlerror());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    *(void **)&mark = dlsym(driver, "standin_mark");
    *(void **)&forget = dlsym(driver, "standin_forget");
    *(void **)&asked = dlsym(driver, "standin_asked");
    for (int i = 0; i < SMALL; i++)
        heap[i] = stack[i] = i;
    memory = pages(NULL);
    other = pages(NULL);

    step("pages of the host", ROWS, memory);
    step("the heap", ROWS + 1, heap);
    step("the stack", ROWS + 2, stack);
    /* Freed, and the driver has put memory of the GPU where the host's was. */
    again(memory);
    mark(memory, INTS * sizeof(int), 'd');
    step("the GPU's where the host's was", ROWS + 3, memory);
    /* And the other way round, while commloom remembers that it was the GPU's. */
    forget();
    again(memory);
    step("the host's where the GPU's was", ROWS + 4, memory);
    /* Until it meets another allocation. */
    mark(other, INTS * sizeof(int), 'd');
    step("another of the GPU", ROWS + 5, other);
    step("the host's again", ROWS + 6, memory);
    /* Two at once: only one is remembered. */
    mark(memory, INTS * sizeof(int), 'd');
    step("the GPU's again", ROWS + 7, memory);
    printf("rank %d: in all: %d wrong\n", rank, wrong);
    free(heap);
    MPI_Finalize();
    return 0;
}
