//! The parts of an explanation.

use std::fmt;

use commloom_copies::Direction;
use commloom_copies::ir::Pass;
use commloom_copies::verify::Instance;
use commloom_proof::Judged;
use commloom_source::Span;

/// All that is known of a call.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// In how many settings of the preprocessor the call was judged, of which this tells one; 0
    /// where no `#if` decides about its datatype.
    pub settings: usize,
    /// Which way the copies go; none where no copies are understood.
    pub direction: Option<Direction>,
    /// The call, and the statements that do nothing but copy, in the order of the texts.
    pub statements: Vec<Span>,
    /// The buffer.
    pub buffer: String,
    /// The copies in the order of the buffer.
    pub copies: Vec<Copied>,
    /// How many bytes they are; none where there is no formula.
    pub length: Option<String>,
    /// From the copies to the datatype.
    pub steps: Vec<Passed>,
    /// The datatype as a tree: depth and words of each node.
    pub tree: Vec<(usize, String)>,
    /// The address that the call gets in the place of the buffer.
    pub begin: String,
    /// The conditions that were asked of the program, and the answers.
    pub conditions: Vec<Judged>,
    /// The datatype at small sizes.
    pub example: Option<Example>,
    /// The datatype at all sizes that were drawn.
    pub instances: Vec<Instance>,
}

/// One copying statement: (iteration box, buffer offset, source address).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    /// The loops around it, from outside.
    pub loops: Vec<Turn>,
    /// Under which condition, as the program writes it.
    pub condition: Option<String>,
    /// Where in the buffer, in elements: `b[(ny - 2)*(k - 1) + j]`.
    pub buffer: String,
    /// How many bytes.
    pub bytes: String,
    /// Where in the program's memory.
    pub memory: String,
    /// The statement.
    pub span: Span,
}

/// The turns of a loop: `k = 1 .. nz - 2`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Its variable, or a name that the text does not have.
    pub variable: String,
    /// The variable's first value.
    pub first: String,
    /// Its last value.
    pub last: String,
    /// The number added for each turn, if it is not 1.
    pub step: Option<String>,
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Turn { variable, first, last, step } = self;
        write!(f, "{variable} = {first} .. {last}")?;
        step.iter().try_for_each(|step| write!(f, " step {step}"))
    }
}

/// The datatype after one pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passed {
    /// The pass; none for the copies as they come.
    pub pass: Option<Pass>,
    /// How often, one after the other.
    pub times: usize,
    /// The datatype after it.
    pub ty: String,
}

/// The datatype at sizes that can be shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// The sizes that were drawn: names of the program, and their values.
    pub sizes: Vec<(String, i64)>,
    /// Arrays that it has parts of.
    pub arrays: Vec<Array>,
}

/// An array, or the part of it where something is copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Array {
    /// Its name.
    pub name: String,
    /// Bytes of a cell.
    pub cell: i64,
    /// Cells in a row.
    pub row: usize,
    /// Of planes with many rows the first and last one that are shown, from 1, and how many there
    /// are.
    pub rows: Option<(usize, usize, usize)>,
    /// The planes in which something is copied; the others are left out.
    pub planes: Vec<Plane>,
}

/// Rows of cells that follow each other in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plane {
    /// Its first cell.
    pub name: String,
    /// All its cells: the place of each in the order of the buffer, from 1; none for those that
    /// are not copied.
    pub cells: Vec<Option<usize>>,
}
