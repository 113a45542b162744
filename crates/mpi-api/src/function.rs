//! A function of MPI.

use std::fmt;

/// A version of the standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// 5 of 5.0.
    pub major: u8,
    /// 0 of 5.0.
    pub minor: u8,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// One of the two forms that a function of C may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Counts are `int`: `MPI_Send`.
    Int,
    /// Counts are `MPI_Count`: `MPI_Send_c`.
    Large,
}

/// The use that a call makes of what a parameter names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// It reads it.
    In,
    /// It writes it.
    Out,
    /// Both.
    InOut,
}

/// The meaning of a parameter, in the words of the MPI Forum: `POLYXFER_NUM_ELEM_NNI`.
#[derive(Debug, PartialEq, Eq)]
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// Its type in C; a function's is [`Parameter::callback`].
    pub c: &'static str,
    /// Its type where counts are large.
    pub large: &'static str,
}

/// A parameter of a function.
#[derive(Debug, PartialEq, Eq)]
pub struct Parameter {
    /// As the standard calls it: `sendbuf`.
    pub name: &'static str,
    /// Its type.
    pub kind: &'static Kind,
    /// The use that the call makes of it.
    pub direction: Direction,
    /// Whether C's prototype promises that what it points to stays as it is.
    pub is_const: bool,
    /// Whether only the form with large counts has it.
    pub is_large_only: bool,
    /// Whether Fortran does without it.
    pub is_c_only: bool,
    /// Whether it means nothing but at the root.
    pub is_root_only: bool,
    /// The type of a function that the program gives.
    pub callback: Option<&'static str>,
    /// Pointers in C, besides those that arrays are.
    pub pointers: usize,
    /// The length of each dimension of an array: a parameter, a number, or `*`.
    pub lengths: Vec<&'static str>,
}

impl Parameter {
    /// Whether C passes an address.
    pub fn is_address(&self) -> bool {
        self.pointers > 0 || !self.lengths.is_empty()
    }

    /// The type in a prototype of C: `const int *` for `const int counts[]`.
    pub fn c_type(&self, form: Form) -> String {
        if self.kind.c == "..." {
            return "...".to_owned();
        }
        let base = match (self.callback, form) {
            (Some(callback), Form::Large) if self.kind.name.starts_with("POLY") => {
                format!("{callback}_c")
            }
            (Some(callback), _) => callback.to_owned(),
            (None, Form::Large) => self.kind.large.to_owned(),
            (None, Form::Int) => self.kind.c.to_owned(),
        };
        // `const int level` is a value: the type is the same without it.
        let constant = if self.is_const && self.is_address() { "const " } else { "" };
        let array = match self.lengths.as_slice() {
            [] => String::new(),
            [_] => "*".to_owned(),
            [_, rows @ ..] => {
                let rows: String = rows.iter().map(|length| format!("[{length}]")).collect();
                format!("(*){rows}")
            }
        };
        let stars = "*".repeat(self.pointers);
        format!("{constant}{base} {stars}{array}").trim_end().to_owned()
    }
}

/// A function of MPI.
#[derive(Debug, PartialEq, Eq)]
pub struct Function {
    /// As C spells it, in the form whose counts are `int`: `MPI_Send`.
    pub name: &'static str,
    /// The standard that brought it.
    pub since: Version,
    /// The standard that brought the form with large counts.
    pub large_since: Option<Version>,
    /// The standard that deprecated it.
    pub deprecated: Option<Version>,
    /// The standard that removed it.
    pub removed: Option<Version>,
    /// Whether C has it.
    pub in_c: bool,
    /// Whether `mpif.h` and `use mpi` have it.
    pub in_mpif: bool,
    /// Whether `use mpi_f08` has it.
    pub in_f08: bool,
    /// The type that it returns in C. With `ERROR_CODE` it has a last argument `ierror` in
    /// Fortran.
    pub result: &'static Kind,
    /// All parameters of all forms.
    pub(crate) parameters: Vec<Parameter>,
}

impl Function {
    /// The parameters of a form in C.
    pub fn parameters(&self, form: Form) -> impl Iterator<Item = &Parameter> {
        self.parameters.iter().filter(move |p| form == Form::Large || !p.is_large_only)
    }

    /// The names of its forms in C, and since when they exist.
    pub fn forms(&self) -> impl Iterator<Item = (Form, String, Version)> {
        let int = self.in_c.then(|| (Form::Int, self.name.to_owned(), self.since));
        let large = self.large_since.map(|since| (Form::Large, format!("{}_c", self.name), since));
        int.into_iter().chain(large)
    }

    /// The type of a pointer to it in C: `int (*)(const void *, int, ...)`.
    pub fn pointer(&self, form: Form) -> String {
        let types: Vec<String> = self.parameters(form).map(|p| p.c_type(form)).collect();
        let types = if types.is_empty() { "void".to_owned() } else { types.join(", ") };
        format!("{} (*)({types})", self.result.c)
    }
}
