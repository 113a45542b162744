/* Reads and writes of files with random memory, views and places, each compared with what a loop
 * over bytes makes of it, and printed so that runs with and without commloom can be compared.
 * Arguments: a seed, how many cases; FILES_PATH is where files go. A case that is wrong prints its
 * number and the seed.
 *
 * What lies past the end of a file is not looked at where ROMIO reads: into memory with gaps it
 * writes what its own buffer has there. */
#include "drawn.h"

enum { FILE_BYTES = 6 << 20 };

/* Where a call begins, who makes it, and when it ends. */
enum place { AT, OWN, SHARED };
enum end { NOW, WAIT, SPLIT };


/* A view: blocks of bytes, one in every period, from a displacement on. */
static struct {
    long from, block, period;
} view;

static long place_of(long byte)
{
    return view.from + byte / view.block * view.period + byte % view.block;
}

/* What is to be in the file, what was there first, and memory of the program. */
static unsigned char *image, *memory, *expected;
static long image_bytes;
/* Bytes that this rank has written. */
static unsigned char *written;

static void random_bytes(unsigned char *to, long n, uint64_t content)
{
    for (long i = 0; i < n; i += 8) {
        content ^= content << 13;
        content ^= content >> 7;
        content ^= content << 17;
        memcpy(to + i, &content, 8);
    }
}

static void compare_memory(const char *what)
{
    for (long i = 0; i < ORIGIN + mem.end + 64; i++)
        if (memory[i] != expected[i]) {
            wrong(what, i - ORIGIN);
            return;
        }
}

/* After a read from a byte of the view on: what lies past the end of the file may be anything. */
static void check_read(long stream)
{
    for (long i = 0; i < mem.n; i++)
        for (long k = 0; k < mem.length[i]; k++, stream++) {
            long at = ORIGIN + mem.from[i] + k, there = place_of(stream);
            expected[at] = there < image_bytes ? image[there] : memory[at];
        }
    compare_memory("memory after a read");
}

static void note_write(long stream)
{
    for (long i = 0; i < mem.n; i++)
        for (long k = 0; k < mem.length[i]; k++, stream++) {
            long there = place_of(stream);
            image[there] = memory[ORIGIN + mem.from[i] + k];
            written[there] = 1;
            if (there >= image_bytes) image_bytes = there + 1;
        }
}

/* Ranks have written different bytes. Where none has, and the file was shorter before, anything
 * may be there: ROMIO writes what its buffer has. */
static void check_file(const char *path, long old_bytes)
{
    unsigned char *there = malloc(FILE_BYTES), *other = calloc(FILE_BYTES, 1);
    MPI_Allreduce(MPI_IN_PLACE, &image_bytes, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    int n = (int)image_bytes;
    if (ranks == 2) {
        MPI_Sendrecv(image, n, MPI_BYTE, 1 - rank, 9, there, n, MPI_BYTE, 1 - rank, 9,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(written, n, MPI_BYTE, 1 - rank, 9, other, n, MPI_BYTE, 1 - rank, 9,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (long i = 0; i < n; i++)
            if (other[i]) image[i] = there[i];
    }
    FILE *f = fopen(path, "rb");
    long read = f ? (long)fread(there, 1, FILE_BYTES, f) : -1;
    if (f) fclose(f);
    if (read != n) wrong("length of the file", read);
    for (long i = 0; i < n && i < read; i++)
        if (there[i] != image[i] && (i < old_bytes || written[i] || other[i])) {
            wrong("byte of the file", i);
            break;
        }
    free(there);
    free(other);
}

static long class_of(int code)
{
    int class = 0;
    MPI_Error_class(code, &class);
    return class;
}

/* Messages go on while files are written and read: a column of a matrix to the next rank. */
static void with_messages(MPI_Request *request, MPI_Status *status)
{
    static int matrix[40][8], column[40];
    MPI_Datatype t;
    MPI_Request r[3];
    MPI_Status s[3];
    MPI_Type_vector(40, 1, 8, MPI_INT, &t);
    MPI_Type_commit(&t);
    for (int i = 0; i < 40; i++) { matrix[i][3] = number * 100 + i + rank; column[i] = -1; }
    MPI_Irecv(column, 40, MPI_INT, (rank + ranks - 1) % ranks, 5, MPI_COMM_WORLD, &r[0]);
    r[1] = *request;
    MPI_Isend(&matrix[0][3], 1, t, (rank + 1) % ranks, 5, MPI_COMM_WORLD, &r[2]);
    MPI_Type_free(&t);
    MPI_Waitall(3, r, s);
    *status = s[1];
    for (int i = 0; i < 40; i++)
        if (column[i] != number * 100 + i + (rank + ranks - 1) % ranks) wrong("message", i);
}

static void complete(int how, MPI_Request *r, MPI_Status *s)
{
    int flag = 0, index;
    switch (how) {
    default: MPI_Wait(r, s); break;
    case 1: while (!flag) MPI_Test(r, &flag, s); break;
    case 2: MPI_Waitany(1, r, &index, s); break;
#ifdef OPEN_MPI /* MPICH never gets on with a file there. */
    case 3: while (!flag) MPI_Request_get_status(*r, &flag, s); MPI_Wait(r, s); break;
#endif
    case 4: with_messages(r, s);
    }
}

/* The calls of one case, the same on all ranks, and how its view is made. */
static struct {
    enum place place;
    enum end end;
    int together, in_turn, writes, is_short, how, base_size, etype_bytes;
    MPI_Datatype base, etype, filetype;
} call;

/* One access. The offset is in etypes, and the individual pointer is there. */
static int access_file(MPI_File f, MPI_Offset at, MPI_Status *s)
{
    enum place place = call.place;
    enum end end = call.end;
    int together = call.together;
    void *b = memory + ORIGIN;
    int c = mem.count, e = 0;
    MPI_Datatype t = mem.type;
    MPI_Request r = MPI_REQUEST_NULL;
#define CALL(now, wait, split_begin, split_end)                                                  \
    (end == NOW ? (now) : end == WAIT ? (wait) : ((e = (split_begin)) ? e : (split_end)))
#define FORM(rw)                                                                                 \
    place == AT                                                                                  \
        ? (together ? CALL(MPI_File_##rw##_at_all(f, at, b, c, t, s),                            \
                           MPI_File_i##rw##_at_all(f, at, b, c, t, &r),                          \
                           MPI_File_##rw##_at_all_begin(f, at, b, c, t),                         \
                           MPI_File_##rw##_at_all_end(f, b, s))                                  \
                    : CALL(MPI_File_##rw##_at(f, at, b, c, t, s),                                \
                           MPI_File_i##rw##_at(f, at, b, c, t, &r), 0, 0))                       \
    : place == OWN                                                                               \
        ? (together ? CALL(MPI_File_##rw##_all(f, b, c, t, s),                                   \
                           MPI_File_i##rw##_all(f, b, c, t, &r),                                 \
                           MPI_File_##rw##_all_begin(f, b, c, t),                                \
                           MPI_File_##rw##_all_end(f, b, s))                                  \
                    : CALL(MPI_File_##rw(f, b, c, t, s), MPI_File_i##rw(f, b, c, t, &r), 0, 0))  \
        : (together ? CALL(MPI_File_##rw##_ordered(f, b, c, t, s), 0,                            \
                           MPI_File_##rw##_ordered_begin(f, b, c, t),                            \
                           MPI_File_##rw##_ordered_end(f, b, s))                                 \
                    : CALL(MPI_File_##rw##_shared(f, b, c, t, s),                                \
                           MPI_File_i##rw##_shared(f, b, c, t, &r), 0, 0))
    e = call.writes ? (FORM(write)) : (FORM(read));
    if (end == WAIT && e == MPI_SUCCESS && r != MPI_REQUEST_NULL) complete(call.how, &r, s);
    return e;
}

static void draw_call(void)
{
    static const struct { enum place place; int together; enum end end; } calls[] = {
        {AT, 0, NOW}, {AT, 1, NOW}, {OWN, 0, NOW}, {OWN, 1, NOW}, {SHARED, 0, NOW},
        {SHARED, 1, NOW}, {AT, 0, WAIT}, {AT, 1, WAIT}, {OWN, 0, WAIT}, {OWN, 1, WAIT},
        {SHARED, 0, WAIT}, {AT, 1, SPLIT}, {OWN, 1, SPLIT}, {SHARED, 1, SPLIT},
    };
    MPI_Datatype bases[] = {MPI_INT, MPI_DOUBLE, MPI_SHORT, MPI_CHAR, MPI_FLOAT};
    int sizes[] = {4, 8, 2, 1, 4};
    int way = (int)roll(&all_dice, 14), kind = (int)roll(&all_dice, 5);
    call.place = calls[way].place;
    call.end = calls[way].end;
    call.together = calls[way].together;
    call.in_turn = call.place == SHARED && !call.together;
    call.writes = (int)roll(&all_dice, 2);
    call.is_short = !call.writes && roll(&all_dice, 3) == 0;
    call.how = (int)roll(&all_dice, call.in_turn ? 4 : 5);
    call.base = bases[kind];
    call.base_size = sizes[kind];
    int parts = 1 + (roll(&all_dice, 4) == 0), is_bytes = roll(&all_dice, 3) == 0;
    call.etype_bytes = is_bytes ? 1 : call.base_size * parts;
#ifdef OPEN_MPI
    /* Open MPI never completes these, with or without commloom. */
    if (call.end != NOW) call.is_short = 0;
#endif
    MPI_Type_contiguous(is_bytes ? 1 : parts, is_bytes ? MPI_BYTE : call.base, &call.etype);
    MPI_Type_commit(&call.etype);
}

/* A call takes whole etypes. Of one process it may fail; of all it must not fail on some. */
static void draw_memory(void)
{
    make_memory(call.base, call.base_size, roll(&all_dice, 12) == 0, 3);
    if (mem.bytes % call.etype_bytes && (call.together || roll(&own_dice, 4))) {
        MPI_Type_free(&mem.type);
        mem.n = mem.bytes = mem.end = 0;
        MPI_Type_vector(6, 2, 3, call.base, &mem.type);
        MPI_Type_commit(&mem.type);
        mem.count = 1;
        for (long i = 0; i < 6; i++) piece(3 * i * call.base_size, 2l * call.base_size);
    }
    random_bytes(memory, ORIGIN + mem.end + 64, seed * 1000 + (unsigned)(2 * number + rank) + 1);
    memcpy(expected, memory, (size_t)(ORIGIN + mem.end + 64));
}

/* The etype where the first access of this rank begins. */
static MPI_Offset draw_view(void)
{
    int interleaved = call.place != SHARED && roll(&all_dice, 2);
    long unit = call.etype_bytes * (4l + 4 * roll(&all_dice, 3)), start = roll(&all_dice, 60);
    long pad = call.etype_bytes * (long)roll(&all_dice, 2);
    view.block = interleaved ? unit : 1;
    view.period = interleaved ? unit * ranks + pad : 1;
    view.from = start + (interleaved ? unit * rank : 0);
    MPI_Datatype block;
    MPI_Type_contiguous(interleaved ? (int)(unit / call.etype_bytes) : 1, call.etype, &block);
    long extent = interleaved ? view.period : call.etype_bytes;
    MPI_Type_create_resized(block, 0, extent, &call.filetype);
    MPI_Type_free(&block);
    MPI_Type_commit(&call.filetype);
    long apart = interleaved ? 0 : 2l << 20;
    return call.place == SHARED ? 0 : rank * apart / call.etype_bytes + (long)roll(&own_dice, 50);
}

/* Two accesses come after each other: all that they read is there, or it ends on the way. */
static void make_file(const char *path, MPI_Offset at)
{
    long own = mem.bytes, all;
    MPI_Allreduce(&own, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    long from = (long)at * call.etype_bytes, bytes = 2 * (call.place == SHARED ? all : own);
    if (call.is_short) bytes = (long)roll(&own_dice, (unsigned)bytes);
    long end = call.writes ? (long)roll(&all_dice, 3000) : place_of(from + bytes) + 1;
    MPI_Allreduce(&end, &image_bytes, 1, MPI_LONG, call.is_short ? MPI_MIN : MPI_MAX,
                  MPI_COMM_WORLD);
    memset(image, 0, FILE_BYTES);
    random_bytes(image, (image_bytes + 7) / 8 * 8, seed * 77 + (unsigned)number + 1);
    memset(image + image_bytes, 0, 8);
    memset(written, 0, FILE_BYTES);
    if (rank == 0) {
        FILE *f = fopen(path, "wb");
        fwrite(image, 1, (size_t)image_bytes, f);
        fclose(f);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void say_case(MPI_File f, int turn, int code, MPI_Status *s)
{
    int count = -1, elements = -1;
    MPI_Offset own = 0, shared = 0;
    if (code == MPI_SUCCESS) {
        MPI_Get_count(s, mem.type, &count);
        MPI_Get_elements(s, mem.type, &elements);
    }
    MPI_File_get_position(f, &own);
    MPI_Barrier(MPI_COMM_WORLD);
    if (call.place == SHARED) MPI_File_get_position_shared(f, &shared);
    MPI_Barrier(MPI_COMM_WORLD);
    fprintf(out, "rank %d case %d.%d: %s %d%d%d%s class %ld count %d elements %d own %lld shared "
            "%lld\n", rank, number, turn, call.writes ? "write" : "read", (int)call.place,
            call.together, (int)call.end, call.is_short ? " short" : "", class_of(code), count,
            elements, (long long)own, (long long)shared);
}

static void random_case(const char *path)
{
    draw_call();
    draw_memory();
    MPI_Offset at = draw_view();
    make_file(path, at);
    MPI_File f;
    if (MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &f)) wrong("open", 0);
    MPI_File_set_view(f, view.from, call.etype, call.filetype, "native", MPI_INFO_NULL);
    if (roll(&all_dice, 4) == 0) MPI_File_set_atomicity(f, 1);
    if (call.place == OWN) MPI_File_seek(f, at, MPI_SEEK_SET);
    long done = 0, old_bytes = image_bytes;
    int is_known = 1;
    for (int turn = 0, some = 0; turn < 2 && !some; turn++) {
        MPI_Status s;
        memset(&s, 0, sizeof s);
        long stream = (long)at * call.etype_bytes, others = 0, all;
        if (call.place == SHARED) { /* Rank by rank, and both turns after each other. */
            MPI_Allreduce(&mem.bytes, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
            MPI_Exscan(&mem.bytes, &others, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
            stream = done + (rank ? others : 0);
            done += all;
        }
        int code = MPI_SUCCESS;
        for (int r = 0; r < (call.in_turn ? ranks : 1); r++) {
            if (!call.in_turn || r == rank) code = access_file(f, at, &s);
            if (call.in_turn) MPI_Barrier(MPI_COMM_WORLD);
        }
        say_case(f, turn, code, &s);
        /* Open MPI takes parts of etypes: after them, or a failure, a pointer may be anywhere. */
        int odd = code != MPI_SUCCESS || mem.bytes % call.etype_bytes;
        MPI_Allreduce(&odd, &some, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        is_known = !some || call.place != SHARED;
        if (code == MPI_SUCCESS && is_known) {
            if (call.writes) {
                note_write(stream);
                compare_memory("memory after a write");
            } else
                check_read(stream);
        }
        at += mem.bytes / call.etype_bytes;
        /* The second access has other data. */
        random_bytes(memory, ORIGIN + mem.end + 64, seed + 99 + (unsigned)rank);
        memcpy(expected, memory, (size_t)(ORIGIN + mem.end + 64));
    }
    MPI_File_close(&f);
    if (call.writes && is_known) check_file(path, old_bytes);
    MPI_Type_free(&call.etype);
    MPI_Type_free(&call.filetype);
    MPI_Type_free(&mem.type);
}

/* The same access again and again, so that strategies are tried. */
static void repeated(const char *path)
{
    enum { TIMES = 240 };
    MPI_File f;
    MPI_Type_vector(500, 1, 2, MPI_DOUBLE, &mem.type);
    MPI_Type_commit(&mem.type);
    mem.n = mem.bytes = mem.end = 0;
    mem.count = 1;
    for (long i = 0; i < 500; i++) piece(16 * i, 8);
    view.from = 0;
    view.block = view.period = 1;
    if (MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f))
        wrong("open", 1);
    for (number = 1; number <= TIMES; number++) {
        MPI_Status s;
        MPI_Request r;
        long at = roll(&own_dice, 5000);
        int later = number % 8 == 0, count = 0, other = 0;
        random_bytes(memory, ORIGIN + mem.end + 64, seed + (unsigned)number);
        memset(image, 0, 16 << 10);
        image_bytes = 16 << 10;
        note_write(at);
        if (later) {
            MPI_File_iwrite_at(f, at, memory + ORIGIN, 1, mem.type, &r);
            MPI_Wait(&r, &s);
        } else
            MPI_File_write_at(f, at, memory + ORIGIN, 1, mem.type, &s);
        MPI_Get_count(&s, mem.type, &count);
        memset(memory, 7, (size_t)(ORIGIN + mem.end + 64));
        memcpy(expected, memory, (size_t)(ORIGIN + mem.end + 64));
        if (later) {
            MPI_File_iread_at(f, at, memory + ORIGIN, 1, mem.type, &r);
            MPI_Wait(&r, &s);
        } else
            MPI_File_read_at(f, at, memory + ORIGIN, 1, mem.type, &s);
        MPI_Get_count(&s, mem.type, &other);
        check_read(at);
        if (count != 1 || other != 1) wrong("count", count * 10 + other);
    }
    fprintf(out, "rank %d repeated %d times\n", rank, number - 1);
    MPI_File_close(&f);
    MPI_Type_free(&mem.type);
}

/* A view whose elements the library converts, if it can. */
static void converted(const char *path)
{
    MPI_File f;
    MPI_Status s;
    int count = -1;
    mem.n = mem.bytes = mem.end = 0;
    MPI_Type_vector(20, 1, 2, MPI_INT, &mem.type);
    MPI_Type_commit(&mem.type);
    MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
    int code = MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL);
    fprintf(out, "rank %d external32: view of class %ld\n", rank, class_of(code));
    random_bytes(memory, 1024, seed);
    for (int i = 0; i < 3 && code == MPI_SUCCESS; i++) {
        code = MPI_File_write_at(f, 20 * i, memory, 1, mem.type, &s);
        if (code == MPI_SUCCESS) MPI_Get_count(&s, mem.type, &count);
        fprintf(out, "rank %d external32: class %ld count %d\n", rank, class_of(code), count);
    }
    MPI_File_close(&f);
    MPI_Type_free(&mem.type);
    FILE *there = fopen(path, "rb");
    memset(memory, 0, 1024);
    long n = there ? (long)fread(memory, 1, 1024, there) : -1;
    if (there) fclose(there);
    long sum = 0;
    for (int i = 0; i < 1024; i++) sum = sum * 31 % 1000003 + memory[i];
    fprintf(out, "rank %d external32: %ld bytes, sum %ld\n", rank, n, sum);
}

/* Rank 0 prints for all: mpiexec may mix their lines in the middle. */
static void print(const char *text, int length)
{
    if (rank > 0) {
        MPI_Send(text, length, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        return;
    }
    fwrite(text, 1, (size_t)length, stdout);
    for (int r = 1; r < ranks; r++) {
        MPI_Status s;
        MPI_Probe(r, 0, MPI_COMM_WORLD, &s);
        MPI_Get_count(&s, MPI_CHAR, &length);
        char *theirs = malloc((size_t)length);
        MPI_Recv(theirs, length, MPI_CHAR, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        fwrite(theirs, 1, (size_t)length, stdout);
        free(theirs);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char *path = getenv("FILES_PATH");
    if (argc < 3 || ranks > 2 || !path) MPI_Abort(MPI_COMM_WORLD, 1);
    seed = strtoul(argv[1], NULL, 10);
    all_dice = seed;
    own_dice = seed * 10 + (unsigned)rank + 1;
    char own_path[4096], *text;
    size_t length;
    snprintf(own_path, sizeof own_path, "%s.%d", path, rank);
    out = open_memstream(&text, &length);
    image = malloc(FILE_BYTES + 8);
    written = malloc(FILE_BYTES);
    memory = malloc(MEMORY);
    expected = malloc(MEMORY);
    for (number = 1; number <= atoi(argv[2]); number++) random_case(path);
    repeated(own_path);
    remove(own_path);
    converted(own_path);
    remove(own_path);
    if (rank == 0) remove(path);
    fclose(out);
    print(text, (int)length);
    free(text);
    MPI_Finalize();
    return 0;
}
