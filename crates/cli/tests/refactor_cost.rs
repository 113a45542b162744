//! `commloom refactor`: what it says of costs, and `--bench`.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::{Done, commloom, done};
use serde_json::Value;

/// A face of a box, a list, a triangle, members of structures, and something received.
const SHAPES: &str = "#include <mpi.h>

struct atom { double x[3]; int kind; };

void face(int nx, int ny, int nz, const double *u, int to, MPI_Comm c)
{
    double b[ny * nz];
    int p = 0;
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < ny; j++)
            b[p++] = u[(k * ny + j) * nx + 1];
    MPI_Send(b, p, MPI_DOUBLE, to, 0, c);
}

void listed(int n, const int *list, const double *u, int to, MPI_Comm c)
{
    double b[10000];
    for (int i = 0; i < n; i++)
        b[i] = u[list[i]];
    MPI_Send(b, n, MPI_DOUBLE, to, 0, c);
}

void kinds(int n, const struct atom *atoms, int to, MPI_Comm c)
{
    int b[1000];
    for (int i = 0; i < n; i++)
        b[i] = atoms[i].kind;
    MPI_Send(b, n, MPI_INT, to, 0, c);
}

void take(int n, double *u, int from, MPI_Comm c)
{
    double b[1000];
    MPI_Recv(b, n, MPI_DOUBLE, from, 0, c, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        u[3 * i] = b[i];
}

void triangle(int n, const double *u, int to, MPI_Comm c)
{
    double b[10000];
    int p = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            b[p++] = u[i * n + j];
    MPI_Send(b, p, MPI_DOUBLE, to, 0, c);
}
";

fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("refactor-cost-{test}"));
    // What the last run left would be taken for this one's.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("shapes.c"), SHAPES).expect("a file");
    folder
}

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = commloom(&["refactor"]);
    command.env_remove("COMMLOOM_MODEL").env("XDG_CACHE_HOME", folder);
    command.args(args).current_dir(folder).stdin(Stdio::null());
    command
}

fn refactor(folder: &Path, args: &[&str]) -> Done {
    done(&command(folder, args).output().expect("the binary was built"))
}

fn costs(done: &Done) -> Vec<Value> {
    assert_eq!(done.status, Some(0), "{done:?}");
    let value: Value = serde_json::from_str(&done.out).expect("JSON");
    let sites = value["sites"].as_array().expect("sites");
    sites.iter().map(|site| site["change"]["cost"].clone()).collect()
}

#[test]
fn each_change_says_what_is_sent_at_which_sizes_and_what_its_type_costs() {
    let folder = folder("note");
    let done = refactor(&folder, &["shapes.c"]);
    // n = 90: 90^2 elements of 8 bytes are the most below 64 KiB; the buffers of the others have
    // room for less.
    for line in [
        "    cost: 64800 bytes in 8100 blocks (nx = ny = nz = 90); the datatype costs 12 in the \
         cost model, a list of the blocks 8112; what",
        "    cost: 4000 bytes in 1000 blocks (n = 1000); the datatype costs 12 in the cost model, \
         a list of the blocks 1012; what",
        "    cost: 8000 bytes in 1000 blocks (n = 1000); the datatype costs 12 in the cost model, \
         a list of the blocks 1012; what",
        "    cost: 65024 bytes in 127 blocks (n = 127); the datatype costs",
    ] {
        assert!(done.err.contains(line), "{line}\n{}", done.err);
    }
    assert!(done.err.contains("what it takes here, --bench measures"), "{}", done.err);
    // A list of places that follow no rule has no form that is much cheaper.
    let listed = &costs(&refactor(&folder, &["--json", "shapes.c"]))[1];
    assert_eq!(listed["bytes"], 65536);
    assert!(listed["model"]["normal"].as_u64().is_some_and(|cost| cost > 8000), "{listed}");
    let explained = refactor(&folder, &["--explain", "shapes.c:28", "shapes.c"]);
    assert!(explained.out.contains("cost: 4000 bytes in 1000 blocks"), "{}", explained.out);
}

#[test]
fn constants_of_the_cost_model_can_be_given() {
    let folder = folder("model");
    let cost = &costs(&refactor(&folder, &["--json", "--cost", "vec=17,lookup=2", "shapes.c"]))[0];
    assert_eq!(cost["model"]["datatype"], 17 + 6, "{cost}");
    assert_eq!(cost["model"]["blocks"], 6 + 6 + 2 * 8100, "{cost}");
}

/// A table as `commloom calibrate --messages` writes it, of a library that takes a microsecond for
/// a block of 8 bytes.
#[test]
fn a_library_that_was_calibrated_is_told_of() {
    let folder = folder("table");
    let mut table =
        "# commloom message times, version 1\n# library: Slow MPI 1.0\n# measured: here\n# rows\n"
            .to_owned();
    for bytes in [512_u64, 8192, 65536, 131_072] {
        for form in ["vector", "nest", "blocks", "list", "struct", "spelled"] {
            for many in ["one", "many"] {
                let (native, packed) = (bytes / 8 * 1000, bytes / 8);
                table.push_str(&format!("{form} {many} 8 {bytes} {native} {packed}\n"));
            }
        }
    }
    fs::create_dir_all(folder.join("commloom")).expect("a folder");
    fs::write(folder.join("commloom/messages-slow-mpi-1.0.txt"), table).expect("a file");
    let done = refactor(&folder, &["shapes.c"]);
    assert_eq!(
        done.err.matches("    cost: with Slow MPI 1.0 a message takes about ").count(),
        5,
        "{}",
        done.err
    );
    assert!(done.err.contains(" us packed; commloom packs it\n"), "{}", done.err);
    assert!(!done.err.contains("--bench measures"), "{}", done.err);
    // Between the measured ones; what lies in more cache lines than they do takes a little longer.
    let messages = &costs(&refactor(&folder, &["--json", "shapes.c"]))[3]["messages"][0];
    assert_eq!(messages["library"], "Slow MPI 1.0");
    let native = messages["native_us"].as_f64().unwrap_or(0.0);
    assert!((999.0..1010.0).contains(&native), "{messages}");
}

/// The libraries that tests use, where they are installed.
fn installed() -> Vec<&'static str> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = |name: &&str| {
        let compiler = format!("mpicc.{name}");
        std::env::split_paths(&path).any(|dir| dir.join(&compiler).is_file())
    };
    let found: Vec<&str> = ["mpich", "openmpi"].into_iter().filter(is_there).collect();
    let required = ["CI", "COMMLOOM_REQUIRE_MPI"].iter().any(|v| std::env::var_os(v).is_some());
    assert!(!found.is_empty() || !required, "MPI is required here, but there is no mpicc.*");
    if found.is_empty() {
        commloom_testkit::skipped("refactor --bench: neither MPICH nor Open MPI is installed");
    }
    found
}

/// Whatever it measures has been compared byte for byte; else it would say so in place of times.
#[test]
fn every_way_is_measured_and_has_moved_the_right_bytes() {
    let libraries = installed();
    if libraries.is_empty() {
        return;
    }
    let folder = folder("bench");
    let named = format!("--bench={}", libraries.join(","));
    let all = costs(&refactor(&folder, &[&named, "--json", "shapes.c"]));
    assert_eq!(all.len(), 5);
    for (at, cost) in all.iter().enumerate() {
        let measured = &cost["measured"];
        assert_eq!(measured["work"], if at == 3 { "unpacking" } else { "packing" });
        let ways = measured["ways"].as_array().expect("ways");
        assert_eq!(ways.len(), 2 + libraries.len(), "{measured:#}");
        for way in ways {
            let time = |value: &Value| value.as_f64().unwrap_or(0.0);
            let [low, high] = [&way["quartiles_us"][0], &way["quartiles_us"][1]].map(time);
            let median = time(&way["median_us"]);
            assert!(0.0 < low && low <= median && median <= high, "{measured:#}");
        }
    }
    let table = refactor(&folder, &[&named, "shapes.c"]);
    assert_eq!(
        table.out.matches("of the loop\n").count(),
        5 * (2 + libraries.len()),
        "{}",
        table.out
    );
    assert!(table.out.contains("unpacking 8000 bytes in 1000 blocks (n = 1000)"), "{}", table.out);
    assert!(!table.out.contains("+++"), "no patch: {}", table.out);
}

#[test]
fn a_library_that_is_named_must_be_there_and_a_compiler_need_not() {
    let folder = folder("missing");
    let missing = refactor(&folder, &["--bench=/no/such/libmpi.so", "shapes.c"]);
    assert_eq!(missing.status, Some(2), "{missing:?}");
    assert!(missing.err.contains("cannot measure with /no/such/libmpi.so"), "{}", missing.err);
    let mut command = command(&folder, &["--bench", "--json", "shapes.c"]);
    let done = done(&command.env("CC", "no-such-compiler").output().expect("the binary was built"));
    let loops = &costs(&done)[0]["measured"]["ways"][0];
    assert_eq!(loops["name"], "loop, no-such-compiler -O3");
    assert!(loops["error"].as_str().is_some_and(|e| e.contains("no C compiler")), "{loops}");
}
