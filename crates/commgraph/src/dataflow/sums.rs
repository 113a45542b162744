//! Values that reductions made: which bytes of memory went into them.

use std::collections::{HashMap, HashSet};

use crate::dataflow::run::Origin;
use crate::number::{at, id};
use crate::operation::Reduction;

/// Two values made one by a reduction, byte by byte from the origins on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Node {
    reduction: u32,
    parts: [Origin; 2],
}

/// All values made by reductions. The same two parts make the same node, so that what processes
/// compute alike is one.
#[derive(Debug, Default)]
pub(crate) struct Sums {
    nodes: Vec<Node>,
    known: HashMap<Node, u32>,
    /// By reduction: whether a contribution may count twice without changing the result.
    idempotent: Vec<bool>,
}

/// The contributions to a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Contributions {
    /// The reduction, by its number in the graph.
    pub reduction: u32,
    /// Process and address of each contribution, sorted; one that counts twice is there twice,
    /// unless that makes no difference.
    pub memory: Vec<(u32, u64)>,
}

impl Sums {
    /// Without values, for the reductions of a graph.
    pub(crate) fn new(reductions: &[Reduction]) -> Sums {
        let idempotent = reductions.iter().map(|r| r.combine.is_idempotent()).collect();
        Sums { idempotent, ..Sums::default() }
    }

    /// The value of `a (reduction) b`. All reductions commute.
    pub(crate) fn combine(&mut self, reduction: u32, a: Origin, b: Origin) -> Origin {
        let node = Node { reduction, parts: [a.min(b), a.max(b)] };
        let next = id(self.nodes.len());
        let number = *self.known.entry(node).or_insert(next);
        if number == next {
            self.nodes.push(node);
        }
        Origin::Sum { node: number, offset: 0 }
    }

    /// The contributions to a value; `None` where different reductions were mixed, or there are
    /// more than `limit` contributions.
    pub(crate) fn terms(&self, node: u32, offset: u64, limit: usize) -> Option<Contributions> {
        let reduction = self.nodes[at(node)].reduction;
        let is_idempotent = self.idempotent.get(at(reduction)) == Some(&true);
        let mut memory = Vec::new();
        let mut open = vec![(node, offset)];
        let mut seen = HashSet::new();
        while let Some((node, offset)) = open.pop() {
            if is_idempotent && !seen.insert((node, offset)) {
                continue;
            }
            if self.nodes[at(node)].reduction != reduction || open.len() > limit {
                return None;
            }
            for part in self.nodes[at(node)].parts {
                match part.plus(offset) {
                    Origin::Memory { process, address } => memory.push((process, address)),
                    Origin::Sum { node, offset } => open.push((node, offset)),
                }
            }
            if memory.len() > limit {
                return None;
            }
        }
        memory.sort_unstable();
        if is_idempotent {
            memory.dedup();
        }
        Some(Contributions { reduction, memory })
    }
}
