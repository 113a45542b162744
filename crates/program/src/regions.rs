//! The effects of a procedure, in terms that its callers understand.

use std::collections::{BTreeSet, HashMap, HashSet};

use commloom_source::tree::{Expression, Name};

/// Memory outside of a procedure.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Region {
    /// The content of an argument: what a pointer leads to, all of an array.
    Argument(usize),
    /// A variable that others see, by its name in the whole project.
    Global(String),
}

/// Some memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Regions {
    /// Everything that can be reached: then nothing is named.
    pub all: bool,
    pub some: BTreeSet<Region>,
}

impl Regions {
    /// Adds other memory; whether that was news.
    pub fn extend(&mut self, other: Regions) -> bool {
        if self.all {
            return false;
        }
        let before = self.some.len();
        self.some.extend(other.some);
        self.all = other.all;
        if self.all {
            self.some.clear();
        }
        self.all || before != self.some.len()
    }
}

/// The memory that a procedure reads and writes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Summary {
    pub reads: Regions,
    pub writes: Regions,
}

/// The name of memory that nobody knows.
pub(super) const ANYTHING: &str = "?";

/// Where the pointers of a procedure lead to.
#[derive(Debug, Default)]
pub(super) struct Pointers {
    /// Of each pointer, the variables that it is set to.
    pub leads: HashMap<Name, BTreeSet<Name>>,
    /// Variables whose address is taken.
    pub exposed: HashSet<Name>,
    /// Pointers whose own address is taken: they may be set through it.
    pub open: HashSet<Name>,
}

impl Pointers {
    /// The memory that a pointer is set to; none if that is nowhere to be seen.
    pub fn leads(&self, name: &str) -> Option<&BTreeSet<Name>> {
        self.leads.get(name)
    }

    /// Whether a pointer may be set otherwise than by its name.
    pub fn is_open(&self, name: &str) -> bool {
        self.open.contains(name)
    }

    /// Whether some other variable is set to a variable's address.
    pub fn is_led_to(&self, name: &str) -> bool {
        self.leads.values().any(|to| to.contains(name))
    }

    /// A name and all that it leads to.
    pub fn follow(&self, name: &str) -> Vec<Name> {
        let mut all = BTreeSet::new();
        let mut waiting = vec![name.to_owned()];
        while let Some(name) = waiting.pop() {
            if all.insert(name.clone()) {
                waiting.extend(self.leads.get(&name).into_iter().flatten().cloned());
            }
        }
        all.into_iter().collect()
    }
}

/// Who can reach the variables of a procedure.
#[derive(Debug, Default)]
pub(super) struct Reach {
    /// Variables whose memory nobody unknown can reach.
    pub hidden: HashSet<Name>,
    /// Of C: those whose address, or what they point to, may be known elsewhere.
    pub given: BTreeSet<Name>,
}

/// An `allocate` that tells the bounds of an array of Fortran everywhere.
#[derive(Debug, Clone)]
pub(super) struct Allocation {
    /// The array, by its name in the whole project.
    pub array: String,
    /// As its procedure calls it.
    pub name: Name,
    /// The number of the procedure.
    pub from: usize,
    /// `b(n, 0:m)`
    pub item: Expression,
    /// The names in the bounds: of variables the name in the whole project.
    pub needs: Vec<(Name, Option<String>)>,
}

/// The doings of procedures of Fortran that are called where no name says so.
#[derive(Debug, Default)]
pub(super) struct Acting {
    /// Whether one of them touches more than its arguments.
    pub anything: bool,
    /// Types that are not copied by assignments.
    pub assigned: HashSet<Name>,
}
