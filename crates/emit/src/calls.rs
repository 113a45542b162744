//! MPI constructor calls as data.

use commloom_layout::Basic;

/// An old type: a predefined one, or the result of an earlier call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Handle {
    /// A predefined one.
    Basic(Basic),
    /// Number of the call.
    Made(usize),
}

/// One call. Counts are `int`; displacements `int` where in extents, `MPI_Aint` where in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the constructors of MPI 4.1, section 5.1.2, and their arguments")]
pub enum Call {
    Dup(Handle),
    Contiguous { count: i32, old: Handle },
    Vector { count: i32, block: i32, stride: i32, old: Handle },
    Hvector { count: i32, block: i32, stride: i64, old: Handle },
    Indexed { blocks: Vec<i32>, displacements: Vec<i32>, old: Handle },
    Hindexed { blocks: Vec<i32>, displacements: Vec<i64>, old: Handle },
    IndexedBlock { block: i32, displacements: Vec<i32>, old: Handle },
    HindexedBlock { block: i32, displacements: Vec<i64>, old: Handle },
    Struct { displacements: Vec<i64>, olds: Vec<Handle> },
    Resized { lb: i64, extent: i64, old: Handle },
}

/// The calls in order; the last one makes the type. Never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calls(pub Vec<Call>);

/// A list that a call names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Items {
    /// `int`
    Ints(Vec<i32>),
    /// `MPI_Aint`
    Addresses(Vec<i64>),
    /// Handles, as they are spelled.
    Types(Vec<String>),
}

/// How a language writes the arguments of calls.
pub trait Spelling {
    /// Why something cannot be written.
    type Error;

    /// A datatype.
    ///
    /// # Errors
    /// The language has no name for it.
    fn handle(&self, handle: Handle) -> Result<String, Self::Error>;

    /// A number of the kind that addresses have.
    fn address(&self, number: i64) -> String;

    /// Writes a list (`blocks`, `at` or `types`) before the call; the name of it there.
    fn list(&mut self, name: &'static str, items: Items) -> String;
}

impl Call {
    /// The function, and its arguments but for the handle that it makes.
    ///
    /// # Errors
    /// Those of the language.
    pub fn spelled<S: Spelling>(
        &self,
        language: &mut S,
    ) -> Result<(&'static str, Vec<String>), S::Error> {
        let length = |n: usize| n.to_string();
        Ok(match self {
            Call::Dup(old) => ("MPI_Type_dup", vec![language.handle(*old)?]),
            Call::Contiguous { count, old } => {
                ("MPI_Type_contiguous", vec![count.to_string(), language.handle(*old)?])
            }
            Call::Vector { count, block, stride, old } => {
                let numbers = [count, block, stride].map(ToString::to_string);
                ("MPI_Type_vector", with(numbers, language.handle(*old)?))
            }
            Call::Hvector { count, block, stride, old } => {
                let numbers = [count.to_string(), block.to_string(), language.address(*stride)];
                ("MPI_Type_create_hvector", with(numbers, language.handle(*old)?))
            }
            Call::Indexed { blocks, displacements, old } => {
                let lengths = language.list("blocks", Items::Ints(blocks.clone()));
                let at = language.list("at", Items::Ints(displacements.clone()));
                let lists = [length(blocks.len()), lengths, at];
                ("MPI_Type_indexed", with(lists, language.handle(*old)?))
            }
            Call::Hindexed { blocks, displacements, old } => {
                let lengths = language.list("blocks", Items::Ints(blocks.clone()));
                let at = language.list("at", Items::Addresses(displacements.clone()));
                let lists = [length(blocks.len()), lengths, at];
                ("MPI_Type_create_hindexed", with(lists, language.handle(*old)?))
            }
            Call::IndexedBlock { block, displacements, old } => {
                let at = language.list("at", Items::Ints(displacements.clone()));
                let lists = [length(displacements.len()), block.to_string(), at];
                ("MPI_Type_create_indexed_block", with(lists, language.handle(*old)?))
            }
            Call::HindexedBlock { block, displacements, old } => {
                let at = language.list("at", Items::Addresses(displacements.clone()));
                let lists = [length(displacements.len()), block.to_string(), at];
                ("MPI_Type_create_hindexed_block", with(lists, language.handle(*old)?))
            }
            Call::Struct { displacements, olds } => {
                let types = olds.iter().map(|old| language.handle(*old));
                let types = types.collect::<Result<Vec<String>, S::Error>>()?;
                let lengths = language.list("blocks", Items::Ints(vec![1; olds.len()]));
                let at = language.list("at", Items::Addresses(displacements.clone()));
                let types = language.list("types", Items::Types(types));
                ("MPI_Type_create_struct", vec![length(olds.len()), lengths, at, types])
            }
            Call::Resized { lb, extent, old } => {
                let [lb, extent] = [*lb, *extent].map(|n| language.address(n));
                ("MPI_Type_create_resized", vec![language.handle(*old)?, lb, extent])
            }
        })
    }
}

fn with(arguments: [String; 3], old: String) -> Vec<String> {
    arguments.into_iter().chain([old]).collect()
}
