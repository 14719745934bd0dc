//! DLPack: tensors that pass between libraries without a copy.
use std::ptr::NonNull;

pub use tinygrad_cpp_sys::dlpack::{DataType, Device, Managed, ManagedUnversioned, Version, View};

use crate::callback::elements;
use crate::error::{check, Result};
use crate::handle::Handle;
use crate::sys;
use crate::tensor::Tensor;

/// A tensor on its way: its holder owns it, and gives it back when it goes.
#[derive(Debug)]
pub struct DlPack {
    managed: NonNull<Managed>,
}

impl DlPack {
    /// Takes over what another library lends.
    ///
    /// # Safety
    /// `managed` is a valid `DLManagedTensorVersioned` of which nobody else calls the deleter, and
    /// the memory that it describes may be read and written until then, which may be on any thread.
    pub unsafe fn from_raw(managed: NonNull<Managed>) -> DlPack {
        DlPack { managed }
    }

    /// For another library, which calls the deleter.
    pub fn into_raw(self) -> NonNull<Managed> {
        let managed = self.managed;
        std::mem::forget(self);
        managed
    }

    /// What is passed.
    pub fn view(&self) -> &View {
        unsafe { &self.managed.as_ref().dl_tensor }
    }

    /// The sizes of its axes.
    pub fn shape(&self) -> &[i64] {
        let view = self.view();
        unsafe { elements(view.shape, usize::try_from(view.ndim).unwrap_or(0)) }
    }
}

impl Drop for DlPack {
    fn drop(&mut self) {
        unsafe {
            if let Some(deleter) = self.managed.as_ref().deleter {
                deleter(self.managed.as_ptr());
            }
        }
    }
}

impl Tensor {
    /// Computes the tensor and lends its memory, without a copy where the host can reach it.
    pub fn to_dlpack(&self) -> Result<DlPack> {
        let mut managed = std::ptr::null_mut();
        check(unsafe { sys::tg_tensor_to_dlpack(self.handle.raw(), &mut managed) })?;
        let managed = NonNull::new(managed).expect("a successful call gives a tensor");
        Ok(DlPack { managed })
    }

    /// A tensor on the memory of another library's: what is row-major and on the host is not copied.
    pub fn from_dlpack(lent: DlPack) -> Result<Tensor> {
        let managed = lent.managed.as_ptr();
        let handle = Handle::made(|out| unsafe { sys::tg_tensor_from_dlpack(managed, out) })?;
        // The library owns it from here; a failing call left it to `lent`.
        std::mem::forget(lent);
        Ok(Tensor { handle })
    }

    /// The same for producers before DLPack 1.0. The tensor owns `managed` then, unless this fails.
    ///
    /// # Safety
    /// That of [`DlPack::from_raw`].
    pub unsafe fn from_dlpack_unversioned(managed: NonNull<ManagedUnversioned>) -> Result<Tensor> {
        let managed = managed.as_ptr();
        let handle = Handle::made(|out| sys::tg_tensor_from_dlpack_unversioned(managed, out))?;
        Ok(Tensor { handle })
    }
}
