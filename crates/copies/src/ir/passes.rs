//! Which simplifications were made, in their order.

use std::cell::RefCell;

/// A simplification that was made somewhere in a datatype, as
/// book/src/explanation/refactor-proofs.md names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pass {
    /// Of blocks that lie one behind the other.
    AdjacentBlocks,
    /// Of several equal children.
    StructToHindexed,
    /// Of displacements at one distance.
    HindexedToHvector,
    /// Of a loop whose turns are alike and equally far apart.
    LoopToHvector,
    /// Of a loop whose blocks lie where an array of the program says.
    LoopToList,
    /// Of a distance that is a multiple of the element.
    HvectorToVector,
    /// The same, and a contiguous child of several elements goes into the block length.
    BlockLength,
    /// Of blocks without gaps between them.
    VectorToContiguous,
    /// Of a nest whose strides fit.
    NestCollapse,
    /// Of a loop of one turn.
    SingleTurn,
    /// Of a condition that all turns of a loop decide alike.
    ConditionOutside,
    /// Of structs in a struct.
    NestedStructs,
    /// Of lists in a list.
    NestedLists,
    /// Of what is contiguous as a whole.
    SendCount,
    /// Of a datatype that a call takes several of.
    Extent,
}

impl Pass {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Pass::AdjacentBlocks => "adjacent blocks -> one block",
            Pass::StructToHindexed => "struct -> hindexed",
            Pass::HindexedToHvector => "hindexed -> hvector",
            Pass::LoopToHvector => "struct -> hindexed -> hvector",
            Pass::LoopToList => "struct -> hindexed, by the program's list",
            Pass::HvectorToVector => "hvector -> vector",
            Pass::BlockLength => "hvector -> vector, contiguous into the block length",
            Pass::VectorToContiguous => "vector -> contiguous",
            Pass::NestCollapse => "nest collapse",
            Pass::SingleTurn => "a loop of one turn",
            Pass::ConditionOutside => "condition out of the loop",
            Pass::NestedStructs => "nested structs -> one struct",
            Pass::NestedLists => "nested lists -> one list",
            Pass::SendCount => "contiguous into the send count",
            Pass::Extent => "resized to where the next one begins",
        }
    }
}

/// The passes of one datatype. Only so many are made: what a datatype is after each of them is had
/// by making it again with one more.
pub(super) struct Passes {
    most: usize,
    made: RefCell<Vec<Pass>>,
}

impl Passes {
    /// At most so many.
    pub fn up_to(most: usize) -> Passes {
        Passes { most, made: RefCell::default() }
    }

    /// Asked where a pass fits, as the last condition: whether it is to be made.
    pub fn take(&self, pass: Pass) -> bool {
        let mut made = self.made.borrow_mut();
        let is_wanted = made.len() < self.most;
        if is_wanted {
            made.push(pass);
        }
        is_wanted
    }

    pub fn into_made(self) -> Vec<Pass> {
        self.made.into_inner()
    }
}
