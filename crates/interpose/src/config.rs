//! What the user asked for, read once from the environment that `commloom exec` sets up. The only
//! place in this crate that reads the environment.

use std::path::PathBuf;
use std::time::Duration;

use commloom_choice::Table;
use commloom_report::Format;

/// Settings of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Nothing is touched (`COMMLOOM=off`, `COMMLOOM_OFF=all`).
    pub off: bool,
    /// No message is sent with a substituted handle (`COMMLOOM_OFF=types`).
    pub no_types: bool,
    /// Nothing is packed by commloom (`COMMLOOM_OFF=pack`).
    pub no_pack: bool,
    /// Where the report goes at `MPI_Finalize` (`COMMLOOM_REPORT`).
    pub report: Option<ReportTo>,
    /// A type is looked at when its messages have taken about this many microseconds
    /// (`COMMLOOM_WARMUP`, default 5; 0: at once): a type that is used a few times and freed does
    /// not pay for its own analysis.
    pub warmup: u64,
    /// Every message that can go through the engine does, whatever the model expects
    /// (`COMMLOOM_FORCE=pack`), or with a substituted handle (`COMMLOOM_FORCE=types`): for tests.
    pub force: Option<Force>,
    /// What messages take with the library, as `commloom calibrate --messages` has measured it
    /// (`COMMLOOM_MODEL`).
    pub model: Option<PathBuf>,
    /// Where such files are looked for without that.
    pub models: Option<PathBuf>,
    /// Persistent requests are replaced by collective operations (`COMMLOOM_REPLACE`, docs/replace.md).
    pub replace: Option<Replace>,
    /// What the program does is recorded, and nothing else is done.
    pub trace: Option<Trace>,
}

/// How groups are replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replace {
    /// Without a trial (`COMMLOOM_REPLACE=always`).
    pub always: bool,
    /// How long a process waits in `MPI_Startall` for the others to come to theirs, before it sends its messages
    /// (`COMMLOOM_REPLACE_PATIENCE`, in microseconds).
    pub patience: Duration,
}

/// Where nothing else is said: longer than processes are apart in programs that are in step, and short enough to lose four times.
const PATIENCE: Duration = Duration::from_millis(1);

/// How the program is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// The folder of the files, one for each rank (`COMMLOOM_TRACE`).
    pub folder: PathBuf,
    /// Only between `MPI_Pcontrol(1)` and `MPI_Pcontrol(0)` (`COMMLOOM_TRACE_REGIONS=1`).
    pub regions: bool,
    /// Longest file, in bytes (`COMMLOOM_TRACE_LIMIT`).
    pub limit: Option<u64>,
    /// Bytes of messages that are kept to compare later ones with them (`COMMLOOM_TRACE_MEMORY`).
    pub memory: usize,
    /// Every message is looked at (`COMMLOOM_TRACE_CONTENT=all`), also where those of a call have all been different.
    pub all_content: bool,
}

/// Where nothing else is said.
const TRACE_MEMORY: usize = 32 << 20;

/// Where a report is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReportTo {
    /// To standard error of rank 0, as text: standard output belongs to the program.
    Terminal,
    /// To this file, in the format that its name asks for.
    File(PathBuf),
}

impl ReportTo {
    /// How it is written.
    #[must_use]
    pub fn format(&self) -> Format {
        match self {
            ReportTo::Terminal => Format::Text,
            ReportTo::File(path) => Format::of(path),
        }
    }
}

/// What to do with every message where it is possible at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Force {
    /// Pack with commloom's engine.
    Pack,
    /// Send with the normalized type.
    Types,
}

impl Config {
    /// The settings of this process.
    #[must_use]
    pub fn from_environment() -> Config {
        Config::from_lookup(|name| std::env::var(name).ok())
    }

    /// The settings, given a way to look up a variable. Unknown words are ignored: an old preload
    /// must not take down a program because a newer `commloom` knows more words.
    pub(crate) fn from_lookup(get: impl Fn(&str) -> Option<String>) -> Config {
        let off = get("COMMLOOM_OFF").unwrap_or_default();
        let has = |word: &str| off.split(',').any(|w| w.trim() == word);
        Config {
            off: has("all") || get("COMMLOOM").is_some_and(|v| v.eq_ignore_ascii_case("off")),
            no_types: has("types"),
            no_pack: has("pack"),
            report: get("COMMLOOM_REPORT").filter(|v| !v.is_empty()).map(|v| match v.as_str() {
                "-" => ReportTo::Terminal,
                path => ReportTo::File(PathBuf::from(path)),
            }),
            warmup: get("COMMLOOM_WARMUP").and_then(|v| v.parse().ok()).unwrap_or(5),
            force: match get("COMMLOOM_FORCE").as_deref() {
                Some("pack") => Some(Force::Pack),
                Some("types") => Some(Force::Types),
                _ => None,
            },
            model: get("COMMLOOM_MODEL").filter(|v| !v.is_empty()).map(PathBuf::from),
            replace: match get("COMMLOOM_REPLACE").as_deref() {
                Some(how @ ("faster" | "always")) => Some(Replace {
                    always: how == "always",
                    patience: get("COMMLOOM_REPLACE_PATIENCE")
                        .and_then(|v| v.parse().ok())
                        .map_or(PATIENCE, Duration::from_micros),
                }),
                _ => None,
            },
            trace: get("COMMLOOM_TRACE").filter(|v| !v.is_empty()).map(|folder| Trace {
                folder: folder.into(),
                regions: get("COMMLOOM_TRACE_REGIONS").is_some_and(|v| v == "1"),
                limit: get("COMMLOOM_TRACE_LIMIT").and_then(|v| v.parse().ok()),
                memory: get("COMMLOOM_TRACE_MEMORY")
                    .and_then(|v| v.parse().ok())
                    .unwrap_or(TRACE_MEMORY),
                all_content: get("COMMLOOM_TRACE_CONTENT").is_some_and(|v| v == "all"),
            }),
            models: Table::cache_folder(get),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(variables: &[(&str, &str)]) -> Config {
        Config::from_lookup(|name| {
            variables.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned())
        })
    }

    #[test]
    fn nothing_set_means_everything_on_without_a_report() {
        let c = config(&[]);
        assert!(!c.off && !c.no_types && !c.no_pack && c.report.is_none() && c.force.is_none());
        assert_eq!(c.warmup, 5);
    }

    #[test]
    fn parts_are_switched_off_by_name() {
        let c = config(&[("COMMLOOM_OFF", "types, pack")]);
        assert!(c.no_types && c.no_pack && !c.off);
        assert!(config(&[("COMMLOOM_OFF", "all")]).off);
        assert!(config(&[("COMMLOOM", "OFF")]).off);
    }

    #[test]
    fn a_trace_is_asked_for_by_its_folder() {
        assert_eq!(config(&[("COMMLOOM_TRACE", "")]).trace, None);
        let trace = config(&[("COMMLOOM_TRACE", "/tmp/t"), ("COMMLOOM_TRACE_LIMIT", "5000")]).trace;
        let expected = Trace {
            folder: "/tmp/t".into(),
            regions: false,
            limit: Some(5000),
            memory: TRACE_MEMORY,
            all_content: false,
        };
        assert_eq!(trace, Some(expected));
    }

    #[test]
    fn replacing_is_asked_for() {
        assert_eq!(config(&[]).replace, None);
        let faster = config(&[("COMMLOOM_REPLACE", "faster")]).replace;
        assert_eq!(faster, Some(Replace { always: false, patience: PATIENCE }));
        let variables = [("COMMLOOM_REPLACE", "always"), ("COMMLOOM_REPLACE_PATIENCE", "20")];
        let patience = Duration::from_micros(20);
        assert_eq!(config(&variables).replace, Some(Replace { always: true, patience }));
    }

    #[test]
    fn a_dash_reports_to_the_terminal() {
        assert_eq!(config(&[("COMMLOOM_REPORT", "-")]).report, Some(ReportTo::Terminal));
        let file = config(&[("COMMLOOM_REPORT", "r.json")]).report;
        assert_eq!(file, Some(ReportTo::File("r.json".into())));
    }
}
