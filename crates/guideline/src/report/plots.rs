//! Charts and heat maps as pictures of their own.

use commloom_measure::chart::{self as draw, Figure, HEIGHT, WIDTH};

use super::{Report, chart, heat};
use crate::results::Operation;

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plot {
    /// Of a file, without ending: `et06-pingpong-tiled-variant-1-2.56-mb-mpi-int`.
    pub name: String,
    /// The picture.
    pub svg: String,
}

/// Above a chart: the title, or the name of a library.
const TITLE: f64 = 22.0;
const MARGIN: f64 = 8.0;

/// One for each figure, with a chart for each library, and one for each heat map.
pub fn plots(report: &Report<'_>) -> Vec<Plot> {
    let subjects = &report.study.subjects;
    let bad = report.bad_series();
    let mut plots: Vec<Plot> = (1..=11)
        .flat_map(|test| {
            let figures = chart::figures(test, subjects, &bad).into_iter();
            figures.map(move |figure| figure_plot(report, test, &figure))
        })
        .collect();
    for (operation, map) in heat::heat_maps(subjects) {
        let title = format!("times over the best, {}", operation_file(operation));
        let (body, (width, height)) = map.draw();
        let body = format!("<g transform=\"translate({MARGIN} {TITLE})\">\n{body}</g>\n");
        let size = (width + 2.0 * MARGIN, height + TITLE + MARGIN);
        let name = format!("heat-{}", operation_file(operation));
        plots.push(Plot { name, svg: draw::standalone(&title, size, &body) });
    }
    plots
}

fn figure_plot(report: &Report<'_>, test: u32, figure: &Figure) -> Plot {
    let title = format!("Expectation test {}: {}", test, figure.title);
    let mut body = String::new();
    draw::text(&mut body, (MARGIN, TITLE - 6.0), "h", "start", &title);
    let (key, mut y) = draw::key(figure, (MARGIN, TITLE + 12.0));
    body += &key;
    for (subject, chart) in &figure.charts {
        let name = report.study.subjects.get(*subject).map_or("", |s| s.name.as_str());
        y += TITLE;
        draw::text(&mut body, (MARGIN, y), "h", "start", name);
        let inner = draw::chart(figure, chart, name);
        let place = format!(
            "<svg x=\"{}\" y=\"{}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" ",
            MARGIN / 2.0,
            draw::coordinate(y + 4.0)
        );
        body += &inner.replacen("<svg ", &place, 1);
        y += HEIGHT;
    }
    let svg = draw::standalone(&title, (WIDTH + 2.0 * MARGIN, y + 2.0 * MARGIN), &body);
    Plot { name: file_name(&format!("et{:02} {}", test, figure.title)), svg }
}

fn operation_file(operation: Operation) -> &'static str {
    match operation {
        Operation::Pingpong => "pingpong",
        Operation::Bcast => "bcast",
        Operation::Allgather => "allgather",
    }
}

/// Letters that every file system and shell leaves alone.
fn file_name(title: &str) -> String {
    let plain =
        title.to_lowercase().replace("mpi_bcast", "bcast").replace("mpi_allgather", "allgather");
    let letters =
        plain.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' });
    let mut name = String::new();
    for c in letters {
        if c != '-' || !name.ends_with('-') {
            name.push(c);
        }
    }
    name.trim_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_plain() {
        let name = file_name("et06 MPI_Bcast, Tiled, A=2, 2.56 MB, ../MPI_INT");
        assert_eq!(name, "et06-bcast-tiled-a-2-2.56-mb-..-mpi-int");
    }
}
