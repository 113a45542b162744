//! Calls of procedures that stand for MPI's, as calls of MPI: a procedure that sends numbers of
//! one type cannot be given another one.

use commloom_program::{Given, Project, Wrapper, placeholder};
use commloom_proof::{Part, Site};
use commloom_source::tree::{Expression, ExpressionKind};
use commloom_source::{Source, Span};

/// Stand for buffer, count and datatype; no program has them: they are for private use in Unicode.
pub(crate) const MARKS: [char; 3] = ['\u{e000}', '\u{e001}', '\u{e002}'];

/// A call that is written as one of another procedure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Anew {
    /// The place of the old call.
    pub span: Span,
    /// The new text, with [`MARKS`].
    pub text: String,
    /// The datatype that the call had without saying so.
    pub element: String,
}

/// A call in the text.
#[derive(Clone, Copy)]
pub(crate) struct Call<'p> {
    function: &'p Expression,
    arguments: &'p [Expression],
    span: Span,
    wrapper: Option<&'p Wrapper>,
}

/// The call that is rewritten.
pub(crate) fn call_of<'p>(project: &'p Project, site: &Site, part: &Part) -> Option<Call<'p>> {
    let view = project.view(site.procedure);
    let mut found: Option<(&'p Expression, &'p [Expression])> = None;
    for statement in &project.procedure(site.procedure).body {
        statement.each(&mut |s| {
            for expression in s.expressions() {
                expression.each(&mut |e| match &e.kind {
                    ExpressionKind::Call { function, arguments } if e.span == part.call => {
                        found = Some((function, arguments));
                    }
                    _ => {}
                });
            }
        });
    }
    let (function, arguments) = found?;
    let wrapper = function.root().and_then(|name| view.wrapper(name));
    Some(Call { function, arguments, span: part.call, wrapper })
}

impl<'p> Call<'p> {
    /// The procedure of the table that is called.
    pub fn wrapper(&self) -> Option<&'p Wrapper> {
        self.wrapper
    }

    /// The name of the callee.
    pub fn function(&self) -> Option<&'p str> {
        self.function.root().map(String::as_str)
    }

    /// How many arguments it has.
    pub fn arguments(&self) -> usize {
        self.arguments.len()
    }

    /// Fortran's `ierror`, as the table tells it.
    pub fn error(&self, source: &Source) -> Option<String> {
        let wrapper = self.wrapper?;
        self.text(wrapper, wrapper.stands_for().arguments.len(), source)
    }

    /// The call of MPI that it becomes; none where only its arguments change.
    pub fn anew(&self, part: &Part, source: &Source) -> Option<Anew> {
        let wrapper = self.wrapper?;
        let own = self.arguments.iter().position(|a| a.span == part.buffer.span)?;
        let (datatype, element) = wrapper.fixed(own)?;
        let signature = wrapper.stands_for();
        let buffer = (0..datatype).rfind(|at| wrapper.at(*at) == Some(own))?;
        let count = (0..signature.arguments.len())
            .find(|at| *at > buffer && signature.arguments[*at].contains("count"))?;
        let is_fortran = source.language.is_fortran();
        let all = signature.arguments.len() + usize::from(is_fortran);
        let mut arguments = Vec::with_capacity(all);
        for at in 0..all {
            let mark = [buffer, count, datatype].iter().position(|own| *own == at);
            match mark {
                Some(mark) => arguments.push(MARKS[mark].to_string()),
                None => match self.text(wrapper, at, source) {
                    Some(text) => arguments.push(text),
                    // Fortran's `ierror` under `mpi_f08`.
                    None if at == signature.arguments.len() => {}
                    None => arguments.push(wrapper.usual(at)?.to_owned()),
                },
            }
        }
        let text = format!("{}({})", signature.name, arguments.join(", "));
        let span = Span { start: self.function.span.start.max(self.span.start), ..self.span };
        Some(Anew { span, text, element: element.to_owned() })
    }

    /// The text for an argument of MPI's procedure.
    fn text(&self, wrapper: &Wrapper, argument: usize, source: &Source) -> Option<String> {
        let own = |at: usize| {
            let span = self.arguments.get(at)?.span;
            source.text.get(span.range())
        };
        match wrapper.given(argument)? {
            Given::Argument(number) => own(number.checked_sub(1)?).map(str::to_owned),
            Given::Text(text) => match placeholder(text) {
                None => Some(text.clone()),
                Some((range, number)) => {
                    let inner = own(number.checked_sub(1)?)?;
                    Some(format!("{}{inner}{}", &text[..range.start], &text[range.end..]))
                }
            },
        }
    }
}
