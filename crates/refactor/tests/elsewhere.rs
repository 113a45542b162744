//! Arrays of modules of Fortran whose bounds one `allocate` in another procedure gives.

mod harness;

use harness::only_outcome;

/// The parts of a program with a send from `b(2, n)`, which `start` allocates.
struct Text<'t> {
    /// In the module.
    declared: &'t str,
    start: &'t str,
    /// In the procedure with the send, before the copies.
    before: &'t str,
    more: &'t str,
}

const PLAIN: Text<'_> =
    Text { declared: "integer :: n", start: "n = k\n allocate(b(2, n))", before: "", more: "" };

fn outcome(text: &Text<'_>) -> String {
    let Text { declared, start, before, more } = text;
    let text = format!(
        "module m\n use mpi\n {declared}\n double precision, allocatable :: b(:,:)\n contains\n\
         subroutine start(k)\n integer :: k\n {start}\n end subroutine\n\
         subroutine post(u)\n double precision :: u(0:n+1, n)\n integer :: i, j, ierr\n {before}\n\
         do j = 1, n\n do i = 1, 2\n b(i, j) = u(i, j)\n end do\n end do\n\
         call mpi_send(b, 2*n, mpi_double_precision, 1, 0, mpi_comm_world, ierr)\n\
         end subroutine\n{more}\nend module\n"
    );
    outcome_of(&text)
}

fn outcome_of(text: &str) -> String {
    only_outcome("a.f90", text.to_owned())
}

#[test]
fn one_allocate_says_the_bounds() {
    let vector = "vector(n, 2, n + 2) of mpi_double_precision";
    assert_eq!(outcome(&PLAIN), vector);
    for start in [
        "n = 2 * k\n deallocate(b)\n allocate(b(2, n))",
        "if (k > 3) then\n n = 3\n else\n n = k\n end if\n allocate(b(1:2, 1:n))",
        "n = k\n allocate(b(2, n))\n call mpi_barrier(mpi_comm_world, k)",
    ] {
        assert_eq!(outcome(&Text { start, ..PLAIN }), vector, "{start}");
    }
    let host = "program p\n use mpi\n integer :: n\n double precision, allocatable :: b(:,:)\n\
        call start(3)\n call post(w)\n contains\n\
        subroutine start(k)\n integer :: k\n n = k\n allocate(b(2, n))\n end subroutine\n\
        subroutine post(u)\n double precision :: u(0:n+1, n)\n integer :: i, j, ierr\n\
        do j = 1, n\n do i = 1, 2\n b(i, j) = u(i, j)\n end do\n end do\n\
        call mpi_send(b, 2*n, mpi_double_precision, 1, 0, mpi_comm_world, ierr)\n\
        end subroutine\nend program\n";
    assert_eq!(outcome_of(host), vector);
    assert_eq!(outcome_of(&host.replace("call post(w)", "n = 7\n call post(w)")), "E-COVER");
    let more = "subroutine finish()\n deallocate(b)\n end subroutine";
    assert_eq!(outcome(&Text { more, ..PLAIN }), vector);
}

#[test]
fn bounds_that_may_be_others_are_refused() {
    for start in [
        "allocate(b(2, n))\n n = k",
        "n = k\n if (k > 2) allocate(b(2, n))",
        "n = k\n if (.not. allocated(b)) allocate(b(2, n))",
        "n = k\n if (k > 2) return\n allocate(b(2, n))",
        "n = k\n allocate(b(2, n), stat=i)",
        "n = k\n call post(u2)\n allocate(b(2, n))",
        "n = k\n allocate(b(2, k))",
        "n = k\n allocate(b(2, n))\n n = n - 1",
        "do i = 1, 2\n n = i\n allocate(b(2, n))\n deallocate(b)\n end do",
        "n = k\n allocate(b(0:2, n))",
        "n = k\n allocate(b(3, n))",
        "n = k\n if (k > 1) goto 10\n allocate(b(2, n))\n 10 continue",
    ] {
        assert_eq!(outcome(&Text { start, ..PLAIN }), "E-COVER", "{start}");
    }
    for more in [
        "subroutine other()\n n = n + 1\n end subroutine",
        "subroutine other()\n read(*,*) n\n end subroutine",
        "subroutine other()\n call change(n)\n end subroutine\n\
         subroutine change(k)\n integer :: k\n k = 3\n end subroutine",
        "subroutine other()\n external :: unknown\n call unknown(n)\n end subroutine",
        "subroutine other()\n call mpi_bcast(n, 1, mpi_integer, 0, mpi_comm_world, n)\n\
         end subroutine",
        "subroutine other()\n do n = 1, 3\n end do\n end subroutine",
        "subroutine other()\n namelist /all/ n\n read(*, nml=all)\n end subroutine",
        "subroutine other()\n allocate(b(4, 4))\n end subroutine",
        "subroutine other()\n b = reshape([1d0, 2d0], [1, 2])\n end subroutine",
        "subroutine other(c)\n double precision, allocatable :: c(:,:)\n\
         call move_alloc(c, b)\n end subroutine",
        "subroutine other()\n call give(b)\n end subroutine\n\
         subroutine give(c)\n double precision, allocatable :: c(:,:)\n\
         allocate(c(3, 3))\n end subroutine",
    ] {
        assert_eq!(outcome(&Text { more, ..PLAIN }), "E-COVER", "{more}");
    }
    for declared in ["integer, target :: n", "integer :: n, l\n equivalence (n, l)"] {
        assert_eq!(outcome(&Text { declared, ..PLAIN }), "E-COVER", "{declared}");
    }
    // What is written here is no longer what the array was allocated with.
    let before = "n = n + 1";
    assert_eq!(outcome(&Text { before, ..PLAIN }), "E-COVER");
}
