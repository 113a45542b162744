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

enum { PENDING = 64, N = 500, ROUNDS = 2000, TIMES = 3 };

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

static int copies, deletions;

static int copy(MPI_Datatype type, int key, void *extra, void *in, void *out, int *flag)
{
    (void)type, (void)key, (void)extra;
    copies++;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete(MPI_Datatype type, int key, void *value, void *extra)
{
    (void)type, (void)key, (void)extra;
    deletions += *(int *)value;
    return MPI_SUCCESS;
}

/* Names, attributes of the program, and what a type was made of, on a type, its duplicate and its heirs. */
static void attributes(void)
{
    int out[64], in[64], key, flag, length, integers, addresses, types, combiner, five = 5;
    char name[MPI_MAX_OBJECT_NAME];
    void *value;
    MPI_Type_create_keyval(copy, delete, &key, NULL);
    MPI_Datatype type = vector(5, 2, 6), duplicate, heir;
    MPI_Type_set_attr(type, key, &five);
    MPI_Type_set_name(type, "the columns");
    for (int i = 0; i < 100; i++) {
        copies = deletions = 0;
        fill(out, 64, i);
        memset(in, -1, sizeof in);
        MPI_Type_dup(type, &duplicate);
        MPI_Type_contiguous(1, duplicate, &heir);
        MPI_Type_commit(&heir);
        MPI_Sendrecv(out, 1, duplicate, rank, 3, in, 1, heir, rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(in, 5, 2, 6, i, "a duplicate");
        MPI_Type_get_attr(duplicate, key, &value, &flag);
        expect(flag && value == &five, 1, "the attribute of the duplicate", i);
        MPI_Type_get_attr(heir, key, &value, &flag);
        expect(flag, 0, "the attribute of the heir", i);
        MPI_Type_get_name(type, name, &length);
        expect(strcmp(name, "the columns"), 0, "the name", i);
        MPI_Type_get_envelope(duplicate, &integers, &addresses, &types, &combiner);
        expect(combiner, MPI_COMBINER_DUP, "what the duplicate was made of", i);
        MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
        expect(combiner, MPI_COMBINER_VECTOR, "what the type was made of", i);
        MPI_Type_free(&duplicate);
        MPI_Type_free(&heir);
        expect(copies, 1, "copies of the attribute", i);
        expect(deletions, 5, "deletions of the attribute", i);
    }
    MPI_Type_free(&type);
    MPI_Type_free_keyval(&key);
}

/* Types that are asked for by precision belong to the library: nobody frees them. */
static void precisions(void)
{
    double real[40], got[40];
    long long integer[40], back[40];
    MPI_Datatype types[2], made[2];
    MPI_Type_create_f90_real(15, MPI_UNDEFINED, &types[0]);
    MPI_Type_create_f90_integer(15, &types[1]);
    for (int i = 0; i < 40; i++) {
        real[i] = i / 3.0, got[i] = -1;
        integer[i] = i * 1000000007LL, back[i] = -1;
    }
    for (int t = 0; t < 2; t++) {
        MPI_Type_vector(10, 1, 4, types[t], &made[t]);
        MPI_Type_commit(&made[t]);
    }
    for (int i = 0; i < 10; i++) {
        MPI_Sendrecv(real, 1, made[0], rank, 4, got, 1, made[0], rank, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(integer, 1, made[1], rank, 4, back, 1, made[1], rank, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 40; i++) {
        expect(got[i] == (i % 4 ? -1 : real[i]), 1, "a real", i);
        expect(back[i] == (i % 4 ? -1 : integer[i]), 1, "an integer", i);
    }
    for (int t = 0; t < 2; t++)
        MPI_Type_free(&made[t]);
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
    attributes();
    precisions();
    children();
    printf("rank %d: %ld wrong, %ld kB more\n", rank, wrong, grown);
    MPI_Finalize();
    return 0;
}
