/* Faces of a grid of doubles between two ranks, by MPI_Put with subarrays in epochs of fences or groups, and by messages of the
 * same subarrays, by turns: what an exchange of three faces takes. For scripts/bench-windows. Arguments: points along an edge,
 * exchanges. Prints, for each way: way, median in microseconds of the last half; a wrong value ends the program. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { FACES = 3, WAYS = 5 };

static const char *ways[WAYS] = {"messages", "fences, created", "fences, allocated", "groups, created", "groups, allocated"};

static int rank, points, edge;
static MPI_Datatype from[FACES], to[FACES];
static MPI_Group other;

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The points of a face, or of the place next to it for that of the other rank. */
static MPI_Datatype face(int axis, int place)
{
    int all[FACES] = {edge, edge, edge}, some[FACES] = {points, points, points}, first[FACES] = {1, 1, 1};
    MPI_Datatype type;
    some[axis] = 1;
    first[axis] = place;
    MPI_Type_create_subarray(FACES, all, some, first, MPI_ORDER_C, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
}

static void exchange(int way, double *grid, MPI_Win window)
{
    MPI_Request requests[2 * FACES];
    if (way == 0) {
        for (int i = 0; i < FACES; i++) MPI_Irecv(grid, 1, to[i], 1 - rank, i, MPI_COMM_WORLD, &requests[i]);
        for (int i = 0; i < FACES; i++) MPI_Isend(grid, 1, from[i], 1 - rank, i, MPI_COMM_WORLD, &requests[FACES + i]);
        MPI_Waitall(2 * FACES, requests, MPI_STATUSES_IGNORE);
        return;
    }
    if (way > 2) {
        MPI_Win_post(other, 0, window);
        MPI_Win_start(other, 0, window);
    }
    for (int i = 0; i < FACES; i++) MPI_Put(grid, 1, from[i], 1 - rank, 0, 1, to[i], window);
    if (way > 2) {
        MPI_Win_complete(window);
        MPI_Win_wait(window);
    } else {
        MPI_Win_fence(0, window);
    }
}

static double *at(double *grid, int i, int j, int k) { return grid + ((size_t)i * (size_t)edge + (size_t)j) * (size_t)edge + k; }

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    points = argc > 1 ? atoi(argv[1]) : 64;
    edge = points + 2;
    int exchanges = argc > 2 ? atoi(argv[2]) : 300, you = 1 - rank;
    size_t bytes = (size_t)edge * (size_t)edge * (size_t)edge * sizeof(double);
    double *times[WAYS], *grids[WAYS];
    MPI_Win windows[WAYS];
    MPI_Group world;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &you, &other);
    for (int i = 0; i < FACES; i++) {
        from[i] = face(i, 1);
        to[i] = face(i, edge - 1);
    }
    for (int way = 0; way < WAYS; way++) {
        times[way] = malloc((size_t)exchanges * sizeof(double));
        if (way == 2 || way == 4) {
            MPI_Win_allocate((MPI_Aint)bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &grids[way], &windows[way]);
        } else {
            grids[way] = malloc(bytes);
            MPI_Win_create(grids[way], (MPI_Aint)bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &windows[way]);
        }
        for (size_t i = 0; i < bytes / sizeof(double); i++) grids[way][i] = -1;
        if (way == 1 || way == 2) MPI_Win_fence(0, windows[way]);
    }
    for (int n = 0; n < exchanges; n++)
        for (int way = 0; way < WAYS; way++) {
            double *grid = grids[way];
            for (int i = 1; i <= points; i++) *at(grid, 1, i, i) = *at(grid, i, 1, i) = *at(grid, i, i, 1) = rank + 2 * n + i;
            MPI_Barrier(MPI_COMM_WORLD);
            double begin = MPI_Wtime();
            exchange(way, grid, windows[way]);
            times[way][n] = MPI_Wtime() - begin;
            for (int i = 1; i <= points; i++) {
                double wanted = 1 - rank + 2 * n + i;
                if (*at(grid, edge - 1, i, i) != wanted || *at(grid, i, edge - 1, i) != wanted || *at(grid, i, i, edge - 1) != wanted)
                    MPI_Abort(MPI_COMM_WORLD, 1);
            }
        }
    for (int way = 0; way < WAYS; way++) {
        int half = exchanges / 2;
        qsort(times[way] + half, (size_t)(exchanges - half), sizeof(double), by_size);
        if (rank == 0) printf("TIME;%s;%.3f\n", ways[way], times[way][half + (exchanges - half) / 2] * 1e6);
        MPI_Win_free(&windows[way]);
    }
    MPI_Finalize();
    return 0;
}
