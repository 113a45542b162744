//! What is known of layouts, whatever handle they came with: a program that makes the same type
//! again and again pays for its analysis once.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use commloom_layout::{CostModel, Type};
use commloom_mpi::Abi;
use commloom_reconstruct::{Constructors, Limits, normalize_within};

use crate::element::Element;
use crate::message::Message;
use crate::state::{Preload, lock};
use crate::tally::Tally;

/// The layout of one element of a datatype, and the kinds of message that were made of it.
pub(crate) struct Known<A: Abi> {
    pub before: Type,
    pub after: Type,
    messages: Mutex<Vec<(i64, Arc<Message<A>>)>>,
    /// One element in packed form.
    element: OnceLock<Arc<Element<A>>>,
    pub tally: Arc<Tally>,
    /// Handles that were found to have this layout.
    pub handles: AtomicU64,
}

/// Counts for which a layout keeps its plans. A program that sends a type with ever new counts has
/// them planned again, in microseconds.
const COUNTS: usize = 64;
/// Layouts without a live handle that are kept at most. Each may have handles of our own, and a library can
/// get slow, or [lossy](crate::lossy), with many.
const IDLE: usize = 128;
/// Work of normalization beyond reading the description: little, because a program waits for it.
/// The exact programme over 96 elements would take as long as a hundred short messages.
pub(crate) const EFFORT: Limits = Limits { flatten: 256, exact_tree: 8 };

impl<A: Abi> Known<A> {
    /// One element in packed form.
    pub fn element(&self, state: &'static Preload<A>) -> Arc<Element<A>> {
        self.element.get_or_init(|| Arc::new(Element::new(state, &self.after))).clone()
    }

    /// The datatypes that were made for it.
    fn made(&self) -> Vec<A::Datatype> {
        let element = self.element.get().and_then(|element| element.made());
        let messages = lock(&self.messages);
        messages.iter().flat_map(|(_, message)| message.substitutes()).chain(element).collect()
    }

    /// The message of `count` elements; `None` where our own code failed.
    pub fn message(&self, state: &'static Preload<A>, count: i64) -> Option<Arc<Message<A>>> {
        if let Some((_, found)) = lock(&self.messages).iter().find(|(c, _)| *c == count) {
            return Some(found.clone());
        }
        let made = Arc::new(Message::new(state, self, count)?);
        let mut messages = lock(&self.messages);
        if messages.len() >= COUNTS {
            messages.clear();
        }
        messages.push((count, made.clone()));
        Some(made)
    }
}

/// All layouts that were looked at.
pub(crate) struct Layouts<A: Abi>(Mutex<Option<Table<A>>>);

struct Table<A: Abi> {
    known: HashMap<Type, Arc<Known<A>>>,
    /// How many there are before the idle ones go.
    limit: usize,
}

impl<A: Abi> Table<A> {
    /// Forgets the layouts that no live handle has, once there are many. Constant time a layout: as many have
    /// to come again as are left.
    fn tidy(&mut self) {
        if self.known.len() >= self.limit {
            self.known.retain(|_, known| Arc::strong_count(known) > 1);
            self.limit = 2 * self.known.len() + IDLE;
        }
    }
}

impl<A: Abi> Default for Table<A> {
    fn default() -> Self {
        Table { known: HashMap::new(), limit: IDLE }
    }
}

impl<A: Abi> Layouts<A> {
    pub const fn new() -> Self {
        Layouts(Mutex::new(None))
    }

    /// What is known of a layout, found out now if need be. Where messages are counted, nothing is
    /// thrown away.
    pub fn get(&self, before: Type, counted: bool) -> Result<Arc<Known<A>>, String> {
        let found = lock(&self.0).get_or_insert_default().known.get(&before).cloned();
        let known = match found {
            Some(known) => known,
            None => {
                let model = CostModel::default();
                let after = normalize_within(&EFFORT, &before, Constructors::Extended, &model)
                    .map_err(|e| e.to_string())?
                    .ty;
                let made = Arc::new(Known {
                    before: before.clone(),
                    after,
                    messages: Mutex::new(Vec::new()),
                    element: OnceLock::new(),
                    tally: Arc::new(Tally::new(counted)),
                    handles: AtomicU64::new(0),
                });
                let mut guard = lock(&self.0);
                let table = guard.get_or_insert_default();
                if !counted {
                    table.tidy();
                }
                table.known.entry(before).or_insert(made).clone()
            }
        };
        known.handles.fetch_add(1, Ordering::Relaxed);
        Ok(known)
    }

    /// Everything that is known.
    pub fn all(&self) -> Vec<Arc<Known<A>>> {
        lock(&self.0).iter().flat_map(|table| table.known.values().cloned()).collect()
    }
}

impl<A: Abi> Preload<A> {
    /// Frees our datatypes before the library ends: some libraries warn of what is left. Attributes of
    /// `MPI_COMM_SELF` that are deleted by `MPI_Finalize` may still communicate, but they get none of
    /// them any more: see `finalizing`.
    pub(crate) fn free_made(&self) {
        for datatype in self.layouts.all().iter().flat_map(|known| known.made()) {
            // A handle that MPI does not take back is lost, not worse.
            let _ = self.mpi().type_free(datatype);
        }
    }
}
