/* Blocks that are made or changed while others are sent, steps that fill an array together, and three processes:
   functions between the beginning and the end of patterns.c. The words before a function mean what they mean there. */

enum { K = 8 };

/* What is sent the second time is made of what came the first time. */
/* three or more; expect: withheld */
static void halo_made_of_halo(void)
{
    double *from = a + 2 * K;
    fill(a, 2 * K);
    /* one call: BUFFER = a; SEND = a; RECEIVE = a */
    MPI_Sendrecv(a, K, MPI_DOUBLE, right(), 501, from, K, MPI_DOUBLE, left(), 501, WORLD, IGNORE);
    for (int i = 0; i < K; i++)
        a[K + i] += 2 * from[i];
    MPI_Sendrecv(a + K, K, MPI_DOUBLE, left(), 501, from + K, K, MPI_DOUBLE, right(), 501, WORLD, IGNORE);
    /* to here */
    look(from, 2 * K * 8);
}

/* The next block is changed by what has come. */
/* three or more; expect: withheld */
static void alltoall_made_of_steps(void)
{
    fill(a, K * size);
    /* one call: SEND = a; RECEIVE = b */
    for (int k = 1; k < size; k++) {
        int to = (rank + k) % size, from = (rank + size - k) % size, next = (rank + k + 1) % size;
        MPI_Sendrecv(a + to * K, K, MPI_DOUBLE, to, 502, b + from * K, K, MPI_DOUBLE, from, 502, WORLD, IGNORE);
        for (int i = 0; i < K; i++)
            a[next * K + i] += 3 * b[from * K + i];
    }
    /* to here */
    look(a, K * size * 8), look(b, K * size * 8);
}

/* The same with nothing in between. */
/* three or more; expect: MPI_Alltoallv */
static void alltoall_in_steps(void)
{
    fill(a, K * size);
    /* one call: SEND = a; RECEIVE = b */
    for (int k = 1; k < size; k++) {
        int to = (rank + k) % size, from = (rank + size - k) % size;
        MPI_Sendrecv(a + to * K, K, MPI_DOUBLE, to, 503, b + from * K, K, MPI_DOUBLE, from, 503, WORLD, IGNORE);
    }
    /* to here */
    look(a, K * size * 8), look(b, K * size * 8);
}

/* No block is there when the next one is sent but one. */
/* four or more; expect: withheld */
static void scatter_cleared(void)
{
    /* one call: BLOCKS = b; BLOCK = a */
    for (int i = 1; i < size; i++)
        if (rank == 0) {
            for (int j = 0; j < K; j++)
                b[i * K + j] = b[i * K - K + j] + number();
            MPI_Send(b + i * K, K, MPI_DOUBLE, i, 504, WORLD);
            memset(b + i * K - K, 0, K * 8);
        } else if (rank == i) {
            MPI_Recv(a, K, MPI_DOUBLE, 0, 504, WORLD, IGNORE);
        }
    /* to here */
    look(a, K * 8), look(b, size * K * 8);
}

static double *all_made(void)
{
    for (int i = 1; i < size && rank == 0; i++)
        for (int j = 0; j < K; j++)
            b[i * K + j] = b[i * K - K + j] + number();
    return b;
}

/* Each block is made of the last one: the call stands behind. */
/* three or more; expect: MPI_Scatter */
static void scatter_made_in_turn(void)
{
    /* one call: BLOCKS = all_made(); BLOCK = a */
    if (rank == 0)
        for (int i = 1; i < size; i++) {
            for (int j = 0; j < K; j++)
                b[i * K + j] = b[i * K - K + j] + number();
            MPI_Send(b + i * K, K, MPI_DOUBLE, i, 505, WORLD);
        }
    else
        MPI_Recv(a, K, MPI_DOUBLE, 0, 505, WORLD, IGNORE);
    /* to here */
    look(a, K * 8), look(b, size * K * 8);
}

static void all_cleared(void)
{
    if (rank == 0)
        memset(b + K, 0, (size - 1) * K * 8);
}

/* Each block is cleared when it was sent: the call stands before. */
/* three or more; expect: MPI_Scatter */
static void scatter_cleared_in_turn(void)
{
    if (rank == 0)
        fill(b, size * K);
    /* one call: BLOCKS = b; BLOCK = a; THEN = all_cleared() */
    if (rank == 0)
        for (int i = 1; i < size; i++) {
            MPI_Send(b + i * K, K, MPI_DOUBLE, i, 506, WORLD);
            memset(b + i * K, 0, K * 8);
        }
    else
        MPI_Recv(a, K, MPI_DOUBLE, 0, 506, WORLD, IGNORE);
    /* to here */
    look(a, K * 8), look(b, size * K * 8);
}

/* The same, without a block that is cleared before the next one is sent, but for the last time. */
/* three or more; expect: any */
static void scatter_cleared_once(void)
{
    if (rank == 0)
        fill(b, size * K);
    /* one call: BLOCKS = b; BLOCK = a; THEN = step == STEPS - 1 ? all_cleared() : (void)0 */
    if (rank == 0)
        for (int i = 1; i < size; i++) {
            MPI_Send(b + i * K, K, MPI_DOUBLE, i, 507, WORLD);
            if (step == STEPS - 1)
                memset(b + i * K, 0, K * 8);
        }
    else
        MPI_Recv(a, K, MPI_DOUBLE, 0, 507, WORLD, IGNORE);
    /* to here */
    look(a, K * 8), look(b, size * K * 8);
}

/* Blocks of one memory that is cleared and has another place each time. */
/* three or more; expect: any */
static void scatter_of_new_memory(void)
{
    double *here = malloc((size * K + 64 * step) * sizeof *here);
    fill(here, size * K);
    /* one call: BLOCKS = here; BLOCK = a */
    if (rank == 0)
        for (int i = 1; i < size; i++)
            MPI_Send(here + i * K, K, MPI_DOUBLE, i, 508, WORLD);
    else
        MPI_Recv(a, K, MPI_DOUBLE, 0, 508, WORLD, IGNORE);
    /* to here */
    look(a, K * 8);
    free(here);
}

/* Each step has its column of an array, and all steps together the array. */
/* three or more; expect: MPI_Gather */
static void gather_columns_of_steps(void)
{
    fill(a, K);
    /* one call: BLOCK = a; BLOCKS = b + step * K */
    if (rank == 0)
        for (int i = 1; i < size; i++)
            MPI_Recv(b + (i * STEPS + step) * K, K, MPI_DOUBLE, i, 509, WORLD, IGNORE);
    else
        MPI_Send(a, K, MPI_DOUBLE, 0, 509, WORLD);
    /* to here */
    look(b, size * STEPS * K * 8);
}

/* The same of all for all. */
/* three or more; expect: MPI_Alltoallv */
static void allgather_columns_of_steps(void)
{
    MPI_Request all[2 * MOST];
    int n = 0;
    double *own = b + (rank * STEPS + step) * K;
    fill(own, K);
    /* one call: BLOCK = own; BLOCKS = b + step * K */
    for (int i = 0; i < size; i++)
        if (i != rank) {
            MPI_Irecv(b + (i * STEPS + step) * K, K, MPI_DOUBLE, i, 510, WORLD, &all[n++]);
            MPI_Isend(own, K, MPI_DOUBLE, i, 510, WORLD, &all[n++]);
        }
    MPI_Waitall(n, all, MPI_STATUSES_IGNORE);
    /* to here */
    look(b, size * STEPS * K * 8);
}

/* And with a block of each for each. */
/* three or more; expect: MPI_Alltoallv */
static void alltoall_columns_of_steps(void)
{
    MPI_Request all[2 * MOST];
    int n = 0;
    for (int i = 0; i < size; i++)
        fill(a + (i * STEPS + step) * K, K);
    /* one call: SEND = a + step * K; RECEIVE = b + step * K */
    for (int i = 0; i < size; i++)
        if (i != rank) {
            MPI_Irecv(b + (i * STEPS + step) * K, K, MPI_DOUBLE, i, 511, WORLD, &all[n++]);
            MPI_Isend(a + (i * STEPS + step) * K, K, MPI_DOUBLE, i, 511, WORLD, &all[n++]);
        }
    MPI_Waitall(n, all, MPI_STATUSES_IGNORE);
    /* to here */
    look(b, size * STEPS * K * 8);
}

/* Not all columns are written: nothing says that it is one array. */
/* three or more; expect: withheld */
static void gather_some_columns(void)
{
    fill(a, K);
    /* one call: BLOCK = a; BLOCKS = b + step * K */
    if (rank == 0)
        for (int i = 1; i < size; i++)
            MPI_Recv(b + (i * 2 * STEPS + step) * K, K, MPI_DOUBLE, i, 512, WORLD, IGNORE);
    else
        MPI_Send(a, K, MPI_DOUBLE, 0, 512, WORLD);
    /* to here */
    look(b, size * STEPS * K * 8);
}

/* Three processes in a communicator of their own. */
static MPI_Comm three(void)
{
    static MPI_Comm all = MPI_COMM_NULL;
    if (all == MPI_COMM_NULL)
        MPI_Comm_split(WORLD, rank / 3, rank, &all);
    return all;
}

/* four or more; expect: MPI_Gather */
static void gather_of_three(void)
{
    MPI_Comm all = three();
    int me, n;
    MPI_Comm_rank(all, &me), MPI_Comm_size(all, &n);
    fill(a, K);
    /* one call: BLOCK = a; BLOCKS = b; comm = all; rank = me */
    if (me == 0)
        for (int i = 1; i < n; i++)
            MPI_Recv(b + i * K, K, MPI_DOUBLE, i, 513, all, IGNORE);
    else
        MPI_Send(a, K, MPI_DOUBLE, 0, 513, all);
    /* to here */
    look(b, n * K * 8);
}

/* four or more; expect: MPI_Scatter */
static void scatter_of_three(void)
{
    MPI_Comm all = three();
    int me, n;
    MPI_Comm_rank(all, &me), MPI_Comm_size(all, &n);
    fill(b, n * K);
    if (n == 3) {
        /* one call: BLOCK = a; BLOCKS = b; comm = all; rank = me */
        if (me == 1) {
            MPI_Send(b, K, MPI_DOUBLE, 0, 514, all);
            MPI_Send(b + 2 * K, K, MPI_DOUBLE, 2, 514, all);
        } else {
            MPI_Recv(a, K, MPI_DOUBLE, 1, 514, all, IGNORE);
        }
        /* to here */
    }
    look(a, K * 8);
}

/* The middle one of three has two neighbours. */
/* four or more; expect: withheld */
static void line_of_three(void)
{
    MPI_Comm all = three();
    int me, n;
    MPI_Comm_rank(all, &me), MPI_Comm_size(all, &n);
    fill(a, K);
    /* one call: BLOCK = a; BLOCKS = b; BUFFER = a */
    for (int side = 0; side < 2 && n == 3; side++) {
        int other = me + 2 * side - 1;
        if (other >= 0 && other < n)
            MPI_Sendrecv(a, K, MPI_DOUBLE, other, 515, b + side * K, K, MPI_DOUBLE, other, 515, all, IGNORE);
    }
    /* to here */
    look(b, 2 * K * 8);
}

/* Other arrays each second time. */
/* three or more; expect: any */
static void alltoall_in_two_buffers(void)
{
    double *x = step % 2 ? a : t, *y = step % 2 ? b : b + MOST * K;
    fill(x, K * size);
    /* one call: SEND = x; RECEIVE = y */
    for (int k = 1; k < size; k++) {
        int to = (rank + k) % size, from = (rank + size - k) % size;
        MPI_Sendrecv(x + to * K, K, MPI_DOUBLE, to, 516, y + from * K, K, MPI_DOUBLE, from, 516, WORLD, IGNORE);
    }
    /* to here */
    look(y, K * size * 8);
}

/* What all get is changed for those that get it last. */
/* three or more; expect: any */
static void bcast_changed_on_the_way(void)
{
    fill(a, rank ? 0 : K);
    /* one call: BUFFER = a; BLOCKS = #; BLOCK = a */
    if (rank == 0)
        for (int i = 1; i < size; i++) {
            MPI_Send(a, K, MPI_DOUBLE, i, 517, WORLD);
            a[0] += 1;
        }
    else
        MPI_Recv(a, K, MPI_DOUBLE, 0, 517, WORLD, IGNORE);
    /* to here */
    look(a, K * 8);
}

/* A block for each is copied just before it is sent. */
/* three or more; expect: any */
static void scatter_copied_in_turn(void)
{
    MPI_Request all[MOST];
    if (rank == 0)
        fill(t, size * K);
    /* one call: BLOCKS = t; BLOCK = a */
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            memcpy(b + i * K, t + i * K, K * 8);
            MPI_Isend(b + i * K, K, MPI_DOUBLE, i, 518, WORLD, &all[i - 1]);
        }
        MPI_Waitall(size - 1, all, MPI_STATUSES_IGNORE);
    } else {
        MPI_Recv(a, K, MPI_DOUBLE, 0, 518, WORLD, IGNORE);
    }
    /* to here */
    look(a, K * 8);
}

/* What would be there of blocks that all go through one place. */
static double *plain(double *from, const int *displacements, int bytes, int first, const int *ranks, int n)
{
    return from;
}

/* The same buffer for each, after a wait: never are all blocks in it. */
/* three or more; expect: any */
static void scatter_one_buffer(void)
{
    MPI_Request one;
    if (rank == 0)
        fill(t, size * K);
    /* one call: BLOCKS = plain(b, #); BLOCK = a */
    if (rank == 0)
        for (int i = 1; i < size; i++) {
            memcpy(b, t + i * K, K * 8);
            MPI_Isend(b, K, MPI_DOUBLE, i, 519, WORLD, &one);
            MPI_Wait(&one, IGNORE);
        }
    else
        MPI_Recv(a, K, MPI_DOUBLE, 0, 519, WORLD, IGNORE);
    /* to here */
    look(a, K * 8);
}

/* Two buffers by turns, each waited for before it is filled again. */
/* four or more; expect: withheld */
static void scatter_two_buffers(void)
{
    MPI_Request all[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    if (rank == 0)
        fill(t, size * K);
    /* one call: BLOCKS = plain(b, #); BLOCK = a */
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            MPI_Wait(&all[i % 2], IGNORE);
            memcpy(b + i % 2 * K, t + i * K, K * 8);
            MPI_Isend(b + i % 2 * K, K, MPI_DOUBLE, i, 520, WORLD, &all[i % 2]);
        }
        MPI_Waitall(2, all, MPI_STATUSES_IGNORE);
    } else {
        MPI_Recv(a, K, MPI_DOUBLE, 0, 520, WORLD, IGNORE);
    }
    /* to here */
    look(a, K * 8);
}

/* A part of the buffer for each, in which something else is when the next one is copied. */
/* four or more; expect: withheld */
static void scatter_parts_reused(void)
{
    MPI_Request one;
    if (rank == 0)
        fill(t, 2 * size * K);
    /* one call: BLOCKS = plain(b, #); BLOCK = a */
    if (rank == 0)
        for (int i = 1; i < size; i++) {
            memcpy(b + i * K, t + i * K, K * 8);
            MPI_Isend(b + i * K, K, MPI_DOUBLE, i, 521, WORLD, &one);
            MPI_Wait(&one, IGNORE);
            memcpy(b + i * K, t + (size + i) * K, K * 8);
        }
    else
        MPI_Recv(a, K, MPI_DOUBLE, 0, 521, WORLD, IGNORE);
    /* to here */
    look(a, K * 8);
    if (rank == 0)
        look(b + K, (size - 1) * K * 8);
}

/* The faces of the second dimension are made of what has come in the first: a call for each. Few processes have the same
   neighbours in both. */
/* three or more; expect: MPI_Neighbor_alltoallw MPI_Neighbor_alltoallw */
static void halo_packed_between(void)
{
    double *x = a, *out = b;
    int nx = size >= 6 && size % 2 == 0 ? size / 2 : size, ny = size / nx, i0 = rank % nx, j0 = rank / nx;
    int west = j0 * nx + (i0 + nx - 1) % nx, east = j0 * nx + (i0 + 1) % nx;
    int north = ny > 1 ? (j0 + ny - 1) % ny * nx + i0 : west, south = ny > 1 ? (j0 + 1) % ny * nx + i0 : east;
    fill(x, K), fill(out, 2 * K);
    /* one call: BUFFER = b; SEND = b; RECEIVE = b + 2 * K */
    MPI_Sendrecv(out, K, MPI_DOUBLE, west, 522, out + 3 * K, K, MPI_DOUBLE, east, 522, WORLD, IGNORE);
    MPI_Sendrecv(out + K, K, MPI_DOUBLE, east, 523, out + 2 * K, K, MPI_DOUBLE, west, 523, WORLD, IGNORE);
    /* to here */
    for (int i = 0; i < K; i++)
        x[i] += 0.5 * out[2 * K + i] + 2 * out[3 * K + i];
    out += 4 * K;
    for (int i = 0; i < K; i++)
        out[i] = x[i], out[K + i] = 3 * x[i];
    /* one call: BUFFER = b + 4 * K; SEND = b + 4 * K; RECEIVE = b + 6 * K */
    MPI_Sendrecv(out, K, MPI_DOUBLE, north, 524, out + 3 * K, K, MPI_DOUBLE, south, 524, WORLD, IGNORE);
    MPI_Sendrecv(out + K, K, MPI_DOUBLE, south, 525, out + 2 * K, K, MPI_DOUBLE, north, 525, WORLD, IGNORE);
    /* to here */
    look(b, 8 * K * 8);
}
