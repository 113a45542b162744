//! Tokens in order, in a form that can be folded.

use std::collections::HashMap;

use commloom_layout::Type;

use crate::ReconstructError;
use crate::forms::Forms;
use crate::prices::Prices;
use crate::sequence::Sequence;
use crate::tree::{self, Tokens};

/// Copies of atoms in order: token t is `table[atoms[t]]` at `starts[t]`. No difference of two starts
/// overflows.
pub(crate) struct Line {
    pub starts: Vec<i64>,
    pub atoms: Vec<u32>,
    pub table: Vec<Forms>,
    numbers: HashMap<Type, u32>,
}

impl Line {
    /// No tokens yet.
    pub(crate) fn new() -> Line {
        Line { starts: Vec::new(), atoms: Vec::new(), table: Vec::new(), numbers: HashMap::new() }
    }

    /// Copies of one atom.
    pub(crate) fn of(sequence: Sequence<'_>, atom: &Forms) -> Line {
        let mut line = Line::new();
        let number = line.number(atom);
        line.starts = sequence.starts.to_vec();
        line.atoms = vec![number; sequence.len()];
        line
    }

    /// No tokens, but the atoms of another line.
    pub(super) fn emptied(&self) -> Line {
        Line {
            starts: Vec::new(),
            atoms: Vec::new(),
            table: self.table.clone(),
            numbers: self.numbers.clone(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    pub(crate) fn push(&mut self, start: i64, atom: &Forms) {
        let number = self.number(atom);
        self.starts.push(start);
        self.atoms.push(number);
    }

    /// The tokens `from..to` of another line with the same numbers.
    pub(super) fn copy(&mut self, other: &Line, from: usize, to: usize) {
        self.starts.extend_from_slice(&other.starts[from..to]);
        self.atoms.extend_from_slice(&other.atoms[from..to]);
    }

    pub(super) fn atom(&self, t: usize) -> &Forms {
        &self.table[usize::try_from(self.atoms[t]).expect("32 bits fit")]
    }

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
                *numbers.entry(self.atoms[t]).or_insert_with(|| {
                    table.push(self.atom(t).clone());
                    u32::try_from(table.len() - 1).expect("there are few tokens")
                })
            })
            .collect();
        let tokens = Tokens { starts: &self.starts[from..to], atoms: &atoms, table: &table };
        tree::solve(&tokens, prices)
    }

    fn number(&mut self, atom: &Forms) -> u32 {
        if let Some(&number) = self.numbers.get(&atom.plain.ty) {
            return number;
        }
        let number = u32::try_from(self.table.len()).expect("fewer atoms than tokens, below 2^32");
        self.numbers.insert(atom.plain.ty.clone(), number);
        self.table.push(atom.clone());
        number
    }
}
