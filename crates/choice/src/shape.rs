//! [`Shape`]: what the choice looks at in a message.

use commloom_layout::{Kind, Type};

use crate::family::{Family, MANY};

/// One message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    /// Packed bytes.
    pub(crate) bytes: f64,
    /// Contiguous runs in memory.
    pub(crate) runs: f64,
    /// Bytes of memory from the first to the last.
    pub(crate) span: f64,
    /// The program's description.
    pub(crate) family: Family,
    /// The normal form.
    pub(crate) normal: Family,
    /// The normal form is a repetition of a small unit, so that it can be sent as count x unit.
    pub(crate) unit: bool,
}

/// Largest unit in bytes: beyond it a library falls back to walking inside the unit.
const UNIT: u64 = 8192;
/// Most runs in a unit, for the same reason.
const UNIT_RUNS: u64 = 64;
/// Bytes of a cache line.
const LINE: f64 = 64.0;

impl Shape {
    /// Looks at `count` elements of the program's type `user`, whose normal form (count included)
    /// is `normal`. O(nodes).
    #[must_use]
    pub fn of(count: u64, user: &Type, normal: &Type) -> Shape {
        let unit = unit(normal);
        let normal_family = match unit {
            Some((_, _, child)) => Family::of(MANY, child),
            None => Family::of(1, normal),
        };
        Shape {
            bytes: approximate(normal.size()),
            runs: approximate(normal.runs()).max(1.0),
            span: approximate(normal.true_extent().unsigned_abs()),
            family: Family::of(count, user),
            normal: normal_family,
            unit: unit.is_some(),
        }
    }

    /// Cache lines touched beyond those of a reference, of which every second byte is moved.
    pub(crate) fn more_lines(&self) -> f64 {
        let lines = |span: f64| {
            let apart = self.runs * (1.0 + self.run() / LINE);
            apart.min((span / LINE).max(1.0))
        };
        (lines(self.span) - lines(2.0 * self.bytes)).max(0.0)
    }

    /// Average length of a run, in bytes.
    pub(crate) fn run(&self) -> f64 {
        self.bytes / self.runs
    }

    /// One of so many equal parts of the message, as a collective sends them.
    #[must_use]
    pub fn part(&self, parts: u64) -> Shape {
        let share = 1.0 / approximate(parts.max(1));
        Shape {
            bytes: self.bytes * share,
            runs: (self.runs * share).max(1.0),
            span: self.span * share,
            ..*self
        }
    }
}

/// The unit of a normal form: how often, how far apart in bytes, and what, if sending count x unit
/// is possible at all.
#[must_use]
pub fn unit(normal: &Type) -> Option<(u64, i64, &Type)> {
    match normal.kind() {
        Kind::Resized { child, .. } => unit(child),
        Kind::Vec { count, stride, child }
            if *count >= MANY
                && *stride > 0
                && child.size() <= UNIT
                && child.runs() <= UNIT_RUNS =>
        {
            Some((*count, *stride, child))
        }
        _ => None,
    }
}

#[expect(clippy::cast_precision_loss, reason = "an estimate needs three digits")]
pub(crate) fn approximate(n: u64) -> f64 {
    n as f64
}
