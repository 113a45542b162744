// An error handler that throws, and one that jumps: calls that fail end so, and messages after them are whole. Prints the calls
// that did not end as they should, and how often they did.
#define MPICH_SKIP_MPICXX
#define OMPI_SKIP_MPICXX
#include <mpi.h>

#include <csetjmp>
#include <cstdio>
#include <stdexcept>
#include <vector>

static bool jumps;
static std::jmp_buf back;
static int ended;

static void handler(MPI_Comm *, int *, ...)
{
    if (jumps)
        std::longjmp(back, 1);
    throw std::runtime_error("MPI");
}

template <class Call> static void fails(const char *what, Call call)
{
    if (jumps) {
        if (setjmp(back) == 0)
            call();
        else {
            ended++;
            return;
        }
    } else
        try {
            call();
        } catch (const std::runtime_error &) {
            ended++;
            return;
        }
    std::printf("%s: returns\n", what);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Errhandler throwing;
    MPI_Comm_create_errhandler(handler, &throwing);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, throwing);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, throwing);
    std::vector<int> from(4000), into(4000);
    MPI_Datatype type;
    MPI_Type_vector(1000, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    void *a = from.data(), *b = into.data();
    MPI_Comm self = MPI_COMM_SELF;
    int wrong = 0;
    for (int turn = 0; turn < 40; turn++) {
        jumps = turn % 2;
        MPI_Request sent, received;
        fails("MPI_Send of integers", [&] { MPI_Send(a, 10, MPI_INT, 99, 0, self); });
        fails("MPI_Send of vectors", [&] { MPI_Send(a, 1, type, 99, 0, self); });
        fails("MPI_Isend of vectors", [&] { MPI_Isend(a, 1, type, 99, 0, self, &sent); });
        fails("MPI_Recv of vectors", [&] { MPI_Recv(b, 1, type, 99, 0, self, MPI_STATUS_IGNORE); });
        fails("MPI_Send of less than nothing", [&] { MPI_Send(a, -1, type, 0, 0, self); });
        fails("MPI_Bcast of vectors", [&] { MPI_Bcast(a, 1, type, 77, self); });
        fails("MPI_Sendrecv of vectors", [&] { MPI_Sendrecv(a, 1, type, 99, 0, b, 1, type, 0, 0, self, MPI_STATUS_IGNORE); });
        MPI_Isend(a, 1, type, 0, 1, self, &sent);
        fails("MPI_Recv of what is too long", [&] { MPI_Recv(b, 10, MPI_INT, 0, 1, self, MPI_STATUS_IGNORE); });
        MPI_Wait(&sent, MPI_STATUS_IGNORE);
        MPI_Isend(a, 2, type, 0, 2, self, &sent);
        fails("MPI_Recv of vectors that are too long", [&] { MPI_Recv(b, 1, type, 0, 2, self, MPI_STATUS_IGNORE); });
        MPI_Wait(&sent, MPI_STATUS_IGNORE);
        MPI_Irecv(b, 1, type, 0, 3, self, &received);
        fails("MPI_Wait of vectors that are too long", [&] {
            MPI_Isend(a, 2, type, 0, 3, self, &sent);
            MPI_Wait(&received, MPI_STATUS_IGNORE);
        });
        MPI_Wait(&sent, MPI_STATUS_IGNORE);
        for (int i = 0; i < 4000; i++)
            from[i] = turn + i;
        into.assign(4000, 0);
        MPI_Sendrecv(a, 1, type, 0, 4, b, 1, type, 0, 4, self, MPI_STATUS_IGNORE);
        for (int i = 0; i < 1000; i++)
            wrong += into[2 * i] != turn + 2 * i || into[2 * i + 1] != 0;
    }
    std::printf("%d ended, %d wrong\n", ended, wrong);
    MPI_Type_free(&type);
    MPI_Errhandler_free(&throwing);
    MPI_Finalize();
    return 0;
}
