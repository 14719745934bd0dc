//! Captured functions: a closure whose calls are recorded once and then replayed.
use std::os::raw::c_void;

use crate::callback::{elements, protected, Bound};
use crate::error::{check, Error, Result};
use crate::handle::Handle;
use crate::size::{Expression, Size};
use crate::sys::{self, Value};
use crate::tensor::Tensor;
use crate::value::{Argument, Arguments, Outcome};

/// An argument of a captured function.
#[derive(Clone)]
pub enum Input {
    /// A tensor.
    Tensor(Tensor),
    /// A whole number or an expression of variables.
    Size(Size),
    /// A number.
    Float(f64),
    /// A truth value.
    Bool(bool),
}

impl Input {
    /// The tensor; `Error::Argument` if it is something else.
    pub fn tensor(&self) -> Result<&Tensor> {
        match self {
            Input::Tensor(tensor) => Ok(tensor),
            _ => Err(Error::Argument("jit: the input is no tensor.".to_string())),
        }
    }

    fn from_value(value: &Value) -> Result<Input> {
        match value.kind {
            sys::TENSOR => Tensor::from_value(value).map(Input::Tensor),
            sys::FLOAT => f64::from_value(value).map(Input::Float),
            sys::BOOL => bool::from_value(value).map(Input::Bool),
            _ => Size::from_value(value).map(Input::Size),
        }
    }
}

impl From<&Tensor> for Input {
    fn from(tensor: &Tensor) -> Input {
        Input::Tensor(tensor.clone())
    }
}

impl From<i64> for Input {
    fn from(number: i64) -> Input {
        Input::Size(Size::Int(number))
    }
}

impl From<Expression> for Input {
    fn from(size: Expression) -> Input {
        Input::Size(Size::Symbolic(size))
    }
}

impl<'a> Argument<'a> for &'a Input {
    fn value(self, arguments: &mut Arguments<'a>) -> Value {
        match self {
            Input::Tensor(t) => t.value(arguments),
            Input::Size(s) => s.value(arguments),
            Input::Float(f) => f.value(arguments),
            Input::Bool(b) => b.value(arguments),
        }
    }
}

type Body = Box<dyn Fn(&[Input]) -> Result<Vec<Tensor>>>;

// The most results that a captured function has here.
const CAPACITY: usize = 64;

/// A captured function.
pub struct Jit {
    handle: Handle,
}

/// What was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JitStats {
    /// Whether anything was.
    pub captured: bool,
    /// Launches of a replay.
    pub launches: i64,
    /// Kernels that these run.
    pub kernels: i64,
    /// Memory for what lies between the kernels, in bytes.
    pub arena_bytes: i64,
}

impl Jit {
    /// The first call runs `body`, the second records it, later ones replay. A panic in it becomes
    /// `Error::Callback`. At most 64 results.
    pub fn new<F>(body: F) -> Result<Jit>
    where
        F: Fn(&[Input]) -> Result<Vec<Tensor>> + 'static,
    {
        Jit::with(Box::new(body), false)
    }

    /// The same, but the results of every call are the same tensors, written again: no memory is
    /// allocated for them, and what an earlier call gave changes.
    pub fn aliasing<F>(body: F) -> Result<Jit>
    where
        F: Fn(&[Input]) -> Result<Vec<Tensor>> + 'static,
    {
        Jit::with(Box::new(body), true)
    }

    fn with(body: Body, alias_outputs: bool) -> Result<Jit> {
        let (user, free) = (Bound::leak(body), Some(Bound::<Body>::free as _));
        let options = sys::JitOptions {
            struct_size: std::mem::size_of::<sys::JitOptions>(),
            alias_outputs,
        };
        let make = |out| unsafe { sys::tg_jit_create(run_body, user, free, &options, out) };
        Handle::made(make).map(|handle| Jit { handle })
    }

    /// Calls it.
    pub fn call(&self, inputs: &[Input]) -> Result<Vec<Tensor>> {
        let mut arguments = Arguments::new();
        let values: Vec<_> = inputs
            .iter()
            .map(|input| input.value(&mut arguments))
            .collect();
        let mut results = [std::ptr::null(); CAPACITY];
        let mut count = 0;
        check(unsafe {
            let (values, n) = (values.as_ptr(), values.len());
            let out = results.as_mut_ptr();
            sys::tg_jit_call(self.handle.raw(), values, n, out, CAPACITY, &mut count)
        })?;
        let owned = |&raw| Tensor {
            handle: Handle::owned(raw),
        };
        Ok(results[..count.min(CAPACITY)].iter().map(owned).collect())
    }

    /// Forgets what was recorded.
    pub fn reset(&self) -> Result<()> {
        check(unsafe { sys::tg_jit_reset(self.handle.raw()) })
    }

    /// What was recorded.
    pub fn stats(&self) -> Result<JitStats> {
        let size = std::mem::size_of::<sys::JitStats>();
        let mut stats = sys::JitStats {
            struct_size: size,
            ..Default::default()
        };
        check(unsafe { sys::tg_jit_get_stats(self.handle.raw(), &mut stats) })?;
        let sys::JitStats {
            captured,
            launches,
            kernels,
            arena_bytes,
            ..
        } = stats;
        Ok(JitStats {
            captured,
            launches,
            kernels,
            arena_bytes,
        })
    }
}

unsafe extern "C" fn run_body(
    user: *mut c_void,
    arguments: *const Value,
    count: usize,
    results: *mut Value,
    capacity: usize,
    result_count: *mut usize,
) -> sys::Status {
    let run = || {
        let body = Bound::<Body>::get(user, "jit")?;
        let inputs = elements(arguments, count).iter().map(Input::from_value);
        body(&inputs.collect::<Result<Vec<_>>>()?)
    };
    let tensors = match protected("jit: the body", run) {
        Ok(tensors) => tensors,
        Err(error) => return error.fail(),
    };
    if tensors.len() > capacity {
        let problem = format!("jit: {} results, at most {} fit.", tensors.len(), capacity);
        return Error::Argument(problem).fail();
    }
    *result_count = tensors.len();
    for (i, tensor) in tensors.into_iter().enumerate() {
        let handle = tensor.handle.into_raw();
        *results.add(i) = Value {
            kind: sys::TENSOR,
            count: 0,
            payload: sys::Payload { handle },
        };
    }
    sys::OK
}
