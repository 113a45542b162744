//! What the datatypes are worth: at concrete sizes each describes what `commloom-reconstruct` makes of the same displacements, and costs as little.
//!
//! The types are those of all changed cases, and of packing nests that are drawn by chance. `cargo test -p commloom-refactor --test optimal -- --nocapture`
//! prints the table that docs/refactor.md has.

#[path = "../harness/mod.rs"]
mod harness;

use std::fmt::Write;

use commloom_layout::{Basic, CostModel, Type};
use commloom_reconstruct::{Constructors, normalize, reconstruct};
use commloom_refactor::check::Project;
use commloom_refactor::copies::Request;
use commloom_refactor::ir::{self, Step};
use commloom_refactor::legality::{self, Assumptions, Part};
use commloom_refactor::project::ProcedureId;
use commloom_refactor::source::{FileId, Span};
use commloom_refactor::verify::{Instance, Sizes, instance};

/// Sizes that are drawn for each datatype.
const DRAWS: u32 = 12;
/// Trees of more elements take too long to be found.
const ELEMENTS: u64 = 500;

/// What one datatype costs at one drawing of sizes.
struct Cost {
    /// As the call gets it.
    raw: u64,
    /// In its normal form.
    normal: u64,
    /// Of what is made of the displacements alone.
    best: u64,
}

#[derive(Default)]
struct Table {
    types: u32,
    /// Drawn sizes.
    all: u32,
    /// Of these: no tree is cheaper than the type as it is; its normal form.
    raw: u32,
    normal: u32,
    worst: f64,
    worst_normal: f64,
    /// Types that were dearer at all sizes, with the ratio and both trees.
    dear: Vec<String>,
}

impl Table {
    fn add(&mut self, name: &str, instances: &[Instance]) {
        let mut costs = Vec::new();
        for instance in instances {
            let Some((displacements, base)) = flat(&instance.ty) else { continue };
            let model = CostModel::default();
            let found = reconstruct(&displacements, base, Constructors::Tree, &model)
                .unwrap_or_else(|error| panic!("{name}: {}: {error}", instance.ty));
            assert!(found.exact, "{name}: {}", instance.ty);
            // The same bytes in the same order.
            let again: Vec<i64> = found.ty.type_map().map(|e| e.displacement).collect();
            assert_eq!(again, displacements, "{name}: {}", instance.ty);
            let normal = normalize(&instance.ty, Constructors::Tree, &model)
                .unwrap_or_else(|error| panic!("{name}: {}: {error}", instance.ty));
            let cost =
                Cost { raw: model.cost(&instance.ty), normal: normal.cost, best: found.cost };
            costs.push((cost, &instance.ty, found.ty));
        }
        if costs.is_empty() {
            return;
        }
        self.types += 1;
        for (cost, ..) in &costs {
            self.all += 1;
            self.raw += u32::from(cost.raw == cost.best);
            self.normal += u32::from(cost.normal == cost.best);
            self.worst_normal = self.worst_normal.max(ratio(cost.normal, cost.best));
        }
        // Sizes that happen to be equal make any type dearer than it could be; those of one type that are never optimal tell of a pass that is missing.
        let least = costs
            .iter()
            .min_by(|(a, ..), (b, ..)| ratio(a.raw, a.best).total_cmp(&ratio(b.raw, b.best)));
        if let Some((cost, ty, best)) = least
            && cost.raw > cost.best
        {
            let ratio = ratio(cost.raw, cost.best);
            self.worst = self.worst.max(ratio);
            self.dear.push(format!("{ratio:.2} {name}\n    {ty}\n    {best}"));
        }
    }

    fn text(&self, title: &str) -> String {
        let mut text = String::new();
        let _ = writeln!(
            text,
            "{title}: {} types at {} sizes; equal as they are {}, normalized {} (worst {:.2}); {} types are never equal, worst {:.2}",
            self.types,
            self.all,
            self.raw,
            self.normal,
            self.worst_normal,
            self.dear.len(),
            self.worst
        );
        text
    }
}

fn ratio(cost: u64, best: u64) -> f64 {
    let number = |n: u64| f64::from(u32::try_from(n).expect("a small cost"));
    number(cost) / number(best)
}

/// The displacements of a type of few elements, all of one basic type.
fn flat(ty: &Type) -> Option<(Vec<i64>, Basic)> {
    if ty.elements() == 0 || ty.elements() > ELEMENTS {
        return None;
    }
    let base = ty.type_map().next()?.basic;
    Some((ty.type_map().map(|e| e.displacement).collect(), base))
}

fn whole(project: &Project, file: u32) -> Span {
    Span { file: FileId(file), start: 0, end: project.sources()[0].text.len() }
}

/// From the copies as they come to the datatype: each pass keeps the bytes and their order.
#[test]
fn every_pass_keeps_the_bytes() {
    let mut compared = 0;
    for case in harness::cases() {
        let project = case.project();
        for site in legality::sites(&project, &Assumptions::new(case.assume.clone())) {
            let Ok(rewrite) = &site.outcome else { continue };
            for part in &rewrite.parts {
                compared += keeps(&case.name, &project, site.procedure, part);
            }
        }
    }
    assert!(compared > 500, "{compared}");
}

/// How many instances of steps were compared.
fn keeps(name: &str, project: &Project, procedure: ProcedureId, part: &Part) -> usize {
    let view = project.view(procedure);
    let request = Request {
        procedure: project.procedure(procedure),
        call: part.at,
        buffer: &part.buffer,
        count: Some(&part.count),
        element: part.element,
        direction: part.packing.direction,
        setting: &part.packing.setting,
    };
    let steps = ir::steps(&view, &part.packing, part.element).expect("there is a datatype");
    let (last, before) = steps.split_last().expect("a step");
    assert_eq!(last.datatype, part.made, "{name}");
    let mut compared = 0;
    for seed in 0..4 {
        let bytes = |step: &Step| {
            let sizes = if seed % 2 == 0 { Sizes::Any } else { Sizes::Lively };
            let found = instance(&view, &request, &part.packing, &step.datatype, seed, sizes)?;
            let at = |(variable, offset, _): (usize, i64, Basic)| {
                (found.variables[variable].name.clone(), offset)
            };
            Some(found.elements().map(at).collect::<Vec<_>>())
        };
        let Some(wanted) = bytes(last) else { continue };
        for step in before {
            let node = &step.datatype.node;
            assert_eq!(bytes(step).as_ref(), Some(&wanted), "{name}, seed {seed}: {node}");
            compared += 1;
        }
    }
    compared
}

#[test]
fn types_of_the_cases_cost_what_their_displacements_cost() {
    let mut table = Table::default();
    for case in harness::cases() {
        let project = case.project();
        for (finding, explanation) in project.explain(&case.options(), whole(&project, 0), DRAWS) {
            if let Ok(change) = &finding.outcome {
                let name = format!("{}: {}", case.name, change.summary);
                table.add(&name, &explanation.instances);
            }
        }
    }
    println!("{}{}", table.text("cases"), table.dear.join("\n"));
}
