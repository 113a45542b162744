//! The section of one type.

use std::fmt::Write;

use commloom_picture::html::escape;

use super::bar::{Part, bar, bar_of};
use super::{memory, ways};

use crate::numbers::{bytes, grouped, saved};
use crate::{Exchange, Pictures, Row};

/// Places that a section names.
const SITES: usize = 20;

/// Kinds of exchange that a section names.
const EXCHANGES: usize = 12;

/// Everything about the type with this number.
pub fn section(number: usize, row: &Row) -> String {
    let mut out = format!(
        "<section class=\"type\" id=\"type-{number}\">\n<h3>{number}. <code>{}</code></h3>\n",
        escape(&row.before)
    );
    let _ = writeln!(
        out,
        "<p>{} handles, {} messages, {}</p>",
        grouped(row.handles),
        grouped(row.calls),
        bytes(row.bytes)
    );
    out += &sites(row);
    match &row.pictures {
        Some(pictures) => out += &figures(row, pictures),
        None if row.after.is_empty() => {}
        None => out += &caption("Normal form", &row.after, row.cost_after),
    }
    out += "<h4>Messages</h4>\n";
    out += &ways(row.engine, row.substituted, row.left_alone());
    out += &reasons(row);
    out += &times(row);
    out + "</section>\n"
}

fn sites(row: &Row) -> String {
    if row.sites.is_empty() {
        return String::new();
    }
    let mut out = "<p>Committed by</p>\n<ul>\n".to_owned();
    for site in row.sites.iter().take(SITES) {
        let (place, handles) = (escape(&site.to_string()), grouped(site.handles));
        let _ = writeln!(
            out,
            "<li><code>{place}</code> <span class=\"soft\">({handles} handles)</span></li>"
        );
    }
    if row.sites.len() > SITES {
        let _ = writeln!(out, "<li>and {} more places</li>", row.sites.len() - SITES);
    }
    out + "</ul>\n"
}

/// The memory before and after.
fn figures(row: &Row, pictures: &Pictures) -> String {
    let mut out = String::new();
    let name = if pictures.after.is_some() { "Before" } else { "Already in normal form" };
    let panels = [
        (name, &row.before, row.cost_before, Some(&pictures.before)),
        ("After", &row.after, row.cost_after, pictures.after.as_ref()),
    ];
    for (name, words, cost, picture) in panels {
        let Some(picture) = picture else { continue };
        out += "<figure>\n";
        out += &caption(name, words, cost);
        out += &memory::svg(picture, pictures.unit);
        let _ = writeln!(
            out,
            "<p class=\"soft\">One cell is {}; colours and numbers: the {}{}.</p>\n</figure>",
            bytes(pictures.unit.unsigned_abs()),
            escape(&picture.legend),
            match picture.left_out {
                0 => String::new(),
                n => format!("; {} more cells are not shown", grouped(n)),
            }
        );
    }
    out
}

fn caption(name: &str, words: &str, cost: u64) -> String {
    format!("<p><b>{name}</b>, cost {cost}: <code>{}</code></p>\n", escape(words))
}

fn reasons(row: &Row) -> String {
    if row.native.is_empty() {
        return String::new();
    }
    let mut out = "<p>Left to the library, and why:</p>\n<ul>\n".to_owned();
    for (reason, n) in &row.native {
        let _ = writeln!(out, "<li>{} {}</li>", grouped(*n), escape(reason));
    }
    out + "</ul>\n"
}

/// Measured times.
fn times(row: &Row) -> String {
    let mut out = String::new();
    if !row.exchanges.is_empty() {
        let _ = writeln!(out, "<h4>Measured exchanges: {}</h4>", saved(row.saved()));
    }
    for exchange in row.exchanges.iter().take(EXCHANGES) {
        out += &exchange_times(exchange);
    }
    if row.exchanges.len() > EXCHANGES {
        let more = row.exchanges.len() - EXCHANGES;
        let _ = writeln!(out, "<p>and {more} more kinds of exchange</p>");
    }
    if row.pack_ns > 0 || row.unpack_ns > 0 {
        out += "<h4>Measured time in the engine</h4>\n";
        out += &bar(&[
            Part::time("pack", "packing", row.pack_ns),
            Part::time("unpack", "unpacking", row.unpack_ns),
        ]);
    }
    out
}

/// One kind of exchange: median times of one, as bars.
fn exchange_times(exchange: &Exchange) -> String {
    let mut out = format!("<p>{}</p>\n", escape(&exchange.line()));
    if let (true, Some(native), Some(measured)) =
        (exchange.is_changed(), exchange.native, exchange.measured)
    {
        let whole = native.median.max(measured.median);
        out += &bar_of(&[Part::time("native", "native", native.median)], whole);
        let class = if exchange.strategy == "packed" { "engine" } else { "handle" };
        out += &bar_of(&[Part::time(class, "measured", measured.median)], whole);
    }
    out
}
