//! The bucket type and the triangular type at the command line: written, priced, found.

mod common;

use common::{output, run};

/// The lower triangle of a 6 x 6 matrix of doubles, row by row.
const TRIANGLE: &str = "triangular(6, 48, 8, 1, 1, MPI_DOUBLE)";

#[test]
fn what_is_written_as_a_shape_is_printed_as_an_idxbuc() {
    let shown = output(&["show", TRIANGLE], "");
    assert!(shown.contains("idxbuc") && !shown.contains("triangular"), "{shown}");
    let cost = |args: &[&str], ty: &str| output(&[&["cost", "--json"], args, &[ty]].concat(), "");
    assert_eq!(cost(&[], TRIANGLE), "{\"cost\": 24, \"nodes\": 2}\n");
    assert_eq!(cost(&["--cost", "triangular=7"], TRIANGLE), "{\"cost\": 13, \"nodes\": 2}\n");
    let bucket = "bucket(100, 4, <3,1,4,1,5>, MPI_INT)";
    assert_eq!(cost(&["--cost", "triangular=7"], bucket), "{\"cost\": 22, \"nodes\": 2}\n");
    assert_eq!(cost(&["--cost", "bucket=7"], bucket), "{\"cost\": 18, \"nodes\": 2}\n");
}

#[test]
fn reconstruct_finds_a_triangle_where_it_has_a_price() {
    let starts: Vec<String> =
        (0..6).flat_map(|i| (0..=i).map(move |j| (48 * i + 8 * j).to_string())).collect();
    let found = |args: &[&str]| {
        let args = [&["reconstruct", "--base", "MPI_DOUBLE"], args].concat();
        output(&args, &starts.join(" "))
    };
    assert_eq!(
        found(&["--cost", "triangular=6"]),
        "idxbuc(8, <0,48,96,144,192,240>, <1,2,3,4,5,6>, leaf(MPI_DOUBLE))\ncost 12 (optimal)\n"
    );
    assert!(found(&[]).ends_with("cost 24 (optimal)\n"));
}

#[test]
fn normalize_keeps_a_triangle_of_fifty_thousand_rows() {
    let ty = "triangular(50000, 400000, 8, 1, 1, MPI_DOUBLE)";
    let normal = output(&["normalize", "--json", "--cost", "triangular=9", ty], "");
    assert!(normal.contains("\"cost\": 15"), "{}", &normal[..200]);
}

#[test]
fn shapes_that_are_none_are_refused_with_their_place() {
    for (ty, message) in [
        (
            "triangular(4, 48, 8, 3, -1, MPI_DOUBLE)",
            "a block of triangular is 0, it must be from 1 to 9223372036854775807",
        ),
        (
            "triangular(2000000, 48, 8, 3, 1, MPI_DOUBLE)",
            "the count of triangular is 2000000, it must be from 0 to 1048576",
        ),
        (
            "bucket(48, 8, <3,0,1>, MPI_DOUBLE)",
            "a block of bucket is 0, it must be from 1 to 9223372036854775807",
        ),
        (
            "bucket(48, <3,1>, MPI_DOUBLE)",
            "expected the stride of `bucket`: an integer from -2^63 to 2^63 - 1, found `<`",
        ),
    ] {
        let done = run(&["cost", ty], "");
        assert_eq!(done.status, Some(2), "{ty}");
        assert!(done.err.starts_with(&format!("error: {message}\n")), "{}", done.err);
        assert!(done.err.contains("1 | ") && done.err.contains('^'), "{}", done.err);
    }
}
