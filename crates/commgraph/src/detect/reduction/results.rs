//! The results of reductions, each with the number of its contributions.

use std::collections::HashMap;

use crate::dataflow::{Contributions, Reduced, Results};
use crate::detect::collective::Collective;
use crate::number::{at, id};

/// A result: `length` bytes at one process, made of the contributions of this number, and those
/// that follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Result {
    pub destination: u32,
    pub address: u64,
    pub length: u64,
    pub terms: u32,
}

pub(super) struct Found {
    pub processes: u32,
    pub results: Vec<Result>,
    pub taken: Vec<bool>,
    /// Different contributions, numbered.
    pub terms: Vec<Contributions>,
    pub collectives: Vec<Collective>,
    /// Results that are no single reduction.
    mixed: Vec<Reduced>,
}

impl Found {
    pub(super) fn new(processes: u32, results: Results) -> Found {
        let mut numbers: HashMap<Contributions, u32> = HashMap::new();
        let mut terms: Vec<Contributions> = Vec::new();
        let mut mixed = Vec::new();
        let mut all = Vec::new();
        let of: Vec<Option<u32>> = results
            .contributions
            .into_iter()
            .map(|c| {
                let next = id(terms.len());
                let c = c?;
                let number = *numbers.entry(c.clone()).or_insert(next);
                if number == next {
                    terms.push(c);
                }
                Some(number)
            })
            .collect();
        for (destination, address, length, value) in results.results {
            match of[at(value)] {
                Some(terms) => all.push(Result { destination, address, length, terms }),
                None => mixed.push(Reduced { destination, address, length, contributions: None }),
            }
        }
        let all = joined(all, &terms);
        let taken = vec![false; all.len()];
        Found { processes, results: all, taken, terms, collectives: Vec::new(), mixed }
    }

    /// The free results with one contribution of every process, in the order of `key`.
    pub(super) fn full_sorted_by<K: Ord>(&self, key: impl Fn(&Result) -> K) -> Vec<u32> {
        let full: Vec<bool> = self.terms.iter().map(|c| is_full(c, self.processes)).collect();
        let mut free: Vec<u32> = (0..self.results.len())
            .filter(|r| !self.taken[*r] && full[at(self.results[*r].terms)])
            .map(id)
            .collect();
        free.sort_by_key(|r| key(&self.results[at(*r)]));
        free
    }

    /// Where the contributions lie relative to that of the first process, and the reduction.
    pub(super) fn shape(&self, result: u32) -> Vec<u64> {
        let terms = &self.terms[at(self.results[at(result)].terms)];
        let first = terms.memory[0].1;
        let apart = terms.memory.iter().map(|(_, a)| a.wrapping_sub(first));
        std::iter::once(u64::from(terms.reduction)).chain(apart).collect()
    }

    pub(super) fn finish(self) -> (Vec<Collective>, Vec<Reduced>) {
        let Found { results, taken, terms, collectives, mixed, .. } = self;
        let free = results.iter().zip(&taken).filter(|(_, taken)| !**taken);
        let left = free.map(|(r, _)| Reduced {
            destination: r.destination,
            address: r.address,
            length: r.length,
            contributions: Some(terms[at(r.terms)].clone()),
        });
        let mut left: Vec<Reduced> = left.chain(mixed).collect();
        left.sort_by_key(|r| (r.destination, r.address));
        (collectives, left)
    }
}

/// Whether these are the contributions of processes 0 to `processes`, each once.
pub(super) fn is_full(terms: &Contributions, processes: u32) -> bool {
    terms.memory.iter().map(|(p, _)| *p).eq(0..processes)
}

/// Joins results of neighbouring bytes.
fn joined(results: Vec<Result>, terms: &[Contributions]) -> Vec<Result> {
    let mut compared: HashMap<(u32, u32, u64), bool> = HashMap::new();
    let mut all: Vec<Result> = Vec::new();
    for next in results {
        if let Some(kept) = all.last_mut()
            && kept.destination == next.destination
            && kept.address + kept.length == next.address
            && *compared.entry((kept.terms, next.terms, kept.length)).or_insert_with(|| {
                shifted(&terms[at(kept.terms)], kept.length, &terms[at(next.terms)])
            })
        {
            kept.length += next.length;
        } else {
            all.push(next);
        }
    }
    all
}

/// Whether `b` are the contributions `by` bytes after `a`.
fn shifted(a: &Contributions, by: u64, b: &Contributions) -> bool {
    let moved = a.memory.iter().map(|(p, address)| (*p, address.wrapping_add(by)));
    a.reduction == b.reduction && moved.eq(b.memory.iter().copied())
}
