//! Options that several subcommands share.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use commloom_layout::{Basic, CostModel};
use commloom_reconstruct as reconstruct;

use crate::failure::Failure;
use crate::input::Source;
use crate::{cost_file, input};

/// The constructors that a result may use.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Constructors {
    /// Only leaf, vec and idx
    Basic,
    /// Also idxbuc
    Extended,
    /// Also strc
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

/// The goal of a search.
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
    /// Constants of the cost model: a file of `commloom calibrate`, or NAME=VALUE. The last value
    /// of a constant counts. Defaults: 6 for all kinds of nodes, lookup=1, bucket and triangular
    /// off
    #[arg(long, value_name = "FILE.toml|vec=6,...", value_delimiter = ',', value_parser = cost)]
    pub cost: Vec<Cost>,
}

/// One part of `--cost`.
#[derive(Debug, Clone)]
pub enum Cost {
    /// A constant.
    Constant { name: String, value: u64 },
    /// A file of constants.
    File(PathBuf),
}

impl Costs {
    /// The model.
    ///
    /// # Errors
    /// A file that cannot be read, or is no cost model.
    pub fn model(&self) -> Result<CostModel, Failure> {
        let mut model = CostModel::default();
        for cost in &self.cost {
            match cost {
                Cost::Constant { name, value } => {
                    model.set(name, *value).expect("`cost` has checked it");
                }
                Cost::File(path) => {
                    let Source { name, text } = input::file(path)?;
                    cost_file::read(&text, &mut model)
                        .map_err(|error| Failure::Parse { name, error })?;
                }
            }
        }
        Ok(model)
    }
}

fn cost(text: &str) -> Result<Cost, String> {
    match text.split_once('=') {
        Some((name, value)) if !Path::new(text).is_file() => constant(name, value),
        None if CostModel::NAMES.contains(&text) => {
            Err(format!("`{text}` has no value, expected one such as {text}=6"))
        }
        _ => Ok(Cost::File(PathBuf::from(text))),
    }
}

fn constant(name: &str, value: &str) -> Result<Cost, String> {
    // The name first: a value is of no use to a constant that there is not.
    let mut model = CostModel::default();
    model.set(name, 1).map_err(|error| error.to_string())?;
    let value =
        value.parse().map_err(|_| format!("`{value}` is not a whole number from 1 to 2^64 - 1"))?;
    model.set(name, value).map_err(|error| error.to_string())?;
    Ok(Cost::Constant { name: name.to_owned(), value })
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
