//! Functions with gradients of the user's making.
use std::os::raw::c_void;

use crate::callback::{elements, protected, Bound};
use crate::error::{Error, Result};
use crate::handle::Handle;
use crate::sys;
use crate::tensor::Tensor;

type Forward = dyn Fn(&[Tensor]) -> Result<Tensor>;
type Backward = dyn Fn(&[Tensor], &Tensor, &Tensor) -> Result<Vec<Option<Tensor>>>;
type Both = (Box<Forward>, Box<Backward>);

impl Tensor {
    /// `forward(inputs)`, differentiated by what `backward(inputs, result, gradient)` says: the
    /// gradients of the inputs, `None` for one that has none. For gradients that are cheaper, more
    /// exact or other than the true ones (straight-through estimators, clipping, reversal). Both are
    /// built of tensor functions, so the gradient can be differentiated again. An error or panic in
    /// a closure is that of the call which needs it: this one, `backward` or `gradient`.
    ///
    /// ```no_run
    /// # use tinygrad_cpp::{Result, Tensor};
    /// // Rounds, and lets gradients pass as if it did not.
    /// fn straight_through(x: &Tensor) -> Result<Tensor> {
    ///     Tensor::custom(&[x], |x| x[0].round(), |_, _, dy| Ok(vec![Some(dy.clone())]))
    /// }
    /// ```
    pub fn custom<F, B>(inputs: &[&Tensor], forward: F, backward: B) -> Result<Tensor>
    where
        F: Fn(&[Tensor]) -> Result<Tensor> + 'static,
        B: Fn(&[Tensor], &Tensor, &Tensor) -> Result<Vec<Option<Tensor>>> + 'static,
    {
        let both: Both = (Box::new(forward), Box::new(backward));
        let (user, free) = (Bound::leak(both), Some(Bound::<Both>::free as _));
        let inputs: Vec<_> = inputs.iter().map(|x| x.handle.raw()).collect();
        let (handles, n) = (inputs.as_ptr(), inputs.len());
        let handle = Handle::made(|out| unsafe {
            sys::tg_custom(run_forward, run_backward, user, free, handles, n, out)
        })?;
        Ok(Tensor { handle })
    }
}

unsafe fn tensors(arguments: *const sys::Handle, count: usize) -> Vec<Tensor> {
    let lent = |&raw| Tensor {
        handle: Handle::borrowed(raw),
    };
    elements(arguments, count).iter().map(lent).collect()
}

// Gives results to C, of which as many are wanted.
unsafe fn give(
    results: *mut sys::Handle,
    wanted: usize,
    given: Result<Vec<Option<Tensor>>>,
) -> sys::Status {
    let given = match given {
        Ok(given) => given,
        Err(error) => return error.fail(),
    };
    if given.len() != wanted {
        let problem = format!("{} gradients for {} inputs", given.len(), wanted);
        return Error::Argument(format!("custom: backward gave {problem}.")).fail();
    }
    for (i, tensor) in given.into_iter().enumerate() {
        *results.add(i) = tensor.map_or(std::ptr::null(), |t| t.handle.into_raw());
    }
    sys::OK
}

unsafe extern "C" fn run_forward(
    user: *mut c_void,
    arguments: *const sys::Handle,
    count: usize,
    results: *mut sys::Handle,
    capacity: usize,
) -> sys::Status {
    let run = || {
        let (forward, _) = Bound::<Both>::get(user, "custom")?;
        Ok(vec![Some(forward(&tensors(arguments, count))?)])
    };
    give(results, capacity, protected("custom: forward", run))
}

unsafe extern "C" fn run_backward(
    user: *mut c_void,
    arguments: *const sys::Handle,
    count: usize,
    results: *mut sys::Handle,
    capacity: usize,
) -> sys::Status {
    let run = || {
        let (_, backward) = Bound::<Both>::get(user, "custom")?;
        match tensors(arguments, count).as_slice() {
            [inputs @ .., result, gradient] => backward(inputs, result, gradient),
            _ => Err(Error::Internal("custom: too few arguments.".to_string())),
        }
    };
    give(results, capacity, protected("custom: backward", run))
}
