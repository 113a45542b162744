/* Contiguous datatypes among ever more live ones, in the calls that pack them inside the library. MPICH 4.0 loses
 * bytes of them from the 513th on. Prints what is right. */
#include "observe.h"

enum { LENGTH = 5, STEP = 100, STEPS = 11, RECORD = 40 };

static void expect(const char *call, int live, const char *got, const char *wanted, int bytes)
{
    printf("rank %d, %d types, %s: %s\n", rank, live, call, memcmp(got, wanted, bytes) ? "wrong" : "right");
}

static void check(int live, MPI_Datatype type, int bytes)
{
    char out[RECORD], in[RECORD] = {0}, packed[RECORD];
    MPI_Comm self = MPI_COMM_SELF;
    MPI_Request r;
    for (int i = 0; i < RECORD; i++)
        out[i] = (char)(i + 1);

    int position = 0, back = 0;
    MPI_Pack(out, 1, type, packed, RECORD, &position, self);
    MPI_Unpack(packed, RECORD, &back, in, 1, type, self);
    printf("rank %d, %d types, position: %s\n", rank, live, position == bytes && back == bytes ? "right" : "wrong");
    expect("MPI_Pack", live, in, out, bytes);

    memset(in, 0, RECORD);
    MPI_Bsend(out, 1, type, 0, 0, self);
    MPI_Recv(in, bytes, MPI_BYTE, 0, 0, self, MPI_STATUS_IGNORE);
    expect("MPI_Bsend", live, in, out, bytes);

    memset(in, 0, RECORD);
    MPI_Ibsend(out, 1, type, 0, 0, self, &r);
    MPI_Recv(in, 1, type, 0, 0, self, MPI_STATUS_IGNORE);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    expect("MPI_Ibsend", live, in, out, bytes);

    memset(in, 0, RECORD);
    MPI_Bsend_init(out, 1, type, 0, 0, self, &r);
    MPI_Start(&r);
    MPI_Recv(in, 1, type, 0, 0, self, MPI_STATUS_IGNORE);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Request_free(&r);
    expect("MPI_Bsend_init", live, in, out, bytes);

    memset(in, 0, RECORD);
    MPI_Status status;
    int received, peer = 1 - rank;
    memcpy(in, out, bytes);
    in[0] = (char)(50 + rank);
    MPI_Sendrecv_replace(in, 1, type, peer, 0, peer, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &received);
    out[0] = (char)(50 + peer);
    expect("MPI_Sendrecv_replace", live, in, out, received == bytes ? bytes : RECORD);
}

/* Structs of two basic types without gaps, to the other rank. */
static void exchange(int live, MPI_Datatype record, int records)
{
    char *out = malloc(records * 28), *in = calloc(records, 28);
    for (int i = 0; i < records * 28; i++)
        out[i] = (char)(i * 7 + i / 251);
    MPI_Datatype all;
    MPI_Type_create_hvector(records, 1, 28, record, &all);
    MPI_Type_commit(&all);
    MPI_Sendrecv(out, 1, all, 1 - rank, 1, in, 1, all, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&all);
    expect("MPI_Sendrecv", live, in, out, records * 28);
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    static char attached[1 << 16];
    static MPI_Datatype live[STEP * STEPS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Buffer_attach(attached, sizeof attached);
    for (int n = 0; n < STEP * STEPS; n++) {
        int lengths[] = {1, 2, 3}, at[] = {0, 5 + n, 9 + 2 * n};
        MPI_Type_indexed(3, lengths, at, MPI_INT, &live[n]);
        MPI_Type_commit(&live[n]);
        if (n % STEP != STEP - 1)
            continue;
        MPI_Datatype bytes, nested, record, parts[] = {MPI_SHORT, MPI_CHAR};
        MPI_Type_contiguous(LENGTH, MPI_CHAR, &bytes);
        MPI_Type_commit(&bytes);
        check(n + 1, bytes, LENGTH);
        MPI_Type_contiguous(3, bytes, &nested);
        MPI_Type_commit(&nested);
        check(n + 1, nested, 3 * LENGTH);
        MPI_Aint starts[] = {0, 6};
        MPI_Type_create_struct(2, (int[]){3, 1}, starts, parts, &record);
        MPI_Type_commit(&record);
        check(n + 1, record, 7);
        MPI_Datatype mixed;
        MPI_Type_create_struct(2, (int[]){3, 2}, (MPI_Aint[]){0, 12}, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &mixed);
        for (int records = 5; records < 20000; records *= 10)
            exchange(n + 1, mixed, records);
        MPI_Type_free(&mixed);
        MPI_Type_free(&bytes);
        MPI_Type_free(&nested);
        MPI_Type_free(&record);
    }
    for (int n = 0; n < STEP * STEPS; n++)
        MPI_Type_free(&live[n]);
    void *buffer;
    int size;
    MPI_Buffer_detach(&buffer, &size);
    MPI_Finalize();
    return 0;
}
