//! `commloom detect DIR`: from the traces of a program to its collective operations.

#[path = "common/mpi.rs"]
mod mpi;
#[path = "common/ring.rs"]
mod ring;

use std::path::{Path, PathBuf};

use ring::ring;

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("traces-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn detect(folder: &Path, options: &[&str]) -> std::process::Output {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_commloom"));
    command.arg("detect").arg(folder).args(options).output().expect("the command starts")
}

#[test]
fn a_ring_is_an_allgather_that_ran_so_often_from_there() {
    let folder = folder("ring");
    ring(&folder, 7);
    let output = detect(&folder, &["--phases"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("MPI_Allgather("), "{text}");
    assert!(
        text.contains("ran 7 times\n  sent in ring+0x10, 12\n  received in ring+0x20, 12"),
        "{text}"
    );
    assert!(text.contains("left: nothing"), "{text}");
    assert!(
        text.contains(
            "1. MPI_Allgather of 16 bytes, all 4 processes, 7 times: 84 messages, 1344 bytes"
        ),
        "{text}"
    );
    let json = objects(&detect(&folder, &["--json"]).stdout);
    let [phase, last] = &json[..] else { panic!("{json:?}") };
    assert_eq!(phase["collectives"][0]["kind"], "allgather");
    assert_eq!(phase["ran"]["times"], 7);
    let advice = &last["advice"][0];
    assert_eq!((&advice["messages"], &advice["bytes"]), (&84.into(), &1344.into()));
    let code =
        "MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, BLOCKS, 16, MPI_BYTE, MPI_COMM_WORLD);";
    assert_eq!(advice["code"][0], code);
}

fn objects(lines: &[u8]) -> Vec<serde_json::Value> {
    let lines = String::from_utf8_lossy(lines);
    lines.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect()
}

/// Requirements of the standard (SARIF 2.1.0, sections 3.13 to 3.34) on the objects that are
/// there, and both sides.
#[test]
fn sarif_has_the_shape_of_the_standard() {
    let folder = folder("sarif");
    ring(&folder, 2);
    let file = folder.with_extension("sarif");
    let output = detect(&folder, &["--sarif", file.to_str().expect("a name")]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let log: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&file).expect("it was written")).expect("JSON");
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().is_some_and(|s| s.contains("sarif-schema-2.1.0")));
    let run = &log["runs"][0];
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "commloom");
    let results = run["results"].as_array().expect("results");
    assert_eq!(results.len(), 1);
    for result in results {
        let rule =
            &driver["rules"][usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
        assert_eq!(rule["id"], result["ruleId"]);
        assert_eq!(rule["id"], "handwritten-allgather");
        assert!(["none", "note", "warning", "error"].iter().any(|level| result["level"] == *level));
        assert!(result["message"]["text"].as_str().is_some_and(|t| t.contains("MPI_Allgather(")));
        for (side, name) in [("locations", "ring+0x10"), ("relatedLocations", "ring+0x20")] {
            let location = &result[side][0];
            assert_eq!(location["logicalLocations"][0]["name"], name, "{result:#}");
            assert!(location["id"].is_u64());
        }
    }
    let graph = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/detect/broadcast.goal");
    let output = detect(&graph, &["--sarif", file.to_str().expect("a name")]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("commloom trace"), "{text}");
}

#[test]
fn messages_and_call_are_measured_with_each_library() {
    let folder = folder("measured");
    ring(&folder, 2);
    for library in mpi::Mpi::installed() {
        let measure = format!("--measure={}", library.name);
        let output = detect(&folder, &[&measure, "--json"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let all = objects(&output.stdout);
        let measured = &all.last().expect("a last line")["advice"][0]["measured"];
        assert!(measured["samples"].as_u64() >= Some(5), "{measured}");
        for what in ["messages", "call"] {
            let quartile = |name: &str| measured[what][name].as_f64().unwrap_or(0.0);
            let all = ["lower_quartile", "median", "upper_quartile"].map(quartile);
            assert!(all[0] > 0.0 && all.is_sorted(), "{measured}");
        }
    }
    let output = detect(&folder, &["--measure=no-such-mpi"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("no-such-mpi"), "{text}");
}

#[test]
fn a_missing_process_and_an_empty_folder_are_named() {
    let folder = folder("missing");
    ring(&folder, 1);
    std::fs::remove_file(folder.join("rank-000002.trace")).expect("it is there");
    let output = detect(&folder, &[]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("there is no trace of process 2"), "{text}");
    for rank in [0, 1, 3] {
        std::fs::remove_file(folder.join(format!("rank-{rank:06}.trace"))).expect("it is there");
    }
    let text = String::from_utf8_lossy(&detect(&folder, &[]).stderr).into_owned();
    assert!(text.contains("there is no trace in this folder"), "{text}");
}

#[test]
fn damage_is_listed_and_the_rest_is_read() {
    let folder = folder("damaged");
    ring(&folder, 1);
    let file = folder.join("rank-000001.trace");
    let mut bytes = std::fs::read(&file).expect("it is there");
    bytes.extend_from_slice(b"left over");
    std::fs::write(&file, bytes).expect("a file");
    let output = detect(&folder, &[]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("MPI_Allgather("), "{text}");
    assert!(
        text.contains("rank-000001.trace: byte") && text.contains("9 bytes are damaged"),
        "{text}"
    );
}
