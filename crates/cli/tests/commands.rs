//! Every subcommand that answers on standard output, on small examples.

mod common;

use std::fmt::Write;

use commloom_layout::{Type, json};
use commloom_testkit::corpus;
use common::{commloom, output, run};

fn lines(list: &[i64]) -> String {
    list.iter().fold(String::new(), |mut text, d| {
        let _ = writeln!(text, "{d}");
        text
    })
}

#[test]
fn reconstruct_prints_type_and_cost() {
    let figure = lines(&corpus::figure_1());
    assert_eq!(
        output(&["reconstruct", "--base", "MPI_CHAR"], &figure),
        "vec(4, 10, idx(<0,2,3,5>, leaf(MPI_CHAR)))\ncost 22 (optimal)\n"
    );
    assert_eq!(
        output(&["reconstruct", "--json", "-"], &figure),
        "{\"n\": 16, \"cost\": 22, \"exact\": true, \"type\": {\"vec\": {\"count\": 4, \"stride\": \
         10, \"child\": {\"idx\": {\"indices\": [0, 2, 3, 5], \"child\": {\"leaf\": \
         \"MPI_BYTE\"}}}}}}\n"
    );
}

#[test]
fn reconstruct_finds_the_optima_of_the_papers() {
    let cost = |list: &[i64], constructors: &str| {
        let args = ["reconstruct", "--constructors", constructors, "--json"];
        let text = output(&args, &lines(list));
        text.split("\"cost\": ").nth(1).unwrap().split(',').next().unwrap().parse::<u64>().unwrap()
    };
    let flat = |ty: &Type| ty.type_map().map(|e| e.displacement).collect::<Vec<i64>>();
    for (list, basic, extended, tree) in [
        (corpus::figure_1(), 22, 22, 22),
        (corpus::figure_2(), 42, 38, 34),
        (flat(&corpus::triple_vector()), 22, 22, 22),
        (flat(&corpus::shifted_pairs()), 20, 20, 20),
    ] {
        assert_eq!(cost(&list, "basic"), basic);
        assert_eq!(cost(&list, "extended"), extended);
        assert_eq!(cost(&list, "tree"), tree);
    }
}

#[test]
fn reconstruct_takes_other_costs() {
    let args = ["reconstruct", "--constructors", "basic", "--cost", "vec=100,lookup=2"];
    assert_eq!(output(&args, "0 8 16"), "idx(<0,8,16>, leaf(MPI_BYTE))\ncost 18 (optimal)\n");
}

#[test]
fn costs_come_from_files_and_single_constants_and_the_last_one_counts() {
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("dear-vec.toml");
    std::fs::write(&file, "# not measured\n[cost]\nvec = 100\nlookup = 2\n").unwrap();
    let name = file.to_str().unwrap();
    let idx = "idx(<0,8,16>, leaf(MPI_BYTE))\n";
    for (costs, cost) in [
        (name.to_owned(), 18),
        (format!("{name},leaf=1"), 13),
        (format!("lookup=7,{name}"), 18),
        (format!("{name},lookup=7"), 33),
    ] {
        let args = ["reconstruct", "--constructors", "basic", "--cost", &costs];
        assert_eq!(output(&args, "0 8 16"), format!("{idx}cost {cost} (optimal)\n"));
    }
    let both = ["cost", "--json", "--cost", name, "--cost", "vec=3", "vec(4, 8, MPI_INT)"];
    assert_eq!(output(&both, ""), "{\"cost\": 9, \"nodes\": 2}\n");
}

#[test]
fn normalize_keeps_the_bounds_and_shows_them() {
    let ty = "resized(-4, 100, vector(10, 1, 1, contiguous(2, MPI_INT)))";
    assert_eq!(
        output(&["normalize", ty], ""),
        "resized(-4, 100, vec(20, 4, leaf(MPI_INT)))\ncost 12 (optimal)\n"
    );
    assert_eq!(
        output(&["normalize", "--json", "-"], ty),
        "{\"n\": 20, \"cost\": 12, \"exact\": true, \"lb\": -4, \"extent\": 100, \"type\": \
         {\"vec\": {\"count\": 20, \"stride\": 4, \"child\": {\"leaf\": \"MPI_INT\"}}}}\n"
    );
}

#[test]
fn types_come_as_text_as_json_from_a_file_and_from_standard_input() {
    let ty: Type = "vec(3, 8, idx(<0,4>, leaf(MPI_CHAR)))".parse().unwrap();
    let json = json::write(&ty);
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("type.txt");
    std::fs::write(&file, format!("# a type\n{ty}\n")).unwrap();
    let expected = "0\n4\n8\n12\n16\n20\n";
    assert_eq!(output(&["flatten", &ty.to_string()], ""), expected);
    assert_eq!(output(&["flatten", &json], ""), expected);
    assert_eq!(output(&["flatten", file.to_str().unwrap()], ""), expected);
    assert_eq!(output(&["flatten", "-"], &json), expected);
    assert_eq!(output(&["flatten", "-"], &ty.to_string()), expected);
}

#[test]
fn flatten_lists_elements_or_runs_and_reconstruct_reads_every_list() {
    assert_eq!(output(&["flatten", "--runs", "vector(3, 2, 4, MPI_INT)"], ""), "0 8\n16 8\n32 8\n");
    let mixed = output(&["flatten", "struct(<2,1>, <0,8>, <MPI_CHAR, MPI_INT>)"], "");
    assert_eq!(mixed, "0 # MPI_CHAR\n1 # MPI_CHAR\n8 # MPI_INT\n");
    assert!(output(&["reconstruct"], &mixed).contains("<0,1,8>"));
    assert_eq!(
        output(&["flatten", "--json", "resized(-1, 9, vec(2, 4, MPI_SHORT))"], ""),
        "{\"n\": 2, \"size\": 4, \"lb\": -1, \"extent\": 9, \"type_map\": [[\"MPI_SHORT\", 0], \
         [\"MPI_SHORT\", 4]]}\n"
    );
}

#[test]
fn flatten_of_a_huge_type_ends_quietly_when_its_reader_leaves() {
    use std::io::{BufRead, BufReader};
    let mut child = commloom(&["flatten", "vec(1000000000, 8, MPI_INT)"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    assert_eq!(line, "0\n");
    drop(reader);
    let done = common::done(&child.wait_with_output().unwrap());
    assert_eq!((done.status, done.err.as_str()), (Some(0), ""));
}

#[test]
fn cost_shows_every_node() {
    let ty =
        "strc(<0,40>, <vec(4, 10, idx(<0,2,3,5>, MPI_CHAR)), idxbuc(4, <0,20>, <2,3>, MPI_INT)>)";
    assert_eq!(
        output(&["cost", ty], ""),
        "\
cost 48
strc  10
├─ vec  6
│  └─ idx  10
│     └─ leaf  6
└─ idxbuc  10
   └─ leaf  6
"
    );
    assert_eq!(
        output(&["cost", "--json", "--cost", "leaf=1", ty], ""),
        "{\"cost\": 38, \"nodes\": 6}\n"
    );
}

#[test]
fn show_draws_a_type_and_its_normal_form() {
    assert_eq!(
        output(&["show", "indexed_block(2, <0,3,6>, MPI_INT)"], ""),
        "\
24 bytes in 6 elements of MPI_INT, 3 runs
lower bound 0, extent 32; data from 0 to 32
changed: cost 21 to 18, list entries 3 to 0; the bytes and their order stay

before: cost 21, 3 nodes, depth 3
idx <0, 12, 24>
└─ vec 2 copies, 4 bytes apart
   └─ MPI_INT

after: cost 18 (optimal), 3 nodes, depth 3
vec 3 copies, 12 bytes apart
└─ vec 2 copies, 4 bytes apart
   └─ MPI_INT

one character is 4 bytes
before: the 3 entries of the idx
 0 [0 0 . 1 1 . 2 2]
after: the 3 copies of the vec
 0 [0 0 . 1 1 . 2 2]
"
    );
}

#[test]
fn show_says_where_nothing_changes() {
    assert_eq!(
        output(&["show", "resized(-4, 44, hvector(3, 2, 12, MPI_INT))"], ""),
        "\
24 bytes in 6 elements of MPI_INT, 3 runs
lower bound -4, extent 44; data from 0 to 32
nothing changes: this is its normal form, cost 18 (optimal)

cost 18, 4 nodes, depth 4
resized lower bound -4, extent 44
└─ vec 3 copies, 12 bytes apart
   └─ vec 2 copies, 4 bytes apart
      └─ MPI_INT

one character is 4 bytes
-4 [. 0 0 . 1 1 . 2 2 . .]
"
    );
}

#[test]
fn show_as_is_draws_the_type_alone() {
    let text = output(&["show", "--as-is", "idx(<0,4,8>, MPI_INT)"], "");
    let expected = "\
12 bytes in 3 elements of MPI_INT, 1 run
lower bound 0, extent 12; data from 0 to 12

cost 15, 2 nodes, depth 2
idx <0, 4, 8>
└─ MPI_INT

one character is 4 bytes
 0 [0 0 0]
";
    assert_eq!(text, expected);
}

/// Two parts as given, five copies of one tile afterwards; `*` where two parts overlap.
#[test]
fn show_numbers_the_parts_of_each_description() {
    let tiles = "strc(<0,32>, <vec(2, 16, vec(2, 4, MPI_INT)), vec(3, 16, vec(2, 4, MPI_INT))>)";
    let text = output(&["show", tiles], "");
    assert!(
        text.contains("before: the 2 parts of the strc\n 0 [0 0 . . 0 0 . . 1 1 . ."),
        "{text}"
    );
    assert!(text.contains("after: the 5 copies of the vec\n 0 [0 0 . . 1 1 . . 2 2 . ."), "{text}");
    let overlap = output(&["show", "idx(<0,4,8>, vec(2, 4, MPI_INT))"], "");
    assert!(overlap.contains("before: the 3 entries of the idx\n 0 [0 * * 2]\n"), "{overlap}");
}

#[test]
fn show_takes_constructors_and_costs() {
    let ty = "idx(<0,8,16>, MPI_INT)";
    let text = output(&["show", "--cost", "vec=100,idxbuc=100", ty], "");
    assert!(text.contains("nothing changes"), "{text}");
    let text = output(&["show", "--cost", "leaf=2", ty], "");
    assert!(text.contains("changed: cost 11 to 8, list entries 3 to 0"), "{text}");
    let two = format!(
        "indexed_block(1, <{}>, MPI_INT)",
        (0..12)
            .chain((0..18).map(|k| 17 + 10 * k))
            .map(|d| d.to_string())
            .collect::<Vec<_>>()
            .join(",")
    );
    assert!(output(&["show", &two], "").contains("after: the 2 parts of the strc"));
    let basic = output(&["show", "--constructors", "basic", &two], "");
    assert!(!basic.contains("strc"), "{basic}");
}

#[test]
fn show_draws_every_corpus_type_as_well_formed_svg() {
    let dir = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    for (k, named) in corpus::all(100).iter().enumerate() {
        let file = dir.join(format!("{k}.svg"));
        let text = named.ty.to_string();
        let told = output(&["show", "--svg", file.to_str().unwrap(), &text], "");
        let svg = std::fs::read_to_string(&file).unwrap();
        assert_well_formed(&svg, &named.name);
        assert!(svg.contains("One cell is") && svg.contains(">lb<"), "{}", named.name);
        let both = svg.contains(">Before: cost") && svg.contains(">After: cost");
        assert_eq!(both, !told.contains("nothing changes"), "{}", named.name);
    }
}

/// Tags nest, attributes are quoted, no stray markup characters.
fn assert_well_formed(svg: &str, name: &str) {
    let mut open: Vec<&str> = Vec::new();
    for piece in svg.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').unwrap_or_else(|| panic!("{name}: {piece}"));
        assert!(!text.contains('>'), "{name}: {piece}");
        assert_eq!(tag.matches('"').count() % 2, 0, "{name}: {tag}");
        let word = tag.split([' ', '/']).find(|w| !w.is_empty()).unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(word), "{name}");
        } else if !tag.ends_with('/') {
            open.push(word);
        }
    }
    assert!(open.is_empty(), "{name}: {open:?} left open");
}

#[test]
fn show_of_huge_and_empty_types_is_short() {
    for ty in [
        "vec(1000000000, 4096, contiguous(1000, MPI_DOUBLE))",
        "vec(0, 4, MPI_INT)",
        "vec(1000000000, 4, vec(0, 4, MPI_INT))",
        "contiguous(1000000000, vector(1000000, 3, 7, MPI_DOUBLE))",
        "vec(1000000000, 4096, idx(<0,8,16,24>, MPI_DOUBLE))",
        "resized(-9223372036854775807, 9223372036854775807, MPI_BYTE)",
        "strc(<>, <>)",
        "resized(10, -20, MPI_INT)",
    ] {
        let text = output(&["show", ty], "");
        assert!(text.lines().count() < 60 && text.len() < 10_000, "{text}");
        assert!(text.contains("one character is"), "{text}");
    }
}

#[test]
fn every_subcommand_has_examples_in_its_help() {
    for command in
        ["exec", "reconstruct", "normalize", "flatten", "show", "cost", "emit", "plan", "calibrate"]
    {
        let help = output(&[command, "--help"], "");
        assert!(
            help.contains("Examples:") && help.contains(&format!("commloom {command}")),
            "{help}"
        );
    }
    assert_eq!(run(&["frobnicate"], "").status, Some(2));
    assert_eq!(run(&[], "").status, Some(2));
}
