//! `commloom manual`: the manual pages, for whoever installs or packages.

use std::path::{Path, PathBuf};

use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use commloom_environment as environment;

use crate::failure::Failure;

/// Write the manual pages of all commands
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder, which must exist
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args, cli: clap::Command) -> Result<(), Failure> {
    let mut cli = cli.disable_help_subcommand(true);
    cli.build();
    let failure = |error| Failure::File {
        doing: "write manual pages to",
        name: args.folder.display().to_string(),
        error,
    };
    write(&cli, &args.folder).map_err(failure)?;
    for command in cli.get_subcommands().filter(|command| !command.is_hide_set()) {
        write(command, &args.folder).map_err(failure)?;
    }
    Ok(())
}

/// The page of one command.
fn write(command: &clap::Command, folder: &Path) -> std::io::Result<()> {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let HelpText { notes, examples, variables } = HelpText::parse(&help);
    let man = Man::new(command.clone());
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    section(&mut page, "NOTES", &notes)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    section(&mut page, "EXAMPLES", &examples)?;
    section(&mut page, "ENVIRONMENT", &environment_of(command.get_name(), &variables))?;
    section(&mut page, "SEE ALSO", "The book of commloom: share/doc/commloom/book.")?;
    if command.get_version().is_some() {
        man.render_version_section(&mut page)?;
    }
    std::fs::write(folder.join(man.get_filename()), page)
}

/// The text behind the options of a command, for a page: what it says by itself, examples,
/// variables.
#[derive(Default)]
struct HelpText {
    notes: String,
    examples: String,
    variables: String,
}

impl HelpText {
    fn parse(help: &str) -> HelpText {
        let mut parts = HelpText::default();
        for paragraph in help.split("\n\n") {
            let (head, rest) = paragraph.split_once('\n').unwrap_or((paragraph, ""));
            let (part, text) = match head {
                "Environment:" => (&mut parts.variables, rest),
                _ if head.starts_with("Examples") => (&mut parts.examples, rest),
                _ => (&mut parts.notes, paragraph),
            };
            if !part.is_empty() {
                *part += "\n\n";
            }
            *part += text;
        }
        parts
    }
}

/// The variables that a command reads: its own, those of the preload where it starts programs,
/// and the one that all of them read.
fn environment_of(command: &str, own: &str) -> String {
    const COLOUR: &str = "  NO_COLOR\n      no colours on a terminal, if it is not empty";
    let settings = environment::help();
    let settings = settings.split_once('\n').map_or("", |(_, settings)| settings.trim_end());
    let of_preload = if matches!(command, "commloom" | "exec" | "trace") { settings } else { "" };
    let parts = [of_preload, own, COLOUR];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// A section with its lines as they are.
fn section(page: &mut Vec<u8>, title: &str, text: &str) -> std::io::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    let mut roff = Roff::new();
    roff.control("SH", [title]).control("nf", []);
    for line in text.lines() {
        roff.text([roman(line)]);
    }
    roff.control("fi", []);
    roff.to_writer(page)
}
