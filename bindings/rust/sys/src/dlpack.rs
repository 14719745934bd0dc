//! The structures of dlpack.h, versions 1.x, and before 1.0, word for word.
use std::os::raw::c_void;

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
