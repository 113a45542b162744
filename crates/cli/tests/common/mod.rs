//! Runs the built command.

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// A command line of the built binary, without the variables that would change it.
pub fn commloom(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_commloom"));
    command.args(args).env_remove("COMMLOOM_LIBDIR").env_remove("LD_PRELOAD");
    command
}

/// The result of a command.
#[derive(Debug, PartialEq, Eq)]
pub struct Done {
    pub status: Option<i32>,
    pub out: String,
    pub err: String,
}

/// Runs with this standard input.
pub fn run(args: &[&str], stdin: &str) -> Done {
    let mut child = commloom(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary was built");
    let mut pipe = child.stdin.take().expect("piped");
    // A command that does not read its input closes it: that is not what is tested here.
    let _ = pipe.write_all(stdin.as_bytes());
    drop(pipe);
    done(&child.wait_with_output().expect("it ends"))
}

/// The streams as text.
pub fn done(output: &Output) -> Done {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Done { status: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
}

/// Standard output of a command that must succeed.
#[allow(dead_code)] // not every test binary needs it
pub fn output(args: &[&str], stdin: &str) -> String {
    let done = run(args, stdin);
    assert_eq!((done.status, done.err.as_str()), (Some(0), ""), "{args:?}");
    done.out
}
