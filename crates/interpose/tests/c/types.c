/* Life and death of types: LIVE (an environment variable) at once, types freed while messages with them are under way, handles
 * that come back with another meaning, types made in one thread and used in another, work between fork
 * and exec. Two ranks; prints what went wrong, and by what memory grew each time the types were made again. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PENDING = 64, N = 500, ROUNDS = 2000, TIMES = 4 };

static int rank, live;
static long wrong;

static long resident(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%*d %ld", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return pages * sysconf(_SC_PAGESIZE) / 1024;
}

static MPI_Datatype vector(int n, int block, int stride)
{
    MPI_Datatype type;
    MPI_Type_vector(n, block, stride, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

static void expect(int is, int should, const char *what, int i)
{
    if (is != should && wrong++ == 0)
        printf("rank %d: %s: int %d is %d, should be %d\n", rank, what, i, is, should);
}

/* Every int inside the blocks is from `in`, every other -1. */
static void check(const int *data, int n, int block, int stride, int base, const char *what)
{
    for (int i = 0; i < n * stride; i++)
        expect(data[i], i % stride < block ? base + i : -1, what, i);
}

static void fill(int *data, int n, int base)
{
    for (int i = 0; i < n; i++)
        data[i] = base + i;
}

/* Many types that live at once, each used in a message to the rank itself. */
static void many(MPI_Datatype *types)
{
    int out[64], in[64];
    for (int t = 0; t < live; t++) {
        int block = 1 + t % 3, stride = 4 + t % 5, n = 3 + t % 4;
        types[t] = vector(n, block, stride);
        fill(out, 64, t);
        memset(in, -1, sizeof in);
        MPI_Sendrecv(out, 1, types[t], rank, 1, in, 1, types[t], rank, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        check(in, n, block, stride, t, "many types");
    }
    for (int t = 0; t < live; t++)
        MPI_Type_free(&types[t]);
}

/* Types are freed as soon as a call has returned, and others get their handles. */
static void pending(void)
{
    static int out[PENDING][8 * N], in[PENDING][8 * N];
    MPI_Request requests[2 * PENDING];
    for (int i = 0; i < PENDING; i++) {
        fill(out[i], 8 * N, 1000 * i + rank);
        memset(in[i], -1, sizeof in[i]);
        MPI_Datatype type = vector(N, 1 + i % 3, 4 + i % 4);
        MPI_Irecv(in[i], 1, type, 1 - rank, i, MPI_COMM_WORLD, &requests[2 * i]);
        MPI_Type_free(&type);
        type = vector(N, 1 + i % 3, 4 + i % 4);
        MPI_Isend(out[i], 1, type, 1 - rank, i, MPI_COMM_WORLD, &requests[2 * i + 1]);
        MPI_Type_free(&type);
        type = vector(3, 2, 5);
        MPI_Type_free(&type);
    }
    MPI_Waitall(2 * PENDING, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < PENDING; i++)
        check(in[i], N, 1 + i % 3, 4 + i % 4, 1000 * i + 1 - rank, "types freed while pending");
}

/* One thread makes and frees types, the other uses them: the same handles mean something else each time. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static MPI_Datatype handed;
static int full;

static void *user(void *unused)
{
    (void)unused;
    int *out = malloc(8 * N * sizeof(int)), *in = malloc(8 * N * sizeof(int));
    for (int round = 0; round < ROUNDS; round++) {
        pthread_mutex_lock(&mutex);
        while (!full)
            pthread_cond_wait(&changed, &mutex);
        int block = 1 + round % 3, stride = 4 + round % 4;
        fill(out, 8 * N, round);
        memset(in, -1, 8 * N * sizeof(int));
        MPI_Sendrecv(out, 1, handed, rank, 2, in, 1, handed, rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(in, N, block, stride, round, "types of another thread");
        full = 0;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&mutex);
    }
    free(out);
    free(in);
    return NULL;
}

static void handover(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, user, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        pthread_mutex_lock(&mutex);
        while (full)
            pthread_cond_wait(&changed, &mutex);
        if (round > 0)
            MPI_Type_free(&handed);
        handed = vector(N, 1 + round % 3, 4 + round % 4);
        full = 1;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&mutex);
    }
    pthread_join(thread, NULL);
    MPI_Type_free(&handed);
}

/* Children that run other programs, with the preload in their environment, and children that just end. */
static void children(void)
{
    char *const arguments[] = {"true", NULL};
    for (int i = 0; i < 4; i++) {
        pid_t child = fork();
        if (child == 0) {
            if (i % 2)
                execvp(arguments[0], arguments);
            free(malloc(1000000));
            _exit(0);
        }
        int status = -1;
        waitpid(child, &status, 0);
        expect(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0, "a child", i);
        pending();
    }
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    live = getenv("LIVE") ? atoi(getenv("LIVE")) : 1000;
    MPI_Datatype *types = malloc(live * sizeof *types);
    /* Allocators give memory back when they like; a leak shows every time. */
    long before = 0, grown = 1L << 40;
    for (int i = 0; i < TIMES; i++) {
        many(types);
        long now = resident();
        if (i > 0 && now - before < grown)
            grown = now - before;
        before = now;
    }
    free(types);
    for (int i = 0; i < 20; i++)
        pending();
    if (provided >= MPI_THREAD_SERIALIZED)
        handover();
    children();
    printf("rank %d: %ld wrong, %ld kB more\n", rank, wrong, grown);
    MPI_Finalize();
    return 0;
}
