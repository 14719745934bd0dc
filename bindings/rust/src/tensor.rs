//! The tensor: its life, its data, its operators. Its functions are in ops.rs.
use crate::error::{c_text, check, Error, Result};
use crate::handle::Handle;
use crate::ops::DType;
use crate::size::Size;
use crate::sys;

/// An array that is computed when somebody looks. `clone` makes one more owner of the same tensor;
/// what copies it is [`Tensor::copy`]. Not `Send`: one tensor is used by one thread at a time.
#[derive(Clone)]
pub struct Tensor {
    pub(crate) handle: Handle,
}

/// A Rust type that elements can be read as and made from.
pub trait Element: Copy + Default + sealed::Plain {
    /// The element type of a tensor of these.
    const DTYPE: DType;
}

mod sealed {
    /// Types of which every bit pattern is a value.
    pub trait Plain {}
}

macro_rules! elements {
    ($($rust:ty => $dtype:ident),*) => {
        $(impl sealed::Plain for $rust {}
        impl Element for $rust {
            const DTYPE: DType = DType::$dtype;
        })*
    };
}
elements!(i8 => Int8, u8 => Uint8, i16 => Int16, u16 => Uint16, i32 => Int32, u32 => Uint32,
          i64 => Int64, u64 => Uint64, f32 => Float32, f64 => Float64);

/// A tensor, or a number, which takes the dtype of its partner.
#[derive(Clone, Copy)]
pub enum Operand<'a> {
    /// A tensor.
    Tensor(&'a Tensor),
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// A truth value.
    Bool(bool),
}

impl<'a> From<&'a Tensor> for Operand<'a> {
    fn from(tensor: &'a Tensor) -> Operand<'a> {
        Operand::Tensor(tensor)
    }
}

impl From<i64> for Operand<'_> {
    fn from(number: i64) -> Self {
        Operand::Int(number)
    }
}

impl From<f64> for Operand<'_> {
    fn from(number: f64) -> Self {
        Operand::Float(number)
    }
}

impl From<bool> for Operand<'_> {
    fn from(truth: bool) -> Self {
        Operand::Bool(truth)
    }
}

/// One item between the brackets of `x[...]`.
#[derive(Clone, Copy)]
pub enum Index<'a> {
    /// The element at this place; the axis goes.
    At(i64),
    /// The same, at an expression.
    AtSize(&'a Size),
    /// start : stop : step
    Slice(Option<i64>, Option<i64>, Option<i64>),
    /// start : stop, where either may be an expression.
    SizeSlice(Option<&'a Size>, Option<&'a Size>),
    /// All axes that no other item names.
    Ellipsis,
    /// A new axis of size 1.
    NewAxis,
    /// The elements that the integers of a tensor name, or where its bools are true.
    Gather(&'a Tensor),
}

impl Tensor {
    /// A copy of `data`, row-major, on the default device. `Error::Shape` unless it fills the
    /// shape.
    pub fn from_slice<T: Element>(data: &[T], shape: &[i64]) -> Result<Tensor> {
        Tensor::make(data, shape, std::ptr::null())
    }

    /// The same, on a device.
    pub fn from_slice_on<T: Element>(data: &[T], shape: &[i64], device: &str) -> Result<Tensor> {
        let device = c_text(device)?;
        Tensor::make(data, shape, device.as_ptr())
    }

    fn make<T: Element>(
        data: &[T],
        shape: &[i64],
        device: *const std::os::raw::c_char,
    ) -> Result<Tensor> {
        let bytes = std::mem::size_of_val(data);
        let handle = Handle::made(|out| unsafe {
            let (data, dtype) = (data.as_ptr().cast(), T::DTYPE as i32);
            sys::tg_tensor_from_data(data, bytes, dtype, shape.as_ptr(), shape.len(), device, out)
        })?;
        Ok(Tensor { handle })
    }

    /// Computes the tensor and copies its elements, row-major. `Error::Dtype` unless they are `T`.
    pub fn read<T: Element>(&self) -> Result<Vec<T>> {
        self.expect_dtype("read", T::DTYPE)?;
        let mut out = vec![T::default(); self.numel()? as usize];
        let bytes = std::mem::size_of_val(out.as_slice());
        check(unsafe { sys::tg_tensor_read(self.handle.raw(), out.as_mut_ptr().cast(), bytes) })?;
        Ok(out)
    }

    /// The only element.
    pub fn item<T: Element>(&self) -> Result<T> {
        match self.read()?.as_slice() {
            [one] => Ok(*one),
            many => Err(Error::Shape(format!(
                "item: the tensor has {} elements.",
                many.len()
            ))),
        }
    }

    /// Makes this tensor what `value` is now, for everybody who holds it. Nothing is computed.
    pub fn replace(&self, value: &Tensor) -> Result<()> {
        check(unsafe { sys::tg_tensor_replace(self.handle.raw(), value.handle.raw()) })
    }

    /// Whether both name one value.
    pub fn same(&self, other: &Tensor) -> Result<bool> {
        let mut same = false;
        check(unsafe { sys::tg_tensor_same(self.handle.raw(), other.handle.raw(), &mut same) })?;
        Ok(same)
    }
}

// `(&a + &b)?`, `(&a * 2.0)?`: operators can fail as their functions do.
macro_rules! operators {
    ($($interface:ident $function:ident),*) => {
        $(impl<'a, T: Into<Operand<'a>>> std::ops::$interface<T> for &'a Tensor {
            type Output = Result<Tensor>;
            fn $function(self, other: T) -> Result<Tensor> {
                Tensor::$function(self, other)
            }
        })*
    };
}
operators!(Add add, Sub sub, Mul mul);

impl<'a, T: Into<Operand<'a>>> std::ops::Div<T> for &'a Tensor {
    type Output = Result<Tensor>;
    fn div(self, other: T) -> Result<Tensor> {
        Tensor::div(self, other, Default::default())
    }
}

impl std::ops::Neg for &Tensor {
    type Output = Result<Tensor>;
    fn neg(self) -> Result<Tensor> {
        Tensor::neg(self)
    }
}
