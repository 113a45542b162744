/* The patterns that others tried `commloom detect` with, as far as patterns.c does not have them: functions between its
   beginning and its end. The words before a function mean what they mean there. */

/* expect: MPI_Bcast */
static void bcast_line(void)
{
    fill(a, rank ? 0 : N);
    /* one call: BUFFER = a */
    if (rank == 0)
        for (int i = 1; i < size; i++)
            MPI_Send(a, N, MPI_DOUBLE, i, 101, WORLD);
    else
        MPI_Recv(a, N, MPI_DOUBLE, 0, 101, WORLD, IGNORE);
    /* to here */
    look(a, N * 8);
}

/* A tag for each process; the root copies its own. */
/* expect: MPI_Gather */
static void gather_line(void)
{
    fill(a, N);
    if (rank == 0)
        memcpy(b, a, N * 8);
    /* one call: BLOCK = a; BLOCKS = b */
    if (rank == 0)
        for (int i = 1; i < size; i++)
            MPI_Recv(b + i * N, N, MPI_DOUBLE, i, 110 + i, WORLD, IGNORE);
    else
        MPI_Send(a, N, MPI_DOUBLE, 0, 110 + rank, WORLD);
    /* to here */
    look(b, N * size * 8);
}

/* expect: MPI_Scatter */
static void scatter_copied(void)
{
    if (rank == 0)
        fill(b, N * size);
    /* one call: BLOCKS = b; BLOCK = a */
    if (rank == 0)
        for (int i = 1; i < size; i++)
            MPI_Send(b + i * N, N, MPI_DOUBLE, i, 102, WORLD);
    else
        MPI_Recv(a, N, MPI_DOUBLE, 0, 102, WORLD, IGNORE);
    /* to here */
    if (rank == 0)
        memcpy(a, b, N * 8);
    look(a, N * 8);
}

/* Only the root uses what it has. */
/* expect: withheld */
static void reduce_tree_root(void)
{
    fill(a, N);
    /* one call: BUFFER = a */
    for (int bit = 1; bit < size; bit <<= 1) {
        if (rank & bit) {
            MPI_Send(a, N, MPI_DOUBLE, rank - bit, 103, WORLD);
            break;
        }
        if (rank + bit < size) {
            MPI_Recv(t, N, MPI_DOUBLE, rank + bit, 103, WORLD, IGNORE);
            add(a, t, N);
        }
    }
    /* to here */
    if (rank == 0)
        look(a, N * 8);
    rest();
}

static int cut(int part) { return N * part / size; }

/* expect: MPI_Allreduce */
static void allreduce_ring_floats(void)
{
    float *x = (float *)a, *y = (float *)t;
    for (int i = 0; i < N; i++)
        x[i] = number() & 0xff;
    /* one call: BUFFER = x */
    for (int k = 0; k < size - 1; k++) {
        int out = (rank - k + size) % size, in = (rank - k - 1 + size) % size;
        MPI_Sendrecv(x + cut(out), cut(out + 1) - cut(out), MPI_FLOAT, right(), 104, y,
                     cut(in + 1) - cut(in), MPI_FLOAT, left(), 104, WORLD, IGNORE);
        for (int i = 0; i < cut(in + 1) - cut(in); i++)
            x[cut(in) + i] += y[i];
    }
    for (int k = 0; k < size - 1; k++) {
        int out = (rank + 1 - k + size) % size, in = (rank - k + size) % size;
        MPI_Sendrecv(x + cut(out), cut(out + 1) - cut(out), MPI_FLOAT, right(), 105, x + cut(in),
                     cut(in + 1) - cut(in), MPI_FLOAT, left(), 105, WORLD, IGNORE);
    }
    /* to here */
    look(x, N * 4);
    rest();
}

/* powers of two; expect: MPI_Allreduce */
static void allreduce_doubling(void)
{
    fill(a, N);
    /* one call: BUFFER = a */
    for (int bit = 1; bit < size; bit <<= 1) {
        MPI_Sendrecv(a, N, MPI_DOUBLE, rank ^ bit, 106, t, N, MPI_DOUBLE, rank ^ bit, 106, WORLD,
                     IGNORE);
        add(a, t, N);
    }
    /* to here */
    look(a, N * 8);
    rest();
}

/* powers of two; expect: MPI_Alltoallv */
static void alltoall_xor(void)
{
    fill(a, N * size);
    memcpy(b + rank * N, a + rank * N, N * 8);
    /* one call: SEND = a; RECEIVE = b */
    for (int k = 1; k < size; k++) {
        int other = rank ^ k;
        MPI_Sendrecv(a + other * N, N, MPI_DOUBLE, other, 107, b + other * N, N, MPI_DOUBLE, other,
                     107, WORLD, IGNORE);
    }
    /* to here */
    look(b, N * size * 8);
}

/* powers of two; expect: MPI_Alltoallv */
static void alltoall_xor_other_own(void)
{
    fill(a, N * size);
    fill(b, N * size);
    /* one call: SEND = a; RECEIVE = b */
    for (int k = 1; k < size; k++) {
        int other = rank ^ k;
        MPI_Sendrecv(a + other * N, N, MPI_DOUBLE, other, 108, b + other * N, N, MPI_DOUBLE, other,
                     108, WORLD, IGNORE);
    }
    /* to here */
    look(b, N * size * 8);
}

/* The tag is the sender. */
/* expect: MPI_Alltoallv */
static void alltoall_nonblocking(void)
{
    MPI_Request all[2 * MOST];
    int n = 0;
    fill(a, N * size);
    memcpy(b + rank * N, a + rank * N, N * 8);
    /* one call: SEND = a; RECEIVE = b */
    for (int i = 0; i < size; i++)
        if (i != rank)
            MPI_Irecv(b + i * N, N, MPI_DOUBLE, i, 120 + i, WORLD, &all[n++]);
    for (int i = 0; i < size; i++)
        if (i != rank)
            MPI_Isend(a + i * N, N, MPI_DOUBLE, i, 120 + rank, WORLD, &all[n++]);
    MPI_Waitall(n, all, MPI_STATUSES_IGNORE);
    /* to here */
    look(b, N * size * 8);
}

static int uneven(int i) { return N / 10 * (i * i % 5 + 1); }

/* expect: MPI_Gatherv */
static void gather_uneven(void)
{
    int own = uneven(rank), at = uneven(0);
    fill(a, own);
    if (rank == 0)
        memcpy(b, a, own * 8);
    /* one call: BLOCK = a; BLOCKS = b + uneven(0); count = own */
    if (rank == 0)
        for (int i = 1; i < size; at += uneven(i++))
            MPI_Recv(b + at, uneven(i), MPI_DOUBLE, i, 109, WORLD, IGNORE);
    else
        MPI_Send(a, own, MPI_DOUBLE, 0, 109, WORLD);
    /* to here */
    look(b, sizeof b);
}

static int columns(void) { return size >= 4 ? size / 2 : size; }

/* Eight neighbours on a torus, each face and corner in a place of its own. */
/* expect: withheld */
static void halo_corners(void)
{
    enum { FACE = 20 };
    int px = columns(), py = size / px, x = rank % px, y = rank / px, k = 0, n = 0;
    MPI_Request all[16];
    fill(a, 8 * FACE);
    if (px * py < size)
        return;
    /* one call: SEND = a; RECEIVE = b; BUFFER = a */
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            if (!dx && !dy)
                continue;
            int count = dx && dy ? 1 : FACE;
            int to = (y + dy + py) % py * px + (x + dx + px) % px;
            int from = (y - dy + py) % py * px + (x - dx + px) % px;
            MPI_Irecv(b + k * FACE, count, MPI_DOUBLE, from, 130 + k, WORLD, &all[n++]);
            MPI_Isend(a + k * FACE, count, MPI_DOUBLE, to, 130 + k, WORLD, &all[n++]);
            k++;
        }
    MPI_Waitall(n, all, MPI_STATUSES_IGNORE);
    /* to here */
    look(b, 8 * FACE * 8);
}

/* Four neighbours, and none beyond the border. */
/* expect: withheld */
static void halo_open(void)
{
    enum { FACE = 20 };
    static const int dx[] = {-1, 1, 0, 0}, dy[] = {0, 0, -1, 1};
    int px = columns(), py = size / px, x = rank % px, y = rank / px, n = 0;
    MPI_Request all[8];
    fill(a, 4 * FACE);
    if (px * py < size)
        return;
    /* one call: SEND = a; RECEIVE = b; BUFFER = a */
    for (int k = 0; k < 4; k++) {
        int to_x = x + dx[k], to_y = y + dy[k];
        if (to_x < 0 || to_x >= px || to_y < 0 || to_y >= py)
            continue;
        MPI_Irecv(b + k * FACE, FACE, MPI_DOUBLE, to_y * px + to_x, 140 + (k ^ 1), WORLD, &all[n++]);
        MPI_Isend(a + k * FACE, FACE, MPI_DOUBLE, to_y * px + to_x, 140 + k, WORLD, &all[n++]);
    }
    MPI_Waitall(n, all, MPI_STATUSES_IGNORE);
    /* to here */
    look(b, 4 * FACE * 8);
}

/* expect: MPI_Reduce */
static void reduce_line(void)
{
    fill(a, N);
    /* one call: BUFFER = a */
    if (rank)
        MPI_Send(a, N, MPI_DOUBLE, 0, 150, WORLD);
    for (int i = 1; i < size && rank == 0; i++) {
        MPI_Recv(t, N, MPI_DOUBLE, i, 150, WORLD, IGNORE);
        add(a, t, N);
    }
    /* to here */
    look(a, N * 8);
    rest();
}

/* One counter, summed at the first process and told to all. */
/* expect: withheld */
static void allreduce_counter(void)
{
    int x = rank + 3 + step, y;
    /* one call: BUFFER = &x */
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            MPI_Recv(&y, 1, MPI_INT, i, 151, WORLD, IGNORE);
            x += y;
        }
        for (int i = 1; i < size; i++)
            MPI_Send(&x, 1, MPI_INT, i, 152, WORLD);
    } else {
        MPI_Send(&x, 1, MPI_INT, 0, 151, WORLD);
        MPI_Recv(&x, 1, MPI_INT, 0, 152, WORLD, IGNORE);
    }
    /* to here */
    look(&x, sizeof x);
}

/* powers of two; expect: withheld */
static void norm_doubling(void)
{
    double x = number(), y;
    /* one call: BUFFER = &x */
    for (int bit = 1; bit < size; bit <<= 1) {
        MPI_Sendrecv(&x, 1, MPI_DOUBLE, rank ^ bit, 153, &y, 1, MPI_DOUBLE, rank ^ bit, 153, WORLD,
                     IGNORE);
        x += y;
    }
    /* to here */
    look(&x, sizeof x);
}

/* Among the processes with even ranks. */
/* expect: silent */
static void bcast_even(void)
{
    if (rank == 0)
        fill(a, N);
    /* one call: BUFFER = a */
    if (rank == 0)
        for (int i = 2; i < size; i += 2)
            MPI_Send(a, N, MPI_DOUBLE, i, 154, WORLD);
    else if (rank % 2 == 0)
        MPI_Recv(a, N, MPI_DOUBLE, 0, 154, WORLD, IGNORE);
    /* to here */
    look(a, N * 8);
}

/* Pairs of doubles as complex numbers: sums of them are sums of doubles. */
/* powers of two; expect: MPI_Allreduce */
static void allreduce_complex(void)
{
    fill(a, N);
    /* one call: BUFFER = a */
    for (int bit = 1; bit < size; bit <<= 1) {
        MPI_Sendrecv(a, N / 2, MPI_C_DOUBLE_COMPLEX, rank ^ bit, 155, t, N / 2, MPI_C_DOUBLE_COMPLEX,
                     rank ^ bit, 155, WORLD, IGNORE);
        add(a, t, N);
    }
    /* to here */
    look(a, N * 8);
    rest();
}

static void look_at_blocks(void)
{
    for (int i = 1; i < size && rank == 0; i++)
        look(b + i * N, N * 8);
}

/* The root receives all through one buffer, and uses each block before the next comes. */
/* expect: MPI_Gather */
static void gather_through_one(void)
{
    fill(a, N);
    /* one call: BLOCK = a; BLOCKS = b; THEN = look_at_blocks() */
    if (rank)
        MPI_Send(a, N, MPI_DOUBLE, 0, 156, WORLD);
    for (int i = 1; i < size && rank == 0; i++) {
        MPI_Recv(t, N, MPI_DOUBLE, i, 156, WORLD, IGNORE);
        look(t, N * 8);
    }
    /* to here */
}

/* One byte is another one for one process. */
/* three or more; expect: MPI_Scatter */
static void bcast_but_a_byte(void)
{
    fill(a, rank ? 0 : N);
    for (int i = 0; i < size && rank == 0; i++) {
        memcpy(b + i * N, a, N * 8);
        ((char *)(b + i * N))[777] ^= i == 2;
    }
    /* one call: BLOCKS = b; BLOCK = a */
    if (rank == 0)
        for (int i = 1; i < size; i++) {
            ((char *)a)[777] ^= i == 2;
            MPI_Send(a, N, MPI_DOUBLE, i, 157, WORLD);
            ((char *)a)[777] ^= i == 2;
        }
    else
        MPI_Recv(a, N, MPI_DOUBLE, 0, 157, WORLD, IGNORE);
    /* to here */
    look(a, N * 8);
}

/* One process gets one number less. */
/* three or more; expect: withheld */
static void bcast_but_a_number(void)
{
    fill(a, rank ? 0 : N);
    /* one call: BUFFER = a */
    if (rank == 0)
        for (int i = 1; i < size; i++)
            MPI_Send(a, N - (i == 2), MPI_DOUBLE, i, 158, WORLD);
    else
        MPI_Recv(a, N, MPI_DOUBLE, 0, 158, WORLD, IGNORE);
    /* to here */
    look(a, N * 8);
}

/* Who comes is asked, and goes to its place. */
/* expect: withheld */
static void gather_probed_anyone(void)
{
    fill(a, N);
    /* one call: BLOCK = a; BLOCKS = b */
    if (rank)
        MPI_Send(a, N, MPI_DOUBLE, 0, 159, WORLD);
    for (int i = 1; i < size && rank == 0; i++) {
        MPI_Status status = unset();
        MPI_Probe(MPI_ANY_SOURCE, 159, WORLD, &status);
        MPI_Recv(b + status.MPI_SOURCE * N, N, MPI_DOUBLE, status.MPI_SOURCE, 159, WORLD, IGNORE);
    }
    /* to here */
    look(b, N * size * 8);
    rest();
}

/* The root follows from numbers that only it has. */
/* expect: withheld */
static void bcast_from_data(void)
{
    static double key = 0.37;
    int root = (int)(key * 1000) % size;
    key *= 3.7 * (1 - key);
    if (rank == root) {
        fill(a, N);
        for (int i = 0; i < size; i++)
            if (i != root)
                MPI_Send(a, N, MPI_DOUBLE, i, 160, WORLD);
    } else {
        MPI_Recv(a, N, MPI_DOUBLE, MPI_ANY_SOURCE, 160, WORLD, IGNORE);
    }
    look(a, N * 8);
    rest();
}

/* A process adds what comes twice, once. */
/* powers of two; expect: withheld */
static void allreduce_but_twice(void)
{
    fill(a, N);
    /* one call: BUFFER = a */
    for (int bit = 1; bit < size; bit <<= 1) {
        MPI_Sendrecv(a, N, MPI_DOUBLE, rank ^ bit, 161, t, N, MPI_DOUBLE, rank ^ bit, 161, WORLD,
                     IGNORE);
        add(a, t, N);
        if (bit == 1 && rank == 1)
            add(a, t, N);
    }
    /* to here */
    look(a, N * 8);
    rest();
}

static void add_halves(void)
{
    for (int i = 1; i < size && rank == 0; i++)
        for (int j = 0; j < N; j++)
            a[j] += 0.5 * b[i * N + j];
}

/* Half of each counts. */
/* expect: MPI_Gather */
static void reduce_weighted(void)
{
    fill(a, N);
    /* one call: BLOCK = a; BLOCKS = b; THEN = add_halves() */
    if (rank)
        MPI_Send(a, N, MPI_DOUBLE, 0, 162, WORLD);
    for (int i = 1; i < size && rank == 0; i++) {
        MPI_Recv(t, N, MPI_DOUBLE, i, 162, WORLD, IGNORE);
        for (int j = 0; j < N; j++)
            a[j] += 0.5 * t[j];
    }
    /* to here */
    look(a, N * 8);
    rest();
}

/* Everybody has the same numbers, and tells its neighbour. */
/* expect: silent */
static void ring_of_constants(void)
{
    for (int i = 0; i < N; i++)
        a[i] = 3 + step + i;
    /* one call: BUFFER = a; SEND = a; RECEIVE = t; BLOCK = a; BLOCKS = t */
    MPI_Sendrecv(a, N, MPI_DOUBLE, right(), 163, t, N, MPI_DOUBLE, left(), 163, WORLD, IGNORE);
    /* to here */
    look(t, N * 8);
}

/* Around once, and each changes it. */
/* expect: silent */
static void token(void)
{
    fill(a, rank ? 0 : 4);
    /* one call: BUFFER = a */
    if (rank == 0) {
        MPI_Send(a, 4, MPI_DOUBLE, right(), 164, WORLD);
        MPI_Recv(a, 4, MPI_DOUBLE, left(), 164, WORLD, IGNORE);
    } else {
        MPI_Recv(a, 4, MPI_DOUBLE, left(), 164, WORLD, IGNORE);
        a[rank % 4] += 1;
        MPI_Send(a, 4, MPI_DOUBLE, right(), 164, WORLD);
    }
    /* to here */
    look(a, 32);
}

/* Zeros from all, and zeros for all from other places: nothing tells them apart. */
/* expect: withheld */
static void zeros(void)
{
    for (int i = 0; i < N; i++)
        a[i] = 0;
    /* one call: BUFFER = a; BLOCK = a; BLOCKS = b */
    if (rank) {
        MPI_Send(a, N, MPI_DOUBLE, 0, 165, WORLD);
        MPI_Recv(t, N, MPI_DOUBLE, 0, 166, WORLD, IGNORE);
    } else {
        for (int i = 1; i < size; i++)
            MPI_Recv(b + i * N, N, MPI_DOUBLE, i, 165, WORLD, IGNORE);
        for (int i = 1; i < size; i++)
            MPI_Send(b + (i % (size - 1) + 1) * N, N, MPI_DOUBLE, i, 166, WORLD);
    }
    /* to here */
    look(b, N * size * 8);
    look(t, N * 8);
}

/* The last one is not added. */
/* three or more; expect: withheld */
static void reduce_without_last(void)
{
    fill(a, N);
    /* one call: BUFFER = a; BLOCK = a; BLOCKS = b */
    if (rank)
        MPI_Send(a, N, MPI_DOUBLE, 0, 167, WORLD);
    for (int i = 1; i < size && rank == 0; i++) {
        MPI_Recv(t, N, MPI_DOUBLE, i, 167, WORLD, IGNORE);
        if (i < size - 1)
            add(a, t, N);
    }
    /* to here */
    look(a, N * 8);
    rest();
}
