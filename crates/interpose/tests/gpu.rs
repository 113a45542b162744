//! Buffers that are memory of a GPU reach the library as the program gave them, by the word of a
//! stand-in for the driver: neither packed nor under another datatype, in all families of calls.

mod harness;

use std::path::Path;

use harness::{Library, libraries, lines};

/// Everything that can be is packed, or substituted.
const WAYS: [[(&str, &str); 2]; 2] = [
    [("COMMLOOM_WARMUP", "0"), ("COMMLOOM_FORCE", "pack")],
    [("COMMLOOM_WARMUP", "0"), ("COMMLOOM_FORCE", "types")],
];
/// Rows of the phases in which the processor may use the memory: there is no driver, it does not
/// know it, it knows it as memory of the host.
const HOST: [u64; 3] = [100, 101, 102];
/// And where not: the driver does not say, managed memory, memory of the device.
const GPU: [u64; 3] = [103, 105, 106];

/// The row of the report of vectors with so many rows.
fn row(report: &serde_json::Value, rows: u64) -> &serde_json::Value {
    let start = format!("vec({rows}, 12, MPI_INT)");
    let types = report["types"].as_array().expect("a list");
    let found = types.iter().find(|row| row["before"] == start.as_str());
    found.unwrap_or_else(|| panic!("no {start} in {report}"))
}

fn run(library: &Library, way: &[(&str, &str)]) -> (Vec<String>, serde_json::Value) {
    let program = library.compile("gpu");
    let watcher = library.compile_shared("watcher");
    let standin = library.compile_named("cuda_standin", "libcuda.so.1");
    let preloads = format!("{}:{}", library.preload().display(), watcher.display());
    let report = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("gpu-{}.json", library.name));
    let (standin, place) = (standin.to_string_lossy(), report.to_string_lossy());
    let mut environment = way.to_vec();
    environment.extend([("STANDIN", &*standin), ("COMMLOOM_REPORT", &*place)]);
    let printed = lines(&library.run_beside(&program, &preloads, &environment));
    let text = std::fs::read_to_string(&report).expect("the report is there");
    (printed, serde_json::from_str(&text).expect("JSON"))
}

#[test]
fn buffers_of_a_gpu_are_left_to_the_library_in_all_families_of_calls() {
    for library in libraries() {
        for way in &WAYS {
            let (printed, report) = run(&library, way);
            let what = format!("{}, {way:?}: {printed:#?}", library.name);
            assert_eq!(report["failures"], 0, "{what}");
            assert!(printed.iter().any(|l| l.ends_with("in all: 0 wrong")), "{what}");
            assert!(printed.iter().any(|l| l.ends_with("the driver was asked")), "{what}");
            for rows in HOST {
                let row = row(&report, rows);
                let ours = row["engine"].as_u64().unwrap() + row["substituted"].as_u64().unwrap();
                assert!(ours > 0, "{what}: {row}");
                assert!(row["native"]["GPU buffer"].is_null(), "{what}: {row}");
            }
            for rows in GPU {
                let row = row(&report, rows);
                assert_eq!((&row["engine"], &row["substituted"]), (&0.into(), &0.into()), "{what}");
                assert!(row["native"]["GPU buffer"].as_u64() > Some(0), "{what}: {row}");
                let seen: Vec<&String> =
                    printed.iter().filter(|l| l.contains(&format!(": {rows} rows:"))).collect();
                assert_eq!(seen.len(), 2, "{what}");
                assert!(seen.iter().all(|l| l.ends_with(" 0 strange")), "{what}");
                assert!(!seen.iter().any(|l| l.contains(" 0 seen")), "{what}");
            }
            if way[1].1 == "pack" {
                let error = "a buffer that becomes a GPU's: an error";
                assert_eq!(printed.iter().filter(|l| l.ends_with(error)).count(), 2, "{what}");
                // Some part of it could be anywhere.
                let all = report.to_string();
                assert!(all.contains("MPI_BOTTOM, and perhaps a GPU buffer"), "{what}");
            }
        }
    }
}

#[test]
fn a_trace_does_not_look_at_memory_of_a_gpu() {
    for library in libraries() {
        let program = library.compile("gpu");
        let watcher = library.compile_shared("watcher");
        let standin = library.compile_named("cuda_standin", "libcuda.so.1");
        let folder = library.empty_folder("gpu-trace");
        let preloads = format!("{}:{}", library.preload().display(), watcher.display());
        let (standin, place) = (standin.to_string_lossy(), folder.to_string_lossy());
        let environment = [("STANDIN", &*standin), ("COMMLOOM_TRACE", &*place)];
        let printed = lines(&library.run_beside(&program, &preloads, &environment));
        assert!(printed.iter().any(|l| l.ends_with("in all: 0 wrong")), "{printed:?}");
        assert!(printed.iter().any(|l| l.ends_with("the driver was asked")), "{printed:?}");
    }
}
