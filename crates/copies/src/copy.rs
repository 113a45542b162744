//! One copying statement: an assignment of elements or sections, or a memcpy.

use commloom_program::refusal::Code;
use commloom_source::Span;
use commloom_source::affine::{Counter, Place, Polynomial};
use commloom_source::tree::{
    Binary, Dimension as Bounds, Expression, ExpressionKind, Storage, Subscript, Type, Unary,
};

use super::integers::Integer;
use super::piece::{Dimension, Piece};
use super::place_type::is_whole;
use super::read::change;
use super::state::Located;
use super::value::quotient;
use super::walk::Walk;
use super::writes::root;
use super::{Copy, Dense, Direction, Origin, Turns};

/// A subscript of an array reference.
enum Along {
    At(Polynomial),
    /// So many, from the first on, with a step.
    Range {
        first: Polynomial,
        step: Polynomial,
        count: Polynomial,
    },
}

impl Walk<'_> {
    /// `target = value`, one of which is in the buffer.
    pub(super) fn copy(
        &mut self,
        target: &Expression,
        operation: Option<Binary>,
        value: &Expression,
        span: Span,
    ) {
        self.begin();
        self.is_unsure = false;
        if operation.is_some() {
            return self.computed(span, "a value is accumulated");
        }
        if !is_place(value) && !matches!(value.kind, ExpressionKind::Cast(..)) {
            return self.computed(value.span, "a value is computed");
        }
        let sections = self
            .symbols
            .language()
            .is_fortran()
            .then(|| self.sections(target, value, span))
            .flatten();
        let (memory, other) = match self.request.direction {
            Direction::Pack => (bare(value), target.span),
            Direction::Unpack => (target, value.span),
        };
        let origin = self.origin(memory, other, span, false);
        let Some((to, from, dimensions)) = sections.or_else(|| self.elements(target, value)) else {
            return self.trouble(
                Code::Address,
                span,
                "an address here has no form that a datatype could have",
            );
        };
        if !self.same_kind(&to.of, &from.of) || self.converts(value, &from.of) {
            return self.computed(value.span, "a value is converted");
        }
        let name = from.address.place.variable.clone();
        let size = self.size(&from.of, &name);
        let Some((length, measured)) = size.zip(self.measure(&from.of, &name, &from.address.place))
        else {
            return self.trouble(Code::Address, span, "the size of what is copied is not known");
        };
        if self.request.direction == Direction::Unpack {
            match &target.kind {
                ExpressionKind::Name(name) => self.state.forget(name),
                _ => root(target).into_iter().for_each(|name| self.state.forget_inside(name)),
            }
        }
        self.piece(to, from, (length, measured), dimensions, origin, span);
    }

    fn computed(&mut self, span: Span, what: &str) {
        let when = match self.request.direction {
            Direction::Pack => "while packing",
            Direction::Unpack => "while unpacking",
        };
        self.trouble(Code::Arithmetic, span, &format!("{what} {when}; a datatype can only copy"));
    }

    fn elements(
        &mut self,
        target: &Expression,
        value: &Expression,
    ) -> Option<(Located, Located, Vec<Dimension>)> {
        let from = self.locate(bare(value))?;
        let to = self.locate(target)?;
        Some((to, from, Vec::new()))
    }

    /// Array sections and whole arrays: one loop per dimension with a range.
    fn sections(
        &mut self,
        target: &Expression,
        value: &Expression,
        span: Span,
    ) -> Option<(Located, Located, Vec<Dimension>)> {
        let (to, to_along) = self.array_part(target)?;
        let (from, from_along) = self.array_part(value)?;
        let ranges =
            |along: &[Along]| along.iter().filter(|a| matches!(a, Along::Range { .. })).count();
        if ranges(&to_along) == 0 || ranges(&to_along) != ranges(&from_along) {
            return None;
        }
        let mut counts = Vec::new();
        for along in &to_along {
            if let Along::Range { count, .. } = along {
                counts.push((self.new_counter(span, count.clone())?, count.clone()));
            }
        }
        let counters: Vec<Counter> = counts.iter().map(|(counter, _)| *counter).collect();
        let to = self.subscripted(to, with_counters(&to_along, &counters))?;
        let from = self.subscripted(from, with_counters(&from_along, &counters))?;
        let dimensions = counts
            .into_iter()
            .map(|(counter, count)| Dimension { counter, count, stride: Polynomial::zero() })
            .collect();
        Some((to, from, dimensions))
    }

    /// Where a section begins whose elements follow each other in memory: only its last range may
    /// be a part of the dimension. What is passed of others to a buffer of MPI is a copy.
    pub(super) fn section_start(&mut self, section: &Expression) -> Option<Located> {
        let ExpressionKind::Element { subscripts, .. } = &section.kind else { return None };
        let is_all =
            |s: &Subscript| matches!(s, Subscript::Section { first: None, last: None, step: None });
        let mut rest = subscripts.iter().skip_while(|s| is_all(s));
        let is_packed = match rest.next() {
            Some(Subscript::Section { step, .. }) => step.is_none(),
            Some(Subscript::At(_)) | None => true,
        };
        if !is_packed || !rest.all(|s| matches!(s, Subscript::At(_))) {
            return None;
        }
        let (array, along) = self.array_part(section)?;
        let first = along.into_iter().map(|along| match along {
            Along::At(first) | Along::Range { first, .. } => first,
        });
        self.subscripted(array, first.collect())
    }

    /// An array of Fortran and the subscripts of a reference to it.
    fn array_part(&mut self, expression: &Expression) -> Option<(Located, Vec<Along>)> {
        let (base, subscripts): (&Expression, &[Subscript]) = match &expression.kind {
            ExpressionKind::Element { base, subscripts } => (base, subscripts),
            _ => (expression, &[]),
        };
        let array = self.locate(base)?;
        let mut of = self.symbols.resolve(&array.of);
        if let Type::Pointer(inner) = of {
            of = self.symbols.resolve(&inner);
        }
        let Type::Array(_, dimensions) = of else { return None };
        if !subscripts.is_empty() && subscripts.len() != dimensions.len() {
            return None;
        }
        let name = array.address.place.variable.clone();
        let whole = Subscript::Section { first: None, last: None, step: None };
        let along = dimensions
            .iter()
            .enumerate()
            .map(|(d, bounds)| self.along(&name, d, bounds, subscripts.get(d).unwrap_or(&whole)))
            .collect::<Option<Vec<_>>>()?;
        Some((array, along))
    }

    fn along(
        &mut self,
        name: &String,
        d: usize,
        bounds: &Bounds,
        subscript: &Subscript,
    ) -> Option<Along> {
        match subscript {
            Subscript::At(at) => self.number(at).map(Along::At),
            Subscript::Section { first, last, step } => {
                let first = match first {
                    Some(first) => self.number(first)?,
                    None => self.lower(name, d, bounds)?,
                };
                let last = match last {
                    Some(last) => self.number(last)?,
                    None => {
                        let lower = self.lower(name, d, bounds)?;
                        self.extent(name, d, bounds)?.plus(&lower).minus(&Polynomial::constant(1))
                    }
                };
                let step = match step {
                    Some(step) => self.number(step)?,
                    None => Polynomial::constant(1),
                };
                let count = quotient(&last.minus(&first).plus(&step), &step)?;
                Some(Along::Range { first, step, count })
            }
        }
    }

    /// A loop that the text does not have.
    fn new_counter(&mut self, span: Span, count: Polynomial) -> Option<Counter> {
        let counter = Counter(u32::try_from(self.turns.len()).ok()?);
        self.turns.push(Turns {
            variable: String::new(),
            first: Polynomial::zero(),
            step: Polynomial::constant(1),
            count,
            span,
        });
        Some(counter)
    }

    /// Notes a copy, one side of which is the buffer.
    fn piece(
        &mut self,
        to: Located,
        from: Located,
        (length, measured): (Polynomial, Polynomial),
        mut dimensions: Vec<Dimension>,
        origin: Option<Origin>,
        span: Span,
    ) {
        let (buffer, memory) = match self.request.direction {
            Direction::Pack => (to, from),
            Direction::Unpack => (from, to),
        };
        let Some(base) = &self.buffer else { return };
        if &buffer.address.base != base {
            return self.trouble(
                Code::Address,
                span,
                "which part of which buffer is meant cannot be seen",
            );
        }
        if self.is_followed(base) && buffer.address.version != self.buffer_version {
            let message = change(&base.variable, self.request.setting);
            return self.trouble(Code::Changed, span, &message);
        }
        if &memory.address.base == base {
            return self.trouble(Code::Coverage, span, "the buffer is copied to itself");
        }
        let mut start = buffer.address.offset;
        for dimension in &mut dimensions {
            let atom = commloom_source::affine::Atom::Counter(dimension.counter);
            let Some((stride, rest)) = start.linear_in(&atom) else {
                return self.trouble(
                    Code::Coverage,
                    span,
                    "the buffer's positions have no form that can be seen",
                );
            };
            dimension.stride = stride;
            start = rest;
        }
        let other = self.is_other(&buffer.of, &memory.of).then_some(buffer.of);
        let root =
            |origin: &Origin| origin.expression.root() == Some(&memory.address.place.variable);
        let content = Dense::copy(Copy {
            origin: origin.filter(|o| o.is_address || root(o)),
            address: memory.address,
            length: length.clone(),
            measured,
            of: memory.of,
            other,
            span,
        });
        self.state.pieces.push(Piece { start, length, dimensions, content, spans: vec![span] });
    }

    /// Whether it is told apart when a buffer's pointer has another value: of those that only the
    /// procedure itself changes, and of all where a request keeps the address.
    fn is_followed(&self, base: &Place) -> bool {
        let is_own = self.symbols.variable(&base.variable).is_some_and(|d| {
            matches!(d.storage, Storage::Local | Storage::Argument)
                && matches!(self.symbols.resolve(&d.of), Type::Pointer(_))
        });
        self.request.setting.made_at.is_some() || (base.steps.is_empty() && is_own)
    }

    /// Whether a call is `memcpy` or `memmove` to (or from) the buffer.
    pub(super) fn is_block_copy(&self, function: &Expression, arguments: &[Expression]) -> bool {
        let names = [
            "memcpy",
            "memmove",
            "std::memcpy",
            "std::memmove",
            "__builtin_memcpy",
            "__builtin_memmove",
        ];
        let [to, from, _] = arguments else { return false };
        let side = match self.request.direction {
            Direction::Pack => to,
            Direction::Unpack => from,
        };
        let aliases = self.aliases();
        matches!(&function.kind, ExpressionKind::Name(name) if names.contains(&name.as_str()))
            && root(side).is_some_and(|name| aliases.contains(name))
    }

    /// Whether a call is `std::copy` to (or from) the buffer of which the front end does not see
    /// how many elements it copies.
    pub(super) fn is_open_copy(&self, function: &Expression, arguments: &[Expression]) -> bool {
        let [first, _, to] = arguments else { return false };
        let side = match self.request.direction {
            Direction::Pack => to,
            Direction::Unpack => first,
        };
        let names = ["std::copy", "std::copy_n"];
        let called = |name: &str| match root(side) {
            Some(side) => names.contains(&name) && self.aliases().contains(side),
            None => false,
        };
        matches!(&function.kind, ExpressionKind::Name(name) if called(name))
    }

    /// `memcpy(to, from, bytes)`
    pub(super) fn block_copy(&mut self, arguments: &[Expression], span: Span) {
        let [to, from, bytes] = arguments else { return };
        self.begin();
        self.is_unsure = false;
        let (memory, other) = match self.request.direction {
            Direction::Pack => (from, to.span),
            Direction::Unpack => (to, from.span),
        };
        let origin = self.origin(memory, other, span, true);
        let target = self.address_of(to);
        let source = self.address_of(from);
        let of_bytes = self.integer_of(bytes);
        let length = self.number(bytes).and_then(|n| self.converted(n, of_bytes, Integer::ADDRESS));
        match (target, source, length) {
            (Some(to), Some(from), Some(length)) => {
                if self.request.direction == Direction::Unpack {
                    self.state.forget_inside(&to.address.place.variable.clone());
                }
                let length = (length.on_lp64(), length);
                self.piece(void(to), void(from), length, Vec::new(), origin, span);
            }
            _ => self.trouble(
                Code::Address,
                span,
                "an address or length here has no form that a datatype could have",
            ),
        }
    }

    /// Whether values of two types have the same bytes.
    fn same_kind(&self, left: &Type, right: &Type) -> bool {
        let (left, right) = (self.symbols.resolve(left), self.symbols.resolve(right));
        match (&left, &right) {
            (Type::Basic(a, n), Type::Basic(b, m)) => n == m && (a == b || kind(a) == kind(b)),
            (Type::Unknown, _) | (_, Type::Unknown) => false,
            _ => left == right,
        }
    }

    /// Whether a cast around a value changes it.
    fn converts(&self, value: &Expression, from: &Type) -> bool {
        match &value.kind {
            ExpressionKind::Cast(of, _) => !self.same_kind(of, from),
            _ => false,
        }
    }
}

/// A value without the cast around it.
fn bare(value: &Expression) -> &Expression {
    match &value.kind {
        ExpressionKind::Cast(_, inner) => inner,
        _ => value,
    }
}

fn with_counters(along: &[Along], counters: &[Counter]) -> Vec<Polynomial> {
    let mut counters = counters.iter();
    along
        .iter()
        .map(|along| match along {
            Along::At(at) => at.clone(),
            Along::Range { first, step, .. } => {
                counters.next().map_or_else(Polynomial::lost, |&counter| {
                    first.plus(&step.times(&Polynomial::counter(counter)))
                })
            }
        })
        .collect()
}

fn void(located: Located) -> Located {
    Located { of: Type::Void, ..located }
}

/// Whether an expression is a place, whose value is only copied.
fn is_place(expression: &Expression) -> bool {
    matches!(
        expression.kind,
        ExpressionKind::Name(_)
            | ExpressionKind::Element { .. }
            | ExpressionKind::Member { .. }
            | ExpressionKind::Unary(Unary::Dereference, _)
    )
}

/// The kind of number that a basic type is: copies between types of one kind and size keep all
/// bytes.
fn kind(name: &str) -> u8 {
    let has = |word: &str| name.contains(word);
    if has("complex") {
        0
    } else if has("float") || has("double") || has("real") {
        1
    } else if has("logical") || has("bool") {
        2
    } else if is_whole(&Type::Basic(name.to_owned(), 8)) || has("char") {
        3
    } else {
        4
    }
}
