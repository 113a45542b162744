//! Traces of a program, as `commloom trace` writes them.

use std::path::Path;
use std::sync::Arc;

use commloom_trace::{
    Action, Buffer, Communicator, Event, Header, Mode, Origin, Received, Site, Writer,
};

const RANKS: u32 = 4;
const BLOCK: u64 = 16;

/// Writes the traces of a ring in which every process sends on what has come last, so often.
#[allow(dead_code)] // not every test binary needs it
pub fn ring(folder: &Path, times: u64) {
    ring_of(folder, times, ["ring", "none", "/no/such/ring"]);
}

/// The same, of a program, with a library, called in a module of these names.
pub fn ring_of(folder: &Path, times: u64, [program, library, module]: [&str; 3]) {
    std::fs::create_dir_all(folder).expect("a folder of the test");
    for rank in 0..RANKS {
        let header = Header {
            rank,
            ranks: RANKS,
            program: program.into(),
            library: library.into(),
            started: 0,
        };
        let mut bytes = Vec::new();
        let mut writer = Writer::new(&mut bytes, &header).expect("memory takes all");
        let members = (0..RANKS).collect();
        let all = Arc::new(Communicator { number: 0, members, remote: vec![] });
        let layout: Arc<str> = "MPI_BYTE".into();
        let buffer = |of: u32| Buffer {
            address: 0x1000 + u64::from(of) * BLOCK,
            count: BLOCK,
            layout: layout.clone(),
            bytes: BLOCK,
        };
        let site = |offset| Some(Arc::new(Site { module: module.into(), offset }));
        let hash = |time: u64, of: u32| time * 100 + u64::from(of);
        let mut last = None;
        for time in 0..times {
            for step in 0..RANKS - 1 {
                let (own, other) =
                    ((rank + RANKS - step) % RANKS, (rank + RANKS - step - 1) % RANKS);
                let origin = |receive| Origin { at: 0, length: BLOCK, receive, from: 0 };
                let origins = last.filter(|_| step > 0).map(origin).into_iter().collect();
                let send = Action::Send {
                    mode: Mode::Standard,
                    to: (rank + 1) % RANKS,
                    tag: 0,
                    communicator: all.clone(),
                    buffer: buffer(own),
                    hash: hash(time, own),
                    origins,
                    sum: None,
                };
                let receive = Action::Receive {
                    from: Some((rank + RANKS - 1) % RANKS),
                    tag: Some(0),
                    communicator: all.clone(),
                    buffer: buffer(other),
                };
                let mut push = |offset, action| {
                    let event = Event { time: 0, site: site(offset), action };
                    writer.push(&event).expect("memory takes all")
                };
                push(0x10, send);
                let receive = push(0x20, receive);
                let from = (rank + RANKS - 1) % RANKS;
                let what = Received { from, tag: 0, bytes: BLOCK, hash: hash(time, other) };
                last = Some(push(0x20, Action::Received { receive, what }));
            }
        }
        writer.flush().expect("memory takes all");
        std::fs::write(folder.join(format!("rank-{rank:06}.trace")), bytes).expect("a file");
    }
}
