//! The settings of the user, read once from the environment that `commloom exec` sets up. The only
//! place in this crate that reads the environment.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use commloom_choice::Table;
use commloom_environment as environment;
use commloom_environment::{Problem, Started, Unknown};
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
    /// Accesses to files are left alone.
    pub no_files: bool,
    /// Puts into windows are left to the library.
    pub no_windows: bool,
    /// Nothing is kept from one run of a program for the next (`COMMLOOM_OFF=history`).
    pub no_history: bool,
    /// `MPI_Pcontrol(0)` leaves the program alone until `MPI_Pcontrol(1)`
    /// (`COMMLOOM_OFF=regions`): for measurements that compare both in one run.
    pub off_in_regions: bool,
    /// Where the report goes at `MPI_Finalize` (`COMMLOOM_REPORT`).
    pub report: Option<ReportTo>,
    /// A type is looked at when its messages have taken about this many microseconds
    /// (`COMMLOOM_WARMUP`, default 5; 0: at once): a type that is used a few times and freed does
    /// not pay for its own analysis.
    pub warmup: u64,
    /// Every message that can go through the engine does, whatever the model expects
    /// (`COMMLOOM_FORCE=pack`), or with a substituted handle (`types`), or each message in a way
    /// drawn at random (`mixed`): for tests.
    pub force: Option<Force>,
    /// Times of messages with the library, as `commloom calibrate --messages` has measured them
    /// (`COMMLOOM_MODEL`).
    pub model: Option<PathBuf>,
    /// Where such files are looked for without that, and what earlier runs have found.
    pub models: Option<PathBuf>,
    /// Persistent requests are replaced by collective operations (`COMMLOOM_REPLACE`,
    /// book/src/explanation/replacement.md).
    pub replace: Option<Replace>,
    /// The program's calls are recorded, and nothing else is done.
    pub trace: Option<Trace>,
    /// Nothing is wanted but speed: what is certain to stay as it is need not be looked at.
    pub is_brief: bool,
    /// Which messages between processes of a machine go through memory of theirs
    /// (`COMMLOOM_NODE`).
    pub on_node: OnNode,
    /// The name by which the launcher has told the processes of this job apart from others.
    pub job: Option<String>,
    /// Problems of the settings, told once when MPI begins.
    pub problems: Vec<String>,
    /// Who started this process.
    pub started: Option<Started>,
}

/// Which messages go through memory that two processes have mapped, of those that are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnNode {
    /// None, and processes do not tell each other what their exchanges took.
    Alone,
    /// None.
    Off,
    /// Those that are long enough to be worth it.
    Long,
    /// Of any length: for tests.
    All,
}

/// How groups are replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replace {
    /// Without a trial (`COMMLOOM_REPLACE=always`).
    pub always: bool,
    /// How long a process waits in `MPI_Startall` for the others to come to theirs, before it
    /// sends its messages (`COMMLOOM_REPLACE_PATIENCE`, in microseconds).
    pub patience: Duration,
}

/// Where nothing else is said: about what an analysis takes.
const WARMUP: u64 = 5;

/// Where nothing else is said: longer than processes are apart in programs that are in step, and
/// short enough to lose four times.
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
    /// Every message is looked at (`COMMLOOM_TRACE_CONTENT=all`), also where those of a call have
    /// all been different.
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
    /// Where one process puts a report of its own: beside that of all of them, with its name in
    /// the name.
    #[must_use]
    pub fn of_one_process(&self, process: &str) -> ReportTo {
        let ReportTo::File(path) = self else { return ReportTo::Terminal };
        let mut name = path.file_stem().unwrap_or_default().to_owned();
        name.push(".");
        name.push(process);
        if let Some(extension) = path.extension() {
            name.push(".");
            name.push(extension);
        }
        ReportTo::File(path.with_file_name(name))
    }

    /// How it is written.
    #[must_use]
    pub fn format(&self) -> Format {
        match self {
            ReportTo::Terminal => Format::Text,
            ReportTo::File(path) => Format::of(path),
        }
    }
}

/// The strategy of every message for which it is possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Force {
    /// Pack with commloom's engine.
    Pack,
    /// Send with the normalized type.
    Types,
    /// Each message in a way that is drawn at random.
    Mixed,
}

impl Config {
    /// The settings of this process. A program that runs with the rights of somebody else than who
    /// started it (set-user-ID) takes none from the environment: files would be written with them.
    #[must_use]
    pub fn from_environment() -> Config {
        // SAFETY: reads a word that the kernel has given to the process; any key may be asked for.
        let is_secure = unsafe { libc::getauxval(libc::AT_SECURE) } != 0;
        if is_secure {
            return Config::from_lookup(|_| None);
        }
        let mut config = Config::from_lookup(|name| std::env::var_os(name));
        let told = std::env::var(environment::TOLD).unwrap_or_default();
        let unknown = environment::unknown(std::env::vars_os().map(|(name, _)| name));
        let news =
            unknown.iter().filter(|unknown| told.split(',').all(|name| name != unknown.name));
        config.problems.extend(news.map(Unknown::to_string));
        config
    }

    /// The settings, given a way to look up a variable. `commloom exec` refuses what cannot be
    /// meant. An old preload that meets words of a newer `commloom` must not take down a program:
    /// here such a setting is told of, and what it is about is left to the MPI library.
    pub(crate) fn from_lookup(get: impl Fn(&str) -> Option<OsString>) -> Config {
        let mut problems = Vec::new();
        let mut off =
            or(&mut problems, environment::SWITCH.word(&get), Some("off"), LEFT) == Some("off");
        let parts = or(&mut problems, environment::OFF.words(&get), vec!["all"], LEFT);
        let warmup = or(&mut problems, environment::WARMUP.number(&get), None, DEFAULT);
        let force = or(&mut problems, environment::FORCE.word(&get), None, DEFAULT);
        let replace = replace(&get).unwrap_or_else(|problem| {
            problems.push(format!("{problem}; nothing is replaced"));
            None
        });
        let trace = trace(&get).unwrap_or_else(|problem| {
            problems.push(format!("{problem}; nothing is recorded, and {LEFT}"));
            off = true;
            None
        });
        let report = environment::REPORT.path(&get).map(|path| match path.to_str() {
            Some("-") => ReportTo::Terminal,
            _ => ReportTo::File(path),
        });
        Config {
            is_brief: report.is_none() && replace.is_none() && trace.is_none(),
            off: off || parts.contains(&"all"),
            no_types: parts.contains(&"types"),
            no_pack: parts.contains(&"pack"),
            no_files: parts.contains(&"files"),
            no_windows: parts.contains(&"windows"),
            no_history: parts.contains(&"history"),
            off_in_regions: parts.contains(&"regions"),
            report,
            warmup: warmup.unwrap_or(WARMUP),
            force: match force {
                Some("pack") => Some(Force::Pack),
                Some("types") => Some(Force::Types),
                Some("mixed") => Some(Force::Mixed),
                _ => None,
            },
            model: environment::MODEL.path(&get),
            models: Table::cache_folder(|name| get(name)?.into_string().ok()),
            replace,
            trace,
            on_node: match or(&mut problems, environment::NODE.word(&get), None, DEFAULT) {
                Some("alone") => OnNode::Alone,
                Some("on") => OnNode::Long,
                Some("all") => OnNode::All,
                _ => OnNode::Off,
            },
            job: job(&get),
            problems,
            started: Started::by_launcher(&get),
        }
    }
}

/// The consequence of a setting that cannot be read, as it is told.
const LEFT: &str = "everything is left to the MPI library";
const DEFAULT: &str = "its default is used";

/// A value; `instead` of one that cannot be meant, which is told.
fn or<T>(problems: &mut Vec<String>, value: Result<T, Problem>, instead: T, done: &str) -> T {
    value.unwrap_or_else(|problem| {
        problems.push(format!("{problem}; {done}"));
        instead
    })
}

/// The name of the job where its launcher has PMIx, with where that can be reached: names alone
/// come again.
fn job(get: impl Fn(&str) -> Option<OsString>) -> Option<String> {
    let text = |name: &str| get(name)?.into_string().ok();
    let servers = ["PMIX_SERVER_URI4", "PMIX_SERVER_URI3", "PMIX_SERVER_URI2"];
    Some(format!("{} {}", text("PMIX_NAMESPACE")?, servers.into_iter().find_map(text)?))
}

fn replace(get: impl Fn(&str) -> Option<OsString>) -> Result<Option<Replace>, Problem> {
    let Some(how) = environment::REPLACE.word(&get)? else { return Ok(None) };
    let patience = environment::PATIENCE.number(&get)?.map_or(PATIENCE, Duration::from_micros);
    Ok(Some(Replace { always: how == "always", patience }))
}

fn trace(get: impl Fn(&str) -> Option<OsString>) -> Result<Option<Trace>, Problem> {
    let Some(folder) = environment::TRACE.path(&get) else { return Ok(None) };
    let memory = environment::TRACE_MEMORY.number(&get)?.map(usize::try_from);
    Ok(Some(Trace {
        folder,
        regions: environment::TRACE_REGIONS.word(&get)? == Some("1"),
        limit: environment::TRACE_LIMIT.number(&get)?,
        memory: memory.map_or(TRACE_MEMORY, |memory| memory.unwrap_or(usize::MAX)),
        all_content: environment::TRACE_CONTENT.word(&get)? == Some("all"),
    }))
}

impl Config {
    /// Whether what is put into windows may go through memory of both processes.
    pub fn puts_aside(&self) -> bool {
        !self.no_windows && !self.no_pack && self.force != Some(Force::Types)
    }

    /// Whether this process tells what all of them have to tell, as far as its launcher says.
    pub fn speaks(&self) -> bool {
        self.started.is_none_or(|started| started.rank == 0)
    }

    /// Whether it tells what all processes of its machine have to tell.
    pub fn speaks_here(&self) -> bool {
        self.started.is_none_or(|started| started.is_first_here())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(variables: &[(&str, &str)]) -> Config {
        Config::from_lookup(|name| {
            variables.iter().find(|(n, _)| *n == name).map(|(_, v)| OsString::from(*v))
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
        assert!(c.no_types && c.no_pack && !c.no_files && !c.off);
        assert!(config(&[("COMMLOOM_OFF", "files")]).no_files);
        assert!(config(&[("COMMLOOM_OFF", "history")]).no_history);
        assert!(config(&[("COMMLOOM_OFF", "regions")]).off_in_regions);
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
        let own = |path: &str| ReportTo::File(path.into()).of_one_process("node7-12");
        assert_eq!(own("out/r.json"), ReportTo::File("out/r.node7-12.json".into()));
        assert_eq!(own("report"), ReportTo::File("report.node7-12".into()));
    }

    #[test]
    fn what_cannot_be_meant_is_told_and_left_to_the_library() {
        let left = |variables: &[(&str, &str)]| {
            let config = config(variables);
            assert_eq!(config.problems.len(), 1, "{variables:?}: {:?}", config.problems);
            config
        };
        assert!(left(&[("COMMLOOM", "of")]).off);
        assert!(left(&[("COMMLOOM_OFF", "type,pack")]).off);
        assert_eq!(left(&[("COMMLOOM_WARMUP", "abc")]).warmup, WARMUP);
        assert_eq!(left(&[("COMMLOOM_FORCE", "packs")]).force, None);
        let always = ("COMMLOOM_REPLACE", "always");
        assert_eq!(left(&[always, ("COMMLOOM_REPLACE_PATIENCE", "1ms")]).replace, None);
        let all = left(&[("COMMLOOM_TRACE", "/tmp/t"), ("COMMLOOM_TRACE_LIMIT", "1G")]);
        assert!(all.off && all.trace.is_none());
        assert_eq!(
            all.problems,
            ["COMMLOOM_TRACE_LIMIT is `1G`; allowed: a whole number of bytes; nothing is \
              recorded, and everything is left to the MPI library"]
        );
    }

    #[test]
    fn paths_need_not_be_text() {
        use std::os::unix::ffi::OsStringExt;
        let path = OsString::from_vec(b"/tmp/\xff.html".to_vec());
        let config = Config::from_lookup(|name| (name == "COMMLOOM_REPORT").then(|| path.clone()));
        assert_eq!(config.report, Some(ReportTo::File(path.into())));
    }
}
