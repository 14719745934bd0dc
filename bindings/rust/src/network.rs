//! Layers, optimisers, and tensors by name. Those there are to make: `nn` in ops.rs.
use crate::error::{c_text, check, Result};
use crate::handle::Handle;
use crate::sys;
use crate::tensor::Tensor;
use crate::value::{Outcome, Owned};

// More than any layer gives.
const MOST_RESULTS: usize = 8;

/// A layer of a network.
#[derive(Clone)]
pub struct Layer {
    pub(crate) handle: Handle,
}

impl Layer {
    /// The layer applied to x.
    pub fn call(&self, x: &Tensor) -> Result<Tensor> {
        let (layer, x) = (self.handle.raw(), x.handle.raw());
        let handle = Handle::made(|out| unsafe { sys::tg_layer_call(layer, x, out) })?;
        Ok(Tensor { handle })
    }

    /// The same for layers that take or give several tensors: `nn::lstm_cell` takes x, or x, output
    /// and cell of the step before, and gives the next output and cell.
    pub fn apply(&self, inputs: &[&Tensor]) -> Result<Vec<Tensor>> {
        let inputs: Vec<_> = inputs.iter().map(|x| x.handle.raw()).collect();
        let (layer, handles, n) = (self.handle.raw(), inputs.as_ptr(), inputs.len());
        let (mut results, mut count) = ([std::ptr::null(); MOST_RESULTS], 0);
        let out = results.as_mut_ptr();
        check(unsafe { sys::tg_layer_apply(layer, handles, n, out, MOST_RESULTS, &mut count) })?;
        let owned = |&raw| Tensor {
            handle: Handle::owned(raw),
        };
        Ok(results[..count].iter().map(owned).collect())
    }

    /// Its tensors by name; they are its own, not copies.
    pub fn state(&self) -> Result<State> {
        let layer = self.handle.raw();
        let handle = Handle::made(|out| unsafe { sys::tg_layer_get_state(layer, out) })?;
        Ok(State { handle })
    }
}

/// An optimiser.
#[derive(Clone)]
pub struct Optimizer {
    pub(crate) handle: Handle,
}

impl Optimizer {
    /// A whole step: gradients of `loss`, update of the parameters, everything computed.
    pub fn step(&self, loss: &Tensor) -> Result<()> {
        check(unsafe { sys::tg_optimizer_step(self.handle.raw(), loss.handle.raw()) })
    }

    /// A step of several optimisers with parameters of their own, as one.
    pub fn step_together(optimizers: &[&Optimizer], loss: &Tensor) -> Result<()> {
        let all: Vec<_> = optimizers.iter().map(|o| o.handle.raw()).collect();
        let (handles, n) = (all.as_ptr(), all.len());
        check(unsafe { sys::tg_optimizer_step_together(handles, n, loss.handle.raw()) })
    }

    /// A step from the gradients that `backward` left.
    pub fn step_from_gradients(&self) -> Result<()> {
        check(unsafe { sys::tg_optimizer_step(self.handle.raw(), std::ptr::null()) })
    }

    /// Forgets the gradients of the parameters.
    pub fn zero_grad(&self) -> Result<()> {
        check(unsafe { sys::tg_optimizer_zero_grad(self.handle.raw()) })
    }

    /// The learning rate of the next step.
    pub fn lr(&self) -> Result<f64> {
        let mut rate = 0.0;
        check(unsafe { sys::tg_optimizer_lr(self.handle.raw(), &mut rate) })?;
        Ok(rate)
    }

    /// Sets it.
    pub fn set_lr(&self, rate: f64) -> Result<()> {
        check(unsafe { sys::tg_optimizer_set_lr(self.handle.raw(), rate) })
    }

    /// What it keeps between steps, by name; its own tensors, not copies.
    pub fn state(&self) -> Result<State> {
        let optimizer = self.handle.raw();
        let handle = Handle::made(|out| unsafe { sys::tg_optimizer_get_state(optimizer, out) })?;
        Ok(State { handle })
    }
}

/// Tensors by name.
#[derive(Clone)]
pub struct State {
    pub(crate) handle: Handle,
}

impl State {
    /// No tensors.
    pub fn new() -> Result<State> {
        let handle = Handle::made(|out| unsafe { sys::tg_state_create(out) })?;
        Ok(State { handle })
    }

    /// Reads a file of tensors, by its content: safetensors, PyTorch, GGUF, .npz (docs/files.md). The
    /// tensors come onto the default device.
    pub fn load(path: &str) -> Result<State> {
        State::load_on(path, "")
    }

    /// The same, onto a device.
    pub fn load_on(path: &str, device: &str) -> Result<State> {
        let (path, device) = (c_text(path)?, c_text(device)?);
        let (path, device) = (path.as_ptr(), device.as_ptr());
        let handle = Handle::made(|out| unsafe { sys::tg_state_load(path, device, out) })?;
        Ok(State { handle })
    }

    /// Hand-written digits as uint8: "train.images" [count, 28, 28], "train.labels" [count],
    /// "test.images", "test.labels", on the default device. From the usual places and the net, else
    /// drawn by the library; the text says which.
    pub fn mnist() -> Result<(State, String)> {
        let (mut raw, device) = (std::ptr::null(), std::ptr::null());
        let name = Owned::filled(|out| unsafe { sys::tg_dataset_mnist(device, &mut raw, out) })?;
        let handle = Handle::owned(raw);
        Ok((State { handle }, String::from_value(&name.0)?))
    }

    /// Writes a safetensors file.
    pub fn save(&self, path: &str) -> Result<()> {
        let path = c_text(path)?;
        check(unsafe { sys::tg_state_save(self.handle.raw(), path.as_ptr()) })
    }

    /// Adds a tensor, or replaces that of this name.
    pub fn set(&self, name: &str, tensor: &Tensor) -> Result<()> {
        let name = c_text(name)?;
        check(unsafe { sys::tg_state_set(self.handle.raw(), name.as_ptr(), tensor.handle.raw()) })
    }

    /// The tensor of this name; `Error::Argument` if there is none.
    pub fn get(&self, name: &str) -> Result<Tensor> {
        let (state, name) = (self.handle.raw(), c_text(name)?);
        let handle = Handle::made(|out| unsafe { sys::tg_state_get(state, name.as_ptr(), out) })?;
        Ok(Tensor { handle })
    }

    /// Adds all of `from`, with `prefix` before their names.
    pub fn merge(&self, prefix: &str, from: &State) -> Result<()> {
        let prefix = c_text(prefix)?;
        let (into, from) = (self.handle.raw(), from.handle.raw());
        check(unsafe { sys::tg_state_merge(into, prefix.as_ptr(), from) })
    }

    /// Assigns the values of `from` to the tensors here and computes them; all or nothing.
    pub fn assign(&self, from: &State) -> Result<()> {
        check(unsafe { sys::tg_state_assign(self.handle.raw(), from.handle.raw()) })
    }

    /// Names and tensors, in alphabetical order.
    pub fn entries(&self) -> Result<Vec<(String, Tensor)>> {
        let state = self.handle.raw();
        let mut count = 0;
        check(unsafe { sys::tg_state_count(state, &mut count) })?;
        (0..count).map(|i| self.entry(i)).collect()
    }

    fn entry(&self, i: usize) -> Result<(String, Tensor)> {
        let mut raw = std::ptr::null();
        let name =
            Owned::filled(|out| unsafe { sys::tg_state_at(self.handle.raw(), i, out, &mut raw) })?;
        Ok((
            String::from_value(&name.0)?,
            Tensor {
                handle: Handle::owned(raw),
            },
        ))
    }
}
