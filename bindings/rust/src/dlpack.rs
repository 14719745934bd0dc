//! DLPack: tensors that pass between libraries without a copy. The structures are those of dlpack.h,
//! versions 1.x, and before 1.0.
use std::os::raw::c_void;
use std::ptr::NonNull;

use crate::callback::elements;
use crate::error::{check, Result};
use crate::handle::Handle;
use crate::sys;
use crate::tensor::Tensor;

/// `DLPackVersion`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version {
    /// Structures of another one cannot be read.
    pub major: u32,
    /// Grows with additions.
    pub minor: u32,
}

/// `DLDevice`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Device {
    /// 1 is the host.
    pub device_type: i32,
    /// Which of them.
    pub device_id: i32,
}

/// `DLDataType`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataType {
    /// 0 integer, 1 without sign, 2 float, 4 bfloat, 6 bool.
    pub code: u8,
    /// Of a lane.
    pub bits: u8,
    /// 1, unless elements are vectors.
    pub lanes: u16,
}

/// `DLTensor`.
#[repr(C)]
#[derive(Debug)]
pub struct View {
    /// Where the memory begins.
    pub data: *mut c_void,
    /// Whose memory it is.
    pub device: Device,
    /// The number of axes.
    pub ndim: i32,
    /// Of the elements.
    pub dtype: DataType,
    /// `ndim` sizes.
    pub shape: *mut i64,
    /// `ndim` distances in elements; null: row-major.
    pub strides: *mut i64,
    /// From `data` to the first element.
    pub byte_offset: u64,
}

/// `DLManagedTensorVersioned`.
#[repr(C)]
#[derive(Debug)]
pub struct Managed {
    /// Of these structures.
    pub version: Version,
    /// The producer's.
    pub manager_ctx: *mut c_void,
    /// Gives the tensor back.
    pub deleter: Option<unsafe extern "C" fn(*mut Managed)>,
    /// Bit 0: read-only. Bit 1: a copy was made.
    pub flags: u64,
    /// What is passed.
    pub dl_tensor: View,
}

/// `DLManagedTensor`, of producers before version 1.0.
#[repr(C)]
#[derive(Debug)]
pub struct ManagedUnversioned {
    /// What is passed.
    pub dl_tensor: View,
    /// The producer's.
    pub manager_ctx: *mut c_void,
    /// Gives the tensor back.
    pub deleter: Option<unsafe extern "C" fn(*mut ManagedUnversioned)>,
}

/// A tensor on its way: whoever has it owns it, and gives it back when it goes.
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
