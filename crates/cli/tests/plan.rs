//! `commloom plan`: what it prints, in words and as JSON, and what it refuses.

mod common;

use common::{output, run};

/// For made-up machines the answer is the same everywhere.
fn plan(args: &[&str]) -> String {
    output(&[&["plan", "--target", "portable"], args].concat(), "")
}

#[test]
fn a_plan_is_shown_with_its_kernels_the_machine_and_the_cost() {
    let text = plan(&["--count", "1000", "resized(0, 16, contiguous(2, MPI_INT))"]);
    let expected = "\
plan: 8000 bytes in 1000 runs, from 0, in 0..15992
  loop 1000 stride 16: rows of 8
    block 8
kernels:
  loop 1000: each copy is one block of 8 bytes
target: vectors of 16 bytes, ";
    assert!(text.starts_with(expected), "{text}");
    let expected = "\
cost: 8000 bytes in 1000 runs of 8 bytes on average
memory: no byte is named twice: may be unpacked by several threads
";
    assert!(text.ends_with(expected), "{text}");
    // Standard input, and a type whose rows overlap.
    let text = output(&["plan", "-"], "vec(9, 4, idx(<0,3>, MPI_INT))");
    assert!(text.ends_with("a byte may be named twice: is unpacked by one thread\n"), "{text}");
}

#[test]
fn every_level_has_a_reason() {
    let text = plan(&["strc(<0,4000,9000>, <vec(9, 80, vec(8, 9, MPI_INT)), \
                       idx(<0,16,8,100>, MPI_INT), indexed(<2,1,3,1,1,1,1,1,1>, \
                       <0,3,7,20,30,41,50,60,70>, MPI_INT)>)"]);
    let (tree, kernels) = text.split_once("kernels:\n").expect("two parts");
    for (level, reason) in [
        ("seq 3", "different parts, each with a kernel of its own"),
        ("loop 9", "each copy is 8 equal blocks of 4 bytes at one distance: two loops in one call"),
        ("list 4 (32-bit offsets)", "each copy is one block of 4 bytes"),
        ("runs 9 (32-bit offsets)", "blocks of different lengths, one after the other"),
    ] {
        assert!(kernels.contains(&format!("{level}: {reason}\n")), "{level}: {kernels}");
        assert!(tree.contains(level.split(" (").next().expect("a name")), "{level}: {tree}");
    }
    let period = plan(&["vec(100, 32, strc(<0,12>, <MPI_INT, MPI_DOUBLE>))"]);
    assert!(period.contains("each copy is 2 blocks, at most 8: piece by piece"), "{period}");
    let args = ["plan", "--target", "avx512", "vec(1000, 16, MPI_DOUBLE)"];
    let wide = output(&args, "");
    assert!(wide.contains("on a machine with 64-byte vectors: packed by"), "{wide}");
}

#[test]
fn a_range_is_cut_into_pieces() {
    let ty = "idx(<0,40,85>, vec(3, 8, MPI_INT))";
    let text = plan(&["--range", "2..30", ty]);
    let expected = "\
range 2..30: 28 bytes in 8 runs
  2 bytes at 2
  copies 1..3 of loop at 0
  copies 1..2 of list at 0
  copies 0..1 of loop at 85
  2 bytes at 93
";
    assert!(text.ends_with(expected), "{text}");
    assert!(plan(&["--range", "36..36", ty]).ends_with("range 36..36: 0 bytes in 0 runs\n"));
}

/// Which kernels are chosen is measured and changes; their names are tested in `plan`.
fn without_kernels(json: &str) -> String {
    let mut parts = json.split("\"kernel\": \"");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once("\", ").expect("more members").1)
}

#[test]
fn json_has_the_same_facts() {
    let ty = "idx(<8,48,93>, vec(3, 8, MPI_INT))";
    let text = plan(&["--json", "--range", "2..30", ty]);
    let target = text.find("\"target\": {").expect("a target");
    let tree = text.find("\"plan\": ").expect("a plan");
    assert_eq!(
        &text[..target],
        "{\"count\": 1, \"extent\": 108, \"bytes\": 36, \"runs\": 9, \"average_run\": 4, \
         \"start\": 8, \"low\": 8, \"high\": 113, \"distinct\": true, "
    );
    assert!(text[target..tree].contains("\"vector\": 16, \"byte_permute\": false, "), "{text}");
    assert_eq!(
        without_kernels(&text[tree..]),
        "\"plan\": {\"list\": {\"bits\": 32, \"offsets\": [0, 40, 85], \"body\": {\"loop\": \
         {\"count\": 3, \"stride\": 8, \"body\": {\"block\": {\"bytes\": 4}}}}}}, \
         \"range\": {\"start\": 2, \"end\": 30, \"runs\": 8, \"pieces\": [\
         {\"at\": 10, \"bytes\": 2}, {\"at\": 8, \"of\": \"loop\", \"first\": 1, \"copies\": 2}, \
         {\"at\": 8, \"of\": \"list\", \"first\": 1, \"copies\": 1}, \
         {\"at\": 93, \"of\": \"loop\", \"first\": 0, \"copies\": 1}, \
         {\"at\": 101, \"bytes\": 2}]}}\n"
    );
}

#[test]
fn bad_input_is_refused_with_the_reason() {
    for (args, message) in [
        (
            &["--range", "0..37", "vec(9, 8, MPI_INT)"][..],
            "error: --range 0..37 is not inside the 36 bytes of the plan\n",
        ),
        (
            &["--range", "7..3", "MPI_INT"],
            "error: invalid value '7..3' for '--range <A..B>': the start 7 lies behind the end 3\n",
        ),
        (
            &["--range", "7", "MPI_INT"],
            "error: invalid value '7' for '--range <A..B>': expected two numbers with .. between, \
             such as 0..100\n",
        ),
        (
            &["--range", "0..x", "MPI_INT"],
            "error: invalid value '0..x' for '--range <A..B>': `x` is not a whole number from 0 to \
             2^64 - 1\n",
        ),
        (
            &["--count", "9223372036854775807", "MPI_INT"],
            "error: 9223372036854775807 copies of the type cannot be laid out: ",
        ),
        (
            &["vec(9, 8, MPI_IMT)"],
            "error: expected an MPI basic type or a constructor, found `MPI_IMT`\n --> TYPE:1:11\n",
        ),
    ] {
        let done = run(&[&["plan"], args].concat(), "");
        assert_eq!((done.status, done.out.as_str()), (Some(2), ""), "{args:?}");
        assert!(done.err.starts_with(message), "{args:?}: {}", done.err);
    }
}
