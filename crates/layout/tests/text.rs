//! The text notation: round trips, every constructor, every error with its place.

use commloom_layout::mpi::{self, Distribution, Order};
use commloom_layout::text::{ParseError, Problem, parse, parse_displacements, pretty};
use commloom_layout::{Basic, LayoutError, MAX_DEPTH, Type};
use commloom_testkit::{Limits, check, corpus, random_type};

fn reads_back(ty: &Type) {
    let line = ty.to_string();
    assert!(!line.contains('\n'), "{line}");
    assert_eq!(parse(&line).as_ref(), Ok(ty), "{line}");
    assert_eq!(format!("{ty:?}"), line, "Debug is the same form");
    let pretty = pretty(ty);
    assert_eq!(parse(&pretty).as_ref(), Ok(ty), "{pretty}");
}

#[test]
fn what_is_printed_is_read_back_as_an_equal_type() {
    check(10_000, |rng| {
        let ty = random_type(rng, &Limits::default());
        reads_back(&ty);
        let pretty = pretty(&ty);
        assert!(pretty.lines().all(|l| l.len() <= 100), "{pretty}");
    });
    corpus::all(500).iter().for_each(|n| reads_back(&n.ty));
    Basic::all().for_each(|b| reads_back(&Type::leaf(b)));
}

#[test]
fn the_printed_form_is_that_of_the_papers() {
    let source = "vec(4,10,idx( <0, 2,3,5>\n, leaf ( MPI_CHAR ) ) ) # figure 1\n";
    let line = "vec(4, 10, idx(<0,2,3,5>, leaf(MPI_CHAR)))";
    assert_eq!(parse(source).unwrap().to_string(), line);
    let all =
        "strc(<0,-8>, <idxbuc(4, <0,9>, <1,2>, leaf(MPI_INT)), resized(-1, 9, leaf(MPI_BYTE))>)";
    assert_eq!(parse(all).unwrap().to_string(), all);
    assert_eq!(parse("strc(<>,<>)").unwrap().to_string(), "strc(<>, <>)");
}

#[test]
fn the_pretty_form_breaks_nodes_and_lists_that_do_not_fit() {
    let indices: Vec<i64> = (0..40).map(|i| i * i).collect();
    let child = Type::idx(indices, Type::leaf(Basic::INT)).unwrap();
    let text = pretty(&Type::vec(3, 10_000, child).unwrap());
    let expected = "\
vec(3, 10000,
  idx(<0,1,4,9,16,25,36,49,64,81,100,121,144,169,196,225,256,289,324,361,400,441,484,529,576,625,
      676,729,784,841,900,961,1024,1089,1156,1225,1296,1369,1444,1521>,
    leaf(MPI_INT)))";
    assert_eq!(text, expected);
    assert_eq!(pretty(&Type::leaf(Basic::INT)), "leaf(MPI_INT)");
}

#[test]
fn every_mpi_constructor_is_read_as_the_function_of_its_name() {
    let int = Type::leaf(Basic::INT);
    let cases = [
        ("MPI_INT", Ok(int.clone())),
        ("MPI_DOUBLE_INT", Ok(Type::predefined("MPI_DOUBLE_INT").unwrap())),
        ("contiguous(3, MPI_INT)", mpi::contiguous(3, &int)),
        ("vector(2, 3, -5, MPI_INT)", mpi::vector(2, 3, -5, &int)),
        ("hvector(2, 3, 50, MPI_INT)", mpi::hvector(2, 3, 50, &int)),
        ("indexed(<1,2>, <0,4>, MPI_INT)", mpi::indexed(&[1, 2], &[0, 4], &int)),
        ("hindexed(<1,2>, <0,40>, MPI_INT)", mpi::hindexed(&[1, 2], &[0, 40], &int)),
        ("indexed_block(2, <0,4>, MPI_INT)", mpi::indexed_block(2, &[0, 4], &int)),
        ("hindexed_block(2, <0,40>, MPI_INT)", mpi::hindexed_block(2, &[0, 40], &int)),
        (
            "struct(<1,2>, <0,8>, <MPI_INT, MPI_INT>)",
            mpi::structure(&[1, 2], &[0, 8], &[int.clone(), int.clone()]),
        ),
        (
            "subarray(<4,5>, <2,3>, <1,2>, C, MPI_INT)",
            mpi::subarray(&[4, 5], &[2, 3], &[1, 2], Order::C, &int),
        ),
        (
            "subarray(<4,5>, <2,3>, <1,2>, Fortran, MPI_INT)",
            mpi::subarray(&[4, 5], &[2, 3], &[1, 2], Order::Fortran, &int),
        ),
        (
            "darray(6, 4, <4,5,3>, <block, cyclic(2), none>, <2,3,1>, Fortran, MPI_INT)",
            mpi::darray(
                6,
                4,
                &[4, 5, 3],
                &[Distribution::Block(None), Distribution::Cyclic(Some(2)), Distribution::None],
                &[2, 3, 1],
                Order::Fortran,
                &int,
            ),
        ),
        ("resized(-4, 12, MPI_INT)", mpi::resized(-4, 12, &int)),
        ("dup(MPI_INT)", Ok(int.clone())),
    ];
    for (text, built) in cases {
        assert_eq!(parse(text), Ok(built.unwrap()), "{text}");
    }
}

/// Line, column, message and hint of the error.
fn error(source: &str) -> String {
    describe(parse(source).expect_err(source))
}

fn describe(e: ParseError) -> String {
    let hint = e.hint().map_or(String::new(), |h| format!("; {h}"));
    format!("{}:{} {}{hint}", e.line(), e.column(), e.problem())
}

#[test]
fn errors_name_the_place_what_was_found_and_what_was_expected() {
    let cases = [
        ("", "1:1 expected a type: a constructor or an MPI basic type, found end of input"),
        ("vect(4, 10, MPI_INT)", "1:1 expected a constructor, found `vect`; did you mean `vec`?"),
        (
            "vec(4, 10,\n  MPI_IMT)",
            "2:3 expected an MPI basic type or a constructor, found `MPI_IMT`; did you mean \
             `MPI_INT`?",
        ),
        (
            "leaf(int)",
            "1:6 expected an MPI basic type such as `MPI_INT`, found `int`; did you mean \
             `MPI_INT`?",
        ),
        (
            "leaf(MPI_2INT)",
            "1:6 expected an MPI basic type such as `MPI_INT`, found `MPI_2INT`; `MPI_2INT` is not \
             basic, it is the type vec(2, 4, leaf(MPI_INT))",
        ),
        (
            "vec(4, 10, idx(<0,2>, MPI_INT)",
            "1:31 expected `)` to close `vec`, found end of input; `vec` at line 1, column 1 is \
             not closed",
        ),
        (
            "vec(4, 10, MPI_INT))",
            "1:20 expected the end of the input: the type is complete, found `)`",
        ),
        (
            "vec(-4, 10, MPI_INT)",
            "1:5 expected the count of `vec`: a whole number from 0 to 2^64 - 1, found `-4`",
        ),
        (
            "vec(4, 99999999999999999999, MPI_INT)",
            "1:8 expected the stride of `vec`: an integer from -2^63 to 2^63 - 1, found \
             `99999999999999999999`",
        ),
        (
            "vec(4, 1.5, MPI_INT)",
            "1:8 expected the stride of `vec`: an integer from -2^63 to 2^63 - 1, found `1.5`",
        ),
        (
            "vec(4, MPI_INT)",
            "1:8 expected the stride of `vec`: an integer from -2^63 to 2^63 - 1, found `MPI_INT`",
        ),
        ("vec(4)", "1:6 expected `,` and the stride of `vec`, found `)`"),
        ("vec 4", "1:5 expected `(` and the arguments of `vec`, found `4`"),
        (
            "idx(0,2, MPI_INT)",
            "1:5 expected the indices of `idx`: a list in `<` and `>`, found `0`",
        ),
        ("idx(<0 2>, MPI_INT)", "1:8 expected `,` or `>` in the indices of `idx`, found `2`"),
        (
            "idx(<0,>, MPI_INT)",
            "1:8 expected an entry of `idx`: an integer from -2^63 to 2^63 - 1, found `>`",
        ),
        (
            "vec(1,2,idxbuc(1, <0,1>, <1>, MPI_INT))",
            "1:9 the indices and blocks of idxbuc differ in length: 2 and 1",
        ),
        ("vec(4, 9223372036854775807, MPI_INT)", "1:1 the span of vec does not fit in 64 bits"),
        (
            "subarray(<4>, <5>, <0>, C, MPI_INT)",
            "1:1 a subsize of subarray is 5, it must be from 1 to 4",
        ),
        (
            "subarray(<4>, <2>, <0>, D, MPI_INT)",
            "1:25 expected the order of the array: `C` or `Fortran`, found `D`",
        ),
        (
            "darray(1, 0, <4>, <blok>, <1>, C, MPI_INT)",
            "1:20 expected `none`, `block` or `cyclic`, found `blok`; did you mean `block`?",
        ),
        (
            "MPI_INT(3)",
            "1:8 expected nothing more of this type: `MPI_INT` takes no arguments, found `(`",
        ),
        ("§", "1:1 expected a type: a constructor or an MPI basic type, found `§`"),
    ];
    for (source, expected) in cases {
        assert_eq!(error(source), expected, "{source}");
    }
}

#[test]
fn the_rendered_error_shows_the_line_and_a_caret() {
    let source = "vec(4, 10, # four\n\tidx(<0,two,3>, MPI_INT))";
    let expected = "\
expected an entry of `idx`: an integer from -2^63 to 2^63 - 1, found `two`
 --> layout.txt:2:9
  |
2 |  idx(<0,two,3>, MPI_INT))
  |         ^^^";
    assert_eq!(parse(source).unwrap_err().render("layout.txt"), expected);
}

#[test]
fn of_a_very_long_line_only_the_part_around_the_error_is_shown() {
    let mut source: String = (0..100_000).map(|i| format!("{i} ")).collect();
    source.push_str("x ");
    source.push_str(&"7 ".repeat(1000));
    let error = parse_displacements(&source).unwrap_err();
    let text = error.render("list");
    assert!(text.lines().all(|l| l.chars().count() < 130), "{text}");
    let lines: Vec<&str> = text.lines().collect();
    let caret = lines[4].find('^').unwrap();
    assert_eq!(&lines[3][caret..=caret], "x", "{text}");
}

#[test]
fn nesting_beyond_the_limit_is_an_error_and_not_a_stack_overflow() {
    for name in ["dup(", "vec(1, 0, ", "idx(<0>, ", "strc(<0>, <"] {
        let error = parse(&name.repeat(100_000)).unwrap_err();
        let limit = LayoutError::TooDeep { given: MAX_DEPTH + 1, limit: MAX_DEPTH };
        assert_eq!(error.problem(), &Problem::Layout(limit), "{name}");
        assert_eq!(error.span().start, MAX_DEPTH * name.len());
    }
}

#[test]
fn the_deepest_type_is_printed_and_read_back() {
    let leaf = Type::leaf(Basic::INT);
    let deep = (1..MAX_DEPTH).fold(leaf, |t, _| Type::strc([1], [t]).unwrap());
    reads_back(&deep);
}

#[test]
fn every_prefix_of_a_type_is_an_error_and_no_garbage_panics() {
    let source =
        "strc(<0,-8>, <idxbuc(4, <0,9>, <1,2>, leaf(MPI_INT)), subarray(<4>,<2>,<1>,C,MPI_INT)>)";
    for end in 0..source.len() {
        let error = parse(&source[..end]).unwrap_err();
        assert!(error.span().end <= end);
    }
    check(20_000, |rng| {
        let mut bytes = source.as_bytes().to_vec();
        for _ in 0..rng.usize(1..4) {
            let k = rng.usize(0..bytes.len());
            bytes[k] = b"(),<>-0 9#x\nMv_\xC3\xA9"[rng.usize(0..17)];
        }
        let text = String::from_utf8_lossy(&bytes);
        match parse(&text) {
            Ok(ty) => reads_back(&ty),
            Err(error) => {
                assert!(text.get(error.span()).is_some(), "{text}");
                assert!(error.render("x").contains('^'));
            }
        }
    });
}

#[test]
fn displacement_lists_take_white_space_commas_and_comments() {
    let list = parse_displacements("# a list\n0, 2,3\t-5\n\n+7, # last\n").unwrap();
    assert_eq!(list, [0, 2, 3, -5, 7]);
    let what = "a displacement: an integer from -2^63 to 2^63 - 1";
    for (source, expected) in [
        ("0 2\n3 four 5", format!("2:3 expected {what}, found `four`")),
        ("", format!("1:1 expected {what}, found end of input")),
        ("# nothing\n", format!("2:1 expected {what}, found end of input")),
        ("1,,2", format!("1:3 expected {what}, found `,`")),
        ("1 9223372036854775808", format!("1:3 expected {what}, found `9223372036854775808`")),
        ("1 2.5", format!("1:3 expected {what}, found `2.5`")),
        ("1-2", format!("1:1 expected {what}, found `1-2`")),
    ] {
        assert_eq!(describe(parse_displacements(source).unwrap_err()), expected, "{source}");
    }
}
