//! Rust on tinygrad.cpp: lazy tensors, gradients, layers, captured functions.
//!
//! ```no_run
//! use tinygrad_cpp::{nn, Result, SumOptions, Tensor};
//! fn main() -> Result<()> {
//!     let x = Tensor::from_slice(&[1f32, 2., 3., 4.], &[2, 2])?;
//!     let y = x.sum(SumOptions { axis: Some(&[1]), ..Default::default() })?;
//!     assert_eq!(y.read::<f32>()?, [3., 7.]);
//!     let layer = nn::linear(2, 3, Default::default())?;
//!     println!("{}", layer.call(&x)?.str()?);
//!     Ok(())
//! }
//! ```
//!
//! Every function of the library is a method or an associated function of [`Tensor`], or stands in
//! [`nn`]; what need not be given are the fields of its options. Names are the library's, except:
//! `clone` is [`Tensor::copy`], `T` is [`Tensor::t`]. Everything that can fail gives a [`Result`],
//! operators too, with the library's message.
#![deny(missing_docs)]

mod callback;
mod custom;
pub mod dlpack;
mod error;
mod handle;
mod jit;
mod memory;
mod network;
#[cfg(feature = "models")]
mod onnx;
mod ops;
mod process;
mod size;
mod tensor;
mod value;
mod watch;

use tinygrad_cpp_sys as sys;

pub use dlpack::DlPack;
pub use error::{Error, Result};
pub use jit::{Input, Jit, JitStats};
pub use network::{Layer, Optimizer, State};
#[cfg(feature = "models")]
pub use onnx::OnnxModel;
pub use ops::*;
pub use process::*;
pub use size::{Expression, Size, Sizes};
pub use tensor::{Element, Index, Operand, Tensor};
pub use watch::*;
