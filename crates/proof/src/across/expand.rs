//! A procedure with the procedures that it calls written in place of the calls.
//!
//! Positions in the new body are times: everything in it gets a span of an imagined file, in the
//! order of execution, and a table leads back to the texts. Names of a callee that are not its
//! caller's get a mark with the number of the instance (`ptr'3`), which no program can write.

use std::collections::{HashMap, HashSet};

use commloom_program::{ProcedureId, Project, View};
use commloom_source::symbols::Symbols;
use commloom_source::tree::{
    Declaration, Expression, ExpressionKind as Kind, Loop, Name, Procedure, Statement,
    StatementKind, Storage, Type, Unary,
};
use commloom_source::{FileId, Span};

use crate::names::{assigned_names, for_each_bound, names_in, written_names};

use super::alike::{alike, alike_types, behind};
use super::renaming::{Renaming, actual};

/// Calls in calls, at most so deep.
const DEPTH: usize = 3;
/// Larger bodies are not made.
const STATEMENTS: usize = 20_000;

/// One body in the expanded one: the root's own is the first.
pub(super) struct Instance {
    pub procedure: ProcedureId,
    /// The call that it stands for.
    pub call: Option<Span>,
    /// Names of the expanded body that have a name of their own here.
    pub own: HashMap<Name, Name>,
}

/// An expanded procedure.
pub(super) struct Expansion {
    pub root: ProcedureId,
    pub procedure: Procedure,
    /// Where everything stands in the texts, and in which instance.
    pub spans: HashMap<Span, (Span, usize)>,
    pub instances: Vec<Instance>,
}

impl Expansion {
    /// The procedures that stand in it, by the marks of their variables.
    pub fn callees(&self, project: &Project) -> HashMap<String, Name> {
        let instances = self.instances.iter().enumerate().skip(1);
        let marks = instances.flat_map(|(number, instance)| {
            let id = instance.procedure;
            let name = &project.procedure(id).name;
            [(format!("'{number}"), name.clone()), (format!("''{}", id.0), name.clone())]
        });
        marks.collect()
    }
}

/// Expands the wanted callees of a procedure; none if there are none that can be.
pub(super) fn expand(
    project: &Project,
    root: ProcedureId,
    wanted: &HashSet<ProcedureId>,
    file: FileId,
) -> Option<Expansion> {
    let procedure = project.procedure(root);
    let mut expander = Expander {
        project,
        root,
        wanted,
        file,
        next: 0,
        statements: 0,
        spans: HashMap::new(),
        instances: vec![Instance { procedure: root, call: None, own: HashMap::new() }],
        declared: HashMap::new(),
        kept: Vec::new(),
        stack: vec![root],
        passed: passed(project, procedure, wanted),
    };
    let whole = expander.open();
    let names = Renaming::default();
    let body = expander.list(&procedure.body, &names);
    let span = expander.close(whole, procedure.span, 0);
    if expander.instances.len() < 2 || expander.statements > STATEMENTS {
        return None;
    }
    let mut scope = procedure.scope.clone();
    scope.variables.extend(expander.kept);
    let has_errors = expander.instances.iter().any(|i| project.procedure(i.procedure).has_errors);
    let expanded = Procedure {
        name: format!("{}'", procedure.name),
        span,
        body,
        scope,
        has_errors,
        directives: Vec::new(),
        ..procedure.clone()
    };
    Some(Expansion {
        root,
        procedure: expanded,
        spans: expander.spans,
        instances: expander.instances,
    })
}

pub(super) struct Expander<'p> {
    pub project: &'p Project,
    pub root: ProcedureId,
    pub wanted: &'p HashSet<ProcedureId>,
    pub file: FileId,
    pub next: usize,
    pub statements: usize,
    pub spans: HashMap<Span, (Span, usize)>,
    pub instances: Vec<Instance>,
    /// Declarations of marked names.
    pub declared: HashMap<Name, Declaration>,
    /// Those of variables that outlive a call.
    pub kept: Vec<Declaration>,
    pub stack: Vec<ProcedureId>,
    /// Variables of the root that are arguments of what is expanded.
    pub passed: HashSet<Name>,
}

impl Expander<'_> {
    pub(super) fn open(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    pub(super) fn close(&mut self, start: usize, real: Span, instance: usize) -> Span {
        self.next += 1;
        let span = Span { file: self.file, start, end: self.next };
        self.spans.insert(span, (real, instance));
        span
    }

    fn list(&mut self, list: &[Statement], names: &Renaming) -> Vec<Statement> {
        let mut all = Vec::with_capacity(list.len());
        for statement in list {
            match self.inlined(statement, names) {
                Some(body) => all.extend(body),
                None => {
                    all.push(self.statement(statement, names));
                    all.extend(self.closed(statement, names));
                }
            }
        }
        all
    }

    /// After `c = slice(1, stage)`, where `c` is passed on: a declaration, so that the analysis
    /// speaks of `c`, which the callees see.
    fn closed(&mut self, statement: &Statement, names: &Renaming) -> Option<Statement> {
        let StatementKind::Assign { target, operation: None, value } = &statement.kind else {
            return None;
        };
        let Kind::Name(name) = &target.kind else { return None };
        let is_known = matches!(value.kind, Kind::Integer(_) | Kind::Name(_));
        if names.instance > 0 || is_known || !self.passed.contains(name) {
            return None;
        }
        let view = self.project.view(self.root);
        let declaration = view.variable(name)?;
        if !matches!(view.resolve(&declaration.of), Type::Basic(..)) {
            return None;
        }
        let declaration = self.declaration(declaration, names);
        let start = self.open();
        let span = self.close(start, statement.span, names.instance);
        Some(Statement { span, kind: StatementKind::Declare(vec![declaration]) })
    }

    pub(super) fn statement(&mut self, statement: &Statement, names: &Renaming) -> Statement {
        self.statements += 1;
        let start = self.open();
        let kind = match &statement.kind {
            StatementKind::Loop(counted) => StatementKind::Loop(Loop {
                variable: names.name(&counted.variable),
                declares: counted.declares,
                first: self.expression(&counted.first, names),
                last: self.expression(&counted.last, names),
                bound: counted.bound,
                step: self.expression(&counted.step, names),
                body: self.list(&counted.body, names),
                name: counted.name.clone(),
            }),
            StatementKind::While { condition, body } => StatementKind::While {
                condition: condition.as_ref().map(|c| self.expression(c, names)),
                body: self.list(body, names),
            },
            StatementKind::If { condition, then, otherwise } => StatementKind::If {
                condition: self.expression(condition, names),
                then: self.list(then, names),
                otherwise: self.list(otherwise, names),
            },
            StatementKind::Assign { target, operation, value } => StatementKind::Assign {
                target: self.expression(target, names),
                operation: *operation,
                value: self.expression(value, names),
            },
            StatementKind::Evaluate(value) => {
                StatementKind::Evaluate(self.expression(value, names))
            }
            StatementKind::Declare(all) => {
                StatementKind::Declare(all.iter().map(|d| self.declaration(d, names)).collect())
            }
            StatementKind::Block(body) => StatementKind::Block(self.list(body, names)),
            StatementKind::Return(value) => {
                StatementKind::Return(value.as_ref().map(|v| self.expression(v, names)))
            }
            StatementKind::Unknown(all) => {
                StatementKind::Unknown(all.iter().map(|n| names.name(n)).collect())
            }
            other => other.clone(),
        };
        Statement { span: self.close(start, statement.span, names.instance), kind }
    }

    fn declaration(&mut self, declaration: &Declaration, names: &Renaming) -> Declaration {
        let start = self.open();
        let new = Declaration {
            name: names.name(&declaration.name),
            of: self.of_type(&declaration.of, names),
            value: declaration.value.as_ref().map(|v| self.expression(v, names)),
            ..declaration.clone()
        };
        Declaration { span: self.close(start, declaration.span, names.instance), ..new }
    }

    /// The body of the procedure that a statement calls.
    fn inlined(&mut self, statement: &Statement, names: &Renaming) -> Option<Vec<Statement>> {
        let (callee, arguments) = called(self.project, statement)?;
        let deep = self.stack.len() > DEPTH || self.stack.contains(&callee);
        if deep || !self.wanted.contains(&callee) || self.statements > STATEMENTS {
            return None;
        }
        let procedure = self.project.procedure(callee);
        let body = straight(&procedure.body)?;
        let (renaming, declared) = self.renaming(callee, arguments, names)?;
        let own = renaming
            .of
            .iter()
            .filter_map(|(own, kind)| match kind {
                Kind::Name(new) => Some((new.clone(), own.clone())),
                _ => None,
            })
            .collect();
        self.instances.push(Instance { procedure: callee, call: Some(statement.span), own });
        self.stack.push(callee);
        let start = self.open();
        let span = self.close(start, statement.span, names.instance);
        // Bounds of its arrays are those of this moment.
        let mut all = vec![Statement { span, kind: StatementKind::Declare(declared) }];
        all.extend(self.list(body, &renaming));
        self.stack.pop();
        Some(all)
    }

    /// The names that the callee's get here, with the declarations of those that are its own.
    fn renaming(
        &mut self,
        callee: ProcedureId,
        arguments: &[Expression],
        names: &Renaming,
    ) -> Option<(Renaming, Vec<Declaration>)> {
        let view = self.project.view(callee);
        let outer = self.project.view(self.root);
        let procedure = view.procedure();
        let same_language = view.language().is_fortran() == outer.language().is_fortran();
        let method = procedure.module.is_some() && !view.language().is_fortran();
        if procedure.host.is_some() || method || !same_language {
            return None;
        }
        if procedure.parameters.len() != arguments.len() {
            return None;
        }
        let instance = self.instances.len();
        let mut renaming = Renaming { instance, of: HashMap::new() };
        let mut locals = Vec::new();
        for name in names_in(procedure) {
            if procedure.parameters.contains(&name) {
                continue;
            }
            if let Some(value) = view.constant(&name) {
                let same = outer.constant(&name).is_some_and(|o| alike(o, value));
                match &value.kind {
                    _ if same => {}
                    Kind::Integer(_) => drop(renaming.of.insert(name, value.kind.clone())),
                    _ => return None,
                }
                continue;
            }
            let Some(declaration) = view.variable(&name) else {
                // A function, or a constant of a header that is not at hand: the same for all.
                if outer.variable(&name).is_some() || outer.constant(&name).is_some() {
                    return None;
                }
                continue;
            };
            match (view.global(&name), declaration.storage) {
                (Some(global), _) if outer.global(&name) == Some(global.clone()) => {}
                (None, Storage::Local | Storage::Kept) => {
                    let lasting = declaration.storage == Storage::Kept;
                    let mark = if lasting { callee.0 } else { instance };
                    let kept = if lasting { "''" } else { "'" };
                    let new = format!("{name}{kept}{mark}");
                    renaming.of.insert(name, Kind::Name(new));
                    locals.push(declaration.clone());
                }
                _ => return None,
            }
        }
        self.arguments(&view, arguments, names, &mut renaming)?;
        let mut declared = Vec::new();
        for declaration in locals {
            let new = self.declaration(&declaration, &renaming);
            self.declared.insert(new.name.clone(), new.clone());
            if new.storage == Storage::Kept {
                if !self.kept.iter().any(|k| k.name == new.name) {
                    self.kept.push(new);
                }
            } else {
                declared.push(Declaration { value: None, ..new });
            }
        }
        Some((renaming, declared))
    }

    /// The expressions for the dummy arguments: those that are numbers first, as bounds of the
    /// others have them.
    fn arguments(
        &mut self,
        view: &View<'_>,
        arguments: &[Expression],
        names: &Renaming,
        renaming: &mut Renaming,
    ) -> Option<()> {
        // What is passed by value may be written through, but keeps what it is.
        let written = if view.language().is_fortran() {
            written_names(view)
        } else {
            assigned_names(view.procedure())
        };
        let pairs: Vec<(&Name, Kind)> = view
            .procedure()
            .parameters
            .iter()
            .zip(arguments)
            .map(|(name, argument)| Some((name, actual(argument, names)?)))
            .collect::<Option<_>>()?;
        let is_array = |name: &str| {
            view.variable(name)
                .is_some_and(|d| !matches!(view.resolve(&d.of), Type::Basic(..) | Type::Named(_)))
        };
        for arrays in [false, true] {
            for (name, kind) in pairs.iter().filter(|(name, _)| is_array(name) == arrays) {
                let dummy = view.variable(name)?;
                let fits = match kind {
                    Kind::Name(given) => {
                        self.is_same_kind(view, dummy, given, renaming)
                            && (view.language().is_fortran() || !written.contains(*name))
                    }
                    Kind::Unary(Unary::Address, _) => {
                        !view.language().is_fortran() && !written.contains(*name)
                    }
                    _ => !arrays && !written.contains(*name),
                };
                if !fits {
                    return None;
                }
                renaming.of.insert((*name).clone(), kind.clone());
            }
        }
        Some(())
    }

    /// Whether a variable of the caller is what the dummy argument is declared as.
    fn is_same_kind(
        &mut self,
        view: &View<'_>,
        dummy: &Declaration,
        given: &str,
        renaming: &Renaming,
    ) -> bool {
        let outer = self.project.view(self.root);
        if outer.constant(given).is_some() {
            return false;
        }
        let marked = self.declared.get(given).cloned();
        let Some(variable) = marked.or_else(|| outer.variable(given).cloned()) else {
            return false;
        };
        let (mut dummy_of, mut of) = (view.resolve(&dummy.of), outer.resolve(&variable.of));
        if !view.language().is_fortran()
            && let (Some(a), Some(b)) = (behind(&dummy_of), behind(&of))
        {
            // An array of C is passed as the address of its first element.
            (dummy_of, of) = (view.resolve(&a), outer.resolve(&b));
        }
        let dummy_of = self.of_type(&dummy_of, renaming);
        if !alike_types(&dummy_of, &of) {
            return false;
        }
        // Its bounds are those of the caller's beginning.
        let changing = written_names(&outer);
        let mut settled = true;
        for_each_bound(&of, &mut |bound| {
            bound.each(&mut |e| {
                if let Kind::Name(name) = &e.kind {
                    settled &= !changing.contains(name) && !name.contains('\'');
                }
            });
        });
        settled
    }
}

/// Variables that are arguments of wanted callees.
fn passed(
    project: &Project,
    procedure: &Procedure,
    wanted: &HashSet<ProcedureId>,
) -> HashSet<Name> {
    let mut names = HashSet::new();
    for statement in &procedure.body {
        statement.each(&mut |s| {
            let Some((callee, arguments)) = called(project, s) else { return };
            if wanted.contains(&callee) {
                names.extend(arguments.iter().filter_map(|a| a.root()).cloned());
            }
        });
    }
    names
}

/// A procedure with one body that a statement calls, with the arguments.
pub(super) fn called<'t>(
    project: &Project,
    statement: &'t Statement,
) -> Option<(ProcedureId, &'t [Expression])> {
    let StatementKind::Evaluate(Expression { kind: Kind::Call { function, arguments }, .. }) =
        &statement.kind
    else {
        return None;
    };
    let Kind::Name(name) = &function.kind else { return None };
    let callee = project.named(name)?;
    // A wrapper is what the table says, not what its body does.
    project.view(callee).wrapper(name).is_none().then_some((callee, arguments))
}

/// A body that is left at its end only, without the statement that leaves it.
fn straight(body: &[Statement]) -> Option<&[Statement]> {
    let body = match body {
        [all @ .., Statement { kind: StatementKind::Return(None), .. }] => all,
        all => all,
    };
    let mut leaves = false;
    for statement in body {
        statement.each(&mut |s| {
            leaves |= matches!(
                s.kind,
                StatementKind::Return(_) | StatementKind::Goto(_) | StatementKind::Label(_)
            );
        });
    }
    (!leaves).then_some(body)
}
