//! The process of one MPI library: does what it is told on standard input, line by line, and
//! answers on standard output.
//!
//! - `case LAYOUT SIZE SEED`: forgets the case before and makes the datatypes of this one;
//!   `made D` for every description, with an error after it where the library does not take it;
//!   then `done`.
//! - `pack D TIMES`, `unpack D TIMES`: `took NANOSECONDS`.

use std::io::{self, BufRead, Write};
use std::path::Path;

use commloom_mpi::{SessionError, SingleSession, Work, single};

use crate::buffers::Region;
use crate::layouts::{Layout, MOST_PACKED, descriptions, length, table};

/// Begins every answer; whatever the MPI library itself prints does not.
pub const MARK: &str = "commloom-speed ";

/// Opens the library and answers until the input ends.
pub fn run(library: &Path, memory: i32, misalign: usize) -> Result<(), String> {
    let region = Region::inherited(memory, misalign)?;
    let layouts = table();
    let answered = single(library, |packer| {
        let version = packer.version()?;
        let words: Vec<&str> = version.split_whitespace().collect();
        say(&format!("version {}", words.join(" ")));
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            match answer(packer, &region, &layouts, &line) {
                Ok(text) => say(&text),
                Err(reason) => say(&format!("error {}", reason.replace('\n', " "))),
            }
        }
        packer.clear();
        Ok::<(), SessionError>(())
    });
    answered.map_err(|error| {
        say(&format!("error {}", error.to_string().replace('\n', " ")));
        error.to_string()
    })
}

fn say(text: &str) {
    let mut out = io::stdout().lock();
    // Nobody is left to be told that the parent has gone.
    let _ = writeln!(out, "{MARK}{text}").and_then(|()| out.flush());
}

fn answer(
    packer: &mut dyn SingleSession,
    region: &Region,
    layouts: &[Layout],
    line: &str,
) -> Result<String, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = |at: usize| -> Result<i64, String> {
        words.get(at).and_then(|w| w.parse().ok()).ok_or_else(|| format!("bad command {line:?}"))
    };
    let work = match words.first().copied() {
        Some("case") => {
            packer.clear();
            let layout = layouts.get(length(number(1)?)).ok_or("no such layout")?;
            let seed = number(3)?.cast_unsigned();
            return case(packer, region, layout, number(2)?, seed);
        }
        Some("pack") => Work::Pack,
        Some("unpack") => Work::Unpack,
        _ => return Err(format!("bad command {line:?}")),
    };
    let times = u32::try_from(number(2)?).map_err(|e| e.to_string())?;
    let time = packer.time(length(number(1)?), work, times).map_err(|e| e.to_string())?;
    Ok(format!("took {}", time.as_nanos()))
}

fn case(
    packer: &mut dyn SingleSession,
    region: &Region,
    layout: &Layout,
    size: i64,
    seed: u64,
) -> Result<String, String> {
    let case = layout.case(size, seed).map_err(|skip| format!("{skip:?}"))?;
    let described = descriptions(&layout.form, &case).map_err(|e| e.to_string())?;
    let buffers = region.buffers();
    let room = length(MOST_PACKED);
    let buffers = commloom_mpi::Buffers { memory: buffers.memory, packed: buffers.packed, room };
    for (i, description) in described.iter().enumerate() {
        // SAFETY: the region has room for every case of the table, on both sides; the parent waits
        // while this process packs.
        match unsafe { packer.add_in(&description.ty, description.count, buffers) } {
            Ok(number) => say(&format!("made {i} {number}")),
            Err(error) => say(&format!("made {i} - {}", error.to_string().replace('\n', " "))),
        }
    }
    Ok("done".into())
}
