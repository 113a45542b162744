//! The MSCCL reader: algorithms of every collective are what their `coll` says, wrong ones are
//! not.

use commloom_commgraph::read::msccl::{Algorithm as Read, Coll, Difference, read};
use commloom_commgraph::{Analysis, GraphError, Kind, Options, analyse};
use commloom_testkit::check;
use commloom_testkit::graphs::msccl::algorithms::{ALGORITHMS, MscclAlgorithm};

fn cases() -> impl Iterator<Item = (&'static MscclAlgorithm, u32)> {
    ALGORITHMS.iter().flat_map(|a| a.gpus.iter().map(move |gpus| (a, *gpus)))
}

fn analysed(read: &Read) -> Result<Analysis, GraphError> {
    analyse(&read.program.graph, Options::default())
}

/// The error of a file, whoever notices.
fn wrong(xml: &str) -> Option<String> {
    let algo = match read(xml) {
        Ok(algo) => algo,
        Err(e) => return Some(e.to_string()),
    };
    if let Err(e) = analysed(&algo) {
        return Some(e.to_string());
    }
    let difference: Option<Difference> = algo.claim.check(&algo.program).unwrap();
    difference.map(|d| {
        let place = &xml[d.span.clone()];
        assert!(place.starts_with('<') || algo.claim.coll().name() == place, "{place}");
        d.to_string()
    })
}

#[test]
fn every_algorithm_is_what_it_claims_to_be() {
    assert!(ALGORITHMS.len() >= 20);
    let mut failures = Vec::new();
    for (algorithm, gpus) in cases() {
        let xml = algorithm.writer(gpus).xml();
        let name = format!("{} of {gpus}", algorithm.name);
        let algo = read(&xml).unwrap_or_else(|e| panic!("{}", e.render(&name)));
        if let Some(difference) = algo.claim.check(&algo.program).unwrap() {
            failures.push(format!("{name}: {difference}"));
        }
        let detection = analysed(&algo).unwrap().detection;
        let kinds: Vec<Kind> = detection.collectives.iter().map(|c| c.kind).collect();
        // MPI's broadcast has one buffer: the root's copy from input to output is its own.
        let own =
            |source, destination| algo.claim.coll() == Coll::Broadcast && source == destination;
        let nothing_left = detection.left.iter().all(|t| own(t.source, t.destination))
            && detection.left_reduced.is_empty();
        if kinds != [algo.claim.coll().kind().unwrap()] || !nothing_left {
            failures.push(format!(
                "{name}: {kinds:?}, left {:?} {:?}",
                detection.left, detection.left_reduced
            ));
        }
    }
    assert!(failures.is_empty(), "{} wrong:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn the_examples_are_what_the_generator_writes() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/detect");
    for algorithm in ALGORITHMS {
        let file = format!("{folder}/{}.xml", algorithm.name);
        let written = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{file}: {e}"));
        let again = "cargo run -p commloom-commgraph --example msccl -- examples/detect";
        assert_eq!(written, algorithm.writer(algorithm.gpus[0]).xml(), "{file}: {again}");
    }
}

#[test]
fn files_with_one_offset_changed_are_refused() {
    // A step's type, and the buffer that it uses.
    let uses = [
        ("s", "src"),
        ("r", "dst"),
        ("cpy", "src"),
        ("cpy", "dst"),
        ("re", "src"),
        ("re", "dst"),
        ("rrc", "dst"),
    ];
    let small: Vec<_> = cases().filter(|(_, gpus)| *gpus <= 16).collect();
    check(300, |rng| {
        let (algorithm, gpus) = small[rng.usize(0..small.len())];
        let xml = algorithm.writer(gpus).xml();
        let mut lines: Vec<String> = xml.lines().map(str::to_owned).collect();
        let (kind, side) = uses[rng.usize(0..uses.len())];
        let steps: Vec<usize> =
            (0..lines.len()).filter(|i| lines[*i].contains(&format!("type=\"{kind}\""))).collect();
        let Some(line) = steps.get(rng.usize(0..steps.len().max(1))) else { return };
        let (before, rest) = lines[*line].split_once(&format!("{side}off=\"")).unwrap();
        let (offset, after) = rest.split_once('"').unwrap();
        let offset: u32 = offset.parse().unwrap();
        let other = if offset > 0 && rng.bool() { offset - 1 } else { offset + 1 };
        lines[*line] = format!("{before}{side}off=\"{other}\"{after}");
        let changed = lines.join("\n");
        assert!(
            wrong(&changed).is_some(),
            "{} of {gpus}: not noticed: {}",
            algorithm.name,
            lines[*line]
        );
    });
}

#[test]
fn files_with_one_step_of_another_type_are_refused() {
    let types =
        [("cpy", "re"), ("re", "cpy"), ("rrc", "r"), ("r", "rrc"), ("s", "nop"), ("rrcs", "rrs")];
    for (algorithm, gpus) in cases().filter(|(_, gpus)| *gpus <= 8) {
        let xml = algorithm.writer(gpus).xml();
        for (old, new) in types {
            let (old, new) = (format!("type=\"{old}\""), format!("type=\"{new}\""));
            let Some(last) = xml.rfind(&old) else { continue };
            let changed = format!("{}{new}{}", &xml[..last], &xml[last + old.len()..]);
            assert!(wrong(&changed).is_some(), "{} of {gpus}: {old} -> {new}", algorithm.name);
        }
    }
}

#[test]
fn claims_to_be_another_collective_are_refused() {
    let names: Vec<&str> = ALGORITHMS.iter().map(|a| a.coll).collect();
    for (algorithm, gpus) in cases().filter(|(_, gpus)| *gpus <= 16) {
        let xml = algorithm.writer(gpus).xml();
        for other in names.iter().filter(|name| **name != algorithm.coll) {
            let lie =
                xml.replace(&format!("coll=\"{}\"", algorithm.coll), &format!("coll=\"{other}\""));
            assert!(wrong(&lie).is_some(), "{} of {gpus} passes for a {other}", algorithm.name);
        }
        let custom = xml.replace(&format!("coll=\"{}\"", algorithm.coll), "coll=\"custom\"");
        assert_eq!(wrong(&custom), None, "{} of {gpus}", algorithm.name);
    }
}

/// A file of two GPUs that pass each other a chunk.
const SMALL: &str = include_str!("algorithms/small.xml");

#[test]
fn a_file_cut_anywhere_is_refused_and_nothing_panics() {
    assert_eq!(wrong(SMALL), None);
    for end in 0..SMALL.trim_end().len() {
        assert!(read(&SMALL[..end]).is_err(), "cut at byte {end}");
    }
}

#[test]
fn spoiled_files_do_not_panic() {
    check(3000, |rng| {
        let mut text = SMALL.as_bytes().to_vec();
        for _ in 0..rng.usize(1..4) {
            let at = rng.usize(0..text.len());
            match rng.u8(0..4) {
                0 => text[at] = *rng.choice(b"<>/\"= 019-srcioxf&;\xc3\n").unwrap(),
                1 => drop(text.drain(at..(at + rng.usize(0..60)).min(text.len()))),
                2 => {
                    let part = text[at..(at + rng.usize(0..120)).min(text.len())].to_vec();
                    text.splice(at..at, part);
                }
                _ => drop(
                    text.splice(at..at, vec![*rng.choice(b"9<\"/").unwrap(); rng.usize(0..30)]),
                ),
            }
        }
        let text = String::from_utf8_lossy(&text);
        match read(&text) {
            Err(error) => assert!(!error.render("file").is_empty()),
            Ok(algo) => {
                if analysed(&algo).is_ok() {
                    drop(algo.claim.check(&algo.program));
                }
            }
        }
    });
}

#[test]
fn a_million_open_elements_are_refused() {
    for open in ["<algo>", "<tb>", "<a b='", "<!--", "<!DOCTYPE [", "&amp;"] {
        assert!(read(&open.repeat(1_000_000)).is_err(), "{open}");
    }
    let deep =
        SMALL.replace("<step s=\"0\"", &format!("{}<step s=\"0\"", "<step>".repeat(1_000_000)));
    assert!(read(&deep).is_err());
}

#[test]
fn messages_point_at_the_place() {
    let spoiled = [
        ("unknown step type", SMALL.replacen("type=\"r\"", "type=\"rx\"", 1)),
        ("unknown collective", SMALL.replace("allgather", "all_gather")),
        ("no attribute", SMALL.replacen(" cnt=\"1\"", "", 1)),
        ("attribute twice", SMALL.replacen(" cnt=\"1\"", " cnt=\"1\" cnt=\"2\"", 1)),
        ("huge number", SMALL.replacen("srcoff=\"0\"", "srcoff=\"99999999999999999999\"", 1)),
        ("out of bounds", SMALL.replacen("dstoff=\"1\"", "dstoff=\"2\"", 1)),
        ("no peer", SMALL.replacen("send=\"1\"", "send=\"-1\"", 1)),
        ("itself", SMALL.replacen("send=\"1\"", "send=\"0\"", 1)),
        ("not received", SMALL.replacen("type=\"r\"", "type=\"nop\"", 1)),
        ("other size", SMALL.replacen("dstoff=\"1\" cnt=\"1\"", "dstoff=\"0\" cnt=\"2\"", 1)),
        ("never signals", SMALL.replacen("depid=\"-1\" deps=\"-1\"", "depid=\"1\" deps=\"0\"", 1)),
        ("no such step", SMALL.replacen("depid=\"-1\" deps=\"-1\"", "depid=\"1\" deps=\"7\"", 1)),
        ("a GPU is missing", SMALL.replace("ngpus=\"2\"", "ngpus=\"3\"")),
        ("a GPU is there twice", SMALL.replace("gpu id=\"1\"", "gpu id=\"0\"")),
        ("steps out of order", SMALL.replace("s=\"1\" type", "s=\"2\" type")),
        ("wrong end", SMALL.replacen("</tb>", "</gpu>", 1)),
        ("no end", SMALL.replace("</algo>", "")),
        ("wrong nesting", SMALL.replacen("<tb", "<step", 1)),
        ("text", SMALL.replacen("<tb", "tb <tb", 1)),
        ("a wrong claim", SMALL.replace("allgather", "reduce_scatter")),
        (
            "a chunk from elsewhere",
            SMALL.replace("srcbuf=\"i\" srcoff=\"0\"", "srcbuf=\"o\" srcoff=\"0\""),
        ),
        (
            "a sum that should be none",
            SMALL.replacen(
                "type=\"r\" srcbuf=\"o\" srcoff=\"0\"",
                "type=\"rrc\" srcbuf=\"o\" srcoff=\"0\"",
                1,
            ),
        ),
    ];
    let mut shown = String::new();
    for (what, xml) in spoiled {
        let error = match read(&xml) {
            Err(error) => error.render("algo.xml"),
            Ok(algo) => match algo.claim.check(&algo.program) {
                Ok(Some(difference)) => difference.to_string(),
                other => panic!("{what}: {other:?}"),
            },
        };
        shown.push_str(&format!("# {what}\n{error}\n\n"));
    }
    insta::assert_snapshot!(shown);
}
