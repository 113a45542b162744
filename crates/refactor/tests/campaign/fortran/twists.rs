//! Lines that may make it wrong to take the copies away.

use super::super::{Phase, Twist};
use Phase::{Between, Last, Pending};

pub const TWISTS: &[Twist] = &[
    Twist { name: "nothing", phases: &[Last], text: "", needs: "" },
    Twist { name: "other work", phases: &[Between, Pending, Last], text: "t = t + 1", needs: "" },
    Twist {
        name: "another array written",
        phases: &[Between, Pending],
        text: "v(1:60) = v(1:60) + 3",
        needs: "",
    },
    Twist {
        name: "the array written",
        phases: &[Between, Pending],
        text: "do x = 1, 60\nu(x) = u(x) + 100\nend do",
        needs: "",
    },
    Twist {
        name: "the array read",
        phases: &[Between, Pending],
        text: "t = t + sum(u(1:9))",
        needs: "",
    },
    Twist {
        name: "the array written by a callee",
        phases: &[Between, Pending],
        text: "call add@(u)",
        needs: "",
    },
    Twist {
        name: "the array written by an internal procedure",
        phases: &[Between, Pending],
        text: "call inside_add@()",
        needs: "",
    },
    Twist {
        name: "the array written through a pointer",
        phases: &[Between, Pending],
        text: "w => u\nw(1:60) = w(1:60) + 50\nnullify(w)",
        needs: "double precision, pointer :: w(:)",
    },
    Twist {
        name: "the array written by its associate name",
        phases: &[Between, Pending],
        text: "associate (y => u)\ny(1:60) = y(1:60) + 50\nend associate",
        needs: "",
    },
    Twist {
        name: "the index list written",
        phases: &[Between, Pending],
        text: "do x = 1, 60\nlist(x) = x\nend do",
        needs: "",
    },
    Twist {
        name: "a bound changed",
        phases: &[Between, Pending],
        text: "if (m > 2) n = n / 2",
        needs: "",
    },
    Twist {
        name: "a bound changed by an internal procedure",
        phases: &[Between, Pending],
        text: "call inside_bound@()",
        needs: "",
    },
    Twist {
        name: "a bound changed by a list of variables",
        phases: &[Between, Pending],
        text: "if (m > 2) read (line, nml=all)",
        needs: "character(len=20) :: line = '&all n = 1 /'\nnamelist /all/ n",
    },
    Twist {
        name: "a bound changed by a list of variables that is no keyword",
        phases: &[Between, Pending],
        text: "if (m > 2) read (line2, all2)",
        needs: "character(len=20) :: line2 = '&all2 n = 1 /'\nnamelist /all2/ n",
    },
    Twist {
        name: "another bound changed",
        phases: &[Between, Pending],
        text: "m = m / 2",
        needs: "",
    },
    Twist { name: "the buffer written", phases: &[Between], text: "b(1) = 7", needs: "" },
    Twist {
        name: "the buffer written by a callee",
        phases: &[Between],
        text: "call set@(b)",
        needs: "",
    },
    Twist {
        name: "the buffer written by an internal procedure",
        phases: &[Between],
        text: "call inside_set@()",
        needs: "",
    },
    Twist {
        name: "the buffer read",
        phases: &[Between, Last],
        text: "if (SOME) t = t + b(1)",
        needs: "",
    },
    Twist {
        name: "the buffer read by a callee",
        phases: &[Last],
        text: "if (SOME) t = t + first@(b)",
        needs: "",
    },
    Twist {
        name: "the buffer read by an internal procedure",
        phases: &[Last],
        text: "if (SOME) call inside_read@()",
        needs: "",
    },
    Twist {
        name: "the buffer sent again",
        phases: &[Last],
        text: "call mpi_send(b, COUNT, mpi_double_precision, peer, 5, comm, ierr)",
        needs: "",
    },
    Twist {
        name: "the buffer packed and sent again",
        phases: &[Last],
        text: "do x = 1, n\nb(x) = v(2 * x)\nend do\n\
            call mpi_send(b, n, mpi_double_precision, peer, 6, comm, ierr)",
        needs: "",
    },
    Twist {
        name: "the buffer received into and unpacked again",
        phases: &[Last],
        text: "call mpi_recv(b, n, mpi_double_precision, peer, 6, comm, mpi_status_ignore, ierr)\n\
            do x = 1, n\nv(2 * x) = b(x)\nend do",
        needs: "",
    },
    Twist { name: "an index read", phases: &[Between, Last], text: "t = t + LEFT", needs: "" },
    Twist {
        name: "an index read by an internal procedure",
        phases: &[Last],
        text: "call inside_index@()",
        needs: "",
    },
    Twist {
        name: "another send of the array",
        phases: &[Between, Pending, Last],
        text: "call mpi_send(u, 30, mpi_double_precision, peer, 7, comm, ierr)",
        needs: "",
    },
    Twist {
        name: "a receive into the array",
        phases: &[Between, Pending],
        text: "call mpi_recv(u, 30, mpi_double_precision, peer, 7, comm, mpi_status_ignore, ierr)",
        needs: "",
    },
    Twist {
        name: "the array written under OpenMP",
        phases: &[Between, Pending],
        text: "!$ u(1:60) = u(1:60) + 40",
        needs: "!$ integer :: threads",
    },
    Twist {
        name: "a bound changed under OpenMP",
        phases: &[Between, Pending],
        text: "!$ n = &\n!$ & n / 2",
        needs: "",
    },
    Twist { name: "left early", phases: &[Between], text: "if (m == 3) return", needs: "" },
    Twist {
        name: "the common block written",
        phases: &[Between, Pending],
        text: "call common@()",
        needs: "",
    },
    Twist {
        name: "equivalent storage written",
        phases: &[Between],
        text: "whole = 3\nt = t + whole(2)",
        needs: "integer :: whole(800)\nequivalence (b, whole)",
    },
];
