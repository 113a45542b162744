//! Condition 7, in space: no element is received twice (MPI 4.1, section 5.1.12: overlapping
//! entries are erroneous in a receive).

use commloom_copies::Packing;
use commloom_program::View;
use commloom_program::fact::Fact;
use commloom_program::refusal::{Code, Refusal};
use commloom_source::tree::Name;

use super::apart::{Inside, are_apart, has_counter, inside, is_injective, is_repeated};
use super::model::Ledger;
use super::rows;

/// Refuses where two copies may have the same target.
pub(super) fn distinct(
    view: &View<'_>,
    packing: &Packing,
    ledger: &Ledger<'_>,
) -> Result<(), Refusal> {
    let all = inside(&packing.copies);
    let fact = |name: &Name| Fact::DistinctElements(name.clone());
    for inside in &all {
        let name = &inside.copy.address.base.variable;
        if is_repeated(inside) {
            let message =
                format!("'{name}' is set in each turn of a loop; what is made of it is no copy");
            return Err(Refusal::new(Code::Arithmetic, inside.copy.span, message));
        }
        // Two pointers that are loaded may point to the same elements.
        let loaded = inside.copy.address.version.is_some();
        let many = loaded && inside.copy.address.base.subscripts().any(has_counter);
        if many || !is_injective(inside) {
            let message = format!("some elements of '{name}' may be received twice");
            let needed = if many { None } else { rows::own(inside) };
            let span = inside.copy.span;
            let outcome = ledger.need(Code::ReceiveOverlap, span, message, fact(name));
            match needed {
                Some(numbers) => ledger.test(&numbers, span, outcome),
                None => outcome?,
            }
        }
    }
    for (index, one) in all.iter().enumerate() {
        for other in &all[index + 1..] {
            let (a, b) = (&one.copy.address.base.variable, &other.copy.address.base.variable);
            let apart = match a == b {
                true => same_base(one, other) && are_apart(one, other),
                false => !view.may_alias(a, b),
            };
            if !apart {
                let message = format!("these copies may write to the same elements of '{a}'");
                ledger.need(Code::ReceiveOverlap, other.copy.span, message, fact(a))?;
            }
        }
    }
    Ok(())
}

/// Whether both count from the same first byte, where that is what a pointer points to.
fn same_base(one: &Inside<'_>, other: &Inside<'_>) -> bool {
    let (a, b) = (&one.copy.address, &other.copy.address);
    let pointers = a.version.is_some() || b.version.is_some();
    !pointers || (&a.base, a.version) == (&b.base, b.version)
}
