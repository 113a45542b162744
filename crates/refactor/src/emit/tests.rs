//! Datatypes and the text that makes them.

use commloom_copies::ir::{Datatype, Member, Node};
use commloom_copies::{Address, Doubts, Turns};
use commloom_source::affine::{Atom, Counter, Place, Polynomial, Step};
use commloom_source::symbols::{Effects, Symbols};
use commloom_source::tree::{
    Binary, Declaration, Dimension, Expression, ExpressionKind, Storage, Subscript, Type,
};
use commloom_source::{FileId, Language, Span};

use super::{Case, EmitError, Manner, Names, Request, Text, emit};

/// Pointers and arrays by name.
struct Known {
    language: Language,
    variables: Vec<Declaration>,
}

impl Symbols for Known {
    fn language(&self) -> Language {
        self.language
    }
    fn variable(&self, name: &str) -> Option<&Declaration> {
        self.variables.iter().find(|v| v.name == name)
    }
    fn constant(&self, _: &str) -> Option<&Expression> {
        None
    }
    fn resolve(&self, of: &Type) -> Type {
        of.clone()
    }
    fn size_of(&self, _: &Type) -> Option<u64> {
        None
    }
    fn field(&self, _: &Type, _: &str) -> Option<(u64, Type)> {
        None
    }
    fn effects(&self, _: &Expression, _: &[Expression]) -> Effects {
        Effects::default()
    }
}

fn span() -> Span {
    Span { file: FileId(0), start: 0, end: 0 }
}

fn number(value: i64) -> Polynomial {
    Polynomial::constant(value)
}

fn variable(name: &str) -> Polynomial {
    Polynomial::atom(Atom::Read { place: Place::variable(name), version: 0 })
}

fn element(name: &str, subscripts: Vec<Polynomial>) -> Place {
    Place { variable: name.into(), steps: vec![Step::At(subscripts)] }
}

fn at(place: Place) -> Option<Address> {
    let base = Place::variable(place.variable.clone());
    Some(Address {
        base,
        version: None,
        offset: Polynomial::zero(),
        measured: Polynomial::zero(),
        place,
    })
}

fn declared(name: &str, of: Type) -> Declaration {
    Declaration {
        name: name.into(),
        span: span(),
        of,
        storage: Storage::Local,
        intent: None,
        unaliased: false,
        allocatable: false,
        is_volatile: false,
        is_constant: false,
        value: None,
    }
}

fn text(
    language: Language,
    token: &str,
    variables: Vec<Declaration>,
    datatype: &Datatype,
    turns: &[Turns],
) -> Result<Text, EmitError> {
    let symbols = Known { language, variables };
    let manner = Manner {
        handles: false,
        error: Some("ierr".into()),
        is_error_read: false,
        case: Case::Lower,
    };
    let request = Request {
        datatype,
        turns,
        doubts: &Doubts::default(),
        element: token,
        symbols: &symbols,
        manner: &manner,
        source: "",
        kept_at: None,
    };
    emit(&request, &mut Names::default())
}

/// All of it as one string.
fn whole(text: Result<Text, EmitError>) -> String {
    let text = text.expect("emits");
    let mut lines = text.declarations;
    lines.extend(text.before);
    lines.push(format!("<call {} | {} | {}>", text.buffer, text.count, text.datatype));
    lines.extend(text.after);
    lines.join("\n")
}

fn n2() -> Polynomial {
    variable("n2").minus(&number(2))
}

#[test]
fn a_vector_in_c() {
    let datatype = Datatype {
        origin: None,
        is_wide: false,
        element: 8,
        unit: Some(("double".into(), 8)),
        equal: Vec::new(),
        count: variable("N").times_constant(3),
        at: at(Place { variable: "g".into(), steps: vec![Step::At(vec![number(0)]); 3] }),
        node: Node::Vector {
            count: variable("N"),
            block: number(3),
            stride: variable("M").times_constant(3),
        },
    };
    assert_eq!(
        whole(text(Language::C, "MPI_DOUBLE", Vec::new(), &datatype, &[])),
        "MPI_Datatype vector_type_1;
MPI_Type_vector(N > 0 ? N : 0, 3, 3 * M, MPI_DOUBLE, &vector_type_1);
MPI_Type_commit(&vector_type_1);
<call &g[0][0][0] | 1 | vector_type_1>
MPI_Type_free(&vector_type_1);"
    );
}

/// Case 9: `give3`.
#[test]
fn a_nest_in_fortran() {
    let stride = variable("n1").times(&variable("n2")).times_constant(8);
    let datatype = Datatype {
        origin: None,
        is_wide: false,
        element: 8,
        unit: Some(("double".into(), 8)),
        equal: Vec::new(),
        count: n2().times(&variable("n3")),
        at: at(element("u", vec![number(2); 3])),
        node: Node::Hvector {
            count: variable("n3").minus(&number(2)),
            stride,
            child: Box::new(Node::Vector { count: n2(), block: number(1), stride: variable("n1") }),
        },
    };
    assert_eq!(
        whole(text(Language::FortranFixed, "dp_type", Vec::new(), &datatype, &[])),
        "integer :: vector_type_1, hvector_type_1
integer(kind=MPI_ADDRESS_KIND) :: lower_1, extent_1
call mpi_type_get_extent(dp_type, lower_1, extent_1, ierr)
call mpi_type_vector(max(0, n2 - 2), 1, n1, dp_type, vector_type_1, ierr)
call mpi_type_create_hvector(max(0, n3 - 2), 1, int(n1, MPI_ADDRESS_KIND) * n2 * extent_1, \
vector_type_1, hvector_type_1, ierr)
call mpi_type_free(vector_type_1, ierr)
call mpi_type_commit(hvector_type_1, ierr)
<call u(2, 2, 2) | 1 | hvector_type_1>
call mpi_type_free(hvector_type_1, ierr)"
    );
}

/// Case 2, with the inner type freed as soon as it is part of another.
#[test]
fn bytes_are_computed_wide_in_c() {
    let (nx, ny) = (variable("nx"), variable("ny"));
    let datatype = Datatype {
        origin: None,
        is_wide: false,
        element: 8,
        unit: Some(("double".into(), 8)),
        equal: Vec::new(),
        count: number(0),
        at: at(element("u", vec![nx.times(&ny.plus(&number(1))).plus(&number(1))])),
        node: Node::Hvector {
            count: variable("nz").minus(&number(2)),
            stride: nx.times(&ny).times_constant(8),
            child: Box::new(Node::Contiguous { count: number(2) }),
        },
    };
    assert_eq!(
        whole(text(Language::C, "MPI_DOUBLE", Vec::new(), &datatype, &[])),
        "MPI_Datatype hvector_type_1;
MPI_Type_create_hvector(nz - 2 > 0 ? nz - 2 : 0, 2, (MPI_Aint)nx * ny * sizeof(double), \
MPI_DOUBLE, &hvector_type_1);
MPI_Type_commit(&hvector_type_1);
<call &u[nx + nx * ny + 1] | 1 | hvector_type_1>
MPI_Type_free(&hvector_type_1);"
    );
}

/// Case 3: several variables.
#[test]
fn absolute_addresses() {
    let of = |name: &str| Polynomial::atom(Atom::Address(Place::variable(name)));
    let vector =
        |stride| Node::Vector { count: variable("n"), block: number(1), stride: number(stride) };
    let datatype = Datatype {
        origin: None,
        is_wide: false,
        element: 8,
        unit: Some(("double".into(), 8)),
        equal: Vec::new(),
        count: variable("n").times_constant(2),
        at: None,
        node: Node::Struct(vec![
            Member { displacement: of("g"), node: vector(3) },
            Member { displacement: of("h").plus(&number(16)), node: vector(2) },
        ]),
    };
    let pointer = Type::Pointer(Box::new(Type::Basic("double".into(), 8)));
    let variables = vec![declared("g", pointer)];
    assert_eq!(
        whole(text(Language::C, "MPI_DOUBLE", variables, &datatype, &[])),
        "MPI_Datatype vector_type_1, vector_type_2, types_1[2], struct_type_1;
MPI_Aint address_1, address_2, displacements_1[2];
int blocks_1[2];
MPI_Get_address(g, &address_1);
MPI_Get_address(&h, &address_2);
MPI_Type_vector(n > 0 ? n : 0, 1, 3, MPI_DOUBLE, &vector_type_1);
MPI_Type_vector(n > 0 ? n : 0, 1, 2, MPI_DOUBLE, &vector_type_2);
blocks_1[0] = 1;
displacements_1[0] = address_1;
types_1[0] = vector_type_1;
blocks_1[1] = 1;
displacements_1[1] = address_2 + 2 * sizeof(double);
types_1[1] = vector_type_2;
MPI_Type_create_struct(2, blocks_1, displacements_1, types_1, &struct_type_1);
MPI_Type_free(&vector_type_1);
MPI_Type_free(&vector_type_2);
MPI_Type_commit(&struct_type_1);
<call MPI_BOTTOM | 1 | struct_type_1>
MPI_Type_free(&struct_type_1);"
    );
}

/// Case 11: the stride of an assumed-shape array is measured.
#[test]
fn measured_strides() {
    let shape = vec![Dimension::AssumedShape { lower: None }; 2];
    let u = declared("u", Type::Array(Box::new(Type::Basic("real(8)".into(), 8)), shape));
    let datatype = Datatype {
        origin: None,
        is_wide: false,
        element: 8,
        unit: Some(("double".into(), 8)),
        equal: Vec::new(),
        count: variable("n"),
        at: at(element("u", vec![number(2), number(1)])),
        node: Node::Hvector {
            count: variable("n"),
            stride: Polynomial::atom(Atom::Stride("u".into(), 0)),
            child: Box::new(Node::Contiguous { count: number(1) }),
        },
    };
    assert_eq!(
        whole(text(Language::FortranFree, "MPI_REAL8", vec![u], &datatype, &[])),
        "integer :: hvector_type_1
integer(kind=MPI_ADDRESS_KIND) :: address_1, address_2, stride_1
call mpi_get_address(u(lbound(u, 1), lbound(u, 2)), address_1, ierr)
call mpi_get_address(u(min(lbound(u, 1) + 1, size(u, 1) + lbound(u, 1) - 1), lbound(u, 2)), \
address_2, ierr)
stride_1 = address_2 - address_1
call mpi_type_create_hvector(max(0, n), 1, stride_1, MPI_REAL8, hvector_type_1, ierr)
call mpi_type_commit(hvector_type_1, ierr)
<call u(2, 1) | 1 | hvector_type_1>
call mpi_type_free(hvector_type_1, ierr)"
    );
}

fn name(name: &str) -> Expression {
    Expression { span: span(), kind: ExpressionKind::Name(name.into()) }
}

/// BT's `copy_faces`: cells of different sizes, some of them left out.
fn cells() -> (Datatype, Vec<Turns>) {
    let counter = Counter(0);
    let cell = Polynomial::counter(counter).plus(&number(1));
    let size = Place { variable: "cell_size".into(), steps: vec![Step::At(vec![cell])] };
    let turns = vec![Turns {
        variable: "c".into(),
        first: number(1),
        step: number(1),
        count: variable("ncells"),
        span: span(),
    }];
    let coordinate = Expression {
        span: span(),
        kind: ExpressionKind::Element {
            base: Box::new(name("cell_coord")),
            subscripts: vec![Subscript::At(name("c"))],
        },
    };
    let condition = Expression {
        span: span(),
        kind: ExpressionKind::Binary(
            Binary::NotEqual,
            Box::new(coordinate),
            Box::new(name("ncells")),
        ),
    };
    let vector = Node::Vector {
        count: Polynomial::atom(Atom::Read { place: size, version: 0 }),
        block: number(10),
        stride: variable("s"),
    };
    let node = Node::Each {
        counter,
        count: variable("ncells"),
        displacement: Polynomial::counter(counter).times(&variable("d")).times_constant(8),
        child: Box::new(Node::Guard {
            condition,
            then: Box::new(vector),
            otherwise: Box::new(Node::Struct(Vec::new())),
        }),
    };
    (
        Datatype {
            origin: None,
            is_wide: false,
            element: 8,
            unit: Some(("double".into(), 8)),
            equal: Vec::new(),
            count: variable("b"),
            at: at(element("u", vec![number(1)])),
            node,
        },
        turns,
    )
}

#[test]
fn a_loop_that_makes_types() {
    let (datatype, turns) = cells();
    assert_eq!(
        whole(text(Language::FortranFixed, "dp_type", Vec::new(), &datatype, &turns)),
        "integer :: vector_type_1, guarded_type_1, struct_type_1
integer(kind=MPI_ADDRESS_KIND) :: lower_1, extent_1
integer :: turn_1
integer, allocatable :: types_1(:)
integer(kind=MPI_ADDRESS_KIND), allocatable :: displacements_1(:)
integer, allocatable :: blocks_1(:)
call mpi_type_get_extent(dp_type, lower_1, extent_1, ierr)
allocate(blocks_1(max(0, ncells)), displacements_1(max(0, ncells)), types_1(max(0, ncells)))
do turn_1 = 0, max(0, ncells) - 1
   if (cell_coord((turn_1 + 1)) .ne. ncells) then
      call mpi_type_vector(max(0, cell_size(turn_1 + 1)), 10, s, dp_type, vector_type_1, ierr)
      call mpi_type_contiguous(1, vector_type_1, guarded_type_1, ierr)
      call mpi_type_free(vector_type_1, ierr)
   else
      call mpi_type_contiguous(0, dp_type, guarded_type_1, ierr)
   end if
   blocks_1(turn_1 + 1) = 1
   displacements_1(turn_1 + 1) = int(turn_1, MPI_ADDRESS_KIND) * d * extent_1
   types_1(turn_1 + 1) = guarded_type_1
end do
call mpi_type_create_struct(max(0, ncells), blocks_1, displacements_1, types_1, struct_type_1, ierr)
do turn_1 = 0, max(0, ncells) - 1
   call mpi_type_free(types_1(turn_1 + 1), ierr)
end do
deallocate(blocks_1, displacements_1, types_1)
call mpi_type_commit(struct_type_1, ierr)
<call u(1) | 1 | struct_type_1>
call mpi_type_free(struct_type_1, ierr)"
    );
    let c = whole(text(Language::C, "MPI_DOUBLE", Vec::new(), &datatype, &turns));
    assert!(c.contains("if (cell_coord[(turn_1 + 1)] != ncells) {"), "{c}");
    assert!(
        c.contains("MPI_Alloc_mem((MPI_Aint)sizeof(int) * ((ncells > 0 ? ncells : 0) + 1)"),
        "{c}"
    );
    assert!(
        c.contains(
            "for (turn_1 = 0; turn_1 < (ncells > 0 ? ncells : 0); turn_1++) {\
        \n    MPI_Type_free(&types_1[turn_1]);\n}"
        ),
        "{c}"
    );
}

#[test]
fn lists() {
    let list = element("list", vec![number(0)]);
    let listed = |entry, scale| Datatype {
        origin: None,
        is_wide: false,
        element: 8,
        unit: Some(("double".into(), 8)),
        equal: Vec::new(),
        count: variable("n"),
        at: at(Place::variable("x")),
        node: Node::Listed {
            count: variable("n"),
            block: number(1),
            list: list.clone(),
            entry,
            scale: number(scale),
            shift: number(0),
        },
    };
    let pointer = || vec![declared("x", Type::Pointer(Box::new(Type::Void)))];
    let direct = whole(text(Language::C, "MPI_DOUBLE", pointer(), &listed(4, 8), &[]));
    assert!(
        direct.contains(
            "MPI_Type_create_indexed_block(n > 0 ? n : 0, 1, &list[0], \
        MPI_DOUBLE, &indexed_type_1);"
        ),
        "{direct}"
    );
    assert!(direct.contains("<call x | 1 | indexed_type_1>"), "{direct}");
    let wide = whole(text(Language::C, "MPI_DOUBLE", pointer(), &listed(4, 24), &[]));
    assert!(
        wide.contains(
            "MPI_Type_create_resized(block_type_1, 0, 3 * sizeof(double), &wide_type_1);"
        ),
        "{wide}"
    );
    let refused = text(Language::C, "MPI_DOUBLE", pointer(), &listed(8, 8), &[]);
    assert_eq!(refused, Err(EmitError::WideList { bytes: 8 }));
}

#[test]
fn what_has_no_formula_is_refused() {
    let of = |count| Datatype {
        origin: None,
        is_wide: false,
        element: 8,
        unit: Some(("double".into(), 8)),
        equal: Vec::new(),
        count: number(1),
        at: at(Place::variable("x")),
        node: Node::Contiguous { count },
    };
    let check = |count, error| {
        assert_eq!(text(Language::C, "MPI_INT", Vec::new(), &of(count), &[]), Err(error));
    };
    check(Polynomial::atom(Atom::Unnamed(1)), EmitError::Unnamed);
    check(Polynomial::lost(), EmitError::Lost);
    check(Polynomial::counter(Counter(3)), EmitError::Turn);
}

#[test]
fn elements_need_no_type() {
    let datatype = Datatype {
        origin: None,
        is_wide: false,
        element: 8,
        unit: Some(("double".into(), 8)),
        equal: Vec::new(),
        count: variable("n"),
        at: at(Place {
            variable: "p".into(),
            steps: vec![Step::Follow, Step::Field("a".into()), Step::At(vec![number(2)])],
        }),
        node: Node::Contiguous { count: variable("n") },
    };
    assert_eq!(
        whole(text(Language::Cpp, "MPI_DOUBLE", Vec::new(), &datatype, &[])),
        "<call &p->a[2] | (n > 0 ? n : 0) | MPI_DOUBLE>"
    );
}

/// `u(5, 0:imax, 0:jmax, cells)`: sums of products are written as products of sums.
#[test]
fn sums_are_factored() {
    let dimension = |name: &str| variable(name).plus(&number(1));
    let plane = dimension("imax").times(&dimension("jmax")).times_constant(40);
    let hvector = |stride| Datatype {
        origin: None,
        is_wide: false,
        element: 8,
        unit: Some(("double".into(), 8)),
        equal: Vec::new(),
        count: number(2),
        at: at(element("u", vec![number(1)])),
        node: Node::Hvector {
            count: number(2),
            stride,
            child: Box::new(Node::Contiguous { count: number(1) }),
        },
    };
    let fortran =
        whole(text(Language::FortranFixed, "dp", Vec::new(), &hvector(plane.clone()), &[]));
    assert!(
        fortran.contains("(int(imax, MPI_ADDRESS_KIND) + 1) * (jmax + 1) * 5 * extent_1"),
        "{fortran}"
    );
    let c = whole(text(Language::C, "MPI_DOUBLE", Vec::new(), &hvector(plane), &[]));
    assert!(c.contains("((MPI_Aint)imax + 1) * (jmax + 1) * 5 * sizeof(double)"), "{c}");
    let plain = variable("n").plus(&variable("m")).plus(&number(2)).times_constant(8);
    let c = whole(text(Language::C, "MPI_DOUBLE", Vec::new(), &hvector(plain), &[]));
    assert!(c.contains("((MPI_Aint)m + (MPI_Aint)n + 2) * sizeof(double)"), "{c}");
}

#[test]
fn procedures_are_written_as_in_the_call() {
    assert_eq!(Case::of("mpi_send"), Case::Lower);
    assert_eq!(Case::of("MPI_SEND"), Case::Upper);
    assert_eq!(Case::of("MPI_Send"), Case::Mixed);
}

#[test]
fn sums_are_multiplied_as_a_whole() {
    let (mut datatype, turns) = cells();
    let Node::Each { counter, displacement, .. } = &mut datatype.node else {
        panic!("cells are made by a loop")
    };
    let turn = Polynomial::counter(*counter).times(&variable("d").plus(&variable("s")));
    let distance = variable("x").minus(&variable("y")).times(&variable("m").plus(&number(4)));
    *displacement = turn.plus(&distance).times_constant(8);
    let text = whole(text(Language::FortranFixed, "dp_type", Vec::new(), &datatype, &turns));
    let line = text.lines().find(|l| l.contains("displacements_1(turn_1 + 1) =")).unwrap().trim();
    assert!(
        line.contains("= (int(turn_1, MPI_ADDRESS_KIND) * (") && line.ends_with(") * extent_1"),
        "{line}"
    );
}
