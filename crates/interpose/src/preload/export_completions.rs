//! [`completions!`](crate::completions!): the exported symbols of what completes requests or tells
//! that they are complete, by the rules of [`preload!`](crate::preload!). The signatures stand
//! here and nowhere else; the four shapes are in [`completion`](crate::runtime::completion).

/// Exports these functions; with `large` those that came with MPI 4.1. Used by
/// [`preload!`](crate::preload!), in a module that has `PRELOAD` and the types of the ABI.
#[doc(hidden)]
#[macro_export]
macro_rules! completions {
    (int) => {
        use $crate::runtime::completion::{self, Effect::*, Flag, Watcher as _};

        $crate::layered! { [Wait required wait] (request: *mut Request, status: *mut Status)
            |layer, next| {
                let call = move |request, status| next(request, status);
                completion::one(layer, (Completes, request), Flag(None), status, call)
            }
        }
        $crate::layered! { [Test required test]
            (request: *mut Request, flag: *mut c_int, status: *mut Status)
            |layer, next| {
                let call = move |request, status| next(request, flag, status);
                completion::one(layer, (Completes, request), Flag(Some(flag)), status, call)
            }
        }
        $crate::layered! { [Request_get_status required request_get_status]
            (request: Request, flag: *mut c_int, status: *mut Status)
            |layer, next| {
                let call = move |this: *mut Request, status| next(*this, flag, status);
                let asked = &raw const request;
                completion::one(layer, (Asks, asked.cast_mut()), Flag(Some(flag)), status, call)
            }
        }
        $crate::layered! { [Waitall required waitall]
            (count: c_int, requests: *mut Request, statuses: *mut Status)
            |layer, next| {
                let call = move |these: *mut _, statuses| next(count, these, statuses);
                completion::all(layer, (Completes, count, requests), Flag(None), statuses, call)
            }
        }
        $crate::completions! { @all [Testall required testall] Completes }
        $crate::layered! { [Waitany required waitany]
            (count: c_int, requests: *mut Request, index: *mut c_int, status: *mut Status)
            |layer, next| {
                let call = move |these: *mut _, status| next(count, these, index, status);
                let told = (index, Flag(None));
                completion::any(layer, (Completes, count, requests), told, status, call)
            }
        }
        $crate::completions! { @any [Testany required testany] Completes }
        $crate::completions! { @some [Waitsome required waitsome] Completes }
        $crate::completions! { @some [Testsome required testsome] Completes }
        $crate::layered! { [Request_free required request_free] (request: *mut Request)
            |layer, next| { layer.frees(request, move || next(request)) }
        }
    };
    (large) => {
        use $crate::runtime::completion::{self, Effect::*, Flag};

        $crate::completions! {
            @all [Request_get_status_all optional request_get_status_all] Asks
        }
        $crate::completions! {
            @any [Request_get_status_any optional request_get_status_any] Asks
        }
        $crate::completions! {
            @some [Request_get_status_some optional request_get_status_some] Asks
        }
    };
    (@all $function:tt $effect:ident) => {
        $crate::layered! { $function
            (count: c_int, requests: *mut Request, flag: *mut c_int, statuses: *mut Status)
            |layer, next| {
                let call = move |these: *mut _, statuses| next(count, these, flag, statuses);
                let asked = ($effect, count, requests);
                completion::all(layer, asked, Flag(Some(flag)), statuses, call)
            }
        }
    };
    (@any $function:tt $effect:ident) => {
        $crate::layered! { $function
            (count: c_int, requests: *mut Request, index: *mut c_int, flag: *mut c_int,
                status: *mut Status)
            |layer, next| {
                let call = move |these: *mut _, status| next(count, these, index, flag, status);
                let asked = ($effect, count, requests);
                completion::any(layer, asked, (index, Flag(Some(flag))), status, call)
            }
        }
    };
    (@some $function:tt $effect:ident) => {
        $crate::layered! { $function
            (count: c_int, requests: *mut Request, completed: *mut c_int, indices: *mut c_int,
                statuses: *mut Status)
            |layer, next| {
                let call = move |these: *mut _, statuses| {
                    next(count, these, completed, indices, statuses)
                };
                let asked = ($effect, count, requests);
                completion::some(layer, asked, (completed, indices), statuses, call)
            }
        }
    };
}
