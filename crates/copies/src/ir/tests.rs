//! Texts in, datatypes out.

use commloom_program::{Project, View};
use commloom_source::tree::{Expression, ExpressionKind, Statement, StatementKind};
use commloom_source::{Language, Source};

use crate::verify::{Draws, verify};
use crate::{Direction, PLAIN, Packing, Request, read};

use super::{Datatype, Pass, datatype, steps};

const DRAWS: Draws = Draws { seed: 1, rounds: 60, vouched: false };

fn project(language: Language, text: &str) -> Project {
    let project = Project::new(vec![Source { name: "test".into(), language, text: text.into() }]);
    let errors = &project.units()[0].errors;
    assert!(errors.is_empty(), "{errors:?} in {text}");
    project
}

/// The first call of `MPI_Send`, `MPI_Isend`, `MPI_Recv` or `MPI_Irecv`.
fn call(statements: &[Statement]) -> Option<(&Expression, &[Expression])> {
    statements.iter().find_map(|statement| match &statement.kind {
        StatementKind::Evaluate(expression) => match &expression.kind {
            ExpressionKind::Call { function, arguments } => match &function.kind {
                ExpressionKind::Name(name)
                    if ["mpi_send", "mpi_isend", "mpi_recv", "mpi_irecv"]
                        .contains(&name.to_lowercase().as_str()) =>
                {
                    Some((expression, arguments.as_slice()))
                }
                _ => None,
            },
            _ => None,
        },
        StatementKind::Loop(counted) => call(&counted.body),
        StatementKind::Block(body) => call(body),
        StatementKind::If { then, otherwise, .. } => call(then).or_else(|| call(otherwise)),
        _ => None,
    })
}

/// The datatype that the first call of a text sends instead: "address: type", or the refusal.
fn typed(text: &str, element: u64) -> String {
    typed_in(Language::C, text, element)
}

fn typed_in(language: Language, text: &str, element: u64) -> String {
    let project = project(language, text);
    let id = project.procedures().last().expect("a procedure");
    let (procedure, alone) = (project.procedure(id), project.view(id));
    let (call, arguments) = call(&procedure.body).expect("no call");
    let ExpressionKind::Call { function, .. } = &call.kind else { unreachable!() };
    let receives = matches!(&function.kind, ExpressionKind::Name(name) if name.contains("ecv"));
    let request = Request {
        procedure,
        call: call.span,
        buffer: &arguments[0],
        count: Some(&arguments[1]),
        element,
        direction: if receives { Direction::Unpack } else { Direction::Pack },
        setting: &PLAIN,
    };
    let packing = match read(&alone, &request) {
        Ok(packing) => packing,
        Err(refusal) => return format!("{}: {}", refusal.code, refusal.message),
    };
    let range = if packing.sent_length.as_ref() == Some(&packing.length) {
        String::new()
    } else {
        format!(
            " [{} of {:?}]",
            packing.length,
            packing.sent_length.as_ref().map(ToString::to_string)
        )
    };
    match datatype(&alone, &packing, element) {
        Ok(datatype) => {
            match verify(&alone, &request, &packing, &datatype, DRAWS) {
                Ok(checked) => {
                    assert!(checked.skipped == 0 && checked.filled > 5, "{checked:?} in {text}")
                }
                Err(mismatch) => return format!("{}: {mismatch}", datatype.node),
            }
            follow(&alone, &request, &packing, &datatype);
            let at = datatype.at.map_or_else(|| "MPI_BOTTOM".to_owned(), |at| at.place.to_string());
            format!("{at}: {}{range}", datatype.node)
        }
        Err(refusal) => format!("{}: {}", refusal.code, refusal.message),
    }
}

/// The steps lead to the datatype, and each of them describes the same bytes.
fn follow(symbols: &View<'_>, request: &Request<'_>, packing: &Packing, datatype: &Datatype) {
    let steps = steps(symbols, packing, request.element).expect("steps, as there is a datatype");
    let last = steps.last().expect("a step");
    assert_eq!(last.datatype, *datatype);
    for step in &steps {
        let checked = verify(symbols, request, packing, &step.datatype, DRAWS);
        let node = &step.datatype.node;
        let checked = checked.unwrap_or_else(|m| panic!("{:?}: {node}: {m}", step.pass));
        assert!(checked.skipped == 0 && checked.filled > 5, "{:?}: {node}", step.pass);
    }
}

/// The passes of a text, each with what the datatype is after it.
fn passes(text: &str, element: u64) -> Vec<String> {
    let project = project(Language::C, text);
    let id = project.procedures().last().expect("a procedure");
    let (procedure, alone) = (project.procedure(id), project.view(id));
    let (call, arguments) = call(&procedure.body).expect("no call");
    let request = Request {
        procedure,
        call: call.span,
        buffer: &arguments[0],
        count: Some(&arguments[1]),
        element,
        direction: Direction::Pack,
        setting: &PLAIN,
    };
    let packing = read(&alone, &request).expect("copies");
    let steps = steps(&alone, &packing, element).expect("steps");
    steps
        .iter()
        .map(|s| {
            let name = s.pass.map_or("copies", Pass::name);
            let times = if s.times > 1 { format!(" x{}", s.times) } else { String::new() };
            format!("{name}{times}: {}", s.datatype.node)
        })
        .collect()
}

#[test]
fn passes_are_told_with_what_comes_of_each() {
    let text = "void f(double *u, double *b, int n, int m) { int p = 0, j, k; \
        for(k=1;k<n-1;k++) for(j=0;j<m;j++) b[p++]=u[k*m+j]; MPI_Send(b,p,MPI_DOUBLE,d,t,c); }";
    assert_eq!(
        passes(text, 8),
        [
            "copies: for(k0 < n - 2, 8*k0*m: for(k1 < m, 8*k1: contiguous(1)))",
            "struct -> hindexed -> hvector: for(k0 < n - 2, 8*k0*m: hvector(m, 8, contiguous(1)))",
            "hvector -> vector: for(k0 < n - 2, 8*k0*m: vector(m, 1, 1))",
            "vector -> contiguous: for(k0 < n - 2, 8*k0*m: contiguous(m))",
            "struct -> hindexed -> hvector: hvector(n - 2, 8*m, contiguous(m))",
            "hvector -> vector, contiguous into the block length: vector(n - 2, m, m)",
            "vector -> contiguous: contiguous(max(0, n - 2)*max(0, m))",
            "contiguous into the send count: contiguous(max(0, n - 2)*max(0, m))",
        ]
    );
}

#[test]
fn a_loop_with_three_copies_is_a_vector() {
    let text = "void f(int N, int M, double g[N][M][3]) { double b[3 * N]; int i; \
        for(i=0;i<N;i++){b[3*i]=g[i][0][0];b[3*i+1]=g[i][0][1];b[3*i+2]=g[i][0][2];} \
        MPI_Send(b,N*3,MPI_DOUBLE,l,t,c); }";
    assert_eq!(typed(text, 8), "g[0][0][0]: vector(N, 3, 3*M)");
}

#[test]
fn a_nest_with_a_running_index_is_an_hvector_of_a_vector() {
    let text = "void f(double *u, double *b, int nx, int ny, int nz) { int p, j, k; p=0; \
        for(k=1;k<nz-1;k++)for(j=1;j<ny-1;j++) b[p++]=u[(k*ny+j)*nx+1]; \
        MPI_Isend(b,p,MPI_DOUBLE,d,t,c,&r); }";
    assert_eq!(
        typed(text, 8),
        "u[nx*ny + nx + 1]: hvector(nz - 2, 8*nx*ny, vector(ny - 2, 1, nx))"
    );
}

#[test]
fn streams_of_two_arrays_are_a_struct_of_addresses() {
    let text = "void f(double *g, double *h, double *b, int n) { int i; \
        for(i=0;i<n;i++){b[i]=g[3*i]; b[i+n]=h[2*i];} MPI_Send(b,2*n,MPI_DOUBLE,d,t,c); }";
    assert_eq!(typed(text, 8), "MPI_BOTTOM: struct(&g: vector(n, 1, 3), &h: vector(n, 1, 2))");
}

#[test]
fn memcpy_of_fields_is_a_struct_at_their_offsets() {
    let text = "typedef struct{double r[3];int id;double q;}A; \
        void f(A *a, char *b, int n) { int i, p = 0; \
        for(i=0;i<n;i++){memcpy(b+p,a[i].r,24);p+=24;memcpy(b+p,&a[i].id,4);p+=4;} \
        MPI_Send(b,p,MPI_BYTE,d,t,c); }";
    assert_eq!(
        typed(text, 1),
        "a[0].r[0]: hvector(n, sizeof(A), struct(0: contiguous(24), offsetof(A, id): \
         contiguous(4)))"
    );
}

#[test]
fn an_index_array_is_a_list_of_blocks() {
    let text = "void f(double *x, int *list, double *b, int n) { int i; \
        for(i=0;i<n;i++) b[i]=x[list[i]]; MPI_Send(b,n,MPI_DOUBLE,d,t,c); }";
    assert_eq!(typed(text, 8), "x[0]: hindexed_block(1, 8 * list[0].., n)");
}

#[test]
fn what_is_computed_is_refused() {
    let text = "void f(double *x, double *b, int n) { int i; for(i=0;i<n;i++) b[i]=x[i]/4.0; \
        MPI_Send(b,n,MPI_DOUBLE,d,t,c); }";
    assert_eq!(
        typed(text, 8),
        "E-ARITH: a value is computed while packing; a datatype can only copy"
    );
    let text = "void f(double *x, float *b, int n) { int i; for(i=0;i<n;i++) b[i]=(float)x[i]; \
        MPI_Send(b,n,MPI_FLOAT,d,t,c); }";
    assert_eq!(
        typed(text, 4),
        "E-ARITH: a value is converted while packing; a datatype can only copy"
    );
    let text = "void f(double *x, double *b, int n) { int i; MPI_Recv(b,n,MPI_DOUBLE,d,t,c,s); \
        for(i=0;i<n;i++) x[2*i] += b[i]; }";
    assert_eq!(
        typed(text, 8),
        "E-ARITH: a value is accumulated while unpacking; a datatype can only copy"
    );
}

#[test]
fn interchanged_loops_are_sorted_by_the_buffer() {
    let text = "void f(double *u, double *b, int n, int m) { int i, j; \
        for(i=0;i<n;i++) for(j=0;j<m;j++) b[j*n+i]=u[i*m+j]; MPI_Send(b,n*m,MPI_DOUBLE,d,t,c); }";
    assert_eq!(typed(text, 8), "u[0]: hvector(m, 8, vector(n, 1, m))");
    let text = "void f(double *u, double *b, int n) { int i; for(i=0;i<n;i++) b[n-1-i]=u[3*i]; \
        MPI_Send(b,n,MPI_DOUBLE,d,t,c); }";
    assert_eq!(typed(text, 8), "u[3*n - 3]: vector(n, 1, -3)");
}

#[test]
fn pointers_run_too() {
    let text = "void f(double *u, int n, int m) { double b[100]; double *p = b, *q = u + 2; \
        for(int i=0;i<n;i++) { for(int j=0;j<4;j++) *p++ = *q++; q += m; } \
        MPI_Send(b,4*n,MPI_DOUBLE,d,t,c); }";
    assert_eq!(typed(text, 8), "u[2]: vector(n, 4, m + 4)");
}

#[test]
fn a_nest_without_gaps_is_contiguous() {
    let text = "void f(double *u, double *b, int n, int m) { int p = 0; \
        for(int i=0;i<n;i++) for(int j=0;j<m;j++) b[p++] = u[i*m+j]; \
        MPI_Send(b,p,MPI_DOUBLE,d,t,c); }";
    assert_eq!(typed(text, 8), "u[0]: contiguous(max(0, m)*max(0, n))");
}

#[test]
fn receives_are_the_mirror() {
    let text = "void f(double *u, double *b, int n) { int i; MPI_Recv(b,n,MPI_DOUBLE,d,t,c,s); \
        for(i=0;i<n;i++) u[2*i] = b[i]; }";
    assert_eq!(typed(text, 8), "u[0]: vector(n, 1, 2)");
}

#[test]
fn sizes_that_differ_are_a_struct_made_by_a_loop() {
    let text = "void f(double *u, double *b, int *len, int n, int m) { int p = 0; \
        for(int i=0;i<n;i++) for(int j=0;j<len[i];j++) b[p++] = u[i*m+j]; \
        MPI_Send(b,p,MPI_DOUBLE,d,t,c); }";
    assert_eq!(typed(text, 8), "u[0]: for(k0 < n, 8*k0*m: contiguous(len[k0]))");
    let text = "void f(double *u, double *b, int n) { int p = 0; \
        for(int i=0;i<n;i++) for(int j=0;j<=i;j++) b[p++] = u[i*n+j]; \
        MPI_Send(b,p,MPI_DOUBLE,d,t,c); }";
    assert_eq!(typed(text, 8), "u[0]: for(k0 < n, 8*k0*n: contiguous(k0 + 1))");
}

#[test]
fn conditions_guard_their_copies() {
    let text = "void f(double *u, double *v, double *b, int n, int north) { int p = 0; \
        if (north) { for(int i=0;i<n;i++) b[p++] = u[2*i]; } for(int i=0;i<n;i++) b[p++] = v[i]; \
        MPI_Send(b,p,MPI_DOUBLE,d,t,c); }";
    assert_eq!(
        typed(text, 8),
        "MPI_BOTTOM: struct(&u: if(.., vector(n, 1, 2), struct()), &v: contiguous(n))"
    );
}

#[test]
fn what_changes_before_the_call_is_refused() {
    let text = "void f(double *u, double *b, int n, int m) { int i; for(i=0;i<n;i++) b[i]=u[i*m]; \
        m = 3; MPI_Send(b,n,MPI_DOUBLE,d,t,c); }";
    assert_eq!(typed(text, 8), "E-CHANGED: 'm' changes between these copies and the call");
}

#[test]
fn gaps_are_refused() {
    let text = "void f(double *u, double *b, int n, int m) { int i; \
        for(i=0;i<n;i++) b[2*i]=u[i*m]; MPI_Send(b,n,MPI_DOUBLE,d,t,c); }";
    assert_eq!(
        typed(text, 8),
        "E-COVER: these copies do not fill a range of the buffer without gaps, once each"
    );
}

#[test]
fn verification_finds_a_wrong_type() {
    let text = "void f(double *u, double *b, int n, int m) { int i; for(i=0;i<n;i++) b[i]=u[i*m]; \
        MPI_Send(b,n,MPI_DOUBLE,d,t,c); }";
    let project = project(Language::C, text);
    let id = project.procedures().last().expect("a procedure");
    let (procedure, alone) = (project.procedure(id), project.view(id));
    let (call, arguments) = call(&procedure.body).expect("a call");
    let request = Request {
        procedure,
        call: call.span,
        buffer: &arguments[0],
        count: Some(&arguments[1]),
        element: 8,
        direction: Direction::Pack,
        setting: &PLAIN,
    };
    let packing = read(&alone, &request).expect("copies");
    let mut wrong = datatype(&alone, &packing, 8).expect("a type");
    assert!(verify(&alone, &request, &packing, &wrong, DRAWS).is_ok());
    let super::Node::Vector { stride, .. } = &mut wrong.node else { panic!("{}", wrong.node) };
    *stride = stride.plus(&commloom_source::affine::Polynomial::constant(1));
    assert!(verify(&alone, &request, &packing, &wrong, DRAWS).is_err());
}

#[test]
fn fortran_counts_from_its_lower_bounds() {
    let text = "subroutine give3(u, n1, n2, n3)
  implicit none
  integer n1, n2, n3, i2, i3, ss, ierr, dest, tag, comm, dp_type
  double precision u(n1, n2, n3), buff(1000)
  ss = 0
  do i3 = 2, n3 - 1
    do i2 = 2, n2 - 1
      ss = ss + 1
      buff(ss) = u(2, i2, i3)
    enddo
  enddo
  call mpi_send(buff, ss, dp_type, dest, tag, comm, ierr)
end subroutine
";
    assert_eq!(
        typed_in(Language::FortranFree, text, 8),
        "u[2, 2, 2]: hvector(n3 - 2, 8*n1*n2, vector(n2 - 2, 1, n1))"
    );
}

#[test]
fn assumed_shapes_have_measured_strides() {
    let text = "subroutine f(u, b, n, m)
  implicit none
  real(8), intent(in) :: u(:, :)
  real(8) :: b(1000)
  integer :: n, m, i, j, p, ierr
  p = 0
  do j = 1, m
    do i = 2, n - 1
      p = p + 1
      b(p) = u(i, j)
    end do
  end do
  call mpi_send(b, p, mpi_double_precision, 1, 0, 0, ierr)
end subroutine
";
    assert_eq!(
        typed_in(Language::FortranFree, text, 8),
        "u[2, 1]: hvector(m, stride(u, 2), hvector(n - 2, stride(u, 1), contiguous(1)))"
    );
}

#[test]
fn sections_are_loops_that_the_text_does_not_have() {
    let text = "subroutine f(u, n, k)
  implicit none
  integer :: n, k, ierr
  real(8) :: u(0:n, n, n), b(2 * n)
  b(1:n) = u(k, 1:n, 2)
  b(n+1:2*n) = u(k, 1:n, 3)
  call mpi_send(b, 2 * n, mpi_double_precision, 1, 0, 0, ierr)
end subroutine
";
    assert_eq!(typed_in(Language::FortranFree, text, 8), "u[k, 1, 2]: vector(2*n, 1, n + 1)");
}

#[test]
fn a_buffer_is_used_again_under_another_condition() {
    let text = "subroutine f(g, n, south, east)
  implicit none
  integer :: n, south, east, i, ierr
  real(8) :: g(5, n, n), dum(5, 100)
  if (south .ne. -1) then
    do i = 1, n
      dum(1, i) = g(1, i, 3)
    enddo
    call other_send(dum(1, 1), n, mpi_double_precision, south, 0, 0, ierr)
  endif
  if (east .ne. -1) then
    do i = 1, n
      dum(1, i) = g(1, 3, i)
      dum(2, i) = g(2, 3, i)
      dum(3, i) = g(3, 3, i)
      dum(4, i) = g(4, 3, i)
      dum(5, i) = g(5, 3, i)
    enddo
    call mpi_send(dum(1, 1), 5 * n, mpi_double_precision, east, 0, 0, ierr)
  endif
end subroutine
";
    let sent = text.replace("other_send", "mpi_ssend");
    assert_eq!(typed_in(Language::FortranFree, &sent, 8), "g[1, 3, 1]: vector(n, 5, 5*n)");
}
