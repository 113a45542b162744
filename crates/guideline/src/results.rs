//! The results file: every sample of a campaign, and where it was taken. What reports are made of.
//!
//! It is written whole after every launch, to a temporary file that then takes the name, so that
//! no crash leaves half a file; and half a file, from elsewhere, is read as far as it goes.

mod repair;

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use commloom_guard::{Origin, Ownership};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The value of [`Results::format`].
pub const FORMAT: &str = "commloom-guidelines";
/// The value of [`Results::version`] that is written; later ones are refused.
pub const VERSION: u32 = 1;
/// Longest file, and longest text in a compressed one, in bytes.
const LONGEST: u64 = 1 << 30;
/// Files whose names end so are compressed.
const COMPRESSED: &str = "zst";
/// Level of compression: the size is near that of the highest one, for a tenth of the time.
const LEVEL: i32 = 10;

/// A campaign: some libraries, measured in turn on one machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// Whether every launch was made.
    pub complete: bool,
    /// When it began, RFC 3339.
    pub date: String,
    /// Of the random orders.
    pub seed: u64,
    /// Options of the campaign.
    pub options: Options,
    /// Where it was measured.
    pub environment: Environment,
    /// One for each library.
    #[serde(default)]
    pub runs: Vec<Run>,
}

/// Options of a campaign, with defaults filled in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// The libraries, as given.
    pub mpi: Vec<String>,
    /// Numbers of expectation tests, from 1 to 11.
    pub tests: Vec<u32>,
    /// Operations of all tests; `None`: those of the paper for each.
    pub operations: Option<Vec<Operation>>,
    /// Processes of collective operations; a ping-pong is between the first two.
    pub processes: u32,
    /// Launches of each library in each mode.
    pub runs: u32,
    /// Names of basic types.
    pub bases: Vec<String>,
    /// Data sizes in bytes; `None`: those of the paper for each test.
    pub sizes: Option<Vec<u64>>,
    /// Block sizes in elements; `None`: those of the paper for each test.
    pub blocks: Option<Vec<u64>>,
    /// Measured in turn.
    pub modes: Vec<Mode>,
    /// Fewer cases and repetitions.
    pub quick: bool,
    /// From this factor on a guideline counts as violated.
    pub threshold: f64,
}

/// A machine at the time of the campaign.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Environment {
    /// Its name.
    pub host: String,
    /// Kernel and its release.
    pub os: String,
    /// The processor, as the kernel names it.
    pub cpu: String,
    /// Cores that the launches could use.
    pub cores: u32,
    /// Of the first core (`scaling_governor`), where there is one.
    pub governor: Option<String>,
    /// How processes were bound to cores.
    pub pinning: String,
    /// Version of commloom.
    pub commloom: String,
}

/// One library.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Which one.
    pub library: Library,
    /// Processes of collective operations.
    pub processes: u32,
    /// The cases measured with it.
    #[serde(default)]
    pub cases: Vec<Case>,
    /// How that went.
    #[serde(default)]
    pub series: Vec<Series>,
}

/// An MPI library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Library {
    /// `MPICH`, `Open MPI`, `Intel MPI`, ...
    pub kind: String,
    /// `4.0.2`.
    pub version: String,
    /// All that `MPI_Get_library_version` says.
    pub text: String,
    /// The command that started its processes.
    pub mpirun: String,
}

/// Data in memory as MPI is told of it: the arguments of a communication call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// Unique in its run: `et6/tiled/A=2/vector/MPI_INT/2560000`.
    pub id: String,
    /// Numbers of the expectation tests that it belongs to.
    pub tests: Vec<u32>,
    /// Name of the layout in the paper.
    pub layout: String,
    /// Variant 1 or 2 of table 2, where the layout has them.
    pub variant: Option<u32>,
    /// Parameters of the layout, in elements: `A`, `B`, ...
    pub parameters: BTreeMap<String, u64>,
    /// The same for all cases that are the same bytes of the same buffer, in the same order.
    pub group: String,
    /// Name of the description in the paper.
    pub description: String,
    /// Its role in comparisons.
    pub role: Role,
    /// The datatype, in commloom's notation; long lists are shortened.
    #[serde(rename = "type")]
    pub ty: String,
    /// How many of the datatype.
    pub count: u64,
    /// Name of the basic type.
    pub base: String,
    /// Data bytes of the message.
    pub bytes: u64,
}

/// The role of a case in comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// As many bytes without gaps, of a basic type.
    Contiguous,
    /// The description that others of its group are compared with in the paper.
    Reference,
    /// Another description.
    Description,
    /// The normal form of the layout, as a datatype of the library.
    NormalForm,
}

/// A communication pattern (sections 2.1 and 3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// `MPI_Send` and `MPI_Recv` there and back.
    Pingpong,
    /// `MPI_Bcast`.
    Bcast,
    /// `MPI_Allgather`.
    Allgather,
}

/// How data comes into a communication call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// The call gets the datatype.
    Typed,
    /// `MPI_Pack`, the call with `MPI_PACKED`, `MPI_Unpack`: the right-hand sides of GL2 and GL3.
    Packed,
}

/// Who handles datatypes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The library alone.
    Native,
    /// The library under `commloom exec`.
    Commloom,
}

/// All launches of one operation on one case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Index into [`Run::cases`].
    pub case: usize,
    /// The communication pattern.
    pub operation: Operation,
    /// How.
    pub method: Method,
    /// Under what.
    pub mode: Mode,
    /// At most one for each number.
    #[serde(default)]
    pub launches: Vec<Launch>,
}

/// The outcome of a series in one launch of `mpirun`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Launch {
    /// From 0. In a campaign the launches of one number followed each other closely, in all modes.
    pub launch: u32,
    /// Its times or its error.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// Times, or why there are none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Outcome {
    /// All bytes arrived.
    Measured {
        /// Place in the random order of the launch, from 0.
        order: u32,
        /// Microseconds, in the order of measuring. Each is the maximum over the processes; of a
        /// ping-pong, half of the round trip.
        samples_us: Vec<f64>,
    },
    /// A wrong byte, an MPI error, a process that died: never a time.
    Failed {
        /// The error.
        error: String,
    },
}

/// Why a file cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// It cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    File {
        /// Which one.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// It is something else.
    #[error("{} is no results file of `commloom guidelines`: {reason}", path.display())]
    Format {
        /// Which one.
        path: PathBuf,
        /// The difference from the format.
        reason: String,
    },
    /// A later commloom wrote it.
    #[error("{} has version {given}, this commloom reads up to {VERSION}", path.display())]
    Version {
        /// Which one.
        path: PathBuf,
        /// Its version.
        given: u32,
    },
}

impl Results {
    /// Reads a file. Of one that ends too early everything is kept up to the last whole launch,
    /// and it is not [complete](Results::complete).
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn read(path: &Path) -> Result<Results, ReadError> {
        let failed = |error| ReadError::File { path: path.to_owned(), error };
        let mut bytes = commloom_guard::read(path, Origin::Argument, LONGEST).map_err(failed)?;
        if is_compressed(path) {
            let decoder = zstd::Decoder::new(bytes.as_slice()).map_err(failed)?;
            let mut decoded = Vec::new();
            // What was decoded before an error is kept; nothing at all is no results file. A small
            // file can become a very long one.
            let _ = decoder.take(LONGEST).read_to_end(&mut decoded);
            bytes = decoded;
        }
        let results = Results::parse(&String::from_utf8_lossy(&bytes)).map_err(|reason| {
            ReadError::Format { path: path.to_owned(), reason: reason.to_string() }
        })?;
        let wrong = |reason| Err(ReadError::Format { path: path.to_owned(), reason });
        if results.format != FORMAT {
            return wrong(format!("its format is {:?}, expected {FORMAT:?}", results.format));
        }
        if results.version > VERSION {
            return Err(ReadError::Version { path: path.to_owned(), given: results.version });
        }
        for run in &results.runs {
            if let Some(series) = run.series.iter().find(|s| s.case >= run.cases.len()) {
                let (given, limit) = (series.case, run.cases.len());
                return wrong(format!("a series names case {given}, and there are {limit}"));
            }
        }
        Ok(results)
    }

    fn parse(text: &str) -> Result<Results, serde_json::Error> {
        serde_json::from_str(text).or_else(|error| {
            if !error.is_eof() {
                return Err(error);
            }
            let mut results: Results = serde_json::from_str(&repair::closed(text))?;
            results.complete = false;
            Ok(results)
        })
    }

    /// Writes the file: compressed where its name ends in `.zst`. Whoever reads `path` meanwhile
    /// finds the old file or the new one, never a part.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let mut text = serde_json::to_vec(self)?;
        text.push(b'\n');
        if is_compressed(path) {
            text = zstd::encode_all(text.as_slice(), LEVEL)?;
        }
        commloom_guard::write(path, &text, Ownership::Mine)
    }
}

fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == COMPRESSED)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Results {
        let launch = |launch, samples_us: &[f64]| Launch {
            launch,
            outcome: Outcome::Measured { order: 3, samples_us: samples_us.to_vec() },
        };
        let failed = Launch { launch: 2, outcome: Outcome::Failed { error: "byte 7".into() } };
        Results {
            format: FORMAT.into(),
            version: VERSION,
            complete: true,
            date: "2026-11-21T19:10:00Z".into(),
            seed: 7,
            options: Options {
                mpi: vec!["mpich".into()],
                tests: vec![6],
                operations: None,
                processes: 2,
                runs: 3,
                bases: vec!["MPI_INT".into()],
                sizes: None,
                blocks: Some(vec![2]),
                modes: vec![Mode::Native],
                quick: false,
                threshold: 1.1,
            },
            environment: Environment {
                host: "here".into(),
                os: "Linux 6".into(),
                cpu: "a CPU".into(),
                cores: 2,
                governor: None,
                pinning: "core".into(),
                commloom: "0.1.0".into(),
            },
            runs: vec![Run {
                library: Library {
                    kind: "MPICH".into(),
                    version: "4.0.2".into(),
                    text: "MPICH Version: 4.0.2".into(),
                    mpirun: "/usr/bin/mpiexec.mpich".into(),
                },
                processes: 2,
                cases: vec![Case {
                    id: "et6/tiled/A=2/vector/MPI_INT/2000".into(),
                    tests: vec![6],
                    layout: "Tiled".into(),
                    variant: Some(1),
                    parameters: BTreeMap::from([("A".into(), 2), ("B".into(), 4)]),
                    group: "tiled".into(),
                    description: "Tiled-vector".into(),
                    role: Role::Description,
                    ty: "vector(250, 2, 4, MPI_INT)".into(),
                    count: 1,
                    base: "MPI_INT".into(),
                    bytes: 2000,
                }],
                series: vec![Series {
                    case: 0,
                    operation: Operation::Pingpong,
                    method: Method::Typed,
                    mode: Mode::Native,
                    launches: vec![launch(0, &[1.5, 2.25]), launch(1, &[1.75]), failed],
                }],
            }],
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let folder = tempfile::tempdir().expect("writable");
        for name in ["results.json", "results.json.zst"] {
            let path = folder.path().join(name);
            sample().write(&path).expect("writable");
            assert_eq!(Results::read(&path).expect("just written"), sample());
        }
        assert_eq!(
            std::fs::read_dir(folder.path()).expect("a folder").count(),
            2,
            "no temporary file"
        );
    }

    #[test]
    fn every_truncated_file_keeps_its_whole_launches() {
        let text = serde_json::to_string(&sample()).expect("no odd keys");
        let first = text.find(r#""runs":["#).expect("runs") + r#""runs":[{"library":{"#.len();
        let whole = text.find(r#""cases":"#).expect("cases");
        for end in 0..text.len() {
            match Results::parse(&text[..end]) {
                Ok(results) => {
                    assert!(!results.complete && end > first, "{end}");
                    let launches: usize =
                        results.runs.iter().flat_map(|r| &r.series).map(|s| s.launches.len()).sum();
                    let expected = text[whole..end].matches(r#"},{"launch""#).count();
                    assert!(launches >= expected && launches <= 3, "{end}: {launches}");
                }
                Err(_) => assert!(end <= whole + text.len() / 2, "{end}"),
            }
        }
    }

    #[test]
    fn other_files_are_refused_with_a_reason() {
        let folder = tempfile::tempdir().expect("writable");
        let path = folder.path().join("other.json");
        for (text, reason) in [
            ("{\"format\": 3}", "no results file"),
            ("", "no results file"),
            (&serde_json::to_string(&Results { version: 2, ..sample() }).unwrap(), "version 2"),
            (
                &serde_json::to_string(&Results { format: "x".into(), ..sample() }).unwrap(),
                "expected",
            ),
        ] {
            std::fs::write(&path, text).expect("writable");
            let error = Results::read(&path).expect_err("refused").to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
