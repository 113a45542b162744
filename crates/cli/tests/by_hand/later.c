/* Patterns that were written when nothing more was tuned on the others: functions between the beginning and the end of
   patterns.c. The words before a function mean what they mean there. */

/* Blocks in the opposite order. */
/* expect: MPI_Gatherv */
static void gather_reversed(void)
{
    fill(a, N);
    if (rank == 0)
        memcpy(b + (size - 1) * N, a, N * 8);
    /* one call: BLOCK = a; BLOCKS = b */
    if (rank == 0)
        for (int i = 1; i < size; i++)
            MPI_Recv(b + (size - 1 - i) * N, N, MPI_DOUBLE, i, 301, WORLD, IGNORE);
    else
        MPI_Send(a, N, MPI_DOUBLE, 0, 301, WORLD);
    /* to here */
    if (rank == 0)
        look(b, N * size * 8);
}

/* Numbers that arrive as bytes. */
/* expect: MPI_Allgather */
static void allgather_bytes(void)
{
    MPI_Request all[2 * MOST];
    int n = 0;
    fill(b + rank * N, N);
    /* one call: BLOCKS = b */
    for (int i = 0; i < size; i++)
        if (i != rank) {
            MPI_Irecv((char *)(b + i * N), N * 8, MPI_BYTE, i, 302, WORLD, &all[n++]);
            MPI_Isend(b + rank * N, N, MPI_DOUBLE, i, 302, WORLD, &all[n++]);
        }
    MPI_Waitall(n, all, MPI_STATUSES_IGNORE);
    /* to here */
    look(b, N * size * 8);
}

/* A row becomes a column of everybody else. */
/* expect: any */
static void bcast_into_column(void)
{
    MPI_Datatype column;
    MPI_Type_vector(N, 1, 2, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    fill(a, rank ? 0 : N);
    /* one call: BUFFER = a */
    if (rank == 0)
        for (int i = 1; i < size; i++)
            MPI_Send(a, N, MPI_DOUBLE, i, 303, WORLD);
    else
        MPI_Recv(b, 1, column, 0, 303, WORLD, IGNORE);
    /* to here */
    if (rank)
        for (int i = 0; i < N; i++)
            look(b + 2 * i, 8);
    look(a, N * 8);
    MPI_Type_free(&column);
}

/* Some blocks are empty. */
/* expect: any */
static void alltoall_some(void)
{
    MPI_Request all[2 * MOST];
    int n = 0;
    fill(a, N * size);
    memcpy(b + rank * N, a + rank * N, N * 8);
    /* one call: SEND = a; RECEIVE = b */
    for (int i = 0; i < size; i++)
        if (i != rank) {
            int in = (i + rank) % 3 ? N : 0;
            MPI_Irecv(b + i * N, in, MPI_DOUBLE, i, 304, WORLD, &all[n++]);
            MPI_Isend(a + i * N, in, MPI_DOUBLE, i, 304, WORLD, &all[n++]);
        }
    MPI_Waitall(n, all, MPI_STATUSES_IGNORE);
    /* to here */
    look(b, N * size * 8);
}

/* expect: any */
static void reduce_least(void)
{
    int *x = (int *)a, *y = (int *)t;
    for (int i = 0; i < N; i++)
        x[i] = (int)number() - 500000;
    /* one call: BUFFER = x */
    if (rank < size - 1) {
        MPI_Recv(y, N, MPI_INT, rank + 1, 305, WORLD, IGNORE);
        for (int i = 0; i < N; i++)
            x[i] = y[i] < x[i] ? y[i] : x[i];
    }
    if (rank > 0)
        MPI_Send(x, N, MPI_INT, rank - 1, 305, WORLD);
    /* to here */
    if (rank == 0)
        look(x, N * 4);
    rest();
}

/* Products of matrices: no operation of MPI. */
/* expect: silent */
static void matrices(void)
{
    fill(a, 4);
    /* one call: BUFFER = a */
    if (rank < size - 1) {
        MPI_Recv(t, 4, MPI_DOUBLE, rank + 1, 306, WORLD, IGNORE);
        double m[4] = {a[0] * t[0] + a[1] * t[2], a[0] * t[1] + a[1] * t[3],
                       a[2] * t[0] + a[3] * t[2], a[2] * t[1] + a[3] * t[3]};
        memcpy(a, m, sizeof m);
    }
    if (rank > 0)
        MPI_Send(a, 4, MPI_DOUBLE, rank - 1, 306, WORLD);
    /* to here */
    if (rank == 0)
        look(a, 32);
    rest();
}

/* expect: any */
static void scan_exclusive(void)
{
    fill(a, N);
    memset(b, 0, sizeof b);
    /* one call: OWN = a; BEFORE = b */
    if (rank > 0)
        MPI_Recv(b, N, MPI_DOUBLE, rank - 1, 307, WORLD, IGNORE);
    for (int i = 0; i < N; i++)
        t[i] = a[i] + b[i];
    if (rank < size - 1)
        MPI_Send(t, N, MPI_DOUBLE, rank + 1, 307, WORLD);
    /* to here */
    look(b, N * 8);
    rest();
}

/* Both halves come from other roots, by the same line. */
/* expect: any */
static void bcast_halves(void)
{
    fill(a, N);
    for (int half = 0; half < 2; half++) {
        int root = half ? size - 1 : 0;
        /* one call: BUFFER = a + half * (N / 2) */
        if (rank == root) {
            for (int i = 0; i < size; i++)
                if (i != root)
                    MPI_Send(a + half * (N / 2), N / 2, MPI_DOUBLE, i, 308, WORLD);
        } else
            MPI_Recv(a + half * (N / 2), N / 2, MPI_DOUBLE, root, 308, WORLD, IGNORE);
        /* to here */
    }
    look(a, N * 8);
}

/* Odd and even steps have other memory. */
/* expect: MPI_Bcast */
static void bcast_two_buffers(void)
{
    double *x = step % 2 ? a : b;
    fill(x, rank ? 0 : N);
    /* one call: BUFFER = x */
    if (rank == 0)
        for (int i = 1; i < size; i++)
            MPI_Send(x, N, MPI_DOUBLE, i, 309, WORLD);
    else
        MPI_Recv(x, N, MPI_DOUBLE, 0, 309, WORLD, IGNORE);
    /* to here */
    look(a, N * 8);
    look(b, N * 8);
}

/* Gaps between the blocks of the root. */
/* expect: any */
static void scatter_with_gaps(void)
{
    enum { HALF = N / 2 };
    if (rank == 0)
        fill(b, N * size);
    /* one call: BLOCKS = b; BLOCK = a */
    if (rank == 0)
        for (int i = 1; i < size; i++)
            MPI_Send(b + i * N, HALF, MPI_DOUBLE, i, 310, WORLD);
    else
        MPI_Recv(a, HALF, MPI_DOUBLE, 0, 310, WORLD, IGNORE);
    /* to here */
    look(a, HALF * 8);
    look(b, N * size * 8);
}

/* Each tells its neighbour, and nobody else. */
/* expect: any */
static void pairs(void)
{
    int other = rank ^ 1;
    fill(a, N);
    if (other < size)
        /* one call: SEND = a; RECEIVE = t */
        MPI_Sendrecv(a, N, MPI_DOUBLE, other, 311, t, N, MPI_DOUBLE, other, 311, WORLD, IGNORE);
        /* to here */
    look(t, N * 8);
}

/* powers of two; expect: any */
static void allreduce_bits(void)
{
    unsigned *x = (unsigned *)a, *y = (unsigned *)t;
    for (int i = 0; i < N; i++)
        x[i] = 1u << (number() % 32);
    /* one call: BUFFER = x */
    for (int bit = 1; bit < size; bit <<= 1) {
        MPI_Sendrecv(x, N, MPI_UNSIGNED, rank ^ bit, 312, y, N, MPI_UNSIGNED, rank ^ bit, 312, WORLD,
                     IGNORE);
        for (int i = 0; i < N; i++)
            x[i] |= y[i];
    }
    /* to here */
    look(x, N * 4);
    rest();
}

/* powers of two; expect: any */
static void allreduce_agreed(void)
{
    int *x = (int *)a, *y = (int *)t;
    for (int i = 0; i < N; i++)
        x[i] = number() % 8 != 0;
    /* one call: BUFFER = x */
    for (int bit = 1; bit < size; bit <<= 1) {
        MPI_Sendrecv(x, N, MPI_INT, rank ^ bit, 313, y, N, MPI_INT, rank ^ bit, 313, WORLD, IGNORE);
        for (int i = 0; i < N; i++)
            x[i] = x[i] && y[i];
    }
    /* to here */
    look(x, N * 4);
    rest();
}

/* Each is the root once. */
/* expect: any */
static void allgather_by_roots(void)
{
    fill(b + rank * N, N);
    /* one call: BLOCKS = b */
    for (int root = 0; root < size; root++)
        if (rank == root) {
            for (int i = 0; i < size; i++)
                if (i != root)
                    MPI_Send(b + root * N, N, MPI_DOUBLE, i, 314, WORLD);
        } else
            MPI_Recv(b + root * N, N, MPI_DOUBLE, root, 314, WORLD, IGNORE);
    /* to here */
    look(b, N * size * 8);
}

/* Half of what comes is added: no sum. */
/* powers of two; expect: silent */
static void smooth(void)
{
    fill(a, N);
    /* one call: BUFFER = a */
    for (int bit = 1; bit < size; bit <<= 1) {
        MPI_Sendrecv(a, N, MPI_DOUBLE, rank ^ bit, 315, t, N, MPI_DOUBLE, rank ^ bit, 315, WORLD,
                     IGNORE);
        for (int i = 0; i < N; i++)
            a[i] = a[i] * 0.5 + t[i] * 0.5;
    }
    /* to here */
    look(a, N * 8);
    rest();
}

/* A sum but for what is cut off, which happens in the last step alone. */
/* powers of two; expect: withheld */
static void capped(void)
{
    fill(a, N);
    if (step == STEPS - 1)
        a[N / 2] = 3999999;
    /* one call: BUFFER = a */
    for (int bit = 1; bit < size; bit <<= 1) {
        MPI_Sendrecv(a, N, MPI_DOUBLE, rank ^ bit, 316, t, N, MPI_DOUBLE, rank ^ bit, 316, WORLD,
                     IGNORE);
        for (int i = 0; i < N; i++)
            a[i] = a[i] + t[i] < 4000000 ? a[i] + t[i] : 4000000;
    }
    /* to here */
    look(a, N * 8);
    rest();
}

/* The greatest number and who has it. */
/* expect: any */
static void greatest_and_whose(void)
{
    struct {
        double value;
        int rank;
    } own = {number(), rank}, other;
    memset((char *)&own + 12, 0, 4);
    /* one call: BUFFER = &own */
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            MPI_Recv(&other, 1, MPI_DOUBLE_INT, i, 317, WORLD, IGNORE);
            if (other.value > own.value)
                own.value = other.value, own.rank = other.rank;
        }
        for (int i = 1; i < size; i++)
            MPI_Send(&own, 1, MPI_DOUBLE_INT, i, 318, WORLD);
    } else {
        MPI_Send(&own, 1, MPI_DOUBLE_INT, 0, 317, WORLD);
        MPI_Recv(&own, 1, MPI_DOUBLE_INT, 0, 318, WORLD, IGNORE);
    }
    /* to here */
    look(&own.value, 8);
    look(&own.rank, 4);
    rest();
}

/* Everybody adds one and passes on. */
/* expect: silent */
static void counted_on(void)
{
    fill(a, rank ? 0 : N);
    /* one call: BUFFER = a */
    if (rank > 0) {
        MPI_Recv(a, N, MPI_DOUBLE, rank - 1, 319, WORLD, IGNORE);
        for (int i = 0; i < N; i++)
            a[i] += 1;
    }
    if (rank < size - 1)
        MPI_Send(a, N, MPI_DOUBLE, rank + 1, 319, WORLD);
    /* to here */
    look(a, N * 8);
}

/* What is received in whatever order is put in its place. */
/* expect: MPI_Allreduce */
static void sums_as_they_come(void)
{
    MPI_Request all[MOST];
    fill(a, N);
    /* one call: BUFFER = a */
    if (rank == 0) {
        for (int i = 1; i < size; i++)
            MPI_Irecv(b + i * N, N, MPI_DOUBLE, i, 320, WORLD, &all[i - 1]);
        for (int i = 1; i < size; i++) {
            int which;
            MPI_Waitany(size - 1, all, &which, IGNORE);
            add(a, b + (which + 1) * N, N);
        }
        for (int i = 1; i < size; i++)
            MPI_Send(a, N, MPI_DOUBLE, i, 321, WORLD);
    } else {
        MPI_Send(a, N, MPI_DOUBLE, 0, 320, WORLD);
        MPI_Recv(a, N, MPI_DOUBLE, 0, 321, WORLD, IGNORE);
    }
    /* to here */
    look(a, N * 8);
    rest();
}

/* The root reads what it had before the others sent. */
/* expect: any */
static void reduce_and_compare(void)
{
    double before[4];
    fill(a, 4);
    memcpy(before, a, sizeof before);
    /* one call: BUFFER = a */
    if (rank == 0)
        for (int i = 1; i < size; i++) {
            MPI_Recv(t, 4, MPI_DOUBLE, i, 322, WORLD, IGNORE);
            add(a, t, 4);
        }
    else
        MPI_Send(a, 4, MPI_DOUBLE, 0, 322, WORLD);
    /* to here */
    look(a, 32);
    look(before, 32);
    rest();
}

/* Each sends its block, and gets the first one's into the same place: the send would come before a call, and nothing
   says so. */
/* expect: withheld */
static void swapped_for_the_first_ones(void)
{
    fill(a, N);
    /* one call: BUFFER = a; BLOCK = a; BLOCKS = b */
    if (rank == 0)
        for (int i = 1; i < size; i++)
            MPI_Sendrecv(a, N, MPI_DOUBLE, i, 1, b + i * N, N, MPI_DOUBLE, i, 2, WORLD, IGNORE);
    else
        MPI_Sendrecv_replace(a, N, MPI_DOUBLE, 0, 2, 0, 1, WORLD, IGNORE);
    /* to here */
    look(a, N * 8);
    if (rank == 0)
        look(b + N, N * (size - 1) * 8);
}
