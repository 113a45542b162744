/* Gives the core away while MPICH waits: for measuring with more ranks than cores.
 *
 * MPICH over UCX polls until the scheduler takes the core away, 4 ms later; every time is then a multiple of that. Preloaded, this
 * sleeps for 20 us after every 200 polls that found nothing, as Open MPI's mpi_yield_when_idle gives the core away.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/prctl.h>
#include <time.h>

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*next)(void *);
    static __thread unsigned idle;
    if (!next) {
        next = (unsigned (*)(void *))dlsym(RTLD_NEXT, "ucp_worker_progress");
        prctl(PR_SET_TIMERSLACK, 1000UL); /* ns; by default naps last 50 us longer */
    }
    unsigned events = next(worker);
    if (events) {
        idle = 0;
    } else if (++idle > 200) {
        struct timespec nap = {0, 20000};
        idle = 0;
        nanosleep(&nap, NULL);
    }
    return events;
}
