//! Closures that C calls: no panic travels through C++, and what belongs to a thread stays there.
use std::any::Any;
use std::mem::ManuallyDrop;
use std::os::raw::c_void;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::thread::{current, ThreadId};

use crate::error::{Error, Result};

/// A value that is used and dropped by the thread that made it, even if others hold its address. Tensors
/// are not `Send`, so neither are closures that hold some; should the library give such a closure
/// back on another thread, it is leaked, which is safe, instead of dropped.
pub(crate) struct Bound<T> {
    value: ManuallyDrop<T>,
    thread: ThreadId,
}

impl<T> Bound<T> {
    /// The address for C, which `free` takes back.
    pub(crate) fn leak(value: T) -> *mut c_void {
        let (value, thread) = (ManuallyDrop::new(value), current().id());
        Box::into_raw(Box::new(Bound { value, thread })).cast()
    }

    /// The value, on its thread. `user` comes from `leak::<T>`.
    pub(crate) unsafe fn get<'a>(user: *mut c_void, function: &str) -> Result<&'a T> {
        let bound = &*user.cast::<Bound<T>>();
        if bound.thread == current().id() {
            return Ok(&bound.value);
        }
        let problem = "a closure is called on another thread than that which made it.";
        Err(Error::Callback(format!("{function}: {problem}")))
    }

    /// The release callback of what `leak::<T>` gave.
    pub(crate) unsafe extern "C" fn free(user: *mut c_void) {
        let bound = Box::from_raw(user.cast::<Bound<T>>());
        if bound.thread == current().id() {
            let value = ManuallyDrop::into_inner(bound.value);
            silently(|| drop(value));
        }
    }
}

/// Runs a closure of the user's; a panic in it is `Error::Callback` with its message.
pub(crate) fn protected<R>(what: &str, body: impl FnOnce() -> Result<R>) -> Result<R> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| {
        let problem = panic_text(payload.as_ref());
        // What was thrown may panic again when it goes.
        silently(|| drop(payload));
        Err(Error::Callback(format!("{what} panicked: {problem}.")))
    })
}

/// Runs what may panic where nobody can be told: the panic hook has printed it.
pub(crate) fn silently(body: impl FnOnce()) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(body)) {
        std::mem::forget(payload);
    }
}

fn panic_text(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        text.to_string()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "with no text".to_string()
    }
}

/// The elements of an array of C, which may be empty and then null.
pub(crate) unsafe fn elements<'a, T>(pointer: *const T, count: usize) -> &'a [T] {
    if count == 0 {
        &[]
    } else {
        std::slice::from_raw_parts(pointer, count)
    }
}
