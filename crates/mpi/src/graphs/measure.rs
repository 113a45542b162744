//! Measures the constants of the LogGP model between two ranks.
//!
//! Half round trips of several lengths give L + 2 o and G (Hoefler, Lichei, Rehm: "Low-Overhead
//! LogGP Parameter Assessment for Modern Interconnection Networks", IPDPS'07, in a simpler form);
//! a flood of short messages gives o at the sender and g.

use commloom_commgraph::cost::LogGp;

use super::GraphsError;
use super::tree::Tree;
use crate::abi::Abi;

/// Lengths of messages, in bytes.
const LENGTHS: [usize; 4] = [1, 1024, 16 * 1024, 128 * 1024];
/// Round trips of each length; the fastest counts.
const REPEATED: usize = 20;
/// Messages of the flood.
const FLOOD: usize = 50;

/// The constants between the first and the last rank, at every rank; `None` for one rank.
/// Collective.
pub(super) fn measure<A: Abi>(tree: &Tree<'_, A>) -> Result<Option<LogGp>, GraphsError> {
    if tree.size < 2 {
        return Ok(None);
    }
    let last = tree.size - 1;
    let mut measured = None;
    if tree.rank == 0 {
        let mut times = Vec::new();
        for length in LENGTHS {
            let message = vec![0; length];
            let mut best = f64::INFINITY;
            for _ in 0..REPEATED {
                let start = tree.mpi.wtime();
                tree.send_piece(&message, last)?;
                tree.receive_piece(&mut message.clone(), last)?;
                best = best.min((tree.mpi.wtime() - start) / 2.0);
            }
            #[allow(clippy::cast_precision_loss)] // Short.
            times.push((length as f64, best));
        }
        let start = tree.mpi.wtime();
        for _ in 0..FLOOD {
            tree.send_piece(&[0], last)?;
        }
        #[allow(clippy::cast_precision_loss)]
        let each = (tree.mpi.wtime() - start) / FLOOD as f64;
        measured = LogGp::default().measured(&times, each, each);
    } else if tree.rank == last {
        for length in LENGTHS {
            let mut message = vec![0; length];
            for _ in 0..REPEATED {
                tree.receive_piece(&mut message, 0)?;
                tree.send_piece(&message, 0)?;
            }
        }
        for _ in 0..FLOOD {
            tree.receive_piece(&mut [0], 0)?;
        }
    }
    let blocks = match tree.rank {
        0 => vec![super::packet::bytes(&measured); tree.size],
        _ => Vec::new(),
    };
    super::packet::value(&tree.scatter(blocks)?, 0)
}
