//! A datatype at small sizes, as cells of the program's arrays.

use std::collections::{BTreeSet, HashMap, HashSet};

use commloom_copies::verify::{Instance, Variable};
use commloom_layout::{Kind, Type};

use super::model::{Array, Example, Plane};
use super::notation::Notation;

/// Longest row that a picture has.
const ROW: i64 = 40;
/// A row, where nothing tells how long it is.
const PLAIN_ROW: i64 = 16;
/// Most cells that are looked at.
const CELLS: usize = 4096;

impl Example {
    /// The one of several that is best to look at; none where nothing is copied in any.
    pub(super) fn best(instances: &[Instance], notation: &Notation<'_>) -> Option<Example> {
        // At sizes of 1, nodes of the datatype would not be seen.
        let most = instances.iter().map(|instance| instance.ty.nodes()).max().unwrap_or(0).min(8);
        let all = instances.iter().filter_map(|instance| {
            let example = Example::of(instance, notation)?;
            let missing = usize::try_from(most.saturating_sub(instance.ty.nodes())).ok()?;
            Some((60 * missing + example.flaws(), example))
        });
        all.min_by_key(|(flaws, _)| *flaws).map(|(_, example)| example)
    }

    fn of(instance: &Instance, notation: &Notation<'_>) -> Option<Example> {
        let size = instance.ty.size();
        if size == 0 || size > 1 << 16 {
            return None;
        }
        let elements: Vec<(usize, i64, i64)> = instance
            .elements()
            .map(|(variable, at, basic)| Some((variable, at, i64::try_from(basic.size()).ok()?)))
            .collect::<Option<_>>()?;
        let mut order = 0;
        // Cells of all variables, in the order of the buffer.
        let cells: Vec<i64> = (0..instance.variables.len())
            .map(|variable| {
                let element = instance.variables[variable].element.unwrap_or(0);
                let own = elements.iter().filter(|(v, ..)| *v == variable);
                cell(element, own.map(|(_, at, size)| (*at, *size)))
            })
            .collect();
        let mut sent: Vec<Vec<(i64, usize)>> = vec![Vec::new(); cells.len()];
        // Bytes come one by one; the first of a cell stands for it.
        for (variable, at, size) in &elements {
            let cell = *cells.get(*variable)?;
            for at in (*at..at + size).filter(|at| at.rem_euclid(cell) == 0) {
                order += 1;
                sent[*variable].push((at.div_euclid(cell), order));
            }
        }
        let mut strides = HashMap::new();
        collect(instance, &instance.ty, 0, &mut strides);
        let arrays = (0..cells.len())
            .filter(|number| !sent[*number].is_empty())
            .map(|number| {
                let variable = &instance.variables[number];
                let strides = strides.entry(number).or_default();
                array(variable, cells[number], &sent[number], strides, notation)
            })
            .collect::<Option<Vec<_>>>()?;
        let sizes = instance.sizes.iter().map(|(name, n)| (notation.plain(name), *n)).collect();
        Some(Example { sizes, arrays })
    }

    /// The number of things that make it hard to look at.
    fn flaws(&self) -> usize {
        let all = || self.arrays.iter().flat_map(|a| &a.planes).flat_map(|p| &p.cells);
        let sent: Vec<usize> = all().flatten().copied().collect();
        let values: HashSet<i64> = self.sizes.iter().map(|(_, value)| *value).collect();
        let planes: usize = self.arrays.iter().map(|a| a.planes.len()).sum();
        let last = sent.iter().max().copied().unwrap_or(0);
        let twice = last.saturating_sub(sent.len());
        let few = 6_usize.saturating_sub(sent.len());
        let wide = self.arrays.iter().filter(|a| a.row > 12).count();
        let alike = self.sizes.len() - values.len();
        40 * twice
            + 30 * few
            + sent.len()
            + all().count() / 4
            + 10 * planes
            + 10 * alike
            + 30 * wide
    }
}

/// Largest number of bytes in which all pieces are whole, and elements too.
fn cell(element: i64, pieces: impl Iterator<Item = (i64, i64)>) -> i64 {
    let mut cell = element;
    let mut run: Option<(i64, i64)> = None;
    for (at, size) in pieces {
        cell = if size > 1 { gcd(cell, size) } else { cell };
        run = match run {
            Some((start, end)) if end == at => Some((start, at + size)),
            before => {
                let (start, end) = before.unwrap_or((0, 0));
                cell = gcd(gcd(cell, start), end - start);
                Some((at, at + size))
            }
        };
    }
    let (start, end) = run.unwrap_or((0, 0));
    gcd(gcd(cell, start), end - start).max(1)
}

fn array(
    variable: &Variable,
    cell: i64,
    sent: &[(i64, usize)],
    strides: &BTreeSet<i64>,
    notation: &Notation<'_>,
) -> Option<Array> {
    let shape = declared(variable, cell).unwrap_or_else(|| by_strides(strides, cell));
    let row = shape.first().copied()?;
    let plane = row * shape.get(1).copied().unwrap_or(i64::MAX / row / 2);
    let numbers: BTreeSet<i64> = sent.iter().map(|(at, _)| at.div_euclid(plane)).collect();
    let mut planes = Vec::new();
    for number in numbers {
        let inside = || sent.iter().filter(|(at, _)| at.div_euclid(plane) == number);
        let at = |at: i64| at - number * plane;
        // Without a second dimension, the rows where something is copied.
        let (low, high) = match shape.get(1) {
            Some(_) => (0, plane),
            None => {
                let low = inside().map(|(a, _)| at(*a)).min()?.div_euclid(row) * row;
                (low, (inside().map(|(a, _)| at(*a)).max()?.div_euclid(row) + 1) * row)
            }
        };
        let length = usize::try_from(high - low).ok().filter(|length| *length <= CELLS)?;
        let mut cells = vec![None; length];
        for (a, order) in inside() {
            *cells.get_mut(usize::try_from(at(*a) - low).ok()?)? = Some(*order);
        }
        let name = plane_name(variable, cell, number * plane + low, &shape, notation);
        planes.push(Plane { name, cells });
    }
    let row = usize::try_from(row).ok()?;
    let rows = cut(&mut planes, row);
    Some(Array { name: notation.plain(&variable.name), cell, row, rows, planes })
}

/// Leaves out rows before the first and after the last one in which something is copied in any
/// plane, but for one on each side.
fn cut(planes: &mut [Plane], row: usize) -> Option<(usize, usize, usize)> {
    /// So many rows are easily seen at once.
    const FEW: usize = 10;
    let all = planes.iter().map(|plane| plane.cells.len() / row).max()?;
    if all <= FEW {
        return None;
    }
    let used = |(number, cells): (usize, &[Option<usize>])| {
        cells.iter().any(Option::is_some).then_some(number)
    };
    let used: BTreeSet<usize> = planes
        .iter()
        .flat_map(|plane| plane.cells.chunks(row).enumerate().filter_map(used))
        .collect();
    let (first, last) = (used.first()?.saturating_sub(1), (used.last()? + 2).min(all));
    for plane in planes.iter_mut() {
        plane.cells.truncate(last * row);
        plane.cells.drain(..first * row);
    }
    (last - first < all).then_some((first + 1, last, all))
}

/// Cells in a row, rows in a plane, by the declaration; more dimensions than two are planes.
fn declared(variable: &Variable, cell: i64) -> Option<Vec<i64>> {
    let wide = variable.element? / cell;
    let [(_, Some(row)), rest @ ..] = variable.shape.as_slice() else { return None };
    let mut shape = vec![row * wide];
    let [(_, rows), ..] = rest else { return None };
    shape.extend(*rows);
    shape.iter().all(|extent| (1..=ROW).contains(extent)).then_some(shape)
}

/// The same where the distances of the datatype have to tell.
fn by_strides(strides: &BTreeSet<i64>, cell: i64) -> Vec<i64> {
    let cells: Vec<i64> =
        strides.iter().filter(|s| *s % cell == 0).map(|s| s / cell).filter(|s| *s > 1).collect();
    // The least that all larger ones are multiples of.
    let is_row = |s: i64| s <= ROW && cells.iter().all(|other| *other < s || other % s == 0);
    let Some(&row) = cells.iter().find(|s| is_row(**s)) else { return vec![PLAIN_ROW] };
    let next = cells.iter().find(|s| **s > row && *s % row == 0);
    match next {
        Some(plane) if plane / row <= ROW => vec![row, plane / row],
        _ => vec![row],
    }
}

/// The strides of a type at a displacement, by the variables that they lead through.
fn collect(instance: &Instance, ty: &Type, at: i64, strides: &mut HashMap<usize, BTreeSet<i64>>) {
    match ty.kind() {
        Kind::Leaf(_) => {}
        Kind::Vec { count, stride, child } => {
            let step = if *count > 1 { *stride } else { 0 };
            let (here, next) = (instance.variable_at(at), instance.variable_at(at + step));
            collect(instance, child, at, strides);
            if here != next {
                collect(instance, child, at + step, strides);
            } else if step != 0 {
                strides.entry(here).or_default().insert(step.saturating_abs());
            }
        }
        Kind::Idx { indices, child } | Kind::IdxBuc { indices, child, .. } => {
            let mut seen = HashSet::new();
            for index in indices.iter().filter(|i| seen.insert(instance.variable_at(at + **i))) {
                collect(instance, child, at + index, strides);
            }
        }
        Kind::Strc { indices, children } => {
            for (index, child) in indices.iter().zip(children.iter()) {
                collect(instance, child, at + index, strides);
            }
        }
        Kind::Resized { child, .. } => collect(instance, child, at, strides),
    }
}

/// How the program calls the first cell of a plane.
fn plane_name(
    variable: &Variable,
    cell: i64,
    first: i64,
    shape: &[i64],
    notation: &Notation<'_>,
) -> String {
    let name = notation.plain(&variable.name);
    let Some(element) = variable.element.filter(|element| (first * cell) % element == 0) else {
        return format!("{name}, byte {}", first * cell);
    };
    let mut number = first * cell / element;
    let known = declared(variable, cell).as_deref() == Some(shape);
    if !known {
        let lower = variable.shape.first().map_or(0, |(lower, _)| *lower);
        return notation.plain(&format!("{name}[{}]", number + lower));
    }
    let mut subscripts = Vec::new();
    for (d, (lower, extent)) in variable.shape.iter().enumerate() {
        let here = extent.filter(|e| *e > 0).map_or(number, |e| number.rem_euclid(e));
        number = extent.filter(|e| *e > 0).map_or(0, |e| number.div_euclid(e));
        let whole = d < shape.len();
        subscripts.push(if whole { ":".to_owned() } else { (lower + here).to_string() });
    }
    if notation.is_fortran {
        format!("{name}({})", subscripts.join(", "))
    } else {
        let inside: Vec<String> =
            subscripts.iter().rev().take_while(|s| *s != ":").map(|s| format!("[{s}]")).collect();
        format!("{name}{}", inside.concat())
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}
