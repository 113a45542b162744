//! Expressions.

use commloom_source::Span;
use commloom_source::tree::{
    Binary, Expression, ExpressionKind as Kind, Name, Subscript, Type, Unary,
};
use tree_sitter::Node;

use super::macros::Meaning;
use super::odd::is_odd;
use super::reader::{Reader, children, field, first, is_broken};
use super::specifier::{descriptor, specifier};

impl Reader<'_> {
    /// Translates an expression.
    pub(super) fn expression(&mut self, node: Node<'_>) -> Expression {
        // Parentheses are no level: a thousand of them are one expression.
        let mut node = node;
        while matches!(node.kind(), "parenthesized_expression" | "condition_clause") {
            match children(node).as_slice() {
                [inner] => node = *inner,
                _ => return self.unknown(node),
            }
        }
        if is_broken(node) {
            return self.unknown(node);
        }
        let levels = if node.kind() == "field_expression" { 2 } else { 1 };
        match self.deeper(levels, |r| kind(r, node)) {
            Some(Some(kind)) => Expression { span: self.span(node), kind },
            _ => self.unknown(node),
        }
    }
}

fn boxed(reader: &mut Reader<'_>, node: Node<'_>) -> Box<Expression> {
    Box::new(reader.expression(node))
}

/// None: not understood.
fn kind(reader: &mut Reader<'_>, node: Node<'_>) -> Option<Kind> {
    let text = reader.text_of(node);
    Some(match node.kind() {
        "number_literal" => match integer(text) {
            Some(value) => suffixed(reader.span(node), text, value),
            None => Kind::Literal(text.to_owned()),
        },
        "true" => Kind::Integer(1),
        "false" | "null" => Kind::Integer(0),
        "char_literal"
        | "string_literal"
        | "concatenated_string"
        | "raw_string_literal"
        | "user_defined_literal" => Kind::Literal(text.to_owned()),
        "identifier" => return name(reader, node),
        "this" => Kind::Name("this".into()),
        "qualified_identifier" | "template_function" => {
            Kind::Name(text.chars().filter(|c| !c.is_whitespace()).collect())
        }
        "subscript_expression" => subscript(reader, node)?,
        "field_expression" => member(reader, node)?,
        "unary_expression" | "pointer_expression" => return unary(reader, node),
        "binary_expression" => {
            let operator = binary(reader.text_of(field(node, "operator")?))?;
            let left = boxed(reader, field(node, "left")?);
            Kind::Binary(operator, left, boxed(reader, field(node, "right")?))
        }
        "conditional_expression" => {
            let condition = boxed(reader, field(node, "condition")?);
            let yes = boxed(reader, field(node, "consequence")?);
            Kind::Choice { condition, yes, no: boxed(reader, field(node, "alternative")?) }
        }
        "cast_expression" => {
            let of = descriptor(reader, field(node, "type")?);
            Kind::Cast(of, boxed(reader, field(node, "value")?))
        }
        "sizeof_expression" => match field(node, "type") {
            Some(of) => Kind::SizeOfType(descriptor(reader, of)),
            None => {
                let value = field(node, "value")?;
                match size_and_more(reader, value) {
                    Some(whole) => whole,
                    None => Kind::SizeOfValue(boxed(reader, value)),
                }
            }
        },
        "offsetof_expression" => {
            let of = descriptor(reader, field(node, "type")?);
            Kind::OffsetOf(of, reader.text_of(field(node, "member")?).to_owned())
        }
        "assignment_expression" => {
            let (target, operation, value) = assignment(reader, node)?;
            if is_odd(&target) {
                return Some(Kind::Unknown(reader.names(node)));
            }
            Kind::Assign { target: Box::new(target), operation, value: Box::new(value) }
        }
        "update_expression" => return step(reader, node),
        "comma_expression" => {
            Kind::List(comma(node).into_iter().map(|n| reader.expression(n)).collect())
        }
        "initializer_list" => {
            let all = children(node);
            if all.iter().any(|c| c.kind() == "initializer_pair") {
                return None;
            }
            Kind::List(all.into_iter().map(|n| reader.expression(n)).collect())
        }
        "extension_expression" => return Some(reader.expression(first(node)?).kind),
        "call_expression" => return call(reader, node),
        "new_expression" => made(reader, node),
        "delete_expression" => {
            let arguments = children(node).into_iter().map(|n| reader.expression(n)).collect();
            let function =
                Box::new(Expression { span: reader.span(node), kind: Kind::Name("delete".into()) });
            Kind::Call { function, arguments }
        }
        _ => return None,
    })
}

fn unary(reader: &mut Reader<'_>, node: Node<'_>) -> Option<Kind> {
    let argument = field(node, "argument")?;
    let operator = match reader.text_of(field(node, "operator")?) {
        "-" => Unary::Minus,
        "!" | "not" => Unary::Not,
        "~" | "compl" => Unary::Complement,
        "*" => Unary::Dereference,
        "&" => Unary::Address,
        "+" => return Some(reader.expression(argument).kind),
        _ => return None,
    };
    Some(Kind::Unary(operator, boxed(reader, argument)))
}

fn step(reader: &mut Reader<'_>, node: Node<'_>) -> Option<Kind> {
    let (target, operator) = (field(node, "argument")?, field(node, "operator")?);
    let by = if reader.text_of(operator) == "++" { 1 } else { -1 };
    let prefix = operator.start_byte() < target.start_byte();
    let target = boxed(reader, target);
    if is_odd(&target) {
        return Some(Kind::Unknown(reader.names(node)));
    }
    Some(Kind::Step { target, by, prefix })
}

/// `new`, as a call whose result is cast.
fn made(reader: &mut Reader<'_>, node: Node<'_>) -> Kind {
    let of = specifier(reader, field(node, "type"));
    let length = field(node, "declarator").and_then(|d| field(d, "length"));
    let mut arguments: Vec<Expression> = length.map(|n| reader.expression(n)).into_iter().collect();
    // `new double[n]()` has values: an empty list, or those that are given.
    if let (Some(_), Some(values)) = (length, field(node, "arguments")) {
        let given = children(values).into_iter().map(|n| reader.expression(n)).collect();
        arguments.push(Expression { span: reader.span(values), kind: Kind::List(given) });
    }
    // Memory that is given is no new memory.
    let name = field(node, "placement").map_or("new", |_| "$placement");
    let span = reader.span(node);
    let function = Box::new(Expression { span, kind: Kind::Name(name.into()) });
    let made = Expression { span, kind: Kind::Call { function, arguments } };
    // What the constructor is given, the object may keep.
    let given = field(node, "arguments").map(children).unwrap_or_default();
    let mut all: Vec<Expression> = given.into_iter().map(|n| reader.expression(n)).collect();
    let made = if all.is_empty() || matches!(of, Type::Basic(..)) {
        made
    } else {
        all.push(made);
        Expression { span, kind: Kind::List(all) }
    };
    Kind::Cast(Type::Pointer(Box::new(of)), Box::new(made))
}

/// The parts of a list with commas, which nests to the left or to the right, in order.
pub(super) fn comma<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut parts = Vec::new();
    let mut waiting = vec![node];
    while let Some(node) = waiting.pop() {
        if node.kind() == "comma_expression" {
            waiting.extend(children(node).into_iter().rev());
        } else {
            parts.push(node);
        }
    }
    parts
}

/// Target, operation and value.
pub(super) fn assignment(
    reader: &mut Reader<'_>,
    node: Node<'_>,
) -> Option<(Expression, Option<Binary>, Expression)> {
    let operator = reader.text_of(field(node, "operator")?);
    let operation = match operator.strip_suffix('=')? {
        "" => None,
        operation => Some(binary(operation)?),
    };
    let target = reader.expression(field(node, "left")?);
    let value = reader.expression(field(node, "right")?);
    Some((target, operation, value))
}

fn binary(operator: &str) -> Option<Binary> {
    Some(match operator {
        "+" => Binary::Add,
        "-" => Binary::Subtract,
        "*" => Binary::Multiply,
        "/" => Binary::Divide,
        "%" => Binary::Remainder,
        "<<" => Binary::ShiftLeft,
        ">>" => Binary::ShiftRight,
        "&" | "bitand" => Binary::BitAnd,
        "|" | "bitor" => Binary::BitOr,
        "^" | "xor" => Binary::BitXor,
        "&&" | "and" => Binary::And,
        "||" | "or" => Binary::Or,
        "==" => Binary::Equal,
        "!=" | "not_eq" => Binary::NotEqual,
        "<" => Binary::Less,
        "<=" => Binary::LessEqual,
        ">" => Binary::Greater,
        ">=" => Binary::GreaterEqual,
        _ => return None,
    })
}

/// The value of a whole number, in any base and with any suffix; 2^63 and more are none.
fn integer(text: &str) -> Option<i64> {
    let text: String = text.chars().filter(|c| *c != '\'').collect::<String>().to_lowercase();
    let digits = text.trim_end_matches(['u', 'l', 'z']);
    let (digits, base) = if let Some(hexadecimal) = digits.strip_prefix("0x") {
        (hexadecimal, 16)
    } else if let Some(bits) = digits.strip_prefix("0b") {
        (bits, 2)
    } else if digits.len() > 1 && digits.starts_with('0') {
        (&digits[1..], 8)
    } else {
        (digits, 10)
    };
    i64::from_str_radix(digits, base).ok()
}

fn name(reader: &mut Reader<'_>, node: Node<'_>) -> Option<Kind> {
    let text = reader.text_of(node);
    if matches!(text, "__LINE__" | "__FILE__" | "__func__" | "__FUNCTION__") {
        return Some(Kind::Literal(text.to_owned()));
    }
    match reader.shared.macros.get(text) {
        None | Some(Meaning::Constant | Meaning::Tokens { parameters: Some(_), .. }) => {
            reader.locals.used(text).map(Kind::Name)
        }
        Some(Meaning::Tokens { parameters: None, .. }) => expanded(reader, node),
        Some(Meaning::Empty | Meaning::Uncertain(_)) => None,
    }
}

/// The meaning of a use of a macro, if it is an expression of its own.
fn expanded(reader: &mut Reader<'_>, node: Node<'_>) -> Option<Kind> {
    let text = reader.shared.macros.expand(reader.text_of(node))?;
    // `#define NEW(n) malloc(n);`, where a semicolon stands anyway.
    let ends =
        reader.text.get(node.end_byte()..).is_some_and(|rest| rest.trim_start().starts_with(';'));
    let text = match text.trim_end().strip_suffix(';') {
        Some(shorter) if ends => shorter,
        _ => &text,
    };
    let alone = !node.parent().is_some_and(|parent| binds(parent, node));
    let at = reader.span(node);
    in_snippet(reader, text, at, |inner, root| {
        (alone || is_closed(root)).then(|| inner.expression(root).kind)
    })?
}

/// Whether what stands around an operand may take a part of it, if it is no operand in itself: `2
/// * A` with `A` = `1 + 1`.
fn binds(parent: Node<'_>, operand: Node<'_>) -> bool {
    let assigned =
        parent.kind() == "assignment_expression" && field(parent, "right") == Some(operand);
    let index = parent.kind() == "subscript_expression" && field(parent, "index") == Some(operand);
    !assigned
        && !index
        && !matches!(
            parent.kind(),
            "argument_list"
                | "parenthesized_expression"
                | "condition_clause"
                | "expression_statement"
                | "return_statement"
                | "init_declarator"
                | "initializer_list"
                | "array_declarator"
                | "subscript_argument_list"
                | "comma_expression"
        )
}

/// Whether an expression stays together whatever stands around it.
fn is_closed(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "identifier"
            | "number_literal"
            | "parenthesized_expression"
            | "subscript_expression"
            | "call_expression"
            | "field_expression"
            | "char_literal"
            | "string_literal"
            | "sizeof_expression"
            | "true"
            | "false"
            | "null"
    )
}

/// A whole number of the type that its suffix gives it: `8u` makes a sum one of unsigned numbers,
/// `8L` one of wide ones.
fn suffixed(span: Span, text: &str, value: i64) -> Kind {
    let is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    let digits = |c: char| c.is_ascii_digit() || (is_hexadecimal && c.is_ascii_hexdigit());
    let suffix = text.trim_start_matches(|c: char| digits(c) || matches!(c, 'x' | 'X' | '\''));
    let has = |letter: char| suffix.contains([letter, letter.to_ascii_uppercase()]);
    let of = match (has('u'), has('l') || has('z')) {
        (false, false) => return Kind::Integer(value),
        (true, false) => Type::Basic("unsigned int".into(), 4),
        (true, true) => Type::Basic("unsigned long".into(), 8),
        (false, true) => Type::Basic("long".into(), 8),
    };
    Kind::Cast(of, Box::new(Expression { span, kind: Kind::Integer(value) }))
}

/// Parses the text of an expression and translates it. None: it is no expression.
fn in_snippet<T>(
    reader: &mut Reader<'_>,
    text: &str,
    at: Span,
    translate: impl FnOnce(&mut Reader<'_>, Node<'_>) -> T,
) -> Option<T> {
    let whole = format!("int _ = {text} ;");
    let tree = reader.shared.parse(&whole)?;
    let root = tree.root_node();
    if root.has_error() {
        return None;
    }
    let declaration = match children(root).as_slice() {
        [only] if only.kind() == "declaration" => *only,
        _ => return None,
    };
    let value = field(field(declaration, "declarator")?, "value")?;
    Some(reader.inside(&whole, at, |inner| translate(inner, value)))
}

/// The expression that a text is, outside of any procedure.
pub(super) fn snippet(reader: &Reader<'_>, text: &str, at: Span) -> Option<Expression> {
    let mut outside = Reader::new(text, reader.file, reader.shared);
    let value = in_snippet(&mut outside, text, at, |reader, node| reader.expression(node))?;
    (!matches!(value.kind, Kind::Unknown(_))).then_some(value)
}

fn subscript(reader: &mut Reader<'_>, node: Node<'_>) -> Option<Kind> {
    let base = boxed(reader, field(node, "argument")?);
    let index = match field(node, "index") {
        Some(index) => index,
        None => match children(field(node, "indices")?).as_slice() {
            [index] => *index,
            _ => return None,
        },
    };
    let index = reader.expression(index);
    // `3[g]` is `g[3]`.
    if matches!(base.kind, Kind::Integer(_)) {
        return Some(Kind::Element {
            base: Box::new(index),
            subscripts: vec![Subscript::At(*base)],
        });
    }
    Some(Kind::Element { base, subscripts: vec![Subscript::At(index)] })
}

/// `sizeof(int) * n` is a product: the operand of `sizeof` is no cast (C11 6.5.3), though the
/// grammar reads one here.
fn size_and_more(reader: &mut Reader<'_>, value: Node<'_>) -> Option<Kind> {
    if value.kind() != "cast_expression" {
        return None;
    }
    let more = field(value, "value")?;
    let operator = match reader.text_of(field(more, "operator")?) {
        "*" => Binary::Multiply,
        "+" => Binary::Add,
        "-" => Binary::Subtract,
        _ => return None,
    };
    let of = descriptor(reader, field(value, "type")?);
    let size = Expression { span: reader.span(value), kind: Kind::SizeOfType(of) };
    let right = boxed(reader, field(more, "argument")?);
    Some(Kind::Binary(operator, Box::new(size), right))
}

fn member(reader: &mut Reader<'_>, node: Node<'_>) -> Option<Kind> {
    let argument = field(node, "argument")?;
    let name = field(node, "field")?;
    if argument.kind() == "this" && name.kind() == "field_identifier" {
        // Members are seen by their names, unless a variable of the procedure hides one.
        let field = reader.text_of(name);
        let hidden = reader.locals.type_of(field).is_some();
        if !hidden && reader.locals.used(field).as_deref() == Some(field) {
            return Some(Kind::Name(field.to_owned()));
        }
    }
    if !matches!(name.kind(), "field_identifier" | "template_method" | "destructor_name") {
        return None;
    }
    let base = reader.expression(argument);
    let base = match reader.text_of(field(node, "operator")?) {
        "." => base,
        "->" => {
            Expression { span: base.span, kind: Kind::Unary(Unary::Dereference, Box::new(base)) }
        }
        _ => return None,
    };
    Some(Kind::Member { base: Box::new(base), field: reader.text_of(name).to_owned() })
}

fn call(reader: &mut Reader<'_>, node: Node<'_>) -> Option<Kind> {
    let callee = field(node, "function")?;
    let list = field(node, "arguments")?;
    let arguments = children(list);
    let name = reader.text_of(callee);
    if callee.kind() == "identifier" {
        match reader.shared.macros.get(name) {
            Some(Meaning::Tokens { parameters: Some(_), .. }) => return expanded(reader, node),
            Some(Meaning::Uncertain(_)) => return None,
            _ => {}
        }
    }
    if let [only] = arguments.as_slice()
        && let Some(of) = cast_to(reader, callee)
    {
        return Some(Kind::Cast(of, boxed(reader, *only)));
    }
    if let (true, Some(kind)) = (arguments.is_empty(), data(reader, callee)) {
        return Some(kind);
    }
    let function = match callee.kind() {
        "primitive_type" => return None,
        // A procedure's name; one that a local variable has is a pointer to a procedure, or an
        // object.
        _ => boxed(reader, callee),
    };
    let arguments = arguments.into_iter().map(|a| reader.expression(a)).collect();
    Some(Kind::Call { function, arguments })
}

/// The type of a cast that is written like a call: `static_cast<T>(x)`, `double(x)`.
fn cast_to(reader: &mut Reader<'_>, callee: Node<'_>) -> Option<Type> {
    match callee.kind() {
        "primitive_type" | "sized_type_specifier" => Some(specifier(reader, Some(callee))),
        "template_function" => {
            let name = reader.text_of(field(callee, "name")?);
            if !matches!(name, "static_cast" | "reinterpret_cast" | "const_cast") {
                return None;
            }
            let of = first(field(callee, "arguments")?)?;
            Some(descriptor(reader, of))
        }
        _ => None,
    }
}

/// `v.data()` of a container is the address of its first element, and so is what `v.begin()`
/// points to.
fn data(reader: &mut Reader<'_>, callee: Node<'_>) -> Option<Kind> {
    if callee.kind() != "field_expression" {
        return None;
    }
    let object = field(callee, "argument")?;
    let called: Name = reader.text_of(field(callee, "field")?).to_owned();
    let mut of = reader.locals.type_of(reader.text_of(object))?;
    if let Type::Reference(inner) = of {
        of = inner;
    }
    if !matches!(called.as_str(), "data" | "begin" | "cbegin") || !matches!(of, Type::Array(..)) {
        return None;
    }
    let span = reader.span(callee);
    let base = boxed(reader, object);
    let zero = Expression { span, kind: Kind::Integer(0) };
    let element = Kind::Element { base, subscripts: vec![Subscript::At(zero)] };
    Some(Kind::Unary(Unary::Address, Box::new(Expression { span, kind: element })))
}
