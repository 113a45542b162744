//! The plan of a campaign: the cases of some tests, and the operations measured with each.

mod names;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use commloom_layout::mpi::Construction;
use commloom_layout::{Basic, CostModel, LayoutError, Type};
use commloom_reconstruct::{Constructors, ReconstructError, normalize_many};
use thiserror::Error;

use crate::formula::{Formula, FormulaError, Values};
use crate::results::{Case, Method, Operation, Options, Role};
use crate::table::{Description, Layout, Table, TableError, Test};

/// Block sizes with `--quick`, of those of each test.
const QUICK_BLOCKS: [u64; 2] = [2, 100];
/// In place of longer messages with `--quick`, in bytes.
const QUICK_BYTES: u64 = 64_000;
/// So many entries of a list are shown.
const SHOWN: usize = 6;

/// Why there is nothing to measure.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A test that there is not.
    #[error("there is no expectation test {given}, expected 1 to {last}")]
    NoSuchTest {
        /// Its number.
        given: u32,
        /// The largest number.
        last: u32,
    },
    /// A basic type that there is not.
    #[error("no MPI basic type is called {0}")]
    NoSuchBase(String),
    /// All messages are shorter than one unit of their layouts.
    #[error("no message of {sizes:?} bytes has a block of {blocks:?} elements")]
    Empty {
        /// Data sizes.
        sizes: Vec<u64>,
        /// Block sizes.
        blocks: Vec<u64>,
    },
    /// The table of layouts is wrong.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A formula of the table has no value.
    #[error("{layout}: {error}")]
    Formula {
        /// Name of the layout.
        layout: String,
        /// Why.
        error: FormulaError,
    },
    /// A datatype cannot be.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// A layout has no normal form.
    #[error(transparent)]
    Normal(#[from] ReconstructError),
}

/// A datatype to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Datatype {
    /// By these calls.
    Constructed(Construction),
    /// A normal form: by whichever calls.
    Normal(Type),
}

impl Datatype {
    /// Its layout.
    ///
    /// # Errors
    /// As [`Construction::layout`].
    pub fn layout(&self) -> Result<Type, LayoutError> {
        match self {
            Datatype::Constructed(construction) => construction.layout(),
            Datatype::Normal(layout) => Ok(layout.clone()),
        }
    }

    /// Entries of all its lists.
    #[must_use]
    pub fn list_entries(&self) -> usize {
        match self {
            Datatype::Constructed(construction) => construction.list_entries(),
            Datatype::Normal(layout) => names::list_entries(layout),
        }
    }

    /// In the text notation, long lists shortened.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Datatype::Constructed(construction) => construction.shortened(SHOWN).to_string(),
            Datatype::Normal(layout) => names::shortened(layout, SHOWN),
        }
    }
}

/// One measurement of each launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Measurement {
    /// Index into [`Plan::cases`].
    pub case: usize,
    /// The communication pattern.
    pub operation: Operation,
    /// How.
    pub method: Method,
}

/// A case, and how its datatype is made.
#[derive(Debug, Clone)]
pub struct Planned {
    /// For the results; [`Case::ty`] is empty until [`Plan::with_types`].
    pub case: Case,
    recipe: Recipe,
}

#[derive(Debug, Clone)]
struct Recipe {
    layout: usize,
    /// Index into the descriptions of the layout; the reference for the other forms.
    description: usize,
    values: Values,
    base: Basic,
}

/// All cases and measurements.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Without two that are the same.
    pub cases: Vec<Planned>,
    /// In the order of the cases.
    pub measurements: Vec<Measurement>,
    table: Table,
}

impl Plan {
    /// Makes the plan of these options; always the same one.
    ///
    /// # Errors
    /// [`PlanError`].
    pub fn new(options: &Options) -> Result<Plan, PlanError> {
        let table = Table::of_the_paper()?;
        let mut builder = Builder {
            options,
            table: &table,
            cases: Vec::new(),
            known: HashMap::new(),
            measurements: BTreeSet::new(),
        };
        for &number in &options.tests {
            let last = table.tests.last().map_or(0, |test| test.number);
            let test = table.tests.iter().find(|test| test.number == number);
            builder.test(test.ok_or(PlanError::NoSuchTest { given: number, last })?)?;
        }
        if builder.cases.is_empty() {
            let list = |given: &Option<Vec<u64>>, of: fn(&Test) -> &Vec<u64>| {
                given.clone().unwrap_or_else(|| table.tests.iter().flat_map(of).copied().collect())
            };
            return Err(PlanError::Empty {
                sizes: list(&options.sizes, |test| &test.bytes),
                blocks: list(&options.blocks, |test| &test.blocks),
            });
        }
        let (cases, measurements) = (builder.cases, builder.measurements.into_iter().collect());
        Ok(Plan { cases, measurements, table })
    }

    /// The cases for the results, with their datatypes as text.
    ///
    /// # Errors
    /// As [`Plan::datatype`].
    pub fn with_types(&self) -> Result<Vec<Case>, PlanError> {
        let case = |k: usize| {
            let mut case: Case = self.cases[k].case.clone();
            case.ty = self.datatype(k)?.text();
            Ok(case)
        };
        (0..self.cases.len()).map(case).collect()
    }

    /// The datatype of a case.
    ///
    /// # Errors
    /// A formula without value, a layout past the limits: the table is wrong, or the sizes are too
    /// large.
    pub fn datatype(&self, case: usize) -> Result<Datatype, PlanError> {
        let Planned { case, recipe } = &self.cases[case];
        let layout = &self.table.layouts[recipe.layout];
        let made = match case.role {
            Role::Contiguous => Construction::Basic(recipe.base),
            _ => construction(layout, &layout.descriptions[recipe.description], recipe)
                .map_err(|error| PlanError::Formula { layout: layout.name.clone(), error })?,
        };
        if case.role != Role::NormalForm {
            return Ok(Datatype::Constructed(made));
        }
        let count = count(layout.reference(), &recipe.values)
            .map_err(|error| PlanError::Formula { layout: layout.name.clone(), error })?;
        let model = CostModel::default();
        let normal = normalize_many(count, &made.layout()?, Constructors::Tree, &model)?;
        Ok(Datatype::Normal(normal.ty))
    }

    /// The random order of the measurements in a launch: of the cases, and within each of what is
    /// done with it. Both modes have the same order.
    #[must_use]
    pub fn order(&self, seed: u64, launch: u32) -> Vec<usize> {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut random = fastrand::Rng::with_seed(random.u64(..) ^ u64::from(launch) << 32);
        let mut by_case: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (k, measurement) in self.measurements.iter().enumerate() {
            by_case.entry(measurement.case).or_default().push(k);
        }
        let mut cases: Vec<Vec<usize>> = by_case.into_values().collect();
        random.shuffle(&mut cases);
        cases.iter_mut().for_each(|of_case| random.shuffle(of_case));
        cases.concat()
    }
}

/// The datatype of a description, where other descriptions may mean the reference.
fn construction(
    layout: &Layout,
    description: &Description,
    recipe: &Recipe,
) -> Result<Construction, FormulaError> {
    let base = Construction::Basic(recipe.base);
    let basic = |name: &str| (name == "T").then(|| base.clone());
    let reference = layout.reference().template.construction(&recipe.values, &basic)?;
    let named = |name: &str| match name {
        "reference" => Some(reference.clone()),
        name => basic(name),
    };
    description.template.construction(&recipe.values, &named)
}

fn count(description: &Description, values: &Values) -> Result<u64, FormulaError> {
    description.count.as_ref().map_or(Ok(1), |count| count.count(values))
}

struct Builder<'b> {
    options: &'b Options,
    table: &'b Table,
    cases: Vec<Planned>,
    /// By id.
    known: HashMap<String, usize>,
    measurements: BTreeSet<Measurement>,
}

impl Builder<'_> {
    fn test(&mut self, test: &Test) -> Result<(), PlanError> {
        for name in &test.layouts {
            let places = 0..self.table.layouts.len();
            for place in places.filter(|&k| self.table.layouts[k].name == *name) {
                for &variant in &test.variants {
                    for base in &self.bases(place)? {
                        for block in self.blocks(test) {
                            for size in self.sizes(test, *base) {
                                self.group(test, place, variant, *base, block, size)?;
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn bases(&self, layout: usize) -> Result<Vec<Basic>, PlanError> {
        if let Some(base) = self.table.layouts[layout].base() {
            return Ok(vec![base]);
        }
        let basic =
            |name: &String| Basic::by_name(name).ok_or_else(|| PlanError::NoSuchBase(name.clone()));
        self.options.bases.iter().map(basic).collect()
    }

    fn blocks(&self, test: &Test) -> Vec<u64> {
        match &self.options.blocks {
            Some(blocks) => blocks.clone(),
            None if self.options.quick => {
                test.blocks.iter().copied().filter(|block| QUICK_BLOCKS.contains(block)).collect()
            }
            None => test.blocks.clone(),
        }
    }

    /// Data sizes in bytes.
    fn sizes(&self, test: &Test, base: Basic) -> Vec<u64> {
        if let Some(sizes) = &self.options.sizes {
            return sizes.clone();
        }
        let elements = test.elements.iter().map(|n| n * base.size());
        let all = test.bytes.iter().copied().chain(elements);
        let shortened =
            |bytes: u64| if self.options.quick { bytes.min(QUICK_BYTES) } else { bytes };
        all.map(shortened).collect::<BTreeSet<_>>().into_iter().collect()
    }

    fn operations<'o>(&'o self, test: &'o Test) -> impl Iterator<Item = Operation> + 'o {
        let quick = self.options.quick;
        let of_test = test.operations.iter().filter(move |&&o| !quick || o != Operation::Allgather);
        self.options
            .operations
            .as_ref()
            .map_or_else(|| of_test.copied().collect(), Clone::clone)
            .into_iter()
    }

    /// All descriptions of the same bytes, unless there is none.
    fn group(
        &mut self,
        test: &Test,
        place: usize,
        variant: usize,
        base: Basic,
        block: u64,
        size: u64,
    ) -> Result<(), PlanError> {
        let table = self.table;
        let layout = &table.layouts[place];
        let wrong = |error| PlanError::Formula { layout: layout.name.clone(), error };
        let descriptions: Vec<usize> = (0..layout.descriptions.len())
            .filter(|&k| k == 0 || test.descriptions.contains(&layout.descriptions[k].name))
            .collect();
        let parameters = &layout.variants[variant - 1];
        let values = values(parameters, base, block, size).map_err(wrong)?;
        let size =
            message_size(descriptions.iter().map(|&k| &layout.descriptions[k]), &values, size);
        let Some(size) = size.map_err(wrong)? else { return Ok(()) };
        let values = self::values(parameters, base, block, size).map_err(wrong)?;

        let (variants, of_block) = (layout.variants.len(), format!("A={block}"));
        let variant = (variants > 1).then_some(variant);
        let mut key = vec![names::slug(&layout.name)];
        key.extend(variant.map(|v| format!("v{v}")));
        key.push(of_block);
        let end = format!("{}/{size}", base.name());
        let group = format!("{}/{end}", key.join("/"));
        let elements = size / base.size();
        let shown = parameters.keys().map(String::as_str).chain(["A"]);
        let number = |name: &str| u64::try_from(values[name]).unwrap_or(0);
        let case = Case {
            id: String::new(),
            tests: vec![test.number],
            layout: layout.name.clone(),
            variant: variant.and_then(|v| u32::try_from(v).ok()),
            parameters: shown.map(|name| (name.to_owned(), number(name))).collect(),
            group: group.clone(),
            description: String::new(),
            role: Role::Reference,
            ty: String::new(),
            count: 1,
            base: base.name().to_owned(),
            bytes: size,
        };
        let recipe = Recipe { layout: place, description: 0, values, base };

        let contiguous = format!("contiguous/{end}");
        let case_of = |role, description: &str, id: String, count| Case {
            role,
            description: description.to_owned(),
            id,
            count,
            ..case.clone()
        };
        let mut contiguous = case_of(Role::Contiguous, "Contiguous", contiguous, elements);
        contiguous.layout = "Contiguous".to_owned();
        (contiguous.variant, contiguous.group) = (None, contiguous.id.clone());
        contiguous.parameters.clear();
        self.add(test, Planned { case: contiguous, recipe: recipe.clone() });
        for k in descriptions {
            let description = &layout.descriptions[k];
            let role = if k == 0 { Role::Reference } else { Role::Description };
            let id = format!("{}/{}/{end}", key.join("/"), names::slug(&description.name));
            let count = count(description, &recipe.values).map_err(wrong)?;
            let case = case_of(role, &description.name, id, count);
            self.add(test, Planned { case, recipe: Recipe { description: k, ..recipe.clone() } });
        }
        let id = format!("{}/normal-form/{end}", key.join("/"));
        let normal = case_of(Role::NormalForm, "normal form", id, 1);
        self.add(test, Planned { case: normal, recipe });
        Ok(())
    }

    fn add(&mut self, test: &Test, planned: Planned) {
        let role = planned.case.role;
        let case = *self.known.entry(planned.case.id.clone()).or_insert(self.cases.len());
        match self.cases.get_mut(case) {
            Some(known) if !known.case.tests.contains(&test.number) => {
                known.case.tests.push(test.number);
            }
            Some(_) => {}
            None => self.cases.push(planned),
        }
        let packed = test.packed && matches!(role, Role::Reference | Role::Description);
        let operations: Vec<Operation> = self.operations(test).collect();
        for operation in operations {
            self.measurements.insert(Measurement { case, operation, method: Method::Typed });
            if packed {
                self.measurements.insert(Measurement { case, operation, method: Method::Packed });
            }
        }
    }
}

/// Values of all names that formulas may use.
fn values(
    parameters: &BTreeMap<String, Formula>,
    base: Basic,
    block: u64,
    size: u64,
) -> Result<Values, FormulaError> {
    let number = |n: u64| {
        i64::try_from(n).map_err(|_| FormulaError::Count { given: i64::MAX, limit: i64::MAX })
    };
    let mut values = Values::from([
        ("A".to_owned(), number(block)?),
        ("s".to_owned(), number(base.size())?),
        ("m".to_owned(), number(size)?),
        ("n".to_owned(), number(size / base.size())?),
    ]);
    for (name, formula) in parameters {
        let value = formula.value(&values)?;
        values.insert(name.clone(), value);
    }
    Ok(values)
}

/// The largest size up to `size` of which all descriptions make messages, in bytes; `None` where
/// even the shortest of one of them is longer.
fn message_size<'d>(
    descriptions: impl Iterator<Item = &'d Description>,
    values: &Values,
    size: u64,
) -> Result<Option<u64>, FormulaError> {
    let (mut common, mut shortest) = (1, 1);
    for description in descriptions {
        let multiple = description.multiple.count(values)?.max(1);
        common = least_common_multiple(common, multiple);
        let least = description.least.as_ref().map_or(Ok(multiple), |least| least.count(values))?;
        shortest = shortest.max(least);
    }
    let fits = size / common * common;
    Ok((fits >= shortest.max(1)).then_some(fits))
}

fn least_common_multiple(a: u64, b: u64) -> u64 {
    let (mut x, mut y) = (a, b);
    while y > 0 {
        (x, y) = (y, x % y);
    }
    // No message is so long, and none is made.
    (a / x).saturating_mul(b)
}

#[cfg(test)]
mod tests;
