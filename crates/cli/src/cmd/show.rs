//! `commloom show`: pictures of a type, before and after normalization.

use std::io::Write;
use std::path::PathBuf;

use commloom_layout::{Base, CostModel, Type};
use commloom_picture::{self as picture, By, Panel, label};
use commloom_reconstruct::{ReconstructError, Reconstruction, normalize};

use crate::failure::Failure;
use crate::{input, options};

/// Draw a type and its normal form: trees, and bytes in memory
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    goal: options::Goal,
    /// Draw the type as it is given, without its normal form
    #[arg(long)]
    as_is: bool,
    /// Also draw memory and trees into this SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// A type in text or JSON notation, a file that holds one, or `-`
    #[arg(value_name = "TYPE|FILE|-")]
    ty: String,
}

const EXAMPLES: &str = "\
In the pictures of memory the characters 0-9, a-z, A-Z number the parts of the
root in the order in which they are packed; of one type alone, the runs of
adjacent bytes. `.` is a gap, `*` belongs to several parts, `[` and `]` are the
bounds.

Examples:
  commloom show 'indexed_block(2, <0,4,8,12>, MPI_INT)'
  commloom show --as-is 'vector(4, 2, 4, MPI_INT)'
  commloom show --constructors basic --cost mpich.toml --svg out.svg layout.txt";

/// Lines of a picture of memory: alone, and one of two.
const LINES: usize = 24;
const LINES_OF_TWO: usize = 12;

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let ty = input::ty(&args.ty)?;
    let model = args.goal.costs.model()?;
    let view = if args.as_is {
        View::alone(&ty, &model, None)
    } else {
        match normalize(&ty, args.goal.constructors.into(), &model) {
            Ok(found) if found.ty == ty => {
                View::alone(&ty, &model, Some(format!("nothing changes: {}", already(&found))))
            }
            Ok(found) => View::both(&ty, &found, &model),
            // A type at the edge of 64 bits can still be drawn.
            Err(error @ (ReconstructError::Layout(_) | ReconstructError::TooWide { .. })) => {
                View::alone(&ty, &model, Some(format!("no normal form: {error}")))
            }
            Err(error) => return Err(error.into()),
        }
    };
    if let Some(file) = &args.svg {
        crate::files::write(file, view.svg())?;
    }
    Ok(std::io::stdout().lock().write_all(view.text().as_bytes())?)
}

fn already(found: &Reconstruction) -> String {
    format!("this is its normal form, {}", super::cost::with_proof(found))
}

/// A drawing, as text or as SVG.
struct View {
    /// Facts of the layout, and what changed.
    lines: Vec<String>,
    /// Bytes per character or cell.
    unit: i64,
    panels: Vec<Drawn>,
}

/// One type of the view.
struct Drawn {
    ty: Type,
    /// `before`, `after`; empty where it is alone.
    name: &'static str,
    heading: String,
    by: By,
}

impl View {
    /// The type alone, with a remark.
    fn alone(ty: &Type, model: &CostModel, remark: Option<String>) -> View {
        let mut lines = facts(ty);
        lines.extend(remark);
        let heading = description(&format!("cost {}", model.cost(ty)), ty);
        let panels = vec![Drawn { ty: ty.clone(), name: "", heading, by: By::Runs }];
        View { lines, unit: picture::unit(&[ty]), panels }
    }

    /// The type and its normal form.
    fn both(ty: &Type, found: &Reconstruction, model: &CostModel) -> View {
        let mut lines = facts(ty);
        lines.push(changes(ty, found, model));
        let before = description(&format!("before: cost {}", model.cost(ty)), ty);
        let after = format!("after: {}", super::cost::with_proof(found));
        let after = description(&after, &found.ty);
        let panels = vec![
            Drawn { ty: ty.clone(), name: "before", heading: before, by: By::Parts },
            Drawn { ty: found.ty.clone(), name: "after", heading: after, by: By::Parts },
        ];
        View { lines, unit: picture::unit(&[ty, &found.ty]), panels }
    }

    fn text(&self) -> String {
        let mut text = self.lines.join("\n") + "\n";
        for panel in &self.panels {
            text += &format!("\n{}\n{}", panel.heading, picture::tree(&panel.ty, label));
        }
        let lines = if self.panels.len() > 1 { LINES_OF_TWO } else { LINES };
        text += &format!("\none character is {}\n", bytes(self.unit));
        for panel in &self.panels {
            if self.panels.len() > 1 {
                text += &format!("{}: {}\n", panel.name, panel.pieces());
            }
            text += &picture::memory(&panel.ty, self.unit, panel.by, lines);
        }
        text
    }

    fn svg(&self) -> String {
        let panel = |drawn: &Drawn| {
            let unit = bytes(self.unit);
            let legend = format!(
                "One cell is {unit}; colour and number: {}; grey: several of them",
                drawn.pieces()
            );
            (capital(&drawn.heading), legend)
        };
        let words: Vec<(String, String)> = self.panels.iter().map(panel).collect();
        let panels: Vec<Panel<'_>> = self
            .panels
            .iter()
            .zip(words)
            .map(|(drawn, (heading, legend))| Panel {
                ty: &drawn.ty,
                heading,
                by: drawn.by,
                legend,
            })
            .collect();
        let title = self.panels.first().map_or(String::new(), |drawn| drawn.ty.to_string());
        picture::svg(&title, &self.lines, self.unit, &panels)
    }
}

impl Drawn {
    /// The parts that the numbers in the picture of memory count.
    fn pieces(&self) -> String {
        match self.by {
            By::Runs => {
                format!("the {} in packed order", picture::counted(self.ty.runs(), "run", "runs"))
            }
            By::Parts => format!("the {}", picture::parts_in_words(&self.ty)),
        }
    }
}

fn bytes(n: i64) -> String {
    if n == 1 { "1 byte".to_owned() } else { format!("{n} bytes") }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |c| c.to_uppercase().chain(letters).collect())
}

/// Facts that every description of the layout shares.
fn facts(ty: &Type) -> Vec<String> {
    let base = match ty.base() {
        Base::Empty => "nothing".to_owned(),
        Base::One(basic) => basic.to_string(),
        Base::Mixed => "several basic types".to_owned(),
    };
    vec![
        format!(
            "{} in {} of {base}, {}",
            picture::counted(ty.size(), "byte", "bytes"),
            picture::counted(ty.elements(), "element", "elements"),
            picture::counted(ty.runs(), "run", "runs")
        ),
        format!(
            "lower bound {}, extent {}; data from {} to {}",
            ty.lb(),
            ty.extent(),
            ty.true_lb(),
            ty.true_ub()
        ),
    ]
}

fn description(start: &str, ty: &Type) -> String {
    format!("{start}, {} nodes, depth {}", ty.nodes(), ty.depth())
}

/// Numbers that differ in the normal form.
fn changes(ty: &Type, found: &Reconstruction, model: &CostModel) -> String {
    let all = [
        ("cost", model.cost(ty), found.cost),
        ("nodes", ty.nodes(), found.ty.nodes()),
        ("list entries", entries(ty), entries(&found.ty)),
    ];
    let changed: Vec<String> = all
        .iter()
        .filter(|(_, before, after)| before != after)
        .map(|(what, before, after)| format!("{what} {before} to {after}"))
        .collect();
    match changed.len() {
        0 => "changed: the form, at the same cost; the bytes and their order stay".to_owned(),
        _ => format!("changed: {}; the bytes and their order stay", changed.join(", ")),
    }
}

/// Entries of all lists, as the cost model counts them.
fn entries(ty: &Type) -> u64 {
    let one = CostModel::default();
    let two = CostModel { lookup: one.lookup + 1, ..one };
    two.cost(ty).saturating_sub(one.cost(ty))
}
