//! The paper's bar charts as data: which bars stand beside each other.

use std::collections::{BTreeMap, BTreeSet};

use commloom_measure::chart::{Bar, Chart, Figure, Group};

use crate::results::{Case, Method, Mode, Operation, Role};
use crate::verdict::{Key, Subject, bytes, operation_name};

/// Sizes that differ by less than a tenth are one: data are cut to whole units of each layout.
const SAME_SIZE: u64 = 10;

/// The key of a figure: bars with the same one stand together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    operation: Operation,
    base: String,
    layout: String,
    variant: Option<u32>,
    /// Index into the sizes of the test.
    size: u64,
}

/// Where a bar stands: figure, place along the axis, name of the series.
struct Spot {
    place: Place,
    x: u64,
    name: String,
}

/// All figures of a test, for libraries with sets of series that violate guidelines.
pub fn figures(test: u32, subjects: &[Subject<'_>], bad: &[BTreeSet<Key>]) -> Vec<Figure> {
    let sizes = sizes(test, subjects);
    type Bars = BTreeMap<u64, Vec<(String, Bar)>>;
    let mut found: BTreeMap<Place, BTreeMap<usize, Bars>> = BTreeMap::new();
    for (index, subject) in subjects.iter().enumerate() {
        for (key, timed) in &subject.times {
            let violates = bad.get(index).is_some_and(|bad| bad.contains(key));
            let pale = key.mode == Mode::Commloom;
            let bar = Bar { name: 0, pale, summary: timed.summary, marked: violates };
            for spot in spots(test, &sizes, key, subject.case(key)) {
                let charts = found.entry(spot.place).or_default().entry(index).or_default();
                let bars = charts.entry(spot.x).or_default();
                // Contiguous messages of nearly the same size: one is enough.
                if !bars.iter().any(|(name, b)| *name == spot.name && b.pale == bar.pale) {
                    bars.push((spot.name, bar.clone()));
                }
            }
        }
    }
    let figure = |(place, charts): (Place, BTreeMap<usize, Bars>)| {
        let mut names: Vec<String> = Vec::new();
        // In the order of the cases, which is that of the paper: that of the first group that has
        // all.
        let groups = charts.values().flat_map(BTreeMap::values);
        for (name, _) in groups.flatten() {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        let label = |x: u64| if x == 0 { "-".to_owned() } else { x.to_string() };
        let chart = |bars: Bars| {
            let group = |(x, bars): (u64, Vec<(String, Bar)>)| {
                let name_of = |name: &String| names.iter().position(|n| n == name).unwrap_or(0);
                let mut bars: Vec<Bar> =
                    bars.into_iter().map(|(n, bar)| Bar { name: name_of(&n), ..bar }).collect();
                bars.sort_by_key(|bar| (bar.name, bar.pale));
                Group { label: label(x), bars }
            };
            Chart { axis: "block size A", groups: bars.into_iter().map(group).collect() }
        };
        Figure {
            title: title(&place, &sizes),
            shades: "full: native, pale: commloom",
            charts: charts.into_iter().map(|(k, bars)| (k, chart(bars))).collect(),
            names,
        }
    };
    found.into_iter().map(figure).filter(|figure| figure.names.len() > 1).collect()
}

/// Where the paper shows a series of this test.
fn spots(test: u32, sizes: &[Size], key: &Key, case: &Case) -> Vec<Spot> {
    if !case.tests.contains(&test) {
        return Vec::new();
    }
    let size = index_of(sizes, case.bytes);
    let a = case.parameters.get("A").copied().unwrap_or(0);
    let described = matches!(case.role, Role::Reference | Role::Description);
    let typed = key.method == Method::Typed;
    let place = |layout: &str, size| Place {
        operation: key.operation,
        base: case.base.clone(),
        layout: layout.to_owned(),
        variant: case.variant,
        size,
    };
    let name = match case.role {
        Role::NormalForm => "commloom's normal form".to_owned(),
        _ => case.description.clone(),
    };
    match (test, case.role) {
        // Contiguous bytes stand beside both variants.
        (1, Role::Contiguous) if typed => [1, 2]
            .map(|variant| Place { variant: Some(variant), ..place("", size) })
            .map(|place| Spot { place, x: 0, name: name.clone() })
            .into(),
        (1, Role::Reference) if typed => vec![Spot { place: place("", size), x: a, name }],
        (2, Role::Contiguous | Role::Reference | Role::Description) if typed => {
            let place = Place { base: String::new(), variant: None, ..place("", size) };
            vec![Spot { place, x: a, name }]
        }
        (3, _) if described => {
            let name = if typed { "datatype" } else { "MPI_Pack, MPI_Unpack" };
            vec![Spot { place: place(&case.layout, size), x: a, name: name.to_owned() }]
        }
        (4, _) if described && typed => {
            vec![Spot { place: place(&case.layout, size), x: a, name }]
        }
        (5..=11, _) if case.role != Role::Contiguous && typed => {
            vec![Spot { place: place(&case.layout, size), x: a, name }]
        }
        _ => Vec::new(),
    }
}

fn title(place: &Place, sizes: &[Size]) -> String {
    let mut parts = vec![operation_name(place.operation).to_owned()];
    if !place.layout.is_empty() {
        parts.push(place.layout.clone());
    }
    parts.extend(place.variant.map(|variant| format!("variant {variant}")));
    parts.push(size_name(sizes, place.size));
    parts.push(place.base.clone());
    parts.retain(|part| !part.is_empty());
    parts.join(", ")
}

/// Sizes that are one in the paper: the smallest and the largest.
type Size = (u64, u64);

/// The sizes of a test.
fn sizes(test: u32, subjects: &[Subject<'_>]) -> Vec<Size> {
    let cases = subjects.iter().flat_map(|s| &s.run.cases);
    let all: BTreeSet<u64> =
        cases.filter(|case| case.tests.contains(&test)).map(|case| case.bytes).collect();
    let mut classes: Vec<Size> = Vec::new();
    for size in all {
        match classes.last_mut() {
            Some((first, last)) if size <= first.saturating_add(*first / SAME_SIZE) => *last = size,
            _ => classes.push((size, size)),
        }
    }
    classes
}

fn index_of(sizes: &[Size], size: u64) -> u64 {
    let below = sizes.partition_point(|&(first, _)| first <= size);
    u64::try_from(below.saturating_sub(1)).unwrap_or(0)
}

fn size_name(sizes: &[Size], index: u64) -> String {
    let size = usize::try_from(index).ok().and_then(|k| sizes.get(k));
    size.map_or(String::new(), |&(_, last)| bytes(last))
}
