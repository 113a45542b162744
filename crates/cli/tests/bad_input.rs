//! Bad input: one clear message with line, column and caret, nothing on standard output, status 2.

mod common;

use common::{Done, run};

fn refused(args: &[&str], stdin: &str, message: &str) {
    let expected = Done { status: Some(2), out: String::new(), err: format!("{message}\n") };
    assert_eq!(run(args, stdin), expected, "{args:?}");
}

#[test]
fn a_list_with_a_word_in_it() {
    refused(
        &["reconstruct"],
        "0 2 3\n5, ten 12\n",
        "\
error: expected a displacement: an integer from -2^63 to 2^63 - 1, found `ten`
 --> standard input:2:4
  |
2 | 5, ten 12
  |    ^^^",
    );
}

#[test]
fn a_list_with_a_number_of_more_than_64_bits() {
    refused(
        &["reconstruct", "--json", "-"],
        "0 9223372036854775808",
        "\
error: expected a displacement: an integer from -2^63 to 2^63 - 1, found `9223372036854775808`
 --> standard input:1:3
  |
1 | 0 9223372036854775808
  |   ^^^^^^^^^^^^^^^^^^^",
    );
}

#[test]
fn displacements_too_far_apart() {
    refused(
        &["reconstruct"],
        "-9223372036854775808 0 9223372036854775807",
        "error: the displacements from -9223372036854775808 to 9223372036854775807 differ by more \
         than 64 bits can hold",
    );
}

#[test]
fn an_empty_file() {
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("empty.txt");
    std::fs::write(&file, "").unwrap();
    let name = file.to_str().unwrap();
    refused(
        &["reconstruct", name],
        "",
        &format!(
            "\
error: expected a displacement: an integer from -2^63 to 2^63 - 1, found end of input
 --> {name}:1:1
  |
1 | \n  | ^"
        ),
    );
    refused(
        &["normalize", name],
        "",
        &format!(
            "\
error: expected a type: a constructor or an MPI basic type, found end of input
 --> {name}:1:1
  |
1 | \n  | ^"
        ),
    );
}

#[test]
fn an_unknown_constructor() {
    refused(
        &["normalize", "-"],
        "vec(4, 10,\n    indx(<0,2,3,5>, MPI_CHAR))\n",
        "\
error: expected a constructor, found `indx`
 --> standard input:2:5
  |
2 |     indx(<0,2,3,5>, MPI_CHAR))
  |     ^^^^
  = help: did you mean `idx`?",
    );
}

#[test]
fn an_unknown_basic_type() {
    refused(
        &["cost", "vec(4, 10, MPI_DUOBLE)"],
        "",
        "\
error: expected an MPI basic type or a constructor, found `MPI_DUOBLE`
 --> TYPE:1:12
  |
1 | vec(4, 10, MPI_DUOBLE)
  |            ^^^^^^^^^^
  = help: did you mean `MPI_DOUBLE`?",
    );
}

#[test]
fn a_missing_parenthesis() {
    refused(
        &["show", "vec(4, 10, idx(<0,2,3,5>, MPI_CHAR)"],
        "",
        "\
error: expected `)` to close `vec`, found end of input
 --> TYPE:1:36
  |
1 | vec(4, 10, idx(<0,2,3,5>, MPI_CHAR)
  |                                    ^
  = help: `vec` at line 1, column 1 is not closed",
    );
}

#[test]
fn a_negative_count() {
    refused(
        &["flatten", "vector(-4, 2, 10, MPI_INT)"],
        "",
        "\
error: expected the count of `vector`: a whole number from 0 to 2^64 - 1, found `-4`
 --> TYPE:1:8
  |
1 | vector(-4, 2, 10, MPI_INT)
  |        ^^",
    );
}

#[test]
fn an_overflow() {
    refused(
        &["emit", "--lang", "c", "vec(2, 8, contiguous(4611686018427387904, MPI_INT))"],
        "",
        "\
error: the span of vec does not fit in 64 bits
 --> TYPE:1:11
  |
1 | vec(2, 8, contiguous(4611686018427387904, MPI_INT))
  |           ^^^^^^^^^^",
    );
}

#[test]
fn json_that_is_no_type() {
    refused(
        &[
            "normalize",
            "{\"vec\": {\"count\": 4, \"strid\": 10, \"child\": {\"leaf\": \"MPI_INT\"}}}",
        ],
        "",
        "\
error: expected an object with the members count, stride, child, found `\"strid\"`
 --> TYPE:1:22
  |
1 | {\"vec\": {\"count\": 4, \"strid\": 10, \"child\": {\"leaf\": \"MPI_INT\"}}}
  |                      ^^^^^^^
  = help: did you mean `stride`?",
    );
}

#[test]
fn files_that_cannot_be_read() {
    refused(
        &["reconstruct", "no/such/list"],
        "",
        "error: cannot read no/such/list: No such file or directory (os error 2)",
    );
    refused(
        &["normalize", "no/such/type.txt"],
        "",
        "error: `no/such/type.txt` is neither a file nor a type such as vec(4, 10, MPI_INT)",
    );
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("latin1.txt");
    std::fs::write(&file, b"0 2 \xE9").unwrap();
    let name = file.to_str().unwrap();
    refused(
        &["reconstruct", name],
        "",
        &format!("error: {name} is not UTF-8 text: byte 4 belongs to no character"),
    );
}

#[test]
fn a_cost_model_with_a_misspelled_constant() {
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("misspelled.toml");
    std::fs::write(&file, "# MPICH\n[cost]\nleaf = 6\nlokup = 1\n").unwrap();
    let name = file.to_str().unwrap();
    refused(
        &["reconstruct", "--cost", name],
        "0 1 2",
        &format!(
            "\
error: unknown constant `lokup`, expected one of leaf, vec, idx, idxbuc, strc, lookup, bucket, \
triangular
 --> {name}:4:1
  |
4 | lokup = 1
  | ^^^^^
  = help: did you mean `lookup`?"
        ),
    );
}

#[test]
fn a_cost_model_with_a_fraction() {
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("fraction.toml");
    std::fs::write(&file, "[cost]\nvec = 6.5\n").unwrap();
    let name = file.to_str().unwrap();
    refused(
        &["cost", "--cost", name, "MPI_INT"],
        "",
        &format!(
            "\
error: `vec` must be a whole number from 1 to 2^64 - 1, not 6.5
 --> {name}:2:7
  |
2 | vec = 6.5
  |       ^^^
  = help: costs count only in relation to each other: multiply all of them"
        ),
    );
}

#[test]
fn a_cost_past_what_sums_can_hold() {
    for command in ["normalize", "show"] {
        refused(
            &[command, "--cost", "vec=99999999999", "MPI_INT"],
            "",
            "error: the cost constant `vec` is 99999999999, it must be at most 2147483648",
        );
    }
}

#[test]
fn a_cost_model_that_is_not_there() {
    refused(
        &["normalize", "--cost", "no/such.toml", "MPI_INT"],
        "",
        "error: cannot read no/such.toml: No such file or directory (os error 2)",
    );
}

/// The options are read by clap: the first line says what is wrong, the status is the same.
#[test]
fn options_that_are_wrong() {
    for (args, message) in [
        (
            &["reconstruct", "--cost", "vek=6"][..],
            "error: invalid value 'vek=6' for '--cost <FILE.toml|vec=6,...>': unknown constant \
             `vek`, expected leaf, vec, idx, idxbuc, strc, lookup, bucket or triangular",
        ),
        (
            &["cost", "--cost", "vec=0", "MPI_INT"],
            "error: invalid value 'vec=0' for '--cost <FILE.toml|vec=6,...>': the cost constant \
             `vec` must be positive",
        ),
        (
            &["reconstruct", "--base", "int"],
            "error: invalid value 'int' for '--base <BASIC>': no MPI basic type has this name, \
             expected one such as MPI_BYTE or MPI_INT",
        ),
        (
            &["normalize", "--constructors", "all", "MPI_INT"],
            "error: invalid value 'all' for '--constructors <CONSTRUCTORS>'",
        ),
        (
            &["emit", "--lang", "c", "--name", "a b", "MPI_INT"],
            "error: invalid value 'a b' for '--name <NAME>': expected a letter, then letters, \
             digits and underscores",
        ),
    ] {
        let done = run(args, "");
        assert_eq!((done.status, done.out.as_str()), (Some(2), ""), "{args:?}");
        assert_eq!(done.err.lines().next(), Some(message), "{args:?}");
    }
}
