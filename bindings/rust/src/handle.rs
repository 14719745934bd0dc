//! A counted handle of the library: what every object of this crate is inside.
use crate::error::{check, Result};
use crate::sys;

pub(crate) struct Handle(sys::Handle);

impl Handle {
    /// Takes over the count of a handle that the library gave.
    pub(crate) fn owned(raw: sys::Handle) -> Handle {
        Handle(raw)
    }

    /// One more owner of a handle that is lent.
    pub(crate) fn borrowed(raw: sys::Handle) -> Handle {
        unsafe { sys::tg_retain(raw) };
        Handle(raw)
    }

    /// The result of a call that writes a handle.
    pub(crate) fn made(make: impl FnOnce(*mut sys::Handle) -> sys::Status) -> Result<Handle> {
        let mut raw = std::ptr::null();
        check(make(&mut raw))?;
        Ok(Handle(raw))
    }

    pub(crate) fn raw(&self) -> sys::Handle {
        self.0
    }

    /// Gives the count away.
    pub(crate) fn into_raw(self) -> sys::Handle {
        let raw = self.0;
        std::mem::forget(self);
        raw
    }
}

impl Clone for Handle {
    fn clone(&self) -> Handle {
        Handle::borrowed(self.0)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        unsafe { sys::tg_release(self.0) };
    }
}
