/* Loaded into MPI programs over UCX by scripts/test-mpich: ranks that wait poll, and with more of them
 * than cores a test takes minutes. Where 200 looks for news found none, the rank sleeps for 20 us. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
unsigned ucp_worker_progress(void *worker) {
    static unsigned (*progress)(void *);
    static _Thread_local unsigned idle;
    if (!progress) progress = (unsigned (*)(void *))dlsym(RTLD_NEXT, "ucp_worker_progress");
    unsigned done = progress(worker);
    idle = done ? 0 : idle + 1;
    if (idle > 200) { struct timespec nap = {0, 20000}; nanosleep(&nap, 0); }
    return done;
}
