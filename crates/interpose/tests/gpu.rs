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
/// Every call of `gpu.c` that has a buffer of the program, and that commloom packs for where the
/// processor may use the memory.
const CALLS: &[&str] = &[
    "MPI_Send",
    "MPI_Recv",
    "MPI_Isend",
    "MPI_Irecv",
    "MPI_Sendrecv",
    "MPI_Send_init",
    "MPI_Recv_init",
    "MPI_Mrecv",
    "MPI_Imrecv",
    "MPI_Sendrecv_replace",
    "MPI_Bcast",
    "MPI_Ibcast",
    "MPI_Gather",
    "MPI_Igather",
    "MPI_Gatherv",
    "MPI_Scatter",
    "MPI_Iscatter",
    "MPI_Scatterv",
    "MPI_Allgather",
    "MPI_Iallgather",
    "MPI_Allgatherv",
    "MPI_Alltoall",
    "MPI_Ialltoall",
    "MPI_Alltoallv",
    "MPI_Alltoallw",
    "MPI_Neighbor_allgather",
    "MPI_Neighbor_allgatherv",
    "MPI_Neighbor_alltoall",
    "MPI_Ineighbor_alltoall",
    "MPI_Neighbor_alltoallv",
    "MPI_Neighbor_alltoallw",
    "MPI_Pack",
    "MPI_Unpack",
    "MPI_File_write_at",
    "MPI_File_read_at",
    "MPI_File_write_all",
    "MPI_File_read_all",
];
/// MPICH and those that descend from it get it wrong where one process packs
/// (`Subject::AllgathervOfOtherExtents`): there it is the library's with any memory.
const NOT_PACKED_WITH_MPICH: &str = "MPI_Allgatherv";

/// The row of the report of vectors with so many rows.
fn row(report: &serde_json::Value, rows: u64) -> &serde_json::Value {
    let start = format!("vec({rows}, 12, MPI_INT)");
    let types = report["types"].as_array().expect("a list");
    let found = types.iter().find(|row| row["before"] == start.as_str());
    found.unwrap_or_else(|| panic!("no {start} in {report}"))
}

/// The printed lines and the report of a program of `tests/c`, of two ranks, with this tool behind
/// commloom. A message that commloom leaves alone comes in once more where such a tool calls
/// `PMPI_*`, and is counted twice.
fn run(
    library: &Library,
    name: &str,
    tool: Option<&str>,
    way: &[(&str, &str)],
) -> (Vec<String>, serde_json::Value) {
    let program = library.compile(name);
    let standin = library.compile_named("cuda_standin", "libcuda.so.1");
    let tool = tool.map(|tool| format!(":{}", library.compile_shared(tool).display()));
    let preloads = format!("{}{}", library.preload().display(), tool.unwrap_or_default());
    let report = format!("report-{name}-{}.json", library.name);
    let report = Path::new(env!("CARGO_TARGET_TMPDIR")).join(report);
    let (standin, place) = (standin.to_string_lossy(), report.to_string_lossy());
    let files = report.with_extension("file");
    let files = files.to_string_lossy();
    let mut environment = way.to_vec();
    environment.extend([("STANDIN", &*standin), ("COMMLOOM_REPORT", &*place)]);
    environment.push(("GPU_FILE", &*files));
    let printed = lines(&library.run_beside(&program, &preloads, &environment));
    let text = std::fs::read_to_string(&report).expect("the report is there");
    (printed, serde_json::from_str(&text).expect("JSON"))
}

/// Buffers that reached the library from a call in a phase, on both ranks, and those among them
/// that were not the program's own in its own datatype.
#[track_caller]
fn seen(printed: &[String], rows: u64, call: &str) -> [u64; 2] {
    let start = format!(": {rows} rows: {call}: ");
    let counts = printed.iter().filter_map(|line| line.split_once(&start)).map(|(_, counts)| {
        let words: Vec<&str> = counts.split(' ').collect();
        [words[0], words[2]].map(|count| count.parse::<u64>().expect("a number"))
    });
    counts.fold([0, 0], |[all, strange], [a, s]| [all + a, strange + s])
}

#[test]
fn buffers_of_a_gpu_are_left_to_the_library_in_all_families_of_calls() {
    for library in libraries() {
        let is_openmpi = library.preload().ends_with("libcommloom_openmpi.so");
        for way in &WAYS {
            let packs = way[1].1 == "pack";
            let (printed, report) = run(&library, "gpu", Some("watcher"), way);
            let what = format!("{}, {way:?}: {printed:#?}", library.name);
            assert_eq!(report["failures"], 0, "{what}");
            assert!(printed.iter().any(|l| l.ends_with("in all: 0 wrong")), "{what}");
            assert!(printed.iter().any(|l| l.ends_with("the driver was asked")), "{what}");
            for rows in HOST {
                let row = row(&report, rows);
                let ours = row["engine"].as_u64().unwrap() + row["substituted"].as_u64().unwrap();
                assert!(ours > 0, "{what}: {row}");
                assert!(row["native"]["GPU buffer"].is_null(), "{what}: {row}");
                // Else a call that is never packed would say nothing of the phases below.
                let packed = CALLS.iter().filter(|_| packs);
                for call in packed.filter(|call| is_openmpi || **call != NOT_PACKED_WITH_MPICH) {
                    let [all, strange] = seen(&printed, rows, call);
                    // The library gets nothing to do for `MPI_Pack`.
                    assert!(strange > 0 || all == 0, "{call} is not packed, {rows} rows, {what}");
                }
            }
            for rows in GPU {
                let row = row(&report, rows);
                assert_eq!((&row["engine"], &row["substituted"]), (&0.into(), &0.into()), "{what}");
                assert!(row["native"]["GPU buffer"].as_u64() > Some(0), "{what}: {row}");
                for call in CALLS {
                    let [all, strange] = seen(&printed, rows, call);
                    assert!(all > 0 && strange == 0, "{call}: {strange} of {all}, {what}");
                }
            }
            if packs {
                let error = "a buffer that becomes a GPU's: an error";
                assert_eq!(printed.iter().filter(|l| l.ends_with(error)).count(), 2, "{what}");
                // Some part of it could be anywhere.
                let all = report.to_string();
                assert!(all.contains("MPI_BOTTOM, and perhaps a GPU buffer"), "{what}");
            }
        }
    }
}

/// The steps of `gpu_addresses.c`, by the rows of their layouts: whether the messages are left to
/// the library, and the most questions to the driver that 200 messages of a rank may take.
const STEPS: [(&str, u64, Option<bool>, u64); 8] = [
    // Both ends of each message; nothing is remembered of such addresses.
    ("pages of the host", 200, Some(false), 400),
    ("the heap", 201, Some(false), 0),
    ("the stack", 202, Some(false), 0),
    // Kind of memory, whether it is managed, and where the allocation begins and ends.
    ("the GPU's where the host's was", 203, Some(true), 3),
    // Either is right: what the processor may use, the library may use too.
    ("the host's where the GPU's was", 204, None, 400),
    ("another of the GPU", 205, Some(true), 3),
    ("the host's again", 206, Some(false), 400),
    ("the GPU's again", 207, Some(true), 3),
];

#[test]
fn the_driver_is_asked_once_for_an_allocation_and_again_when_the_address_is_anothers() {
    for library in libraries() {
        for way in &WAYS {
            let (printed, report) = run(&library, "gpu_addresses", None, way);
            let what = format!("{}, {way:?}: {printed:#?}", library.name);
            assert_eq!(report["failures"], 0, "{what}");
            assert_eq!(printed.iter().filter(|l| l.ends_with("in all: 0 wrong")).count(), 2);
            for (step, rows, is_native, most) in STEPS {
                let start = format!(": {step}: ");
                let asked: Vec<u64> = printed
                    .iter()
                    .filter_map(|line| line.split_once(&start)?.1.split_once(' '))
                    .map(|(number, _)| number.parse().expect("a number"))
                    .collect();
                assert_eq!(asked.len(), 2, "{step}, {what}");
                assert!(asked.iter().all(|asked| *asked <= most), "{step}: {asked:?}, {what}");
                let row = row(&report, rows);
                let ours = row["engine"].as_u64().unwrap() + row["substituted"].as_u64().unwrap();
                let left = row["native"]["GPU buffer"].as_u64().unwrap_or(0);
                match is_native {
                    Some(true) => assert_eq!((ours, left), (0, 400), "{step}: {row}, {what}"),
                    Some(false) => assert_eq!((ours, left), (400, 0), "{step}: {row}, {what}"),
                    None => {}
                }
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
        let files = folder.with_extension("file");
        let files = files.to_string_lossy();
        let environment =
            [("STANDIN", &*standin), ("COMMLOOM_TRACE", &*place), ("GPU_FILE", &*files)];
        let printed = lines(&library.run_beside(&program, &preloads, &environment));
        assert!(printed.iter().any(|l| l.ends_with("in all: 0 wrong")), "{printed:?}");
        assert!(printed.iter().any(|l| l.ends_with("the driver was asked")), "{printed:?}");
    }
}
