//! The NAS Parallel Benchmarks, which are not in the repository: `COMMLOOM_NPB=FOLDER` names a
//! folder that has them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use commloom_refactor::read::fortran::{Meaning, is_array, read, settle};
use commloom_refactor::source::{FileId, Language, Source};
use commloom_refactor::tree::{
    Expression, ExpressionKind, Procedure, Scope, Statement, StatementKind, Type, Unit,
};

/// Parts of the names of procedures that pack, unpack, send or receive.
const PACKING: [&str; 8] =
    ["copy_faces", "solve_info", "backsub_info", "exchange_", "comm", "give", "take", "ready"];

#[test]
fn packing_procedures_are_understood() {
    let Ok(folder) = std::env::var("COMMLOOM_NPB") else {
        eprintln!("skipped: COMMLOOM_NPB names no folder with the NAS Parallel Benchmarks");
        return;
    };
    let mut files = Vec::new();
    find(Path::new(&folder), &mut files);
    let units: HashMap<PathBuf, Unit> = files.iter().map(|f| (f.clone(), load(f))).collect();
    let mut seen = 0;
    let mut bad = Vec::new();
    for (path, unit) in &units {
        let near = Near { path, units: &units };
        for procedure in &unit.procedures {
            let at = format!("{}: {}", path.display(), procedure.name);
            if !PACKING.iter().any(|p| procedure.name.contains(p)) {
                continue;
            }
            if procedure.has_errors {
                bad.push(format!("{at} has errors"));
            }
            seen += 1;
            let mut procedure = procedure.clone();
            let mut names = HashMap::new();
            near.gather(&procedure.scope, &mut names, 0);
            let meaning = |name: &str| match names.get(name) {
                Some(true) => Meaning::Array,
                Some(false) => Meaning::Other,
                None => Meaning::Undeclared,
            };
            settle(&mut procedure, &meaning, true);
            bad.extend(unknown(&procedure).into_iter().map(|u| format!("{at}: {u}")));
        }
    }
    assert!(seen >= 40, "only {seen} packing procedures in {folder}");
    assert!(bad.is_empty(), "{seen} procedures\n{}", bad.join("\n"));
}

fn find(folder: &Path, into: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            find(&path, into);
        } else if path
            .extension()
            .is_some_and(|e| ["f", "f90", "h", "incl"].iter().any(|f| e == *f))
        {
            into.push(path);
        }
    }
}

fn load(path: &Path) -> Unit {
    let name = path.display().to_string();
    let text = String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned();
    let language =
        Language::of_name(&name).filter(|l| l.is_fortran()).unwrap_or(Language::FortranFixed);
    read(&Source { name, language, text }, FileId(0))
}

/// Files that are in the same folder.
struct Near<'a> {
    path: &'a Path,
    units: &'a HashMap<PathBuf, Unit>,
}

impl Near<'_> {
    /// The variables of a scope and of what it includes and uses, and which are arrays.
    fn gather(&self, scope: &Scope, names: &mut HashMap<String, bool>, depth: usize) {
        names.extend(scope.variables.iter().map(|v| (v.name.clone(), is_array(&v.of))));
        if depth > 8 {
            return;
        }
        for (include, _) in &scope.includes {
            if let Some(unit) = self.path.parent().and_then(|p| self.units.get(&p.join(include))) {
                self.gather(&unit.scope, names, depth + 1);
            }
        }
        let beside = self.units.iter().filter(|(p, _)| p.parent() == self.path.parent());
        for (name, module) in beside.flat_map(|(_, u)| &u.modules) {
            if scope.uses.iter().any(|u| &u.module == name) {
                self.gather(module, names, depth + 1);
            }
        }
    }
}

/// The names of all that was not understood.
fn unknown(procedure: &Procedure) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Vec<&Statement> = procedure.body.iter().collect();
    while let Some(statement) = open.pop() {
        let at = statement.span.start;
        match &statement.kind {
            StatementKind::Unknown(names) => found.push(format!("statement at {at}: {names:?}")),
            StatementKind::Assign { target, value, .. } => {
                if !matches!(target.kind, ExpressionKind::Name(_) | ExpressionKind::Element { .. })
                {
                    found.push(format!("assignment to {target:?}"));
                }
                check(target, &mut found);
                check(value, &mut found);
            }
            StatementKind::Loop(counted) => open.extend(&counted.body),
            StatementKind::While { body, .. } | StatementKind::Block(body) => open.extend(body),
            StatementKind::If { condition, then, otherwise } => {
                check(condition, &mut found);
                open.extend(then);
                open.extend(otherwise);
            }
            StatementKind::Evaluate(Expression {
                kind: ExpressionKind::Call { arguments, .. },
                ..
            }) => {
                arguments.iter().for_each(|a| check(a, &mut found));
            }
            _ => {}
        }
    }
    let types = procedure.scope.variables.iter().filter(|v| v.of == Type::Unknown);
    found.extend(types.map(|v| format!("type of {}", v.name)));
    found
}

/// Functions that these procedures really call.
const FUNCTIONS: [&str; 6] = ["max", "min", "iabs", "ilog2", "nodedim", "size"];

fn check(value: &Expression, found: &mut Vec<String>) {
    match &value.kind {
        ExpressionKind::Unknown(names) => {
            found.push(format!("expression at {}: {names:?}", value.span.start));
        }
        ExpressionKind::Binary(_, a, b) => {
            check(a, found);
            check(b, found);
        }
        ExpressionKind::Call { function, arguments } => {
            match &function.kind {
                ExpressionKind::Name(name) if FUNCTIONS.contains(&name.as_str()) => {}
                called => found.push(format!("a call of {called:?} at {}", value.span.start)),
            }
            arguments.iter().for_each(|a| check(a, found));
        }
        _ => {}
    }
}
