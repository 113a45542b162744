/* Runs generated procedures with an MPI of its own, in one process, that does what the standard
   allows at its worst: a send that is pending reads its memory when it is completed, a receive
   writes to its memory as soon as it is posted (mode e), or not before it is completed (mode l).
   The library packs and unpacks. Communicators seem to have three processes, of which the
   procedure is the first, and then the second one. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 64
enum { SIZE = 512, LIST = 64, PROCESSES = 3 };

typedef struct {
    int is_open, is_send, tag, count;
    /* Of a persistent request, which stays when it is complete. */
    int stays, is_active;
    void *buffer;
    MPI_Datatype type;
    unsigned message;
} pending;

static pending all[MOST];
static uint64_t hash;
static unsigned messages;
static int is_early, in_use, rank;
static void *bottom_of_fortran;

void campaign_bottom_(void);
void campaign_set_bottom_(void *at) { bottom_of_fortran = at; }

static void note(const void *at, size_t bytes)
{
    const unsigned char *from = at;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ from[i]) * 1099511628211u;
}

static int bytes_of(int count, MPI_Datatype type)
{
    int size;
    PMPI_Type_size(type, &size);
    return count * size;
}

static void fail(const char *what)
{
    printf("WRONG %s\n", what);
    fflush(stdout);
    exit(1);
}

/* By messages to oneself: MPI_Pack of some libraries does not take MPI_BOTTOM. */
static void sent(const void *buffer, int count, MPI_Datatype type, int tag)
{
    static char packed[1 << 20];
    int bytes = bytes_of(count, type);
    if (bytes > (int)sizeof packed)
        fail("too long");
    PMPI_Sendrecv(buffer, count, type, 0, 0, packed, bytes, MPI_BYTE, 0, 0, MPI_COMM_SELF,
                  MPI_STATUS_IGNORE);
    note(&bytes, sizeof bytes);
    note(&tag, sizeof tag);
    note(packed, (size_t)bytes);
}

static void arrived(void *buffer, int count, MPI_Datatype type, unsigned message)
{
    static double values[1 << 14];
    int bytes = bytes_of(count, type);
    if (bytes > (int)sizeof values)
        fail("too long");
    for (int i = 0; i < bytes / 8 + 1; i++)
        values[i % (1 << 14)] = 1000.0 * message + i;
    PMPI_Sendrecv(values, bytes, MPI_BYTE, 0, 0, buffer, count, type, 0, 0, MPI_COMM_SELF,
                  MPI_STATUS_IGNORE);
}

static void start(int at)
{
    if (at <= 0 || at >= MOST || !all[at].is_open || all[at].is_active)
        fail("start");
    pending *p = &all[at];
    p->is_active = 1;
    if (!p->is_send) {
        p->message = messages++;
        if (is_early)
            arrived(p->buffer, p->count, p->type, p->message);
    }
}

static int prepare(int is_send, void *buffer, int count, MPI_Datatype type, int tag, int stays)
{
    int at = 1;
    while (at < MOST && all[at].is_open)
        at++;
    if (at == MOST)
        fail("requests");
    pending *p = &all[at];
    *p = (pending){1, is_send, tag, count, stays, 0, buffer, MPI_DATATYPE_NULL, 0};
    PMPI_Type_dup(type, &p->type);
    in_use++;
    return at;
}

static int post(int is_send, void *buffer, int count, MPI_Datatype type, int tag)
{
    int at = prepare(is_send, buffer, count, type, tag, 0);
    start(at);
    return at;
}

static void release(int at)
{
    PMPI_Type_free(&all[at].type);
    all[at].is_open = 0;
    in_use--;
}

/* Whether the request is still there. */
static int complete(int at)
{
    if (at <= 0 || at >= MOST || !all[at].is_open)
        return 0;
    pending *p = &all[at];
    if (p->is_active && p->is_send)
        sent(p->buffer, p->count, p->type, p->tag);
    else if (p->is_active && !is_early)
        arrived(p->buffer, p->count, p->type, p->message);
    p->is_active = 0;
    if (!p->stays)
        release(at);
    return p->stays;
}

static int slot(MPI_Request r) { return (int)(intptr_t)r; }
static MPI_Request request(int at) { return (MPI_Request)(intptr_t)at; }

int MPI_Send(const void *b, int n, MPI_Datatype t, int d, int tag, MPI_Comm c)
{
    (void)d, (void)c;
    sent(b, n, t, tag);
    return MPI_SUCCESS;
}

int MPI_Recv(void *b, int n, MPI_Datatype t, int s, int tag, MPI_Comm c, MPI_Status *status)
{
    (void)tag, (void)c, (void)status;
    if (s != MPI_PROC_NULL)
        arrived(b, n, t, messages++);
    return MPI_SUCCESS;
}

int MPI_Isend(const void *b, int n, MPI_Datatype t, int d, int tag, MPI_Comm c, MPI_Request *r)
{
    (void)d, (void)c;
    *r = request(post(1, (void *)b, n, t, tag));
    return MPI_SUCCESS;
}

int MPI_Irecv(void *b, int n, MPI_Datatype t, int s, int tag, MPI_Comm c, MPI_Request *r)
{
    (void)c;
    *r = request(post(0, b, s == MPI_PROC_NULL ? 0 : n, t, tag));
    return MPI_SUCCESS;
}

int MPI_Wait(MPI_Request *r, MPI_Status *status)
{
    (void)status;
    if (*r == MPI_REQUEST_NULL || !complete(slot(*r)))
        *r = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

int MPI_Send_init(const void *b, int n, MPI_Datatype t, int d, int tag, MPI_Comm c, MPI_Request *r)
{
    (void)d, (void)c;
    *r = request(prepare(1, (void *)b, n, t, tag, 1));
    return MPI_SUCCESS;
}

int MPI_Recv_init(void *b, int n, MPI_Datatype t, int s, int tag, MPI_Comm c, MPI_Request *r)
{
    (void)c;
    *r = request(prepare(0, b, s == MPI_PROC_NULL ? 0 : n, t, tag, 1));
    return MPI_SUCCESS;
}

int MPI_Start(MPI_Request *r)
{
    start(slot(*r));
    return MPI_SUCCESS;
}

int MPI_Request_free(MPI_Request *r)
{
    complete(slot(*r));
    release(slot(*r));
    *r = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm c, int *size)
{
    (void)c;
    *size = PROCESSES;
    return MPI_SUCCESS;
}

int MPI_Comm_rank(MPI_Comm c, int *of)
{
    (void)c;
    *of = rank;
    return MPI_SUCCESS;
}

int MPI_Bcast(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    (void)c;
    if (rank == root)
        sent(b, n, t, 21);
    else
        arrived(b, n, t, messages++);
    return MPI_SUCCESS;
}

int MPI_Gather(const void *b, int n, MPI_Datatype t, void *to, int m, MPI_Datatype u, int root,
               MPI_Comm c)
{
    (void)c;
    sent(b, n, t, 22);
    if (rank == root)
        arrived(to, PROCESSES * m, u, messages++);
    return MPI_SUCCESS;
}

int MPI_Scatter(const void *b, int n, MPI_Datatype t, void *to, int m, MPI_Datatype u, int root,
                MPI_Comm c)
{
    (void)c;
    if (rank == root)
        sent(b, PROCESSES * n, t, 23);
    arrived(to, m, u, messages++);
    return MPI_SUCCESS;
}

int MPI_Allgather(const void *b, int n, MPI_Datatype t, void *to, int m, MPI_Datatype u, MPI_Comm c)
{
    (void)c;
    sent(b, n, t, 24);
    arrived(to, PROCESSES * m, u, messages++);
    return MPI_SUCCESS;
}

/* In mode e all arrives before anything is sent. */
int MPI_Alltoall(const void *b, int n, MPI_Datatype t, void *to, int m, MPI_Datatype u, MPI_Comm c)
{
    (void)c;
    if (!is_early)
        sent(b, PROCESSES * n, t, 25);
    arrived(to, PROCESSES * m, u, messages++);
    if (is_early)
        sent(b, PROCESSES * n, t, 25);
    return MPI_SUCCESS;
}

int MPI_Waitall(int n, MPI_Request r[], MPI_Status status[])
{
    (void)status;
    for (int i = 0; i < n; i++)
        MPI_Wait(&r[i], MPI_STATUS_IGNORE);
    return MPI_SUCCESS;
}

/* While one part is read, the other one arrives. */
int MPI_Sendrecv(const void *b, int n, MPI_Datatype t, int d, int tag, void *to, int m,
                 MPI_Datatype u, int s, int from, MPI_Comm c, MPI_Status *status)
{
    MPI_Request r[2];
    MPI_Irecv(to, m, u, s, from, c, &r[0]);
    MPI_Isend(b, n, t, d, tag, c, &r[1]);
    return MPI_Waitall(2, r, status);
}

static void *place(void *b) { return b == bottom_of_fortran ? MPI_BOTTOM : b; }

void mpi_send_(void *b, MPI_Fint *n, MPI_Fint *t, MPI_Fint *d, MPI_Fint *tag, MPI_Fint *c, MPI_Fint *e)
{
    (void)d, (void)c;
    sent(place(b), *n, PMPI_Type_f2c(*t), *tag);
    *e = 0;
}

void mpi_recv_(void *b, MPI_Fint *n, MPI_Fint *t, MPI_Fint *s, MPI_Fint *tag, MPI_Fint *c, MPI_Fint *st,
               MPI_Fint *e)
{
    (void)tag, (void)c, (void)st;
    if (*s != MPI_PROC_NULL)
        arrived(place(b), *n, PMPI_Type_f2c(*t), messages++);
    *e = 0;
}

void mpi_isend_(void *b, MPI_Fint *n, MPI_Fint *t, MPI_Fint *d, MPI_Fint *tag, MPI_Fint *c, MPI_Fint *r,
                MPI_Fint *e)
{
    (void)d, (void)c;
    *r = post(1, place(b), *n, PMPI_Type_f2c(*t), *tag);
    *e = 0;
}

void mpi_irecv_(void *b, MPI_Fint *n, MPI_Fint *t, MPI_Fint *s, MPI_Fint *tag, MPI_Fint *c, MPI_Fint *r,
                MPI_Fint *e)
{
    (void)s, (void)c;
    *r = post(0, place(b), *n, PMPI_Type_f2c(*t), *tag);
    *e = 0;
}

void mpi_wait_(MPI_Fint *r, MPI_Fint *st, MPI_Fint *e)
{
    (void)st;
    if (!complete(*r))
        *r = 0;
    *e = 0;
}

void mpi_send_init_(void *b, MPI_Fint *n, MPI_Fint *t, MPI_Fint *d, MPI_Fint *tag, MPI_Fint *c,
                    MPI_Fint *r, MPI_Fint *e)
{
    (void)d, (void)c;
    *r = prepare(1, place(b), *n, PMPI_Type_f2c(*t), *tag, 1);
    *e = 0;
}

void mpi_recv_init_(void *b, MPI_Fint *n, MPI_Fint *t, MPI_Fint *s, MPI_Fint *tag, MPI_Fint *c,
                    MPI_Fint *r, MPI_Fint *e)
{
    (void)s, (void)c;
    *r = prepare(0, place(b), *n, PMPI_Type_f2c(*t), *tag, 1);
    *e = 0;
}

void mpi_start_(MPI_Fint *r, MPI_Fint *e)
{
    start(*r);
    *e = 0;
}

void mpi_request_free_(MPI_Fint *r, MPI_Fint *e)
{
    complete(*r);
    release(*r);
    *r = 0;
    *e = 0;
}

void mpi_comm_size_(MPI_Fint *c, MPI_Fint *size, MPI_Fint *e)
{
    (void)c;
    *size = PROCESSES;
    *e = 0;
}

void mpi_comm_rank_(MPI_Fint *c, MPI_Fint *of, MPI_Fint *e)
{
    (void)c;
    *of = rank;
    *e = 0;
}

void mpi_bcast_(void *b, MPI_Fint *n, MPI_Fint *t, MPI_Fint *root, MPI_Fint *c, MPI_Fint *e)
{
    (void)c;
    *e = MPI_Bcast(place(b), *n, PMPI_Type_f2c(*t), *root, MPI_COMM_SELF);
}

void mpi_alltoall_(void *b, MPI_Fint *n, MPI_Fint *t, void *to, MPI_Fint *m, MPI_Fint *u,
                   MPI_Fint *c, MPI_Fint *e)
{
    (void)c;
    *e = MPI_Alltoall(place(b), *n, PMPI_Type_f2c(*t), place(to), *m, PMPI_Type_f2c(*u),
                      MPI_COMM_SELF);
}

void mpi_waitall_(MPI_Fint *n, MPI_Fint *r, MPI_Fint *st, MPI_Fint *e)
{
    for (int i = 0; i < *n; i++)
        mpi_wait_(&r[i], st, e);
}

typedef double procedure(double *, double *, int *, int, int, int, MPI_Comm);
typedef void subroutine(double *, double *, int *, int *, int *, int *, MPI_Fint *, double *);
extern const struct { int number; procedure *c; subroutine *fortran; } procedures[];
/* What programs have outside of their procedures. */
double campaign_globals[64];
double campaign_common_[64];

int main(int argc, char **argv)
{
    static const int sizes[][2] = {{5, 3}, {0, 2}, {8, 0}, {1, 4}, {7, 7}};
    static double u[SIZE], v[SIZE];
    static int list[LIST];
    MPI_Init(&argc, &argv);
    is_early = argc > 1 && argv[1][0] == 'e';
    campaign_bottom_();
    MPI_Fint comm = MPI_Comm_c2f(MPI_COMM_SELF);
    for (int p = 0; procedures[p].number >= 0; p++) {
        for (int i = 0; i < 64; i++)
            campaign_globals[i] = campaign_common_[i] = 0.25 + i;
        for (unsigned s = 0; s < 2 * (sizeof sizes / sizeof *sizes); s++) {
            int n = sizes[s / 2][0], m = sizes[s / 2][1], peer = 0;
            double t = 0;
            for (int i = 0; i < SIZE; i++)
                u[i] = 1 + i + 0.5 * s, v[i] = -1 - i;
            for (int i = 0; i < LIST; i++)
                list[i] = (i * 7 + 3) % LIST;
            hash = 14695981039346656037u;
            messages = 1;
            rank = s % 2;
            printf("%d ", procedures[p].number);
            fflush(stdout);
            if (procedures[p].c)
                t = procedures[p].c(u, v, list, n, m, peer, MPI_COMM_SELF);
            else
                procedures[p].fortran(u, v, list, &n, &m, &peer, &comm, &t);
            if (in_use)
                fail("a request is left");
            note(u, sizeof u);
            note(v, sizeof v);
            note(list, sizeof list);
            note(&t, sizeof t);
            note(campaign_globals, sizeof campaign_globals);
            note(campaign_common_, sizeof campaign_common_);
            printf("%d %d %016llx\n", n, m, (unsigned long long)hash);
        }
    }
    MPI_Finalize();
    return 0;
}
