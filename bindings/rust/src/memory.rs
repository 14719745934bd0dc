//! Memory that is shared and not copied: the program's as a tensor, and a tensor's elements in place.
use std::os::raw::c_void;

use crate::callback::silently;
use crate::error::{check, Error, Result};
use crate::handle::Handle;
use crate::ops::DType;
use crate::sys;
use crate::tensor::{Element, Tensor};

type Release = Box<dyn FnOnce() + Send>;

impl Tensor {
    /// A tensor on the memory of `owner`, for example a `Vec`, or a file mapped into memory. Nothing
    /// is copied: the tensor owns the owner, and drops it once nobody reads the memory any more, on
    /// whatever thread that is. Lives on the CPU device. `Error::Shape` unless the elements fill the
    /// shape.
    ///
    /// ```no_run
    /// # use tinygrad_cpp::{Result, Tensor};
    /// # fn main() -> Result<()> {
    /// let big = vec![1f32; 1 << 20];
    /// let x = Tensor::wrap(big, &[1024, 1024])?;
    /// # Ok(()) }
    /// ```
    pub fn wrap<T, B>(owner: B, shape: &[i64]) -> Result<Tensor>
    where
        T: Element,
        B: AsMut<[T]> + Send + 'static,
    {
        // Its memory may move with it, so first it comes to where it stays.
        let mut owner = Box::new(owner);
        let elements: &mut [T] = (*owner).as_mut();
        let (data, count) = (elements.as_mut_ptr(), elements.len());
        unsafe { Tensor::wrap_raw(data, count, shape, move || drop(owner)) }
    }

    /// A tensor on `count` elements at `data`. `release` is called once, when nobody reads the
    /// memory any more, on whatever thread that is; also if this call fails.
    ///
    /// # Safety
    /// Until `release` is called the elements must stay where they are, be readable and writable,
    /// and nobody else may write them while the library computes.
    pub unsafe fn wrap_raw<T: Element>(
        data: *mut T,
        count: usize,
        shape: &[i64],
        release: impl FnOnce() + Send + 'static,
    ) -> Result<Tensor> {
        let release: Release = Box::new(release);
        let user = Box::into_raw(Box::new(release)).cast();
        let bytes = count * std::mem::size_of::<T>();
        let (sizes, ndim) = (shape.as_ptr(), shape.len());
        let (data, dtype) = (data.cast(), T::DTYPE as i32);
        let handle = Handle::made(|out| {
            sys::tg_tensor_wrap(
                data,
                bytes,
                dtype,
                sizes,
                ndim,
                Some(run_release),
                user,
                out,
            )
        })?;
        Ok(Tensor { handle })
    }

    /// Computes the tensor and gives its elements where they are, row-major; `None` if the host
    /// cannot reach them. `Error::Dtype` unless they are `T`.
    ///
    /// # Safety
    /// While the slice lives nothing may be assigned to this tensor or to memory that it shares.
    pub unsafe fn host_slice<T: Element>(&self) -> Result<Option<&[T]>> {
        self.expect_dtype("host_slice", T::DTYPE)?;
        let count = self.numel()? as usize;
        let mut data = std::ptr::null_mut();
        check(sys::tg_tensor_host_pointer(self.handle.raw(), &mut data))?;
        Ok(match (count, data.is_null()) {
            (0, _) => Some(&[]),
            (_, true) => None,
            _ => Some(std::slice::from_raw_parts(data.cast(), count)),
        })
    }

    /// Another name of the same value: what is assigned through one is seen through both, while
    /// [`Tensor::replace`] changes one name only.
    pub fn alias(&self) -> Result<Tensor> {
        let tensor = self.handle.raw();
        let handle = Handle::made(|out| unsafe { sys::tg_tensor_alias(tensor, out) })?;
        Ok(Tensor { handle })
    }

    pub(crate) fn expect_dtype(&self, function: &str, wanted: DType) -> Result<()> {
        let found = self.dtype()?;
        if found == wanted {
            return Ok(());
        }
        let problem = format!("the elements are {found:?}, not {wanted:?}");
        Err(Error::Dtype(format!(
            "{function}: {problem}. Hint: cast first."
        )))
    }
}

unsafe extern "C" fn run_release(user: *mut c_void) {
    let release = Box::from_raw(user.cast::<Release>());
    silently(*release);
}
