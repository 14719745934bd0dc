//! What can go wrong: the library's status as a variant, with the library's message inside.
use std::ffi::{CStr, CString};
use std::fmt;

use crate::sys;

/// What a call that can fail gives.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a call failed. The text is the library's: `function: rule broken: the values. Hint.`
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// Sizes that do not fit together.
    Shape(String),
    /// An element type that the function does not accept.
    Dtype(String),
    /// An index or axis outside its range.
    Index(String),
    /// Any other argument that breaks a documented rule.
    Argument(String),
    /// A device is unknown, missing, failed or out of memory.
    Device(String),
    /// A file is missing, damaged or of another format.
    File(String),
    /// Stopped on request.
    Cancelled(String),
    /// A broken invariant of the library, or a status that this crate is too old to know.
    Internal(String),
    /// A handle is null, was released, or names another kind of object.
    Handle(String),
    /// The host has no memory left.
    Memory(String),
    /// A callback failed without saying why, or panicked.
    Callback(String),
}

impl Error {
    /// The library's words.
    pub fn message(&self) -> &str {
        self.parts().1
    }

    fn parts(&self) -> (sys::Status, &str) {
        match self {
            Error::Shape(m) => (1, m),
            Error::Dtype(m) => (2, m),
            Error::Index(m) => (3, m),
            Error::Argument(m) => (4, m),
            Error::Device(m) => (5, m),
            Error::File(m) => (6, m),
            Error::Cancelled(m) => (7, m),
            Error::Internal(m) => (8, m),
            Error::Handle(m) => (9, m),
            Error::Memory(m) => (10, m),
            Error::Callback(m) => (11, m),
        }
    }

    // The error of this thread's last call.
    fn last(status: sys::Status) -> Error {
        let message = unsafe { CStr::from_ptr(sys::tg_error_message()) };
        let message = message.to_string_lossy().into_owned();
        match status {
            1 => Error::Shape(message),
            2 => Error::Dtype(message),
            3 => Error::Index(message),
            4 => Error::Argument(message),
            5 => Error::Device(message),
            6 => Error::File(message),
            7 => Error::Cancelled(message),
            9 => Error::Handle(message),
            10 => Error::Memory(message),
            11 => Error::Callback(message),
            _ => Error::Internal(message),
        }
    }

    // From inside a callback: the failing call on the outside will have this error.
    pub(crate) fn fail(&self) -> sys::Status {
        let (status, message) = self.parts();
        let text = CString::new(message.replace('\0', " ")).unwrap_or_default();
        unsafe { sys::tg_fail(status, text.as_ptr()) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl std::error::Error for Error {}

pub(crate) fn check(status: sys::Status) -> Result<()> {
    if status == sys::OK {
        Ok(())
    } else {
        Err(Error::last(status))
    }
}

// Text for C. A 0 byte inside would end it early, so it is an error.
pub(crate) fn c_text(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error::Argument(format!("text: holds a 0 byte: {:?}.", text)))
}
