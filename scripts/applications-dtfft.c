/* Transposes of a cube of doubles from x to y to z pencils and back, by dtFFT: what they take, and the bytes that each rank has in between.

       program N ROUNDS BACKEND      BACKEND: datatype (MPI's types), p2p, fused or a2a (dtFFT packs itself)

   Prints `seconds: S` of all rounds, and `bytes: H` of each rank, which must not depend on the backend. */
#include <dtfft.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dtfft_backend_t backend_of(const char *name) {
  if (!strcmp(name, "datatype")) return DTFFT_BACKEND_MPI_DATATYPE;
  if (!strcmp(name, "p2p")) return DTFFT_BACKEND_MPI_P2P;
  if (!strcmp(name, "fused")) return DTFFT_BACKEND_MPI_P2P_FUSED;
  if (!strcmp(name, "a2a")) return DTFFT_BACKEND_MPI_A2A;
  fprintf(stderr, "no backend is called '%s'\n", name);
  exit(2);
}

/* FNV-1a. */
static uint64_t hash(uint64_t sum, const void *data, size_t bytes) {
  const unsigned char *byte = data;
  for (size_t i = 0; i < bytes; i++) sum = (sum ^ byte[i]) * 1099511628211u;
  return sum;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc != 4) {
    fprintf(stderr, "usage: %s N ROUNDS BACKEND\n", argv[0]);
    return 2;
  }
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int32_t n = atoi(argv[1]), cube[3] = {n, n, n};
  long rounds = atol(argv[2]);

  dtfft_config_t config;
  DTFFT_CALL(dtfft_create_config(&config))
  config.backend = backend_of(argv[3]);
  config.enable_z_slab = false;
  DTFFT_CALL(dtfft_set_config(&config))
  dtfft_plan_t plan;
  DTFFT_CALL(dtfft_create_plan_r2r(3, cube, NULL, MPI_COMM_WORLD, DTFFT_DOUBLE, DTFFT_ESTIMATE, DTFFT_EXECUTOR_NONE, &plan))

  size_t bytes;
  double *a, *b, *aux;
  DTFFT_CALL(dtfft_get_alloc_bytes(plan, &bytes))
  DTFFT_CALL(dtfft_mem_alloc(plan, bytes, (void **)&a))
  DTFFT_CALL(dtfft_mem_alloc(plan, bytes, (void **)&b))
  DTFFT_CALL(dtfft_mem_alloc(plan, bytes, (void **)&aux))
  dtfft_pencil_t pencil[3];
  DTFFT_CALL(dtfft_get_pencil(plan, DTFFT_LAYOUT_X_PENCILS, &pencil[0]))
  DTFFT_CALL(dtfft_get_pencil(plan, DTFFT_LAYOUT_Y_PENCILS, &pencil[1]))
  DTFFT_CALL(dtfft_get_pencil(plan, DTFFT_LAYOUT_Z_PENCILS, &pencil[2]))
  for (size_t i = 0; i < pencil[0].size; i++) a[i] = (double)rank * 1e9 + (double)i;

  uint64_t sum = 14695981039346656037u;
  double spent = 0;
  for (long round = 0; round < rounds; round++) {
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    DTFFT_CALL(dtfft_transpose(plan, a, b, DTFFT_TRANSPOSE_X_TO_Y, aux))
    DTFFT_CALL(dtfft_transpose(plan, b, a, DTFFT_TRANSPOSE_Y_TO_Z, aux))
    spent += MPI_Wtime() - start;
    if (round == 0 || round == rounds - 1) sum = hash(sum, a, pencil[2].size * sizeof(double));
    start = MPI_Wtime();
    DTFFT_CALL(dtfft_transpose(plan, a, b, DTFFT_TRANSPOSE_Z_TO_Y, aux))
    DTFFT_CALL(dtfft_transpose(plan, b, a, DTFFT_TRANSPOSE_Y_TO_X, aux))
    spent += MPI_Wtime() - start;
  }
  sum = hash(sum, a, pencil[0].size * sizeof(double));

  double longest;
  MPI_Reduce(&spent, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  for (int each = 0; each < ranks; each++) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (each == rank) printf("bytes: %d %016llx\n", rank, (unsigned long long)sum);
    fflush(stdout);
  }
  if (rank == 0) printf("seconds: %.6f\n", longest);
  DTFFT_CALL(dtfft_mem_free(plan, a))
  DTFFT_CALL(dtfft_mem_free(plan, b))
  DTFFT_CALL(dtfft_mem_free(plan, aux))
  DTFFT_CALL(dtfft_destroy(&plan))
  MPI_Finalize();
  return 0;
}
