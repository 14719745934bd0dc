//! Sizes that are known only when a program runs: whole numbers and expressions of variables.
use std::os::raw::c_char;

use crate::error::{c_text, check, Result};
use crate::handle::Handle;
use crate::sys;
use crate::value::{Argument, Arguments, Outcome, Owned};

/// A size, or a place in an index.
#[derive(Clone)]
pub enum Size {
    /// A number.
    Int(i64),
    /// An expression of variables.
    Symbolic(Expression),
}

/// An expression of variables; made by [`Size::variable`] and arithmetic on it.
#[derive(Clone)]
pub struct Expression {
    pub(crate) handle: Handle,
}

impl Size {
    /// A variable with bounds, with its value of this call. Kernels are made for all values from
    /// `min` to `max`.
    pub fn variable(name: &str, min: i64, max: i64, value: i64) -> Result<Size> {
        let name = c_text(name)?;
        let make = |out| unsafe { sys::tg_variable(name.as_ptr(), min, max, value, out) };
        Handle::made(make).map(Size::symbolic)
    }

    pub(crate) fn symbolic(handle: Handle) -> Size {
        Size::Symbolic(Expression { handle })
    }

    /// `self op other` for `op` in `+ - * / %`; division rounds down.
    pub fn compute(&self, op: char, other: &Size) -> Result<Size> {
        let mut arguments = Arguments::new();
        let (a, b) = (self.value(&mut arguments), other.value(&mut arguments));
        let op = if op.is_ascii() { op as u8 } else { b'?' } as c_char;
        let out = Owned::filled(|out| unsafe { sys::tg_size_compute(op, a, b, out) })?;
        Size::from_value(&out.0)
    }

    /// The value of this call.
    pub fn current(&self) -> Result<i64> {
        let expression = match self {
            Size::Int(i) => return Ok(*i),
            Size::Symbolic(e) => e.handle.raw(),
        };
        let (mut value, none) = (0, std::ptr::null_mut());
        check(unsafe { sys::tg_size_value(expression, &mut value, none, none) })?;
        Ok(value)
    }

    /// The smallest and the largest value that it can have.
    pub fn bounds(&self) -> Result<(i64, i64)> {
        let expression = match self {
            Size::Int(i) => return Ok((*i, *i)),
            Size::Symbolic(e) => e.handle.raw(),
        };
        let (mut min, mut max, none) = (0, 0, std::ptr::null_mut());
        check(unsafe { sys::tg_size_value(expression, none, &mut min, &mut max) })?;
        Ok((min, max))
    }

    /// As a formula: "n + 1".
    pub fn text(&self) -> Result<String> {
        match self {
            Size::Int(i) => Ok(i.to_string()),
            Size::Symbolic(e) => {
                let raw = e.handle.raw();
                let text = Owned::filled(|out| unsafe { sys::tg_size_text(raw, out) })?;
                String::from_value(&text.0)
            }
        }
    }
}

impl From<i64> for Size {
    fn from(size: i64) -> Size {
        Size::Int(size)
    }
}

/// The sizes of a shape, as a function takes them: `&[2, 3]`, or a slice of [`Size`].
#[derive(Clone, Copy)]
pub enum Sizes<'a> {
    /// Numbers only.
    Ints(&'a [i64]),
    /// Numbers and expressions.
    Mixed(&'a [Size]),
}

impl<'a> From<&'a [i64]> for Sizes<'a> {
    fn from(sizes: &'a [i64]) -> Sizes<'a> {
        Sizes::Ints(sizes)
    }
}

impl<'a, const N: usize> From<&'a [i64; N]> for Sizes<'a> {
    fn from(sizes: &'a [i64; N]) -> Sizes<'a> {
        Sizes::Ints(sizes)
    }
}

impl<'a> From<&'a [Size]> for Sizes<'a> {
    fn from(sizes: &'a [Size]) -> Sizes<'a> {
        Sizes::Mixed(sizes)
    }
}

impl<'a, const N: usize> From<&'a [Size; N]> for Sizes<'a> {
    fn from(sizes: &'a [Size; N]) -> Sizes<'a> {
        Sizes::Mixed(sizes)
    }
}
