//! How a call travels: its arguments become tagged values that borrow from the caller, the record
//! of the function's name is called with them, and its result becomes what Rust says. ops.rs, which
//! is generated, consists of such calls.
use std::any::Any;
use std::ffi::CStr;
use std::os::raw::{c_char, c_int};
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::callback;
use crate::error::{check, Error, Result};
use crate::handle::Handle;
use crate::network::{Layer, Optimizer};
use crate::ops::DType;
use crate::size::{Size, Sizes};
use crate::sys::{self, Payload, Value};
use crate::tensor::{Index, Operand, Tensor};

/// A function of the manifest by its name, which ends with a 0 byte; looked up at its first call.
pub(crate) struct Function {
    name: &'static str,
    found: AtomicPtr<std::os::raw::c_void>,
}

impl Function {
    pub(crate) const fn new(name: &'static str) -> Function {
        Function {
            name,
            found: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    fn record(&self) -> Result<sys::Function> {
        let known = self.found.load(Ordering::Acquire);
        if !known.is_null() {
            return Ok(known);
        }
        let mut record = std::ptr::null();
        check(unsafe { sys::tg_find_function(self.name.as_ptr() as *const c_char, &mut record) })?;
        self.found.store(record as *mut _, Ordering::Release);
        Ok(record)
    }

    pub(crate) fn call<R: Outcome>(&self, arguments: Arguments<'_>) -> Result<R> {
        if let Some(problem) = arguments.problem {
            return Err(problem);
        }
        let record = self.record()?;
        let values = arguments.values.as_slice();
        let mut result = Owned(Value::NONE);
        check(unsafe { sys::tg_call(record, values.as_ptr(), values.len(), &mut result.0) })?;
        R::from_value(&result.0)
    }
}

// A result, which owns what it holds.
pub(crate) struct Owned(pub(crate) Value);

impl Owned {
    pub(crate) fn filled(fill: impl FnOnce(*mut Value) -> sys::Status) -> Result<Owned> {
        let mut value = Owned(Value::NONE);
        check(fill(&mut value.0))?;
        Ok(value)
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        unsafe { sys::tg_value_clear(&mut self.0) };
    }
}

/// The arguments of a call, in order. They borrow from the caller ('a); what had to be made for C
/// is kept here.
pub(crate) struct Arguments<'a> {
    values: Vec<Value>,
    // Memory made for a call; it stays where it is while the list grows.
    kept: Vec<Box<dyn Any>>,
    problem: Option<Error>,
    borrowed: std::marker::PhantomData<&'a ()>,
}

pub(crate) fn value(kind: c_int, count: usize, payload: Payload) -> Value {
    Value {
        kind,
        count,
        payload,
    }
}

impl<'a> Arguments<'a> {
    pub(crate) fn new() -> Arguments<'a> {
        Arguments {
            values: vec![],
            kept: vec![],
            problem: None,
            borrowed: Default::default(),
        }
    }

    pub(crate) fn add<T: Argument<'a>>(mut self, argument: T) -> Arguments<'a> {
        let v = argument.value(&mut self);
        self.values.push(v);
        self
    }

    fn keep_text(&mut self, text: &str) -> Value {
        match crate::error::c_text(text) {
            Ok(text) => {
                let pointer = text.as_ptr();
                self.kept.push(Box::new(text));
                value(sys::STRING, 0, Payload { text: pointer })
            }
            Err(problem) => {
                self.problem = Some(problem);
                Value::NONE
            }
        }
    }
}

/// What can be an argument. `Option`s are those with defaults.
pub(crate) trait Argument<'a> {
    fn value(self, arguments: &mut Arguments<'a>) -> Value;
}

impl<'a, T: Argument<'a>> Argument<'a> for Option<T> {
    fn value(self, arguments: &mut Arguments<'a>) -> Value {
        self.map_or(Value::NONE, |argument| argument.value(arguments))
    }
}

impl<'a> Argument<'a> for bool {
    fn value(self, _: &mut Arguments<'a>) -> Value {
        value(
            sys::BOOL,
            0,
            Payload {
                integer: self.into(),
            },
        )
    }
}

impl<'a> Argument<'a> for i64 {
    fn value(self, _: &mut Arguments<'a>) -> Value {
        value(sys::INT, 0, Payload { integer: self })
    }
}

impl<'a> Argument<'a> for f64 {
    fn value(self, _: &mut Arguments<'a>) -> Value {
        value(sys::FLOAT, 0, Payload { number: self })
    }
}

impl<'a> Argument<'a> for DType {
    fn value(self, _: &mut Arguments<'a>) -> Value {
        value(
            sys::DTYPE,
            0,
            Payload {
                integer: self as i64,
            },
        )
    }
}

impl<'a> Argument<'a> for &str {
    fn value(self, arguments: &mut Arguments<'a>) -> Value {
        arguments.keep_text(self)
    }
}

impl<'a> Argument<'a> for &'a [i64] {
    fn value(self, _: &mut Arguments<'a>) -> Value {
        value(
            sys::INTS,
            self.len(),
            Payload {
                ints: self.as_ptr(),
            },
        )
    }
}

impl<'a> Argument<'a> for &'a [u8] {
    fn value(self, _: &mut Arguments<'a>) -> Value {
        value(
            sys::BYTES,
            self.len(),
            Payload {
                bytes: self.as_ptr(),
            },
        )
    }
}

impl<'a> Argument<'a> for &'a Tensor {
    fn value(self, _: &mut Arguments<'a>) -> Value {
        value(
            sys::TENSOR,
            0,
            Payload {
                handle: self.handle.raw(),
            },
        )
    }
}

impl<'a> Argument<'a> for &'a [&'a Tensor] {
    fn value(self, arguments: &mut Arguments<'a>) -> Value {
        let handles: Vec<_> = self.iter().map(|t| t.handle.raw()).collect();
        let v = value(
            sys::TENSORS,
            handles.len(),
            Payload {
                handles: handles.as_ptr(),
            },
        );
        arguments.kept.push(Box::new(handles));
        v
    }
}

impl<'a> Argument<'a> for Operand<'a> {
    fn value(self, arguments: &mut Arguments<'a>) -> Value {
        match self {
            Operand::Tensor(t) => t.value(arguments),
            Operand::Int(i) => i.value(arguments),
            Operand::Float(f) => f.value(arguments),
            Operand::Bool(b) => b.value(arguments),
        }
    }
}

impl<'a> Argument<'a> for &'a Size {
    fn value(self, arguments: &mut Arguments<'a>) -> Value {
        match self {
            Size::Int(i) => i.value(arguments),
            Size::Symbolic(s) => value(
                sys::SIZE,
                0,
                Payload {
                    handle: s.handle.raw(),
                },
            ),
        }
    }
}

impl<'a> Argument<'a> for Sizes<'a> {
    fn value(self, arguments: &mut Arguments<'a>) -> Value {
        let sizes = match self {
            Sizes::Ints(ints) => return ints.value(arguments),
            Sizes::Mixed(sizes) => sizes,
        };
        let values: Vec<_> = sizes.iter().map(|s| s.value(arguments)).collect();
        let v = value(
            sys::SIZES,
            values.len(),
            Payload {
                values: values.as_ptr(),
            },
        );
        arguments.kept.push(Box::new(values));
        v
    }
}

fn index_item<'a>(index: &Index<'a>, arguments: &mut Arguments<'a>) -> sys::IndexItem {
    let none = Value::NONE;
    let mut item = sys::IndexItem {
        kind: sys::INDEX_AT,
        at: none,
        start: none,
        stop: none,
        step: none,
    };
    match *index {
        Index::At(i) => item.at = i.value(arguments),
        Index::AtSize(size) => item.at = size.value(arguments),
        Index::Slice(start, stop, step) => {
            item.kind = sys::INDEX_SLICE;
            item.start = start.value(arguments);
            item.stop = stop.value(arguments);
            item.step = step.value(arguments);
        }
        Index::SizeSlice(start, stop) => {
            item.kind = sys::INDEX_SLICE;
            item.start = start.value(arguments);
            item.stop = stop.value(arguments);
        }
        Index::Ellipsis => item.kind = sys::INDEX_ELLIPSIS,
        Index::NewAxis => item.kind = sys::INDEX_NEW_AXIS,
        Index::Gather(t) => {
            item.kind = sys::INDEX_GATHER;
            item.at = t.value(arguments);
        }
    }
    item
}

impl<'a> Argument<'a> for &'a [Index<'a>] {
    fn value(self, arguments: &mut Arguments<'a>) -> Value {
        let items: Vec<_> = self.iter().map(|i| index_item(i, arguments)).collect();
        let v = value(
            sys::INDEX,
            items.len(),
            Payload {
                items: items.as_ptr(),
            },
        );
        arguments.kept.push(Box::new(items));
        v
    }
}

/// A value of one of the enumerations in ops.rs.
pub(crate) struct Choice(pub(crate) i64);

impl<'a> Argument<'a> for Choice {
    fn value(self, _: &mut Arguments<'a>) -> Value {
        value(sys::CHOICE, 0, Payload { integer: self.0 })
    }
}

/// What can be a result.
pub(crate) trait Outcome: Sized {
    fn from_value(value: &Value) -> Result<Self>;
}

// The elements of an array, which may be empty and then null.
unsafe fn elements<T>(pointer: *const T, value: &Value) -> &[T] {
    callback::elements(pointer, value.count)
}

fn expect(value: &Value, kind: c_int) -> Result<()> {
    if value.kind == kind {
        return Ok(());
    }
    Err(Error::Internal(format!(
        "result: kind {} instead of {}.",
        value.kind, kind
    )))
}

impl Outcome for () {
    fn from_value(_: &Value) -> Result<()> {
        Ok(())
    }
}

impl Outcome for bool {
    fn from_value(v: &Value) -> Result<bool> {
        expect(v, sys::BOOL).map(|()| unsafe { v.payload.integer } != 0)
    }
}

impl Outcome for i64 {
    fn from_value(v: &Value) -> Result<i64> {
        expect(v, sys::INT).map(|()| unsafe { v.payload.integer })
    }
}

impl Outcome for f64 {
    fn from_value(v: &Value) -> Result<f64> {
        expect(v, sys::FLOAT).map(|()| unsafe { v.payload.number })
    }
}

impl Outcome for DType {
    fn from_value(v: &Value) -> Result<DType> {
        expect(v, sys::DTYPE)?;
        DType::from_value(unsafe { v.payload.integer })
    }
}

impl Outcome for String {
    fn from_value(v: &Value) -> Result<String> {
        expect(v, sys::STRING)?;
        Ok(unsafe { CStr::from_ptr(v.payload.text) }
            .to_string_lossy()
            .into_owned())
    }
}

impl Outcome for Vec<u8> {
    fn from_value(v: &Value) -> Result<Vec<u8>> {
        expect(v, sys::BYTES).map(|()| unsafe { elements(v.payload.bytes, v) }.to_vec())
    }
}

impl Outcome for Vec<i64> {
    fn from_value(v: &Value) -> Result<Vec<i64>> {
        expect(v, sys::INTS).map(|()| unsafe { elements(v.payload.ints, v) }.to_vec())
    }
}

impl Outcome for Tensor {
    fn from_value(v: &Value) -> Result<Tensor> {
        expect(v, sys::TENSOR)?;
        Ok(Tensor {
            handle: Handle::borrowed(unsafe { v.payload.handle }),
        })
    }
}

impl Outcome for Vec<Tensor> {
    fn from_value(v: &Value) -> Result<Vec<Tensor>> {
        expect(v, sys::TENSORS)?;
        let handles = unsafe { elements(v.payload.handles, v) };
        Ok(handles
            .iter()
            .map(|&raw| Tensor {
                handle: Handle::borrowed(raw),
            })
            .collect())
    }
}

impl Outcome for Size {
    fn from_value(v: &Value) -> Result<Size> {
        if v.kind == sys::INT {
            return i64::from_value(v).map(Size::Int);
        }
        expect(v, sys::SIZE)?;
        Ok(Size::symbolic(Handle::borrowed(unsafe {
            v.payload.handle
        })))
    }
}

impl Outcome for Vec<Size> {
    fn from_value(v: &Value) -> Result<Vec<Size>> {
        if v.kind == sys::INTS {
            return Ok(Vec::<i64>::from_value(v)?
                .into_iter()
                .map(Size::Int)
                .collect());
        }
        expect(v, sys::SIZES)?;
        unsafe { elements(v.payload.values, v) }
            .iter()
            .map(Size::from_value)
            .collect()
    }
}

impl Outcome for Layer {
    fn from_value(v: &Value) -> Result<Layer> {
        expect(v, sys::LAYER)?;
        Ok(Layer {
            handle: Handle::borrowed(unsafe { v.payload.handle }),
        })
    }
}

impl Outcome for Optimizer {
    fn from_value(v: &Value) -> Result<Optimizer> {
        expect(v, sys::OPTIMIZER)?;
        Ok(Optimizer {
            handle: Handle::borrowed(unsafe { v.payload.handle }),
        })
    }
}
