//! The worth of the datatypes: at concrete sizes each describes what `commloom-reconstruct`
//! makes of the same displacements, and costs as little.
//!
//! The types are those of all changed cases, and of packing nests that are drawn by chance. `cargo
//! test -p commloom-refactor --test optimal -- --nocapture` prints the table that
//! book/src/how-to/refactor.md has.

#[path = "../harness/mod.rs"]
mod harness;
mod nests;

use commloom_layout::{Basic, CostModel, Type};
use commloom_reconstruct::{Constructors, normalize, reconstruct};
use commloom_refactor::check::{self, Options, Project};
use commloom_refactor::copies::Request;
use commloom_refactor::ir::{self, Step};
use commloom_refactor::legality::{self, Assumptions, Part};
use commloom_refactor::project::ProcedureId;
use commloom_refactor::refusal::Code;
use commloom_refactor::source::{Language, Source};
use commloom_refactor::verify::{Sizes, instance};
use commloom_testkit::Rng;

/// Drawings of small sizes for each datatype, and of larger ones.
const DRAWS: u64 = 8;
const WIDE: u64 = 3;
/// Trees of more elements take too long to be found.
const ELEMENTS: u64 = 96;
/// Nests that are drawn by chance.
const NESTS: u64 = 100;

/// The costs of datatypes, beside those of their displacements alone.
#[derive(Default)]
struct Table {
    types: u32,
    /// Drawings of sizes.
    all: u32,
    /// Of these: no tree is cheaper than the type as it is; as its normal form.
    raw: u32,
    normal: u32,
    /// Largest ratio of a normal form.
    worst_normal: f64,
    /// Types that were dearer at all sizes, with the ratio, the datatype and the tree.
    dear: Vec<(f64, String)>,
    /// The same where no bucket is a node: MPI has those for adjacent blocks only.
    unlisted: Vec<(f64, String)>,
}

/// More than any other description costs.
const BUCKET: u64 = 1 << 20;

/// Cost models: that of the papers, and one in which buckets are too dear to be used.
fn models() -> [CostModel; 2] {
    let mut plain = CostModel::default();
    plain.set("idxbuc", BUCKET).expect("a known constant");
    [CostModel::default(), plain]
}

impl Table {
    fn add(&mut self, name: &str, types: &[Type]) {
        let models = models();
        let mut least: [Option<(f64, String)>; 2] = [None, None];
        for ty in types {
            let Some((displacements, base)) = flat(ty) else { continue };
            for (model, least) in models.iter().zip(&mut least) {
                // Blocks of elements that a list gives lengths: MPI has these buckets.
                if model.cost(ty) > BUCKET {
                    continue;
                }
                let found = reconstruct(&displacements, base, Constructors::Tree, model)
                    .unwrap_or_else(|error| panic!("{name}: {ty}: {error}"));
                assert!(found.exact, "{name}: {ty}");
                // The same bytes in the same order.
                let again: Vec<i64> = found.ty.type_map().map(|e| e.displacement).collect();
                assert_eq!(again, displacements, "{name}: {ty}");
                let ratio = ratio(model.cost(ty), found.cost);
                if least.as_ref().is_none_or(|(before, _)| ratio < *before) {
                    *least = Some((ratio, format!("{name}\n    {ty}\n    {}", found.ty)));
                }
                if *model == CostModel::default() {
                    self.price(ty, model, found.cost);
                }
            }
        }
        let [dear, unlisted] = least;
        self.types += u32::from(dear.is_some());
        self.dear.extend(dear.filter(|(ratio, _)| *ratio > 1.0));
        self.unlisted.extend(unlisted.filter(|(ratio, _)| *ratio > 1.0));
    }

    fn price(&mut self, ty: &Type, model: &CostModel, best: u64) {
        let normal = normalize(ty, Constructors::Tree, model)
            .unwrap_or_else(|error| panic!("{ty}: {error}"));
        self.all += 1;
        self.raw += u32::from(model.cost(ty) == best);
        self.normal += u32::from(normal.cost == best);
        self.worst_normal = self.worst_normal.max(ratio(normal.cost, best));
    }

    /// Checks all that is so, and is to stay so (book/src/how-to/refactor.md tells why some types
    /// are dearer).
    fn check(&self) {
        assert_eq!(self.normal, self.all, "a normal form is not optimal");
        // A call with a part for each process repeats the type of one part, and MPI lets nothing
        // be merged across the parts.
        let apart = ["struct(", "resized("];
        let nest = self.unlisted.iter().find(|(_, what)| !apart.iter().any(|a| what.contains(a)));
        assert_eq!(nest, None, "a loop nest is dearer than its displacements");
        let worst = self.dear.iter().find(|(ratio, _)| *ratio > 4.0);
        assert_eq!(worst, None);
    }

    fn text(&self, title: &str) -> String {
        let Table { types, all, raw, normal, .. } = self;
        let worst = |all: &[(f64, String)]| all.iter().map(|(r, _)| *r).fold(1.0, f64::max);
        format!(
            "| {title} | {types} | {all} | {raw} | {normal} ({:.2}) | {} ({:.2}) | {} ({:.2}) |",
            self.worst_normal,
            self.dear.len(),
            worst(&self.dear),
            self.unlisted.len(),
            worst(&self.unlisted),
        )
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

/// A datatype at sizes drawn by chance.
fn drawn(project: &Project, procedure: ProcedureId, part: &Part) -> Vec<Type> {
    let view = project.view(procedure);
    let request = request(project, procedure, part);
    let at = |seed, sizes| {
        let found = instance(&view, &request, &part.packing, &part.made, seed, sizes)?;
        Some(found.ty)
    };
    let mut types: Vec<Type> = (0..DRAWS).filter_map(|seed| at(seed, Sizes::Lively)).collect();
    // Those of one loop; others would have too many elements.
    if types.iter().all(|ty| ty.elements() <= 16) {
        types.extend((0..WIDE).filter_map(|seed| at(seed, Sizes::Wide)));
    }
    types
}

fn request<'p>(project: &'p Project, procedure: ProcedureId, part: &'p Part) -> Request<'p> {
    Request {
        procedure: project.procedure(procedure),
        call: part.at,
        buffer: &part.buffer,
        count: Some(&part.count),
        element: part.element,
        direction: part.packing.direction,
        setting: &part.packing.setting,
    }
}

#[test]
fn types_of_the_cases_cost_what_their_displacements_cost() {
    let mut table = Table::default();
    for case in harness::cases() {
        let project = case.project();
        for site in legality::sites(&project, &Assumptions::new(case.assume.clone())) {
            for part in site.outcome.iter().flat_map(|rewrite| rewrite.parts.first()) {
                let name = format!("{}: {}", case.name, part.made.node);
                table.add(&name, &drawn(&project, site.procedure, part));
            }
        }
    }
    report("the cases", &table);
    assert!(table.types > 80, "{}", table.types);
    table.check();
}

#[test]
fn types_of_drawn_nests_cost_what_their_displacements_cost() {
    let mut table = Table::default();
    let mut refused = Vec::new();
    for seed in 0..NESTS {
        let text = nests::nest(&mut Rng::with_seed(seed));
        let source = Source { name: "nest.c".into(), language: Language::C, text: text.clone() };
        let project = Project::new(vec![source]);
        // Loops and datatype give the same bytes.
        for finding in check::check(&project, &Options { rounds: 20, ..Options::default() }) {
            if let Err(refusal) = finding.outcome {
                assert!(
                    refusal.code != Code::Verification,
                    "seed {seed}: {}\n{text}",
                    refusal.message
                );
                refused.push(format!("seed {seed}: {}: {}\n{text}", refusal.code, refusal.message));
            }
        }
        for site in legality::sites(&project, &Assumptions::default()) {
            for part in site.outcome.iter().flat_map(|rewrite| rewrite.parts.first()) {
                let name = format!("seed {seed}: {}", part.made.node);
                table.add(&name, &drawn(&project, site.procedure, part));
            }
        }
    }
    report("nests", &table);
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    table.check();
}

fn report(title: &str, table: &Table) {
    println!("{}", table.text(title));
    for (ratio, what) in &table.dear {
        println!("{ratio:.2} {what}");
    }
    println!("without buckets:");
    for (ratio, what) in &table.unlisted {
        println!("{ratio:.2} {what}");
    }
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
    let request = request(project, procedure, part);
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
