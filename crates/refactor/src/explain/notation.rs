//! Copies and datatypes in the words of the program: loops by their variables, places as they are
//! written, conditions as they stand there.

use commloom_copies::ir::{Member, Node};
use commloom_copies::{Copy, Dense, Packing, Turns};
use commloom_program::Project;
use commloom_program::fact::unmarked;
use commloom_source::affine::{Atom, Counter, Place, Polynomial};
use commloom_source::tree::Expression;

use super::model::{Copied, Turn};

/// Names for the counters of one packing.
pub(super) struct Notation<'a> {
    pub project: &'a Project,
    pub turns: &'a [Turns],
    pub is_fortran: bool,
}

/// The surroundings of a copy: the loop, its turns in words, and by how many bytes the buffer's
/// place moves.
struct Around {
    turn: Turn,
    counted: String,
    radix: Polynomial,
}

/// Where a copy stands: its first place in the buffer, as far as that has a formula, and what is
/// around it.
struct Stands<'a> {
    at: Option<&'a Polynomial>,
    around: &'a [Around],
    condition: Option<&'a str>,
}

impl Notation<'_> {
    /// Plain text of a name or formula.
    pub fn plain(&self, text: &str) -> String {
        let text = without_numbers(&unmarked(text));
        if self.is_fortran { text.replace('[', "(").replace(']', ")") } else { text }
    }

    fn turns_of(&self, counter: Counter) -> Option<&Turns> {
        self.turns.get(usize::try_from(counter.0).ok()?)
    }

    /// The loop's variable: its name, first and last value, as far as it has one.
    fn variable(&self, counter: Counter) -> Option<(&Turns, i64)> {
        let turns = self.turns_of(counter).filter(|turns| !turns.variable.is_empty())?;
        Some((turns, turns.step.as_constant().filter(|step| step.abs() == 1)?))
    }

    /// With loop variables in the place of counters: `k` for `k0 + 1`.
    fn by_variables(&self, atom: &Atom) -> Option<Polynomial> {
        let Atom::Counter(counter) = atom else { return None };
        let (turns, step) = self.variable(*counter)?;
        let first = turns.first.map(&mut |a| self.by_variables(a));
        let place = Place::variable(turns.variable.clone());
        let variable = Polynomial::atom(Atom::Read { place, version: u32::MAX });
        Some(variable.minus(&first).times_constant(step))
    }

    /// A counter as one word: `k`, `(k - 1)`.
    fn turn(&self, counter: Counter) -> String {
        let Some((turns, _)) = self.variable(counter) else { return format!("k{}", counter.0) };
        if turns.first.is_zero() && turns.step.as_constant() == Some(1) {
            return self.plain(&turns.variable);
        }
        match self.by_variables(&Atom::Counter(counter)) {
            Some(number) => format!("({})", self.plain(&number.to_string())),
            None => format!("k{}", counter.0),
        }
    }

    /// A formula in which counters are one word each; within subscripts, loop variables are as the
    /// program has them.
    pub fn number(&self, number: &Polynomial) -> String {
        self.plain(&number.map(&mut |atom| self.word(atom)).to_string())
    }

    fn word(&self, atom: &Atom) -> Option<Polynomial> {
        let inside = |p: &Polynomial| p.map(&mut |atom| self.by_variables(atom));
        match atom {
            Atom::Counter(counter) => {
                let place = Place::variable(self.turn(*counter));
                Some(Polynomial::atom(Atom::Read { place, version: 0 }))
            }
            Atom::Read { place, version } => {
                let place = place.map(&mut |atom| self.by_variables(atom));
                Some(Polynomial::atom(Atom::Read { place, version: *version }))
            }
            Atom::Apply(operator, operands) => {
                Some(Polynomial::apply(*operator, operands.iter().map(inside).collect()))
            }
            _ => None,
        }
    }

    /// A place as the program writes it.
    fn place(&self, place: &Place) -> String {
        self.plain(&place.map(&mut |atom| self.by_variables(atom)).to_string())
    }

    /// A loop in words.
    pub fn loop_of(&self, counter: Counter, count: &Polynomial) -> Turn {
        let values = |turns: &Turns| {
            let last = count.minus(&Polynomial::constant(1)).times(&turns.step);
            let shown = |number: &Polynomial| {
                self.plain(&number.map(&mut |atom| self.by_variables(atom)).to_string())
            };
            let step = turns.step.as_constant() != Some(1);
            Turn {
                variable: self.plain(&turns.variable),
                first: shown(&turns.first),
                last: shown(&turns.first.plus(&last)),
                step: step.then(|| shown(&turns.step)),
            }
        };
        match self.turns_of(counter).filter(|turns| !turns.variable.is_empty()) {
            Some(turns) => values(turns),
            None => Turn {
                variable: format!("k{}", counter.0),
                first: "0".to_owned(),
                last: self.number(&count.minus(&Polynomial::constant(1))),
                step: None,
            },
        }
    }

    /// All copies in the order of the buffer, which is `packing.buffer`.
    pub fn copies(&self, packing: &Packing, element: u64) -> Vec<Copied> {
        let buffer = self.plain(&packing.buffer);
        let mut lines = Vec::new();
        let mut at = Some(packing.start.clone());
        self.each(&packing.copies, &mut at, &mut Vec::new(), None, &mut |copy, stands| {
            lines.push(Copied {
                loops: stands.around.iter().map(|a| a.turn.clone()).collect(),
                condition: stands.condition.map(str::to_owned),
                buffer: self.offset(&buffer, stands, element),
                bytes: self.number(&copy.length),
                memory: self.place(&copy.address.place),
                span: self.project.real(copy.span),
            });
        });
        lines
    }

    /// How many bytes all copies are.
    pub fn length(&self, packing: &Packing) -> Option<String> {
        let unnamed = packing.length.any(&mut |atom| matches!(atom, Atom::Unnamed(_)));
        if unnamed || packing.length.is_lost() {
            return None;
        }
        // Not multiplied out: one sees the loops.
        let spelled = self.factors(&packing.copies);
        Some(spelled.unwrap_or_else(|| self.number(&packing.length)))
    }

    /// Bytes as a product of turns, where copies are the same in all of them.
    fn factors(&self, dense: &Dense) -> Option<String> {
        match dense {
            Dense::Loop(counter, count, body) => {
                let inside = length(body)?;
                if inside.mentions(&Atom::Counter(*counter)) {
                    return None;
                }
                let many = match count.terms().count() {
                    1 => self.number(count),
                    _ => format!("({})", self.number(count)),
                };
                Some(format!("{many}*{}", self.factors(body)?))
            }
            other => {
                let bytes = length(other)?;
                let text = self.number(&bytes);
                Some(if bytes.terms().count() == 1 { text } else { format!("({text})") })
            }
        }
    }

    /// Where in the buffer, in elements: `b[(ny - 2)*(k - 1) + (j - 1)]`.
    fn offset(&self, buffer: &str, stands: &Stands<'_>, element: u64) -> String {
        let size = Polynomial::size(element);
        let elements = |bytes: &Polynomial| bytes.exact_quotient(&size);
        let known: Option<Vec<(String, Polynomial)>> =
            stands.around.iter().map(|a| Some((a.counted.clone(), elements(&a.radix)?))).collect();
        let (Some(at), Some(radices)) = (stands.at.and_then(elements), known) else {
            return format!("next of {buffer}");
        };
        let mut terms: Vec<String> = radices
            .iter()
            .filter(|(_, radix)| !radix.is_zero())
            .map(|(turn, radix)| match (radix.as_constant(), radix.terms().count()) {
                (Some(1), _) => turn.clone(),
                (_, 1) => format!("{}*{turn}", self.number(radix)),
                _ => format!("({})*{turn}", self.number(radix)),
            })
            .collect();
        if !at.is_zero() || terms.is_empty() {
            terms.push(self.number(&at));
        }
        let inside = terms.join(" + ").replace("+ -", "- ");
        if self.is_fortran {
            format!("{buffer}({inside} + 1)")
        } else {
            format!("{buffer}[{inside}]")
        }
    }

    fn each(
        &self,
        dense: &Dense,
        at: &mut Option<Polynomial>,
        around: &mut Vec<Around>,
        guard: Option<&str>,
        visit: &mut dyn FnMut(&Copy, &Stands<'_>),
    ) {
        match dense {
            Dense::Copy(copy) => {
                visit(copy, &Stands { at: at.as_ref(), around, condition: guard });
                *at = at.as_ref().map(|at| at.plus(&copy.length));
            }
            Dense::Sequence(parts) => {
                for part in parts {
                    self.each(part, at, around, guard, visit);
                }
            }
            Dense::Loop(counter, count, body) => {
                // Bodies whose lengths differ from turn to turn lead to places without a formula.
                let radix = length(body).filter(|l| !l.mentions(&Atom::Counter(*counter)));
                let before = at.clone();
                around.push(Around {
                    turn: self.loop_of(*counter, count),
                    counted: self.turn(*counter),
                    radix: radix.clone().unwrap_or_else(Polynomial::zero),
                });
                let mut inside = radix.as_ref().and(before.clone());
                self.each(body, &mut inside, around, guard, visit);
                around.pop();
                *at = before.zip(radix).map(|(before, radix)| before.plus(&radix.times(count)));
            }
            Dense::Guard { condition, then, otherwise } => {
                let text = self.condition(condition);
                let after = |branch: &str| match guard {
                    Some(outer) => format!("{outer} and {branch}"),
                    None => branch.to_owned(),
                };
                let mut yes = at.clone();
                self.each(then, &mut yes, around, Some(&after(&text)), visit);
                let mut no = at.clone();
                self.each(
                    otherwise,
                    &mut no,
                    around,
                    Some(&after(&format!("not ({text})"))),
                    visit,
                );
                *at = if yes == no { yes } else { None };
            }
        }
    }

    /// A condition as it stands in the text.
    pub fn condition(&self, condition: &Expression) -> String {
        let span = self.project.real(condition.span);
        let text = self.project.source(span.file).and_then(|s| s.text.get(span.range()));
        let words: Vec<&str> = text.unwrap_or("..").split_whitespace().collect();
        unwrapped(&words.join(" ")).to_owned()
    }

    /// A datatype.
    pub fn node(&self, node: &Node) -> String {
        match node {
            Node::Hvector { count, stride, child } => {
                let (count, stride) = (self.number(count), self.number(stride));
                format!("hvector({count}, {stride}, {})", self.node(child))
            }
            Node::Hindexed { displacements, child } => {
                let all: Vec<String> = displacements.iter().map(|d| self.number(d)).collect();
                format!("hindexed(<{}>, {})", all.join(", "), self.node(child))
            }
            Node::Resized { extent, child } => {
                format!("resized(0, {}, {})", self.number(extent), self.node(child))
            }
            Node::Struct(members) => format!("struct({})", self.members(members)),
            Node::Each { counter, count, displacement, child } => {
                let turn = self.loop_of(*counter, count);
                format!("for({turn}, {}: {})", self.number(displacement), self.node(child))
            }
            Node::Guard { condition, then, otherwise } => {
                let (yes, no) = (self.node(then), self.node(otherwise));
                format!("if({}, {yes}, {no})", self.condition(condition))
            }
            plain @ (Node::Contiguous { .. } | Node::Vector { .. } | Node::Listed { .. }) => {
                self.plain(&plain.map(&mut |atom| self.word(atom)).to_string())
            }
        }
    }

    fn members(&self, members: &[Member]) -> String {
        let all: Vec<String> = members
            .iter()
            .map(|m| format!("{}: {}", self.number(&m.displacement), self.node(&m.node)))
            .collect();
        all.join(", ")
    }

    /// Where it begins: the call's new buffer.
    pub fn begin(&self, place: Option<&Place>) -> String {
        let at_zero = |place: &Place| {
            place.map(&mut |atom| matches!(atom, Atom::Counter(_)).then(Polynomial::zero))
        };
        place.map_or_else(
            || "MPI_BOTTOM".to_owned(),
            |place| self.plain(&at_zero(place).to_string()),
        )
    }
}

/// Without parentheses around all of it.
fn unwrapped(text: &str) -> &str {
    let Some(inside) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) else {
        return text;
    };
    let mut depth = 0_i32;
    let closes = inside.chars().any(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth < 0
    });
    if closes { text } else { inside }
}

/// Bytes of copies; none where a condition decides.
fn length(dense: &Dense) -> Option<Polynomial> {
    match dense {
        Dense::Copy(copy) => Some(copy.length.clone()),
        Dense::Sequence(parts) => {
            parts.iter().try_fold(Polynomial::zero(), |sum, part| Some(sum.plus(&length(part)?)))
        }
        Dense::Loop(counter, count, body) => {
            let body = length(body)?;
            (!body.mentions(&Atom::Counter(*counter))).then(|| body.times(count))
        }
        Dense::Guard { then, otherwise, .. } => {
            let yes = length(then)?;
            (Some(&yes) == length(otherwise).as_ref()).then_some(yes)
        }
    }
}

/// Without the marks that tell variables of one name apart.
fn without_numbers(text: &str) -> String {
    let mut pieces = text.split('@');
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        out.push_str(piece.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    out
}
