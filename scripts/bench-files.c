/* Writes and reads of files from memory with gaps, again and again: what one takes. For scripts/bench-files. Arguments: a
 * file, and seconds for each case. Prints, for each case: memory, call, median in microseconds of the last half, which all
 * processes have had; wrong bytes end the program. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 20000, LEAST = 100, CALLS = 6 };

static const char *calls[CALLS] = {"write_at", "read_at", "write_at_all", "read_at_all", "iwrite_at", "iread_at"};
static const struct {
    const char *name;
    int blocks, elements, stride, interleaved;
} layouts[] = {
    {"8 B of 16 B, 64 KB", 8192, 1, 2, 0},       {"8 B of 16 B, 4 MB", 524288, 1, 2, 0},
    {"64 B of 128 B, 1 MB", 16384, 8, 16, 0},    {"1 KB of 2 KB, 1 MB", 1024, 128, 256, 0},
    {"two blocks and a gap, 1 MB", 2, 65536, 65538, 0},
    {"8 B of 16 B, 1 MB, in a view", 131072, 1, 2, 1}, {"two blocks and a gap, 1 MB, in a view", 2, 65536, 65538, 1},
};

static int rank, ranks;
static double times[MOST];

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void one(int call, MPI_File f, MPI_Offset at, double *memory, MPI_Datatype type)
{
    MPI_Status s;
    MPI_Request r = MPI_REQUEST_NULL;
    int code = MPI_SUCCESS;
    switch (call) {
    case 0: code = MPI_File_write_at(f, at, memory, 1, type, &s); break;
    case 1: code = MPI_File_read_at(f, at, memory, 1, type, &s); break;
    case 2: code = MPI_File_write_at_all(f, at, memory, 1, type, &s); break;
    case 3: code = MPI_File_read_at_all(f, at, memory, 1, type, &s); break;
    case 4: code = MPI_File_iwrite_at(f, at, memory, 1, type, &r); break;
    default: code = MPI_File_iread_at(f, at, memory, 1, type, &r);
    }
    if (r != MPI_REQUEST_NULL)
        MPI_Wait(&r, &s);
    if (code != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double seconds = argc > 2 ? atof(argv[2]) : 1;
    for (size_t k = 0; argc > 1 && k < sizeof layouts / sizeof *layouts; k++) {
        int blocks = layouts[k].blocks, elements = layouts[k].elements, stride = layouts[k].stride;
        size_t n = (size_t)blocks * (size_t)stride;
        double *memory = malloc(n * sizeof *memory);
        for (size_t i = 0; i < n; i++)
            memory[i] = rank + (double)i;
        MPI_Datatype type, block, view;
        MPI_Type_vector(blocks, elements, stride, MPI_DOUBLE, &type);
        MPI_Type_commit(&type);
        MPI_Type_contiguous(128, MPI_DOUBLE, &block);
        MPI_Type_create_resized(block, 0, 1024 * ranks, &view);
        MPI_Type_commit(&view);
        MPI_File f;
        MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
        MPI_Offset at = 0;
        if (layouts[k].interleaved)
            MPI_File_set_view(f, rank * 1024, MPI_DOUBLE, view, "native", MPI_INFO_NULL);
        else {
            MPI_File_set_view(f, 0, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
            at = (MPI_Offset)rank * blocks * elements;
        }
        for (int call = 0; call < CALLS; call++) {
            int count = 0;
            for (double spent = 0; count < MOST && spent < (count < LEAST ? 8 * seconds : seconds); count++) {
                MPI_Barrier(MPI_COMM_WORLD);
                double start = MPI_Wtime();
                one(call, f, at, memory, type);
                double took = MPI_Wtime() - start;
                MPI_Allreduce(&took, &times[count], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
                spent += times[count];
            }
            for (size_t i = 0; i < n; i++)
                if (memory[i] != rank + (double)i)
                    MPI_Abort(MPI_COMM_WORLD, 2);
            qsort(times + count / 2, (size_t)(count - count / 2), sizeof *times, by_size);
            if (rank == 0)
                printf("TIME;%s;%s;%.3f\n", layouts[k].name, calls[call], times[count / 2 + (count - count / 2) / 2] * 1e6);
        }
        MPI_File_close(&f);
        MPI_Type_free(&type);
        MPI_Type_free(&block);
        MPI_Type_free(&view);
        free(memory);
    }
    if (rank == 0 && argc > 1)
        MPI_File_delete(argv[1], MPI_INFO_NULL);
    MPI_Finalize();
    return 0;
}
