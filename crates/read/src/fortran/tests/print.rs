//! The tree as text, short enough to be compared by eye.

use std::fmt::Write;

use commloom_source::tree::{
    Binary, Expression, ExpressionKind, Statement, StatementKind, Subscript, Type, Unary,
};

/// One statement a line, indented by nesting.
pub fn statements(body: &[Statement]) -> String {
    let mut out = String::new();
    body.iter().for_each(|s| statement(s, 0, &mut out));
    out
}

fn statement(statement_: &Statement, depth: usize, out: &mut String) {
    let mut line = |text: String| {
        let _ = writeln!(out, "{}{text}", "  ".repeat(depth));
    };
    match &statement_.kind {
        StatementKind::Loop(l) => {
            let name = l.name.as_ref().map(|n| format!("{n}: ")).unwrap_or_default();
            let new = if l.declares { "new " } else { "" };
            line(format!(
                "{name}do {new}{} = {}, {}, {}",
                l.variable,
                expression(&l.first),
                expression(&l.last),
                expression(&l.step)
            ));
            l.body.iter().for_each(|s| statement(s, depth + 1, out));
        }
        StatementKind::While { condition, body } => {
            line(format!("while {}", condition.as_ref().map(expression).unwrap_or_default()));
            body.iter().for_each(|s| statement(s, depth + 1, out));
        }
        StatementKind::If { condition, then, otherwise } => {
            line(format!("if {}", expression(condition)));
            then.iter().for_each(|s| statement(s, depth + 1, out));
            if !otherwise.is_empty() {
                let _ = writeln!(out, "{}else", "  ".repeat(depth));
                otherwise.iter().for_each(|s| statement(s, depth + 1, out));
            }
        }
        StatementKind::Assign { target, value, .. } => {
            line(format!("{} = {}", expression(target), expression(value)));
        }
        StatementKind::Evaluate(value) => line(expression(value)),
        StatementKind::Declare(all) => {
            let names: Vec<_> = all.iter().map(|d| format!("{}: {}", d.name, of(&d.of))).collect();
            line(format!("declare {}", names.join(", ")));
        }
        StatementKind::Block(body) => {
            line("block".into());
            body.iter().for_each(|s| statement(s, depth + 1, out));
        }
        StatementKind::Return(_) => line("return".into()),
        StatementKind::Break(name) => line(format!("break {}", name.as_deref().unwrap_or(""))),
        StatementKind::Continue(name) => line(format!("next {}", name.as_deref().unwrap_or(""))),
        StatementKind::Goto(labels) => line(format!("goto {}", labels.join(" "))),
        StatementKind::Label(name) => line(format!("label {name}")),
        StatementKind::Nothing => line("nothing".into()),
        StatementKind::Unknown(names) => line(format!("unknown {}", names.join(" "))),
    }
}

fn list(values: &[Expression]) -> String {
    values.iter().map(expression).collect::<Vec<_>>().join(", ")
}

/// Elements have brackets, calls parentheses.
pub fn expression(value: &Expression) -> String {
    match &value.kind {
        ExpressionKind::Integer(n) => n.to_string(),
        ExpressionKind::Literal(text) | ExpressionKind::Name(text) => text.clone(),
        ExpressionKind::Element { base, subscripts } => {
            let inside: Vec<_> = subscripts.iter().map(subscript).collect();
            format!("{}[{}]", expression(base), inside.join(", "))
        }
        ExpressionKind::Member { base, field } => format!("{}%{field}", expression(base)),
        ExpressionKind::Unary(operator, inner) => {
            let sign = match operator {
                Unary::Minus => "-",
                Unary::Not => "not ",
                _ => "?",
            };
            format!("({sign}{})", expression(inner))
        }
        ExpressionKind::Binary(operator, left, right) => {
            format!("({} {} {})", expression(left), sign(*operator), expression(right))
        }
        ExpressionKind::Cast(to, inner) => format!("<{}>{}", of(to), expression(inner)),
        ExpressionKind::Call { function, arguments } => {
            format!("{}({})", expression(function), list(arguments))
        }
        ExpressionKind::Keyword(name, inner) => format!("{name}={}", expression(inner)),
        ExpressionKind::Assign { target, value, .. } => {
            format!("{}={}", expression(target), expression(value))
        }
        ExpressionKind::Choice { condition, yes, no } => {
            format!("({} ? {} : {})", expression(condition), expression(yes), expression(no))
        }
        ExpressionKind::List(values) => format!("{{{}}}", list(values)),
        ExpressionKind::Unknown(names) => format!("unknown<{}>", names.join(" ")),
        other => format!("{other:?}"),
    }
}

fn subscript(value: &Subscript) -> String {
    match value {
        Subscript::At(at) => expression(at),
        Subscript::Section { first, last, step } => {
            let part = |p: &Option<Expression>| p.as_ref().map(expression).unwrap_or_default();
            format!("{}:{}:{}", part(first), part(last), part(step))
        }
    }
}

fn sign(operator: Binary) -> &'static str {
    match operator {
        Binary::Add => "+",
        Binary::Subtract => "-",
        Binary::Multiply => "*",
        Binary::Divide => "/",
        Binary::Remainder => "mod",
        Binary::Power => "**",
        Binary::And => "and",
        Binary::Or => "or",
        Binary::Equal => "==",
        Binary::NotEqual => "/=",
        Binary::Less => "<",
        Binary::LessEqual => "<=",
        Binary::Greater => ">",
        Binary::GreaterEqual => ">=",
        Binary::Concatenate => "//",
        _ => "?",
    }
}

/// A type with its dimensions.
pub fn of(value: &Type) -> String {
    match value {
        Type::Basic(name, _) | Type::Named(name) | Type::Record(name) => name.clone(),
        Type::Pointer(inner) => format!("pointer {}", of(inner)),
        Type::Array(inner, dimensions) => {
            use commloom_source::tree::Dimension::{AssumedShape, AssumedSize, Bounds, Extent};
            let low = |l: &Option<Expression>| l.as_ref().map(expression).unwrap_or_default();
            let all: Vec<_> = dimensions
                .iter()
                .map(|d| match d {
                    Bounds { lower, upper } => format!("{}:{}", low(lower), expression(upper)),
                    Extent(n) => expression(n),
                    AssumedSize { lower } => format!("{}:*", low(lower)),
                    AssumedShape { lower } => format!("{}:", low(lower)),
                })
                .collect();
            format!("{}[{}]", of(inner), all.join(", "))
        }
        other => format!("{other:?}"),
    }
}
