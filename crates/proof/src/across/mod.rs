//! Calls whose copies stand in another procedure.
//!
//! A receive that is posted in one procedure, waited for in its caller and unpacked in a third one
//! is judged in the caller, with the callees written in place of their calls ([`expand`]). What is
//! found is written where the call stands ([`back`]), so all that the type needs must be seen
//! there, and it must be right wherever these procedures are called from.

mod alike;
mod back;
mod expand;
mod renaming;
mod replace;

use std::collections::{BTreeMap, HashMap, HashSet};

use commloom_program::refusal::{Code, Refusal};
use commloom_program::{ProcedureId, Project, View};
use commloom_source::symbols::Symbols;
use commloom_source::tree::{Expression, ExpressionKind as Kind, Name, Statement, StatementKind};
use commloom_source::{FileId, Span};

use crate::names::{bare_buffers, calls_mpi, names_in};
use crate::{Assumptions, Explained, Site, sites_in};

use back::Back;
use expand::{Expansion, called, expand};

/// A project to which expanded procedures were added.
pub struct Across {
    /// The project with them.
    pub expanded: Project,
    expansions: Vec<(ProcedureId, Expansion)>,
    /// How often each procedure's body stands in the expansions.
    instances: HashMap<ProcedureId, usize>,
}

/// A site in an expansion, and as it is in the texts.
pub struct Seen {
    /// In the expansion, where copies and call stand together.
    pub inside: Site,
    /// In the texts, where the edit goes.
    pub site: Site,
}

impl Across {
    /// Expands the procedures that call others which send or receive what is not packed where the
    /// call stands. None where there are none.
    pub fn of(project: &Project) -> Option<Across> {
        let calls = Calls::of(project);
        let roots = calls.roots(project);
        let file = FileId(u32::try_from(project.sources().len()).ok()?);
        let mut made = Vec::new();
        for (number, (root, wanted)) in roots.into_iter().enumerate() {
            let file = FileId(file.0.checked_add(u32::try_from(number).ok()?)?);
            made.extend(expand(project, root, &wanted, file));
        }
        if made.is_empty() {
            return None;
        }
        let mut instances: HashMap<ProcedureId, usize> = HashMap::new();
        for expansion in &made {
            for instance in &expansion.instances {
                *instances.entry(instance.procedure).or_insert(0) += 1;
            }
        }
        // Bodies that also stand where nobody expands them: there all stays as it is.
        let placed: HashSet<Span> =
            made.iter().flat_map(|e| e.instances.iter().filter_map(|i| i.call)).collect();
        let mut covered: HashSet<ProcedureId> =
            made.iter().flat_map(|e| &e.instances).map(|i| i.procedure).collect();
        let roots: HashSet<ProcedureId> = made.iter().map(|e| e.root).collect();
        loop {
            let before = covered.len();
            let open = covered.clone();
            covered.retain(|callee| {
                let from = calls.of.get(callee).map_or(&[][..], Vec::as_slice);
                roots.contains(callee)
                    || from.iter().all(|(caller, call)| {
                        placed.contains(call) && (roots.contains(caller) || open.contains(caller))
                    })
            });
            if covered.len() == before {
                break;
            }
        }
        let real = made.iter().flat_map(|e| e.spans.iter().map(|(v, (r, _))| (*v, *r))).collect();
        let bodies =
            made.iter().map(|e| (e.root, e.procedure.clone(), e.callees(project))).collect();
        let (expanded, ids) = project.with_procedures(bodies, real, &covered);
        let expansions = ids.into_iter().zip(made).collect();
        Some(Across { expanded, expansions, instances })
    }

    /// The sites of calls that are not among those known, or that could not be rewritten for
    /// what one procedure shows.
    pub fn sites(
        &self,
        project: &Project,
        assumptions: &Assumptions,
        explained: Explained,
        known: &[Site],
    ) -> Vec<Seen> {
        let ids: Vec<ProcedureId> = self.expansions.iter().map(|(id, _)| *id).collect();
        let judged = sites_in(&self.expanded, &ids, assumptions, explained).0;
        let of_id: HashMap<ProcedureId, &Expansion> =
            self.expansions.iter().map(|(id, e)| (*id, e)).collect();
        let found: HashSet<Span> = known.iter().map(|site| site.statement).collect();
        let mut by_call: BTreeMap<(FileId, usize), Vec<(Seen, bool)>> = BTreeMap::new();
        for inside in judged {
            let Some(expansion) = of_id.get(&inside.procedure) else { continue };
            let back = Back { project, expansion };
            let site = back.site(&inside);
            if found.contains(&site.statement) {
                continue;
            }
            let agrees = self.is_for_all(&back, &inside, &site);
            let key = (site.statement.file, site.statement.start);
            by_call.entry(key).or_default().push((Seen { inside, site }, agrees));
        }
        by_call.into_values().filter_map(|all| self.agreed(all)).collect()
    }

    /// Whether the bodies that copies are taken from stand in no other place than this one.
    fn is_for_all(&self, back: &Back<'_>, inside: &Site, site: &Site) -> bool {
        let Ok(rewrite) = &inside.outcome else { return true };
        let procedures = rewrite
            .remove
            .iter()
            .map(|span| back.expansion.instances[back.instance(*span)].procedure);
        let known = |id: ProcedureId| {
            self.instances.get(&id) == Some(&1) && self.expanded.is_covered(back.project.place(id))
        };
        let here = self.expanded.is_covered(back.project.place(site.procedure));
        here && procedures.into_iter().all(known)
    }

    /// One answer for all instances of a call.
    fn agreed(&self, all: Vec<(Seen, bool)>) -> Option<Seen> {
        let mut all = all;
        if let Some(at) = all.iter().position(|(seen, _)| seen.site.outcome.is_err()) {
            return Some(all.swap_remove(at).0);
        }
        let count = all.len();
        let same = all.windows(2).all(|pair| {
            let of = |at: usize| pair[at].0.site.outcome.as_ref().ok();
            match (of(0), of(1)) {
                (Some(a), Some(b)) => {
                    a.remove == b.remove
                        && a.parts.iter().map(|p| &p.made).eq(b.parts.iter().map(|p| &p.made))
                }
                _ => false,
            }
        });
        let everywhere = all.iter().all(|(_, agrees)| *agrees);
        let (mut first, _) = all.into_iter().next()?;
        let instances = self.instances.get(&first.site.procedure).copied().unwrap_or(0);
        if !(same && everywhere && count == instances) {
            let message =
                "the procedures with this call and its copies are called in other ways, too";
            let refusal = Refusal::new(Code::Escapes, first.site.statement, message);
            first.site.outcome = Err(refusal);
        }
        Some(first)
    }
}

/// Who calls whom, and where.
struct Calls {
    of: HashMap<ProcedureId, Vec<(ProcedureId, Span)>>,
    from: HashMap<ProcedureId, Vec<ProcedureId>>,
    /// Buffers of calls of MPI without copies beside them.
    bare: HashMap<ProcedureId, Vec<Name>>,
}

impl Calls {
    fn of(project: &Project) -> Calls {
        let mut calls = Calls { of: HashMap::new(), from: HashMap::new(), bare: HashMap::new() };
        for id in project.procedures() {
            for statement in &project.procedure(id).body {
                statement.each(&mut |s| {
                    if let Some((callee, _)) = called(project, s) {
                        calls.of.entry(callee).or_default().push((id, s.span));
                        calls.from.entry(id).or_default().push(callee);
                    }
                    for (callee, span) in mentioned(&project.view(id), s) {
                        calls.of.entry(callee).or_default().push((id, span));
                    }
                });
            }
            let bare = bare_buffers(&project.view(id));
            if !bare.is_empty() {
                calls.bare.insert(id, bare);
            }
        }
        calls
    }

    /// Procedures that have, or whose callees have, calls of MPI with nothing copied beside them;
    /// with the callees that have to do with these.
    fn roots(&self, project: &Project) -> Vec<(ProcedureId, HashSet<ProcedureId>)> {
        let buffers: HashSet<String> = self
            .bare
            .iter()
            .flat_map(|(id, names)| names.iter().map(|n| (*id, n)))
            .filter_map(|(id, name)| project.view(id).global(name))
            .collect();
        let mut roots = Vec::new();
        for (&root, callees) in &self.from {
            let near = callees.iter().any(|c| self.bare.contains_key(c));
            if !near && !self.bare.contains_key(&root) {
                continue;
            }
            let local = self.local_buffers(project, root);
            let mut wanted: HashSet<ProcedureId> = HashSet::new();
            for statement in &project.procedure(root).body {
                statement.each(&mut |s| {
                    let Some((callee, arguments)) = called(project, s) else { return };
                    let passed =
                        arguments.iter().filter_map(|a| a.root()).any(|n| local.contains(n));
                    if callee != root && (passed || concerns(&project.view(callee), &buffers)) {
                        wanted.insert(callee);
                    }
                });
            }
            if !wanted.is_empty() {
                roots.push((root, wanted));
            }
        }
        roots.sort_by_key(|(root, _)| *root);
        roots
    }

    /// Variables of a procedure that it, or a callee that gets them, hands to MPI.
    fn local_buffers(&self, project: &Project, root: ProcedureId) -> HashSet<Name> {
        let mut names: HashSet<Name> =
            self.bare.get(&root).into_iter().flatten().cloned().collect();
        for statement in &project.procedure(root).body {
            statement.each(&mut |s| {
                let Some((callee, arguments)) = called(project, s) else { return };
                let parameters = &project.procedure(callee).parameters;
                for buffer in self.bare.get(&callee).into_iter().flatten() {
                    let at = parameters.iter().position(|p| p == buffer);
                    let given = at.and_then(|at| arguments.get(at)).and_then(|a| a.root());
                    names.extend(given.cloned());
                }
            });
        }
        names
    }
}

/// Procedures that a statement names otherwise than by calling them: in a larger expression, as an
/// argument, as a component's name.
fn mentioned(view: &View<'_>, statement: &Statement) -> Vec<(ProcedureId, Span)> {
    let project = view.project();
    let own = match &statement.kind {
        StatementKind::Evaluate(Expression { kind: Kind::Call { function, .. }, .. })
            if called(project, statement).is_some() =>
        {
            Some(function.span)
        }
        _ => None,
    };
    let mut found = Vec::new();
    for expression in statement.expressions() {
        expression.each(&mut |e| {
            let name = match &e.kind {
                Kind::Name(name) if view.variable(name).is_none() => name,
                Kind::Member { field, .. } => field,
                _ => return,
            };
            // The name and its call may begin at one place.
            if own != Some(e.span) {
                found.extend(project.named(name).map(|id| (id, e.span)));
            }
        });
    }
    found
}

/// Whether a procedure calls MPI, or has to do with one of the buffers.
fn concerns(view: &View<'_>, buffers: &HashSet<String>) -> bool {
    calls_mpi(view)
        || names_in(view.procedure())
            .iter()
            .any(|name| view.global(name).is_some_and(|g| buffers.contains(&g)))
}
