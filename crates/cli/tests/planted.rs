//! Files that another user can put where commloom makes, reads or writes some: none is run,
//! followed, waited for or written over. Programs that commloom starts are scripts here, which
//! tell what they see.

#[path = "common/ring.rs"]
mod ring;

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::sys::stat::Mode;
use nix::unistd::{Pid, mkfifo};
use tempfile::TempDir;

const GOOD: &str = "#include <mpi.h>

void column(const double *u, int n, int to, MPI_Comm c)
{
    double b[100];
    for (int i = 0; i < n; i++)
        b[i] = u[4 * i];
    MPI_Send(b, n, MPI_DOUBLE, to, 7, c);
}
";

/// A place with a folder for temporary files as on machines with many users, a source, traces,
/// scripts, and a file that only its owner may change.
struct Place(TempDir);

/// Compiler and `mpirun` tell the mode and the name of the folder that they are to work in, and
/// then wait where WAIT is set.
const TELLS: &str = r#"stat -c '%a %n' "$folder" > "$SEEN.new" && mv "$SEEN.new" "$SEEN"
if [ -n "$WAIT" ]; then sleep 1000; fi
exit 1
"#;

impl Place {
    fn new() -> Place {
        let place = Place(tempfile::tempdir().expect("a folder"));
        fs::create_dir(place.at("tmp")).expect("a folder");
        place.open("tmp", 0o1777);
        fs::write(place.at("victim"), "private").expect("a file");
        fs::write(place.at("a.c"), GOOD).expect("a file");
        ring::ring(&place.at("traces"), 2);
        place.script("cc", &format!("folder=$(dirname \"$3\")\n{TELLS}"));
        place.script(
            "mpirun",
            &format!(
                "if [ \"$1\" = --version ]; then echo HYDRA; exit; fi\n\
                 for folder; do :; done\nif [ \"$folder\" = true ]; then exit 0; fi\n{TELLS}"
            ),
        );
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn open(&self, name: &str, mode: u32) {
        fs::set_permissions(self.at(name), Permissions::from_mode(mode)).expect("it is ours");
    }

    fn script(&self, name: &str, text: &str) {
        fs::write(self.at(name), format!("#!/bin/sh\n{text}")).expect("a file");
        self.open(name, 0o755);
    }

    /// A command whose process `plant` prepares for: a line of a shell that knows the number of
    /// the process as `$$`.
    fn command(&self, plant: &str, args: &[&str]) -> Command {
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(format!("{plant}\nexec \"$@\"")).arg("sh");
        command.arg(env!("CARGO_BIN_EXE_commloom")).args(args);
        command
            .current_dir(self.0.path())
            .stdin(Stdio::null())
            .env("TMPDIR", self.at("tmp"))
            .env("XDG_CACHE_HOME", self.at("cache"))
            .env("CC", self.at("cc"))
            .env("CFLAGS", "-O0")
            .env("SEEN", self.at("seen"))
            .env_remove("WAIT")
            .env_remove("COMMLOOM_MODEL");
        command
    }

    fn run(&self, plant: &str, args: &[&str]) -> Output {
        self.command(plant, args).output().expect("a shell")
    }

    /// Verbs that make a folder in which they run something, each with what they are told.
    fn verbs(&self) -> [Vec<String>; 2] {
        let measure = format!("--measure={}", self.at("mpirun").display());
        [
            vec!["refactor".into(), "--bench=/no/such/library".into(), "a.c".into()],
            vec!["detect".into(), measure, "traces".into()],
        ]
    }

    fn tmp(&self) -> Vec<String> {
        names(&self.at("tmp"))
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The names that folders for what is run once had.
const NAMES: &str = "for name in commloom-bench-$$ commloom-measure-$$; do";

#[test]
fn what_is_run_lies_in_a_folder_of_random_name_that_only_its_user_enters() {
    let place = Place::new();
    for plant in [
        // A folder with links to what they shall be written over, and pipes.
        format!(
            "{NAMES} mkdir $TMPDIR/$name; chmod 777 $TMPDIR/$name; \
             for file in loops.c task.json rank-0.json; do ln -s $PWD/victim $TMPDIR/$name/$file; \
             done; mkfifo $TMPDIR/$name/loops $TMPDIR/$name/written; done"
        ),
        format!("{NAMES} ln -s $PWD/elsewhere $TMPDIR/$name; done"),
        format!("{NAMES} mkfifo $TMPDIR/$name; done"),
    ] {
        for verb in place.verbs() {
            let args: Vec<&str> = verb.iter().map(String::as_str).collect();
            let output = place.run(&plant, &args);
            let seen = fs::read_to_string(place.at("seen"))
                .unwrap_or_else(|_| panic!("{verb:?} after {plant}: {}", said(&output)));
            let (mode, folder) = seen.trim().split_once(' ').expect("a mode and a name");
            assert_eq!(mode, "700", "{verb:?}: {folder}");
            let name = Path::new(folder).file_name().expect("a name").to_string_lossy();
            let chance = name.strip_prefix("commloom-").expect("whose it is");
            assert!(chance.len() == 16 && !chance.contains('-'), "{name}");
            assert!(!Path::new(folder).exists(), "{folder} is left");
            assert_eq!(fs::read_to_string(place.at("victim")).expect("it is there"), "private");
            assert!(!place.at("elsewhere").exists());
            let planted = place.tmp();
            assert_eq!(planted.len(), 2, "{planted:?}");
            for name in planted {
                let path = place.at("tmp").join(name);
                let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
            }
            fs::remove_file(place.at("seen")).expect("it is there");
        }
    }
}

#[test]
fn nothing_is_run_where_others_can_replace_it() {
    let place = Place::new();
    place.open("tmp", 0o777);
    for verb in place.verbs() {
        let args: Vec<&str> = verb.iter().map(String::as_str).collect();
        let output = place.run("", &args);
        let said = said(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("can be written by everybody") && said.contains("TMPDIR"), "{said}");
        let output = place.command("", &args).env("TMPDIR", "/no/such").output().expect("a shell");
        let said = self::said(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("/no/such") && said.contains("TMPDIR"), "{said}");
        assert!(!place.at("seen").exists() && place.tmp().is_empty());
    }
}

#[test]
fn a_signal_leaves_neither_files_nor_processes() {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).expect("a mask");
    let ignored = u64::from_str_radix(ignored.trim(), 16).expect("a mask");
    // What this process ignores, those that it starts do too, as after `nohup`.
    let heard = |signal: &Signal| ignored >> (*signal as i32 - 1) & 1 == 0;
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP].into_iter().filter(heard) {
        let place = Place::new();
        for verb in place.verbs() {
            let args: Vec<&str> = verb.iter().map(String::as_str).collect();
            let mut command = place.command("", &args);
            let mut child = command
                .env("WAIT", "1")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("a shell");
            while !place.at("seen").exists() {
                assert!(child.try_wait().expect("a child").is_none(), "{verb:?} ended");
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            let process = i32::try_from(child.id()).map(Pid::from_raw).expect("a process");
            kill(process, signal).expect("it runs");
            let status = child.wait().expect("a child");
            assert_eq!(status.signal(), Some(signal as i32), "{verb:?}: {status}");
            assert!(place.tmp().is_empty(), "{verb:?}: {:?}", place.tmp());
            fs::remove_file(place.at("seen")).expect("it is there");
        }
        let mine = place.at("mpirun").display().to_string();
        assert!(!is_running(&mine), "{mine} runs on");
    }
}

fn is_running(command: &str) -> bool {
    let processes = fs::read_dir("/proc").expect("Linux").flatten();
    processes
        .filter_map(|process| fs::read(process.path().join("cmdline")).ok())
        .any(|line| String::from_utf8_lossy(&line).split('\0').any(|word| word == command))
}

/// A table as `commloom calibrate --messages` writes it.
fn table() -> String {
    let mut table =
        "# commloom message times, version 1\n# library: A library\n# measured: here\n".to_owned();
    for form in ["vector", "nest", "blocks", "list", "struct", "spelled"] {
        table.push_str(&format!("{form} one 8 800 900000 100\n{form} many 8 800 900000 100\n"));
    }
    table
}

#[test]
fn what_was_planted_in_the_cache_is_named_once_and_not_used() {
    let place = Place::new();
    let folder = place.at("cache/commloom");
    fs::create_dir_all(&folder).expect("a folder");
    let name = |what: &str| folder.join(format!("messages-{what}.txt"));
    fs::write(place.at("table"), table()).expect("a file");
    mkfifo(&name("pipe"), Mode::S_IRWXU).expect("a pipe");
    symlink(place.at("table"), name("link")).expect("a link");
    symlink("/dev/zero", name("zeros")).expect("a link");
    fs::create_dir(name("folder")).expect("a folder");
    fs::File::create(name("long")).and_then(|file| file.set_len(1 << 40)).expect("a file");
    fs::write(name("bytes"), [0xff; 10]).expect("a file");
    fs::write(name("numbers"), table().replace("900000", "inf")).expect("a file");
    fs::write(name("open"), table()).expect("a file");
    fs::set_permissions(name("open"), Permissions::from_mode(0o666)).expect("it is ours");
    let mut planted = vec!["pipe", "link", "zeros", "folder", "long", "bytes", "numbers", "open"];
    let chowned = name("foreign");
    if nix::unistd::geteuid().is_root() {
        fs::write(&chowned, table()).expect("a file");
        std::os::unix::fs::chown(&chowned, Some(12345), None).expect("root may do so");
        planted.push("foreign");
    }
    let output = place.run("", &["refactor", "a.c"]);
    let said = said(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    for what in planted {
        let named = said.matches(&format!("messages-{what}.txt is not used: ")).count();
        assert_eq!(named, 1, "{what}: {said}");
    }
    assert!(!said.contains("with A library"), "{said}");
    let good = name("good");
    fs::write(good, table()).expect("a file");
    let said = self::said(&place.run("", &["refactor", "--diff", "a.c"]));
    assert!(said.contains("with A library"), "{said}");
}

#[test]
fn results_replace_what_is_there_and_are_not_written_through_links_of_others() {
    let place = Place::new();
    let type_ = "vector(2, 1, 2, MPI_INT)";
    let show = |file: &str| place.run("", &["show", "--svg", file, type_]);
    // What was there stays where there is no room, and nothing half made is left beside it.
    fs::write(place.at("old.svg"), "old").expect("a file");
    let output = place.run("ulimit -f 0", &["show", "--svg", "old.svg", type_]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert_eq!(fs::read_to_string(place.at("old.svg")).expect("it is there"), "old");
    let before = names(place.0.path());
    place.open("old.svg", 0o640);
    assert!(show("old.svg").status.success());
    let data = place.at("old.svg").metadata().expect("it is there");
    assert!(data.len() > 10 && data.mode() & 0o777 == 0o640, "{data:?}");
    assert_eq!(names(place.0.path()), before);
    // Nobody reads a pipe that was planted: not waited for.
    mkfifo(&place.at("pipe.svg"), Mode::S_IRWXU).expect("a pipe");
    assert_eq!(show("pipe.svg").status.code(), Some(2));
    assert_eq!(show("/dev/full").status.code(), Some(2));
    // The user's own links are followed; those of others are not.
    symlink("victim", place.at("link.svg")).expect("a link");
    assert!(show("link.svg").status.success());
    assert!(place.at("link.svg").is_symlink());
    fs::write(place.at("victim"), "private").expect("a file");
    if nix::unistd::geteuid().is_root() {
        std::os::unix::fs::lchown(place.at("link.svg"), Some(12345), None).expect("root may");
        let output = show("link.svg");
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains("a link of user 12345"), "{}", said(&output));
        assert_eq!(fs::read_to_string(place.at("victim")).expect("it is there"), "private");
    }
}

#[test]
fn sources_are_changed_beside_and_keep_their_mode_and_owner() {
    let place = Place::new();
    place.open("a.c", 0o640);
    if nix::unistd::geteuid().is_root() {
        std::os::unix::fs::chown(place.at("a.c"), Some(12345), Some(12346)).expect("root may");
    }
    let data = place.at("a.c").metadata().expect("it is there");
    let before = names(place.0.path());
    // A signal while the command decides puts back what was there.
    let deciding = "kill -TERM $PPID; exec sleep 1000";
    let output = place.run("", &["refactor", "--apply", "--allow-dirty", "--run", deciding, "a.c"]);
    assert_eq!(output.status.signal(), Some(Signal::SIGTERM as i32), "{output:?}");
    assert_eq!(fs::read_to_string(place.at("a.c")).expect("it is there"), GOOD);
    // A full disk too.
    let output = place.run("ulimit -f 0", &["refactor", "--apply", "--allow-dirty", "a.c"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert_eq!(fs::read_to_string(place.at("a.c")).expect("it is there"), GOOD);
    let output = place.run("", &["refactor", "--apply", "--allow-dirty", "a.c"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let now = place.at("a.c").metadata().expect("it is there");
    assert_eq!((now.mode(), now.uid(), now.gid()), (data.mode(), data.uid(), data.gid()));
    assert!(fs::read_to_string(place.at("a.c")).expect("it is there").contains("MPI_Type_vector"));
    assert_eq!(names(place.0.path()), before);
}

#[test]
fn tables_of_others_above_the_sources_are_not_used() {
    if !nix::unistd::geteuid().is_root() {
        commloom_testkit::skipped("only root can make files of others");
        return;
    }
    let place = Place::new();
    fs::create_dir(place.at("below")).expect("a folder");
    fs::write(place.at("below/a.c"), GOOD).expect("a file");
    fs::write(place.at("commloom.toml"), "nothing that can be read").expect("a file");
    assert_eq!(place.run("", &["refactor", "below/a.c"]).status.code(), Some(2));
    std::os::unix::fs::chown(place.at("commloom.toml"), Some(12345), None).expect("root may");
    let output = place.run("", &["refactor", "below/a.c"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains("belongs to user 12345 and is not used"), "{}", said(&output));
}

#[test]
fn pipes_devices_and_links_in_a_folder_of_traces_are_refused() {
    let place = Place::new();
    let trace = place.at("traces/rank-000003.trace");
    for plant in ["mkfifo", "ln -s /dev/zero", "ln -s $PWD/traces/rank-000000.trace"] {
        fs::remove_file(&trace).expect("it is there");
        let output = place.run(&format!("{plant} {}", trace.display()), &["detect", "traces"]);
        assert_eq!(output.status.code(), Some(2), "{plant}: {}", said(&output));
        assert!(said(&output).contains("rank-000003.trace"), "{}", said(&output));
    }
    for name in ["fifo", "/dev/zero", "traces"] {
        let output = place.run("[ -e fifo ] || mkfifo fifo", &["trace", "--print", name]);
        assert_eq!(output.status.code(), Some(2), "{name}: {}", said(&output));
    }
    // A module that a trace names is read as any other file.
    for module in [place.at("fifo"), "/dev/zero".into()] {
        let module = module.to_str().expect("UTF-8").to_owned();
        ring::ring_of(&place.at("named"), 2, ["ring", "none", &module]);
        let output = place.run("", &["detect", "named"]);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    }
}
