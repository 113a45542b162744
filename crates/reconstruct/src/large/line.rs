//! Tokens in order: copies of atoms at displacements.

use std::collections::HashMap;

use commloom_layout::Type;

use crate::ReconstructError;
use crate::forms::Forms;
use crate::num::at;
use crate::num::count;
use crate::prices::Prices;
use crate::tree::{self, Tokens};

/// Tokens that are being put together: token t is a copy of atom `atoms[t]` at `starts[t]`. No
/// difference of two starts overflows.
pub(crate) struct Line {
    pub starts: Vec<i64>,
    atoms: Vec<u32>,
    table: Vec<Forms>,
    numbers: HashMap<Type, u32>,
}

impl Line {
    /// No tokens yet.
    pub(crate) fn new() -> Line {
        Line { starts: Vec::new(), atoms: Vec::new(), table: Vec::new(), numbers: HashMap::new() }
    }

    pub(crate) fn push(&mut self, start: i64, atom: &Forms) {
        let next = u32::try_from(self.table.len()).expect("fewer atoms than tokens, below 2^32");
        let number = *self.numbers.entry(atom.plain.ty.clone()).or_insert(next);
        if number == next {
            self.table.push(atom.clone());
        }
        self.starts.push(start);
        self.atoms.push(number);
    }

    /// The tokens, at least one.
    pub(super) fn view(&self) -> View<'_> {
        let atoms = (self.table.len() > 1).then_some(&*self.atoms);
        View { starts: &self.starts, atoms, table: &self.table }
    }
}

/// Tokens as they are read. Where all are copies of one atom their numbers are not stored.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub starts: &'a [i64],
    atoms: Option<&'a [u32]>,
    table: &'a [Forms],
}

impl<'a> View<'a> {
    /// Copies of one atom.
    pub(super) fn of(starts: &'a [i64], atom: &'a Forms) -> Self {
        View { starts, atoms: None, table: std::slice::from_ref(atom) }
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether the tokens can be numbered in 32 bits, and sums of their costs fit in 60.
    pub(super) fn is_within_reach(&self, prices: &Prices) -> bool {
        let model = &prices.model;
        let nodes = [model.vec, model.idx, model.idxbuc, model.strc];
        let lookups = model.lookup.saturating_mul(4);
        let dearest = self.table.iter().map(|atom| atom.plain.cost).max().unwrap_or(0);
        let token = nodes.into_iter().fold(dearest.saturating_add(lookups), u64::saturating_add);
        u32::try_from(self.len()).is_ok_and(|n| n < u32::MAX)
            && token.saturating_mul(count(self.len())) < 1 << 60
    }

    /// Whether all tokens are copies of one atom.
    pub(super) fn is_uniform(&self) -> bool {
        self.atoms.is_none()
    }

    /// The number of the atom of token `t`.
    pub(super) fn number(&self, t: usize) -> u32 {
        self.atoms.map_or(0, |atoms| atoms[t])
    }

    /// The atoms of tokens `from..to`, if there are several.
    pub(super) fn numbers(&self, from: usize, to: usize) -> Option<&'a [u32]> {
        self.atoms.map(|atoms| &atoms[from..to])
    }

    pub(super) fn atom(&self, t: usize) -> &'a Forms {
        &self.table[at(self.number(t))]
    }

    /// From token `t` to the next one.
    pub(super) fn step(&self, t: usize) -> i64 {
        self.starts[t + 1] - self.starts[t]
    }

    /// The exact tree of tokens `from..to`.
    pub(super) fn tree(
        &self,
        from: usize,
        to: usize,
        prices: &Prices,
    ) -> Result<Forms, ReconstructError> {
        // Only the atoms that occur, so that the programme knows what costs to expect.
        let (mut table, mut numbers) = (Vec::new(), HashMap::new());
        let atoms: Vec<u32> = (from..to)
            .map(|t| {
                *numbers.entry(self.number(t)).or_insert_with(|| {
                    table.push(self.atom(t).clone());
                    u32::try_from(table.len() - 1).expect("there are few tokens")
                })
            })
            .collect();
        let tokens = Tokens { starts: &self.starts[from..to], atoms: &atoms, table: &table };
        tree::solve(&tokens, prices)
    }
}
