//! The table of all settings.

use crate::setting::{Allowed, Problem, Setting};
use std::ffi::OsString;

macro_rules! settings {
    ($($constant:ident $name:literal $allowed:expr, $meaning:literal, $default:literal;)*) => {
        $(
            #[doc = concat!("`", $name, "`: ", $meaning, ".")]
            pub const $constant: Setting = Setting {
                name: $name,
                allowed: $allowed,
                meaning: $meaning,
                default: $default,
            };
        )*

        /// All of them, in the order in which they are shown.
        pub const SETTINGS: &[Setting] = &[$($constant),*];
    };
}

settings! {
    SWITCH "COMMLOOM" Allowed::Word(&["on", "off"]),
        "off: the program runs as without commloom", "on";
    OFF "COMMLOOM_OFF"
        Allowed::Words(&["types", "pack", "files", "windows", "history", "regions", "all"]),
        "parts that are left to the MPI library (`--off`)", "none";
    REPORT "COMMLOOM_REPORT" Allowed::Path("a file, or - for standard error"),
        "where the report of all ranks is written (`--report`)", "no report";
    WARMUP "COMMLOOM_WARMUP" Allowed::Number("microseconds"),
        "a datatype is analysed when its messages have taken about this long", "5";
    FORCE "COMMLOOM_FORCE" Allowed::Word(&["pack", "types", "mixed"]),
        "every message that can be packed is, or sent as an equivalent datatype, \
         or in a strategy drawn by chance: for tests",
        "what is measured to be fastest in the run";
    MODEL "COMMLOOM_MODEL" Allowed::Path("a file of `commloom calibrate --messages`"),
        "what messages take with the MPI library", "that of the cache folder, else built in";
    REPLACE "COMMLOOM_REPLACE" Allowed::Word(&["faster", "always"]),
        "persistent requests are replaced by collective operations (`--replace`)", "not replaced";
    PATIENCE "COMMLOOM_REPLACE_PATIENCE" Allowed::Number("microseconds"),
        "how long a process waits for the others before it sends its messages itself", "1000";
    NODE "COMMLOOM_NODE" Allowed::Word(&["alone", "off", "on", "all"]),
        "on: packed messages between processes of a machine go through memory of theirs; all: \
         also short ones, for tests; alone: they do not even tell each other their times",
        "off";
    TRACE "COMMLOOM_TRACE" Allowed::Path("a folder that exists"),
        "where a trace is written (`commloom trace -o`); nothing else is done", "no trace";
    TRACE_REGIONS "COMMLOOM_TRACE_REGIONS" Allowed::Word(&["0", "1"]),
        "1: only between MPI_Pcontrol(1) and MPI_Pcontrol(0) is recorded", "0";
    TRACE_LIMIT "COMMLOOM_TRACE_LIMIT" Allowed::Number("bytes"),
        "longest file of a process", "none";
    TRACE_MEMORY "COMMLOOM_TRACE_MEMORY" Allowed::Number("bytes"),
        "messages of a process that are kept to compare later ones with them", "33554432";
    TRACE_CONTENT "COMMLOOM_TRACE_CONTENT" Allowed::Word(&["new", "all"]),
        "all: the bytes of every message are read", "new";
    LIBDIR "COMMLOOM_LIBDIR" Allowed::Path("a folder"),
        "where `commloom exec` finds the preloads",
        "the folder of commloom, and ../lib/commloom from there";
}

/// Settings with values that are not allowed.
pub fn problems(get: impl Fn(&str) -> Option<OsString>) -> Vec<Problem> {
    SETTINGS.iter().filter_map(|setting| setting.check(&get).err()).collect()
}

/// The table as a text for a terminal, a line or two for each setting.
#[must_use]
pub fn help() -> String {
    let mut text =
        String::from("Environment (options win; an empty variable counts as not set):\n");
    for Setting { name, allowed, meaning, default } in SETTINGS {
        let meaning = meaning.replace('`', "");
        let allowed = allowed.to_string().replace('`', "");
        text +=
            &format!("  {name}\n      {meaning}\n      allowed: {allowed}; default: {default}\n");
    }
    text
}

/// The table in Markdown, as it stands in the pages.
#[must_use]
pub fn markdown() -> String {
    let mut text = String::from("| variable | allowed | meaning | default |\n|---|---|---|---|\n");
    for Setting { name, allowed, meaning, default } in SETTINGS {
        text += &format!("| `{name}` | {allowed} | {meaning} | {default} |\n");
    }
    text
}
