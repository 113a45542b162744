//! Heat maps and bar charts.

use std::collections::BTreeMap;
use std::fmt::Write;

use commloom_measure::chart::{self as draw, Figure, range, time};
use commloom_picture::html::escape;

use super::scrolling;
use crate::report::{Report, chart, heat};
use crate::results::Mode;
use crate::verdict::{mode_name, operation_name};

/// One map for each operation; the first is open.
pub fn heat_maps(report: &Report<'_>) -> String {
    let mut out =
        "<section id=\"heat\">\n<h2>Heat maps</h2>\n<p>Median time over that of the best way to \
         communicate the same data with the same library, native or under commloom, by any \
         description or packed: the worst over all block sizes and data sizes.</p>\n"
            .to_owned();
    for (k, (operation, map)) in heat::heat_maps(&report.study.subjects).into_iter().enumerate() {
        let (body, (width, height)) = map.draw();
        let open = if k == 0 { " open=\"open\"" } else { "" };
        let operation = operation_name(operation);
        let _ = writeln!(out, "<details{open}><summary>{operation}</summary>");
        out += &scrolling(&format!(
            "<svg class=\"heat\" xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" \
             viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"times over the best, \
             {operation}\">\n{body}</svg>\n",
            draw::coordinate(width),
            draw::coordinate(height)
        ));
        out += "</details>\n";
    }
    out + "</section>\n"
}

/// The charts of the paper, folded by test and operation.
pub fn figures(report: &Report<'_>) -> String {
    let mut out = "<section id=\"charts\">\n<h2>Charts</h2>\n<p>Bars are means of the medians of \
                   the launches; error bars reach from the smallest to the largest median (section \
                   2.3.3). A red mark: violates a guideline. Charts side by side have the same \
                   scale.</p>\n"
        .to_owned();
    let bad = report.bad_series();
    for test in 1..=11 {
        let figures = chart::figures(test, &report.study.subjects, &bad);
        if figures.is_empty() {
            continue;
        }
        let claims: Vec<&str> = {
            let mut all: Vec<&str> = report
                .findings
                .iter()
                .filter(|f| f.claim.test == test)
                .map(|f| f.claim.words)
                .collect();
            all.dedup();
            all
        };
        let _ = writeln!(
            out,
            "<details class=\"test\" id=\"test-{test}\"><summary>Expectation test {test} <span \
             class=\"soft\">{} figures</span></summary>",
            figures.len()
        );
        for claim in claims {
            let _ = writeln!(out, "<p>{}</p>", escape(claim));
        }
        for figure in &figures {
            out += &one(report, figure);
        }
        out += "</details>\n";
    }
    out + "</section>\n"
}

/// A figure: key, charts side by side, numbers.
fn one(report: &Report<'_>, figure: &Figure) -> String {
    let mut out = format!("<figure>\n<h3>{}</h3>\n", escape(&figure.title));
    out += &key(figure);
    out += "<div class=\"charts\">\n";
    for (subject, chart) in &figure.charts {
        let name = report.study.subjects.get(*subject).map_or("", |s| s.name.as_str());
        let label = format!("{name}: {}", figure.title);
        let _ = writeln!(
            out,
            "<div><p>{}</p>\n{}</div>",
            escape(name),
            draw::chart(figure, chart, &label)
        );
    }
    out += "</div>\n";
    out += &numbers(report, figure);
    out + "</figure>\n"
}

fn key(figure: &Figure) -> String {
    let shades = figure.pale();
    let mut out = "<ul class=\"key\">".to_owned();
    for (k, name) in figure.names.iter().enumerate() {
        out += "<li>";
        for &pale in &shades {
            let class = if pale { " pale" } else { "" };
            let _ = write!(out, "<i class=\"k{}{class}\"></i>", k % draw::COLOURS);
        }
        let _ = write!(out, "{}</li>", escape(name));
    }
    if shades.len() == 2 {
        let _ = write!(out, "<li class=\"soft\">{}</li>", figure.shades);
    }
    out + "</ul>\n"
}

/// The times of the bars, as a table.
fn numbers(report: &Report<'_>, figure: &Figure) -> String {
    let shown = [(false, Mode::Native), (true, Mode::Commloom)];
    let used = figure.pale();
    let modes = shown.map(|(pale, mode)| used.contains(&pale).then_some(mode));
    let modes: Vec<Mode> = modes.into_iter().flatten().collect();
    // By place along the axis and by series: what stands at the axis, and times by library and
    // mode.
    type Times<'f> = (&'f str, BTreeMap<(usize, Mode), String>);
    let mut rows: BTreeMap<(usize, usize), Times<'_>> = BTreeMap::new();
    for (subject, chart) in &figure.charts {
        for (place, group) in chart.groups.iter().enumerate() {
            for bar in &group.bars {
                let row = rows.entry((place, bar.name));
                let (_, cells) = row.or_insert_with(|| (&group.label, BTreeMap::new()));
                let s = &bar.summary;
                let range = format!("{} <small>{}</small>", time(s.mean), range(s));
                let mode = if bar.pale { Mode::Commloom } else { Mode::Native };
                cells.insert((*subject, mode), range);
            }
        }
    }
    let axis = figure.charts.first().map_or("", |(_, chart)| chart.axis);
    let mut table = format!("<table class=\"times\">\n<thead><tr><th>{axis}</th><th>series</th>");
    for (subject, _) in &figure.charts {
        for mode in &modes {
            let name = report.study.subjects.get(*subject).map_or("", |s| s.name.as_str());
            let _ = write!(table, "<th>{}, {}</th>", escape(name), mode_name(*mode));
        }
    }
    table += "</tr></thead>\n<tbody>\n";
    for ((_, name), (label, cells)) in &rows {
        let _ = write!(table, "<tr><td>{label}</td><td>{}</td>", escape(&figure.names[*name]));
        for (subject, _) in &figure.charts {
            for mode in &modes {
                let cell = cells.get(&(*subject, *mode)).map_or("-", String::as_str);
                let _ = write!(table, "<td>{cell}</td>");
            }
        }
        table += "</tr>\n";
    }
    let table = scrolling(&(table + "</tbody>\n</table>\n"));
    format!("<details><summary>Numbers</summary>\n{table}</details>\n")
}
