//! Numbers and places as a program writes them.

use std::collections::HashMap;

use commloom_copies::is_quotient;
use commloom_source::affine::{Atom, Counter, Layout, Operator, Place, Polynomial, Step};
use commloom_source::symbols::Symbols;
use commloom_source::tree::{ExpressionKind, Name, Type};

use super::factors::{factors, split};
use super::model::{Doubtful, EmitError};
use super::operation::Program;

/// Writes numbers of one program.
pub(super) struct Speller<'p> {
    pub fortran: bool,
    pub cpp: bool,
    /// The unit that bytes are counted in.
    pub unit: Unit,
    pub program: &'p Program,
    /// Variables of loops that are written, for their turns from 0.
    pub turns: HashMap<Counter, String>,
    /// Replacements of the variables of these loops in conditions: first value and step.
    pub replaced: HashMap<Name, (Polynomial, Polynomial, Counter)>,
    /// The types of variables.
    pub symbols: Option<&'p dyn Symbols>,
    /// C: whether the program computes as wider than `int`, or unsigned, so that sums must be
    /// written as wide, too.
    pub is_wide: bool,
    /// All that must not be evaluated everywhere.
    pub doubtful: Doubtful<'p>,
}

/// The unit that bytes are counted in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unit {
    /// Bytes: elements of one byte.
    Byte,
    /// So many bytes on LP64, and how they are written: `sizeof(double)`, a variable with the
    /// extent.
    Named(i64, String),
    /// Nothing in the text tells how large an element is.
    Unknown,
}

/// Bytes that have names (addresses, sizes of types), and those that are counted in units.
pub(super) fn parted(number: &Polynomial) -> (Polynomial, Polynomial) {
    let terms = |wanted: bool| {
        let all = number.terms().map(|(atoms, factor)| (atoms.to_vec(), factor));
        Polynomial::from_terms(all.filter(|(atoms, _)| atoms.iter().any(has_name) == wanted))
    };
    (terms(true), terms(false))
}

fn has_name(atom: &Atom) -> bool {
    matches!(atom, Atom::Stride(..) | Atom::Address(_) | Atom::SizeOf(_) | Atom::Layout(_))
}

/// How wide the number is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    /// As the program's own numbers.
    Plain,
    /// `MPI_Aint`
    Wide,
}

/// Whether a text adds or subtracts outside of brackets.
pub(super) fn is_sum(text: &str) -> bool {
    let mut depth = 0_usize;
    text.char_indices().any(|(at, c)| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && matches!(c, '+' | '-') && at > 0
    })
}

impl Speller<'_> {
    /// A number of things; `max(0, n)`.
    pub(super) fn count(&self, number: &Polynomial) -> Result<String, EmitError> {
        if let Some(value) = number.as_constant() {
            return Ok(value.max(0).to_string());
        }
        let text = self.plain(number)?;
        if self.is_natural(number) {
            return Ok(text);
        }
        Ok(if self.fortran {
            format!("max(0, {text})")
        } else {
            format!("({text} > 0 ? {text} : 0)")
        })
    }

    /// Whether a number is never below zero: a constant of the program, or a product of counts
    /// that are clamped already.
    pub(super) fn is_natural(&self, number: &Polynomial) -> bool {
        let is_positive = |atom: &Atom| match atom {
            Atom::Apply(Operator::Max, of) => of.first().is_some_and(Polynomial::is_zero),
            Atom::Layout(_) | Atom::SizeOf(_) => true,
            Atom::Read { place, .. } if place.steps.is_empty() => {
                let constant = self.symbols.and_then(|all| all.constant(&place.variable));
                constant.is_some_and(|value| matches!(value.kind, ExpressionKind::Integer(0..)))
            }
            _ => false,
        };
        number.terms().all(|(atoms, factor)| factor > 0 && atoms.iter().all(is_positive))
    }

    /// A number of elements from one to another.
    pub(super) fn plain(&self, number: &Polynomial) -> Result<String, EmitError> {
        let width = if self.is_wide(number) { Width::Wide } else { Width::Plain };
        let text = self.number(number, width)?;
        // Fortran converts no argument.
        Ok(if self.fortran && self.has_long(number) { format!("int({text})") } else { text })
    }

    /// Whether a number is to be computed as wide in C: by the types of its variables (a
    /// difference of unsigned ones wraps), or since the program does so. A variable alone is what
    /// it is.
    pub(super) fn is_wide(&self, number: &Polynomial) -> bool {
        let mut terms = number.terms();
        let is_alone = matches!((terms.next(), terms.next()), (Some(([_], 1)), None));
        !self.fortran
            && number.as_constant().is_none()
            && !is_alone
            && (self.is_wide || number.any(&mut |atom| !self.is_narrow(atom)))
    }

    /// The width of what stands in brackets beside a wide factor.
    fn inner(&self, number: &Polynomial, width: Width) -> Width {
        if width == Width::Wide && self.is_wide(number) { width } else { Width::Plain }
    }

    /// Whether a variable in it has another kind than the default one.
    pub(super) fn has_long(&self, number: &Polynomial) -> bool {
        number.any(&mut |atom| {
            let Atom::Read { place, .. } = atom else { return false };
            let declared = self.symbols.and_then(|symbols| symbols.variable(&place.variable));
            let mut of = declared.map(|d| d.of.clone());
            while let Some(Type::Array(inner, _) | Type::Pointer(inner)) = of {
                of = Some(*inner);
            }
            matches!(of, Some(Type::Basic(name, size)) if name.starts_with("integer") && size != 4)
        })
    }

    /// A number of bytes, in `MPI_Aint`. There is no byte in it that is no whole unit or size of a
    /// type.
    pub(super) fn bytes(&self, number: &Polynomial) -> Result<String, EmitError> {
        if number.is_lost() {
            return Err(EmitError::Lost);
        }
        let (named, counted) = parted(number);
        if named.is_zero() {
            return self.counted(&counted);
        }
        let text = self.number(&named, Width::Wide)?;
        if counted.is_zero() {
            return Ok(text);
        }
        let rest = self.counted(&counted)?;
        Ok(match rest.strip_prefix('-') {
            Some(positive) => format!("{text} - {positive}"),
            None => format!("{text} + {rest}"),
        })
    }

    /// Bytes as a multiple of the unit.
    fn counted(&self, number: &Polynomial) -> Result<String, EmitError> {
        if number.is_zero() {
            return Ok(self.wide_constant(0));
        }
        let (bytes, unit) = match &self.unit {
            Unit::Named(bytes, unit) => (*bytes, unit),
            Unit::Unknown => return Err(EmitError::Unit),
            Unit::Byte => {
                return match number.as_constant() {
                    Some(value) => Ok(self.wide_constant(value)),
                    None => self.number(number, Width::Wide),
                };
            }
        };
        let quotient = number.divided_by(bytes).ok_or(EmitError::Unit)?;
        match quotient.as_constant() {
            Some(1) => Ok(unit.clone()),
            Some(value) => Ok(format!("{value} * {unit}")),
            None => {
                let text = self.number(&quotient, Width::Wide)?;
                Ok(if is_sum(&text) {
                    format!("({text}) * {unit}")
                } else {
                    format!("{text} * {unit}")
                })
            }
        }
    }

    fn wide_constant(&self, value: i64) -> String {
        if self.fortran { format!("int({value}, MPI_ADDRESS_KIND)") } else { value.to_string() }
    }

    /// A product of sums where it is one, else `x * (...) + rest` for what a loop counts, else a
    /// sum.
    pub(super) fn number(&self, number: &Polynomial, width: Width) -> Result<String, EmitError> {
        let counter =
            number.terms().flat_map(|(atoms, _)| atoms).find(|a| matches!(a, Atom::Counter(_)));
        if let Some(counter) = counter
            && let Some((slope, rest)) = split(number, counter)
            && slope.terms().count() > 1
        {
            let turn = self.sum(&Polynomial::atom(counter.clone()), width)?;
            let slope = match factors(&slope).len() {
                1 => format!("({})", self.sum(&slope, self.inner(&slope, width))?),
                _ => self.number(&slope, self.inner(&slope, width))?,
            };
            let product = format!("{turn} * {slope}");
            if rest.is_zero() {
                return Ok(product);
            }
            let rest = self.number(&rest, width)?;
            return Ok(match rest.strip_prefix('-') {
                Some(positive) => format!("{product} - {positive}"),
                None => format!("{product} + {rest}"),
            });
        }
        let parts = factors(number);
        if parts.len() > 1 {
            let mut texts = Vec::with_capacity(parts.len());
            for (at, part) in parts.iter().enumerate() {
                let narrow = if at == 0 { width } else { self.inner(part, width) };
                let text = self.sum(part, narrow)?;
                let single = part.terms().count() == 1;
                texts.push(if single { text } else { format!("({text})") });
            }
            return Ok(texts.join(" * "));
        }
        self.sum(number, width)
    }

    /// `-n * m + 2`: terms of variables first, the number last, a positive term in front where
    /// there is one.
    fn sum(&self, number: &Polynomial, width: Width) -> Result<String, EmitError> {
        if number.is_lost() {
            return Err(EmitError::Lost);
        }
        let mut terms: Vec<(&[Atom], i64)> = number.terms().collect();
        terms.sort_by_key(|(atoms, coefficient)| (atoms.is_empty(), *coefficient < 0));
        if terms.is_empty() {
            return Ok(if width == Width::Wide { self.wide_constant(0) } else { "0".into() });
        }
        let mut out = String::new();
        for (at, (atoms, coefficient)) in terms.into_iter().enumerate() {
            let sign = match (at, coefficient < 0) {
                (0, true) => "-",
                (0, false) => "",
                (_, true) => " - ",
                (_, false) => " + ",
            };
            out.push_str(sign);
            out.push_str(&self.product(atoms, coefficient.unsigned_abs(), width)?);
        }
        Ok(out)
    }

    fn product(&self, atoms: &[Atom], coefficient: u64, width: Width) -> Result<String, EmitError> {
        let mut factors = Vec::with_capacity(atoms.len() + 1);
        for atom in atoms {
            factors.push((self.atom(atom, width)?, self.is_address(atom)));
        }
        if width == Width::Wide && !factors.iter().any(|(_, wide)| *wide) {
            if let Some((first, _)) = factors.first_mut() {
                *first = if self.fortran {
                    format!("int({first}, MPI_ADDRESS_KIND)")
                } else {
                    format!("(MPI_Aint){first}")
                };
            } else if self.fortran && self.unit == Unit::Byte {
                return Ok(format!("int({coefficient}, MPI_ADDRESS_KIND)"));
            }
        }
        // The wide factor first, so that the whole product is computed as wide.
        factors.sort_by_key(|(text, wide)| {
            !(*wide || text.starts_with("(MPI_Aint)") || text.starts_with("int("))
        });
        let mut texts: Vec<String> = factors.into_iter().map(|(text, _)| text).collect();
        if coefficient != 1 || texts.is_empty() {
            let number = coefficient.to_string();
            if width == Width::Wide && !texts.is_empty() {
                texts.push(number)
            } else {
                texts.insert(0, number)
            }
        }
        Ok(texts.join(" * "))
    }

    /// A factor.
    pub(super) fn atom(&self, atom: &Atom, width: Width) -> Result<String, EmitError> {
        match atom {
            Atom::Counter(counter) => self.turns.get(counter).cloned().ok_or(EmitError::Turn),
            Atom::Read { place, .. } => self.read(place),
            Atom::Apply(operator, operands) => self.apply(atom, *operator, operands),
            Atom::SizeOf(of) if self.fortran => Err(EmitError::SizeOf { of: of.clone() }),
            Atom::SizeOf(of) => Ok(signed(format!("sizeof({of})"), width)),
            Atom::Layout(layout) => self.layout(layout, width),
            Atom::Stride(array, dimension) => self
                .program
                .strides
                .iter()
                .find(|((name, along), _)| name == array && along == dimension)
                .map(|(_, variable)| variable.clone())
                .ok_or(EmitError::Turn),
            Atom::Extent(array, dimension) => {
                Ok(format!("size({array}, {})", u64::from(*dimension) + 1))
            }
            Atom::Lower(array, dimension) => {
                Ok(format!("lbound({array}, {})", u64::from(*dimension) + 1))
            }
            Atom::Address(place) => self
                .program
                .addresses
                .iter()
                .find(|(known, _)| known == place)
                .map(|(_, variable)| variable.clone())
                .ok_or(EmitError::Turn),
            Atom::Unnamed(_) => Err(EmitError::Unnamed),
            Atom::Lost(_) => Err(EmitError::Lost),
        }
    }

    /// A size or offset that the compiler decides.
    fn layout(&self, layout: &Layout, width: Width) -> Result<String, EmitError> {
        let Layout { of, field, sample, .. } = layout;
        match (field, sample) {
            (None, Some(sample)) => Ok(format!("storage_size({}) / 8", self.place(sample)?)),
            (Some(_), Some(_)) => self
                .program
                .offsets
                .iter()
                .find(|(known, _)| known == layout)
                .map(|(_, variable)| variable.clone())
                .ok_or(EmitError::Turn),
            (None, None) => Ok(signed(format!("sizeof({})", self.type_name(of)), width)),
            (Some(field), None) => {
                Ok(signed(format!("offsetof({}, {field})", self.type_name(of)), width))
            }
        }
    }

    /// A type of C as its compiler knows it.
    pub(super) fn type_name<'t>(&self, of: &'t str) -> &'t str {
        if of == "bool" && !self.cpp { "_Bool" } else { of }
    }

    /// Whether a factor is of `MPI_Aint` already, or wider than `int`.
    pub(super) fn is_address(&self, atom: &Atom) -> bool {
        match atom {
            Atom::Stride(..) | Atom::Address(_) | Atom::SizeOf(_) => true,
            Atom::Layout(layout) => layout.sample.is_none() || layout.field.is_some(),
            _ => false,
        }
    }

    pub(super) fn apply(
        &self,
        atom: &Atom,
        operator: Operator,
        operands: &[Polynomial],
    ) -> Result<String, EmitError> {
        let mut texts = operands.iter().map(|o| self.plain(o)).collect::<Result<Vec<_>, _>>()?;
        if is_quotient(atom) && !self.is_computed(atom) {
            match texts.last_mut() {
                // Where the program has not divided, it matters to nobody what comes of it.
                Some(by) if !self.fortran => {
                    let is_word = by.chars().all(|c| c.is_alphanumeric() || c == '_');
                    let tested = if is_word { by.clone() } else { format!("({by})") };
                    *by = format!("{tested} ? {tested} : 1");
                }
                _ => return Err(EmitError::Quotient),
            }
        }
        let [left, right] = texts.as_slice() else {
            return match (operator, self.fortran) {
                (Operator::Min, true) => Ok(format!("min({})", texts.join(", "))),
                (Operator::Max, true) => Ok(format!("max({})", texts.join(", "))),
                _ => Err(EmitError::Operands { count: texts.len() }),
            };
        };
        Ok(match (operator, self.fortran) {
            (Operator::Divide, _) => format!("(({left}) / ({right}))"),
            (Operator::Remainder, true) => format!("mod({left}, {right})"),
            (Operator::Remainder, false) => format!("(({left}) % ({right}))"),
            (Operator::Min, true) => format!("min({left}, {right})"),
            (Operator::Max, true) => format!("max({left}, {right})"),
            (Operator::Min, false) => format!("(({left}) < ({right}) ? ({left}) : ({right}))"),
            (Operator::Max, false) if left == "0" => format!("({right} > 0 ? {right} : 0)"),
            (Operator::Max, false) => format!("(({left}) > ({right}) ? ({left}) : ({right}))"),
        })
    }

    /// `u(2, i, j)`, `p->a[i].r`.
    pub(super) fn place(&self, place: &Place) -> Result<String, EmitError> {
        let mut out = place.variable.clone();
        let mut steps = place.steps.iter().peekable();
        while let Some(step) = steps.next() {
            match step {
                Step::At(subscripts) => {
                    let texts =
                        subscripts.iter().map(|s| self.plain(s)).collect::<Result<Vec<_>, _>>()?;
                    if self.fortran {
                        out.push_str(&format!("({})", texts.join(", ")));
                    } else {
                        texts.iter().for_each(|t| out.push_str(&format!("[{t}]")));
                    }
                }
                Step::Field(field) => {
                    out.push(if self.fortran { '%' } else { '.' });
                    out.push_str(field);
                }
                Step::Follow => match steps.peek() {
                    Some(Step::Field(field)) if !self.fortran => {
                        out.push_str("->");
                        out.push_str(field);
                        steps.next();
                    }
                    // A pointer of Fortran is followed where it is named.
                    _ if self.fortran => {}
                    _ => out = format!("(*{out})"),
                },
            }
        }
        Ok(out)
    }

    /// So many elements of an array from a place on, for arguments that are arrays: interfaces of
    /// Fortran take no element for one.
    pub(super) fn stretch(&self, place: &Place, count: &Polynomial) -> Result<String, EmitError> {
        let Some((Step::At(subscripts), before)) = place.steps.split_last() else {
            return self.place(place);
        };
        let Some((first, others)) = subscripts.split_first() else { return self.place(place) };
        let array = Place { variable: place.variable.clone(), steps: before.to_vec() };
        let last = first.plus(count).minus(&Polynomial::constant(1));
        let mut texts = vec![format!("{}:{}", self.plain(first)?, self.plain(&last)?)];
        for other in others {
            texts.push(self.plain(other)?);
        }
        Ok(format!("{}({})", self.place(&array)?, texts.join(", ")))
    }
}

/// `sizeof` has no sign, which matters where it is compared.
fn signed(text: String, width: Width) -> String {
    if width == Width::Plain { format!("(int){text}") } else { text }
}

/// Without one pair of parentheses around all of it.
pub(super) fn unwrapped(text: &str) -> &str {
    let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
    let mut depth = 0_i64;
    match inner {
        Some(inner)
            if inner.chars().all(|c| {
                depth += i64::from(c == '(') - i64::from(c == ')');
                depth >= 0
            }) =>
        {
            inner
        }
        _ => text,
    }
}
