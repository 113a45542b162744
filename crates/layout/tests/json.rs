//! The JSON form: round trips, member order, every error with its place.

use commloom_layout::{Basic, MAX_DEPTH, Type, json};
use commloom_testkit::{Limits, check, corpus, random_type};

fn reads_back(ty: &Type) {
    let text = json::write(ty);
    assert_eq!(json::parse(&text).as_ref(), Ok(ty), "{text}");
}

#[test]
fn what_is_written_is_read_back_as_an_equal_type() {
    check(10_000, |rng| reads_back(&random_type(rng, &Limits::default())));
    corpus::all(500).iter().for_each(|n| reads_back(&n.ty));
    let deep = (1..MAX_DEPTH).fold(Type::leaf(Basic::INT), |t, _| Type::strc([1], [t]).unwrap());
    reads_back(&deep);
}

#[test]
fn the_written_form_is_the_documented_one() {
    let ty = "strc(<0,-8>, <idxbuc(4, <0,9>, <1,2>, leaf(MPI_INT)), resized(-1, 9, vec(2, 8, \
              idx(<>, leaf(MPI_BYTE))))>)";
    let expected = "{\"strc\": {\"indices\": [0, -8], \"children\": [{\"idxbuc\": {\"stride\": 4, \
                    \"indices\": [0, 9], \"blocks\": [1, 2], \"child\": {\"leaf\": \"MPI_INT\"}}}, \
                    {\"resized\": {\"lb\": -1, \"extent\": 9, \"child\": {\"vec\": {\"count\": 2, \
                    \"stride\": 8, \"child\": {\"idx\": {\"indices\": [], \"child\": {\"leaf\": \
                    \"MPI_BYTE\"}}}}}}}]}}";
    assert_eq!(json::write(&ty.parse().unwrap()), expected);
}

#[test]
fn members_come_in_any_order_and_blanks_are_free() {
    let text =
        "\n{ \"vec\" :\t{\"child\":{\"leaf\":\"\\u004dPI_INT\"},\"stride\":-8,\"count\":3} }\n";
    assert_eq!(json::parse(text).unwrap().to_string(), "vec(3, -8, leaf(MPI_INT))");
}

#[test]
fn errors_name_the_place_what_was_found_and_what_was_expected() {
    let leaf = r#"{"leaf": "MPI_INT"}"#;
    let node = "a type: an object with one member, named after its constructor";
    let vec = "an object with the members count, stride, child";
    let cases = [
        (String::new(), "1:1 expected a JSON value, found end of input".to_owned()),
        ("[1]".into(), format!("1:1 expected {node}, found an array")),
        ("{}".into(), format!("1:1 expected {node}, found `{{}}`")),
        (
            r#"{"vecc": {}}"#.into(),
            "1:2 expected one of the constructors leaf, vec, idx, idxbuc, strc, resized, found \
             `\"vecc\"`; did you mean `vec`?"
                .into(),
        ),
        (
            r#"{"leaf": "MPI_IMT"}"#.into(),
            "1:10 expected the name of an MPI basic type, such as \"MPI_INT\", found \
             `\"MPI_IMT\"`; did you mean `MPI_INT`?"
                .into(),
        ),
        (
            format!("{{\"vec\": {{\n \"count\": -1, \"stride\": 4, \"child\": {leaf}}}}}"),
            "2:11 expected a whole number from 0 to 2^64 - 1, found `-1`".into(),
        ),
        (
            format!("{{\"vec\": {{\"count\": 1, \"stride\": 4.5, \"child\": {leaf}}}}}"),
            "1:32 expected an integer from -2^63 to 2^63 - 1, found `4.5`".into(),
        ),
        (
            r#"{"vec": {"count": 1, "stride": 4}}"#.into(),
            format!("1:9 expected {vec}; `child` is missing, found an object"),
        ),
        (
            format!("{{\"vec\": {{\"count\": 1, \"strid\": 4, \"child\": {leaf}}}}}"),
            format!("1:22 expected {vec}, found `\"strid\"`; did you mean `stride`?"),
        ),
        (
            r#"{"vec": {"count": 1, "count": 4}}"#.into(),
            "1:22 expected each member only once, found `\"count\"`".into(),
        ),
        (
            format!(
                "{{\"vec\": {{\"count\": 4, \"stride\": 9223372036854775807, \"child\": {leaf}}}}}"
            ),
            "1:2 the span of vec does not fit in 64 bits".into(),
        ),
        (
            format!("{{\"strc\": {{\"indices\": [1], \"children\": [{leaf}, {leaf}]}}}}"),
            "1:2 the indices and children of strc differ in length: 1 and 2".into(),
        ),
        (
            r#"{"idx": {"indices": 3, "child": 4}}"#.into(),
            "1:21 expected an array, found `3`".into(),
        ),
        (
            format!("{leaf} 1"),
            "1:21 expected the end of the input: the value is complete, found `1`".into(),
        ),
        (
            "{\"leaf\": MPI_INT}".into(),
            "1:10 expected a JSON value (text stands in double quotes), found `MPI_INT`".into(),
        ),
        (
            "{\"leaf\": \"MPI".into(),
            "1:10 expected a text that ends with `\"`, found `\"MPI`".into(),
        ),
        ("{\"leaf\" 3}".into(), "1:9 expected `:`, found `3`".into()),
        ("{\"leaf\": 3".into(), "1:11 expected `,` or `}`, found end of input".into()),
    ];
    for (source, expected) in cases {
        let e = json::parse(&source).expect_err(&source);
        let hint = e.hint().map_or(String::new(), |h| format!("; {h}"));
        let found = format!("{}:{} {}{hint}", e.line(), e.column(), e.problem());
        assert_eq!(found, expected, "{source}");
    }
}

#[test]
fn nesting_beyond_the_limit_is_an_error_and_not_a_stack_overflow() {
    for text in ["[", "{\"a\":", "{\"vec\":{\"child\":"] {
        let error = json::parse(&text.repeat(100_000)).unwrap_err();
        assert!(error.to_string().contains("levels"), "{error}");
    }
}

#[test]
fn no_garbage_panics() {
    let source = json::write(&corpus::shifted_pairs());
    (0..source.len()).for_each(|end| assert!(json::parse(&source[..end]).is_err()));
    check(20_000, |rng| {
        let mut bytes = source.as_bytes().to_vec();
        for _ in 0..rng.usize(1..4) {
            let k = rng.usize(0..bytes.len());
            bytes[k] = b"{}[]\",:\\u0-9.e\n\xC3\xA9"[rng.usize(0..17)];
        }
        let text = String::from_utf8_lossy(&bytes);
        match json::parse(&text) {
            Ok(ty) => reads_back(&ty),
            Err(error) => assert!(text.get(error.span()).is_some(), "{text}"),
        }
    });
}
