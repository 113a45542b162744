//! Space-time diagrams: processes as horizontal lines, messages as slanted ones, operations of
//! several processes as bands. One SVG without scripts or fonts of its own, for light and dark
//! backgrounds.

mod fewer;
mod svg;

pub use svg::spacetime;

/// The actions of processes, step by step.
#[derive(Debug, Clone, Default)]
pub struct Timeline {
    /// The bold line above.
    pub heading: String,
    /// Its content in words.
    pub legend: String,
    /// The names of the processes.
    pub lanes: Vec<String>,
    /// The name of the bytes of messages; empty: bytes.
    pub unit: String,
    /// Messages.
    pub messages: Vec<Message>,
    /// Operations of several processes.
    pub bands: Vec<Band>,
    /// Operations of one process.
    pub marks: Vec<Mark>,
}

/// A message, or several that lie close together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The lane that sends.
    pub from: usize,
    /// The lane that receives.
    pub to: usize,
    /// The step in which it is sent.
    pub leaves: u32,
    /// The step in which it is there.
    pub arrives: u32,
    /// Its bytes.
    pub bytes: u64,
    /// How many messages it stands for.
    pub count: u64,
}

/// An operation of several processes. It takes a step of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Band {
    /// The lanes that take part, sorted.
    pub lanes: Vec<usize>,
    /// The step.
    pub step: u32,
    /// Its name.
    pub label: String,
    /// More about it.
    pub detail: String,
    /// The lane of its root.
    pub root: Option<usize>,
}

/// An operation of one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// Whose.
    pub lane: usize,
    /// The step.
    pub step: u32,
    /// Whether it reduces; otherwise it copies.
    pub reduces: bool,
}

impl Timeline {
    /// How many steps there are.
    #[must_use]
    pub fn steps(&self) -> u32 {
        let messages = self.messages.iter().map(|m| m.arrives);
        let bands = self.bands.iter().map(|b| b.step + 1);
        let marks = self.marks.iter().map(|m| m.step + 1);
        messages.chain(bands).chain(marks).max().unwrap_or(0)
    }
}
