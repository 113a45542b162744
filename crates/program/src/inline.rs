//! Small functions of C that compute an index (`static inline int idx(int i, int j, int n) {
//! return i + n * j; }`) are what they return: their calls become that expression, so that nothing
//! after this knows of them.
//!
//! Only functions that compute whole numbers from nothing but their arguments, and only calls
//! whose arguments have no effects. Numbers are taken not to overflow, here as everywhere.

use std::collections::HashMap;

use commloom_source::tree::{
    Binary, Expression, ExpressionKind as Kind, MAX_DEPTH, Name, Procedure, Statement,
    StatementKind, Type, Unary, Unit,
};

use super::files::Files;
use super::names::last;

/// How deep what a function returns may be.
const DEEPEST: usize = 24;
/// Functions that call functions that call functions.
const ROUNDS: usize = 4;

/// A function that is an expression.
#[derive(Clone)]
struct Formula {
    parameters: Vec<(Name, Type)>,
    result: Type,
    value: Expression,
}

/// Puts what small functions return where they are called. Time linear in the trees, for each
/// round.
pub(super) fn inline(units: &mut [Unit], files: &Files) {
    for _ in 0..ROUNDS {
        let formulas: Vec<HashMap<Name, Formula>> = units.iter().map(formulas).collect();
        if formulas.iter().all(HashMap::is_empty) {
            return;
        }
        let mut changed = false;
        for (number, unit) in units.iter_mut().enumerate() {
            if unit.language.is_fortran() {
                continue;
            }
            let seen = Seen { formulas: &formulas, number, files };
            for procedure in &mut unit.procedures {
                let mut work = Work { seen: &seen, hidden: declared(procedure), changed: false };
                work.statements(&mut procedure.body, 0);
                changed |= work.changed;
            }
        }
        if !changed {
            return;
        }
    }
}

/// The functions of a file that are expressions. Of two with one name none is taken, whatever
/// namespaces they are in: one hides the other where it is called.
fn formulas(unit: &Unit) -> HashMap<Name, Formula> {
    let mut all = HashMap::new();
    if unit.language.is_fortran() {
        return all;
    }
    let mut names: HashMap<&str, usize> = HashMap::new();
    for procedure in &unit.procedures {
        *names.entry(last(&procedure.name)).or_default() += 1;
    }
    for procedure in unit.procedures.iter().filter(|p| names[last(&p.name)] == 1) {
        if let Some(formula) = formula(procedure) {
            all.insert(procedure.name.clone(), formula);
        }
    }
    all
}

fn formula(procedure: &Procedure) -> Option<Formula> {
    let result = procedure.result.clone().filter(is_whole)?;
    if procedure.module.is_some() || procedure.has_errors || !procedure.directives.is_empty() {
        return None;
    }
    let mut body = procedure.body.as_slice();
    while let [Statement { kind: StatementKind::Block(inner), .. }] = body {
        body = inner;
    }
    let [Statement { kind: StatementKind::Return(Some(value)), .. }] = body else { return None };
    let parameters = procedure
        .parameters
        .iter()
        .map(|name| {
            let of = &procedure.scope.variables.iter().find(|d| d.name == *name)?.of;
            is_whole(of).then(|| (name.clone(), of.clone()))
        })
        .collect::<Option<Vec<_>>>()?;
    let fits = value.depth() <= DEEPEST && computes(value, &parameters);
    fits.then(|| Formula { parameters, result, value: value.clone() })
}

/// Whether a type is that of a whole number, by its name.
fn is_whole(of: &Type) -> bool {
    match of {
        Type::Basic(name, _) => {
            let other = ["float", "double", "bool", "complex"].iter().any(|w| name.contains(w));
            !other && name != "void"
        }
        Type::Named(name) => matches!(
            name.as_str(),
            "size_t" | "ssize_t" | "ptrdiff_t" | "MPI_Aint" | "std::size_t" | "int64_t" | "int32_t"
        ),
        _ => false,
    }
}

fn computes(value: &Expression, parameters: &[(Name, Type)]) -> bool {
    let own = match &value.kind {
        Kind::Integer(_) => true,
        Kind::Name(name) => parameters.iter().any(|(parameter, _)| parameter == name),
        Kind::Unary(Unary::Minus, _) => true,
        Kind::Binary(operation, ..) => matches!(
            operation,
            Binary::Add
                | Binary::Subtract
                | Binary::Multiply
                | Binary::Divide
                | Binary::Remainder
                | Binary::ShiftLeft
        ),
        Kind::Cast(of, _) => is_whole(of),
        _ => false,
    };
    own && value.parts().into_iter().all(|part| computes(part, parameters))
}

/// Names that are variables somewhere in a procedure: functions that they may hide.
fn declared(procedure: &Procedure) -> Vec<Name> {
    let mut names: Vec<Name> = procedure.scope.variables.iter().map(|d| d.name.clone()).collect();
    for statement in &procedure.body {
        statement.each(&mut |s| {
            if let StatementKind::Declare(all) = &s.kind {
                names.extend(all.iter().map(|d| d.name.clone()));
            }
        });
    }
    names
}

/// The formulas that one file sees.
struct Seen<'a> {
    formulas: &'a [HashMap<Name, Formula>],
    number: usize,
    files: &'a Files,
}

impl Seen<'_> {
    /// The function in the file itself, or the only one in what it includes.
    fn get(&self, name: &str) -> Option<&Formula> {
        if let Some(own) = self.formulas[self.number].get(name) {
            return Some(own);
        }
        let mut others = self
            .files
            .seen_by(self.number)
            .iter()
            .filter_map(|&file| self.formulas.get(file)?.get(name));
        let first = others.next()?;
        others.next().is_none().then_some(first)
    }
}

struct Work<'a> {
    seen: &'a Seen<'a>,
    hidden: Vec<Name>,
    changed: bool,
}

impl Work<'_> {
    fn statements(&mut self, statements: &mut [Statement], depth: usize) {
        for statement in statements {
            for expression in statement.expressions_mut() {
                self.expression(expression, depth + 1);
            }
            for body in statement.bodies_mut() {
                self.statements(body, depth + 1);
            }
        }
    }

    fn expression(&mut self, expression: &mut Expression, depth: usize) {
        for part in expression.parts_mut() {
            self.expression(part, depth + 1);
        }
        let Kind::Call { function, arguments } = &expression.kind else { return };
        let Kind::Name(name) = &function.kind else { return };
        let Some(formula) = self.seen.get(name) else { return };
        let longest = arguments.iter().map(Expression::depth).max().unwrap_or(0);
        let fits = depth + formula.value.depth() + longest + 2 <= MAX_DEPTH;
        if self.hidden.contains(name)
            || arguments.len() != formula.parameters.len()
            || !arguments.iter().all(has_no_effects)
            || !fits
        {
            return;
        }
        let mut value = formula.value.clone();
        put(&mut value, formula, arguments, expression.span);
        let kind = Kind::Cast(formula.result.clone(), Box::new(value));
        *expression = Expression { span: expression.span, kind };
        self.changed = true;
    }
}

fn has_no_effects(value: &Expression) -> bool {
    !matches!(
        value.kind,
        Kind::Call { .. } | Kind::Step { .. } | Kind::Assign { .. } | Kind::Unknown(_)
    ) && value.parts().into_iter().all(has_no_effects)
}

/// Arguments, converted, for parameters.
fn put(
    value: &mut Expression,
    formula: &Formula,
    arguments: &[Expression],
    span: commloom_source::Span,
) {
    value.span = span;
    if let Kind::Name(name) = &value.kind {
        let at = formula.parameters.iter().position(|(parameter, _)| parameter == name);
        if let Some((argument, (_, of))) =
            at.and_then(|at| arguments.get(at).zip(formula.parameters.get(at)))
        {
            value.kind = Kind::Cast(of.clone(), Box::new(argument.clone()));
        }
        return;
    }
    for part in value.parts_mut() {
        put(part, formula, arguments, span);
    }
}
