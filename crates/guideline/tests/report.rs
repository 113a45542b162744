//! Reports of campaigns with a known answer: text, page, pictures.

mod common;

use commloom_guideline::report::{PngError, Rasterizer, Report};
use commloom_guideline::results::Results;
use common::{campaign, fair, unfair};
use resvg::tiny_skia::Pixmap;

/// Full campaigns of five libraries: 11 tests, three operations, two modes.
const LARGEST_PAGE: usize = 5_000_000;

fn files() -> [Results; 2] {
    [campaign("MPICH", "4.0.2", 5, unfair), campaign("Open MPI", "<4.1.4>", 6, unfair)]
}

fn page_tree(page: &str) -> roxmltree::Document<'_> {
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    roxmltree::Document::parse_with_options(page, options).expect("well-formed")
}

#[test]
fn the_terminal_says_what_is_violated_and_what_to_use() {
    let [first, second] = files();
    let report = Report::of(&[&first, &second]);
    let text = report.terminal(false);
    for words in [
        "MPICH 4.0.2: 2 processes, 5 launches",
        "Open MPI <4.1.4>, native: what is slower than it should be",
        "GL4: Tiled-vector: Tiled, variant 1, A=2, B=4, MPI_INT",
        "Pack it instead: MPI_Pack, send MPI_PACKED, MPI_Unpack.",
        "6. One vector is as fast as repeated tiles.",
        "holds in part     MPICH 4.0.2, native: slower in 4 of 8 cells, faster in 0",
    ] {
        assert!(text.contains(words), "{words} is missing in {text}");
    }
    assert!(!text.contains('\u{1b}'), "no colours");
    assert!(report.terminal(true).contains("\u{1b}["), "colours");
}

#[test]
fn the_page_is_well_formed_and_needs_nothing_else() {
    let [first, second] = files();
    let report = Report::of(&[&first, &second]);
    let page = report.html();
    let tree = page_tree(&page);
    let elsewhere = |value: &str| value.contains("//") && !value.contains("www.w3.org");
    let attributes = tree.descendants().flat_map(|n| n.attributes());
    assert!(!attributes.map(|a| a.value()).any(elsewhere), "nothing is loaded");
    let ids: Vec<_> = tree.descendants().filter_map(|n| n.attribute("id")).collect();
    for link in tree.descendants().filter_map(|n| n.attribute("href")) {
        assert!(ids.contains(&link.trim_start_matches('#')), "{link}");
    }
    let text: String = tree.descendants().filter_map(|n| n.text()).collect();
    for words in
        ["MPICH <4.0.2> & more", "a CPU", "A vector of vectors is as fast", "holds in part"]
    {
        assert!(text.contains(words), "{words} is missing");
    }
}

#[test]
fn every_violation_is_a_row_and_every_series_a_bar() {
    let [first, second] = files();
    let report = Report::of(&[&first, &second]);
    let page = report.html();
    let tree = page_tree(&page);
    let table =
        tree.descendants().find(|n| n.attribute("id") == Some("violated")).expect("a table");
    // The first field of a row is the factor, the third the verdict.
    let field = |row: roxmltree::Node<'_, '_>, k| {
        let fields = row.descendants().filter(|n| n.tag_name().name() == "i");
        fields.clone().nth(k).and_then(|n| n.text()).map(str::to_owned)
    };
    let rows = || table.descendants().filter(|n| n.tag_name().name() == "tr").skip(1);
    let certain = rows().filter(|row| field(*row, 2).as_deref() == Some("violated"));
    assert_eq!(certain.count(), report.violations().count());
    let factors: Vec<f64> =
        rows().map(|row| field(row, 0).and_then(|f| f.parse().ok()).expect("a number")).collect();
    assert!(factors.windows(2).all(|pair| pair[0] >= pair[1]), "the largest first");
    let charts = tree.descendants().filter(|n| n.attribute("class") == Some("chart"));
    let bars = charts
        .flat_map(|n| n.descendants())
        .filter(|n| n.has_tag_name(("http://www.w3.org/2000/svg", "rect")));
    // Of each library, operation and mode: in test 1 per size contiguous and two block sizes, in
    // test 3 two methods of two block sizes and two sizes, in test 4 two descriptions, in test 5
    // to 7 three with the normal form.
    let (one, three, four, others) = (2 * 3, 2 * 2 * 2, 2 * 2 * 2, 3 * 2 * 2 * 3);
    assert_eq!(bars.count(), 2 * 2 * 2 * (one + three + four + others));
}

#[test]
fn a_campaign_that_has_nothing_yet_has_a_report() {
    let mut results = campaign("MPICH", "4.0.2", 1, fair);
    results.runs[0].series.clear();
    let report = Report::of(&[&results]);
    assert!(report.terminal(true).contains("0 series measured"));
    page_tree(&report.html());
    results.runs.clear();
    let report = Report::of(&[&results]);
    page_tree(&report.html());
    assert!(report.plots().is_empty());
}

#[test]
fn a_full_campaign_fits_in_a_page() {
    // As many series as five libraries have: some 1000 each natively and 1000 under commloom.
    let mut results = campaign("MPICH", "4.0.2", 5, unfair);
    let run = &mut results.runs[0];
    let (cases, series) = (run.cases.clone(), run.series.clone());
    for copy in 0..8 {
        let first = run.cases.len();
        run.cases.extend(cases.iter().cloned().map(|mut case| {
            case.layout = format!("Tiled {copy}");
            case.group = format!("{copy} {}", case.group);
            case
        }));
        run.series.extend(series.iter().cloned().map(|mut s| {
            s.case += first;
            s
        }));
    }
    let runs = (0..5).map(|k| {
        let mut run = results.runs[0].clone();
        run.library.version = k.to_string();
        run
    });
    results.runs = runs.collect();
    let report = Report::of(&[&results]);
    assert!(results.runs.iter().map(|run| run.series.len()).sum::<usize>() > 5000);
    let page = report.html();
    assert!(page.len() < LARGEST_PAGE, "{} bytes", page.len());
}

#[test]
fn plots_are_pictures_with_names_of_their_own() {
    let [first, second] = files();
    let plots = Report::of(&[&first, &second]).plots();
    let names: std::collections::BTreeSet<_> = plots.iter().map(|plot| &plot.name).collect();
    assert_eq!(names.len(), plots.len());
    assert!(
        names.contains(&"et06-ping-pong-tiled-variant-1-2.56-mb-mpi-int".to_owned()),
        "{names:?}"
    );
    assert!(names.contains(&"heat-bcast".to_owned()), "{names:?}");
    for plot in &plots {
        assert!(roxmltree::Document::parse(&plot.svg).is_ok(), "{}", plot.name);
    }
    let rasterizer = match Rasterizer::new() {
        Err(PngError::NoFont) => return commloom_testkit::skipped("PNG: no font is installed"),
        other => other.expect("fonts are there"),
    };
    let png = rasterizer.png(&plots[0]).expect("a picture");
    let pixels = Pixmap::decode_png(&png).expect("a PNG file");
    let dark =
        pixels.pixels().iter().filter(|p| p.red() < 100 && p.green() < 100 && p.blue() < 100);
    assert!(pixels.width() > 900 && dark.count() > 1000, "words and bars are drawn");
}
