//! Costs of a site: in the cost model, and in the messages that `commloom calibrate --messages`
//! has measured.

use std::env;
use std::fs;
use std::path::PathBuf;

use commloom_choice::{LONGEST, Model, Shape, Table, Way};
use commloom_guard::Origin;
use commloom_layout::{CostModel, Type};
use commloom_reconstruct::{Constructors, fewest_runs, normalize};
use commloom_refactor::verify::Sample;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::options::Costs;
use crate::terminal::say;

/// The models of costs.
pub struct Prices {
    model: CostModel,
    /// Of libraries that were calibrated on this machine.
    libraries: Vec<Model>,
}

/// The cost of one site, at the sizes of its sample.
pub struct Cost<'s> {
    sample: &'s Sample,
    /// Of the type in the cost model, of its normal form, and of a list of its blocks.
    units: [u64; 3],
    messages: Vec<Message>,
}

/// Times of a message of it with a library.
struct Message {
    library: String,
    /// Nanoseconds: left to the library, packed, as commloom sends it.
    native: f64,
    packed: f64,
    commloom: f64,
    way: Way,
}

impl Prices {
    /// The cost model of the command line, and the tables in the cache directory (or the one that
    /// `COMMLOOM_MODEL` names), as `commloom exec` reads them.
    ///
    /// # Errors
    /// A file that the user names cannot be read.
    pub fn new(costs: &Costs) -> Result<Prices, Failure> {
        let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let mut files: Vec<PathBuf> = Vec::new();
        let named = variable("COMMLOOM_MODEL");
        let origin = if named.is_some() { Origin::Named } else { Origin::Cache };
        if let Some(file) = named {
            files.push(file.into());
        } else if let Some(folder) = Table::cache_folder(variable)
            && let Ok(entries) = fs::read_dir(folder)
        {
            files.extend(entries.flatten().map(|entry| entry.path()).filter(|path| {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                name.starts_with("messages-") && name.ends_with(".txt")
            }));
        }
        files.sort();
        let read = |file: &PathBuf| {
            let table = commloom_guard::text(file, origin, LONGEST)
                .map_err(|error| error.to_string())
                .and_then(|text| text.parse::<Table>().map_err(|error| error.to_string()));
            table.inspect_err(|reason| say!("{} is not used: {reason}", file.display())).ok()
        };
        let libraries = files.iter().filter_map(read).map(Model::new).collect();
        Ok(Prices { model: costs.model()?, libraries })
    }

    /// The cost of a type; none where it has no normal form in 64 bits.
    pub fn of<'s>(&self, sample: &'s Sample) -> Option<Cost<'s>> {
        let ty = &sample.ty;
        let normal = normalize(ty, Constructors::Tree, &self.model).ok()?;
        let units = [self.model.cost(ty), normal.cost, list_of_blocks(ty, &self.model)];
        // As `commloom exec` looks at it.
        let loops = normalize(ty, Constructors::Extended, &CostModel::default()).ok()?.ty;
        let shape = Shape::of(1, ty, &loops, &fewest_runs(&loops).ok()?);
        let messages = self.libraries.iter().filter_map(|model| {
            let choice = model.choose(&shape);
            (choice.native > 0.0).then(|| Message {
                library: model.table().library.clone(),
                native: choice.native,
                packed: choice.engine,
                commloom: choice.expected(),
                way: choice.way(),
            })
        });
        Some(Cost { sample, units, messages: messages.collect() })
    }
}

/// The cost of a list of all blocks: one length for all, or one for each.
fn list_of_blocks(ty: &Type, model: &CostModel) -> u64 {
    let blocks = ty.runs();
    let mut lengths = ty.byte_runs().map(|run| run.length);
    let first = lengths.next().unwrap_or(0);
    let cost = if lengths.all(|length| length == first) {
        let inside =
            if first > element(ty) { model.vec.saturating_add(model.leaf) } else { model.leaf };
        model.idx.saturating_add(inside).saturating_add(model.lookup.saturating_mul(blocks))
    } else {
        let entries = model.lookup.saturating_mul(blocks).saturating_mul(2);
        model.idxbuc.saturating_add(model.leaf).saturating_add(entries)
    };
    cost.max(model.leaf)
}

/// Bytes of the first element.
fn element(ty: &Type) -> u64 {
    ty.type_map().next().map_or(1, |entry| entry.basic.size())
}

impl Cost<'_> {
    /// Sentences about it, in a line each: the first of the cost model, the others of libraries.
    /// `more`: how to know more.
    pub fn sentences(&self, more: bool) -> Vec<String> {
        let [given, normal, list] = self.units;
        let better =
            if normal < given { format!(" ({normal} in normal form)") } else { String::new() };
        let mut first = format!(
            "cost: {}; the datatype costs {given}{better} in the cost model, a list of the blocks \
             {list}",
            amount(self.sample)
        );
        if more && self.messages.is_empty() {
            first.push_str("; what it takes here, --bench measures");
        }
        let of_library = |message: &Message| {
            format!(
                "cost: with {} a message takes about {} us as a datatype and {} us packed; \
                 commloom {}{}",
                message.library,
                micro(message.native),
                micro(message.packed),
                way(message.way),
                match message.way {
                    Way::Native | Way::Engine => String::new(),
                    Way::Unit | Way::Whole => format!(": {} us", micro(message.commloom)),
                }
            )
        };
        std::iter::once(first).chain(self.messages.iter().map(of_library)).collect()
    }

    /// The same for scripts.
    pub fn json(&self) -> Value {
        let [given, normal, list] = self.units;
        let messages: Vec<Value> = self
            .messages
            .iter()
            .map(|message| {
                json!({
                    "library": message.library, "native_us": message.native / 1e3,
                    "packed_us": message.packed / 1e3, "commloom_us": message.commloom / 1e3,
                })
            })
            .collect();
        let sample = self.sample;
        json!({
            "size": sample.size, "sizes": sample.names,
            "bytes": sample.ty.size(), "blocks": sample.ty.runs(),
            "model": { "datatype": given, "normal": normal, "blocks": list }, "messages": messages,
        })
    }
}

fn way(way: Way) -> &'static str {
    match way {
        Way::Native => "leaves it to the library",
        Way::Unit | Way::Whole => "sends it in another description",
        Way::Engine => "packs it",
    }
}

/// `65536 bytes in 8192 blocks (n = 8192)`
pub fn amount(sample: &Sample) -> String {
    let (bytes, blocks) = (sample.ty.size(), sample.ty.runs());
    let blocks = if blocks == 1 { "1 block".to_owned() } else { format!("{blocks} blocks") };
    format!("{bytes} bytes in {blocks}{}", sizes(sample))
}

/// ` (n = m = 90)`
fn sizes(sample: &Sample) -> String {
    const SHOWN: usize = 3;
    match (sample.size, sample.names.as_slice()) {
        (None, _) => String::new(),
        (Some(size), names @ [_, ..]) if names.len() <= SHOWN => {
            format!(" ({} = {size})", names.join(" = "))
        }
        (Some(size), _) => format!(" (all sizes {size})"),
    }
}

/// Nanoseconds in microseconds, with three digits.
pub fn micro(nanoseconds: f64) -> String {
    let micro = nanoseconds / 1e3;
    match micro {
        m if m < 10.0 => format!("{m:.2}"),
        m if m < 100.0 => format!("{m:.1}"),
        m => format!("{m:.0}"),
    }
}
