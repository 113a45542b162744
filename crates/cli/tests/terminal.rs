//! Whatever commloom shows, it may have been written by somebody else. No verb hands control
//! characters of others to a terminal; what goes into a pipe for programs stays as it is.

#[path = "common/ring.rs"]
mod ring;

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::pty::openpty;
use tempfile::TempDir;

/// Renames the window, hides and colours what follows, answers for the user, and turns the order
/// around; by control characters of 7 and of 8 bits, and by those of Unicode.
const HOSTILE: &str = "\x1b]0;OWNED\x07\x1b[8mX\x1b[31mY\u{9b}2J\x1b[6n\x7f\u{202e}Z\u{2066}";

/// Text that a terminal shows as it is, but for the styles of commloom.
fn is_harmless(text: &str) -> bool {
    let mut rest = text.to_owned();
    for code in ["0", "1", "2", "4", "31", "32", "33", "36", "1;31"] {
        rest = rest.replace(&format!("\x1b[{code}m"), "");
    }
    let bad = |c: char| c.is_control() || ('\u{200e}'..='\u{200f}').contains(&c);
    let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    // The colour of the hostile text begins before its letter.
    !rest.contains(|c: char| (bad(c) && !matches!(c, '\n' | '\r' | '\t')) || turns(c))
        && !text.contains("\x1b[31mY")
}

struct Place(TempDir);

impl Place {
    fn put(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).expect("a file");
    }

    /// A program that the command finds before those of the machine.
    fn program(&self, name: &str, text: &str) {
        let path = self.0.path().join("bin").join(name);
        fs::create_dir_all(path.with_file_name("")).expect("a folder");
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("a file");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_commloom"));
        let path = std::env::var("PATH").unwrap_or_default();
        command
            .args(args)
            .current_dir(self.0.path())
            .env("XDG_CACHE_HOME", self.0.path().join("cache"))
            .env("PATH", format!("{}:{path}", self.0.path().join("bin").display()))
            .env("TERM", "xterm")
            .env_remove("CC")
            .env_remove("CFLAGS")
            .env_remove("NO_COLOR")
            .env_remove("COMMLOOM_MODEL")
            .stdin(Stdio::null());
        command
    }

    /// Both streams, in pipes.
    fn piped(&self, args: &[&str]) -> (String, String) {
        let output = self.command(args).output().expect("the binary was built");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout), text(&output.stderr))
    }

    /// The output on a terminal that is both streams.
    fn on_terminal(&self, args: &[&str]) -> String {
        let ends = openpty(None, None).expect("a terminal");
        let mut command = self.command(args);
        command.stdout(ends.slave.try_clone().expect("a stream")).stderr(ends.slave);
        let mut child = command.spawn().expect("the binary was built");
        // Its ends of the terminal are closed when it ends.
        drop(command);
        let (mut bytes, mut master) = (Vec::new(), fs::File::from(ends.master));
        // The end of a terminal is an error.
        let _ = master.read_to_end(&mut bytes);
        child.wait().expect("a child");
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

fn source() -> String {
    format!(
        "#include <mpi.h>\n\nvoid column(const double *u, int n, int to, MPI_Comm c)\n{{\n    \
         double b[100]; /* {HOSTILE} */\n    \
         for (int i = 0; i < n; i++)\n        b[i] = u[4 * i]; // {HOSTILE}\n    \
         MPI_Send(b, n, MPI_DOUBLE, to, 7, c); /* {HOSTILE} */\n}}\n\n\
         void other(double *b, int n, int to, MPI_Comm c)\n{{\n    \
         for (int i = 0; i < n; i++)\n        \
         b[i] = hidden(\"{HOSTILE}\", i);\n    MPI_Send(b, n, MPI_DOUBLE, to, 7, c);\n}}\n"
    )
}

fn place() -> Place {
    let place = Place(tempfile::tempdir().expect("a folder"));
    let quoted = serde_json::to_string(HOSTILE).expect("text");
    place.put("a.c", &source());
    place.put("b \x1b]0;name\x07.c", &source());
    place.put("type", &format!("vector(2, 1, {HOSTILE}4, MPI_INT)"));
    place.put("numbers", &format!("0 4 {HOSTILE}"));
    place.put("cost.toml", &format!("[cost]\n\"{}\" = 1 # {HOSTILE}\n", "\\u001b[2J"));
    place.put("graph.goal", &format!("num_ranks 2\nrank 0 {{\n{HOSTILE}: send 8b to 1\n}}\n"));
    place.put("graph.xml", &format!("<algo name=\"{HOSTILE}\" ngpus=\"2\" coll=\"x\">\n</algo>"));
    place.put("named.xml", "<algo name=\"&#27;[2J\" ngpus=\"2\" coll=\"&#155;\"/>");
    let row = format!(
        "{{\"before\": {quoted}, \"after\": {quoted}, \"cost_before\": 2, \"cost_after\": 1, \
         \"handles\": 1, \"calls\": 1, \"bytes\": 8, \"engine\": 1, \"substituted\": 0, \
         \"pack_ns\": 5, \"unpack_ns\": 0, \"native\": {{{quoted}: 3}}}}"
    );
    let report = format!(
        "{{\"library\": {quoted}, \"ranks\": 2, \"failures\": 0, \"choice\": {quoted}, \"types\": \
         [{row}]}}"
    );
    place.put("report.json", &report);
    place.put("broken.json", &format!("{{\"format\": \"{HOSTILE}\"}}"));
    fs::create_dir_all(place.0.path().join("cache/commloom")).expect("a folder");
    let head = "# commloom message times, version 1";
    let rows = ["vector", "nest", "blocks", "list", "struct", "spelled"]
        .map(|form| format!("{form} one 8 800 900000 100\n{form} many 8 800 900000 100"))
        .join("\n");
    place.put(
        "cache/commloom/messages-good.txt",
        &format!("{head}\n# library: {HOSTILE}\n# measured: {HOSTILE}\n{rows}\n"),
    );
    place.put("cache/commloom/messages-bad.txt", &format!("{head}\n{HOSTILE}\n"));
    ring::ring_of(&place.0.path().join("traces"), 2, [HOSTILE, HOSTILE, &format!("/no/{HOSTILE}")]);
    ring::ring_of(&place.0.path().join("damaged"), 2, [HOSTILE, HOSTILE, HOSTILE]);
    let cut = place.0.path().join("damaged/rank-000001.trace");
    let bytes = fs::read(&cut).expect("a file");
    fs::write(&cut, &bytes[..bytes.len() * 2 / 3]).expect("a file");
    place
}

/// Every verb that shows something of a file, a name or a library.
const VERBS: &[&[&str]] = &[
    &["show", "type"],
    &["show", HOSTILE],
    &["normalize", "type"],
    &["emit", "--lang", "c", "type"],
    &["reconstruct", "numbers"],
    &["cost", "--cost", "cost.toml", "MPI_INT"],
    &["cost", "--cost", HOSTILE, "MPI_INT"],
    &["detect", "graph.goal"],
    &["detect", "graph.xml"],
    &["detect", "named.xml"],
    &["detect", "traces"],
    &["detect", "--phases", "traces"],
    &["detect", "--json", "traces"],
    &["detect", "--phases", "damaged"],
    &["trace", "--print", "traces/rank-000001.trace"],
    &["trace", "--print", "damaged/rank-000001.trace"],
    &["report", "report.json"],
    &["report", "broken.json"],
    &["guidelines", "--compare", "broken.json"],
    &["refactor", "a.c"],
    &["refactor", "."],
    &["refactor", "--check", "."],
    &["refactor", "--json", "."],
    &["refactor", "--sarif", "."],
    &["refactor", "--explain", "a.c:8", "a.c"],
    &["refactor", "--explain", HOSTILE, "a.c"],
    &["refactor", "--no-such-option\x1b[2J"],
    &["exec", "--", HOSTILE],
    &["exec", "--", "./a.c"],
];

#[test]
fn no_verb_hands_control_characters_of_others_to_a_terminal() {
    let place = place();
    for args in VERBS {
        let seen = place.on_terminal(args);
        assert!(!seen.is_empty(), "{args:?}");
        assert!(is_harmless(&seen), "{args:?} on a terminal: {seen:?}");
        let (out, err) = place.piped(args);
        assert!(is_harmless(&err), "{args:?} on standard error: {err:?}");
        // A patch is for programs.
        if args[0] != "refactor" || args.len() > 2 {
            assert!(is_harmless(&out), "{args:?} on standard output: {out:?}");
        }
    }
    let text = place.0.path().join("report.txt");
    place.piped(&["report", "report.json", "-o", "report.txt"]);
    assert!(is_harmless(&fs::read_to_string(text).expect("a file")));
    assert!(place.on_terminal(&["report", "report.json"]).contains("\\u{1b}]0;OWNED\\u{7}"));
    // What is JSON stays that, with the same texts.
    let (json, _) = place.piped(&["detect", "--json", "traces"]);
    for line in json.lines() {
        let _: serde_json::Value = serde_json::from_str(line).expect("JSON");
    }
}

/// Compilers and `mpirun`s that say something to the terminal, in all the ways in which commloom
/// hears of it.
fn place_with_programs() -> Place {
    let place = Place(tempfile::tempdir().expect("a folder"));
    place.put("a.c", &source().replace(HOSTILE, ""));
    ring::ring(&place.0.path().join("traces"), 2);
    let words = format!("error: {HOSTILE}");
    place.put("words", &format!("{words}\n{HOSTILE}\n"));
    place.put("answers", &format!("commloom-bench error {words}\n"));
    let quoted = serde_json::to_string(HOSTILE).expect("text");
    let times = format!("{{\"pair\":0,\"library\":{quoted},\"messages\":[2,2],\"call\":[1,1]}}");
    place.put("refusal", &format!("commloom-measure {{\"Refused\":{quoted}}}\n"));
    let told = format!("commloom-measure {{\"Samples\":{times}}}\ncommloom-measure \"Done\"\n");
    place.put("times", &told);
    let here = place.0.path().display();
    let says = format!("cat {here}/words; cat {here}/words >&2; exit 1");
    place.program("cc-fails", &says);
    place.program("cc-new", &format!("grep -q MPI_Type_vector \"$2\" || exit 0\n{says}"));
    let answers = format!("#!/bin/sh\nread line; cat {here}/answers");
    place.program("cc-speaks", &format!("echo '{answers}' > \"$3\"; chmod 755 \"$3\""));
    let mpirun = |name: &str, tried: &str, runs: &str| {
        place.program(
            name,
            &format!(
                "[ \"$1\" = --version ] && {{ echo HYDRA; cat {here}/words; exit; }}\n\
                 for last; do :; done\n[ \"$last\" = true ] && {{ {tried}; }}\n{runs}"
            ),
        );
    };
    mpirun("mpirun-fails", &says, "exit 1");
    mpirun("mpirun-says", "exit 0", &says);
    mpirun("mpirun-refuses", "exit 0", &format!("cat {here}/refusal"));
    mpirun("mpirun-tells", "exit 0", &format!("cat {here}/times"));
    place
}

/// Command lines that start other programs, with the one that is the compiler.
const STARTING: &[(&str, &[&str])] = &[
    ("cc-fails", &["refactor", "--compile", "cc -c {}", "a.c"]),
    ("cc-fails", &["refactor", "--compile", "cc-new -c {}", "a.c"]),
    ("cc-fails", &["refactor", "--compile", "cc-new -c {}", "--json", "a.c"]),
    ("cc-fails", &["refactor", "--bench", "a.c"]),
    ("cc-speaks", &["refactor", "--bench", "a.c"]),
    ("cc-fails", &["detect", "--measure=mpirun-fails", "traces"]),
    ("cc-fails", &["detect", "--measure=mpirun-says", "traces"]),
    ("cc-fails", &["detect", "--measure=mpirun-refuses", "traces"]),
    ("cc-fails", &["detect", "--measure=mpirun-tells", "traces"]),
    ("cc-fails", &["detect", "--measure=mpirun-tells", "--json", "traces"]),
    ("cc-fails", &["guidelines", "--quick", "--commloom=off", "--mpi=mpirun-fails"]),
    ("cc-fails", &["guidelines", "--quick", "--commloom=off", "--mpi=mpirun-says"]),
];

#[test]
fn what_compilers_and_mpirun_say_does_not_command_the_terminal() {
    let place = place_with_programs();
    let bin = place.0.path().join("bin");
    for (compiler, args) in STARTING {
        fs::copy(bin.join(compiler), bin.join("cc")).expect("a program");
        // Bars of progress clear their lines.
        let seen = place.on_terminal(args).replace("\x1b[2K", "");
        assert!(seen.contains("OWNED"), "{args:?} does not show it: {seen:?}");
        assert!(is_harmless(&seen), "{args:?} on a terminal: {seen:?}");
        let (out, err) = place.piped(args);
        assert!(is_harmless(&err), "{args:?} on standard error: {err:?}");
        assert!(is_harmless(&out), "{args:?} on standard output: {out:?}");
    }
}

#[test]
fn a_patch_in_a_pipe_is_exact() {
    let place = place();
    let (patch, _) = place.piped(&["refactor", "a.c"]);
    assert!(patch.contains(HOSTILE), "{patch:?}");
    place.put("patch", &patch);
    let patched = Command::new("patch")
        .args(["-s", "-p1", "-i", "patch"])
        .current_dir(place.0.path())
        .output()
        .expect("patch runs");
    assert!(patched.status.success(), "{patched:?}");
    let text = fs::read_to_string(Path::new(place.0.path()).join("a.c")).expect("a file");
    assert!(text.contains("MPI_Type_vector") && text.contains(HOSTILE), "{text:?}");
}
