//! [`Shape`]: what the choice looks at in a message.

use commloom_layout::{Kind, Type};

use crate::family::{Family, Form, MANY};

/// One message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    /// Packed bytes.
    pub(crate) bytes: f64,
    /// Contiguous runs in memory.
    pub(crate) runs: f64,
    /// Bytes of memory from the first to the last.
    pub(crate) span: f64,
    /// As the program describes it.
    pub(crate) own: Description,
    /// As so many units of the normal form, if that is a repetition of a small unit.
    pub(crate) unit: Option<Description>,
    /// As one element, if that is loops only.
    pub(crate) whole: Option<Description>,
    /// The normal form, which the engine works from.
    pub(crate) normal: Family,
}

/// The same memory in other words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Description {
    pub family: Family,
    /// Runs that a library moves which does not join the last one of an element and the first of
    /// the next.
    pub runs: f64,
}

/// Largest unit in bytes: beyond it a library falls back to walking inside the unit.
const UNIT: u64 = 8192;
/// Most runs in a unit, for the same reason.
const UNIT_RUNS: u64 = 64;
/// Bytes of a cache line.
const LINE: f64 = 64.0;

impl Shape {
    /// Looks at `count` elements of the program's type `user`, whose normal form (count included)
    /// is `normal`, and in fewest runs `joined`. O(nodes).
    #[must_use]
    pub fn of(count: u64, user: &Type, normal: &Type, joined: &Type) -> Shape {
        let repeated = |count: u64, family, element: &Type| Description {
            family,
            runs: (approximate(count) * approximate(element.runs())).max(1.0),
        };
        let unit =
            unit(normal).map(|(count, _, child)| repeated(count, Family::of(MANY, child), child));
        let whole = Family::of(1, joined);
        Shape {
            bytes: approximate(normal.size()),
            runs: approximate(normal.runs()).max(1.0),
            span: approximate(normal.true_extent().unsigned_abs()),
            own: repeated(count, Family::described(count, user, normal), user),
            unit,
            whole: Form::is_loops_only(joined).then(|| repeated(1, whole, joined)),
            normal: unit.map_or_else(|| Family::of(1, normal), |unit| unit.family),
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

    /// The description that the engine sees.
    pub(crate) fn packed(&self) -> Description {
        Description { family: self.normal, runs: self.runs }
    }

    /// One of so many equal parts of the message, as a collective sends them.
    #[must_use]
    pub fn part(&self, parts: u64) -> Shape {
        let share = 1.0 / approximate(parts.max(1));
        let part = |all: Description| Description { runs: (all.runs * share).max(1.0), ..all };
        Shape {
            bytes: self.bytes * share,
            runs: (self.runs * share).max(1.0),
            span: self.span * share,
            own: part(self.own),
            unit: self.unit.map(part),
            whole: self.whole.map(part),
            normal: self.normal,
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
