//! The report as one web page. Everything is in it as text and pictures; the script only sorts and
//! filters the table of violations.

mod charts;
mod environment;
mod summary;
mod violations;

use commloom_picture::html::Page;

use super::Report;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// Sections with their ids, as linked at the top.
const SECTIONS: [(&str, &str); 6] = [
    ("guidelines", "Guidelines"),
    ("expectations", "Expectations"),
    ("heat", "Heat maps"),
    ("violations", "Violations"),
    ("charts", "Charts"),
    ("environment", "Environment"),
];

/// The whole page.
pub fn page(report: &Report<'_>) -> String {
    let links = SECTIONS.map(|(id, name)| format!("<a href=\"#{id}\">{name}</a>")).join(" ");
    let body = [
        summary::counts(report),
        summary::expectations(report),
        charts::heat_maps(report),
        violations::table(report),
        violations::failures(report),
        charts::figures(report),
        environment::files(report),
    ]
    .concat();
    let body = format!(
        "<h1>MPI datatypes against their performance guidelines</h1>\n<nav>{links}</nav>\n{body}"
    );
    let title = "MPI datatype guidelines";
    Page { title, style: STYLE, body: &body, script: SCRIPT }.write()
}

/// A table that scrolls by itself where the page is narrow.
fn scrolling(table: &str) -> String {
    format!("<div class=\"scroll\" tabindex=\"0\">\n{table}</div>\n")
}
