//! Options that several subcommands share.

use clap::{Args, ValueEnum};
use commloom_layout::{Basic, CostModel};
use commloom_reconstruct as reconstruct;

/// Which constructors a result may use.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Constructors {
    /// leaf, vec, idx
    Basic,
    /// and idxbuc
    Extended,
    /// and strc
    Tree,
}

impl From<Constructors> for reconstruct::Constructors {
    fn from(constructors: Constructors) -> Self {
        match constructors {
            Constructors::Basic => reconstruct::Constructors::Basic,
            Constructors::Extended => reconstruct::Constructors::Extended,
            Constructors::Tree => reconstruct::Constructors::Tree,
        }
    }
}

/// What the search is for.
#[derive(Debug, Args)]
pub struct Goal {
    /// Constructors that the result may use
    #[arg(long, value_enum, default_value = "tree")]
    pub constructors: Constructors,
    #[command(flatten)]
    pub costs: Costs,
}

/// Constants of the cost model.
#[derive(Debug, Args)]
pub struct Costs {
    /// Constants of the cost model that differ from the papers' (all node kinds 6, lookup 1)
    #[arg(long, value_name = "vec=6,lookup=1,...", value_delimiter = ',', value_parser = constant)]
    pub cost: Vec<(String, u64)>,
}

impl Costs {
    /// The model; of a constant given twice the last value counts.
    pub fn model(&self) -> CostModel {
        let mut model = CostModel::default();
        for (name, value) in &self.cost {
            if let Some(slot) = slot(&mut model, name) {
                *slot = *value;
            }
        }
        model
    }
}

fn slot<'m>(model: &'m mut CostModel, name: &str) -> Option<&'m mut u64> {
    Some(match name {
        "leaf" => &mut model.leaf,
        "vec" => &mut model.vec,
        "idx" => &mut model.idx,
        "idxbuc" => &mut model.idxbuc,
        "strc" => &mut model.strc,
        "lookup" => &mut model.lookup,
        _ => return None,
    })
}

fn constant(text: &str) -> Result<(String, u64), String> {
    let (name, value) =
        text.split_once('=').ok_or("expected NAME=VALUE, such as vec=6".to_owned())?;
    if slot(&mut CostModel::default(), name).is_none() {
        return Err(format!(
            "unknown constant `{name}`, expected leaf, vec, idx, idxbuc, strc or lookup"
        ));
    }
    match value.parse() {
        Ok(0) => Err(format!("`{name}` must be positive")),
        Ok(value) => Ok((name.to_owned(), value)),
        Err(_) => Err(format!("`{value}` is not a whole number from 1 to 2^64 - 1")),
    }
}

/// An MPI basic type by its name.
pub fn basic(name: &str) -> Result<Basic, String> {
    Basic::by_name(name).ok_or_else(|| {
        format!(
            "no MPI basic type has this name, expected one such as {} or {}",
            Basic::BYTE,
            Basic::INT
        )
    })
}
