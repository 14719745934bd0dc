//! ONNX models as functions of tensors by name: with the feature `models`, which links libtinygrad_models.
use std::os::raw::c_void;
use std::ptr;

use crate::error::{c_text, check, Result};
use crate::handle::Handle;
use crate::network::State;
use crate::sys;
use crate::value::{Outcome, Owned};

/// A model of an .onnx file.
///
/// ```no_run
/// # fn main() -> tinygrad_cpp::Result<()> {
/// # let picture = tinygrad_cpp::Tensor::from_slice(&[0f32], &[1])?;
/// let model = tinygrad_cpp::OnnxModel::load("digits.onnx")?;
/// let inputs = tinygrad_cpp::State::new()?;
/// inputs.set("picture", &picture)?;
/// println!("{}", model.call(&inputs)?.get("digit")?.str()?);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct OnnxModel {
    handle: Handle,
}

impl OnnxModel {
    /// Reads an .onnx file, with the external data that lies beside it, onto the default device.
    pub fn load(path: &str) -> Result<OnnxModel> {
        OnnxModel::load_on(path, "")
    }

    /// The same, onto a device.
    pub fn load_on(path: &str, device: &str) -> Result<OnnxModel> {
        let (path, device) = (c_text(path)?, c_text(device)?);
        let (path, device) = (path.as_ptr(), device.as_ptr());
        let handle = Handle::made(|out| unsafe { sys::tg_onnx_load(path, device, out) })?;
        Ok(OnnxModel { handle })
    }

    /// A model of the bytes of a file without external data.
    pub fn parse(bytes: &[u8]) -> Result<OnnxModel> {
        let (data, count) = (bytes.as_ptr() as *const c_void, bytes.len());
        let handle = Handle::made(|out| unsafe {
            sys::tg_onnx_parse(data, count, ptr::null(), ptr::null(), out)
        })?;
        Ok(OnnxModel { handle })
    }

    /// Its inputs, outputs and operators, as the text of a JSON object (tg_models.h says which).
    pub fn describe(&self) -> Result<String> {
        let model = self.handle.raw();
        let text = Owned::filled(|out| unsafe { sys::tg_onnx_describe(model, out) })?;
        String::from_value(&text.0)
    }

    /// The outputs by name, lazily; of a sequence the items, "name.0", "name.1", ....
    pub fn call(&self, inputs: &State) -> Result<State> {
        let (model, inputs) = (self.handle.raw(), inputs.handle.raw());
        let handle = Handle::made(|out| unsafe { sys::tg_onnx_call(model, inputs, out) })?;
        Ok(State { handle })
    }

    /// Its weights by name; they are its own tensors, not copies.
    pub fn parameters(&self) -> Result<State> {
        let model = self.handle.raw();
        let handle = Handle::made(|out| unsafe { sys::tg_onnx_get_parameters(model, out) })?;
        Ok(State { handle })
    }

    /// Replaces weights by tensors of their shape and dtype, which may be on another device; all or
    /// nothing.
    pub fn set_parameters(&self, parameters: &State) -> Result<()> {
        let (model, from) = (self.handle.raw(), parameters.handle.raw());
        check(unsafe { sys::tg_onnx_set_parameters(model, from) })
    }
}
