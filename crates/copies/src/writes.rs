//! The variables that statements may write, by their text alone.

use std::collections::BTreeSet;

use commloom_source::Language;
use commloom_source::symbols::{Symbols, Touched, extracted};
use commloom_source::tree::{
    Expression, ExpressionKind, Intent, Name, Statement, StatementKind, Storage, Type, Unary,
};

use super::place_type::{is_whole, place_type};

/// Variables that something may write.
#[derive(Debug, Default)]
pub(super) struct Writes {
    /// These variables themselves.
    pub own: BTreeSet<Name>,
    /// Their elements and components, or what they point to.
    pub inside: BTreeSet<Name>,
    /// Whatever others can reach.
    pub anything: bool,
}

impl Writes {
    /// Of statements and all that is in them.
    pub fn of(statements: &[Statement], symbols: &dyn Symbols) -> Writes {
        let mut writes = Writes::default();
        for statement in statements {
            writes.statement(statement, symbols);
        }
        writes.without_fixed(symbols)
    }

    /// Of one expression.
    pub fn of_expression(expression: &Expression, symbols: &dyn Symbols) -> Writes {
        let mut writes = Writes::default();
        writes.expression(expression, symbols);
        writes.without_fixed(symbols)
    }

    /// Without numbers that keep their values: arguments of Fortran with `intent(in)`, which
    /// nobody may change by any name while the procedure runs (Fortran 2018, 8.5.10 and
    /// 15.5.2.13).
    fn without_fixed(mut self, symbols: &dyn Symbols) -> Writes {
        let is_fixed = |name: &Name| {
            symbols.language().is_fortran()
                && symbols.variable(name).is_some_and(|declared| {
                    declared.intent == Some(Intent::In)
                        && declared.storage == Storage::Argument
                        && declared.unaliased
                        && matches!(declared.of, Type::Basic(..))
                })
        };
        self.own.retain(|name| !is_fixed(name));
        self
    }

    fn statement(&mut self, statement: &Statement, symbols: &dyn Symbols) {
        if let StatementKind::Loop(counted) = &statement.kind {
            self.own.insert(counted.variable.clone());
        }
        if let StatementKind::Assign { target, .. } = &statement.kind {
            self.target(target, symbols);
        }
        if let StatementKind::Declare(declarations) = &statement.kind {
            self.own.extend(declarations.iter().map(|declaration| declaration.name.clone()));
        }
        if let StatementKind::Unknown(names) = &statement.kind {
            self.unknown(names);
        }
        for_each_expression(statement, &mut |expression| self.expression(expression, symbols));
        for_each_body(statement, &mut |inner| self.statement(inner, symbols));
    }

    fn expression(&mut self, expression: &Expression, symbols: &dyn Symbols) {
        if let Some(into) = extracted(symbols, expression) {
            self.target(into, symbols);
        }
        match &expression.kind {
            ExpressionKind::Step { target, .. } | ExpressionKind::Assign { target, .. } => {
                self.target(target, symbols)
            }
            // Where nothing of the program is named, nothing of it is touched.
            ExpressionKind::Unknown(names) if names.is_empty() => {}
            ExpressionKind::Unknown(names) => self.unknown(names),
            ExpressionKind::Call { function, arguments } => {
                match symbols.effects(function, arguments).writes {
                    Touched::These(names) => {
                        // A pointer that is handed over by value keeps its own.
                        let by_value = |name: &&Name| {
                            is_pointer(name, symbols)
                                && !arguments.iter().any(|argument| is_address_of(argument, name))
                        };
                        let own = names.iter().filter(|name| !by_value(name)).cloned();
                        self.own.extend(own);
                        self.inside.extend(names);
                    }
                    Touched::Anything => {
                        self.anything = true;
                        // What it is given it reaches, hidden or not. (What C gives by its address
                        // is not hidden.)
                        if symbols.takes_names(function) {
                            for name in arguments.iter().filter_map(root) {
                                self.own.insert(name.clone());
                                self.inside.insert(name.clone());
                            }
                        }
                    }
                }
            }
            _ => {}
        }
        for_each_operand(expression, &mut |inner| self.expression(inner, symbols));
    }

    fn unknown(&mut self, names: &[Name]) {
        self.anything = true;
        self.own.extend(names.iter().cloned());
        self.inside.extend(names.iter().cloned());
    }

    /// Of an assignment to a place.
    pub fn of_target(target: &Expression, symbols: &dyn Symbols) -> Writes {
        let mut writes = Writes::default();
        writes.target(target, symbols);
        writes
    }

    fn target(&mut self, target: &Expression, symbols: &dyn Symbols) {
        // `std::tie(j, k) = f();`, `at(v, 2) = 1;`: whatever the result leads to.
        if let Some(arguments) = given_for(target).filter(|_| !symbols.language().is_fortran()) {
            let names: Vec<Name> = arguments.iter().filter_map(root).cloned().collect();
            self.unknown(&names);
        }
        let Some(name) = root(target) else {
            self.anything = true;
            return;
        };
        let is_variable = matches!(target.kind, ExpressionKind::Name(_));
        let into = if is_variable { &mut self.own } else { &mut self.inside };
        into.insert(name.clone());
        // A variable's own memory, if it is not a name for other memory.
        let declared = symbols.variable(name);
        // Another name for it is a pointer, or stands with it in `equivalence`.
        if symbols.language().is_fortran() && declared.is_some_and(|d| !d.unaliased) {
            let of = place_type(symbols, target);
            self.anything |= of
                .is_none_or(|of| is_whole(&of) || matches!(of, Type::Pointer(_) | Type::Array(..)));
        }
        // A component that is another name for what the object was made with.
        if symbols.language() == Language::Cpp && !is_variable {
            let of = place_type(symbols, target);
            self.anything |= matches!(of, Some(Type::Reference(_)));
        }
        let leads = declared.is_none_or(|d| match d.of {
            Type::Reference(_) => true,
            Type::Pointer(_) if symbols.language().is_fortran() => true,
            _ => !is_variable,
        });
        if leads {
            self.behind(name, place_type(symbols, target).as_ref(), symbols);
        }
    }

    /// The target of a pointer or reference gets a value of some type. Numbers that are not whole
    /// decide conditions only: these are looked up by the variables that they are in.
    fn behind(&mut self, name: &str, of: Option<&Type>, symbols: &dyn Symbols) {
        let is_pointer = matches!(of, Some(Type::Pointer(_)));
        let counts = of.is_none_or(|of| is_whole(of) || matches!(of, Type::Pointer(_)));
        let Some(all) = symbols.pointees(name) else {
            self.anything |= counts;
            return;
        };
        for to in all {
            let has_numbers = symbols.variable(&to).is_none_or(|d| match symbols.resolve(&d.of) {
                Type::Basic(..) => true,
                Type::Array(inner, _) => matches!(symbols.resolve(&inner), Type::Basic(..)),
                _ => false,
            });
            if has_numbers || is_pointer || of.is_none() {
                self.own.insert(to.clone());
            }
            if has_numbers || counts {
                self.inside.insert(to);
            }
        }
    }
}

/// The arguments of the call whose result a place is in.
fn given_for(place: &Expression) -> Option<&[Expression]> {
    match &place.kind {
        ExpressionKind::Call { arguments, .. } => Some(arguments),
        ExpressionKind::Element { base, .. }
        | ExpressionKind::Member { base, .. }
        | ExpressionKind::Unary(Unary::Dereference, base)
        | ExpressionKind::Cast(_, base) => given_for(base),
        _ => None,
    }
}

/// Whether a variable is a local pointer of C: only where its address is handed over can a call
/// change it.
fn is_pointer(name: &str, symbols: &dyn Symbols) -> bool {
    !symbols.language().is_fortran()
        && symbols.variable(name).is_some_and(|declaration| {
            matches!(declaration.storage, Storage::Local | Storage::Argument)
                && matches!(symbols.resolve(&declaration.of), Type::Pointer(_))
        })
}

fn is_address_of(argument: &Expression, name: &str) -> bool {
    match &argument.kind {
        ExpressionKind::Unary(Unary::Address, place) => {
            matches!(&place.kind, ExpressionKind::Name(n) if n == name)
        }
        ExpressionKind::Cast(_, inner) => is_address_of(inner, name),
        _ => false,
    }
}

/// The variable that a place begins with.
pub(super) fn root(expression: &Expression) -> Option<&Name> {
    match &expression.kind {
        ExpressionKind::Name(name) => Some(name),
        ExpressionKind::Element { base, .. } | ExpressionKind::Member { base, .. } => root(base),
        ExpressionKind::Unary(Unary::Dereference | Unary::Address, inner)
        | ExpressionKind::Cast(_, inner)
        | ExpressionKind::Keyword(_, inner) => root(inner),
        ExpressionKind::Step { target, .. } => root(target),
        ExpressionKind::Binary(_, left, right) => root(left).or_else(|| root(right)),
        ExpressionKind::Call { function, .. } => root(function),
        _ => None,
    }
}

/// Calls `visit` with the expressions of a statement itself, not those of statements in it.
pub(super) fn for_each_expression<'t>(
    statement: &'t Statement,
    visit: &mut dyn FnMut(&'t Expression),
) {
    statement.expressions().into_iter().for_each(visit);
}

/// Calls `visit` with the statements in a statement, one level down.
pub(super) fn for_each_body<'t>(statement: &'t Statement, visit: &mut dyn FnMut(&'t Statement)) {
    statement.bodies().into_iter().flatten().for_each(visit);
}

/// Calls `visit` with the operands of an expression, one level down.
pub(super) fn for_each_operand<'t>(
    expression: &'t Expression,
    visit: &mut dyn FnMut(&'t Expression),
) {
    expression.parts().into_iter().for_each(visit);
}

/// Whether any of the names occurs in a statement.
pub(super) fn mentions(statement: &Statement, is_one: &dyn Fn(&str) -> bool) -> bool {
    let mut found = false;
    for_each_expression(statement, &mut |expression| {
        found |= expression_mentions(expression, is_one)
    });
    for_each_body(statement, &mut |inner| found = found || mentions(inner, is_one));
    if let StatementKind::Unknown(names) = &statement.kind {
        found |= names.iter().any(|name| is_one(name));
    }
    found
}

/// Whether any of the names occurs in an expression.
pub(super) fn expression_mentions(expression: &Expression, is_one: &dyn Fn(&str) -> bool) -> bool {
    match &expression.kind {
        ExpressionKind::Name(name) => is_one(name),
        ExpressionKind::Unknown(names) => names.iter().any(|name| is_one(name)),
        _ => {
            let mut found = false;
            for_each_operand(expression, &mut |inner| {
                found = found || expression_mentions(inner, is_one)
            });
            found
        }
    }
}

/// Whether a call is in an expression, other than of functions that have no effect.
pub(super) fn has_effects(expression: &Expression, symbols: &dyn Symbols) -> bool {
    let writes = Writes::of_expression(expression, symbols);
    writes.anything || !writes.own.is_empty() || !writes.inside.is_empty()
}

pub(super) fn names_in(expression: &Expression, names: &mut Vec<Name>) {
    if let ExpressionKind::Name(name) = &expression.kind {
        names.push(name.clone());
    }
    for_each_operand(expression, &mut |inner| names_in(inner, names));
}

/// Whether the name of a procedure, or of the one that it stands for, begins like one of these.
pub(super) fn is_call(symbols: &dyn Symbols, function: &Expression, beginnings: &[&str]) -> bool {
    let ExpressionKind::Name(name) = &function.kind else { return false };
    let name = symbols.stands_for(name).to_ascii_lowercase();
    beginnings.iter().any(|beginning| name.starts_with(beginning))
}
