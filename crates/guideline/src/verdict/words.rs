//! Cases, times and advice in words.

use commloom_measure::statistics::Ratio;

use crate::results::{Case, Method, Mode, Operation, Role};

use super::{Guideline, Judgement, Side, Study, Subject};

/// `3200 B`, `64 kB`, `2.56 MB`: powers of 1000, as in the paper.
#[must_use]
pub fn bytes(n: u64) -> String {
    let units = [("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000)];
    let Some((unit, size)) = units.into_iter().find(|(_, size)| n >= *size && n >= 10_000) else {
        return format!("{n} B");
    };
    let (whole, part) = (n / size, n % size * 100 / size);
    let digits = format!("{whole}.{part:02}");
    format!("{} {unit}", digits.trim_end_matches('0').trim_end_matches('.'))
}

/// `3.4 (3.2 to 3.6)`.
#[must_use]
pub fn factor(ratio: &Ratio) -> String {
    format!("{} ({} to {})", digits(ratio.estimate), digits(ratio.low), digits(ratio.high))
}

/// Three digits.
fn digits(x: f64) -> String {
    match x {
        _ if x < 10.0 => format!("{x:.2}"),
        _ if x < 100.0 => format!("{x:.1}"),
        _ => format!("{x:.0}"),
    }
}

/// As in the paper.
#[must_use]
pub fn operation_name(operation: Operation) -> &'static str {
    match operation {
        Operation::Pingpong => "ping-pong",
        Operation::Bcast => "MPI_Bcast",
        Operation::Allgather => "MPI_Allgather",
    }
}

/// Who handles datatypes.
#[must_use]
pub fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Native => "native",
        Mode::Commloom => "commloom",
    }
}

/// The description and what it describes: `Tiled-vector: Tiled, A=2, B=4, MPI_INT, 2.56 MB`.
#[must_use]
pub fn case_name(case: &Case) -> String {
    let mut name = case.description.clone();
    if case.layout != case.description && case.role != Role::Contiguous {
        name += &format!(": {}", case.layout);
    }
    if let Some(variant) = case.variant {
        name += &format!(", variant {variant}");
    }
    for (key, value) in &case.parameters {
        name += &format!(", {key}={value}");
    }
    name + &format!(", {}, {}", case.base, bytes(case.bytes))
}

/// A side of a comparison, in short: how it differs from other ways to communicate the same.
#[must_use]
pub fn side_name(subject: &Subject<'_>, side: &Side) -> String {
    let description = match subject.run.cases.get(side.case) {
        Some(case) if case.role == Role::NormalForm => "commloom's normal form",
        Some(case) => &case.description,
        None => "",
    };
    match side.method {
        Method::Typed => description.to_owned(),
        Method::Packed => format!("{description}, packed"),
    }
}

/// Advice to users of the slower side.
#[must_use]
pub fn advice(study: &Study<'_>, judgement: &Judgement) -> String {
    let subject = &study.subjects[judgement.subject];
    let rival = subject.run.cases.get(judgement.rival.case);
    let description = rival.map_or("", |case| case.description.as_str());
    let given = rival.map_or(String::new(), |case| match case.count {
        1 => format!("one {}", case.ty),
        n => format!("{n} of {}", case.ty),
    });
    match judgement.guideline {
        Guideline::Gl1 | Guideline::Gl4 => format!("Use {description} instead: {given}."),
        Guideline::Gl4Normal => format!("Use commloom's normal form instead: {given}."),
        Guideline::Gl23 => "Pack it instead: MPI_Pack, send MPI_PACKED, MPI_Unpack.".to_owned(),
        Guideline::Commloom => "Leave it to the library (commloom exec --off).".to_owned(),
    }
}

/// A judgement in a sentence.
#[must_use]
pub fn sentence(study: &Study<'_>, judgement: &Judgement) -> String {
    let subject = &study.subjects[judgement.subject];
    let rival = match judgement.guideline {
        Guideline::Commloom => "the library alone".to_owned(),
        Guideline::Gl23 => "MPI_Pack and MPI_Unpack".to_owned(),
        _ => side_name(subject, &judgement.rival),
    };
    let packed = if judgement.key.method == Method::Packed { " (packed)" } else { "" };
    format!(
        "{}, {}, {}: {}{packed} takes {} times as long as {rival}.",
        subject.name,
        mode_name(judgement.key.mode),
        operation_name(judgement.key.operation),
        case_name(subject.case(&judgement.key)),
        factor(&judgement.ratio),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_paper() {
        let words = [100, 3200, 64_000, 320_000, 2_560_000, 1_500_000, 7_000_000_000].map(bytes);
        assert_eq!(words, ["100 B", "3200 B", "64 kB", "320 kB", "2.56 MB", "1.5 MB", "7 GB"]);
    }
}
