//! Relations of sizes that the program has checked itself on every way to some places: they stand
//! in an `if` with that condition, or behind one that leaves (`if (nx < hs) return;`), and nothing
//! writes to the variables from there on.

use std::collections::BTreeMap;

use commloom_program::{ProcedureId, Project, View};
use commloom_source::Span;
use commloom_source::affine::{Atom, Place, Polynomial};
use commloom_source::symbols::Symbols;
use commloom_source::tree::{
    Binary, Expression, ExpressionKind as Kind, Name, Statement, StatementKind, Type, Unary,
};

use super::region::{Neighbours, writes};
use super::rows::SizeRelation;

/// Procedures that do not come back.
const LEAVING: &[&str] = &[
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
    "abort",
    "std::exit",
    "std::abort",
    "std::terminate",
    "MPI_Abort",
];

/// Whether a relation holds at some places of a procedure because the program has checked it.
/// Where it jumps, or the preprocessor decides what it does, nothing is known.
pub fn is_checked(
    project: &Project,
    id: ProcedureId,
    places: &[Span],
    relation: &SizeRelation,
) -> bool {
    let (view, procedure) = (project.view(id), project.procedure(id));
    let Some(together) = Neighbours::of(procedure, places) else { return false };
    let Some(versions) = relation.versions() else { return false };
    let mut is_plain = !procedure.has_errors && procedure.directives.is_empty();
    for statement in &procedure.body {
        statement.each(&mut |s| {
            is_plain &= !matches!(
                s.kind,
                StatementKind::Label(_) | StatementKind::Goto(_) | StatementKind::Unknown(_)
            );
        });
    }
    let mut way = Way { view, versions, facts: Vec::new() };
    is_plain && way.leads_to(&together) && relation.follows(&way.facts)
}

/// Whether a variable or constant is a number that may be negative, of 32 bits or more.
pub fn is_signed(view: &View<'_>, name: &str) -> bool {
    let Some(variable) = view.variable(name) else { return view.constant(name).is_some() };
    match view.resolve(&variable.of) {
        Type::Basic(of, bytes) => {
            let is_whole = ["int", "long", "int32_t", "int64_t", "ptrdiff_t", "long long"];
            bytes >= 4 && (is_whole.contains(&of.as_str()) || of.starts_with("integer"))
        }
        _ => false,
    }
}

/// The way through a procedure, with what is known on it.
struct Way<'p> {
    view: View<'p>,
    /// The variables of the relation, each with the number of its value at the places: with that
    /// it is the same in all facts, because these end where it may be written.
    versions: BTreeMap<Name, u32>,
    /// Numbers that are not negative.
    facts: Vec<Polynomial>,
}

impl Way<'_> {
    /// Goes to the places; whether nothing among them writes to the variables.
    fn leads_to(&mut self, together: &Neighbours<'_>) -> bool {
        for pair in together.path.windows(2) {
            let ((list, at), (inner, _)) = (pair[0], pair[1]);
            list[..at].iter().for_each(|s| self.pass(s));
            let around = &list[at];
            match &around.kind {
                StatementKind::If { condition, then, .. } => {
                    self.learn_from(condition, std::ptr::eq(then.as_slice(), inner));
                }
                StatementKind::Block(_) => {}
                // Other turns come before.
                _ => self.forget(self.writes(around)),
            }
        }
        let Some((list, at)) = together.path.last() else { return false };
        list[..*at].iter().for_each(|s| self.pass(s));
        !together.list.iter().any(|s| self.writes(s))
    }

    /// A statement before the places.
    fn pass(&mut self, statement: &Statement) {
        let StatementKind::If { condition, then, otherwise } = &statement.kind else {
            return self.forget(self.writes(statement));
        };
        let (is_left, is_right) = (self.leaves(then), self.leaves(otherwise));
        // The branch that does not come back may write to anything.
        let stays = [(then, is_left), (otherwise, is_right)];
        let mut all = stays.iter().filter(|(_, leaves)| !leaves).flat_map(|(list, _)| list.iter());
        if all.any(|s| self.writes(s)) {
            return self.forget(true);
        }
        match (is_left, is_right) {
            (true, _) => self.learn_from(condition, false),
            (_, true) => self.learn_from(condition, true),
            _ => self.forget(has_effects(condition)),
        }
    }

    fn writes(&self, statement: &Statement) -> bool {
        let names: Vec<&str> = self.versions.keys().map(String::as_str).collect();
        writes(&self.view, statement, &names)
    }

    fn forget(&mut self, is_needed: bool) {
        if is_needed {
            self.facts.clear();
        }
    }

    fn learn_from(&mut self, condition: &Expression, holds: bool) {
        if has_effects(condition) {
            return self.forget(true);
        }
        self.learn(condition, holds);
    }

    fn learn(&mut self, condition: &Expression, holds: bool) {
        match &condition.kind {
            Kind::Unary(Unary::Not, inner) => self.learn(inner, !holds),
            Kind::Binary(Binary::And, left, right) if holds => {
                self.learn(left, true);
                self.learn(right, true);
            }
            Kind::Binary(Binary::Or, left, right) if !holds => {
                self.learn(left, false);
                self.learn(right, false);
            }
            Kind::Binary(sign, left, right) => {
                let (Some(left), Some(right)) = (self.number(left), self.number(right)) else {
                    return;
                };
                let one = Polynomial::constant(1);
                let (more, less) = (left.minus(&right), right.minus(&left));
                match (sign, holds) {
                    (Binary::GreaterEqual, true) | (Binary::Less, false) => self.facts.push(more),
                    (Binary::LessEqual, true) | (Binary::Greater, false) => self.facts.push(less),
                    (Binary::Greater, true) | (Binary::LessEqual, false) => {
                        self.facts.push(more.minus(&one));
                    }
                    (Binary::Less, true) | (Binary::GreaterEqual, false) => {
                        self.facts.push(less.minus(&one));
                    }
                    (Binary::Equal, true) | (Binary::NotEqual, false) => {
                        self.facts.extend([more, less]);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// A sum of signed numbers, which does not wrap.
    fn number(&self, value: &Expression) -> Option<Polynomial> {
        match &value.kind {
            // A larger one may be unsigned where it is written in hexadecimal digits.
            Kind::Integer(number) => {
                i32::try_from(*number).ok().map(|_| Polynomial::constant(*number))
            }
            Kind::Name(name) if is_signed(&self.view, name) => {
                let version = *self.versions.get(name)?;
                let place = Place::variable(name.clone());
                Some(Polynomial::atom(Atom::Read { place, version }))
            }
            Kind::Unary(Unary::Minus, inner) => Some(self.number(inner)?.times_constant(-1)),
            Kind::Binary(sign, left, right) => {
                let (left, right) = (self.number(left)?, self.number(right)?);
                match sign {
                    Binary::Add => Some(left.plus(&right)),
                    Binary::Subtract => Some(left.minus(&right)),
                    Binary::Multiply => Some(left.times(&right)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether what comes behind these statements is not reached from them.
    fn leaves(&self, list: &[Statement]) -> bool {
        list.iter().any(|s| match &s.kind {
            StatementKind::Return(_) | StatementKind::Break(_) | StatementKind::Continue(_) => true,
            StatementKind::Block(inner) => self.leaves(inner),
            StatementKind::If { then, otherwise, .. } => {
                self.leaves(then) && self.leaves(otherwise)
            }
            StatementKind::Evaluate(value) | StatementKind::Assign { value, .. } => {
                self.is_leaving(value)
            }
            _ => false,
        })
    }

    /// Whether a call is one of the library that does not come back.
    fn is_leaving(&self, value: &Expression) -> bool {
        let Kind::Call { function, .. } = &value.kind else { return false };
        let Kind::Name(name) = &function.kind else { return false };
        let is_known = match self.view.language().is_fortran() {
            true => name.eq_ignore_ascii_case("mpi_abort"),
            false => LEAVING.contains(&name.as_str()),
        };
        is_known && self.view.variable(name).is_none() && !self.view.project().has_body(name)
    }
}

/// Whether an expression may do more than look at numbers.
fn has_effects(value: &Expression) -> bool {
    let mut has_effects = false;
    value.each(&mut |e| {
        has_effects |= matches!(
            e.kind,
            Kind::Call { .. } | Kind::Step { .. } | Kind::Assign { .. } | Kind::Unknown(_)
        );
    });
    has_effects
}
