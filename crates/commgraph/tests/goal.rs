//! The GOAL reader on good files, and on files that something has spoiled.

use commloom_commgraph::read::goal::read;
use commloom_commgraph::{Kind, Options, analyse, synchronization};
use commloom_testkit::check;

/// A broadcast in a chain.
const CHAIN: &str = "\
num_ranks 3 /* a chain */
rank 0 { l1: send 8b to 1 tag 7 cpu 0 nic 0  //@ l1 addr=0x10
}
rank 1 {
l1: recv 8b from 0 tag 7;
l2: calc 100
l3: send 8b to 2;
l2 requires l1
l3 requires l2
l3 irequires l2
//@ l1 addr=64
//@ l3 addr=64
//@ dead addr=64 size=0
}
rank 2 { l1: recv 8b from 1 // tag 0
//@ l1 addr=0x20
}
";

#[test]
fn a_chain_is_a_broadcast() {
    let goal = read(CHAIN).unwrap();
    assert!(goal.addressed);
    let analysis = analyse(&goal.graph, Options::default()).unwrap();
    let found: Vec<Kind> = analysis.detection.collectives.iter().map(|c| c.kind).collect();
    assert_eq!((found, analysis.detection.left.len()), (vec![Kind::Bcast], 0));
}

#[test]
fn spoiled_files_are_read_or_refused_but_nothing_panics() {
    check(3000, |rng| {
        let mut text = CHAIN.as_bytes().to_vec();
        for _ in 0..rng.usize(1..4) {
            let at = rng.usize(0..text.len());
            match rng.u8(0..4) {
                0 => text.truncate(at.max(1)),
                1 => text[at] = *rng.choice(b"{}:;=/*@ 0129x\xc3lrst-").unwrap(),
                2 => {
                    let more = text[..at].to_vec();
                    text.extend(more);
                }
                _ => {
                    let many = vec![*rng.choice(b"9{:/ ").unwrap(); rng.usize(0..40)];
                    text.splice(at..at, many);
                }
            }
        }
        let text = String::from_utf8_lossy(&text);
        match read(&text) {
            Err(error) => assert!(!error.render("file").is_empty()),
            Ok(goal) if goal.addressed => drop(analyse(&goal.graph, Options::default())),
            Ok(goal) => drop(synchronization(&goal.graph)),
        }
    });
}

#[test]
fn a_million_open_braces_are_refused() {
    let text = format!("num_ranks 1 rank 0 {}", "{".repeat(1_000_000));
    assert!(read(&text).is_err());
}

#[test]
fn a_file_cut_anywhere_does_not_panic() {
    for end in (0..CHAIN.len()).filter(|end| CHAIN.is_char_boundary(*end)) {
        match read(&CHAIN[..end]) {
            // Whole blocks are a file too.
            Ok(_) => {
                assert!(CHAIN[..end].trim_end().ends_with(['}', '3', '/']), "cut at byte {end}")
            }
            Err(error) => assert!(error.render("chain.goal").contains('^')),
        }
    }
}

#[test]
fn messages_point_at_the_place() {
    let spoiled = [
        ("duplicate label", CHAIN.replace("l2: calc", "l1: calc")),
        ("unknown label", CHAIN.replace("l2 requires l1", "l2 requires l9")),
        ("address of nothing", CHAIN.replace("//@ l3 addr", "//@ l7 addr")),
        ("an address is missing", CHAIN.replace("//@ l3 addr=64", "")),
        ("huge number", CHAIN.replace("addr=0x20", "addr=0x123456789abcdef01")),
        ("past the end of memory", CHAIN.replace("addr=0x20", "addr=0xffffffffffffffff")),
        ("unknown operation", CHAIN.replace("calc 100", "wait 100")),
        ("wrong size", CHAIN.replace("send 8b to 2", "send 8kb to 2")),
        ("no such rank", CHAIN.replace("send 8b to 2", "send 8b to 5")),
        ("rank twice", CHAIN.replace("rank 2", "rank 1")),
        ("comment without end", CHAIN.replace("*/", "")),
        ("no end", CHAIN.trim_end().trim_end_matches('}').to_owned()),
    ];
    let mut shown = String::new();
    for (what, text) in spoiled {
        let error = read(&text).expect_err(what).render("chain.goal");
        shown.push_str(&format!("# {what}\n{error}\n\n"));
    }
    insta::assert_snapshot!(shown);
}
