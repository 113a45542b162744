//! `commloom lsp` with a real client: Neovim opens a file, shows what is found, and takes the code
//! action.

use std::path::{Path, PathBuf};
use std::process::Command;

const PACKING: &str = "\
#include <mpi.h>

void every_third(int n, const double *x, int to)
{
    double local[1000];
    for (int i = 0; i < n; i++) local[i] = x[3 * i];
    MPI_Send(local, n, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
}

void halves(int n, const double *x, int to)
{
    double local[1000];
    for (int i = 0; i < n; i++) local[i] = x[i] / 2;
    MPI_Send(local, n, MPI_DOUBLE, to, 1, MPI_COMM_WORLD);
}
";

fn has_neovim() -> bool {
    let found = Command::new("nvim").arg("--version").output().is_ok_and(|o| o.status.success());
    if !found {
        commloom_testkit::skipped("language server: no nvim (apt-get install neovim)");
    }
    found
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lsp").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the target folder is writable");
    folder
}

#[test]
fn neovim_shows_packing_code_and_its_action_does_what_refactor_does() {
    if !has_neovim() {
        return;
    }
    let (edited, applied) = (folder("edited").join("pack.c"), folder("applied").join("pack.c"));
    for file in [&edited, &applied] {
        std::fs::write(file, PACKING).expect("writable");
    }
    let client = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lsp/client.lua");
    let output = Command::new("nvim")
        .args(["--headless", "-u", "NONE", "-n", "-S"])
        .arg(&client)
        .env("COMMLOOM", env!("CARGO_BIN_EXE_commloom"))
        .env("FILE", &edited)
        .output()
        .expect("nvim runs");
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(said.contains("3 7 packing"), "{said}");
    assert!(said.contains("4 14 E-ARITH"), "{said}");
    assert_eq!(said.matches("action:").count(), 1, "{said}");
    assert!(said.contains("left: 1"), "{said}");
    let apply = Command::new(env!("CARGO_BIN_EXE_commloom"))
        .args(["refactor", "--apply", "--allow-dirty"])
        .arg(&applied)
        .output()
        .expect("commloom runs");
    assert!(apply.status.success(), "{}", String::from_utf8_lossy(&apply.stderr));
    let text = |file| std::fs::read_to_string(file).expect("written");
    assert_eq!(text(&edited), text(&applied));
    assert_ne!(text(&edited), PACKING);
}
