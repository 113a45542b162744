//! The report as one web page. Everything is in it as text and pictures; the script only sorts and filters the table
//! of violations.

mod charts;
mod environment;
mod summary;
mod violations;

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
    format!(
        "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta \
         charset=\"utf-8\"/>\n<meta name=\"viewport\" content=\"width=device-width, \
         initial-scale=1\"/>\n<title>MPI datatype guidelines</title>\n<style>\n{STYLE}</style>\n</head>\n\
         <body>\n<main>\n<h1>MPI datatypes against their performance guidelines</h1>\n<nav>{links}</nav>\n{body}\
         </main>\n<script>\n//<![CDATA[\n{SCRIPT}//]]>\n</script>\n</body>\n</html>\n"
    )
}

/// A table that scrolls by itself where the page is narrow.
fn scrolling(table: &str) -> String {
    format!("<div class=\"scroll\" tabindex=\"0\">\n{table}</div>\n")
}
