//! Lines that may make it wrong to take the copies away.

use super::super::{Phase, Twist};
use Phase::{Between, Last, Pending};

pub const TWISTS: &[Twist] = &[
    Twist { name: "nothing", phases: &[Last], text: "", needs: "" },
    Twist { name: "other work", phases: &[Between, Pending, Last], text: "t += 1;", needs: "" },
    Twist {
        name: "another array written",
        phases: &[Between, Pending],
        text: "for (int x = 0; x < 60; x++)\nv[x] += 3;",
        needs: "",
    },
    Twist {
        name: "the array written",
        phases: &[Between, Pending],
        text: "for (int x = 0; x < 60; x++)\nu[x] += 100;",
        needs: "",
    },
    Twist {
        name: "the array read",
        phases: &[Between, Pending],
        text: "t += u[0] + u[1] + u[2];",
        needs: "",
    },
    Twist {
        name: "the array written by a callee",
        phases: &[Between, Pending],
        text: "add@(u);",
        needs: "",
    },
    Twist {
        name: "the array written through an alias",
        phases: &[Between, Pending],
        text: "{ double *w = u + 1;\nfor (int x = 0; x < 50; x++)\nw[x] += 50; }",
        needs: "",
    },
    Twist {
        name: "the array written through a chosen pointer",
        phases: &[Between, Pending],
        text: "{ double *w = m > 2 ? u : v;\nw[0] += 5; w[1] += 5; w[2] += 5; }",
        needs: "",
    },
    Twist {
        name: "the array written through a pointer to a pointer",
        phases: &[Between, Pending],
        text: "*pw = u; w[0] += 5; w[1] += 5; w[2] += 5;",
        needs: "double *w = v, **pw = &w;",
    },
    Twist {
        name: "the array written through a pointer that a callee set",
        phases: &[Between, Pending],
        text: "aim@(&w2, u); w2[0] += 5; w2[1] += 5; w2[2] += 5;",
        needs: "double *w2 = v;",
    },
    Twist {
        name: "the array written through a global pointer",
        phases: &[Between, Pending],
        text: "poke@();",
        needs: "known@ = u;",
    },
    Twist {
        name: "the array written through a structure",
        phases: &[Between, Pending],
        text: "add_in@(&x1);",
        needs: "struct box@ x1 = {u, 1};",
    },
    Twist {
        name: "the array written by memcpy",
        phases: &[Between, Pending],
        text: "memcpy(u, v, 30 * sizeof(double));",
        needs: "",
    },
    Twist {
        name: "the array written through a number",
        phases: &[Between, Pending],
        text: "((double *)at)[0] += 5; ((double *)at)[1] += 5; ((double *)at)[2] += 5;",
        needs: "unsigned long at = (unsigned long)u;",
    },
    Twist {
        name: "the index list written",
        phases: &[Between, Pending],
        text: "for (int x = 0; x < 60; x++)\nlist[x] = x;",
        needs: "",
    },
    Twist {
        name: "a bound changed",
        phases: &[Between, Pending],
        text: "if (m > 2)\nn = n / 2;",
        needs: "",
    },
    Twist {
        name: "a bound changed through a pointer",
        phases: &[Between, Pending],
        text: "if (m > 2)\n*pn = n / 2;",
        needs: "int *pn = &n;",
    },
    Twist {
        name: "another bound changed",
        phases: &[Between, Pending],
        text: "m = m / 2;",
        needs: "",
    },
    Twist { name: "the buffer written", phases: &[Between], text: "b[0] = 7;", needs: "" },
    Twist {
        name: "the buffer scaled",
        phases: &[Between],
        text: "for (int x = 0; x < COUNT; x++)\nb[x] *= 2;",
        needs: "",
    },
    Twist {
        name: "the buffer written through an alias",
        phases: &[Between],
        text: "{ double *w3 = b; w3[0] = 7; }",
        needs: "",
    },
    Twist {
        name: "the buffer written through a chosen pointer",
        phases: &[Between],
        text: "{ double *w4 = m > 2 ? b : v; w4[0] = 7; }",
        needs: "",
    },
    Twist {
        name: "the buffer written by a callee",
        phases: &[Between],
        text: "set@(b);",
        needs: "",
    },
    Twist {
        name: "the buffer read",
        phases: &[Between, Last],
        text: "if (SOME)\nt += b[0];",
        needs: "",
    },
    Twist {
        name: "the buffer read by a callee",
        phases: &[Last],
        text: "if (SOME)\nt += first@(b);",
        needs: "",
    },
    Twist {
        name: "the buffer read through an alias",
        phases: &[Last],
        text: "if (SOME) {\ndouble *w5 = b;\nt += w5[0];\n}",
        needs: "",
    },
    Twist {
        name: "the buffer read through a structure",
        phases: &[Last],
        text: "if (SOME)\nt += x2.p[0];",
        needs: "struct box@ x2 = {b, 1};",
    },
    Twist {
        name: "the buffer copied out",
        phases: &[Last],
        text: "if (SOME)\nmemcpy(v + 100, b, sizeof(double));",
        needs: "",
    },
    Twist {
        name: "the buffer sent again",
        phases: &[Last],
        text: "MPI_Send(b, COUNT, MPI_DOUBLE, peer, 5, comm);",
        needs: "",
    },
    Twist {
        name: "the buffer packed and sent again",
        phases: &[Last],
        text: "for (int x = 0; x < n; x++)\nb[x] = v[2 * x];\n\
            MPI_Send(b, n, MPI_DOUBLE, peer, 6, comm);",
        needs: "",
    },
    Twist {
        name: "the buffer received into and unpacked again",
        phases: &[Last],
        text: "MPI_Recv(b, n, MPI_DOUBLE, peer, 6, comm, MPI_STATUS_IGNORE);\n\
            for (int x = 0; x < n; x++)\nv[2 * x] = b[x];",
        needs: "",
    },
    Twist {
        name: "unpacked where perhaps nothing was received",
        phases: &[Last],
        text: "if (m > 3)\nMPI_Recv(b, n, MPI_DOUBLE, peer, 6, comm, MPI_STATUS_IGNORE);\n\
            if (COUNT >= n)\nfor (int x = 0; x < n; x++)\nv[2 * x] = b[x];",
        needs: "",
    },
    Twist { name: "an index read", phases: &[Between, Last], text: "t += LEFT;", needs: "" },
    Twist {
        name: "an index read through a pointer",
        phases: &[Last],
        text: "t += *pk;",
        needs: "int *pk = &LEFT;",
    },
    Twist {
        name: "another send of the array",
        phases: &[Between, Pending, Last],
        text: "MPI_Send(u, 30, MPI_DOUBLE, peer, 7, comm);",
        needs: "",
    },
    Twist {
        name: "a receive into the array",
        phases: &[Between, Pending],
        text: "MPI_Recv(u, 30, MPI_DOUBLE, peer, 7, comm, MPI_STATUS_IGNORE);",
        needs: "",
    },
    Twist { name: "left early", phases: &[Between], text: "if (m == 3)\nreturn t;", needs: "" },
    Twist {
        name: "the requests swapped",
        phases: &[Pending],
        text: "{ MPI_Request held = r[0];\nr[0] = r[1];\nr[1] = held;\n\
            MPI_Wait(&r[0], MPI_STATUS_IGNORE);\nfor (int x = 0; x < 60; x++)\nu[x] += 9;\n\
            held = r[0];\nr[0] = r[1];\nr[1] = held; }",
        needs: "",
    },
    Twist {
        name: "the request kept elsewhere",
        phases: &[Pending],
        text: "{ MPI_Request all[2];\nmemcpy(all, r, sizeof r);\nr[0] = r[1] = MPI_REQUEST_NULL;\n\
            MPI_Waitall(2, r, MPI_STATUSES_IGNORE);\nfor (int x = 0; x < 60; x++)\nu[x] += 9;\n\
            memcpy(r, all, sizeof r); }",
        needs: "",
    },
    Twist {
        name: "a pointer to the request stepped",
        phases: &[Pending],
        text: "{ MPI_Request *next = r;\nMPI_Request held = *next;\n*next++ = *(r + 1);\n\
            *next = held;\nMPI_Wait(r, MPI_STATUS_IGNORE);\nfor (int x = 0; x < 60; x++)\n\
            u[x] += 9;\n*next = *r;\n*r = held; }",
        needs: "",
    },
    Twist {
        name: "passed through a function",
        phases: &[Between],
        text: "m = back@(m);",
        needs: "",
    },
];
