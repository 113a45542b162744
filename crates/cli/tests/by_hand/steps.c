/* Steps that depend on each other where no message tells: functions between the beginning and the end of patterns.c. The
   words before a function mean what they mean there. */

/* Each row is made of the one before, and the others look at it at once. */
/* expect: MPI_Bcast */
static void rows_one_by_one(void)
{
    fill(a, rank ? 0 : N * STEPS);
    for (int k = 0; k < STEPS; k++) {
        if (rank == 0 && k > 0)
            for (int i = 0; i < N; i++)
                a[k * N + i] += 2 * a[(k - 1) * N + i];
        /* one call: BUFFER = a + k * N */
        if (rank == 0)
            for (int i = 1; i < size; i++)
                MPI_Send(a + k * N, N, MPI_DOUBLE, i, 401, WORLD);
        else
            MPI_Recv(a + k * N, N, MPI_DOUBLE, 0, 401, WORLD, IGNORE);
        /* to here */
        look(a + k * N, N * 8);
    }
}

/* A block is made of the one before, of which its sender hears in a collective of two. */
/* expect: any */
static void gather_in_a_chain(void)
{
    static MPI_Comm pair[MOST];
    double factor = 2;
    for (int i = 1; i < size && step == 0; i++)
        MPI_Comm_split(WORLD, rank == 0 || rank == i ? 0 : MPI_UNDEFINED, rank, &pair[i]);
    fill(a, N);
    /* one call: BLOCK = a; BLOCKS = b */
    for (int i = 1; i < size; i++) {
        if (rank == 0 || rank == i)
            MPI_Bcast(&factor, 1, MPI_DOUBLE, 0, pair[i]);
        for (int j = 0; j < N && rank == i; j++)
            a[j] += factor;
        if (rank == 0)
            MPI_Recv(b + i * N, N, MPI_DOUBLE, i, 402, WORLD, IGNORE);
        else if (rank == i)
            MPI_Send(a, N, MPI_DOUBLE, 0, 402, WORLD);
        factor = b[i * N];
    }
    /* to here */
    if (rank == 0)
        look(b + N, N * (size - 1) * 8);
}

/* What comes to each is also sent on, later. */
/* three or more; expect: withheld */
static void scan_and_what_came(void)
{
    fill(a, N);
    for (int i = 0; i < N; i++)
        t[i] = 0;
    /* one call: BUFFER = a */
    if (rank > 0) {
        MPI_Recv(t, N, MPI_DOUBLE, rank - 1, 403, WORLD, IGNORE);
        add(a, t, N);
    }
    if (rank < size - 1)
        MPI_Send(a, N, MPI_DOUBLE, rank + 1, 403, WORLD);
    /* to here */
    rest();
    MPI_Sendrecv(t, N, MPI_DOUBLE, right(), 404, b, N, MPI_DOUBLE, left(), 404, WORLD, IGNORE);
    look(a, N * 8);
    look(b, N * 8);
    rest();
}

/* Two get the same block. */
/* expect: any */
static void scatter_one_twice(void)
{
    fill(b, rank ? 0 : N * size);
    /* one call: BLOCKS = b; BLOCK = a */
    if (rank == 0)
        for (int i = 1; i < size; i++)
            MPI_Send(b + (i == 2 ? 1 : i) * N, N, MPI_DOUBLE, i, 405, WORLD);
    else
        MPI_Recv(a, N, MPI_DOUBLE, 0, 405, WORLD, IGNORE);
    /* to here */
    if (rank)
        look(a, N * 8);
}
