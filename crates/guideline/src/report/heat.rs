//! The cost of every description in every library: layout x description x library, for one
//! operation. Times are over the best way of the same library for the same data, native or under
//! commloom.

use std::collections::BTreeMap;

use commloom_measure::chart::{HeatColumn, HeatMap, HeatRow, Shade, Square};

use crate::results::{Case, Method, Mode, Operation, Role};
use crate::verdict::{Key, Subject, case_name, mode_name};

/// From these factors on cells have the next colour.
const CLASSES: [f64; 6] = [1.1, 1.5, 2.0, 3.0, 5.0, 10.0];

/// Factors of one cell: their logarithms.
#[derive(Default)]
struct Factors {
    sum: f64,
    count: u32,
    worst: Option<(f64, String)>,
}

/// One map for each operation that was measured.
pub fn heat_maps(subjects: &[Subject<'_>]) -> Vec<(Operation, HeatMap)> {
    let operations: std::collections::BTreeSet<Operation> =
        subjects.iter().flat_map(Subject::operations).collect();
    operations.into_iter().map(|operation| (operation, heat_map(operation, subjects))).collect()
}

fn heat_map(operation: Operation, subjects: &[Subject<'_>]) -> HeatMap {
    let column = |(k, subject): (usize, &Subject<'_>)| {
        subject.modes().into_iter().map(move |mode| (k, mode)).collect::<Vec<_>>()
    };
    let columns: Vec<(usize, Mode)> = subjects.iter().enumerate().flat_map(column).collect();
    let mut names: Vec<(String, String)> = Vec::new();
    let mut all: BTreeMap<(String, String), BTreeMap<(usize, Mode), Factors>> = BTreeMap::new();
    for (k, subject) in subjects.iter().enumerate() {
        for (key, factor) in factors(operation, subject) {
            let case = subject.case(&key);
            let name = (layout_name(case), way_name(case, key.method));
            if !names.contains(&name) {
                names.push(name.clone());
            }
            let of = all.entry(name).or_default().entry((k, key.mode)).or_default();
            of.sum += factor.ln();
            of.count += 1;
            if of.worst.as_ref().is_none_or(|(worst, _)| factor > *worst) {
                of.worst = Some((factor, case_name(case)));
            }
        }
    }
    // Layouts stay together, in the order in which they come first.
    let mut layouts: Vec<&String> = Vec::new();
    for (layout, _) in &names {
        if !layouts.contains(&layout) {
            layouts.push(layout);
        }
    }
    let row = |name: &(String, String)| {
        let of = all.get(name);
        let squares = columns.iter().map(|column| of?.get(column)?.square()).collect();
        HeatRow { section: name.0.clone(), name: name.1.clone(), squares }
    };
    let rows = layouts
        .iter()
        .flat_map(|layout| names.iter().filter(move |name| name.0 == **layout))
        .map(row)
        .collect();
    let column = |&(group, mode): &(usize, Mode)| HeatColumn {
        group,
        head: subjects[group].name.clone(),
        name: mode_name(mode).to_owned(),
    };
    HeatMap { columns: columns.iter().map(column).collect(), rows }
}

impl Factors {
    /// The largest factor, and where it is; the geometric mean of all.
    fn square(&self) -> Option<Square> {
        let (worst, at) = self.worst.as_ref()?;
        let mean = (self.sum / f64::from(self.count)).exp();
        let digits = if *worst < 100.0 { 1 } else { 0 };
        Some(Square {
            shade: Shade::Warm(CLASSES.iter().filter(|&from| worst > from).count()),
            number: format!("{worst:.digits$}"),
            title: format!("{worst:.2} at {at}; mean {mean:.2}"),
        })
    }
}

/// Median times over the best of the same data, in any mode and by any method.
fn factors(operation: Operation, subject: &Subject<'_>) -> Vec<(Key, f64)> {
    let keys = || {
        let is = move |key: &&Key| {
            key.operation == operation && subject.case(key).role != Role::Contiguous
        };
        subject.times.iter().filter(move |(key, _)| is(key))
    };
    let mut best: BTreeMap<&str, f64> = BTreeMap::new();
    for (key, timed) in keys() {
        let least = best.entry(subject.case(key).group.as_str()).or_insert(f64::INFINITY);
        *least = least.min(timed.summary.median);
    }
    let factor = |(key, timed): (&Key, &crate::verdict::Timed)| {
        let least = best.get(subject.case(key).group.as_str())?;
        let factor = timed.summary.median / least;
        (factor.is_finite() && factor >= 1.0).then_some((*key, factor))
    };
    keys().filter_map(factor).collect()
}

fn layout_name(case: &Case) -> String {
    match case.variant {
        Some(variant) => format!("{}, variant {variant}", case.layout),
        None => case.layout.clone(),
    }
}

fn way_name(case: &Case, method: Method) -> String {
    let name = match case.role {
        Role::NormalForm => "commloom's normal form",
        _ => &case.description,
    };
    match method {
        Method::Typed => name.to_owned(),
        Method::Packed => format!("{name}, packed"),
    }
}
