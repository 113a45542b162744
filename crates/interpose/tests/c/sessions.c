/* Sessions (MPI 4.1, section 11.3): "in-turn" one after the other, "overlapping", "both" together with the world model,
 * "after" beyond MPI_Finalize. Every life of the library makes its types anew, and every message is compared with what it
 * must be. With "leave" no type is ever freed. Prints a line for each life. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)

enum { ROWS = 300, STRIDE = 7, TYPES = 40, ROUNDS = 4 };

static int leave, wrong;
static int from[ROWS * STRIDE * 2], into[ROWS * STRIDE * 2];

struct life {
    MPI_Session session;
    MPI_Comm comm;
    int rank, size;
};

static void begin(struct life *life, const char *name)
{
    MPI_Group group;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &life->session);
    MPI_Group_from_session_pset(life->session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, name, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &life->comm);
    MPI_Group_free(&group);
    MPI_Comm_rank(life->comm, &life->rank);
    MPI_Comm_size(life->comm, &life->size);
}

static void end(struct life *life)
{
    MPI_Comm_free(&life->comm);
    MPI_Session_finalize(&life->session);
}

/* One of many layouts: handles of one life mean other layouts in the next. */
static MPI_Datatype layout(int which, int shift)
{
    MPI_Datatype type;
    MPI_Type_vector(ROWS - which, 1 + (which + shift) % 3, STRIDE, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

static void check(int which, int shift, int round, int sender)
{
    int block = 1 + (which + shift) % 3;
    for (int i = 0; i < ROWS * STRIDE; i++) {
        int inside = i / STRIDE < ROWS - which && i % STRIDE < block;
        if (into[i] != (inside ? 1000 * sender + 7 * i + round : -1))
            wrong++;
    }
}

static void fill(int rank, int round)
{
    for (int i = 0; i < ROWS * STRIDE; i++) {
        from[i] = 1000 * rank + 7 * i + round;
        into[i] = -1;
    }
}

/* Point to point, requests and a collective, each with every type. */
static void messages(MPI_Comm comm, int rank, int size, int shift)
{
    MPI_Datatype types[TYPES];
    int next = (rank + 1) % size, last = (rank + size - 1) % size;
    for (int i = 0; i < TYPES; i++)
        types[i] = layout(i, shift);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < TYPES; i++) {
            MPI_Request requests[2];
            fill(rank, round);
            if (round == 3) {
                if (rank == 0)
                    memcpy(into, from, sizeof into);
                MPI_Bcast(rank == 0 ? from : into, 1, types[i], 0, comm);
                if (rank != 0)
                    check(i, shift, round, 0);
                continue;
            }
            if (round == 0) {
                MPI_Sendrecv(from, 1, types[i], next, i, into, 1, types[i], last, i, comm, MPI_STATUS_IGNORE);
            } else if (round == 1) {
                MPI_Irecv(into, 1, types[i], last, i, comm, &requests[0]);
                MPI_Isend(from, 1, types[i], next, i, comm, &requests[1]);
                MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
            } else {
                MPI_Recv_init(into, 1, types[i], last, i, comm, &requests[0]);
                MPI_Send_init(from, 1, types[i], next, i, comm, &requests[1]);
                MPI_Startall(2, requests);
                MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
                MPI_Request_free(&requests[0]);
                MPI_Request_free(&requests[1]);
            }
            check(i, shift, round, last);
        }
    if (!leave)
        for (int i = 0; i < TYPES; i++)
            MPI_Type_free(&types[i]);
}

static void say(const char *what, int rank)
{
    printf("rank %d: %s: %d wrong\n", rank, what, wrong);
    fflush(stdout);
}

static void one_after_the_other(int lives)
{
    for (int k = 0; k < lives; k++) {
        struct life life;
        begin(&life, "one");
        messages(life.comm, life.rank, life.size, k);
        say("one after the other", life.rank);
        end(&life);
    }
}

static void overlapping(void)
{
    struct life a, b;
    begin(&a, "a");
    messages(a.comm, a.rank, a.size, 0);
    begin(&b, "b");
    messages(b.comm, b.rank, b.size, 1);
    /* A type outlives the session in which it was made, as long as the library lives. */
    MPI_Datatype type = layout(3, 2);
    end(&a);
    for (int round = 0; round < 3; round++) {
        int next = (b.rank + 1) % b.size, last = (b.rank + b.size - 1) % b.size;
        fill(b.rank, round);
        MPI_Sendrecv(from, 1, type, next, 0, into, 1, type, last, 0, b.comm, MPI_STATUS_IGNORE);
        check(3, 2, round, last);
    }
    MPI_Type_free(&type);
    messages(b.comm, b.rank, b.size, 2);
    say("overlapping", b.rank);
    end(&b);
}

static void with_the_world(int lasts)
{
    struct life life;
    int rank, size;
    begin(&life, "before");
    messages(life.comm, life.rank, life.size, 0);
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    messages(MPI_COMM_WORLD, rank, size, 1);
    if (lasts)
        end(&life);
    messages(MPI_COMM_WORLD, rank, size, 2);
    say("with the world", rank);
    MPI_Finalize();
    if (!lasts) {
        messages(life.comm, life.rank, life.size, 3);
        say("after the world", rank);
        end(&life);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    leave = argc > 2 && !strcmp(argv[2], "leave");
    if (!strcmp(what, "in-turn")) {
        one_after_the_other(3);
        overlapping();
        with_the_world(0);
        one_after_the_other(2);
    } else if (!strcmp(what, "overlapping")) {
        overlapping();
    } else if (!strcmp(what, "both")) {
        with_the_world(1);
    } else {
        with_the_world(0);
    }
    return 0;
}

#else

int main(void)
{
    puts("no sessions");
    return 0;
}

#endif
