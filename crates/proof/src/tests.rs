//! Texts and what becomes of their calls: the type and where it lies, or the code of the refusal.

use commloom_program::Project;
use commloom_source::{Language, Source};

use super::{Assumptions, sites};

mod together;

fn judged(name: &str, text: &str, facts: &[&str]) -> Vec<String> {
    let language = Language::of_name(name).unwrap();
    let project = Project::new(vec![Source { name: name.into(), language, text: text.to_owned() }]);
    let assumptions = Assumptions::new(facts.iter().map(|f| (*f).to_owned()));
    sites(&project, &assumptions)
        .into_iter()
        .map(|site| match site.outcome {
            // What needs a test is not proved.
            Ok(rewrite) if !rewrite.tests.is_empty() => {
                let refusal = &rewrite.tests[0].refusal;
                let fact = refusal.fact.as_ref().map_or(String::new(), |f| format!(" ({f})"));
                format!("{}: {}{fact}", refusal.code, refusal.message)
            }
            Ok(rewrite) => {
                let made = &rewrite.parts[0].made;
                let at = made
                    .at
                    .as_ref()
                    .map_or_else(|| "MPI_BOTTOM".to_owned(), |at| at.place.to_string());
                format!("{at}: {}", made.node)
            }
            Err(refusal) => {
                let fact = refusal.fact.map_or(String::new(), |f| format!(" ({f})"));
                format!("{}: {}{fact}", refusal.code, refusal.message)
            }
        })
        .collect()
}

/// One site of a procedure of C.
fn c(text: &str) -> String {
    let all = judged("a.c", &format!("#include <mpi.h>\n{text}"), &[]);
    assert_eq!(all.len(), 1, "{all:?} in {text}");
    all.into_iter().next().unwrap()
}

fn code(outcome: &str) -> &str {
    outcome.split(':').next().unwrap()
}

#[test]
fn the_cases_of_c() {
    let cases = [
        "void f(int N, int M, double g[N][M][3], int l, int t, MPI_Comm c) { int i; \
         double b[3*N]; \
         for(i=0;i<N;i++){b[3*i]=g[i][0][0];b[3*i+1]=g[i][0][1];b[3*i+2]=g[i][0][2];} \
         MPI_Send(b,N*3,MPI_DOUBLE,l,t,c); }",
        "void f(int nx, int ny, int nz, double *u, int d, int t, MPI_Comm c) { int p,k,j; \
         MPI_Request r; double *b = malloc(ny*nz*sizeof(double)); p=0; \
         for(k=1;k<nz-1;k++)for(j=1;j<ny-1;j++) b[p++]=u[(k*ny+j)*nx+1]; \
         MPI_Isend(b,p,MPI_DOUBLE,d,t,c,&r); MPI_Wait(&r,MPI_STATUS_IGNORE); free(b); }",
        "void f(int n, double *g, double *h, MPI_Comm c) { double b[2*n]; \
         for(int i=0;i<n;i++){b[i]=g[3*i]; b[i+n]=h[2*i];} MPI_Send(b,2*n,MPI_DOUBLE,1,2,c); }",
        "typedef struct{double r[3];int id;double q;}A; \
         void f(int n, A *a, MPI_Comm c) { char b[28*n]; int p=0; \
         for(int i=0;i<n;i++){memcpy(b+p,a[i].r,24);p+=24;memcpy(b+p,&a[i].id,4);p+=4;} \
         MPI_Send(b,p,MPI_BYTE,1,2,c); }",
        "void f(int n, int *list, double *x, MPI_Comm c) { double b[n]; \
         for(int i=0;i<n;i++) b[i]=x[list[i]]; MPI_Send(b,n,MPI_DOUBLE,1,2,c); }",
        "void f(int n, int *list, double *x, double shift, MPI_Comm c) { double b[n]; \
         for(int i=0;i<n;i++) b[i]=x[list[i]]+shift; MPI_Send(b,n,MPI_DOUBLE,1,2,c); }",
        "void f(int n, double *u, MPI_Comm c) { double b[n]; MPI_Request r; MPI_Status s; \
         for(int i=0;i<n;i++) b[i]=u[i*n]; MPI_Isend(b,n,MPI_DOUBLE,1,2,c,&r); u[0]=0; \
         MPI_Wait(&r,&s); }",
        "void f(int n, double *u, MPI_Comm c) { double b[n]; for(int i=0;i<n;i++) b[i]=u[i*n]; \
         MPI_Send(b,n,MPI_DOUBLE,1,2,c); u[0]=0; }",
        "int crc32(double *, int); void f(int n, double *u, MPI_Comm c) { double b[n]; int sum; \
         for(int i=0;i<n;i++) b[i]=u[i*n]; MPI_Send(b,n,MPI_DOUBLE,1,2,c); sum=crc32(b,n); }",
    ];
    let expected = [
        "g[0][0][0]: vector(N, 3, 3*M)",
        "u[nx*ny + nx + 1]: hvector(nz - 2, 8*nx*ny, vector(ny - 2, 1, nx))",
        "MPI_BOTTOM: struct(&g: vector(n, 1, 3), &h: vector(n, 1, 2))",
        "a[0].r[0]: hvector(n, sizeof(A), struct(0: contiguous(24), offsetof(A, id): \
         contiguous(4)))",
        "x[0]: hindexed_block(1, 8 * list[0].., n)",
        "E-ARITH",
        "E-SRC-WRITTEN",
        "u[0]: vector(n, 1, n)",
        "E-BUF-LIVE",
    ];
    for (text, expected) in cases.iter().zip(expected) {
        let outcome = c(text);
        let shown = if expected.starts_with("E-") { code(&outcome) } else { &outcome };
        assert_eq!(shown, expected, "{outcome} in {text}");
    }
}

#[test]
fn the_cases_of_fortran() {
    let cases = [
        (
            "give.f",
            "      subroutine give3(u,n1,n2,n3,dest,dp_type)\n      implicit none\
             \n      integer n1,n2,n3,ss,i2,i3,dest,dp_type,ierr,MPI_COMM_WORLD\
             \n      double precision u(n1,n2,n3), buff(10000)\n      ss=0\n      do i3=2,n3-1\
             \n      do i2=2,n2-1\n      ss=ss+1\n      buff(ss)=u(2,i2,i3)\n      enddo\
             \n      enddo\n      call mpi_send(buff,ss,dp_type,dest,7,MPI_COMM_WORLD,ierr)\
             \n      end\n",
        ),
        (
            "recv.f90",
            "subroutine r(g,nx,ny,nz)\nuse mpi\ninteger \
             nx,ny,nz,j,k,m,req,st(MPI_STATUS_SIZE),ierr,ip\n\
             double precision g(5,-1:nx+2,-1:ny+2,nz),buf(5,2*ny*nz)\n\
             call mpi_irecv(buf,10*ny*nz,mpi_double_precision,1,2,mpi_comm_world,req,ierr)\n\
             call mpi_wait(req,st,ierr)\ndo k=1,nz\ndo j=1,ny\nip=(k-1)*ny+j\ndo m=1,5\n\
             g(m,-1,j,k)=buf(m,ip)\ng(m,0,j,k)=buf(m,ip+ny*nz)\nenddo\nenddo\nenddo\nend\n",
        ),
        (
            "shape.f90",
            "subroutine s(u,n,m)\nuse mpi\nreal(8),intent(in)::u(:,:)\ninteger n,m,i,j,p,ierr\n\
             real(8)::b(10000)\np=0\ndo j=1,m\ndo i=2,n-1\np=p+1\nb(p)=u(i,j)\nenddo\nenddo\n\
             call mpi_send(b,p,mpi_double_precision,1,2,mpi_comm_world,ierr)\nend\n",
        ),
    ];
    let expected = [
        "u[2, 2, 2]: hvector(n3 - 2, 8*n1*n2, vector(n2 - 2, 1, n1))",
        "g[1, -1, 1, 1]: ",
        "u[2, 1]: hvector(m, stride(u, 2), hvector(n - 2, stride(u, 1), contiguous(1)))",
    ];
    for ((name, text), expected) in cases.iter().zip(expected) {
        let all = judged(name, text, &[]);
        assert!(all.len() == 1 && all[0].starts_with(expected), "{all:?} in {text}");
    }
}

/// A procedure of C with a buffer `b` and an array `u` of `n` numbers.
fn around(body: &str) -> String {
    format!(
        "void f(int n, double *u, int *list, MPI_Comm c) {{ double b[n]; MPI_Request r; \
         MPI_Status s; int i, p; {body} }}"
    )
}

const PACK: &str = "for (i = 0; i < n; i++) b[i] = u[2*i];";
const UNPACK: &str = "for (i = 0; i < n; i++) u[2*i] = b[i];";
const SEND: &str = "MPI_Send(b, n, MPI_DOUBLE, 1, 2, c);";
const RECEIVE: &str = "MPI_Recv(b, n, MPI_DOUBLE, 1, 2, c, &s);";
const VECTOR: &str = "u[0]: vector(n, 1, 2)";

#[test]
fn what_is_refused_in_c() {
    let mut wrong = Vec::new();
    for (expected, body) in [
        ("E-RANGE", format!("{PACK} MPI_Send(b, n + 1, MPI_DOUBLE, 1, 2, c);")),
        ("E-RECV-COUNT", format!("MPI_Recv(b, n + 1, MPI_DOUBLE, 1, 2, c, &s); {UNPACK}")),
        ("E-RECV-OVERLAP", format!("{RECEIVE} for (i = 0; i < n; i++) u[list[i]] = b[i];")),
        ("E-ARITH", format!("{RECEIVE} for (i = 0; i < n; i++) u[3] = b[i];")),
        ("E-RECV-OVERLAP", format!("{RECEIVE} u[5] = 1; {UNPACK}")),
        (
            "E-RECV-OVERLAP",
            format!(
                "MPI_Irecv(b, n, MPI_DOUBLE, 1, 2, c, &r); p = u[0]; MPI_Wait(&r, &s); {UNPACK}"
            ),
        ),
        ("E-ESCAPES", format!("{PACK} MPI_Isend(b, n, MPI_DOUBLE, 1, 2, c, &r);")),
        (
            "E-ESCAPES",
            format!("{PACK} MPI_Isend(b, n, MPI_DOUBLE, 1, 2, c, &r); if (n) MPI_Wait(&r, &s);"),
        ),
        ("E-SRC-WRITTEN", format!("{PACK} u[0] = 1; {SEND}")),
        ("E-SRC-WRITTEN", format!("{PACK} unknown(u); {SEND}")),
        ("E-BUF-LIVE", format!("{PACK} {SEND} u[0] = b[0];")),
        ("E-BUF-LIVE", format!("double *q = b; {PACK} {SEND} u[0] = q[1];")),
        ("E-BUF-LIVE", format!("while (p--) {{ u[0] = b[0]; {PACK} {SEND} }}")),
        ("E-BUF-LIVE", format!("keep(b); {PACK} {SEND} other();")),
        ("E-COLLECTIVE", format!("{PACK} MPI_Alltoall(b, n, MPI_DOUBLE, u, n, MPI_DOUBLE, c);")),
        ("E-COLLECTIVE", format!("{PACK} MPI_Allreduce(b, u, n, MPI_DOUBLE, MPI_SUM, c);")),
        ("E-CALL-FORM", format!("{PACK} if (p && MPI_Send(b, n, MPI_DOUBLE, 1, 2, c)) p = 1;")),
        ("E-PREPROCESSOR", format!("{PACK}\n#ifdef X\np = n;\n#endif\n{SEND}")),
        ("E-SYNTAX", format!("{PACK} {SEND} p = = 3;")),
        ("E-SCALAR-LIVE", format!("for (p = 0; p < n; p++) b[p] = u[2*p]; {SEND} list[0] = p;")),
        (
            "E-SCALAR-LIVE",
            format!("p = 0; for (i = 0; i < n; i++) b[p++] = u[2*i]; list[0] = p; {SEND}"),
        ),
    ] {
        let outcome = c(&around(&body));
        if code(&outcome) != expected {
            wrong.push(format!("{expected} {outcome} in {body}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_running_index_that_is_read_later_gets_its_value() {
    let text =
        around(&format!("p = 0; for (i = 0; i < n; i++) b[p++] = u[2*i]; {SEND} list[0] = p;"));
    let source = Source {
        name: "a.c".into(),
        language: Language::C,
        text: format!("#include <mpi.h>\n{text}"),
    };
    let all = sites(&Project::new(vec![source]), &Assumptions::default());
    let assigned = &all[0].outcome.as_ref().unwrap().assign;
    let shown: Vec<String> =
        assigned.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    assert_eq!(shown, ["p = p + max(0, n)"], "{text}");
}

#[test]
fn what_is_rewritten_in_c() {
    let mut wrong = Vec::new();
    for body in [
        format!("{PACK} {SEND}"),
        format!("{PACK} {SEND} u[0] = 1;"),
        format!("{PACK} p = MPI_Send(b, n, MPI_DOUBLE, 1, 2, c);"),
        format!(
            "{PACK} MPI_Isend(b, n, MPI_DOUBLE, 1, 2, c, &r); list[0] = 1; MPI_Wait(&r, &s); \
             u[0] = 1;"
        ),
        format!(
            "if (n) {{ {PACK} MPI_Isend(b, n, MPI_DOUBLE, 1, 2, c, &r); }} list[0] = 1; \
             if (n) MPI_Wait(&r, &s);"
        ),
        format!("{PACK} {SEND} other(n);"),
        format!("{RECEIVE} {UNPACK}"),
        format!("{RECEIVE} {UNPACK} other(n);"),
        format!("MPI_Irecv(b, n, MPI_DOUBLE, 1, 2, c, &r); MPI_Wait(&r, &s); {UNPACK} u[0] = 1;"),
        format!("while (list[0]) {{ {PACK} {SEND} }}"),
        "p = 0; for (i = 0; i < n; i++) b[p++] = u[2*i]; MPI_Send(b, p, MPI_DOUBLE, 1, 2, c);"
            .into(),
        format!("{PACK} MPI_Gather(b, n, MPI_DOUBLE, list, n, MPI_DOUBLE, 0, c);"),
    ] {
        let outcome = c(&around(&body));
        if outcome != VECTOR {
            wrong.push(format!("{outcome} in {body}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn all_consumers_or_none() {
    let both = judged("a.c", &around(&format!("{PACK} {SEND} {SEND}")), &[]);
    assert_eq!(both, [VECTOR, VECTOR]);
    let one = format!("{PACK} {SEND} MPI_Send(b, n - 1, MPI_DOUBLE, 1, 2, c);");
    let one = judged("a.c", &around(&one), &[]);
    assert!(one.iter().all(|o| o.starts_with("E-")), "{one:?}");
    // Each send has copies of its own.
    let turns = judged("a.c", &around(&format!("{PACK} {SEND} {PACK} {SEND}")), &[]);
    assert_eq!(turns, [VECTOR, VECTOR]);
    // One buffer for both ways.
    let ways = judged("a.c", &around(&format!("{PACK} {SEND} {RECEIVE} {UNPACK}")), &[]);
    assert_eq!(ways, [VECTOR, VECTOR]);
}

#[test]
fn facts_are_asked_for_one_by_one_and_taken() {
    let text = "void f(int n, double *b, double *u, MPI_Comm c) { for (int i = 0; i < n; \
        i++) b[i] = u[2*i]; MPI_Send(b, n, MPI_DOUBLE, 1, 2, c); }";
    let mut facts: Vec<String> = Vec::new();
    for expected in ["E-ALIAS", "E-BUF-LIVE"] {
        let given: Vec<&str> = facts.iter().map(String::as_str).collect();
        let outcome = judged("a.c", text, &given).remove(0);
        assert_eq!(code(&outcome), expected);
        let fact = outcome.rsplit_once(" (").unwrap().1.trim_end_matches(')').to_owned();
        facts.push(fact);
    }
    let given: Vec<&str> = facts.iter().map(String::as_str).collect();
    assert_eq!(judged("a.c", text, &given), [VECTOR]);
    assert_eq!(judged("a.c", text, &["all"]), [VECTOR]);
}

#[test]
fn shared_buffers_need_the_whole_program() {
    let user = "static double b[100]; void f(int n, double *u, MPI_Comm c) { for (int i = 0; \
        i < n; i++) b[i] = u[2*i]; MPI_Send(b, n, MPI_DOUBLE, 1, 2, c); }\n";
    let alone = judged("a.c", user, &["b and u share no memory"]);
    assert_eq!(alone, [VECTOR]);
    let read = format!("{user} double g(void) {{ return b[0]; }}");
    let outcome = judged("a.c", &read, &["b and u share no memory"]).remove(0);
    assert_eq!(code(&outcome), "E-BUF-LIVE");
}

/// Faces of cells whose sizes are in arrays, as BT and SP exchange them: `own` numbers go both
/// ways in the first direction.
fn faces(statements: &str) -> String {
    format!(
        "subroutine faces(u, ncells, size, coord, ss, sr, n, m)
use mpi
integer, parameter :: most = 4
integer :: ncells, size(3, most), coord(3, most), ss, sr, n, m
integer :: i, j, c, p, q, ierr, requests(2), statuses(MPI_STATUS_SIZE, 2)
double precision :: u(-2:20, 0:20, most), outgoing(1000), incoming(1000)
{statements}
end subroutine
"
    )
}

const PACK_CELLS: &str = "p = 0
do c = 1, ncells
  if (coord(1, c) /= ncells) then
    do j = 0, size(2, c) - 1
      do i = size(1, c) - 2, size(1, c) - 1
        outgoing(ss + p) = u(i, j, c)
        p = p + 1
      end do
    end do
  end if
end do
";

const UNPACK_CELLS: &str = "p = 0
do c = 1, ncells
  if (coord(1, c) /= 1) then
    do j = 0, size(2, c) - 1
      do i = -2, -1
        u(i, j, c) = incoming(sr + p)
        p = p + 1
      end do
    end do
  end if
end do
";

const POST_CELLS: &str =
    "call mpi_irecv(incoming(sr), m, mpi_double_precision, 1, 2, mpi_comm_world, requests(1), ierr)
call mpi_isend(outgoing(ss), n, mpi_double_precision, 1, 2, mpi_comm_world, requests(2), ierr)
call mpi_waitall(2, requests, statuses, ierr)
";

const CELLS_SENT: &str = "u[size[1, 1] - 2, 0, 1]: for(k";

#[test]
fn boxes_that_differ_from_cell_to_cell() {
    let send = "call mpi_send(outgoing(ss), n, mpi_double_precision, 1, 2, mpi_comm_world, ierr)\n";
    let text = faces(&format!("{PACK_CELLS}{send}"));
    let fact = "n is what p counts at faces.f90:12";
    let outcome = judged("faces.f90", &text, &[]).remove(0);
    assert_eq!(code(&outcome), "E-RANGE");
    assert!(outcome.ends_with(&format!("({fact})")), "{outcome}");
    let outcome = judged("faces.f90", &text, &[fact]).remove(0);
    assert!(outcome.starts_with(CELLS_SENT), "{outcome}");
    // A call for what the index counts needs no fact.
    let text = faces(&format!("{PACK_CELLS}{}", send.replace(", n,", ", p,")));
    let outcome = judged("faces.f90", &text, &[]).remove(0);
    assert!(outcome.starts_with(CELLS_SENT), "{outcome}");
}

#[test]
fn received_cells_are_distinct_and_not_what_is_sent() {
    let text = faces(&format!("{PACK_CELLS}{POST_CELLS}{UNPACK_CELLS}"));
    let mut facts: Vec<String> = Vec::new();
    for expected in ["E-RECV-COUNT", "E-RANGE", "E-RECV-OVERLAP"] {
        let given: Vec<&str> = facts.iter().map(String::as_str).collect();
        let all = judged("faces.f90", &text, &given);
        let outcome = all.iter().find(|o| o.starts_with("E-")).unwrap();
        assert_eq!(code(outcome), expected, "{all:?}");
        let fact = outcome.rsplit_once(" (").unwrap().1.trim_end_matches(')').to_owned();
        facts.push(fact);
    }
    assert_eq!(
        facts,
        [
            "m is what p counts at faces.f90:26",
            "n is what p counts at faces.f90:12",
            "what is received into 'u' is not what is sent from it"
        ]
    );
    let given: Vec<&str> = facts.iter().map(String::as_str).collect();
    let all = judged("faces.f90", &text, &given);
    assert!(all.iter().all(|o| o.starts_with("u[")), "{all:?}");
    // Columns that the send has not are received: cell for cell, 0 to size - 1 and size to size +
    // 1.
    let behind = UNPACK_CELLS.replace("do i = -2, -1", "do i = size(1, c), size(1, c) + 1");
    let text = faces(&format!("{PACK_CELLS}{POST_CELLS}{behind}"));
    let all = judged("faces.f90", &text, &given[..2]);
    assert!(all.iter().all(|o| o.starts_with("u[")), "{all:?}");
    // In another cell it may be the same column.
    let other = behind.replace("u(i, j, c)", "u(i, j, most + 1 - c)");
    let text = faces(&format!("{PACK_CELLS}{POST_CELLS}{other}"));
    let all = judged("faces.f90", &text, &given[..2]);
    assert_eq!(code(&all[0]), "E-RECV-OVERLAP", "{all:?}");
}

#[test]
fn parts_of_one_buffer_may_overlap() {
    let second =
        PACK_CELLS.replace("ss + p", "sr + q").replace("p = ", "q = ").replace("p + 1", "q + 1");
    let send = |at: &str, count: &str| {
        format!(
            "call mpi_send(outgoing({at}), {count}, mpi_double_precision, 1, 2, mpi_comm_world, \
             ierr)\n"
        )
    };
    let text = faces(&format!("{PACK_CELLS}{second}{}{}", send("ss", "p"), send("sr", "q")));
    let all = judged("faces.f90", &text, &[]);
    let fact = "the parts of 'outgoing' for different calls do not overlap";
    assert!(
        all.iter().all(|o| code(o) == "E-COVER" && o.ends_with(&format!("({fact})"))),
        "{all:?}"
    );
    let all = judged("faces.f90", &text, &[fact]);
    assert!(all.iter().all(|o| o.starts_with(CELLS_SENT)), "{all:?}");
    // The second part begins where the first one ends.
    let text = text.replace("sr + q", "ss + p + q").replace("outgoing(sr)", "outgoing(ss + p)");
    let all = judged("faces.f90", &text, &[]);
    assert!(all.iter().all(|o| code(o) != "E-COVER"), "{all:?}");
}

#[test]
fn sendrecv_of_one_array_reads_and_writes_different_elements() {
    let call = "MPI_Sendrecv(b, n, MPI_DOUBLE, 1, 2, d, n, MPI_DOUBLE, 1, 2, c, &s);";
    let text = |target: &str| {
        format!(
            "void f(int n, double (*u)[8], MPI_Comm c) {{ double b[n], d[n]; MPI_Status s; int i; \
             for (i = 0; i < n; i++) b[i] = u[i][1]; {call} for (i = 0; i < n; \
             i++) u[i][{target}] = d[i]; }}"
        )
    };
    let all = judged("a.c", &text("0"), &[]);
    assert!(all.iter().all(|o| o.starts_with("u[0]")), "{all:?}");
    let all = judged("a.c", &text("1"), &[]);
    assert_eq!(all.iter().filter(|o| code(o) == "E-RECV-OVERLAP").count(), 1, "{all:?}");
}

/// Products of this and the size of a double leave 64 bits.
const LARGE: &str = "4611686018427387904L";

#[test]
fn lengths_and_places_beyond_64_bits_are_not_equal() {
    let text = |copies: &str, call: &str| {
        let text = format!(
            "static double a[100], b[100]; void f(long n, long m, int to) {{ {copies} \
             MPI_Send({call}, MPI_DOUBLE, to, 0, MPI_COMM_WORLD); }}"
        );
        text.replace("LARGE", LARGE)
    };
    let fill = |index: &str, turns: &str| {
        format!("for (long i = 0; i < {turns}; i++) b[{index}] = a[2 * i];")
    };
    // Both are lost: the packed length, and the one that is sent.
    let lengths = [("n * LARGE", "m * LARGE"), ("n * LARGE", "n * LARGE"), ("n * n * LARGE", "0")];
    for (packed, sent) in lengths {
        let outcome = c(&text(&fill("i", packed), &format!("b, {sent}")));
        assert_eq!(code(&outcome), "E-LIMIT", "{packed}, {sent}: {outcome}");
    }
    // And both places.
    for place in ["b + m * LARGE", "&b[m * LARGE]", "&b[n * LARGE]"] {
        let outcome = c(&text("b[n * LARGE] = a[2];", &format!("{place}, 1")));
        assert_eq!(code(&outcome), "E-RANGE", "{place}: {outcome}");
    }
    // What fits is still the same.
    let outcome = c(&text(&fill("i", "n * 1024"), "b, n * 1024"));
    assert!(outcome.contains("vector(1024*n, 1, 2)"), "{outcome}");
}
