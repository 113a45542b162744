//! The page as HTML. Everything that it shows stands there as text and tables too; the script
//! draws it.

use std::fmt::Write;

use commloom_picture::html::{self, escape};
use commloom_report::numbers::{bytes, grouped, time};

use super::advice;
use super::data::json;
use super::model::{Diagram, Figure, Finding, Page, Part};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = concat!(
    include_str!("script/decode.js"),
    include_str!("script/stage.js"),
    include_str!("script/spacetime.js"),
    include_str!("script/matrix.js"),
    include_str!("script/start.js"),
);

/// Messages that a table lists, and parts and notes that the page shows.
const ROWS: usize = 100;
const PARTS: usize = 300;
const NOTES: usize = 20;

/// The whole page.
pub fn write(page: &Page<'_>) -> String {
    let mut body =
        format!("<h1>Collectives in disguise <small>{}</small></h1>\n", escape(&page.title));
    if !page.library.is_empty() {
        let _ = writeln!(body, "<p class=\"soft\">{}</p>", escape(&page.library));
    }
    body += "<dl class=\"facts\">\n";
    for (name, value) in &page.facts {
        let _ = writeln!(body, "<div><dt>{name}</dt><dd>{}</dd></div>", escape(value));
    }
    body += "</dl>\n";
    body += &match &page.summary {
        Some(summary) => advice::section(summary, page.advice, page.parts.len()),
        None => overview(page),
    };
    if let Some(run) = &page.run {
        body += "<section>\n<h2>The whole run</h2>\n";
        body += &figure("run", run, &page.places);
        body += "</section>\n";
    }
    body += if page.parts.len() > 1 { "<h2>Part by part</h2>\n" } else { "<h2>In detail</h2>\n" };
    for (number, part) in (1..).zip(page.parts.iter().take(PARTS)) {
        body += &section(number, part, &page.places);
    }
    if page.parts.len() > PARTS {
        let _ = writeln!(body, "<p>{} more parts are not shown.</p>", page.parts.len() - PARTS);
    }
    if !page.notes.is_empty() {
        body += "<section>\n<h2>What is not known</h2>\n";
        body += &notes(&page.notes);
        body += "</section>\n";
    }
    let _ = writeln!(body, "<script type=\"application/json\" id=\"data\">{}</script>", json(page));
    let title = format!("Collectives in disguise: {}", page.title);
    html::Page { title: &title, style: STYLE, body: &body, script: SCRIPT }.write()
}

/// The table of findings in graphs that no program has run.
fn overview(page: &Page<'_>) -> String {
    let findings = (1..).zip(&page.parts).flat_map(|(number, part)| {
        let times = part.predicted.filter(|_| part.findings.len() == 1);
        part.findings.iter().map(move |finding| (number, part, finding, times))
    });
    let mut rows = String::new();
    for (number, part, finding, predicted) in findings {
        let time = |of: fn((f64, f64)) -> f64| predicted.map_or("-".to_owned(), |p| seconds(of(p)));
        let _ = writeln!(
            rows,
            "<tr><td><a href=\"#part-{number}\"><b>{}</b></a></td><td \
             class=\"n\">{}</td><td>{}</td><td>{}</td><td class=\"n\">{}</td><td \
             class=\"n\">{}</td></tr>",
            escape(&finding.name),
            grouped(finding.processes.into()),
            escape(&finding.size),
            escape(&part.name),
            time(|p| p.0),
            time(|p| p.1),
        );
    }
    if rows.is_empty() {
        return "<p><b>Nothing to replace</b>: no messages add up to a collective operation.</p>\n"
            .to_owned();
    }
    format!(
        "<h2>What was found</h2>\n<div class=\"scroll\" tabindex=\"0\">\n<table>\n\
         <thead><tr><th>MPI call</th><th class=\"n\">processes</th><th>each has</th><th>in</th><th \
         class=\"n\">as messages</th><th class=\"n\">as a call</th></tr></thead>\n<tbody>\n\
         {rows}</tbody>\n</table>\n</div>\n<p class=\"soft\">Times are predicted by the LogGP \
         model, with the constants of a cluster of today.</p>\n"
    )
}

fn section(number: usize, part: &Part, places: &[String]) -> String {
    let mut out = format!(
        "<section class=\"part\" id=\"part-{number}\">\n<h3>{} <span class=\"badge\">ran \
         {}</span></h3>\n<p class=\"soft\">{}</p>\n",
        escape(&part.name),
        times(part.times),
        escape(&part.summary)
    );
    for finding in &part.findings {
        out += &call(finding);
    }
    if part.sweep {
        out += "<p>A sweep: processes send on what they make of what has just come. Nothing \
                replaces that.</p>\n";
    } else if part.findings.is_empty() {
        out += "<p>Nothing to replace.</p>\n";
    }
    if let Some((before, after)) = part.predicted {
        let pays = if after < before { "" } else { ": by this model it does not pay" };
        let _ = writeln!(
            out,
            "<p>Predicted: {} as messages, {} with the calls{pays}.</p>",
            seconds(before),
            seconds(after)
        );
    }
    out += &sites(part);
    out += &notes(&part.notes);
    if !part.left.is_empty() {
        let _ = writeln!(out, "<pre>{}</pre>", escape(part.left.trim_end()));
    }
    if let Some(pictures) = &part.figure {
        out += &figure(&format!("part-{number}"), pictures, places);
    }
    out + "</section>\n"
}

fn call(finding: &Finding) -> String {
    let mut facts = vec![format!("{} processes", grouped(finding.processes.into()))];
    facts.extend(finding.root.map(|root| format!("root {root}")));
    facts.extend(Some(escape(&finding.size)).filter(|size| !size.is_empty()));
    let call = match finding.call.as_str() {
        "" => String::new(),
        call => format!("\n<code>{}</code>", escape(call)),
    };
    format!(
        "<div class=\"call\"><b>{}</b> <span class=\"soft\">{}</span>{call}</div>\n",
        escape(&finding.name),
        facts.join(", ")
    )
}

fn sites(part: &Part) -> String {
    let lists = [("Sent in", &part.senders), ("Received in", &part.receivers)];
    if lists.iter().all(|(_, list)| list.is_empty()) {
        return String::new();
    }
    let mut out = "<div class=\"places\">\n".to_owned();
    for (what, list) in lists {
        let _ = write!(out, "<div><h4>{what}</h4>\n<ul>");
        for (place, count) in list.iter().take(NOTES) {
            let _ = write!(
                out,
                "<li><code>{}</code> <span class=\"soft\">{}</span></li>",
                escape(place),
                messages(*count)
            );
        }
        out += "</ul></div>\n";
    }
    out + "</div>\n"
}

fn notes(notes: &[String]) -> String {
    if notes.is_empty() {
        return String::new();
    }
    let mut out = "<div class=\"notes\">\n".to_owned();
    for note in notes.iter().take(NOTES) {
        let _ = writeln!(out, "<p>{}</p>", sentence(note));
    }
    if notes.len() > NOTES {
        let _ = writeln!(out, "<p>and {} more</p>", notes.len() - NOTES);
    }
    out + "</div>\n"
}

/// Diagram and matrix side by side, each with its table.
fn figure(id: &str, figure: &Figure, places: &[String]) -> String {
    let class = if figure.before.is_some() { "pictures" } else { "pictures single" };
    let mut out = format!("<div class=\"{class}\">\n");
    if let Some(before) = &figure.before {
        out += &diagram(id, figure, before, places);
    }
    out += &matrix(id, figure);
    out + "</div>\n"
}

fn diagram(id: &str, figure: &Figure, before: &Diagram, places: &[String]) -> String {
    let axis = if before.stepped { "steps" } else { "times" };
    let mut out = format!(
        "<figure class=\"spacetime\" data-figure=\"{id}\" data-axis=\"{axis}\">\n\
         <figcaption>Processes over time <span class=\"soft\" data-of=\"before\">{}</span>",
        escape(&before.heading)
    );
    if let Some(after) = &figure.after {
        let _ = write!(
            out,
            "<span class=\"soft\" data-of=\"after\" hidden=\"hidden\">{}</span>",
            escape(&after.heading)
        );
    }
    out += "</figcaption>\n<div class=\"tools\" hidden=\"hidden\">";
    if figure.after.is_some() {
        out += &buttons("what", "Messages or calls", &[("before", "Before"), ("after", "After")]);
    }
    if before.stepped && before.timed {
        out += &buttons("axis", "Axis", &[("steps", "Steps"), ("times", "Time")]);
    }
    let label = format!(
        "Space-time diagram of {} processes: {}. Arrow keys move it, plus and minus zoom, 0 shows \
         all.",
        figure.processes, before.heading
    );
    out += &stage(&label);
    out += "<ul class=\"key\"></ul>\n";
    out += &messages_table(before, figure.processes, places);
    out + "</figure>\n"
}

fn matrix(id: &str, figure: &Figure) -> String {
    let choice = buttons("measure", "Measure", &[("bytes", "Bytes"), ("messages", "Messages")]);
    let label = format!(
        "Communication matrix of {} processes: rows send, columns receive. Arrow keys move it, \
         plus and minus zoom, 0 shows all.",
        figure.processes
    );
    let mut out = format!(
        "<figure class=\"matrix\" data-figure=\"{id}\">\n<figcaption>Who sends to \
         whom</figcaption>\n<div class=\"tools\" hidden=\"hidden\">{choice}"
    );
    out += &stage(&label);
    out += "<div class=\"scale\" hidden=\"hidden\"><span></span><i></i><span></span></div>\n";
    out += &pairs_table(figure);
    out + "</figure>\n"
}

fn buttons(choice: &str, label: &str, all: &[(&str, &str)]) -> String {
    let mut out = format!("<span role=\"group\" aria-label=\"{label}\" data-choice=\"{choice}\">");
    for (k, (value, name)) in all.iter().enumerate() {
        let _ = write!(
            out,
            "<button type=\"button\" data-value=\"{value}\" aria-pressed=\"{}\">{name}</button>",
            k == 0
        );
    }
    out + "</span>"
}

/// The rest of the tools, and where the script draws.
fn stage(label: &str) -> String {
    format!(
        "<span role=\"group\" aria-label=\"Zoom\"><button type=\"button\" data-do=\"in\" \
         aria-label=\"Nearer\">+</button><button type=\"button\" data-do=\"out\" \
         aria-label=\"Farther\">\u{2212}</button><button type=\"button\" \
         data-do=\"reset\">All</button></span></div>\n<div class=\"stage\" \
         hidden=\"hidden\"><canvas tabindex=\"0\" role=\"application\" \
         aria-roledescription=\"zoomable picture\" aria-label=\"{}\"></canvas><div class=\"tip\" \
         hidden=\"hidden\"></div></div>\n<p class=\"status\" aria-live=\"polite\">Drag to move; \
         click, then turn the wheel to zoom.</p>\n",
        escape(label)
    )
}

fn messages_table(diagram: &Diagram, processes: u32, places: &[String]) -> String {
    if diagram.lines.is_empty() {
        return String::new();
    }
    let more = diagram.lines.len().saturating_sub(ROWS);
    let shown = if more > 0 { format!(", the first {ROWS}") } else { String::new() };
    let when = if diagram.stepped { "step" } else { "sent at" };
    let mut out = format!(
        "<details><summary>Messages as a table{shown}</summary>\n<div class=\"tall\" \
         tabindex=\"0\"><table>\n<thead><tr><th class=\"n\">{when}</th><th \
         class=\"n\">from</th><th class=\"n\">to</th><th class=\"n\">messages</th><th \
         class=\"n\">data</th><th>sent in</th><th>received in</th></tr></thead>\n<tbody>\n"
    );
    let mut lines: Vec<_> = diagram.lines.iter().collect();
    lines.sort_by_key(|line| (line.steps, line.times, line.from, line.to));
    let place = |number: usize| {
        let name = number.checked_sub(1).and_then(|number| places.get(number));
        escape(name.map_or("-", |name| name))
    };
    for line in lines.into_iter().take(ROWS) {
        let when = if diagram.stepped { line.steps.0.to_string() } else { time(line.times.0) };
        let _ = writeln!(
            out,
            "<tr><td class=\"n\">{when}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td \
             class=\"n\">{}</td><td \
             class=\"n\">{}</td><td><code>{}</code></td><td><code>{}</code></td></tr>",
            ranks(line.from, diagram.lane, processes),
            ranks(line.to, diagram.lane, processes),
            grouped(line.messages),
            bytes(line.bytes),
            place(line.sender),
            place(line.receiver),
        );
    }
    out += "</tbody></table></div></details>\n";
    out
}

fn ranks(lane: u32, width: u32, processes: u32) -> String {
    let first = u64::from(lane) * u64::from(width);
    let last = (first + u64::from(width)).min(processes.into()).saturating_sub(1);
    if last <= first { first.to_string() } else { format!("{first}\u{2013}{last}") }
}

fn pairs_table(figure: &Figure) -> String {
    let pairs: u64 = figure.matrix.iter().map(|square| square.pairs).sum();
    let shown = figure.pairs.len();
    let which = match usize::try_from(pairs) {
        Ok(pairs) if pairs == shown => "As a table".to_owned(),
        _ => format!("The {shown} largest of {} pairs as a table", grouped(pairs)),
    };
    let mut out = format!(
        "<details><summary>{which}</summary>\n<div class=\"tall\" tabindex=\"0\"><table>\n\
         <thead><tr><th class=\"n\">from</th><th class=\"n\">to</th><th \
         class=\"n\">messages</th><th class=\"n\">data</th></tr></thead>\n<tbody>\n"
    );
    for (from, to, messages, data) in &figure.pairs {
        let _ = writeln!(
            out,
            "<tr><td class=\"n\">{from}</td><td class=\"n\">{to}</td><td class=\"n\">{}</td><td \
             class=\"n\">{}</td></tr>",
            grouped(*messages),
            bytes(*data)
        );
    }
    out + "</tbody></table></div></details>\n"
}

pub fn times(n: u64) -> String {
    if n == 1 { "once".to_owned() } else { format!("{} times", grouped(n)) }
}

fn messages(n: u64) -> String {
    format!("{} message{}", grouped(n), if n == 1 { "" } else { "s" })
}

/// With a capital at its beginning.
pub fn sentence(text: &str) -> String {
    let mut rest = text.chars();
    let first: String = rest.next().into_iter().flat_map(char::to_uppercase).collect();
    escape(&(first + rest.as_str()))
}

pub fn seconds(seconds: f64) -> String {
    commloom_commgraph::cost::Seconds(seconds).to_string()
}
