//! The content of the page, as data.

use commloom_picture::matrix::Square;

use commloom_advice::Advice;

/// The whole page.
pub struct Page<'a> {
    /// The name of the input.
    pub title: String,
    /// The library that it ran with.
    pub library: String,
    /// Numbers at its top: what, and how much.
    pub facts: Vec<(&'static str, String)>,
    /// Of a program that ran: in words, and what to do.
    pub summary: Option<String>,
    pub advice: &'a [Advice],
    /// The program as a whole, where it was recorded.
    pub run: Option<Figure>,
    /// Its phases, in order.
    pub parts: Vec<Part>,
    /// Notes of the readers on what they left open.
    pub notes: Vec<String>,
    /// Lines of the program, by their numbers in [`Line`].
    pub places: Vec<String>,
}

/// One graph: a phase, or a file.
pub struct Part {
    pub name: String,
    /// How often it ran.
    pub times: u64,
    /// Processes, operations, messages in words.
    pub summary: String,
    /// Whether processes send on what they make of what has just come.
    pub sweep: bool,
    pub findings: Vec<Finding>,
    /// Transfers and results of reductions that are part of nothing, in words.
    pub left: String,
    /// Who sends and who receives: lines of the program with their messages.
    pub senders: Vec<(String, u64)>,
    pub receivers: Vec<(String, u64)>,
    pub notes: Vec<String>,
    /// By the model, each time: as messages, and with what was found.
    pub predicted: Option<(f64, f64)>,
    /// Messages and bytes, each time.
    pub messages: u64,
    pub bytes: u64,
    /// None where there are too many parts.
    pub figure: Option<Figure>,
}

/// A collective operation in disguise.
pub struct Finding {
    /// `MPI_Bcast`.
    pub name: String,
    /// The call with its arguments; empty where the advice has it.
    pub call: String,
    /// How many processes take part.
    pub processes: u32,
    /// Whose data it is, where there is one.
    pub root: Option<u32>,
    /// How much each of them has, in words.
    pub size: String,
}

/// The pictures of a part.
pub struct Figure {
    pub processes: u32,
    pub before: Option<Diagram>,
    pub after: Option<Diagram>,
    pub matrix: Vec<Square>,
    /// The pairs of ranks with most bytes: sender, receiver, messages, bytes.
    pub pairs: Vec<(u32, u32, u64, u64)>,
}

/// Processes over time.
#[derive(Default)]
pub struct Diagram {
    /// Its heading.
    pub heading: String,
    /// So many processes are one lane.
    pub lane: u32,
    pub lines: Vec<Line>,
    pub bands: Vec<Band>,
    /// Whether lines have steps, and times in nanoseconds.
    pub stepped: bool,
    pub timed: bool,
    /// Where parts begin for the first time: nanoseconds, number from 1 on.
    pub begins: Vec<(u64, usize)>,
}

/// A message, or several that lie close together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Lanes.
    pub from: u32,
    pub to: u32,
    /// When it leaves and when it arrives, in steps and in nanoseconds.
    pub steps: (u64, u64),
    pub times: (u64, u64),
    pub messages: u64,
    pub bytes: u64,
    /// Numbers of places, plus one; 0: not known, or several.
    pub sender: usize,
    pub receiver: usize,
}

/// A collective operation.
pub struct Band {
    pub name: String,
    pub detail: String,
    pub root: Option<u32>,
    /// Processes, ascending.
    pub members: Vec<u32>,
    /// Its step; the time when each member began it.
    pub step: u64,
    pub times: Vec<u64>,
}
