//! Names as one procedure means them: all that the analysis asks of the project.

use crate::Language;
use crate::tree::{Binary, Declaration, Expression, ExpressionKind, Name, Type, Unary};

/// The names that one procedure sees, and what the procedures that it calls do.
pub trait Symbols {
    /// In which language it is written.
    fn language(&self) -> Language;

    /// A variable: local (also in inner blocks), argument, of a module, common or global;
    /// implicitly typed ones too.
    fn variable(&self, name: &str) -> Option<&Declaration>;

    /// A named constant's value.
    fn constant(&self, name: &str) -> Option<&Expression>;

    /// The type behind typedefs: `Basic`, `Record`, `Pointer`, `Array`, `Void` or `Unknown`.
    fn resolve(&self, of: &Type) -> Type;

    /// Bytes of a type on LP64; none where the text does not tell. Array bounds must be constants.
    fn size_of(&self, of: &Type) -> Option<u64>;

    /// The numbers that a type consists of, if they are of one type without gaps: which, and how
    /// large they are on LP64. Types of one name have one size everywhere; that of `unsigned long`
    /// is `long`.
    fn uniform(&self, of: &Type) -> Option<(Name, u64)> {
        match of {
            Type::Basic(name, size) => {
                Some(part(name, u64::from(*size), self.language().is_fortran()))
            }
            _ => None,
        }
    }

    /// Byte offset and type of a component of a (resolved) record; none for opaque records.
    fn field(&self, record: &Type, field: &str) -> Option<(u64, Type)>;

    /// Arrays that other procedures have allocated, each with the subscripts of its `allocate`,
    /// which say its bounds wherever the procedure is executed.
    fn allocated_elsewhere(&self) -> Vec<&Expression> {
        Vec::new()
    }

    /// Whether nothing happens where a variable of a type is made, and where its scope ends;
    /// always so but in C++.
    fn is_passive(&self, of: &Type) -> bool {
        let _ = of;
        true
    }

    /// Whether procedures whose text is not at hand cannot reach a variable's memory (and what a
    /// pointer points to), unless they are given it.
    fn is_hidden(&self, name: &str) -> bool {
        let _ = name;
        false
    }

    /// Whether others may have the address of a number or pointer of the procedure's own, or
    /// another name for it.
    fn is_reached(&self, name: &str) -> bool {
        let _ = name;
        false
    }

    /// Whether a procedure of which nothing is known reaches the variables that it is given by
    /// their names: those of Fortran, and of C++ where no declaration says that it takes values.
    fn takes_names(&self, called: &Expression) -> bool {
        let _ = called;
        self.language().is_fortran()
    }

    /// Fortran: whether the program gives a name to a procedure somewhere, so that it perhaps is
    /// none of the language where the name is seen.
    fn is_own_procedure(&self, name: &str) -> bool {
        let _ = name;
        false
    }

    /// The procedure of MPI that one of the program stands for; any other one is what it is
    /// called.
    fn stands_for<'n>(&'n self, called: &'n str) -> &'n str {
        called
    }

    /// The variables whose memory a pointer or reference may lead to; none if that is not known. A
    /// name that is neither leads nowhere.
    fn pointees(&self, name: &str) -> Option<Vec<Name>> {
        let _ = name;
        Some(Vec::new())
    }

    /// The memory that a call may read and write. Unknown procedures: everything that can be
    /// reached.
    fn effects(&self, function: &Expression, arguments: &[Expression]) -> Effects;
}

/// The place that an operator of a stream of C++ reads a value into: `j` of `in >> j`. What is
/// shifted is a number.
pub fn extracted<'e>(symbols: &dyn Symbols, e: &'e Expression) -> Option<&'e Expression> {
    let ExpressionKind::Binary(Binary::ShiftRight, left, into) = &e.kind else { return None };
    if symbols.language() != Language::Cpp {
        return None;
    }
    let mut stream = left;
    while let ExpressionKind::Binary(Binary::ShiftRight, before, _) = &stream.kind {
        stream = before;
    }
    let is_number = match &stream.kind {
        ExpressionKind::Name(name) => {
            symbols.constant(name).is_some()
                || symbols.variable(name).is_some_and(|declared| {
                    let of = match &declared.of {
                        Type::Reference(of) => symbols.resolve(of),
                        of => symbols.resolve(of),
                    };
                    matches!(of, Type::Basic(..))
                })
        }
        ExpressionKind::Call { .. } | ExpressionKind::Member { .. } => false,
        ExpressionKind::Unary(Unary::Dereference, _) => false,
        _ => true,
    };
    let is_place = match &into.kind {
        ExpressionKind::Name(name) => symbols.constant(name).is_none(),
        ExpressionKind::Element { .. }
        | ExpressionKind::Member { .. }
        | ExpressionKind::Unary(Unary::Dereference, _) => true,
        _ => false,
    };
    (is_place && !is_number).then_some(into)
}

/// The number that a basic type is, or that it is two of.
pub fn part(name: &str, size: u64, fortran: bool) -> (Name, u64) {
    let half = size / 2;
    let part = match (name, half, fortran) {
        ("double complex", _, true) => "double precision".into(),
        ("complex", _, true) => "real".into(),
        (name, _, true) if name.starts_with("complex") => format!("real({half})"),
        (name, 4, false) if name.starts_with("complex") => "float".into(),
        (name, 8, false) if name.starts_with("complex") => "double".into(),
        (name, _, false) if name.starts_with("complex") => "long double".into(),
        _ => {
            let plain = ["unsigned ", "signed "].iter().find_map(|sign| name.strip_prefix(sign));
            let fixed = name.strip_prefix('u').filter(|name| name.starts_with("int"));
            return (plain.or(fixed).unwrap_or(name).to_owned(), size);
        }
    };
    (part, half)
}

/// Memory that a call may touch, beyond the evaluation of its arguments.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Effects {
    /// Variables of the caller whose content may be read.
    pub reads: Touched,
    /// Variables of the caller whose content may be changed.
    pub writes: Touched,
}

/// Some variables, named as the caller names them. What a pointer or array argument leads to
/// counts as its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Touched {
    /// These, and nothing else.
    These(Vec<Name>),
    /// Perhaps all but locals whose address was never taken.
    Anything,
}

impl Default for Touched {
    fn default() -> Touched {
        Touched::These(Vec::new())
    }
}
