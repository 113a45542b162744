//! Programs of C.

use commloom_refactor::source::Language;

use super::{Phase, Program, Rng, Shape, Twist, filled, one, placed};
use Phase::{Between, First, Last, Pending};

const SHAPES: &[Shape] = &[
    Shape {
        name: "vector",
        declared: "",
        pack: "for (int i = 0; i < n; i++)\nb[i] = u[3 * i + 1];",
        unpack: "for (int i = 0; i < n; i++)\nu[3 * i + 1] = b[i];",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "running index",
        declared: "int k = 0;",
        pack: "k = 0;\nfor (int j = 0; j < m; j++)\nfor (int i = 0; i < n; i++)\n\
            b[k++] = u[20 * j + i];",
        unpack: "k = 0;\nfor (int j = 0; j < m; j++)\nfor (int i = 0; i < n; i++)\n\
            u[20 * j + i] = b[k++];",
        count: "n * m",
        some: "n * m > 0",
        left: Some("k"),
    },
    Shape {
        name: "outer index",
        declared: "int i = 0;",
        pack: "for (i = 0; i < n; i++)\nb[i] = u[2 * i];",
        unpack: "for (i = 0; i < n; i++)\nu[2 * i] = b[i];",
        count: "n",
        some: "n > 0",
        left: Some("i"),
    },
    Shape {
        name: "memcpy",
        declared: "",
        pack: "for (int i = 0; i < n; i++)\nmemcpy(b + 4 * i, u + 20 * i + 2, 4 * sizeof(double));",
        unpack: "for (int i = 0; i < n; \
            i++)\nmemcpy(u + 20 * i + 2, b + 4 * i, 4 * sizeof(double));",
        count: "4 * n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "index list",
        declared: "",
        pack: "for (int i = 0; i < n; i++)\nb[i] = u[list[i]];",
        unpack: "for (int i = 0; i < n; i++)\nu[list[i]] = b[i];",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "two arrays",
        declared: "",
        pack: "for (int i = 0; i < n; i++) {\nb[2 * i] = u[i];\nb[2 * i + 1] = v[i + 5];\n}",
        unpack: "for (int i = 0; i < n; i++) {\nu[i] = b[2 * i];\nv[i + 5] = b[2 * i + 1];\n}",
        count: "2 * n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "downwards",
        declared: "int k = 0;",
        pack: "k = 0;\nfor (int i = n - 1; i >= 0; i--)\nb[k++] = u[2 * i + 1];",
        unpack: "k = 0;\nfor (int i = n - 1; i >= 0; i--)\nu[2 * i + 1] = b[k++];",
        count: "n",
        some: "n > 0",
        left: Some("k"),
    },
    Shape {
        name: "pointer",
        declared: "double *q = b;",
        pack: "q = b;\nfor (int i = 0; i < n; i++)\n*q++ = u[5 * i];",
        unpack: "q = b;\nfor (int i = 0; i < n; i++)\nu[5 * i] = *q++;",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "two loops",
        declared: "int k = 0;",
        pack: "k = 0;\nfor (int i = 0; i < n; i++)\nb[k++] = u[2 * i];\n\
            for (int i = 0; i < m; i++)\nb[k++] = u[40 + i];",
        unpack: "k = 0;\nfor (int i = 0; i < n; i++)\nu[2 * i] = b[k++];\n\
            for (int i = 0; i < m; i++)\nu[40 + i] = b[k++];",
        count: "n + m",
        some: "n + m > 0",
        left: Some("k"),
    },
    Shape {
        name: "after a loop",
        declared: "int k = 0, j = 0;",
        pack: "k = 0;\nfor (j = 3; j < m; j++)\nb[k++] = u[2 * j];\nfor (int i = 0; i < n; i++)\n\
            b[k++] = u[40 + 9 * j + i];",
        unpack: "k = 0;\nfor (j = 3; j < m; j++)\nu[2 * j] = b[k++];\n\
            for (int i = 0; i < n; i++)\nu[40 + 9 * j + i] = b[k++];",
        count: "(m > 3 ? n + m - 3 : n)",
        some: "n > 0",
        left: Some("j"),
    },
    Shape {
        name: "branches",
        declared: "int k = 0;",
        pack: "k = 0;\nif (m > 3)\nfor (int i = 0; i < n; i++)\nb[k++] = u[i];\nelse\n\
            for (int i = 0; i < n; i++)\nb[k++] = u[3 * i];",
        unpack: "k = 0;\nif (m > 3)\nfor (int i = 0; i < n; i++)\nu[i] = b[k++];\nelse\n\
            for (int i = 0; i < n; i++)\nu[3 * i] = b[k++];",
        count: "n",
        some: "n > 0",
        left: Some("k"),
    },
    Shape {
        name: "rows",
        declared: "double (*a)[20] = (double (*)[20])u;",
        pack: "for (int i = 0; i < n; i++)\nb[i] = a[i][m];",
        unpack: "for (int i = 0; i < n; i++)\na[i][m] = b[i];",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "structures",
        declared: "struct two@ { double x, y; } *a = (struct two@ *)u;",
        pack: "for (int i = 0; i < n; i++)\nb[i] = a[i].y;",
        unpack: "for (int i = 0; i < n; i++)\na[i].y = b[i];",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "cast",
        declared: "",
        pack: "for (int i = 0; i < n; i++)\nb[i] = u[((size_t)i + 1) * 3 + m];",
        unpack: "for (int i = 0; i < n; i++)\nu[((size_t)i + 1) * 3 + m] = b[i];",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "macro",
        declared: "int k = 0;",
        pack: "k = 0;\nfor (int j = 1; j < DEPTH@; j++)\nfor (int i = 0; i < n; i++)\n\
            b[k++] = CELL@(j - 1, i);",
        unpack: "k = 0;\nfor (int j = 1; j < DEPTH@; j++)\nfor (int i = 0; i < n; i++)\n\
            CELL@(j - 1, i) = b[k++];",
        count: "n * (DEPTH@ - 1)",
        some: "n > 0",
        left: Some("k"),
    },
    Shape {
        name: "unsigned",
        declared: "",
        pack: "for (unsigned i = 0; i < (unsigned)n; i++)\nb[i] = u[i + 2];",
        unpack: "for (unsigned i = 0; i < (unsigned)n; i++)\nu[i + 2] = b[i];",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "wrapping index",
        declared: "unsigned far = 4294967290u;",
        pack: "for (int i = 0; i < n; i++)\nb[i] = u[far + 6u + 3u * (unsigned)i];",
        unpack: "for (int i = 0; i < n; i++)\nu[far + 6u + 3u * (unsigned)i] = b[i];",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "wrapping first",
        declared: "unsigned k = 0, near = 3;",
        pack: "k = 0;\nfor (unsigned i = near - 5u; i < near; i++)\nb[k++] = u[i];\n\
            for (int i = 0; i < n; i++)\nb[k++] = u[i];",
        unpack: "k = 0;\nfor (unsigned i = near - 5u; i < near; i++)\nu[i] = b[k++];\n\
            for (int i = 0; i < n; i++)\nu[i] = b[k++];",
        count: "n",
        some: "n > 0",
        left: None,
    },
    Shape {
        name: "sizes",
        declared: "size_t rows = 2;",
        pack: "for (size_t i = rows; i < rows + (size_t)n; i++)\nb[i - rows] = u[3 * (i - 1)];",
        unpack: "for (size_t i = rows; i < rows + (size_t)n; i++)\nu[3 * (i - 1)] = b[i - rows];",
        count: "n",
        some: "n > 0",
        left: None,
    },
];

const HELPERS: &str =
    "static int add@(double *a) { for (int x = 0; x < 60; x++) a[x] += 100; return 1; }
static void set@(double *a) { a[0] = 7; }
static double first@(const double *a) { return a[0]; }
static double *known@;
static void poke@(void) { known@[1] += 30; known@[0] += 30; known@[2] += 30; }
static void aim@(double **p, double *a) { *p = a; }
struct box@ { double *p; int n; };
static void add_in@(struct box@ *x) { x->p[0] += 9; x->p[1] += 9; x->p[2] += 9; }
static int back@(int n) { return n; }
#define CELL@(i, j) u[(long)(i) * 20 + (j)]
#define USUAL@ 3
#ifndef DEPTH@
#define DEPTH@ USUAL@
#endif
";

const TWISTS: &[Twist] = &[
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

/// The surroundings of copies and call.
const AROUND: &[(&str, &str)] = &[
    ("plain", "BODY"),
    ("loop", "for (int it = 0; it < 2; it++) {\nBODY\n}"),
    ("do while", "int it = 0;\ndo {\nBODY\n} while (++it < 2);"),
    ("condition", "if (m > 2) {\nBODY\n}"),
    ("one line", "if (m > 2) {\nBODY\n} else\nt += 2;"),
    ("switch", "switch (m) {\ncase 3: {\nBODY\nbreak;\n}\ndefault:\nt += 1;\n}"),
    ("goto", "if (m == 4)\ngoto end;\nBODY\nend:\nt += 0;"),
    ("block", "{\nBODY\n}"),
];

const BUFFERS: &[(&str, &str, &str)] = &[
    ("automatic", "double b[400];", ""),
    ("static", "static double b[400];", ""),
    ("allocated", "double *b = malloc(400 * sizeof(double));", "free(b);"),
    ("variable length", "double b[n * m + 4 * n + m + 4];", ""),
    ("global", "double *b = global@;", ""),
    ("in a structure", "struct in@ { int k; double b[400]; } in;\ndouble *b = in.b;", ""),
];

pub fn program(rng: &mut Rng, number: usize) -> Program {
    let shape = one(rng, SHAPES);
    let sends = rng.bool();
    let waits = rng.bool();
    let mut twists: Vec<&Twist> = Vec::new();
    let mut at = Vec::new();
    for _ in 0..*one(rng, &[0, 1, 1, 1, 1, 1, 2]) {
        let twist = one(rng, TWISTS);
        let phase = *one(rng, twist.phases);
        if (phase == Pending && !waits) || twists.iter().any(|t| t.name == twist.name) {
            continue;
        }
        at.push((twists.len(), phase));
        twists.push(twist);
    }
    let mut names: Vec<&'static str> = twists.iter().map(|t| t.name).collect();
    let place = |phase| placed(&twists, &at, phase, shape);
    let buffer = one(rng, BUFFERS);
    let mut count = shape.count.to_owned();
    let mut tag = "3".to_owned();
    let mut condition = "";
    let mut early = String::new();
    match rng.u8(..24) {
        0 => {
            names.push("an argument writes the array");
            tag = "add@(u)".into();
        }
        1 => {
            names.push("a condition writes the array");
            condition = "if (add@(u))\n";
        }
        2 if buffer.0 == "static" => {
            names.push("the buffer read at the beginning");
            early = "t += b[0];\n".into();
        }
        3 if sends => {
            names.push("fewer are sent");
            count = format!("({count} > 1 ? {count} - 1 : {count})");
        }
        4 if !sends => {
            names.push("more are received");
            count = format!("{count} + 1");
        }
        5 => {
            names.push("the call depends on a condition");
            condition = "if (m > 2)\n";
            // What is not received must be defined, too.
            early = "for (int x = 0; x < 12; x++)\nb[x] = 0.5 * x;\n".into();
            count = "(COUNT < 12 ? COUNT : 12)".replace("COUNT", shape.count);
        }
        _ => {}
    }
    if names.contains(&"the call depends on a condition") && !sends {
        // Shapes that need more would read what is not there.
        early = "memset(b, 0, (n * m + 4 * n + m + 4) * sizeof(double));\n".into();
        count = shape.count.to_owned();
    } else if names.contains(&"the call depends on a condition") {
        early.clear();
        count = shape.count.to_owned();
    }
    let requests = *one(rng, &["one", "one", "one", "array", "waitall", "other first"]);
    let (between, pending) = (place(Between), place(Pending));
    let body = body(&Parts {
        shape,
        sends,
        waits,
        count: &count,
        tag: &tag,
        condition,
        requests,
        between: &between,
        pending: &pending,
    });
    let around = one(rng, AROUND);
    let is_used = names.iter().any(|name| name.contains("buffer") || name.contains("unpacked"));
    if is_used && ["condition", "one line", "switch", "goto"].contains(&around.0) {
        // What comes later reads the buffer on all paths.
        early = "memset(b, 0, (n * m + 4 * n + m + 4) * sizeof(double));\n".into();
    }
    let whole = around.1.replace("BODY", &body);
    let needs: String = twists.iter().map(|t| filled(t.needs, shape) + "\n").collect();
    let restrict = if rng.bool() { "restrict " } else { "" };
    let text = format!(
        "#include <mpi.h>\n#include <stdlib.h>\n#include <string.h>\n\
         {HELPERS}static double global@[400];\n\
         double p@(double *{restrict}u, double *{restrict}v, int *list, int n, int m, int peer, \
         MPI_Comm comm)\n{{\n\
         double t = 0;\n{}\n{}\n{needs}{early}MPI_Request r[2] = {{MPI_REQUEST_NULL, \
         MPI_REQUEST_NULL}};\n\
         {whole}\n{}{}\nreturn t;\n}}\n",
        buffer.1,
        shape.declared,
        place(Last) + &place(First),
        buffer.2,
    );
    let text = indented(&text.replace('@', &number.to_string()));
    let what = match (sends, waits) {
        (true, false) => "send",
        (true, true) => "isend",
        (false, false) => "recv",
        (false, true) => "irecv",
    };
    let requests = if waits { format!(", requests: {requests}") } else { String::new() };
    let form = format!("{}, {what}{requests}, {}, {} buffer", shape.name, around.0, buffer.0);
    Program { number, language: Language::C, form, twists: names, text }
}

struct Parts<'a> {
    shape: &'a Shape,
    sends: bool,
    waits: bool,
    count: &'a str,
    tag: &'a str,
    condition: &'a str,
    requests: &'a str,
    between: &'a str,
    pending: &'a str,
}

fn body(p: &Parts<'_>) -> String {
    let (count, tag) = (p.count, p.tag);
    let name = if p.sends { "send" } else { "recv" };
    let request = if p.requests == "one" { "&r[0]" } else { "&r[1]" };
    let call = match (p.waits, p.sends) {
        (true, _) => format!("MPI_I{name}(b, {count}, MPI_DOUBLE, peer, {tag}, comm, {request});"),
        (false, true) => format!("MPI_Send(b, {count}, MPI_DOUBLE, peer, {tag}, comm);"),
        (false, false) => {
            format!("MPI_Recv(b, {count}, MPI_DOUBLE, peer, {tag}, comm, MPI_STATUS_IGNORE);")
        }
    };
    let call = format!("{}{call}", p.condition);
    let other = "MPI_Irecv(v + 200, 4, MPI_DOUBLE, peer, 8, comm, &r[0]);\n";
    let one = |at: usize| format!("MPI_Wait(&r[{at}], MPI_STATUS_IGNORE);\n");
    let pending = p.pending;
    let wait = match p.requests {
        _ if !p.waits => String::new(),
        "one" => format!("{pending}{}", one(0)),
        "array" => format!("{other}{pending}{}{}", one(1), one(0)),
        "waitall" => format!("{other}{pending}MPI_Waitall(2, r, MPI_STATUSES_IGNORE);\n"),
        _ => format!("{other}{}{pending}{}", one(0), one(1)),
    };
    if p.sends {
        format!("{}\n{}{call}\n{wait}", p.shape.pack, p.between)
    } else {
        format!("{call}\n{wait}{}{}", p.between, p.shape.unpack)
    }
}

/// Lines indented by their braces.
fn indented(text: &str) -> String {
    let mut depth = 0_usize;
    let mut out = String::new();
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let closing = line.chars().take_while(|c| *c == '}').count();
        depth = depth.saturating_sub(closing);
        if !line.starts_with('#') {
            out.push_str(&"    ".repeat(depth));
        }
        out.push_str(line);
        out.push('\n');
        let open = line.matches('{').count();
        depth = (depth + open).saturating_sub(line.matches('}').count() - closing);
    }
    out
}
