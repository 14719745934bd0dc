//! A program that watches itself: what was run so far, and the lines that the library prints.
use std::ffi::CStr;
use std::os::raw::{c_char, c_void};

use crate::callback::silently;
use crate::error::{check, Result};
use crate::sys;

/// Totals of the process, over all devices and threads.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Counters {
    /// Kernels that ran, and copies between devices.
    pub kernels: i64,
    /// Launches of these: small ones that are independent share one.
    pub launches: i64,
    /// Floating-point operations.
    pub ops: i64,
    /// Memory read and written, in bytes.
    pub bytes: i64,
    /// Seconds of kernels; measured only with the option DEBUG of 2 or more, or with PROFILE.
    pub seconds: f64,
    /// Bytes handed out by devices now.
    pub memory_in_use: i64,
    /// Most of that at once.
    pub peak_memory: i64,
}

/// The totals since the start of the process or the last [`reset_counters`].
pub fn counters() -> Result<Counters> {
    let mut c = sys::Counters {
        struct_size: std::mem::size_of::<sys::Counters>(),
        ..Default::default()
    };
    check(unsafe { sys::tg_read_counters(&mut c) })?;
    Ok(Counters {
        kernels: c.kernels,
        launches: c.launches,
        ops: c.ops,
        bytes: c.bytes,
        seconds: c.seconds,
        memory_in_use: c.memory_in_use,
        peak_memory: c.peak_memory,
    })
}

/// Starts all totals from 0, the peak from what is in use.
pub fn reset_counters() -> Result<()> {
    check(unsafe { sys::tg_reset_counters() })
}

type Sink = Box<dyn FnMut(&str) + Send>;

/// Sends the lines for people (what the option DEBUG prints, and warnings) to `sink` instead of to
/// standard error, each without its end. It runs on the thread that has something to say, one at a
/// time, and must call nothing of this crate. A panic in it loses the line.
pub fn set_log(sink: impl FnMut(&str) + Send + 'static) -> Result<()> {
    let sink: Sink = Box::new(sink);
    let user = Box::into_raw(Box::new(sink)).cast();
    check(unsafe { sys::tg_set_log(Some(run_sink), user, Some(free_sink)) })
}

/// Sends them to standard error again, and drops the sink.
pub fn unset_log() -> Result<()> {
    check(unsafe { sys::tg_set_log(None, std::ptr::null_mut(), None) })
}

unsafe extern "C" fn run_sink(user: *mut c_void, line: *const c_char) {
    let (sink, line) = (&mut *user.cast::<Sink>(), CStr::from_ptr(line));
    silently(|| sink(&line.to_string_lossy()));
}

unsafe extern "C" fn free_sink(user: *mut c_void) {
    let sink = Box::from_raw(user.cast::<Sink>());
    silently(|| drop(sink));
}
