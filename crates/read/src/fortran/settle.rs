//! `name(...)` becomes an element where `name` is an array. Fortran writes both alike, so this
//! waits until declarations are known: once when the file was read, and again when the project has
//! filled in what it includes and uses.

use commloom_source::tree::{
    Binary, Expression, ExpressionKind, Name, Procedure, Statement, StatementKind, Subscript, Type,
    Unary,
};

use super::types::{Kinds, kind_value};

/// The meaning of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// An array: `name(i)` is an element.
    Array,
    /// Something else: `name(i)` is a call.
    Other,
    /// Declared nowhere: a call, of an intrinsic function if it is named like one.
    Undeclared,
}

/// Turns calls of arrays into elements, in all of the body. Components are asked for as `%name`:
/// an array if some type in sight has an array component of that name. `is_final` says that all
/// declarations were seen: intrinsic functions become operations, and assignments to calls, which
/// are statement functions, unknown statements. Time linear in the body.
pub fn settle(procedure: &mut Procedure, meaning: &dyn Fn(&str) -> Meaning, is_final: bool) {
    let settler = Settler { meaning, is_final };
    for equivalence in &mut procedure.scope.equivalences {
        for place in &mut equivalence.places {
            settler.expression(place);
        }
    }
    settler.statements(&mut procedure.body);
}

struct Settler<'a> {
    meaning: &'a dyn Fn(&str) -> Meaning,
    is_final: bool,
}

impl Settler<'_> {
    fn statements(&self, statements: &mut [Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&self, statement: &mut Statement) {
        match &mut statement.kind {
            StatementKind::Loop(counted) => {
                self.expression(&mut counted.first);
                self.expression(&mut counted.last);
                self.expression(&mut counted.step);
                self.statements(&mut counted.body);
            }
            StatementKind::While { condition, body } => {
                condition.iter_mut().for_each(|c| self.expression(c));
                self.statements(body);
            }
            StatementKind::If { condition, then, otherwise } => {
                self.expression(condition);
                self.statements(then);
                self.statements(otherwise);
            }
            StatementKind::Assign { target, value, .. } => {
                self.expression(target);
                self.expression(value);
                if self.is_final && matches!(target.kind, ExpressionKind::Call { .. }) {
                    let mut names = Vec::new();
                    collect(target, &mut names);
                    collect(value, &mut names);
                    statement.kind = StatementKind::Unknown(names);
                }
            }
            // What is called by `call` is no array.
            StatementKind::Evaluate(Expression {
                kind: ExpressionKind::Call { arguments, .. },
                ..
            }) => arguments.iter_mut().for_each(|a| self.expression(a)),
            StatementKind::Evaluate(value) => self.expression(value),
            StatementKind::Block(body) => self.statements(body),
            StatementKind::Return(Some(value)) => self.expression(value),
            StatementKind::Return(None)
            | StatementKind::Declare(_)
            | StatementKind::Break(_)
            | StatementKind::Continue(_)
            | StatementKind::Goto(_)
            | StatementKind::Label(_)
            | StatementKind::Nothing
            | StatementKind::Unknown(_) => {}
        }
    }

    fn expression(&self, value: &mut Expression) {
        value.parts_mut().into_iter().for_each(|inner| self.expression(inner));
        let meaning = match &value.kind {
            ExpressionKind::Call { function, .. } => match &function.kind {
                ExpressionKind::Name(name) => (self.meaning)(name),
                ExpressionKind::Member { field, .. } => (self.meaning)(&format!("%{field}")),
                _ => Meaning::Other,
            },
            _ => return,
        };
        if meaning == Meaning::Other || (meaning == Meaning::Undeclared && !self.is_final) {
            return;
        }
        let kind = std::mem::replace(&mut value.kind, ExpressionKind::Integer(0));
        value.kind = match kind {
            ExpressionKind::Call { function, arguments } if meaning == Meaning::Array => {
                let subscripts = arguments.into_iter().map(Subscript::At).collect();
                ExpressionKind::Element { base: function, subscripts }
            }
            ExpressionKind::Call { function, arguments } => intrinsic(function, arguments),
            other => other,
        };
    }
}

/// Intrinsic functions that the tree has a form for.
fn intrinsic(function: Box<Expression>, mut arguments: Vec<Expression>) -> ExpressionKind {
    let name = match &function.kind {
        ExpressionKind::Name(name) => name.clone(),
        _ => return ExpressionKind::Call { function, arguments },
    };
    let by_keyword = arguments.iter().any(|a| matches!(a.kind, ExpressionKind::Keyword(..)));
    if by_keyword && !matches!(name.as_str(), "int" | "real") {
        return ExpressionKind::Call { function, arguments };
    }
    match (name.as_str(), arguments.len()) {
        ("mod", 2) => {
            let right = arguments.remove(1);
            let left = arguments.remove(0);
            ExpressionKind::Binary(Binary::Remainder, Box::new(left), Box::new(right))
        }
        ("merge", 3) => {
            let condition = Box::new(arguments.remove(2));
            let no = Box::new(arguments.remove(1));
            let yes = Box::new(arguments.remove(0));
            ExpressionKind::Choice { condition, yes, no }
        }
        ("loc" | "c_loc", 1) => {
            ExpressionKind::Unary(Unary::Address, Box::new(arguments.remove(0)))
        }
        ("dble" | "float" | "sngl", 1) => {
            let (bytes, type_name) = match name.as_str() {
                "dble" => (8, "double precision"),
                _ => (4, "real"),
            };
            ExpressionKind::Cast(
                Type::Basic(type_name.into(), bytes),
                Box::new(arguments.remove(0)),
            )
        }
        ("int" | "real", 1 | 2) => {
            if matches!(arguments.first().map(|a| &a.kind), Some(ExpressionKind::Keyword(..))) {
                return ExpressionKind::Call { function, arguments };
            }
            let kind = arguments.get(1).map(|k| match &k.kind {
                ExpressionKind::Keyword(_, value) => kind_value(value, &Kinds::new()),
                _ => kind_value(k, &Kinds::new()),
            });
            let stem = if name == "int" { "integer" } else { "real" };
            let of = match kind {
                None => Type::Basic(stem.into(), 4),
                Some(Some(bytes)) => Type::Basic(format!("{stem}({bytes})"), bytes),
                Some(None) => Type::Named(format!("{stem}(?)")),
            };
            ExpressionKind::Cast(of, Box::new(arguments.remove(0)))
        }
        _ => ExpressionKind::Call { function, arguments },
    }
}

fn collect(value: &Expression, names: &mut Vec<Name>) {
    match &value.kind {
        ExpressionKind::Name(name) => names.push(name.clone()),
        ExpressionKind::Unknown(inside) => names.extend(inside.iter().cloned()),
        _ => value.parts().into_iter().for_each(|inner| collect(inner, names)),
    }
}
