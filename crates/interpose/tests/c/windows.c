/* Puts into windows with random layouts on both sides, in epochs of all kinds, each compared with
 * what a loop over bytes makes of it. Between epochs every process writes into its own window, and
 * origins overwrite what they have put, so that a put that lands too early or is read too late is
 * seen. Arguments: a seed, how many epochs. A case that is wrong prints its number and the seed. */
#include "drawn.h"
#include <dlfcn.h>
#include <unistd.h>

enum { STRIPE = 1 << 21, SHORT = 1 << 16, PUTS = 3, MOST = 8, ELEMENTS = 60000 };

enum kind { FENCE, GROUPS, LOCK, LOCK_ALL, KINDS };

static unsigned char *window_memory, *expected, *memory;
static long window_bytes;
static int units[MOST], is_shared;
static MPI_Win window;

/* Who puts to whom in this epoch, the same on all ranks. */
static int puts_to[MOST][MOST];

static void random_bytes(unsigned char *to, long n)
{
    uint64_t content = own_dice | 1;
    roll(&own_dice, 2);
    for (long i = 0; i < n; i += 8) {
        content ^= content << 13;
        content ^= content >> 7;
        content ^= content << 17;
        memcpy(to + i, &content, n - i < 8 ? (size_t)(n - i) : 8);
    }
}

static void pause_sometimes(void)
{
    if (roll(&own_dice, 4) == 0) usleep(roll(&own_dice, 3000));
}

/* Makes a window of one of the flavours, with a unit of its own on each rank. */
static void make_window(void)
{
    static const int drawn[] = {1, 4, 8, 3};
    int unit = drawn[roll(&own_dice, 4)];
    MPI_Allgather(&unit, 1, MPI_INT, units, 1, MPI_INT, MPI_COMM_WORLD);
    window_bytes = (long)STRIPE * ranks;
    int flavour = (int)roll(&all_dice, 3);
    is_shared = flavour == 2;
    switch (flavour) {
    case 0:
        window_memory = malloc((size_t)window_bytes);
        MPI_Win_create(window_memory, window_bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
        break;
    case 1:
        MPI_Win_allocate(window_bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &window_memory,
                         &window);
        break;
    default:
        MPI_Win_allocate_shared(window_bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &window_memory,
                                &window);
    }
    random_bytes(window_memory, window_bytes);
    expected = malloc((size_t)window_bytes);
    memcpy(expected, window_memory, (size_t)window_bytes);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* A put, as it is told to its target: places of bytes in the window, and what they get. */
static struct told {
    long n, place[2 * PIECES], length[2 * PIECES], bytes;
    unsigned char *content;
} told[MOST];

static void tell(int target, long place, const unsigned char *from, long length)
{
    struct told *to = &told[target];
    to->place[to->n] = place;
    to->length[to->n++] = length;
    memcpy(to->content + to->bytes, from, (size_t)length);
    to->bytes += length;
}

/* One put into a region of the target's window. */
static void put(int target, long region, long room)
{
    static const struct {
        MPI_Datatype type;
        int size;
    } bases[] = {{MPI_BYTE, 1}, {MPI_INT32_T, 4}, {MPI_DOUBLE, 8}};
    int base = (int)roll(&own_dice, 3), size = bases[base].size;
    int is_long = room > SHORT && roll(&own_dice, 2);
    make_memory(bases[base].type, size, is_long, 3);
    long low = 0;
    for (long i = 0; i < mem.n; i++)
        if (mem.from[i] < low) low = mem.from[i];
    int is_mixed = mem.n > 0 && mem.length[0] % size != 0, unit = units[target];
    for (long i = 0; i < mem.n; i++) is_mixed |= mem.length[i] % size != 0;
    long elements = mem.bytes / size;
    long at = (region - low + unit - 1) / unit * unit;
    if (at + mem.end > region + room || mem.bytes == 0 || elements > 1000000 ||
        told[target].n + mem.n > 2 * PIECES) {
        MPI_Type_free(&mem.type);
        return;
    }
    unsigned char *origin = memory + ORIGIN;
    MPI_Datatype type = mem.type, other = MPI_DATATYPE_NULL;
    int count = mem.count, how = is_mixed ? 0 : (int)roll(&own_dice, 4), target_count = mem.count;
    MPI_Datatype target_type = mem.type;
    unsigned char *stream = malloc((size_t)mem.bytes), *to = stream;
    if (how == 0 || how == 3) { /* The drawn layout at the origin. */
        for (long i = 0; i < mem.n; to += mem.length[i], i++)
            memcpy(to, origin + mem.from[i], (size_t)mem.length[i]);
    } else if (how == 1) { /* Side by side at the origin. */
        type = bases[base].type;
        count = (int)elements;
        memcpy(stream, origin, (size_t)mem.bytes);
    } else { /* Other gaps at the origin. */
        MPI_Type_vector((int)elements, 1, 2, bases[base].type, &other);
        MPI_Type_commit(&other);
        type = other;
        count = 1;
        for (long i = 0; i < elements; i++) memcpy(stream + i * size, origin + 2 * i * size, size);
    }
    if (how == 3) { /* Side by side at the target. */
        target_type = bases[base].type;
        target_count = (int)elements;
        at = (region + unit - 1) / unit * unit;
        tell(target, at, stream, mem.bytes);
    } else {
        long done = 0;
        for (long i = 0; i < mem.n; done += mem.length[i], i++)
            tell(target, at + mem.from[i], stream + done, mem.length[i]);
    }
    MPI_Put(origin, count, type, target, at / unit, target_count, target_type, window);
    free(stream);
    MPI_Type_free(&mem.type);
    if (other != MPI_DATATYPE_NULL) MPI_Type_free(&other);
}

static void put_all(enum kind kind)
{
    for (int target = 0; target < ranks; target++) {
        if (!puts_to[rank][target]) continue;
        if (kind == LOCK) MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window);
        long region = (long)rank * STRIPE;
        if (roll(&own_dice, 4) == 0)
            put(target, region, STRIPE);
        else
            for (int i = 0; i < PUTS; i++) put(target, region + (long)i * SHORT, SHORT);
        if (kind == LOCK) MPI_Win_unlock(target, window);
        pause_sometimes();
    }
}

static MPI_Group group_of(int (*is_in)(int))
{
    MPI_Group world, group;
    int list[MOST], n = 0;
    for (int i = 0; i < ranks; i++)
        if (is_in(i)) list[n++] = i;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, n, list, &group);
    MPI_Group_free(&world);
    return group;
}

static int is_origin(int other) { return puts_to[other][rank]; }
static int is_target(int other) { return puts_to[rank][other]; }

/* An epoch, from its beginning to its end. */
static void epoch(enum kind kind)
{
    if (kind == GROUPS) {
        MPI_Group origins = group_of(is_origin), targets = group_of(is_target);
        MPI_Win_post(origins, 0, window);
        MPI_Win_start(targets, 0, window);
        put_all(kind);
        MPI_Win_complete(window);
        if (roll(&own_dice, 2))
            MPI_Win_wait(window);
        else
            for (int flag = 0; !flag;) MPI_Win_test(window, &flag);
        MPI_Group_free(&origins);
        MPI_Group_free(&targets);
        return;
    }
    if (kind == FENCE) MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    if (kind == LOCK_ALL) MPI_Win_lock_all(0, window);
    if (kind != FENCE) MPI_Barrier(MPI_COMM_WORLD);
    put_all(kind);
    if (kind == LOCK_ALL) MPI_Win_unlock_all(window);
    if (kind == FENCE) MPI_Win_fence(roll(&all_dice, 2) ? MPI_MODE_NOSUCCEED : 0, window);
    if (kind != FENCE) MPI_Barrier(MPI_COMM_WORLD);
    if (kind != FENCE) MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
    if (kind != FENCE) MPI_Win_unlock(rank, window);
}

static double value(int target, int round, int i)
{
    return target * 1e9 + round * 1e6 + i;
}

static void compare(const char *what, const unsigned char *there, int target, int round)
{
    /* From the end on, where a put that is late comes last. */
    for (int i = ELEMENTS - 1; i >= 0; i--) {
        double found;
        memcpy(&found, there + 16 * i, sizeof found);
        if (found != value(target, round, i)) {
            wrong(what, i);
            return;
        }
    }
}

/* Epochs without a pause: in each another process puts into the same elements of every window, and
 * after every other one yet another process reads them, by a call or where they lie. */
static void chain(void)
{
    MPI_Datatype gaps;
    double *content[2];
    for (int i = 0; i < 2; i++) content[i] = malloc(2 * ELEMENTS * sizeof(double));
    unsigned char *got = malloc(16 * ELEMENTS);
    MPI_Type_vector(ELEMENTS, 1, 2, MPI_DOUBLE, &gaps);
    MPI_Type_commit(&gaps);
    for (int i = 0; i < ELEMENTS; i++) content[0][2 * i] = value(rank, 0, i);
    MPI_Win_fence(0, window);
    int last = 24 + (int)roll(&all_dice, 8), latest[MOST] = {0};
    for (int round = 0; round <= last; round++) {
        /* Some get nothing, and are through sooner than others. */
        int gets[MOST];
        for (int i = 0; i < ranks; i++) {
            gets[i] = round == 0 || roll(&all_dice, 2);
            if (gets[i]) latest[i] = round;
        }
        int to = (rank + round) % ranks;
        int from = ranks > 1 ? (rank + 1 + (int)roll(&all_dice, ranks - 1)) % ranks : 0;
        if (gets[to]) MPI_Put(content[round % 2], 1, gaps, to, 0, 1, gaps, window);
        /* So that the next put follows at once. */
        for (int i = 0; i < ELEMENTS; i++)
            content[(round + 1) % 2][2 * i] = value((to + 1) % ranks, round + 1, i);
        MPI_Win_fence(0, window);
        if (round % 2 == 0) continue;
        unsigned char *there = got;
        if (is_shared && round % 4 == 1) {
            MPI_Aint size;
            int unit;
            MPI_Win_shared_query(window, from, &size, &unit, &there);
        } else {
            MPI_Get(got, 1, gaps, from, 0, 1, gaps, window);
            MPI_Win_fence(0, window);
        }
        compare("chain", there, from, latest[from]);
        MPI_Win_fence(0, window);
    }
    compare("end of the chain", window_memory, rank, latest[rank]);
    for (int i = 0; i < ELEMENTS; i++) memcpy(expected + 16 * i, window_memory + 16 * i, 8);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Type_free(&gaps);
    free(content[0]);
    free(content[1]);
    free(got);
}

/* What the window has to be, by what the origins say. */
static void expect(void)
{
    MPI_Request requests[MOST * 4];
    int n = 0;
    for (int to = 0; to < ranks; to++) {
        long *head = &told[to].n;
        int pieces = (int)told[to].n, bytes = (int)told[to].bytes;
        MPI_Isend(head, 1, MPI_LONG, to, 1, MPI_COMM_WORLD, &requests[n++]);
        MPI_Isend(told[to].place, pieces, MPI_LONG, to, 2, MPI_COMM_WORLD, &requests[n++]);
        MPI_Isend(told[to].length, pieces, MPI_LONG, to, 3, MPI_COMM_WORLD, &requests[n++]);
        MPI_Isend(told[to].content, bytes, MPI_BYTE, to, 4, MPI_COMM_WORLD, &requests[n++]);
    }
    static long places[2 * PIECES], lengths[2 * PIECES];
    unsigned char *content = malloc(PUTS * STRIPE);
    for (int from = 0; from < ranks; from++) {
        long pieces;
        MPI_Recv(&pieces, 1, MPI_LONG, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(places, (int)pieces, MPI_LONG, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(lengths, (int)pieces, MPI_LONG, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(content, PUTS * STRIPE, MPI_BYTE, from, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        const unsigned char *next = content;
        for (long i = 0; i < pieces; next += lengths[i], i++)
            memcpy(expected + places[i], next, (size_t)lengths[i]);
    }
    free(content);
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    for (int to = 0; to < ranks; to++) told[to].n = told[to].bytes = 0;
}

int main(int argc, char **argv)
{
    seed = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    int cases = argc > 2 ? atoi(argv[2]) : 100;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    out = stdout;
    if (ranks > MOST) MPI_Abort(MPI_COMM_WORLD, 1);
    all_dice = seed * 0x9E3779B97F4A7C15ull;
    own_dice = all_dice + 77 + (uint64_t)rank * 0xD1B54A32D192ED03ull;
    memory = malloc(MEMORY + 2 * STRIPE);
    for (int i = 0; i < ranks; i++) told[i].content = malloc(PUTS * STRIPE);
    make_window();
    int is_right = 1;
    for (number = 0; number < cases && is_right; number++) {
        if (number % 10 == 9) chain();
        if (number % 40 == 39) {
            MPI_Win_free(&window);
            free(expected);
            make_window();
        }
        enum kind kind = roll(&all_dice, 3) ? roll(&all_dice, 2) : LOCK + roll(&all_dice, 2);
        for (int o = 0; o < ranks; o++)
            for (int t = 0; t < ranks; t++) puts_to[o][t] = roll(&all_dice, 3) > 0;
        random_bytes(memory, MEMORY);
        pause_sometimes();
        epoch(kind);
        /* Whoever reads it now reads something else. */
        unsigned char *was = memory;
        memset(was, 0xA5, MEMORY);
        unsigned char *seen = malloc((size_t)window_bytes);
        memcpy(seen, window_memory, (size_t)window_bytes);
        pause_sometimes();
        expect();
        if (memcmp(seen, expected, (size_t)window_bytes)) {
            long first = 0;
            while (seen[first] == expected[first]) first++;
            wrong("window", first);
            is_right = 0;
        }
        free(seen);
        MPI_Allreduce(MPI_IN_PLACE, &is_right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        /* The window is this process's own until the next epoch. */
        if (roll(&own_dice, 2)) {
            long from = roll(&own_dice, (unsigned)window_bytes - SHORT);
            random_bytes(window_memory + from, SHORT);
            memcpy(expected + from, window_memory + from, SHORT);
        }
    }
    unsigned long (*aside)(void) = (unsigned long (*)(void))dlsym(RTLD_DEFAULT, "commloom_aside");
    if (rank == 0 && is_right) printf("aside %lu\n", aside ? aside() : 0);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
