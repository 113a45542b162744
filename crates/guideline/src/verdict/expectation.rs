//! The expectation tests of the paper: what its authors expected, and whether it is so here.

use std::collections::BTreeMap;

use commloom_measure::statistics::Ratio;

use crate::results::{Case, Method, Mode, Role};

use super::{Key, Study, Subject};

/// How two times are expected to relate, cell by cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// Neither is slower.
    Similar,
    /// The first is not slower than the second.
    NoSlower,
    /// The first is slower than the second, or at least not faster.
    Slower,
    /// There are cells in which the first is slower than the second.
    SometimesSlower,
}

/// Cases that a claim compares.
#[derive(Debug, Clone, Copy)]
enum Pick {
    /// The description with this name, also where parameters follow the name.
    Named(&'static str),
    /// The description that the test compares with.
    Reference,
    /// Any description with gaps.
    Described,
    /// As many bytes without gaps; they need not be in the same group.
    Contiguous,
}

/// Which cells of a test a claim is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Both sides are the same data, described or communicated in different ways.
    SameData,
    /// The same, of the largest message that the test has.
    LargestMessage,
    /// The left side has the smallest block size A, the right side the largest, all else is equal.
    SmallAgainstLarge,
}

/// One thing that the authors expect.
#[derive(Debug, Clone, Copy)]
pub struct Claim {
    /// Number of the expectation test.
    pub test: u32,
    /// Where it stands.
    pub section: &'static str,
    /// The expectation, in words.
    pub words: &'static str,
    /// The same in times: the left over the right.
    pub relation: Relation,
    left: (Pick, Method),
    right: (Pick, Method),
    scope: Scope,
}

const fn claim(
    (test, section): (u32, &'static str),
    words: &'static str,
    left: Pick,
    relation: Relation,
    right: Pick,
) -> Claim {
    let (left, right) = ((left, Method::Typed), (right, Method::Typed));
    Claim { test, section, words, relation, left, right, scope: Scope::SameData }
}

/// All of them, in the order of the paper.
const CLAIMS: &[Claim] = &[
    claim(
        (1, "2.4.1"),
        "Layouts with gaps are slower than as many contiguous bytes.",
        Pick::Reference,
        Relation::Slower,
        Pick::Contiguous,
    ),
    Claim {
        scope: Scope::SmallAgainstLarge,
        ..claim(
            (1, "2.4.1"),
            "The difference becomes smaller with larger blocks: the smallest blocks are slower \
             than the largest.",
            Pick::Reference,
            Relation::Slower,
            Pick::Reference,
        )
    },
    claim(
        (2, "2.4.2"),
        "Different basic types without gaps are as fast as so many bytes (alignment can make \
         gaps).",
        Pick::Named("Tiled-heterogeneous"),
        Relation::Similar,
        Pick::Contiguous,
    ),
    Claim {
        right: (Pick::Described, Method::Packed),
        ..claim(
            (3, "3.2.1"),
            "A datatype is no slower than MPI_Pack and MPI_Unpack (GL2, GL3).",
            Pick::Described,
            Relation::NoSlower,
            Pick::Described,
        )
    },
    Claim {
        left: (Pick::Described, Method::Packed),
        ..claim(
            (3, "3.2.1"),
            "There are cases in which MPI_Pack and MPI_Unpack are slower than the datatype.",
            Pick::Described,
            Relation::SometimesSlower,
            Pick::Described,
        )
    },
    claim(
        (4, "3.2.2"),
        "One contiguous type of n/k units is as fast as n/k units (GL1).",
        Pick::Named("Contiguous-subtype"),
        Relation::Similar,
        Pick::Reference,
    ),
    claim(
        (5, "3.2.3"),
        "There are cases in which Tiled-struct is slower than Tiled: libraries do not see that it \
         is the same.",
        Pick::Named("Tiled-struct"),
        Relation::SometimesSlower,
        Pick::Reference,
    ),
    claim(
        (6, "3.2.4"),
        "One vector is as fast as repeated tiles.",
        Pick::Named("Tiled-vector"),
        Relation::Similar,
        Pick::Reference,
    ),
    claim(
        (7, "3.2.5"),
        "A vector of vectors is as fast as repeated tiles: libraries see that the strides fit.",
        Pick::Named("Vector-tiled"),
        Relation::Similar,
        Pick::Reference,
    ),
    Claim {
        scope: Scope::LargestMessage,
        ..claim(
            (8, "3.2.6"),
            "For many elements the long list of Block-indexed is slower than repeated blocks.",
            Pick::Named("Block-indexed"),
            Relation::SometimesSlower,
            Pick::Reference,
        )
    },
    claim(
        (9, "3.2.7"),
        "Which of Alternating and Alternating-indexed is slower is open; the question is whether \
         long lists cost anything.",
        Pick::Named("Alternating-indexed"),
        Relation::SometimesSlower,
        Pick::Reference,
    ),
    claim(
        (10, "3.2.8"),
        "Alternating-repeated is slower than Alternating-struct, which has one regular middle.",
        Pick::Named("Alternating-repeated"),
        Relation::Slower,
        Pick::Named("Alternating-struct"),
    ),
    claim(
        (11, "3.2.9"),
        "RowCol-fully-indexed is slower than RowCol-struct, the most compact description.",
        Pick::Named("RowCol-fully-indexed"),
        Relation::Slower,
        Pick::Named("RowCol-struct"),
    ),
    claim(
        (11, "3.2.9"),
        "RowCol-contiguous-and-indexed is slower than RowCol-struct.",
        Pick::Named("RowCol-contiguous-and-indexed"),
        Relation::Slower,
        Pick::Named("RowCol-struct"),
    ),
    claim(
        (11, "3.2.9"),
        "With growing A RowCol-fully-indexed can be slower than RowCol-contiguous-and-indexed.",
        Pick::Named("RowCol-fully-indexed"),
        Relation::SometimesSlower,
        Pick::Named("RowCol-contiguous-and-indexed"),
    ),
];

/// The outcome of an expectation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// It is so.
    Holds,
    /// It is so in some cells, and in others the opposite is.
    Partly,
    /// It is not so.
    Fails,
    /// Too few launches to tell.
    Open,
}

/// A claim, held against one library in one mode.
#[derive(Debug, Clone, Copy)]
pub struct Finding {
    /// Which claim.
    pub claim: &'static Claim,
    /// Index of the library.
    pub subject: usize,
    /// Under what.
    pub mode: Mode,
    /// Cells compared: pairs of cases in one operation.
    pub cells: usize,
    /// Cells in which the left is slower by more than the threshold.
    pub slower: usize,
    /// Cells in which it is faster by as much.
    pub faster: usize,
    /// Cells that too few launches say something about.
    pub untrusted: usize,
    /// The geometric mean of all factors.
    pub mean: f64,
    /// Left over right where that is furthest from what is expected, and where it is: left, right.
    pub worst: Option<(Ratio, Key, Key)>,
}

impl Finding {
    /// The outcome of the expectation.
    #[must_use]
    pub fn status(&self) -> Status {
        let holds_unless = |against: usize| match against {
            0 => Status::Holds,
            n if n < self.cells => Status::Partly,
            _ => Status::Fails,
        };
        if self.untrusted == self.cells {
            return Status::Open;
        }
        match self.claim.relation {
            Relation::Similar => holds_unless(self.slower + self.faster),
            Relation::NoSlower => holds_unless(self.slower),
            Relation::Slower => match (self.slower, self.faster) {
                (0, _) => Status::Fails,
                (_, 0) => Status::Holds,
                _ => Status::Partly,
            },
            Relation::SometimesSlower if self.slower > 0 => Status::Holds,
            Relation::SometimesSlower => Status::Fails,
        }
    }
}

/// Holds every claim against every library in every mode in which its test was measured, in the
/// order of the paper.
#[must_use]
pub fn examine(study: &Study<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for claim in CLAIMS {
        for (index, subject) in study.subjects.iter().enumerate() {
            for mode in subject.modes() {
                findings.extend(find(claim, (index, subject), mode, study.threshold));
            }
        }
    }
    findings
}

fn find(
    claim: &'static Claim,
    (index, subject): (usize, &Subject<'_>),
    mode: Mode,
    threshold: f64,
) -> Option<Finding> {
    let mut finding = Finding {
        claim,
        subject: index,
        mode,
        cells: 0,
        slower: 0,
        faster: 0,
        untrusted: 0,
        mean: 1.0,
        worst: None,
    };
    let mut logarithms = 0.0;
    for (left, right) in pairs(claim, subject, mode) {
        let medians = |key| subject.times.get(key).map(|timed| &timed.medians);
        let Some(ratio) =
            medians(&left).zip(medians(&right)).and_then(|(a, b)| Ratio::paired(a, b))
        else {
            continue;
        };
        finding.cells += 1;
        finding.slower += usize::from(ratio.is_above(threshold));
        finding.faster += usize::from(ratio.is_below(1.0 / threshold));
        finding.untrusted += usize::from(!ratio.is_trusted());
        logarithms += ratio.estimate.ln();
        let distance = |r: &Ratio| match claim.relation {
            Relation::Similar => r.estimate.ln().abs(),
            Relation::NoSlower | Relation::SometimesSlower => r.estimate.ln(),
            Relation::Slower => -r.estimate.ln(),
        };
        if finding.worst.is_none_or(|(worst, ..)| distance(&ratio) > distance(&worst)) {
            finding.worst = Some((ratio, left, right));
        }
    }
    let cells = u32::try_from(finding.cells).ok().filter(|&n| n > 0)?;
    finding.mean = (logarithms / f64::from(cells)).exp();
    Some(finding)
}

/// The cells that a claim is about: left, right.
fn pairs(claim: &Claim, subject: &Subject<'_>, mode: Mode) -> Vec<(Key, Key)> {
    let in_test = |key: &&Key| key.mode == mode && subject.case(key).tests.contains(&claim.test);
    let keys: Vec<Key> = subject.times.keys().filter(in_test).copied().collect();
    let picked = |(pick, method): (Pick, Method)| {
        let is = move |key: &&Key| key.method == method && pick.is(subject.case(key));
        keys.iter().filter(is).copied().collect::<Vec<_>>()
    };
    let (left, right) = (picked(claim.left), picked(claim.right));
    if claim.scope == Scope::SmallAgainstLarge {
        return extremes(subject, &left);
    }
    let largest = left.iter().map(|key| subject.case(key).bytes).max().unwrap_or(0);
    let mut partners: BTreeMap<_, Vec<Key>> = BTreeMap::new();
    for key in right {
        partners.entry(claim.right.0.partner(&key, subject.case(&key))).or_default().push(key);
    }
    let mut pairs = Vec::new();
    for key in left {
        let case = subject.case(&key);
        if claim.scope == Scope::LargestMessage && case.bytes < largest {
            continue;
        }
        let same = partners.get(&claim.right.0.partner(&key, case));
        // The same case packed, not that of another description.
        let fits = |other: &&Key| claim.left.1 == claim.right.1 || other.case == key.case;
        pairs.extend(same.into_iter().flatten().filter(fits).map(|&other| (key, other)));
    }
    pairs
}

impl Pick {
    fn is(self, case: &Case) -> bool {
        match self {
            Pick::Named(name) => case
                .description
                .strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '('])),
            Pick::Reference => case.role == Role::Reference,
            Pick::Described => matches!(case.role, Role::Reference | Role::Description),
            Pick::Contiguous => case.role == Role::Contiguous,
        }
    }

    /// Equal for the two sides of a comparison: the operation, and the same data or as many bytes
    /// of the same basic type.
    fn partner(self, key: &Key, case: &Case) -> (crate::results::Operation, String, u64) {
        match self {
            Pick::Contiguous => (key.operation, case.base.clone(), case.bytes),
            _ => (key.operation, case.group.clone(), case.bytes),
        }
    }
}

/// The smallest and the largest A of equal layouts.
fn extremes(subject: &Subject<'_>, keys: &[Key]) -> Vec<(Key, Key)> {
    let mut families: BTreeMap<_, BTreeMap<u64, Key>> = BTreeMap::new();
    for key in keys {
        let case = subject.case(key);
        let Some(&a) = case.parameters.get("A") else { continue };
        let family = (key.operation, &case.layout, case.variant, &case.base, case.bytes);
        families.entry(family).or_default().insert(a, *key);
    }
    let ends = |family: BTreeMap<u64, Key>| {
        let (first, last) = (*family.first_key_value()?.1, *family.last_key_value()?.1);
        (first != last).then_some((first, last))
    };
    families.into_values().filter_map(ends).collect()
}
