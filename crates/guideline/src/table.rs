//! The table of layouts and tests, `layouts.toml`: what the paper has, as data.

use std::collections::BTreeMap;

use commloom_layout::Basic;
use serde::Deserialize;
use thiserror::Error;

use crate::formula::{Formula, Template};
use crate::results::Operation;

/// The layouts and expectation tests of the paper.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// In the order of the paper.
    #[serde(rename = "layout")]
    pub layouts: Vec<Layout>,
    /// In the order of their numbers.
    #[serde(rename = "test")]
    pub tests: Vec<Test>,
}

/// A layout with its parameters and descriptions.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Layout {
    /// As in the paper.
    pub name: String,
    /// Where the layout has basic types of its own: that of the contiguous reference.
    base: Option<String>,
    /// Parameters by A: variant 1, then 2.
    pub variants: Vec<BTreeMap<String, Formula>>,
    /// The first is the reference.
    #[serde(rename = "description")]
    pub descriptions: Vec<Description>,
}

/// One way to describe a layout to MPI.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// As in the paper.
    pub name: String,
    /// The datatype.
    #[serde(rename = "type")]
    pub template: Template,
    /// Bytes that messages are multiples of.
    pub multiple: Formula,
    /// Bytes of the shortest message; otherwise one multiple.
    pub least: Option<Formula>,
    /// How many of the datatype; otherwise 1.
    pub count: Option<Formula>,
}

/// An expectation test.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Test {
    /// From 1.
    pub number: u32,
    /// Of the paper.
    pub section: String,
    /// Names of layouts.
    pub layouts: Vec<String>,
    /// From 1.
    #[serde(default = "first_variant")]
    pub variants: Vec<usize>,
    /// Values of A, in elements.
    pub blocks: Vec<u64>,
    /// Data sizes in bytes ...
    #[serde(default)]
    pub bytes: Vec<u64>,
    /// ... or in elements.
    #[serde(default)]
    pub elements: Vec<u64>,
    /// The communication patterns of each message.
    pub operations: Vec<Operation>,
    /// Descriptions beside the reference of each layout.
    #[serde(default)]
    pub descriptions: Vec<String>,
    /// Whether packing is measured too.
    #[serde(default)]
    pub packed: bool,
}

fn first_variant() -> Vec<usize> {
    vec![1]
}

/// The table is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the table of layouts: {0}")]
pub struct TableError(String);

impl Table {
    /// The table of the paper.
    ///
    /// # Errors
    /// None: a test reads it.
    pub fn of_the_paper() -> Result<Table, TableError> {
        Table::parse(include_str!("layouts.toml"))
    }

    /// A table from TOML, with all names of layouts and descriptions found and every layout with a
    /// reference.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Table, TableError> {
        let table: Table = toml::from_str(text).map_err(|e| TableError(e.to_string()))?;
        for layout in &table.layouts {
            if layout.descriptions.is_empty() || layout.variants.is_empty() {
                return Err(TableError(format!("{} has no description or variant", layout.name)));
            }
            if let Some(base) = &layout.base
                && Basic::by_name(base).is_none()
            {
                return Err(TableError(format!("{base} is no basic type")));
            }
        }
        for test in &table.tests {
            for name in &test.layouts {
                let layout = table.layout(name);
                let layout = layout.ok_or_else(|| TableError(format!("no layout {name}")))?;
                for name in &test.descriptions {
                    if layout.description(name).is_none() {
                        return Err(TableError(format!("{} has no {name}", layout.name)));
                    }
                }
                if test.variants.iter().any(|v| !(1..=layout.variants.len()).contains(v)) {
                    return Err(TableError(format!("{name} has no such variant")));
                }
            }
        }
        Ok(table)
    }

    /// A layout by its name.
    #[must_use]
    pub fn layout(&self, name: &str) -> Option<&Layout> {
        self.layouts.iter().find(|layout| layout.name == name)
    }
}

impl Layout {
    /// The type of its elements, where that is not free.
    #[must_use]
    pub fn base(&self) -> Option<Basic> {
        Basic::by_name(self.base.as_deref()?)
    }

    /// A description by its name.
    #[must_use]
    pub fn description(&self, name: &str) -> Option<&Description> {
        self.descriptions.iter().find(|description| description.name == name)
    }

    /// The description that others are compared with.
    #[must_use]
    pub fn reference(&self) -> &Description {
        &self.descriptions[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_the_tests_of_the_paper() {
        let table = Table::of_the_paper().expect("it is right");
        let numbers: Vec<u32> = table.tests.iter().map(|test| test.number).collect();
        assert_eq!(numbers, (1..=11).collect::<Vec<_>>());
        assert!(table.tests.iter().all(|t| t.bytes.is_empty() != t.elements.is_empty()));
        let used = |name: &String| table.tests.iter().any(|test| test.layouts.contains(name));
        assert!(table.layouts.iter().all(|layout| used(&layout.name)));
    }

    #[test]
    fn a_wrong_table_says_what_is_wrong() {
        let text = include_str!("layouts.toml");
        for (right, wrong, message) in [
            ("A + 2\" }, {", "A + \" }, {", "`A + `, character 5: expected a number"),
            ("layouts = [\"Block\"]", "layouts = [\"Bloc\"]", "no layout Bloc"),
            ("[\"Vector-tiled\"]", "[\"Vector\"]", "Tiled has no Vector"),
            ("number = 7", "number = 7\nnumbers = 8", "unknown field"),
        ] {
            let error = Table::parse(&text.replace(right, wrong)).expect_err("wrong").to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
