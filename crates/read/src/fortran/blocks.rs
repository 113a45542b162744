//! `block` constructs whose variables have names that the procedure uses elsewhere, too: there
//! these are other variables, and what happens to them in the block is left to those who
//! understand it.

use std::collections::HashMap;

use commloom_source::tree::{ExpressionKind as Kind, Name, Statement, StatementKind};

/// Makes statements that are not understood of such blocks. Linear in the statements, times how
/// deep blocks nest.
pub(super) fn without_hiding(body: &mut [Statement]) {
    let whole = mentions(body);
    hide(body, &whole);
}

fn hide(list: &mut [Statement], whole: &HashMap<Name, usize>) {
    for statement in list {
        if let StatementKind::Block(inner) = &statement.kind {
            let inside = mentions(inner);
            let declared = inner.iter().filter_map(|s| match &s.kind {
                StatementKind::Declare(all) => Some(all),
                _ => None,
            });
            let hides = |name: &Name| whole.get(name) > inside.get(name);
            if declared.flatten().any(|declaration| hides(&declaration.name)) {
                let mut names: Vec<Name> = inside.into_keys().collect();
                names.sort();
                statement.kind = StatementKind::Unknown(names);
                continue;
            }
        }
        for inner in statement.bodies_mut() {
            hide(inner, whole);
        }
    }
}

/// How often names are used in some statements.
fn mentions(list: &[Statement]) -> HashMap<Name, usize> {
    let mut all: HashMap<Name, usize> = HashMap::new();
    let mut add = |name: &Name| *all.entry(name.clone()).or_default() += 1;
    for statement in list {
        statement.each(&mut |s| {
            match &s.kind {
                StatementKind::Loop(counted) => add(&counted.variable),
                StatementKind::Unknown(names) => names.iter().for_each(&mut add),
                _ => {}
            }
            for expression in s.expressions() {
                expression.each(&mut |e| match &e.kind {
                    Kind::Name(name) => add(name),
                    Kind::Unknown(names) => names.iter().for_each(&mut add),
                    _ => {}
                });
            }
        });
    }
    all
}
