//! The file of constants: what was measured and how well it fits stand in comments.

use std::fmt::Write;
use std::time::SystemTime;

use commloom_layout::CostModel;
use commloom_measure::date;
use commloom_measure::machine::Machine;

use super::family::family;
use super::fit::Fit;
use super::terms::{self, NAMES};
use super::{Measured, Scaled, agreement};

/// The text of the file.
pub fn write(measured: &Measured, fit: &Fit, scaled: &Scaled, rounds: u32) -> String {
    let mut text = String::new();
    let line = &mut |comment: &str| {
        let _ = writeln!(text, "{}", format!("# {comment}").trim_end());
    };
    line("Cost model, measured with MPI_Pack by `commloom calibrate`; read by `--cost FILE`.");
    line("");
    line(&format!("library  {}", printable(&measured.version)));
    line(&format!("file     {}", printable(&measured.path)));
    line(&format!("machine  {}", machine()));
    line(&format!("date     {}", date::utc(SystemTime::now())));
    line(&format!("samples  {rounds} rounds of {} layouts", measured.times.len()));
    line("");
    line("Nanoseconds per MPI_Pack = the sum of these, each as often as the layout has it:");
    for (name, (value, error)) in NAMES.iter().zip(fit.values.iter().zip(&fit.errors)) {
        line(&format!("  {name:<7} {value:>8.3} +- {error:.3}"));
    }
    line(
        "(call, gaps, byte and block are paid alike by every description of the same bytes, so \
         they",
    );
    line("are no constants of the model.)");
    line("");
    for comment in quality(fit).into_iter().chain(ranking(&measured.times, &scaled.model)) {
        line(&comment);
    }
    line("");
    let unit = format!("{:.3} ns", scaled.unit);
    if scaled.lookup_is_unit {
        line(&format!("Below, in units of lookup = {unit}, rounded, at least 1."));
    } else {
        line(
            "A list entry costs less than can be measured with this library. Below, in units of a",
        );
        line(&format!("hundredth of the average node = {unit}, rounded, at least 1."));
    }
    let _ = writeln!(text, "[cost]");
    for (name, value) in scaled.model.constants() {
        let _ = writeln!(text, "{name} = {value}");
    }
    text
}

/// How well the model explains the times.
fn quality(fit: &Fit) -> Vec<String> {
    let percent = |x: f64| format!("{:.0} %", 100.0 * x);
    let mut sizes: Vec<f64> = fit.residuals.iter().map(|r| r.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let worst = fit.residuals.iter().zip(family()).max_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
    let mut lines = vec![
        format!("R^2 = {:.3} of the times.", fit.r_squared),
        format!(
            "Predicted against measured: off by {} for half of the layouts, by {} for one in ten.",
            percent(sizes[sizes.len() / 2]),
            percent(sizes[sizes.len() - 1 - sizes.len() / 10]),
        ),
    ];
    if let Some((residual, case)) = worst {
        let direction = if *residual > 0.0 { "too slow" } else { "too fast" };
        let off = percent(residual.abs());
        lines.push(format!("Worst: \"{}\" predicted {off} {direction}.", case.name));
    }
    let unseen: Vec<&str> = NAMES
        .iter()
        .zip(&fit.values)
        .skip(terms::SHARED)
        .filter(|&(_, &value)| value == 0.0)
        .map(|(name, _)| *name)
        .collect();
    if !unseen.is_empty() {
        lines.push(format!("Not measurable with this library: {}.", unseen.join(", ")));
    }
    lines
}

/// Whether the constants choose well: what they are for.
fn ranking(times: &[f64], model: &CostModel) -> [String; 2] {
    let share = |model: &CostModel| {
        let (pairs, agree) = agreement(times, model);
        format!("{:.0} %", 100.0 * agree / pairs.max(1.0))
    };
    let papers = CostModel::default();
    [
        "Of two descriptions of equally many bytes in equally many runs whose times differ by"
            .into(),
        format!(
            "more than 5 %, the cheaper one is the faster one in {}; by the papers' constants in \
             {}.",
            share(model),
            share(&papers)
        ),
    ]
}

/// One line without control characters: it becomes a comment.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Processor, number of processors, system.
fn machine() -> String {
    let system = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    let Machine { processor, cores, .. } = Machine::here();
    printable(&format!("{processor}, {cores} processors, {system}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read_back_as_the_model() {
        let times: Vec<f64> =
            family().iter().map(|case| terms::of(&case.ty).iter().sum::<f64>() * 3.0).collect();
        let (fit, scaled) = super::super::fitted(&times).unwrap();
        let measured = Measured { version: "A\nlibrary".into(), path: "/lib.so".into(), times };
        let text = write(&measured, &fit, &scaled, 9);
        let mut read = commloom_layout::CostModel { vec: 99, ..Default::default() };
        crate::cost_file::read(&text, &mut read).unwrap();
        assert_eq!(read, scaled.model);
        assert!(text.contains("library  A library\n"), "{text}");
    }
}
