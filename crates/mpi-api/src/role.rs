//! The roles of parameters in the messages of a call: which count and datatype belong to which
//! buffer.

use crate::function::{Direction, Form, Function, Parameter};

/// The role of a parameter in a call, where that matters to messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Memory that is communicated, packed or unpacked.
    Buffer,
    /// How many elements, or an array of them.
    Count,
    /// How many bytes packed data have.
    Bytes,
    /// Where the part of each process begins.
    Displacements,
    /// A datatype, or an array of them.
    Datatype,
    /// A request, or an array of them.
    Request,
    /// A status, or an array of them.
    Status,
    /// A communicator.
    Communicator,
    /// An operation of a reduction.
    Operation,
    /// The process that has what all others have not.
    Root,
    /// Another process.
    Rank,
    /// The tag of a message.
    Tag,
    /// A matched message.
    Message,
    /// Memory that other processes access.
    Window,
    /// A file.
    File,
    /// Anything else.
    Other,
}

impl Parameter {
    /// Its role in its call.
    pub fn role(&self) -> Role {
        match self.kind.name {
            "BUFFER" => Role::Buffer,
            "DATATYPE" => Role::Datatype,
            "REQUEST" => Role::Request,
            "STATUS" => Role::Status,
            "COMMUNICATOR" => Role::Communicator,
            "OPERATION" => Role::Operation,
            "RANK" if self.name == "root" => Role::Root,
            "RANK" | "RANK_NNI" => Role::Rank,
            "TAG" => Role::Tag,
            "MESSAGE" => Role::Message,
            "WINDOW" => Role::Window,
            "FILE" => Role::File,
            "POLYDTYPE_PACK_SIZE" | "POLYNUM_BYTES_NNI" => Role::Bytes,
            "POLYDISPLACEMENT" | "POLYDISPLACEMENT_AINT_COUNT" => Role::Displacements,
            "DISPLACEMENT" if self.is_address() && self.is_const => Role::Displacements,
            name if name.contains("XFER_NUM_ELEM") || name.starts_with("POLYDTYPE_NUM_ELEM") => {
                Role::Count
            }
            _ => Role::Other,
        }
    }
}

/// A buffer of a call and what describes it; parameters are numbered from 0, as in C.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Buffer {
    /// Its address.
    pub address: usize,
    /// Whether the call reads or writes it.
    pub direction: Direction,
    /// Its count, or the array of its counts; none where it has one element, or bytes.
    pub count: Option<usize>,
    /// The array of places where the parts of all processes begin.
    pub displacements: Option<usize>,
    /// Its datatype, or the array of its datatypes; none where it has packed data.
    pub datatype: Option<usize>,
}

impl Function {
    /// The buffers of a call, in their order.
    ///
    /// The description of a buffer stands behind it; a reduction's two buffers share it.
    pub fn buffers(&self) -> Vec<Buffer> {
        let roles: Vec<Role> = self.parameters(Form::Int).map(Parameter::role).collect();
        let parameters: Vec<&Parameter> = self.parameters(Form::Int).collect();
        let is_buffer = |at: &usize| roles[*at] == Role::Buffer;
        let describe = |address: usize| {
            let mut buffer = Buffer {
                address,
                direction: parameters[address].direction,
                count: None,
                displacements: None,
                datatype: None,
            };
            for (at, role) in roles.iter().enumerate().skip(address + 1) {
                match role {
                    // The next buffer's, unless both share what follows.
                    Role::Buffer if buffer.count.is_some() => break,
                    Role::Buffer => {}
                    Role::Count if buffer.count.is_none() => buffer.count = Some(at),
                    Role::Displacements => buffer.displacements = Some(at),
                    Role::Datatype => {
                        buffer.datatype = Some(at);
                        break;
                    }
                    // How many parts a message has, before how long each is.
                    Role::Other if parameters[at].name == "partitions" => {}
                    _ => break,
                }
            }
            buffer
        };
        (0..roles.len()).filter(is_buffer).map(describe).collect()
    }

    /// Which parameter of C (from 0) is the first with a role.
    pub fn position(&self, role: Role) -> Option<usize> {
        self.parameters(Form::Int).position(|parameter| parameter.role() == role)
    }
}
