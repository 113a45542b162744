//! [`messages!`](crate::messages!): the exported symbols of what sends and receives messages, by
//! the rules of [`preload!`](crate::preload!). The signatures stand here and nowhere else: each
//! function makes a value of its arguments, which a layer of
//! [`calls`](crate::runtime::calls) lets go on to the library.

/// Exports these functions with counts `N`, `int` or `MPI_Count` (`large`). Used by
/// [`preload!`](crate::preload!), in a module that has `PRELOAD` and the types of the ABI.
#[doc(hidden)]
#[macro_export]
macro_rules! messages {
    (int) => {
        $crate::messages! { @counted int }

        // Nothing is counted: there is one width.
        $crate::layered! { [Probe required probe]
            (source: c_int, tag: c_int, comm: Comm, status: *mut Status)
            |layer, next| {
                let from = Envelope { rank: source, tag, comm };
                let probe = ProbeCall { from, waits: true, message: None, status };
                layer.probe(probe, move |status| next(source, tag, comm, status), || true)
            }
        }
        $crate::layered! { [Iprobe required iprobe]
            (source: c_int, tag: c_int, comm: Comm, flag: *mut c_int, status: *mut Status)
            |layer, next| {
                let from = Envelope { rank: source, tag, comm };
                let probe = ProbeCall { from, waits: false, message: None, status };
                let call = move |status| next(source, tag, comm, flag, status);
                layer.probe(probe, call, move || *flag != 0)
            }
        }
        $crate::layered! { [Mprobe required mprobe]
            (source: c_int, tag: c_int, comm: Comm, message: *mut Message, status: *mut Status)
            |layer, next| {
                let from = Envelope { rank: source, tag, comm };
                let probe = ProbeCall { from, waits: true, message: Some(message), status };
                let call = move |status| next(source, tag, comm, message, status);
                layer.probe(probe, call, || true)
            }
        }
        $crate::layered! { [Improbe required improbe]
            (source: c_int, tag: c_int, comm: Comm, flag: *mut c_int, message: *mut Message,
                status: *mut Status)
            |layer, next| {
                let from = Envelope { rank: source, tag, comm };
                let probe = ProbeCall { from, waits: false, message: Some(message), status };
                let call = move |status| next(source, tag, comm, flag, message, status);
                layer.probe(probe, call, move || *flag != 0)
            }
        }
        $crate::layered! { [Get_elements_x required get_elements_x]
            (status: *const Status, datatype: Datatype, count: *mut $crate::reexport::Count)
            |layer, next| { layer.counts(status, move || next(status, datatype, count)) }
        }
        $crate::layered! { [Start required start] (request: *mut Request)
            |layer, next| { layer.start((1, request), move |request| next(request)) }
        }
        $crate::layered! { [Startall required startall]
            (count: c_int, requests: *mut Request)
            |layer, next| { layer.start((count, requests), move |requests| next(count, requests)) }
        }
    };
    (large) => {
        $crate::messages! { @counted large }
    };
    (@counted $width:ident) => {
        use $crate::reexport::Mode;
        use $crate::runtime::calls::{
            Envelope, IncomingMessage, MessageData, MessageLayer as _, MessageSource,
            OutgoingMessage, PersistentLayer as _, ProbeCall,
        };

        // Who does the work; what comes after the message, and whether a layer changes it.
        $crate::messages! { @each $width
            outgoing send () {
                Send required send send_c Standard;
                Bsend required bsend bsend_c Buffered;
                Ssend required ssend ssend_c Synchronous;
                Rsend required rsend rsend_c Ready;
            }
            outgoing isend (request: *mut Request) {
                Isend required isend isend_c Standard;
                Ibsend required ibsend ibsend_c Buffered;
                Issend required issend issend_c Synchronous;
                Irsend required irsend irsend_c Ready;
            }
            outgoing send_init (request: *mut Request) {
                Send_init required send_init send_init_c Standard;
                Bsend_init required bsend_init bsend_init_c Buffered;
                Ssend_init required ssend_init ssend_init_c Synchronous;
                Rsend_init required rsend_init rsend_init_c Ready;
            }
            incoming recv (status: *mut Status) { Recv required recv recv_c [status]; }
            incoming irecv (request: *mut Request) { Irecv required irecv irecv_c []; }
            incoming recv_init (request: *mut Request) {
                Recv_init required recv_init recv_init_c [];
            }
            matched recv (status: *mut Status) { Mrecv required mrecv mrecv_c [status]; }
            matched irecv (request: *mut Request) { Imrecv required imrecv imrecv_c []; }
            exchange sendrecv (status: *mut Status) { Sendrecv required sendrecv sendrecv_c []; }
            exchange_replace sendrecv_replace (status: *mut Status) {
                Sendrecv_replace required sendrecv_replace sendrecv_replace_c [];
            }
            asked counts () {
                Get_count required get_count get_count_c [];
                Get_elements required get_elements get_elements_c [];
            }
            // Of MPI 4.0.
            exchange isendrecv (request: *mut Request) {
                Isendrecv optional isendrecv isendrecv_c [];
            }
            exchange_replace isendrecv (request: *mut Request) {
                Isendrecv_replace optional isendrecv_replace isendrecv_replace_c [];
            }
        }
    };
    (@each $width:ident $($signature:ident $method:ident $place:tt {
        $($name:ident $have:ident $field:ident $large:ident $detail:tt;)*
    })*) => {
        $($(
            $crate::messages! { @$width $signature $method $place
                [$name $have $field $large] $detail
            }
        )*)*
    };
    (@int $signature:ident $method:ident $place:tt
        [$name:ident $have:ident $field:ident $large:ident] $detail:tt) =>
    {
        $crate::messages! { @$signature $method $place [$name $have $field] $detail }
    };
    (@large $signature:ident $method:ident $place:tt
        [$name:ident $have:ident $field:ident $large:ident] $detail:tt) =>
    {
        $crate::messages! { @$signature $method $place [$name optional $large "_c"] $detail }
    };
    (@outgoing $method:ident ($($place:ident: $ty:ty)?) $function:tt $mode:ident) => {
        $crate::layered! { $function
            (buffer: *mut c_void, count: N, datatype: Datatype, destination: c_int, tag: c_int,
                comm: Comm $(, $place: $ty)?)
            |layer, next| {
                let data = MessageData { buffer, count, datatype };
                let to = Envelope { rank: destination, tag, comm };
                let message = OutgoingMessage { mode: Mode::$mode, data, to };
                layer.$method(message, $($place,)? move |data| {
                    let MessageData { buffer, count, datatype } = data;
                    next(buffer, count, datatype, destination, tag, comm $(, $place)?)
                })
            }
        }
    };
    (@incoming $method:ident ($place:ident: $ty:ty) $function:tt [$($changed:ident)?]) => {
        $crate::layered! { $function
            (buffer: *mut c_void, count: N, datatype: Datatype, source: c_int, tag: c_int,
                comm: Comm, $place: $ty)
            |layer, next| {
                let data = MessageData { buffer, count, datatype };
                let from = MessageSource::Any(Envelope { rank: source, tag, comm });
                layer.$method(IncomingMessage { data, from }, $place, move |data $(, $changed)?| {
                    let MessageData { buffer, count, datatype } = data;
                    next(buffer, count, datatype, source, tag, comm, $place)
                })
            }
        }
    };
    (@matched $method:ident ($place:ident: $ty:ty) $function:tt [$($changed:ident)?]) => {
        $crate::layered! { $function
            (buffer: *mut c_void, count: N, datatype: Datatype, message: *mut Message,
                $place: $ty)
            |layer, next| {
                let data = MessageData { buffer, count, datatype };
                let from = MessageSource::Matched(message);
                layer.$method(IncomingMessage { data, from }, $place, move |data $(, $changed)?| {
                    let MessageData { buffer, count, datatype } = data;
                    next(buffer, count, datatype, message, $place)
                })
            }
        }
    };
    (@asked $method:ident () $function:tt []) => {
        $crate::layered! { $function
            (status: *const Status, datatype: Datatype, count: *mut N)
            |layer, next| { layer.$method(status, move || next(status, datatype, count)) }
        }
    };
    (@exchange $method:ident ($place:ident: $ty:ty) $function:tt []) => {
        $crate::layered! { $function
            (send_buffer: *mut c_void, send_count: N, send_datatype: Datatype,
                destination: c_int, send_tag: c_int, buffer: *mut c_void, count: N,
                datatype: Datatype, source: c_int, tag: c_int, comm: Comm, $place: $ty)
            |layer, next| {
                let data = MessageData {
                    buffer: send_buffer, count: send_count, datatype: send_datatype,
                };
                let to = Envelope { rank: destination, tag: send_tag, comm };
                let sent = OutgoingMessage { mode: Mode::Standard, data, to };
                let data = MessageData { buffer, count, datatype };
                let from = MessageSource::Any(Envelope { rank: source, tag, comm });
                let received = IncomingMessage { data, from };
                layer.$method((sent, received), $place, move |sent, received, $place| {
                    let MessageData { buffer, count, datatype } = received;
                    next(sent.buffer, sent.count, sent.datatype, destination, send_tag, buffer,
                        count, datatype, source, tag, comm, $place)
                })
            }
        }
    };
    (@exchange_replace $method:ident ($place:ident: $ty:ty) $function:tt []) => {
        $crate::layered! { $function
            (buffer: *mut c_void, count: N, datatype: Datatype, destination: c_int,
                send_tag: c_int, source: c_int, tag: c_int, comm: Comm, $place: $ty)
            |layer, next| {
                let data = MessageData { buffer, count, datatype };
                let to = Envelope { rank: destination, tag: send_tag, comm };
                let sent = OutgoingMessage { mode: Mode::Standard, data, to };
                let from = MessageSource::Any(Envelope { rank: source, tag, comm });
                let received = IncomingMessage { data, from };
                layer.$method((sent, received), $place, move |_, data, $place| {
                    let MessageData { buffer, count, datatype } = data;
                    next(buffer, count, datatype, destination, send_tag, source, tag, comm,
                        $place)
                })
            }
        }
    };
}
