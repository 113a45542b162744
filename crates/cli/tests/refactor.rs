//! `commloom refactor`: what it prints, what it writes, and with what it ends.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::{Done, commloom, done};
use serde_json::Value;

const GOOD: &str = "#include <mpi.h>

void column(const double *u, int n, int to, MPI_Comm c)
{
    double b[100];
    for (int i = 0; i < n; i++)
        b[i] = u[4 * i];
    MPI_Send(b, n, MPI_DOUBLE, to, 7, c);
}
";

const REFUSED: &str = "#include <mpi.h>

void through(double *b, const double *u, int n, int to, MPI_Comm c)
{
    for (int i = 0; i < n; i++)
        b[i] = u[4 * i];
    MPI_Send(b, n, MPI_DOUBLE, to, 7, c);
}
";

/// A folder of its own for a test, with these files.
fn folder(test: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("refactor-{test}"));
    // What the last run left would be taken for this one's.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    for (name, text) in files {
        fs::write(folder.join(name), text).expect("a file");
    }
    folder
}

/// Runs in the folder.
fn refactor(folder: &Path, args: &[&str]) -> Done {
    let mut command = commloom(&["refactor"]);
    // Tables of this machine's libraries would be told of.
    command.env_remove("COMMLOOM_MODEL").env("XDG_CACHE_HOME", folder);
    command.args(args).current_dir(folder).stdin(Stdio::null());
    done(&command.output().expect("the binary was built"))
}

fn git(folder: &Path, args: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b"])
        .args(args)
        .current_dir(folder)
        .output()
        .expect("git runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).expect("a file")
}

#[test]
fn a_patch_is_printed_and_nothing_is_written() {
    let folder = folder("diff", &[("a.c", GOOD)]);
    let plain = refactor(&folder, &["a.c"]);
    assert_eq!(plain.status, Some(0), "{plain:?}");
    assert!(plain.out.starts_with("--- a/a.c\n+++ b/a.c\n@@"), "{}", plain.out);
    assert!(plain.out.contains("+    MPI_Type_vector("), "{}", plain.out);
    assert!(!plain.out.contains('\x1b'), "colours are for terminals: {}", plain.out);
    assert_eq!(
        plain.err,
        "a.c:8: MPI_Send of 'b' can send vector(n, 1, 4) of MPI_DOUBLE\n    \
         cost: 800 bytes in 100 blocks (n = 100); the datatype costs 12 in the cost model, a list \
         of the blocks 112; what it takes here, --bench measures\n\
         1 of 1 packed buffers can be datatypes; 0 cannot\n"
    );
    assert_eq!(refactor(&folder, &["--diff", "a.c"]), plain);
    assert_eq!(read(&folder, "a.c"), GOOD);
    // What git would say of it.
    fs::write(folder.join("patch"), &plain.out).expect("a file");
    git(&folder, &["init", "-q"]);
    git(&folder, &["apply", "patch"]);
    assert!(read(&folder, "a.c").contains("MPI_Type_vector"));
}

#[test]
fn check_ends_with_1_where_something_can_be_done() {
    let folder = folder("check", &[("a.c", GOOD), ("b.c", REFUSED)]);
    let good = refactor(&folder, &["--check", "."]);
    assert_eq!(good.status, Some(1), "{good:?}");
    assert_eq!(good.out, "./a.c:8: MPI_Send of 'b' can send vector(n, 1, 4) of MPI_DOUBLE\n");
    let refused = refactor(&folder, &["--check", "b.c"]);
    assert_eq!((refused.status, refused.out.as_str()), (Some(0), ""), "{refused:?}");
    assert!(refused.err.contains("b.c:7: E-ALIAS: "), "{}", refused.err);
}

#[test]
fn files_change_once_and_only_if_git_has_a_copy() {
    let folder = folder("apply", &[("a.c", GOOD)]);
    git(&folder, &["init", "-q"]);
    let dirty = refactor(&folder, &["--apply", "a.c"]);
    assert_eq!(dirty.status, Some(2), "{dirty:?}");
    assert!(dirty.err.contains("--allow-dirty"), "{}", dirty.err);
    assert_eq!(read(&folder, "a.c"), GOOD);
    git(&folder, &["add", "a.c"]);
    git(&folder, &["commit", "-qm", "a"]);
    let clean = refactor(&folder, &["--apply", "a.c"]);
    assert_eq!(clean.status, Some(0), "{clean:?}");
    let after = read(&folder, "a.c");
    assert!(after.contains("MPI_Send(&u[0], 1, u_type(n), "), "{after}");
    let again = refactor(&folder, &["--apply", "a.c"]);
    assert_eq!(again.status, Some(0), "{again:?}");
    assert_eq!(read(&folder, "a.c"), after);
    fs::write(folder.join("a.c"), GOOD).expect("a file");
    git(&folder, &["commit", "-qam", "b", "--allow-empty"]);
    fs::write(folder.join("a.c"), format!("{GOOD}\n")).expect("a file");
    assert_eq!(refactor(&folder, &["--apply", "a.c"]).status, Some(2));
    assert_eq!(refactor(&folder, &["--apply", "--allow-dirty", "a.c"]).status, Some(0));
    assert_eq!(read(&folder, "a.c"), format!("{after}\n"));
}

#[test]
fn changes_that_do_not_compile_are_refused() {
    let folder = folder("compile", &[("a.c", GOOD)]);
    let compiles = refactor(&folder, &["--compile", "grep -q MPI_Send {}", "a.c"]);
    assert!(compiles.out.contains("+    MPI_Type_vector("), "{compiles:?}");
    let fails = "if grep -q MPI_Type {}; then echo {}:3: error: no types >&2; false; fi";
    let refused = refactor(&folder, &["--compile", fails, "a.c"]);
    assert_eq!((refused.status, refused.out.as_str()), (Some(0), ""), "{refused:?}");
    let message = "a.c:8: E-COMPILE: the new text does not compile: a.c:3: error: no types";
    assert!(refused.err.contains(message), "{}", refused.err);
    let broken = refactor(&folder, &["--compile", "echo no compiler >&2; false", "a.c"]);
    assert!(broken.out.contains("+    MPI_Type_vector("), "{broken:?}");
    let message = "a.c does not compile as it is, so changes are only parsed: no compiler";
    assert!(broken.err.contains(message), "{}", broken.err);
}

#[test]
fn files_are_compiled_as_compile_commands_say() {
    let folder =
        folder("works", &[("a.c", GOOD), ("cc", "#!/bin/sh\n! grep -q MPI_Type \"$1\"\n")]);
    let commands = |compiler: &str| {
        let place = folder.display();
        let text = format!(
            r#"[{{"directory": "{place}", "file": "a.c", "command": "{compiler} cc a.c -o a.o"}}]"#
        );
        fs::write(folder.join("compile_commands.json"), text).expect("a file");
    };
    commands("sh");
    let named = refactor(&folder, &["--compile-commands", "compile_commands.json", "a.c"]);
    assert!(named.err.contains("a.c:8: E-COMPILE: "), "{named:?}");
    // Nobody asked to run this.
    let found = refactor(&folder, &["."]);
    assert!(found.out.contains("+    MPI_Type_vector("), "{found:?}");
}

#[test]
fn changes_stay_only_if_the_command_succeeds() {
    let folder = folder("run", &[("a.c", GOOD)]);
    let fails = refactor(
        &folder,
        &["--apply", "--allow-dirty", "--run", "grep -q MPI_Type_vector a.c && false", "a.c"],
    );
    assert_eq!(fails.status, Some(1), "{fails:?}");
    assert!(fails.err.contains("the files are as they were"), "{}", fails.err);
    assert_eq!(read(&folder, "a.c"), GOOD);
    let passes = refactor(
        &folder,
        &["--apply", "--allow-dirty", "--run", "grep -q MPI_Type_vector a.c", "a.c"],
    );
    assert_eq!(passes.status, Some(0), "{passes:?}");
    assert!(read(&folder, "a.c").contains("MPI_Type_vector"));
}

#[test]
fn json_has_edits_and_refusals() {
    let folder = folder("json", &[("a.c", GOOD), ("b.c", REFUSED)]);
    let all = refactor(&folder, &["--json", "a.c", "b.c"]);
    assert_eq!((all.status, all.err.as_str()), (Some(0), ""), "{all:?}");
    let value: Value = serde_json::from_str(&all.out).expect("JSON");
    let sites = value["sites"].as_array().expect("sites");
    assert_eq!(sites.len(), 2, "{value}");
    assert_eq!(sites[0]["at"]["line"], 8);
    assert_eq!(sites[0]["change"]["type"], "vector(n, 1, 4) of MPI_DOUBLE");
    assert_eq!(sites[1]["refusal"]["code"], "E-ALIAS");
    assert_eq!(sites[1]["refusal"]["fact"], "'b' and 'u' share no memory");
    // The edits make the file that --apply writes.
    let mut text = GOOD.to_owned();
    let mut edits: Vec<(usize, usize, &str)> = sites[0]["change"]["edits"]
        .as_array()
        .expect("edits")
        .iter()
        .map(|edit| {
            let byte = |name: &str| {
                usize::try_from(edit["at"][name].as_u64().expect("a byte")).expect("small")
            };
            (byte("start"), byte("end"), edit["text"].as_str().expect("a text"))
        })
        .collect();
    edits.sort_by_key(|edit| std::cmp::Reverse((edit.0, edit.1)));
    for (start, end, new) in edits {
        text.replace_range(start..end, new);
    }
    refactor(&folder, &["--apply", "--allow-dirty", "a.c"]);
    assert_eq!(read(&folder, "a.c"), text);
}

#[test]
fn sarif_has_fixes() {
    let folder = folder("sarif", &[("a.c", GOOD), ("b.c", REFUSED)]);
    let all = refactor(&folder, &["--sarif", "a.c", "b.c"]);
    let value: Value = serde_json::from_str(&all.out).expect("JSON");
    assert_eq!(value["version"], "2.1.0");
    let run = &value["runs"][0];
    let results = run["results"].as_array().expect("results");
    let rules: Vec<&Value> = run["tool"]["driver"]["rules"]
        .as_array()
        .expect("rules")
        .iter()
        .map(|r| &r["id"])
        .collect();
    assert!(results.iter().all(|r| rules.contains(&&r["ruleId"])), "{value}");
    assert_eq!(results[0]["level"], "warning");
    let change = &results[0]["fixes"][0]["artifactChanges"][0];
    assert_eq!(change["artifactLocation"]["uri"], "a.c");
    for replacement in change["replacements"].as_array().expect("replacements") {
        let region = &replacement["deletedRegion"];
        for key in ["startLine", "startColumn", "endLine", "endColumn"] {
            assert!(region[key].as_u64().is_some_and(|n| n > 0), "{replacement}");
        }
    }
    assert_eq!(results[1]["ruleId"], "E-ALIAS");
}

/// The output of `--explain`: `COMMLOOM_ACCEPT=1` writes it anew.
fn explained(name: &str, file: &str, text: &str, site: &str, options: &[&str]) -> Done {
    let folder = folder(&format!("explain-{name}"), &[(file, text)]);
    let done = refactor(&folder, &[&["--explain", site], options, &[file]].concat());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/explained/{name}.txt"));
    if std::env::var_os("COMMLOOM_ACCEPT").is_some() {
        fs::write(&path, &done.out).expect("the expectation");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    let wrong = commloom_refactor::edit::diff(name, &expected, &done.out);
    assert!(wrong.is_empty(), "{wrong}{}", done.err);
    done
}

const HALO: &str = "#include <mpi.h>

void give_column(const double *u, int nx, int ny, int nz, int to, MPI_Comm c)
{
    MPI_Request r;
    double b[ny * nz];
    int p = 0;
    for (int k = 1; k < nz - 1; k++)
        for (int j = 1; j < ny - 1; j++)
            b[p++] = u[(k * ny + j) * nx + 1];
    MPI_Isend(b, p, MPI_DOUBLE, to, 7, c, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}
";

const GHOSTS: &str = "subroutine take(q, n, src, comm)
  use mpi
  implicit none
  integer :: n, src, comm, i, j, ierr
  integer :: status(MPI_STATUS_SIZE)
  real :: q(-1:n + 2, -1:n + 2)
  real :: buf(2 * n)
  call MPI_Recv(buf, 2 * n, MPI_REAL, src, 4, comm, status, ierr)
  do j = 1, n
     do i = -1, 0
        q(i, j) = buf((j - 1) * 2 + i + 2)
     end do
  end do
end subroutine
";

#[test]
fn a_site_is_explained_from_its_loops_to_its_datatype() {
    let done = explained("halo", "halo.c", HALO, "halo.c:11", &[]);
    assert_eq!((done.status, done.err.as_str()), (Some(0), ""), "{done:?}");
    // Any line of its loops will do.
    assert_eq!(explained("halo", "halo.c", HALO, "halo.c:9", &[]).out, done.out);
    let done = explained("ghosts", "ghosts.f90", GHOSTS, "ghosts.f90:8", &[]);
    assert_eq!(done.status, Some(0), "{done:?}");
}

#[test]
fn a_refusal_is_explained_up_to_where_it_got() {
    let done = explained("refused", "b.c", REFUSED, "b.c:7", &[]);
    assert_eq!(done.status, Some(0), "{done:?}");
    assert!(
        done.out.contains("if 'b' and 'u' share no memory: --assume no-alias:"),
        "{}",
        done.out
    );
    let facts = ["--assume", "no-alias:b,u", "--assume", "buffer-dead:b"];
    let done = explained("assumed", "b.c", REFUSED, "b.c:7", &facts);
    assert!(done.out.contains("assumed "), "{}", done.out);
    let folder = folder("explain-wrong", &[("a.c", GOOD)]);
    for wrong in ["a.c", "a.c:x", "a.c:0", "a.c:1", "a.c:100", "other.c:8"] {
        let done = refactor(&folder, &["--explain", wrong, "a.c"]);
        assert_eq!(done.status, Some(2), "{wrong}: {done:?}");
    }
    let done = refactor(&folder, &["--explain", "a.c:1", "a.c"]);
    assert!(done.err.contains("there are some at a.c:8"), "{}", done.err);
}

#[test]
fn an_explanation_is_drawn_and_written_as_json() {
    let folder = folder("explain-json", &[("halo.c", HALO)]);
    let done =
        refactor(&folder, &["--explain", "halo.c:11", "--json", "--svg", "halo.svg", "halo.c"]);
    assert_eq!((done.status, done.err.as_str()), (Some(0), ""), "{done:?}");
    let value: Value = serde_json::from_str(&done.out).expect("JSON");
    let site = &value["sites"][0];
    assert_eq!(site["at"]["line"], 11);
    let explanation = &site["explanation"];
    let steps = explanation["steps"].as_array().expect("steps");
    let last = steps.last().expect("a step");
    assert_eq!(steps[0]["pass"], Value::Null);
    assert_eq!(last["pass"], "struct -> hindexed -> hvector");
    assert_eq!(
        format!("{} of MPI_DOUBLE", last["type"].as_str().expect("a type")),
        site["change"]["type"]
    );
    let copy = &explanation["copies"][0];
    assert_eq!(copy["box"][0]["last"], "nz - 2");
    assert_eq!(copy["memory"], "u[k*nx*ny + j*nx + 1]");
    assert!(
        explanation["conditions"]
            .as_array()
            .expect("conditions")
            .iter()
            .all(|c| c["holds"] == true)
    );
    // Each cell of the buffer once.
    let cells = explanation["example"]["arrays"][0]["planes"].as_array().expect("planes").iter();
    let mut numbers: Vec<u64> = cells
        .flat_map(|plane| plane["cells"].as_array().expect("cells"))
        .filter_map(Value::as_u64)
        .filter(|number| *number > 0)
        .collect();
    numbers.sort_unstable();
    let last = u64::try_from(numbers.len()).expect("a number");
    assert!(last > 4 && numbers.into_iter().eq(1..=last), "{explanation}");
    let svg = read(&folder, "halo.svg");
    assert!(svg.starts_with("<svg ") && svg.contains("hvector: nz - 2 times"), "{svg}");
    let refused = refactor(&folder, &["--svg", "halo.svg", "halo.c"]);
    assert_eq!(refused.status, Some(2), "a picture is of one site: {refused:?}");
}

/// The identifier behind `--assume` in a refusal.
fn missing(err: &str) -> String {
    let (_, identifier) = err.split_once("--assume ").expect("a fact");
    identifier.lines().next().expect("a line").to_owned()
}

#[test]
fn facts_are_assumed_one_by_one() {
    let folder = folder("assume", &[("b.c", REFUSED)]);
    let first = missing(&refactor(&folder, &["b.c"]).err);
    assert!(first.starts_with("no-alias:") && first.ends_with("/b,u"), "{first}");
    let one = refactor(&folder, &["--assume", &first, "b.c"]);
    assert!(one.err.contains("E-BUF-LIVE"), "{}", one.err);
    let second = missing(&one.err);
    assert!(second.starts_with("buffer-dead:") && second.ends_with("/b"), "{second}");
    let both = refactor(&folder, &["--assume", &first, "--assume", &second, "b.c"]);
    assert!(both.out.contains("MPI_Type_vector"), "{both:?}");
    assert!(both.err.contains("    assumed: 'b' is not read again\n"), "{}", both.err);
    assert!(!both.err.contains("warning"), "{}", both.err);
    assert_eq!(refactor(&folder, &["--assume", "all", "b.c"]).out, both.out);
    let json = refactor(&folder, &["--json", "--assume", &first, "b.c"]);
    let value: Value = serde_json::from_str(&json.out).expect("JSON");
    let refusal = &value["sites"][0]["refusal"];
    assert_eq!(refusal["fact"], "'b' is not read again");
    assert_eq!(refusal["fact_id"], *second);
    // Those of the last version.
    let sentences = ["--assume", "b and u share no memory", "--assume", "'b' is not read again"];
    let old = refactor(&folder, &[&sentences[..], &["b.c"]].concat());
    assert_eq!(old.out, both.out);
    for identifier in [first, second] {
        let warning = format!("--assume {identifier}\n");
        let line = old.err.split_inclusive('\n').find(|line| line.ends_with(&warning));
        assert!(line.is_some_and(|line| line.starts_with("warning: ")), "{}", old.err);
    }
}

#[test]
fn a_comment_leaves_a_call_alone() {
    let text = GOOD.replace("    MPI_Send", "    // commloom: keep\n    MPI_Send");
    let folder = folder("keep", &[("a.c", &text)]);
    let kept = refactor(&folder, &["--check", "a.c"]);
    assert_eq!((kept.status, kept.out.as_str()), (Some(0), ""), "{kept:?}");
}

#[test]
fn wrong_paths_are_errors() {
    let folder = folder("wrong", &[("notes.txt", "")]);
    for path in ["no.c", "notes.txt", "."] {
        let done = refactor(&folder, &[path]);
        assert_eq!(done.status, Some(2), "{path}: {done:?}");
    }
}

const WRAPPED: &str = "#include <mpi.h>

void column(const double *u, int n, int to)
{
    double b[100];
    for (int i = 0; i < n; i++)
        b[i] = u[4 * i];
    put(to, b, n);
}
";

#[test]
fn wrappers_are_found_above_the_files_or_where_they_are_said_to_be() {
    let entry = |tag: &str| {
        format!(
            "[wrappers.put]\ncall = \"MPI_Send\"\ndest = 1\nbuf = 2\ncount = 3\n\
             datatype = \"MPI_DOUBLE\"\ntag = {tag}\ncomm = \"comm\"\n"
        )
    };
    let texts = [("commloom.toml", entry("\"7\"")), ("other.toml", entry("\"8\""))];
    let folder = folder("wrappers", &[("commloom.toml", &texts[0].1), ("other.toml", &texts[1].1)]);
    fs::create_dir_all(folder.join("src/deep")).expect("a folder");
    fs::write(folder.join("src/deep/a.c"), WRAPPED).expect("a file");
    let found = refactor(&folder, &["src"]);
    assert_eq!(found.status, Some(0), "{found:?}");
    let call = "+    MPI_Send(&u[0], 1, u_type(n), to, 7, comm);";
    assert!(found.out.contains(call), "{}", found.out);
    assert!(found.err.contains("commloom.toml: procedures that stand for"), "{}", found.err);
    let given = refactor(&folder, &["--config", "other.toml", "src/deep/a.c"]);
    assert!(given.out.contains(&call.replace("7, comm", "8, comm")), "{}", given.out);
    assert!(!given.err.contains("procedures that stand for"), "{}", given.err);
}

#[test]
fn what_is_wrong_in_the_table_is_said_with_its_place() {
    let text = "[wrappers.put]\ncall = \"MPI_Send\"\nbuf = 1\ncount = 2\ndatatype = 3\ndst = 4\n";
    let folder = folder("wrong-wrappers", &[("a.c", WRAPPED), ("commloom.toml", text)]);
    let found = refactor(&folder, &["a.c"]);
    assert_eq!((found.status, found.out.as_str()), (Some(2), ""), "{found:?}");
    assert!(found.err.contains("commloom.toml:6:1"), "{}", found.err);
    assert!(found.err.contains("did you mean `dest`?"), "{}", found.err);
    let none = refactor(&folder, &["--config", "none.toml", "a.c"]);
    assert_eq!(none.status, Some(2), "{none:?}");
    assert!(none.err.contains("cannot read none.toml"), "{}", none.err);
}

const SIZED: &str = "#include <mpi.h>
#include <grid/size.h>

void column(const double *u, int n, int to)
{
    double b[NY];
    for (int i = 0; i < NY; i++)
        b[i] = u[STRIDE * i];
    MPI_Send(b, NY, MPI_DOUBLE, to, 7, MPI_COMM_WORLD);
}
";

#[test]
fn commands_say_where_headers_are_and_which_macros_there_are() {
    let folder = folder("commands", &[]);
    for name in ["src", "include/grid", "old/grid", "build"] {
        fs::create_dir_all(folder.join(name)).expect("a folder");
    }
    fs::write(folder.join("src/a.c"), SIZED).expect("a file");
    fs::write(folder.join("include/grid/size.h"), "#define STRIDE (2 * LAYERS)\n").expect("a file");
    fs::write(folder.join("old/grid/size.h"), "#define STRIDE next()\n").expect("a file");
    fs::write(folder.join("build/flags"), "-I../include '-DLAYERS=(1 + 1)'").expect("a file");
    let whole = fs::canonicalize(&folder).expect("a path");
    let entry = format!(
        "[{{\"directory\": \"{}/build\", \"file\": \"../src/a.c\", \"command\": \"cc @flags -DNY=5 \
         -c ../src/a.c\"}}]",
        whole.display()
    );
    fs::write(folder.join("build/compile_commands.json"), entry).expect("a file");
    let found = refactor(&folder, &["."]);
    assert_eq!(found.status, Some(0), "{found:?}");
    assert!(found.out.contains("u_type(NY, STRIDE)"), "{found:?}");
    assert!(
        found.err.contains("./build/compile_commands.json: how files are compiled"),
        "{found:?}"
    );
    // Alone, the file has no header that says what the stride is; with the commands, it is read.
    let alone = refactor(&folder, &["src"]);
    assert!(alone.err.contains("E-ADDRESS"), "{alone:?}");
    let given = refactor(&folder, &["--compile-commands", "build/compile_commands.json", "src"]);
    assert!(given.out.contains("u_type(NY, STRIDE)"), "{given:?}");
    fs::write(folder.join("build/compile_commands.json"), "[\n{\"file\": 3}]").expect("a file");
    let wrong = refactor(&folder, &["."]);
    assert_eq!(wrong.status, Some(2), "{wrong:?}");
    assert!(wrong.err.contains("compile_commands.json:2:10"), "{}", wrong.err);
}
