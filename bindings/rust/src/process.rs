//! What concerns the whole process or thread: devices, options, modes, random numbers.
use std::ffi::CStr;

use crate::error::{c_text, check, Error, Result};
use crate::sys;
use crate::value::{Outcome, Owned};

/// The library's version, "0.1.0".
pub fn version() -> String {
    unsafe { CStr::from_ptr(sys::tg_version()) }
        .to_string_lossy()
        .into_owned()
}

/// The version of the C interface that the library has; this crate speaks [`crate::ABI_VERSION`].
pub fn abi_version() -> u32 {
    unsafe { sys::tg_abi_version() }
}

/// Objects of the library that are alive now, of all kinds: for tests.
pub fn live_handles() -> i64 {
    unsafe { sys::tg_live_handles() }
}

/// Starts the sequence of random numbers of `seed`.
pub fn manual_seed(seed: u64) -> Result<()> {
    check(unsafe { sys::tg_manual_seed(seed) })
}

/// Sets an option of the library for the whole process; `None` takes it back.
pub fn set_option(name: &str, value: Option<&str>) -> Result<()> {
    let (name, value) = (c_text(name)?, value.map(c_text).transpose()?);
    let value = value
        .as_ref()
        .map_or(std::ptr::null(), |text| text.as_ptr());
    check(unsafe { sys::tg_set_option(name.as_ptr(), value) })
}

/// An option's value as text.
pub fn option(name: &str) -> Result<String> {
    let name = c_text(name)?;
    let value = Owned::filled(|out| unsafe { sys::tg_get_option(name.as_ptr(), out) })?;
    String::from_value(&value.0)
}

/// A device of this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// "CPU"
    pub name: String,
    /// Whether it can be used, and if not, why.
    pub problem: Option<String>,
}

/// All devices.
pub fn devices() -> Result<Vec<Device>> {
    let mut found = vec![];
    loop {
        let (mut usable, mut reason) = (false, Owned(sys::Value::NONE));
        let name = Owned::filled(|out| unsafe {
            sys::tg_device_at(found.len(), out, &mut usable, &mut reason.0)
        });
        let name = match name {
            Err(Error::Index(_)) => return Ok(found),
            other => String::from_value(&other?.0)?,
        };
        let problem = if usable {
            None
        } else {
            Some(String::from_value(&reason.0)?)
        };
        found.push(Device { name, problem });
    }
}

/// The device where tensors go that name none.
pub fn default_device() -> Result<String> {
    let name = Owned::filled(|out| unsafe { sys::tg_default_device(out) })?;
    String::from_value(&name.0)
}

/// Loads a backend's shared object; gives the name of its device.
///
/// # Safety
/// The shared object runs in this process; it must be a backend of the library's plug-in interface.
pub unsafe fn load_backend(path: &str) -> Result<String> {
    let path = c_text(path)?;
    let name = Owned::filled(|out| sys::tg_load_backend(path.as_ptr(), out))?;
    String::from_value(&name.0)
}

/// Waits until everything launched so far is done, on all devices.
pub fn synchronize() -> Result<()> {
    check(unsafe { sys::tg_synchronize(std::ptr::null()) })
}

/// The same, on one device.
pub fn synchronize_device(device: &str) -> Result<()> {
    let device = c_text(device)?;
    check(unsafe { sys::tg_synchronize(device.as_ptr()) })
}

// Sets a switch of this thread back when it goes.
struct Switch {
    set: unsafe extern "C" fn(bool, *mut bool) -> sys::Status,
    before: bool,
}

impl Drop for Switch {
    fn drop(&mut self) {
        unsafe { (self.set)(self.before, std::ptr::null_mut()) };
    }
}

fn switched<R>(
    set: unsafe extern "C" fn(bool, *mut bool) -> sys::Status,
    on: bool,
    body: impl FnOnce() -> Result<R>,
) -> Result<R> {
    let mut before = false;
    check(unsafe { set(on, &mut before) })?;
    let _back = Switch { set, before };
    body()
}

/// Runs `body` with training (dropout, batch_norm) of this thread on or off.
pub fn with_training<R>(on: bool, body: impl FnOnce() -> Result<R>) -> Result<R> {
    switched(sys::tg_set_training, on, body)
}

/// Runs `body` with the recording of gradients by this thread on or off.
pub fn with_grad<R>(on: bool, body: impl FnOnce() -> Result<R>) -> Result<R> {
    switched(sys::tg_set_grad_enabled, on, body)
}
