//! Programs drawn by chance that pack and send, or receive and unpack, with something in them that
//! may make it wrong to take the copies away.
//!
//! A program is right before it is changed: it reads nothing that was not written, and waits for
//! what it begins. What was put into it is its list of names ([`Program::twists`]); what becomes
//! of them is counted by these.

pub mod c;
pub mod calls;
pub mod cpp;
pub mod fortran;
pub mod run;

use commloom_refactor::check::{self, Options, Project};
use commloom_refactor::source::{FileId, Language, Source};
use commloom_testkit::Rng;

/// One procedure with all that it needs.
pub struct Program {
    pub number: usize,
    pub language: Language,
    /// How it copies: `vector, send`.
    pub form: String,
    /// The twists that were put into it.
    pub twists: Vec<&'static str>,
    pub text: String,
}

/// The program after the tool.
pub struct Outcome {
    pub program: Program,
    /// The text after its changes; none where there are none.
    pub after: Option<String>,
    /// Codes of refusals.
    pub codes: Vec<&'static str>,
}

/// Where a twist stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// At the beginning of the procedure.
    First,
    /// Between the copies and the call, or the end of the receive and the copies.
    Between,
    /// While the operation is pending.
    Pending,
    /// After all.
    Last,
}

/// A twist: its name, where it can stand, and what it is. `@` is the program's number, `COUNT` the
/// number of elements, `SOME` whether that is not zero.
pub struct Twist {
    pub name: &'static str,
    pub phases: &'static [Phase],
    pub text: &'static str,
    /// The declarations that it needs.
    pub needs: &'static str,
}

/// How values come into the buffer and out of it.
pub struct Shape {
    pub name: &'static str,
    pub declared: &'static str,
    pub pack: &'static str,
    pub unpack: &'static str,
    pub count: &'static str,
    pub some: &'static str,
    /// A scalar that is left behind.
    pub left: Option<&'static str>,
}

/// Program `number` of a campaign.
pub fn program(seed: u64, number: usize) -> Program {
    let mut rng = Rng::with_seed(seed.wrapping_mul(1_000_003).wrapping_add(number as u64));
    match rng.u8(..10) {
        9 => c::exchange::program(&mut rng, number),
        0..3 => c::program(&mut rng, number),
        3..6 => cpp::program(&mut rng, number),
        _ => fortran::program(&mut rng, number),
    }
}

impl Program {
    /// The end of its file's name.
    pub fn suffix(&self) -> &'static str {
        match self.language {
            Language::C => "c",
            Language::Cpp => "cpp",
            Language::FortranFree | Language::FortranFixed => "f90",
        }
    }
}

/// Runs the tool.
pub fn judge(program: Program) -> Outcome {
    let source = Source {
        name: format!("p{}.{}", program.number, program.suffix()),
        language: program.language,
        text: program.text.clone(),
    };
    let project = Project::new(vec![source]);
    let findings = check::check(&project, &Options::default());
    let codes =
        findings.iter().filter_map(|f| f.outcome.as_ref().err()).map(|r| r.code.as_str()).collect();
    Outcome { after: check::changed(&project, FileId(0), &findings), codes, program }
}

/// One of several.
pub fn one<'a, T>(rng: &mut Rng, all: &'a [T]) -> &'a T {
    &all[rng.usize(..all.len())]
}

/// Twists of a phase, as text, with all names put in.
pub fn placed(twists: &[&Twist], at: &[(usize, Phase)], phase: Phase, shape: &Shape) -> String {
    let mut text = String::new();
    for (number, place) in at {
        if *place == phase {
            text.push_str(twists[*number].text);
            text.push('\n');
        }
    }
    filled(&text, shape)
}

pub fn filled(text: &str, shape: &Shape) -> String {
    text.replace("COUNT", shape.count)
        .replace("SOME", shape.some)
        .replace("LEFT", shape.left.unwrap_or("n"))
}
