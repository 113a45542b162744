//! The state of the interpreter.

use std::rc::Rc;

use commloom_source::Span;
use commloom_source::symbols::Symbols;

use crate::{Packing, Request};

use super::draw::Draw;
use super::fast::Table;
use super::memory::{Byte, Memory, Object, Objects};
use super::stop::Stop;
use super::types::{Meaning, Of, Types};

/// More numbers and statements than these are not evaluated.
pub(super) const STEPS: u32 = 2_000_000;

/// First subscript, and bytes between neighbours, of each dimension.
pub(super) type Frame = Rc<[(i64, i64)]>;

/// A place and what is there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot {
    pub at: Byte,
    pub of: Of,
}

pub(super) struct Interpreter<'a> {
    pub symbols: &'a dyn Symbols,
    pub is_fortran: bool,
    pub types: Types<'a>,
    pub objects: Objects,
    pub draw: Draw,
    pub request: &'a Request<'a>,
    /// The statements that do nothing but copy, outermost ones.
    pub copying: &'a [Span],
    /// The copies in them.
    pub copies: Vec<Span>,
    /// Loops around nothing that is looked for are not executed, and conditions on the way to the
    /// call hold.
    pub is_survey: bool,
    /// Statements that copy to or from other parts of the buffer. On sizes drawn by chance these
    /// would overlap: they are passed over.
    pub beside: &'a [Span],
    /// Bytes that the copies are.
    pub amount: u64,
    /// Whether a loop around them would turn a negative number of times.
    pub negative: bool,
    /// Whether one of them is being executed, after the call.
    pub is_copying: bool,
    /// Bytes that they moved, and where their content came from.
    pub moved: Vec<(Byte, Byte)>,
    pub memory: Memory,
    /// Memory as it was where arrays with variable bounds were declared.
    pub shapes: Table<Object, Rc<Memory>>,
    /// First subscript and extent of each dimension of arrays that were allocated on the way.
    pub allocated: Table<Object, Vec<(i64, i64)>>,
    /// Bounds of arrays that are known already, by array and expression.
    pub bounds: Table<(Object, usize), Result<i64, Stop>>,
    pub frames: Table<(Object, Of), Frame>,
    /// The memory at the call.
    pub arrival: Option<Memory>,
    /// The memory where a persistent request is made, with the arguments there.
    pub made: Option<(Memory, Byte, Option<i64>)>,
    pub buffer: Option<Byte>,
    pub count: Option<i64>,
    pub finished: bool,
    pub steps: u32,
}

impl<'a> Interpreter<'a> {
    pub fn new(
        symbols: &'a dyn Symbols,
        request: &'a Request<'a>,
        packing: &'a Packing,
        draw: Draw,
    ) -> Interpreter<'a> {
        let mut copies = Vec::new();
        packing.copies.each(&mut |copy| copies.push(copy.span));
        Interpreter {
            symbols,
            is_fortran: symbols.language().is_fortran(),
            types: Types::new(symbols),
            objects: Objects::default(),
            draw,
            request,
            copying: &packing.statements,
            copies,
            is_survey: false,
            beside: &packing.beside,
            amount: 0,
            negative: false,
            is_copying: false,
            moved: Vec::new(),
            memory: Memory::default(),
            shapes: Table::default(),
            allocated: Table::default(),
            bounds: Table::default(),
            frames: Table::default(),
            arrival: None,
            made: None,
            buffer: None,
            count: None,
            finished: false,
            steps: 0,
        }
    }

    /// As if nothing had run yet, with other values.
    pub fn again(&mut self, seed: u64) {
        self.draw.seed = seed;
        self.amount = 0;
        self.negative = false;
        self.is_copying = false;
        self.moved.clear();
        self.memory.clear();
        self.shapes.clear();
        self.allocated.clear();
        self.bounds.clear();
        self.frames.clear();
        self.arrival = None;
        self.made = None;
        self.buffer = None;
        self.count = None;
        self.finished = false;
        self.steps = 0;
        for item in self.symbols.allocated_elsewhere() {
            self.allocate(item);
        }
    }

    pub fn meaning(&mut self, name: &str) -> Meaning<'a> {
        self.types.meaning(name, &mut self.objects)
    }
}
