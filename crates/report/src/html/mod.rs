//! The report as one web page: no scripts, no fonts, nothing from elsewhere. It is well-formed
//! XML too, so that programs can read it.

mod bar;
mod memory;
mod section;

use std::fmt::Write;

use commloom_picture::html::{Page, escape};

use crate::exchange::Total;
use crate::numbers::{bytes, grouped, saved};
use crate::{Report, Row};
use bar::{Part, bar};

const STYLE: &str = include_str!("style.css");

/// Types that have sections of their own: those with most bytes.
const SECTIONS: usize = 200;

/// The whole page.
pub fn page(report: &Report) -> String {
    let mut body = summary(report);
    body += &overview(report);
    for (k, row) in report.types.iter().take(SECTIONS).enumerate() {
        body += &section::section(k + 1, row);
    }
    let hidden = report.types.len().saturating_sub(SECTIONS);
    if hidden > 0 {
        let _ = writeln!(body, "<p>{hidden} types with fewer bytes are not shown.</p>");
    }
    body += &replaced(report);
    body += &untouched(report);
    Page { title: "commloom report", style: STYLE, body: &body, script: "" }.write()
}

fn summary(report: &Report) -> String {
    let sum = |of: fn(&Row) -> u64| report.types.iter().map(of).fold(0, u64::saturating_add);
    let (engine, handle) = (sum(|r| r.engine), sum(|r| r.substituted));
    let left = sum(Row::left_alone);
    let total = Total::of(report.types.iter().flat_map(|row| &row.exchanges));
    let mut out = format!("<h1>commloom report</h1>\n<p>{}", escape(&report.library));
    if !report.choice.is_empty() {
        let _ = write!(
            out,
            "<br/><span class=\"soft\">What was tried first: {}</span>",
            escape(&report.choice)
        );
    }
    out += "</p>\n";
    if let Some(headline) = total.headline() {
        let _ = writeln!(out, "<p><b>{}</b></p>", escape(&headline));
    }
    out += "<dl class=\"numbers\">\n";
    let numbers = [
        ("ranks", grouped(u64::try_from(report.ranks).unwrap_or(u64::MAX))),
        ("derived types", grouped(u64::try_from(report.types.len()).unwrap_or(u64::MAX))),
        ("messages, both ends", grouped(sum(|r| r.calls))),
        ("data", bytes(sum(|r| r.bytes))),
        ("measured", saved(total.saved_ns)),
        ("internal errors", grouped(report.failures)),
    ];
    for (name, value) in numbers {
        let _ = writeln!(out, "<div><dt>{name}</dt><dd>{value}</dd></div>");
    }
    out += "</dl>\n";
    out += &ways(engine, handle, left);
    if report.failures > 0 {
        out += "<p>Internal errors of commloom were contained: the calls went to the library as \
                the program gave them. Please report them.</p>\n";
    }
    out
}

/// Groups of persistent requests.
fn replaced(report: &Report) -> String {
    if report.replaced.is_empty() {
        return String::new();
    }
    let mut out = "<section>\n<h2>Groups of persistent requests</h2>\n<ul>\n".to_owned();
    for group in &report.replaced {
        let _ = writeln!(out, "<li>{}</li>", escape(&group.line()));
    }
    out + "</ul>\n</section>\n"
}

/// How messages went.
fn ways(engine: u64, handle: u64, left: u64) -> String {
    bar(&[
        Part::count("engine", "packed by commloom", engine),
        Part::count("handle", "with another handle", handle),
        Part::count("native", "left to the library", left),
    ])
}

/// One line per type, with links to the sections.
fn overview(report: &Report) -> String {
    let mut out = "<h2>Types, most bytes first</h2>\n".to_owned();
    if report.types.is_empty() {
        return out + "<p>The program sent no message of a derived type.</p>\n";
    }
    out += "<div class=\"scroll\">\n<table>\n<thead><tr><th class=\"n\">#</th><th>type</th><th \
            class=\"n\">messages</th><th class=\"n\">data</th><th \
            class=\"n\">measured</th></tr></thead>\n<tbody>\n";
    for (k, row) in report.types.iter().take(SECTIONS).enumerate() {
        let measured = if row.exchanges.is_empty() { "-".to_owned() } else { saved(row.saved()) };
        let _ = writeln!(
            out,
            "<tr><td class=\"n\">{0}</td><td><a href=\"#type-{0}\"><code>{1}</code></a></td><td \
             class=\"n\">{2}</td><td class=\"n\">{3}</td><td class=\"n\">{measured}</td></tr>",
            k + 1,
            escape(&row.before),
            grouped(row.calls),
            bytes(row.bytes),
        );
    }
    out + "</tbody>\n</table>\n</div>\n"
}

fn untouched(report: &Report) -> String {
    if report.untouched.is_empty() {
        return String::new();
    }
    let mut out = "<h2>Never touched, and not counted</h2>\n<ul>\n".to_owned();
    for call in &report.untouched {
        let _ = writeln!(out, "<li>{}</li>", escape(call));
    }
    out + "</ul>\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Exchange, Format, Pictures, Site, Timing};
    use commloom_layout::{Basic, Type, mpi};

    fn report() -> Report {
        let before = mpi::vector(40, 2, 4, &Type::leaf(Basic::INT)).unwrap();
        let after = Type::idx([0, 64, 8], Type::leaf(Basic::INT)).unwrap();
        let site = Site {
            function: Some("solve<double>(int&)".into()),
            file: Some("/src/a & b.cpp".into()),
            line: Some(42),
            handles: 3,
            ..Site::new("/bin/app".into(), 1)
        };
        let row = Row {
            before: "idx(<0,1>, MPI_INT)".into(),
            after: "\"A\"\u{1}".into(),
            calls: 1234,
            engine: 1000,
            substituted: 200,
            pack_ns: 3000,
            unpack_ns: 1000,
            exchanges: vec![Exchange {
                begins_with: "send".into(),
                strategy: "packed".into(),
                exchanges: 10,
                chosen: 10,
                native: Some(Timing { low: 400, median: 500, high: 600 }),
                measured: Some(Timing { low: 190, median: 200, high: 210 }),
                ..Exchange::default()
            }],
            native: [("contiguous".to_owned(), 34)].into(),
            sites: vec![site; 3],
            pictures: Some(Pictures::of(&before, &after)),
            ..Row::default()
        };
        let unseen = Row { before: "(types not looked at)".into(), calls: 1, ..Row::default() };
        Report { failures: 1, types: vec![row, unseen], ..Report::new("L <5>", "here", 2) }
    }

    #[test]
    fn the_page_is_well_formed_and_says_all() {
        let page = report().write(Format::Html);
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
        let tree = roxmltree::Document::parse_with_options(&page, options).expect(&page);
        let text: String = tree.descendants().filter_map(|n| n.text()).collect();
        for part in [
            "L <5>",
            "What was tried first: here",
            "idx(<0,1>, MPI_INT)",
            "solve<double>(int&) at /src/a & b.cpp:42",
            "1,000 packed by commloom",
            "34 contiguous",
            "3.00 us saved",
            "60.0 % shorter: 2.00 us of 5.00 us",
            "MPI_Pack_external",
        ] {
            assert!(text.contains(part), "{part} is missing in {text}");
        }
        let count = |name| tree.descendants().filter(|n| n.tag_name().name() == name).count();
        assert_eq!([count("svg"), count("section")], [2, 2]);
        assert_eq!([count("script"), count("img"), count("link")], [0, 0, 0]);
        // Every link leads somewhere in the page.
        let ids: Vec<_> = tree.descendants().filter_map(|n| n.attribute("id")).collect();
        for link in tree.descendants().filter_map(|n| n.attribute("href")) {
            assert!(ids.contains(&link.trim_start_matches('#')), "{link}");
        }
    }

    #[test]
    fn a_run_without_types_has_a_page() {
        let page = Report::new("L", "", 1).write(Format::Html);
        assert!(page.contains("no message of a derived type"));
    }
}
