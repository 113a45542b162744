//! Why something is not rewritten.

use std::fmt;

use commloom_source::Span;

use crate::fact::Premise;

/// A stable name of a reason; documented in book/src/reference/refusal-codes.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Code {
    /// A value is computed or converted while it is packed.
    Arithmetic,
    /// The buffer's positions are not covered once each, in a form that can be seen.
    Coverage,
    /// The call sends another range than the one that was packed.
    Range,
    /// A statement among the copies is not understood.
    Unreadable,
    /// A bound, stride or index changes between the copies and the call.
    Changed,
    /// An address has no form that a datatype could have.
    Address,
    /// The bytes that are copied are not whole elements of the call's datatype.
    Element,
    /// Nothing is copied to or from the buffer: the call is no site.
    NoCopies,
    /// Loops and datatype were run on sizes drawn by chance, and differ: an error of commloom.
    Verification,
    /// The text cannot be changed as it would have to be.
    Text,
    /// A source is written between its copy and the end of the send.
    SourceWritten,
    /// The buffer may be read by somebody else than the call.
    BufferLive,
    /// Received data is used before it would be unpacked, or its elements may not be distinct.
    ReceiveOverlap,
    /// The receive is posted for another number of elements than are unpacked.
    ReceiveCount,
    /// Where the operation ends, or what it uses, is out of sight.
    Escapes,
    /// Two names may be names of the same memory.
    Alias,
    /// A scalar that the packing code computes is used elsewhere.
    ScalarLive,
    /// The size of the call's datatype is not known.
    Datatype,
    /// The collective operation needs a type for each process, or computes with the elements.
    Collective,
    /// The call of MPI is not a statement of its own, or its arguments have keywords.
    CallForm,
    /// The table of wrappers says too little for the call to be written anew.
    Wrapper,
    /// Lines of the preprocessor stand among the statements.
    Preprocessor,
    /// The grammar was left inside of the procedure.
    Syntax,
    /// A limit of the analysis was met.
    Limit,
    /// The new text does not compile.
    Compile,
}

impl Code {
    /// As messages and `--json` give it.
    pub fn as_str(self) -> &'static str {
        match self {
            Code::Arithmetic => "E-ARITH",
            Code::Coverage => "E-COVER",
            Code::Range => "E-RANGE",
            Code::Unreadable => "E-UNREADABLE",
            Code::Changed => "E-CHANGED",
            Code::Address => "E-ADDRESS",
            Code::Element => "E-ELEMENT",
            Code::NoCopies => "E-NONE",
            Code::Verification => "E-VERIFY",
            Code::Text => "E-TEXT",
            Code::SourceWritten => "E-SRC-WRITTEN",
            Code::BufferLive => "E-BUF-LIVE",
            Code::ReceiveOverlap => "E-RECV-OVERLAP",
            Code::ReceiveCount => "E-RECV-COUNT",
            Code::Escapes => "E-ESCAPES",
            Code::Alias => "E-ALIAS",
            Code::ScalarLive => "E-SCALAR-LIVE",
            Code::Datatype => "E-DATATYPE",
            Code::Collective => "E-COLLECTIVE",
            Code::CallForm => "E-CALL-FORM",
            Code::Wrapper => "E-WRAPPER",
            Code::Preprocessor => "E-PREPROCESSOR",
            Code::Syntax => "E-SYNTAX",
            Code::Limit => "E-LIMIT",
            Code::Compile => "E-COMPILE",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A refusal: the reason, the lines, the one missing fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The reason.
    pub code: Code,
    /// Where it shows.
    pub span: Span,
    /// A sentence that says it, without line numbers.
    pub message: String,
    /// Other places that belong to it, each with what it is.
    pub related: Vec<(Span, String)>,
    /// The fact that, if a person supplied it (`--assume`), would remove this reason.
    pub fact: Option<Box<Premise>>,
}

impl Refusal {
    /// One without other places or facts.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Refusal {
        Refusal { code, span, message: message.into(), related: Vec::new(), fact: None }
    }
}
