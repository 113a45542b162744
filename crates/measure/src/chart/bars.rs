//! Bar charts.

use std::collections::BTreeSet;
use std::fmt::Write;

use commloom_picture::html::escape;

use super::svg::{COLOURS, coordinate, text};
use super::time;
use crate::float;
use crate::statistics::Summary;

/// One chart: bars in groups along an axis.
#[derive(Debug, Clone)]
pub struct Chart {
    /// The text along the horizontal axis.
    pub axis: &'static str,
    /// Groups of bars, from left to right.
    pub groups: Vec<Group>,
}

/// Bars side by side.
#[derive(Debug, Clone)]
pub struct Group {
    /// Below the bars.
    pub label: String,
    /// From left to right.
    pub bars: Vec<Bar>,
}

/// One series.
#[derive(Debug, Clone)]
pub struct Bar {
    /// Index into the names of the figure.
    pub name: usize,
    /// In the second shade of its colour.
    pub pale: bool,
    /// Its height and error bar, microseconds.
    pub summary: Summary,
    /// Whether a mark stands above it.
    pub marked: bool,
}

/// Charts of one scale and one key.
#[derive(Debug, Clone)]
pub struct Figure {
    /// Its title.
    pub title: String,
    /// The meaning of the colours.
    pub names: Vec<String>,
    /// The meaning of the two shades of a colour, where both are used.
    pub shades: &'static str,
    /// The charts, each with the number of what it shows.
    pub charts: Vec<(usize, Chart)>,
}

impl Chart {
    /// All bars.
    pub fn bars(&self) -> impl Iterator<Item = &Bar> {
        self.groups.iter().flat_map(|group| &group.bars)
    }
}

impl Figure {
    /// The end of the highest error bar of all charts.
    #[must_use]
    pub fn top(&self) -> f64 {
        self.bars().map(|bar| bar.summary.max).fold(0.0, f64::max)
    }

    /// The shades of any bar: whether it is pale.
    #[must_use]
    pub fn pale(&self) -> BTreeSet<bool> {
        self.bars().map(|bar| bar.pale).collect()
    }

    fn bars(&self) -> impl Iterator<Item = &Bar> {
        self.charts.iter().flat_map(|(_, chart)| chart.bars())
    }
}

/// Of a chart, in pixels.
pub const WIDTH: f64 = 480.0;
/// Of a chart, in pixels.
pub const HEIGHT: f64 = 240.0;
/// Where the bars are.
const LEFT: f64 = 62.0;
const RIGHT: f64 = WIDTH - 4.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = HEIGHT - 36.0;
/// Between groups, in bars.
const GAP: f64 = 0.9;
/// Bars are at most so wide.
const WIDEST: f64 = 44.0;

/// A chart of a figure, as tall as the highest bar of all its charts.
#[must_use]
pub fn chart(figure: &Figure, chart: &Chart, label: &str) -> String {
    let mut out = format!(
        "<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} \
         {HEIGHT}\" role=\"img\" aria-label=\"{}\">\n",
        escape(label)
    );
    axis(&mut out, figure.top());
    groups(&mut out, figure, chart);
    text(&mut out, (f64::midpoint(LEFT, RIGHT), HEIGHT - 4.0), "soft", "middle", chart.axis);
    out + "</svg>\n"
}

/// Lines and times at the left.
fn axis(out: &mut String, top: f64) {
    let step = step(top);
    let mut tick = 0.0;
    while tick <= top * 1.0001 {
        let y = height(tick, top);
        let (from, to, at) = (coordinate(LEFT), coordinate(RIGHT), coordinate(y));
        let _ = writeln!(out, "<path class=\"grid\" d=\"M{from} {at}H{to}\"/>");
        let words = if tick == 0.0 { "0".to_owned() } else { round_time(tick) };
        text(out, (LEFT - 6.0, y + 4.0), "soft", "end", &words);
        tick += step;
    }
}

/// Of some five to ten steps: 1, 2 or 5 times a power of ten.
fn step(top: f64) -> f64 {
    let least = (top / 8.0).max(1e-6);
    let power = 10_f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|s| *s >= least).unwrap_or(least)
}

/// Without digits that say nothing.
fn round_time(us: f64) -> String {
    let words = time(us);
    let Some((number, unit)) = words.split_once(' ') else { return words };
    let number = if number.contains('.') {
        number.trim_end_matches('0').trim_end_matches('.')
    } else {
        number
    };
    format!("{number} {unit}")
}

fn height(us: f64, top: f64) -> f64 {
    let share = if top > 0.0 { us / top } else { 0.0 };
    BOTTOM - share * (BOTTOM - TOP)
}

fn groups(out: &mut String, figure: &Figure, chart: &Chart) {
    let slots = float(chart.bars().count()) + GAP * float(chart.groups.len());
    let width = ((RIGHT - LEFT) / slots.max(1.0)).min(WIDEST);
    let mut x = LEFT + width * GAP / 2.0;
    let (mut errors, mut marks) = (String::new(), String::new());
    for group in &chart.groups {
        let start = x;
        for bar in &group.bars {
            draw(out, figure, (x, width), bar);
            let middle = coordinate(x + width / 2.0);
            let [low, high] = [bar.summary.min, bar.summary.max].map(|us| height(us, figure.top()));
            if low - high >= 1.0 {
                let _ = write!(errors, "M{middle} {}V{}", coordinate(low), coordinate(high));
            }
            if bar.marked {
                let _ = write!(marks, "M{middle} {}l-3.5-6h7z", coordinate(high - 2.0));
            }
            x += width;
        }
        text(out, (f64::midpoint(start, x), BOTTOM + 15.0), "", "middle", &group.label);
        x += width * GAP;
    }
    for (class, path) in [("err", errors), ("bad", marks)] {
        if !path.is_empty() {
            let _ = writeln!(out, "<path class=\"{class}\" d=\"{path}\"/>");
        }
    }
}

fn draw(out: &mut String, figure: &Figure, (x, width): (f64, f64), bar: &Bar) {
    let y = height(bar.summary.mean, figure.top());
    let name = figure.names.get(bar.name).map_or("", String::as_str);
    // Outlines are drawn on both sides of the edge.
    let inset = if bar.pale { 0.5 } else { 0.0 };
    let _ = writeln!(
        out,
        "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{}: \
         {}</title></rect>",
        class(bar.name, bar.pale),
        coordinate(x + inset),
        coordinate(y),
        coordinate((width * 0.92 - 2.0 * inset).max(0.5)),
        coordinate((BOTTOM - y).max(0.5)),
        escape(name),
        time(bar.summary.mean)
    );
}

fn class(name: usize, pale: bool) -> String {
    format!("s{} {}", name % COLOURS, if pale { "c" } else { "n" })
}

/// The meaning of colours and marks, from the place (x, y) on in lines no longer than [`WIDTH`];
/// and where it ends.
#[must_use]
pub fn key(figure: &Figure, (x, mut y): (f64, f64)) -> (String, f64) {
    let mut out = String::new();
    let mut at = x;
    let mut entry = |out: &mut String, classes: &[String], words: &str| {
        let squares = float(classes.len()) * 13.0;
        // Letters are some 7 pixels wide.
        let letters = float(words.chars().count()) * 7.0;
        if at > x && at + squares + letters > WIDTH {
            (at, y) = (x, y + 18.0);
        }
        for class in classes {
            let (left, top) = (coordinate(at), coordinate(y - 10.0));
            let _ = writeln!(
                out,
                "<rect class=\"{class}\" x=\"{left}\" y=\"{top}\" width=\"10\" height=\"10\"/>"
            );
            at += 13.0;
        }
        text(out, (at + 2.0, y), "", "start", words);
        at += letters + 16.0;
    };
    let shades = figure.pale();
    for (k, name) in figure.names.iter().enumerate() {
        let classes: Vec<String> = shades.iter().map(|&pale| class(k, pale)).collect();
        entry(&mut out, &classes, name);
    }
    if shades.len() == 2 {
        entry(&mut out, &[], figure.shades);
    }
    (out, y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        let steps = [1.0, 7.0, 300.0, 6100.0].map(step);
        assert_eq!(steps, [0.2, 1.0, 50.0, 1000.0]);
        assert_eq!([500.0, 1500.0, 0.5].map(round_time), ["500 µs", "1.5 ms", "0.5 µs"]);
    }
}
