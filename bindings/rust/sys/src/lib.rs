//! The part of tg.h that the crate `tinygrad_cpp` calls, word for word. Nothing here is safe by itself; that
//! crate is. The functions of tensors are not here: they are called by name (`tg_call`). What each function
//! does is said in tg.h.
#![allow(missing_docs)]
#![allow(clippy::missing_safety_doc)]

pub mod dlpack;

use std::os::raw::{c_char, c_int, c_void};

use dlpack::{Managed, ManagedUnversioned};

pub type Status = c_int;
pub type Handle = *const c_void;
pub type Function = *const c_void;

pub const OK: Status = 0;

pub const NONE: c_int = 0;
pub const BOOL: c_int = 1;
pub const INT: c_int = 2;
pub const FLOAT: c_int = 3;
pub const DTYPE: c_int = 4;
pub const STRING: c_int = 5;
pub const INTS: c_int = 6;
pub const TENSOR: c_int = 7;
pub const TENSORS: c_int = 8;
pub const SIZE: c_int = 9;
pub const SIZES: c_int = 10;
pub const INDEX: c_int = 11;
pub const BYTES: c_int = 12;
pub const LAYER: c_int = 13;
pub const OPTIMIZER: c_int = 14;
pub const CHOICE: c_int = 15;

#[repr(C)]
#[derive(Clone, Copy)]
pub union Payload {
    pub integer: i64,
    pub number: f64,
    pub text: *const c_char,
    pub ints: *const i64,
    pub handle: Handle,
    pub handles: *const Handle,
    pub values: *const Value,
    pub items: *const IndexItem,
    pub bytes: *const u8,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Value {
    pub kind: c_int,
    pub count: usize,
    pub payload: Payload,
}

impl Value {
    pub const NONE: Value = Value {
        kind: NONE,
        count: 0,
        payload: Payload { integer: 0 },
    };
}

pub const INDEX_AT: c_int = 0;
pub const INDEX_SLICE: c_int = 1;
pub const INDEX_ELLIPSIS: c_int = 2;
pub const INDEX_NEW_AXIS: c_int = 3;
pub const INDEX_GATHER: c_int = 4;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct IndexItem {
    pub kind: c_int,
    pub at: Value,
    pub start: Value,
    pub stop: Value,
    pub step: Value,
}

#[repr(C)]
pub struct JitOptions {
    pub struct_size: usize,
    pub alias_outputs: bool,
}

#[repr(C)]
#[derive(Default)]
pub struct JitStats {
    pub struct_size: usize,
    pub captured: bool,
    pub launches: i64,
    pub kernels: i64,
    pub arena_bytes: i64,
}

#[repr(C)]
#[derive(Default)]
pub struct Counters {
    pub struct_size: usize,
    pub kernels: i64,
    pub launches: i64,
    pub ops: i64,
    pub bytes: i64,
    pub seconds: f64,
    pub memory_in_use: i64,
    pub peak_memory: i64,
}

pub type FreeCallback = unsafe extern "C" fn(user: *mut c_void);
pub type JitBody = unsafe extern "C" fn(
    user: *mut c_void,
    arguments: *const Value,
    count: usize,
    results: *mut Value,
    capacity: usize,
    result_count: *mut usize,
) -> Status;
pub type CustomBody = unsafe extern "C" fn(
    user: *mut c_void,
    arguments: *const Handle,
    count: usize,
    results: *mut Handle,
    capacity: usize,
) -> Status;
pub type LogCallback = unsafe extern "C" fn(user: *mut c_void, line: *const c_char);

#[link(name = "tinygrad")]
extern "C" {
    pub fn tg_abi_version() -> u32;
    pub fn tg_version() -> *const c_char;
    pub fn tg_error_message() -> *const c_char;
    pub fn tg_fail(status: Status, message: *const c_char) -> Status;
    pub fn tg_retain(handle: Handle) -> Status;
    pub fn tg_release(handle: Handle) -> Status;
    pub fn tg_live_handles() -> i64;
    pub fn tg_value_clear(value: *mut Value) -> Status;
    pub fn tg_find_function(name: *const c_char, function: *mut Function) -> Status;
    pub fn tg_call(
        f: Function,
        arguments: *const Value,
        count: usize,
        result: *mut Value,
    ) -> Status;

    pub fn tg_tensor_from_data(
        data: *const c_void,
        bytes: usize,
        dtype: c_int,
        shape: *const i64,
        ndim: usize,
        device: *const c_char,
        result: *mut Handle,
    ) -> Status;
    pub fn tg_tensor_wrap(
        data: *mut c_void,
        bytes: usize,
        dtype: c_int,
        shape: *const i64,
        ndim: usize,
        release: Option<FreeCallback>,
        user: *mut c_void,
        result: *mut Handle,
    ) -> Status;
    pub fn tg_tensor_host_pointer(tensor: Handle, data: *mut *mut c_void) -> Status;
    pub fn tg_tensor_alias(tensor: Handle, result: *mut Handle) -> Status;
    pub fn tg_tensor_to_dlpack(tensor: Handle, result: *mut *mut Managed) -> Status;
    pub fn tg_tensor_from_dlpack(managed: *mut Managed, result: *mut Handle) -> Status;
    pub fn tg_tensor_from_dlpack_unversioned(
        managed: *mut ManagedUnversioned,
        result: *mut Handle,
    ) -> Status;
    pub fn tg_tensor_read(tensor: Handle, out: *mut c_void, bytes: usize) -> Status;
    pub fn tg_tensor_replace(tensor: Handle, value: Handle) -> Status;
    pub fn tg_tensor_same(a: Handle, b: Handle, same: *mut bool) -> Status;

    pub fn tg_variable(
        name: *const c_char,
        min: i64,
        max: i64,
        value: i64,
        result: *mut Handle,
    ) -> Status;
    pub fn tg_size_compute(op: c_char, a: Value, b: Value, result: *mut Value) -> Status;
    pub fn tg_size_value(size: Handle, value: *mut i64, min: *mut i64, max: *mut i64) -> Status;
    pub fn tg_size_text(size: Handle, result: *mut Value) -> Status;

    pub fn tg_jit_create(
        body: JitBody,
        user: *mut c_void,
        release: Option<FreeCallback>,
        options: *const JitOptions,
        result: *mut Handle,
    ) -> Status;
    pub fn tg_jit_call(
        jit: Handle,
        arguments: *const Value,
        count: usize,
        results: *mut Handle,
        capacity: usize,
        result_count: *mut usize,
    ) -> Status;
    pub fn tg_jit_reset(jit: Handle) -> Status;
    pub fn tg_jit_get_stats(jit: Handle, stats: *mut JitStats) -> Status;

    pub fn tg_custom(
        forward: CustomBody,
        backward: CustomBody,
        user: *mut c_void,
        release: Option<FreeCallback>,
        inputs: *const Handle,
        count: usize,
        result: *mut Handle,
    ) -> Status;
    pub fn tg_set_training(training: bool, before: *mut bool) -> Status;
    pub fn tg_set_grad_enabled(enabled: bool, before: *mut bool) -> Status;

    pub fn tg_layer_call(layer: Handle, x: Handle, result: *mut Handle) -> Status;
    pub fn tg_layer_apply(
        layer: Handle,
        inputs: *const Handle,
        count: usize,
        results: *mut Handle,
        capacity: usize,
        result_count: *mut usize,
    ) -> Status;
    pub fn tg_layer_get_state(layer: Handle, result: *mut Handle) -> Status;
    pub fn tg_optimizer_step(optimizer: Handle, loss: Handle) -> Status;
    pub fn tg_optimizer_step_together(
        optimizers: *const Handle,
        count: usize,
        loss: Handle,
    ) -> Status;
    pub fn tg_optimizer_zero_grad(optimizer: Handle) -> Status;
    pub fn tg_optimizer_lr(optimizer: Handle, rate: *mut f64) -> Status;
    pub fn tg_optimizer_set_lr(optimizer: Handle, rate: f64) -> Status;
    pub fn tg_optimizer_get_state(optimizer: Handle, result: *mut Handle) -> Status;

    pub fn tg_state_create(result: *mut Handle) -> Status;
    pub fn tg_state_set(state: Handle, name: *const c_char, tensor: Handle) -> Status;
    pub fn tg_state_get(state: Handle, name: *const c_char, result: *mut Handle) -> Status;
    pub fn tg_state_merge(state: Handle, prefix: *const c_char, from: Handle) -> Status;
    pub fn tg_state_count(state: Handle, count: *mut usize) -> Status;
    pub fn tg_state_at(state: Handle, i: usize, name: *mut Value, tensor: *mut Handle) -> Status;
    pub fn tg_state_save(state: Handle, path: *const c_char) -> Status;
    pub fn tg_state_load(path: *const c_char, device: *const c_char, result: *mut Handle)
        -> Status;
    pub fn tg_state_assign(into: Handle, from: Handle) -> Status;

    pub fn tg_dataset_mnist(device: *const c_char, result: *mut Handle, name: *mut Value)
        -> Status;

    pub fn tg_device_at(
        i: usize,
        name: *mut Value,
        usable: *mut bool,
        reason: *mut Value,
    ) -> Status;
    pub fn tg_default_device(name: *mut Value) -> Status;
    pub fn tg_load_backend(path: *const c_char, name: *mut Value) -> Status;
    pub fn tg_synchronize(device: *const c_char) -> Status;
    pub fn tg_set_option(name: *const c_char, value: *const c_char) -> Status;
    pub fn tg_get_option(name: *const c_char, value: *mut Value) -> Status;
    pub fn tg_set_log(
        callback: Option<LogCallback>,
        user: *mut c_void,
        release: Option<FreeCallback>,
    ) -> Status;
    pub fn tg_manual_seed(seed: u64) -> Status;
    pub fn tg_read_counters(counters: *mut Counters) -> Status;
    pub fn tg_reset_counters() -> Status;
    pub fn tg_kept_schedules(count: *mut i64) -> Status;
    pub fn tg_clear_caches() -> Status;
}

/// The part of tg_models.h that the crate calls.
#[cfg(feature = "models")]
extern "C" {
    pub fn tg_onnx_load(path: *const c_char, device: *const c_char, result: *mut Handle) -> Status;
    pub fn tg_onnx_parse(
        bytes: *const c_void,
        count: usize,
        folder: *const c_char,
        device: *const c_char,
        result: *mut Handle,
    ) -> Status;
    pub fn tg_onnx_describe(model: Handle, result: *mut Value) -> Status;
    pub fn tg_onnx_call(model: Handle, inputs: Handle, result: *mut Handle) -> Status;
    pub fn tg_onnx_get_parameters(model: Handle, result: *mut Handle) -> Status;
    pub fn tg_onnx_set_parameters(model: Handle, parameters: Handle) -> Status;
}
