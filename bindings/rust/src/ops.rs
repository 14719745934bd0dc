// Generated from bindings/manifest.json by tg-bindgen; do not edit. Every function of tensors, layers
// and optimisers by the record of its name: see value.rs.
#![allow(clippy::all)]
use crate::error::{Error, Result};
use crate::network::{Layer, Optimizer};
use crate::size::{Size, Sizes};
use crate::tensor::{Index, Operand, Tensor};
use crate::value::{Argument, Arguments, Choice, Function};

/// The version of the C interface that this crate was made for.
pub const ABI_VERSION: u32 = 1;

/// Element types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DType {
    /// bool
    Bool = 2,
    /// int8
    Int8 = 3,
    /// uint8
    Uint8 = 4,
    /// int16
    Int16 = 5,
    /// uint16
    Uint16 = 6,
    /// int32
    Int32 = 7,
    /// uint32
    Uint32 = 8,
    /// int64
    Int64 = 9,
    /// uint64
    Uint64 = 10,
    /// fp8e4m3
    Fp8e4m3 = 11,
    /// fp8e5m2
    Fp8e5m2 = 12,
    /// fp8e4m3fnuz
    Fp8e4m3fnuz = 13,
    /// fp8e5m2fnuz
    Fp8e5m2fnuz = 14,
    /// float16
    Float16 = 15,
    /// bfloat16
    Bfloat16 = 16,
    /// float32
    Float32 = 17,
    /// float64
    Float64 = 18,
}

impl DType {
    pub(crate) fn from_value(value: i64) -> Result<DType> {
        match value {
            2 => Ok(DType::Bool),
            3 => Ok(DType::Int8),
            4 => Ok(DType::Uint8),
            5 => Ok(DType::Int16),
            6 => Ok(DType::Uint16),
            7 => Ok(DType::Int32),
            8 => Ok(DType::Uint32),
            9 => Ok(DType::Int64),
            10 => Ok(DType::Uint64),
            11 => Ok(DType::Fp8e4m3),
            12 => Ok(DType::Fp8e5m2),
            13 => Ok(DType::Fp8e4m3fnuz),
            14 => Ok(DType::Fp8e5m2fnuz),
            15 => Ok(DType::Float16),
            16 => Ok(DType::Bfloat16),
            17 => Ok(DType::Float32),
            18 => Ok(DType::Float64),
            _ => Err(Error::Internal(format!("dtype: {} is unknown.", value))),
        }
    }
}

/// A choice that functions offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// Relu
    Relu = 0,
    /// Gelu
    Gelu = 1,
}

impl<'a> Argument<'a> for Activation {
    fn value(self, arguments: &mut Arguments<'a>) -> crate::sys::Value {
        Choice(self as i64).value(arguments)
    }
}

/// A choice that functions offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GeluForm {
    /// Tanh
    Tanh = 0,
    /// Erf
    Erf = 1,
}

impl<'a> Argument<'a> for GeluForm {
    fn value(self, arguments: &mut Arguments<'a>) -> crate::sys::Value {
        Choice(self as i64).value(arguments)
    }
}

/// A choice that functions offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GridIndexing {
    /// Ij
    Ij = 0,
    /// Xy
    Xy = 1,
}

impl<'a> Argument<'a> for GridIndexing {
    fn value(self, arguments: &mut Arguments<'a>) -> crate::sys::Value {
        Choice(self as i64).value(arguments)
    }
}

/// A choice that functions offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GridSampleMode {
    /// Linear
    Linear = 0,
    /// Nearest
    Nearest = 1,
}

impl<'a> Argument<'a> for GridSampleMode {
    fn value(self, arguments: &mut Arguments<'a>) -> crate::sys::Value {
        Choice(self as i64).value(arguments)
    }
}

/// A choice that functions offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GridSamplePadding {
    /// Zeros
    Zeros = 0,
    /// Border
    Border = 1,
    /// Reflection
    Reflection = 2,
}

impl<'a> Argument<'a> for GridSamplePadding {
    fn value(self, arguments: &mut Arguments<'a>) -> crate::sys::Value {
        Choice(self as i64).value(arguments)
    }
}

/// A choice that functions offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InterpolateMode {
    /// Linear
    Linear = 0,
    /// Nearest
    Nearest = 1,
    /// NearestExact
    NearestExact = 2,
}

impl<'a> Argument<'a> for InterpolateMode {
    fn value(self, arguments: &mut Arguments<'a>) -> crate::sys::Value {
        Choice(self as i64).value(arguments)
    }
}

/// A choice that functions offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeccakVariant {
    /// Sha3_224
    Sha3_224 = 0,
    /// Sha3_256
    Sha3_256 = 1,
    /// Sha3_384
    Sha3_384 = 2,
    /// Sha3_512
    Sha3_512 = 3,
    /// Shake128
    Shake128 = 4,
    /// Shake256
    Shake256 = 5,
}

impl<'a> Argument<'a> for KeccakVariant {
    fn value(self, arguments: &mut Arguments<'a>) -> crate::sys::Value {
        Choice(self as i64).value(arguments)
    }
}

/// A choice that functions offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PadMode {
    /// Reflect
    Reflect = 0,
    /// Replicate
    Replicate = 1,
    /// Circular
    Circular = 2,
}

impl<'a> Argument<'a> for PadMode {
    fn value(self, arguments: &mut Arguments<'a>) -> crate::sys::Value {
        Choice(self as i64).value(arguments)
    }
}

/// A choice that functions offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduction {
    /// None
    None = 0,
    /// Mean
    Mean = 1,
    /// Sum
    Sum = 2,
}

impl<'a> Argument<'a> for Reduction {
    fn value(self, arguments: &mut Arguments<'a>) -> crate::sys::Value {
        Choice(self as i64).value(arguments)
    }
}

/// A choice that functions offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// None
    None = 0,
    /// Trunc
    Trunc = 1,
    /// Floor
    Floor = 2,
}

impl<'a> Argument<'a> for Rounding {
    fn value(self, arguments: &mut Arguments<'a>) -> crate::sys::Value {
        Choice(self as i64).value(arguments)
    }
}

/// A choice that functions offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScatterReduction {
    /// Sum
    Sum = 0,
    /// Mean
    Mean = 1,
    /// Prod
    Prod = 2,
    /// Max
    Max = 3,
    /// Min
    Min = 4,
}

impl<'a> Argument<'a> for ScatterReduction {
    fn value(self, arguments: &mut Arguments<'a>) -> crate::sys::Value {
        Choice(self as i64).value(arguments)
    }
}

/// What `from_bytes` can be told.
#[derive(Clone, Copy, Default)]
pub struct FromBytesOptions<'a> {
    /// converts to this dtype. Default: as stored.
    pub dtype: Option<DType>,
    /// where it lives. Default: the default device.
    pub device: Option<&'a str>,
}

/// What `empty` can be told.
#[derive(Clone, Copy, Default)]
pub struct EmptyOptions<'a> {
    /// element type. Default: float32.
    pub dtype: Option<DType>,
    /// where it lives. Default: the default device.
    pub device: Option<&'a str>,
}

/// What `full` can be told.
#[derive(Clone, Copy, Default)]
pub struct FullOptions<'a> {
    /// element type. Default: that of the value.
    pub dtype: Option<DType>,
    /// where it lives. Default: the default device.
    pub device: Option<&'a str>,
    /// gives it storage of its own. Default: true.
    pub buffer: Option<bool>,
}

/// What `zeros` can be told.
#[derive(Clone, Copy, Default)]
pub struct ZerosOptions<'a> {
    /// element type. Default: float32.
    pub dtype: Option<DType>,
    /// where it lives. Default: the default device.
    pub device: Option<&'a str>,
}

/// What `ones` can be told.
#[derive(Clone, Copy, Default)]
pub struct OnesOptions<'a> {
    /// element type. Default: float32.
    pub dtype: Option<DType>,
    /// where it lives. Default: the default device.
    pub device: Option<&'a str>,
}

/// What `arange` can be told.
#[derive(Clone, Copy, Default)]
pub struct ArangeOptions<'a> {
    /// first value. Default: 0.
    pub start: Option<f64>,
    /// distance of neighbours, not 0. Default: 1.
    pub step: Option<f64>,
    /// element type. Default: int32 for whole numbers, else float32.
    pub dtype: Option<DType>,
    /// where it lives. Default: the default device.
    pub device: Option<&'a str>,
}

/// What `linspace` can be told.
#[derive(Clone, Copy, Default)]
pub struct LinspaceOptions<'a> {
    /// element type. Default: float32.
    pub dtype: Option<DType>,
    /// where it lives. Default: the default device.
    pub device: Option<&'a str>,
}

/// What `eye` can be told.
#[derive(Clone, Copy, Default)]
pub struct EyeOptions<'a> {
    /// columns; as many as rows if negative. Default: -1.
    pub m: Option<i64>,
    /// element type. Default: float32.
    pub dtype: Option<DType>,
    /// where it lives. Default: the default device.
    pub device: Option<&'a str>,
}

/// What `rand` can be told.
#[derive(Clone, Copy, Default)]
pub struct RandOptions<'a> {
    /// element type. Default: float32.
    pub dtype: Option<DType>,
    /// where it lives. Default: the default device.
    pub device: Option<&'a str>,
}

/// What `randn` can be told.
#[derive(Clone, Copy, Default)]
pub struct RandnOptions<'a> {
    /// element type. Default: float32.
    pub dtype: Option<DType>,
    /// where it lives. Default: the default device.
    pub device: Option<&'a str>,
}

/// What `randint` can be told.
#[derive(Clone, Copy, Default)]
pub struct RandintOptions<'a> {
    /// smallest value. Default: 0.
    pub low: Option<i64>,
    /// one past the largest value. Default: 10.
    pub high: Option<i64>,
    /// element type. Default: int32.
    pub dtype: Option<DType>,
    /// where it lives. Default: the default device.
    pub device: Option<&'a str>,
}

/// What `randperm` can be told.
#[derive(Clone, Copy, Default)]
pub struct RandpermOptions<'a> {
    /// element type. Default: int32.
    pub dtype: Option<DType>,
    /// where it lives. Default: the default device.
    pub device: Option<&'a str>,
}

/// What `multinomial` can be told.
#[derive(Clone, Copy, Default)]
pub struct MultinomialOptions {
    /// how many. Default: 1.
    pub num_samples: Option<i64>,
    /// whether a place may be drawn again. Default: false.
    pub replacement: Option<bool>,
}

/// What `uniform` can be told.
#[derive(Clone, Copy, Default)]
pub struct UniformOptions<'a> {
    /// lower end, included. Default: 0.
    pub low: Option<f64>,
    /// upper end, excluded. Default: 1.
    pub high: Option<f64>,
    /// element type. Default: float32.
    pub dtype: Option<DType>,
    /// where it lives. Default: the default device.
    pub device: Option<&'a str>,
}

/// What `normal` can be told.
#[derive(Clone, Copy, Default)]
pub struct NormalOptions<'a> {
    /// mean. Default: 0.
    pub mean: Option<f64>,
    /// deviation. Default: 1.
    pub std: Option<f64>,
    /// element type. Default: float32.
    pub dtype: Option<DType>,
    /// where it lives. Default: the default device.
    pub device: Option<&'a str>,
}

/// What `scaled_uniform` can be told.
#[derive(Clone, Copy, Default)]
pub struct ScaledUniformOptions<'a> {
    /// element type. Default: float32.
    pub dtype: Option<DType>,
    /// where it lives. Default: the default device.
    pub device: Option<&'a str>,
}

/// What `glorot_uniform` can be told.
#[derive(Clone, Copy, Default)]
pub struct GlorotUniformOptions<'a> {
    /// element type. Default: float32.
    pub dtype: Option<DType>,
    /// where it lives. Default: the default device.
    pub device: Option<&'a str>,
}

/// What `kaiming_uniform` can be told.
#[derive(Clone, Copy, Default)]
pub struct KaimingUniformOptions<'a> {
    /// slope of the leaky relu that follows. Default: 0.01.
    pub a: Option<f64>,
    /// element type. Default: float32.
    pub dtype: Option<DType>,
    /// where it lives. Default: the default device.
    pub device: Option<&'a str>,
}

/// What `kaiming_normal` can be told.
#[derive(Clone, Copy, Default)]
pub struct KaimingNormalOptions<'a> {
    /// slope of the leaky relu that follows. Default: 0.01.
    pub a: Option<f64>,
    /// element type. Default: float32.
    pub dtype: Option<DType>,
    /// where it lives. Default: the default device.
    pub device: Option<&'a str>,
}

/// What `dropout` can be told.
#[derive(Clone, Copy, Default)]
pub struct DropoutOptions {
    /// share of zeroed elements. Default: 0.5.
    pub p: Option<f64>,
}

/// What `transpose` can be told.
#[derive(Clone, Copy, Default)]
pub struct TransposeOptions {
    /// one axis. Default: 1.
    pub axis0: Option<i64>,
    /// the other. Default: 0.
    pub axis1: Option<i64>,
}

/// What `pad` can be told.
#[derive(Clone, Copy, Default)]
pub struct PadOptions<'a> {
    /// a number, or a tensor of one element. Default: 0.
    pub value: Option<Operand<'a>>,
    /// instead of a value: Reflect mirrors without the edge, Replicate repeats the edge, Circular
    /// goes on from the other end. Default: none.
    pub mode: Option<PadMode>,
}

/// What `squeeze` can be told.
#[derive(Clone, Copy, Default)]
pub struct SqueezeOptions {
    /// which. Default: all.
    pub axis: Option<i64>,
}

/// What `flatten` can be told.
#[derive(Clone, Copy, Default)]
pub struct FlattenOptions {
    /// first axis. Default: 0.
    pub first: Option<i64>,
    /// last axis. Default: -1.
    pub last: Option<i64>,
}

/// What `roll` can be told.
#[derive(Clone, Copy, Default)]
pub struct RollOptions {
    /// which axis; negative: from the end. Default: 0.
    pub axis: Option<i64>,
}

/// What `tril` can be told.
#[derive(Clone, Copy, Default)]
pub struct TrilOptions {
    /// last diagonal kept; positive: above the main one. Default: 0.
    pub diagonal: Option<i64>,
}

/// What `triu` can be told.
#[derive(Clone, Copy, Default)]
pub struct TriuOptions {
    /// first diagonal kept; positive: above the main one. Default: 0.
    pub diagonal: Option<i64>,
}

/// What `cat` can be told.
#[derive(Clone, Copy, Default)]
pub struct CatOptions {
    /// which axis; negative: from the end. Default: 0.
    pub axis: Option<i64>,
}

/// What `stack` can be told.
#[derive(Clone, Copy, Default)]
pub struct StackOptions {
    /// which axis; negative: from the end. Default: 0.
    pub axis: Option<i64>,
}

/// What `split` can be told.
#[derive(Clone, Copy, Default)]
pub struct SplitOptions<'a> {
    /// of each piece. Default: none.
    pub size: Option<i64>,
    /// of all pieces; they add up to the axis. Default: none.
    pub sizes: Option<&'a [i64]>,
    /// which axis; negative: from the end. Default: 0.
    pub axis: Option<i64>,
}

/// What `chunk` can be told.
#[derive(Clone, Copy, Default)]
pub struct ChunkOptions {
    /// which axis; negative: from the end. Default: 0.
    pub axis: Option<i64>,
}

/// What `pad_to` can be told.
#[derive(Clone, Copy, Default)]
pub struct PadToOptions<'a> {
    /// a number. Default: 0.
    pub value: Option<Operand<'a>>,
}

/// What `repeat_interleave` can be told.
#[derive(Clone, Copy, Default)]
pub struct RepeatInterleaveOptions {
    /// along which; negative: from the end. Default: that of the flattened tensor.
    pub axis: Option<i64>,
}

/// What `meshgrid` can be told.
#[derive(Clone, Copy, Default)]
pub struct MeshgridOptions {
    /// the order of the grid's axes: Ij that of the tensors, Xy with the first two swapped.
    /// Default: Ij.
    pub indexing: Option<GridIndexing>,
}

/// What `interpolate` can be told.
#[derive(Clone, Copy, Default)]
pub struct InterpolateOptions {
    /// Linear weighs the two neighbours on each axis, Nearest takes the element before the place,
    /// NearestExact the one that the place lies in. Default: Linear.
    pub mode: Option<InterpolateMode>,
    /// Linear: first and last elements stay at the ends, instead of all elements having one width.
    /// Default: false.
    pub align_corners: Option<bool>,
}

/// What `grid_sample` can be told.
#[derive(Clone, Copy, Default)]
pub struct GridSampleOptions {
    /// Linear weighs the neighbours along each axis, Nearest takes the nearest element (halves: the
    /// one with the even number). Default: Linear.
    pub mode: Option<GridSampleMode>,
    /// what lies outside: Zeros, Border (the edge), Reflection (the elements mirrored at the edge).
    /// Default: Zeros.
    pub padding: Option<GridSamplePadding>,
    /// -1 and 1 are the middles of the end elements, not their edges. Default: false.
    pub align_corners: Option<bool>,
}

/// What `affine_grid` can be told.
#[derive(Clone, Copy, Default)]
pub struct AffineGridOptions {
    /// as of grid_sample. Default: false.
    pub align_corners: Option<bool>,
}

/// What `scatter_reduce` can be told.
#[derive(Clone, Copy, Default)]
pub struct ScatterReduceOptions {
    /// whether what is there takes part. Default: true.
    pub include_self: Option<bool>,
}

/// What `masked_select` can be told.
#[derive(Clone, Copy, Default)]
pub struct MaskedSelectOptions {
    /// length of the result; left out, the mask is computed now. Default: as many as the mask
    /// selects.
    pub size: Option<i64>,
    /// of places left over. Default: 0.
    pub fill_value: Option<f64>,
}

/// What `nonzero` can be told.
#[derive(Clone, Copy, Default)]
pub struct NonzeroOptions {
    /// number of rows; left out, this tensor is computed now. Default: as many as are not 0.
    pub size: Option<i64>,
    /// of rows left over. Default: 0.
    pub fill_value: Option<f64>,
}

/// What `sort` can be told.
#[derive(Clone, Copy, Default)]
pub struct SortOptions {
    /// axis to go along. Default: -1.
    pub axis: Option<i64>,
    /// from the largest on. Default: false.
    pub descending: Option<bool>,
}

/// What `argsort` can be told.
#[derive(Clone, Copy, Default)]
pub struct ArgsortOptions {
    /// axis to go along. Default: -1.
    pub axis: Option<i64>,
    /// from the largest on. Default: false.
    pub descending: Option<bool>,
}

/// What `topk` can be told.
#[derive(Clone, Copy, Default)]
pub struct TopkOptions {
    /// axis to go along. Default: -1.
    pub axis: Option<i64>,
    /// from the largest on, else from the smallest. Default: true.
    pub largest: Option<bool>,
}

/// What `unique` can be told.
#[derive(Clone, Copy, Default)]
pub struct UniqueOptions {
    /// length of the result; left out, the tensor is sorted now. Default: as many as differ.
    pub size: Option<i64>,
    /// of places left over. Default: 0.
    pub fill_value: Option<f64>,
}

/// What `div` can be told.
#[derive(Clone, Copy, Default)]
pub struct DivOptions {
    /// None, Trunc (towards 0) or Floor (down). Default: None.
    pub rounding: Option<Rounding>,
}

/// What `isclose` can be told.
#[derive(Clone, Copy, Default)]
pub struct IscloseOptions {
    /// tolerance relative to the other tensor. Default: 1e-5.
    pub rtol: Option<f64>,
    /// absolute tolerance. Default: 1e-8.
    pub atol: Option<f64>,
    /// NaN is close to NaN. Default: false.
    pub equal_nan: Option<bool>,
}

/// What `allclose` can be told.
#[derive(Clone, Copy, Default)]
pub struct AllcloseOptions {
    /// tolerance relative to the other tensor. Default: 1e-5.
    pub rtol: Option<f64>,
    /// absolute tolerance. Default: 1e-8.
    pub atol: Option<f64>,
    /// NaN is close to NaN. Default: false.
    pub equal_nan: Option<bool>,
}

/// What `isinf` can be told.
#[derive(Clone, Copy, Default)]
pub struct IsinfOptions {
    /// look for plus infinity. Default: true.
    pub positive: Option<bool>,
    /// look for minus infinity. Default: true.
    pub negative: Option<bool>,
}

/// What `leaky_relu` can be told.
#[derive(Clone, Copy, Default)]
pub struct LeakyReluOptions {
    /// below 0. Default: 0.01.
    pub slope: Option<f64>,
}

/// What `gelu` can be told.
#[derive(Clone, Copy, Default)]
pub struct GeluOptions {
    /// Tanh: the approximation; Erf: exact. Default: Tanh.
    pub form: Option<GeluForm>,
}

/// What `elu` can be told.
#[derive(Clone, Copy, Default)]
pub struct EluOptions {
    /// size of the negative end. Default: 1.
    pub alpha: Option<f64>,
}

/// What `celu` can be told.
#[derive(Clone, Copy, Default)]
pub struct CeluOptions {
    /// size of the negative end, not 0. Default: 1.
    pub alpha: Option<f64>,
}

/// What `selu` can be told.
#[derive(Clone, Copy, Default)]
pub struct SeluOptions {
    /// size of the negative end. Default: 1.6732632423543772.
    pub alpha: Option<f64>,
    /// scale. Default: 1.0507009873554805.
    pub gamma: Option<f64>,
}

/// What `softplus` can be told.
#[derive(Clone, Copy, Default)]
pub struct SoftplusOptions {
    /// steepness, not 0. Default: 1.
    pub beta: Option<f64>,
}

/// What `hardsigmoid` can be told.
#[derive(Clone, Copy, Default)]
pub struct HardsigmoidOptions {
    /// slope. Default: 1/6.
    pub alpha: Option<f64>,
    /// value at 0. Default: 0.5.
    pub beta: Option<f64>,
}

/// What `hardtanh` can be told.
#[derive(Clone, Copy, Default)]
pub struct HardtanhOptions {
    /// lower bound. Default: -1.
    pub low: Option<f64>,
    /// upper bound. Default: 1.
    pub high: Option<f64>,
}

/// What `sum` can be told.
#[derive(Clone, Copy, Default)]
pub struct SumOptions<'a> {
    /// axes to reduce. Default: all axes.
    pub axis: Option<&'a [i64]>,
    /// keep reduced axes with size 1. Default: false.
    pub keepdim: Option<bool>,
    /// of accumulation and result. Default: see dtype rule.
    pub dtype: Option<DType>,
}

/// What `prod` can be told.
#[derive(Clone, Copy, Default)]
pub struct ProdOptions<'a> {
    /// axes to reduce. Default: all axes.
    pub axis: Option<&'a [i64]>,
    /// keep reduced axes with size 1. Default: false.
    pub keepdim: Option<bool>,
    /// of accumulation and result. Default: see dtype rule.
    pub dtype: Option<DType>,
}

/// What `max` can be told.
#[derive(Clone, Copy, Default)]
pub struct MaxOptions<'a> {
    /// axes to reduce. Default: all axes.
    pub axis: Option<&'a [i64]>,
    /// keep reduced axes with size 1. Default: false.
    pub keepdim: Option<bool>,
}

/// What `min` can be told.
#[derive(Clone, Copy, Default)]
pub struct MinOptions<'a> {
    /// axes to reduce. Default: all axes.
    pub axis: Option<&'a [i64]>,
    /// keep reduced axes with size 1. Default: false.
    pub keepdim: Option<bool>,
}

/// What `mean` can be told.
#[derive(Clone, Copy, Default)]
pub struct MeanOptions<'a> {
    /// axes to reduce. Default: all axes.
    pub axis: Option<&'a [i64]>,
    /// keep reduced axes with size 1. Default: false.
    pub keepdim: Option<bool>,
}

/// What `var` can be told.
#[derive(Clone, Copy, Default)]
pub struct VarOptions<'a> {
    /// axes to reduce. Default: all axes.
    pub axis: Option<&'a [i64]>,
    /// keep reduced axes with size 1. Default: false.
    pub keepdim: Option<bool>,
    /// the divisor is n - correction. Default: 1.
    pub correction: Option<i64>,
}

/// What `std` can be told.
#[derive(Clone, Copy, Default)]
pub struct StdOptions<'a> {
    /// axes to reduce. Default: all axes.
    pub axis: Option<&'a [i64]>,
    /// keep reduced axes with size 1. Default: false.
    pub keepdim: Option<bool>,
    /// the divisor is n - correction. Default: 1.
    pub correction: Option<i64>,
}

/// What `var_mean` can be told.
#[derive(Clone, Copy, Default)]
pub struct VarMeanOptions<'a> {
    /// axes to reduce. Default: all axes.
    pub axis: Option<&'a [i64]>,
    /// keep reduced axes with size 1. Default: false.
    pub keepdim: Option<bool>,
    /// the divisor is n - correction. Default: 1.
    pub correction: Option<i64>,
}

/// What `std_mean` can be told.
#[derive(Clone, Copy, Default)]
pub struct StdMeanOptions<'a> {
    /// axes to reduce. Default: all axes.
    pub axis: Option<&'a [i64]>,
    /// keep reduced axes with size 1. Default: false.
    pub keepdim: Option<bool>,
    /// the divisor is n - correction. Default: 1.
    pub correction: Option<i64>,
}

/// What `any` can be told.
#[derive(Clone, Copy, Default)]
pub struct AnyOptions<'a> {
    /// axes to reduce. Default: all axes.
    pub axis: Option<&'a [i64]>,
    /// keep reduced axes with size 1. Default: false.
    pub keepdim: Option<bool>,
}

/// What `all` can be told.
#[derive(Clone, Copy, Default)]
pub struct AllOptions<'a> {
    /// axes to reduce. Default: all axes.
    pub axis: Option<&'a [i64]>,
    /// keep reduced axes with size 1. Default: false.
    pub keepdim: Option<bool>,
}

/// What `argmax` can be told.
#[derive(Clone, Copy, Default)]
pub struct ArgmaxOptions {
    /// axis to search. Default: the flattened tensor.
    pub axis: Option<i64>,
    /// keep reduced axes with size 1. Default: false.
    pub keepdim: Option<bool>,
}

/// What `argmin` can be told.
#[derive(Clone, Copy, Default)]
pub struct ArgminOptions {
    /// axis to search. Default: the flattened tensor.
    pub axis: Option<i64>,
    /// keep reduced axes with size 1. Default: false.
    pub keepdim: Option<bool>,
}

/// What `softmax` can be told.
#[derive(Clone, Copy, Default)]
pub struct SoftmaxOptions {
    /// the row's axis. Default: -1.
    pub axis: Option<i64>,
    /// float in which it is computed and returned. Default: see dtype rule.
    pub dtype: Option<DType>,
}

/// What `log_softmax` can be told.
#[derive(Clone, Copy, Default)]
pub struct LogSoftmaxOptions {
    /// the row's axis. Default: -1.
    pub axis: Option<i64>,
    /// float in which it is computed and returned. Default: see dtype rule.
    pub dtype: Option<DType>,
}

/// What `softmin` can be told.
#[derive(Clone, Copy, Default)]
pub struct SoftminOptions {
    /// the row's axis. Default: -1.
    pub axis: Option<i64>,
    /// float in which it is computed and returned. Default: see dtype rule.
    pub dtype: Option<DType>,
}

/// What `logsumexp` can be told.
#[derive(Clone, Copy, Default)]
pub struct LogsumexpOptions<'a> {
    /// axes to reduce. Default: all axes.
    pub axis: Option<&'a [i64]>,
    /// keep reduced axes with size 1. Default: false.
    pub keepdim: Option<bool>,
}

/// What `normalize` can be told.
#[derive(Clone, Copy, Default)]
pub struct NormalizeOptions {
    /// order of the norm; 0 counts what is not 0, infinity takes the largest. Default: 2.
    pub p: Option<f64>,
    /// axis whose vectors get length 1. Default: 1.
    pub axis: Option<i64>,
    /// least divisor. Default: 1e-12.
    pub eps: Option<f64>,
}

/// What `cumsum` can be told.
#[derive(Clone, Copy, Default)]
pub struct CumsumOptions {
    /// axis to go along. Default: 0.
    pub axis: Option<i64>,
}

/// What `cumprod` can be told.
#[derive(Clone, Copy, Default)]
pub struct CumprodOptions {
    /// axis to go along. Default: 0.
    pub axis: Option<i64>,
}

/// What `cummax` can be told.
#[derive(Clone, Copy, Default)]
pub struct CummaxOptions {
    /// axis to go along. Default: 0.
    pub axis: Option<i64>,
}

/// What `cummin` can be told.
#[derive(Clone, Copy, Default)]
pub struct CumminOptions {
    /// axis to go along. Default: 0.
    pub axis: Option<i64>,
}

/// What `logcumsumexp` can be told.
#[derive(Clone, Copy, Default)]
pub struct LogcumsumexpOptions {
    /// axis to go along. Default: 0.
    pub axis: Option<i64>,
}

/// What `linear` can be told.
#[derive(Clone, Copy, Default)]
pub struct LinearOptions<'a> {
    /// [out]. Default: none.
    pub bias: Option<&'a Tensor>,
}

/// What `conv2d` can be told.
#[derive(Clone, Copy, Default)]
pub struct Conv2dOptions<'a> {
    /// [out]. Default: none.
    pub bias: Option<&'a Tensor>,
    /// channel groups that do not mix. Default: 1.
    pub groups: Option<i64>,
    /// step of the window. Default: 1.
    pub stride: Option<&'a [i64]>,
    /// distance of neighbouring taps. Default: 1.
    pub dilation: Option<&'a [i64]>,
    /// zeros around: one number, one an axis, or (before, after) for each. Default: 0.
    pub padding: Option<&'a [i64]>,
}

/// What `conv_transpose2d` can be told.
#[derive(Clone, Copy, Default)]
pub struct ConvTranspose2dOptions<'a> {
    /// [out]. Default: none.
    pub bias: Option<&'a Tensor>,
    /// channel groups that do not mix. Default: 1.
    pub groups: Option<i64>,
    /// distance of the input's elements in the result. Default: 1.
    pub stride: Option<&'a [i64]>,
    /// distance of neighbouring taps. Default: 1.
    pub dilation: Option<&'a [i64]>,
    /// cut off the result's border, as in conv2d. Default: 0.
    pub padding: Option<&'a [i64]>,
    /// more elements at the result's end. Default: 0.
    pub output_padding: Option<&'a [i64]>,
}

/// What `max_pool2d` can be told.
#[derive(Clone, Copy, Default)]
pub struct MaxPool2dOptions<'a> {
    /// size of the window, a number for each pooled axis. Default: {2, 2}.
    pub kernel_size: Option<&'a [i64]>,
    /// step of the window. Default: the window's size.
    pub stride: Option<&'a [i64]>,
    /// distance of neighbouring taps. Default: 1.
    pub dilation: Option<&'a [i64]>,
    /// border: one number, one an axis, or (before, after) for each. Default: 0.
    pub padding: Option<&'a [i64]>,
    /// also a last window that hangs over the end. Default: false.
    pub ceil_mode: Option<bool>,
    /// avg: padding counts in the divisor. Default: true.
    pub count_include_pad: Option<bool>,
}

/// What `avg_pool2d` can be told.
#[derive(Clone, Copy, Default)]
pub struct AvgPool2dOptions<'a> {
    /// size of the window, a number for each pooled axis. Default: {2, 2}.
    pub kernel_size: Option<&'a [i64]>,
    /// step of the window. Default: the window's size.
    pub stride: Option<&'a [i64]>,
    /// distance of neighbouring taps. Default: 1.
    pub dilation: Option<&'a [i64]>,
    /// border: one number, one an axis, or (before, after) for each. Default: 0.
    pub padding: Option<&'a [i64]>,
    /// also a last window that hangs over the end. Default: false.
    pub ceil_mode: Option<bool>,
    /// avg: padding counts in the divisor. Default: true.
    pub count_include_pad: Option<bool>,
}

/// What `max_pool2d_with_indices` can be told.
#[derive(Clone, Copy, Default)]
pub struct MaxPool2dWithIndicesOptions<'a> {
    /// size of the window, a number for each pooled axis. Default: {2, 2}.
    pub kernel_size: Option<&'a [i64]>,
    /// step of the window. Default: the window's size.
    pub stride: Option<&'a [i64]>,
    /// distance of neighbouring taps. Default: 1.
    pub dilation: Option<&'a [i64]>,
    /// border: one number, one an axis, or (before, after) for each. Default: 0.
    pub padding: Option<&'a [i64]>,
    /// also a last window that hangs over the end. Default: false.
    pub ceil_mode: Option<bool>,
    /// avg: padding counts in the divisor. Default: true.
    pub count_include_pad: Option<bool>,
}

/// What `max_unpool2d` can be told.
#[derive(Clone, Copy, Default)]
pub struct MaxUnpool2dOptions<'a> {
    /// size of the window, a number for each axis. Default: {2, 2}.
    pub kernel_size: Option<&'a [i64]>,
    /// step of the window. Default: the window's size.
    pub stride: Option<&'a [i64]>,
    /// distance of neighbouring taps. Default: 1.
    pub dilation: Option<&'a [i64]>,
    /// border: one number, or one an axis. Default: 0.
    pub padding: Option<&'a [i64]>,
    /// sizes of the result, of which the last count. Default: what the numbers say.
    pub output_size: Option<&'a [i64]>,
}

/// What `scaled_dot_product_attention` can be told.
#[derive(Clone, Copy, Default)]
pub struct ScaledDotProductAttentionOptions<'a> {
    /// bool: which keys count for a query; numbers: added to the scores; broadcast to [..., n, m].
    /// Default: none.
    pub attn_mask: Option<&'a Tensor>,
    /// share of the weights dropped while training. Default: 0.
    pub dropout_p: Option<f64>,
    /// a query sees the keys up to its own place. Default: false.
    pub is_causal: Option<bool>,
    /// each head of keys and values, axis -3, serves several neighbouring ones of the queries.
    /// Default: false.
    pub enable_gqa: Option<bool>,
}

/// What `svd` can be told.
#[derive(Clone, Copy, Default)]
pub struct SvdOptions {
    /// U and V^T square, else with as many columns and rows as there are values. Default: true.
    pub full_matrices: Option<bool>,
}

/// What `cholesky` can be told.
#[derive(Clone, Copy, Default)]
pub struct CholeskyOptions {
    /// U, upper triangular, with U^T U = this; the upper triangle is read, not the lower. Default:
    /// false.
    pub upper: Option<bool>,
}

/// What `solve_triangular` can be told.
#[derive(Clone, Copy, Default)]
pub struct SolveTriangularOptions {
    /// the upper triangle is read, not the lower. Default: false.
    pub upper: Option<bool>,
    /// this times X is b, not X times this. Default: true.
    pub left: Option<bool>,
    /// the diagonal counts as ones and is not read. Default: false.
    pub unitriangular: Option<bool>,
}

/// What `keccak` can be told.
#[derive(Clone, Copy, Default)]
pub struct KeccakOptions {
    /// Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake128 or Shake256. Default: Sha3_256.
    pub variant: Option<KeccakVariant>,
    /// of the state, which no input reaches; a multiple of 64 below 1600. Default: that of the
    /// variant.
    pub capacity: Option<i64>,
    /// of the result. Default: that of the variant.
    pub size: Option<i64>,
}

/// What `fft` can be told.
#[derive(Clone, Copy, Default)]
pub struct FftOptions {
    /// along which; the axis of the pairs does not count; negative: from the end. Default: -1.
    pub axis: Option<i64>,
}

/// What `ifft` can be told.
#[derive(Clone, Copy, Default)]
pub struct IfftOptions {
    /// along which; the axis of the pairs does not count; negative: from the end. Default: -1.
    pub axis: Option<i64>,
}

/// What `rfft` can be told.
#[derive(Clone, Copy, Default)]
pub struct RfftOptions {
    /// along which; the axis of the pairs does not count; negative: from the end. Default: -1.
    pub axis: Option<i64>,
}

/// What `irfft` can be told.
#[derive(Clone, Copy, Default)]
pub struct IrfftOptions {
    /// of the result's axis. Default: twice m - 1.
    pub size: Option<i64>,
    /// along which; the axis of the pairs does not count; negative: from the end. Default: -1.
    pub axis: Option<i64>,
}

/// What `batch_norm` can be told.
#[derive(Clone, Copy, Default)]
pub struct BatchNormOptions<'a> {
    /// scale, [channels]. Default: none.
    pub weight: Option<&'a Tensor>,
    /// shift, [channels]. Default: none.
    pub bias: Option<&'a Tensor>,
    /// [channels]. Default: none.
    pub running_mean: Option<&'a Tensor>,
    /// [channels]; updated with the unbiased estimate. Default: none.
    pub running_var: Option<&'a Tensor>,
    /// use this batch's statistics. Default: as TrainingScope says.
    pub training: Option<bool>,
    /// share of this batch in the running statistics. Default: 0.1.
    pub momentum: Option<f64>,
    /// added to the variance. Default: 1e-5.
    pub eps: Option<f64>,
    /// the channels' axis. Default: 1.
    pub axis: Option<i64>,
}

/// What `layer_norm` can be told.
#[derive(Clone, Copy, Default)]
pub struct LayerNormOptions<'a> {
    /// axes normalised together. Default: -1.
    pub axis: Option<&'a [i64]>,
    /// scale, of the axes' shape. Default: none.
    pub weight: Option<&'a Tensor>,
    /// shift, of the axes' shape. Default: none.
    pub bias: Option<&'a Tensor>,
    /// added to the variance. Default: 1e-5.
    pub eps: Option<f64>,
}

/// What `rms_norm` can be told.
#[derive(Clone, Copy, Default)]
pub struct RmsNormOptions<'a> {
    /// axes normalised together. Default: -1.
    pub axis: Option<&'a [i64]>,
    /// scale, of the axes' shape. Default: none.
    pub weight: Option<&'a Tensor>,
    /// added to the mean of squares. Default: 1e-6.
    pub eps: Option<f64>,
}

/// What `group_norm` can be told.
#[derive(Clone, Copy, Default)]
pub struct GroupNormOptions<'a> {
    /// scale, [channels]. Default: none.
    pub weight: Option<&'a Tensor>,
    /// shift, [channels]. Default: none.
    pub bias: Option<&'a Tensor>,
    /// added to the variance. Default: 1e-5.
    pub eps: Option<f64>,
}

/// What `cross_entropy` can be told.
#[derive(Clone, Copy, Default)]
pub struct CrossEntropyOptions<'a> {
    /// None, Mean or Sum of the elements' losses. Default: Mean.
    pub reduction: Option<Reduction>,
    /// share of the target spread over all classes. Default: 0.
    pub label_smoothing: Option<f64>,
    /// label of elements that do not count. Default: none.
    pub ignore_index: Option<i64>,
    /// a weight for each class, [classes]. Default: none.
    pub weight: Option<&'a Tensor>,
}

/// What `sparse_categorical_crossentropy` can be told.
#[derive(Clone, Copy, Default)]
pub struct SparseCategoricalCrossentropyOptions<'a> {
    /// None, Mean or Sum of the elements' losses. Default: Mean.
    pub reduction: Option<Reduction>,
    /// share of the target spread over all classes. Default: 0.
    pub label_smoothing: Option<f64>,
    /// label of elements that do not count. Default: none.
    pub ignore_index: Option<i64>,
    /// a weight for each class, [classes]. Default: none.
    pub weight: Option<&'a Tensor>,
}

/// What `nll_loss` can be told.
#[derive(Clone, Copy, Default)]
pub struct NllLossOptions<'a> {
    /// None, Mean or Sum of the elements' losses. Default: Mean.
    pub reduction: Option<Reduction>,
    /// label of elements that do not count. Default: none.
    pub ignore_index: Option<i64>,
    /// a weight for each class, [classes]. Default: none.
    pub weight: Option<&'a Tensor>,
}

/// What `binary_crossentropy` can be told.
#[derive(Clone, Copy, Default)]
pub struct BinaryCrossentropyOptions {
    /// None, Mean or Sum of the elements' losses. Default: Mean.
    pub reduction: Option<Reduction>,
}

/// What `binary_crossentropy_logits` can be told.
#[derive(Clone, Copy, Default)]
pub struct BinaryCrossentropyLogitsOptions {
    /// None, Mean or Sum of the elements' losses. Default: Mean.
    pub reduction: Option<Reduction>,
}

/// What `realize` can be told.
#[derive(Clone, Copy, Default)]
pub struct RealizeOptions<'a> {
    /// what to compute. Default: this one.
    pub tensors: Option<&'a [&'a Tensor]>,
}

/// What `contiguous_unrolled` can be told.
#[derive(Clone, Copy, Default)]
pub struct ContiguousUnrolledOptions<'a> {
    /// the same of those that are reduced. Default: none.
    pub unroll: Option<&'a [i64]>,
}

/// What `shard` can be told.
#[derive(Clone, Copy, Default)]
pub struct ShardOptions {
    /// which is split. Default: none.
    pub axis: Option<i64>,
}

/// What `shard_` can be told.
#[derive(Clone, Copy, Default)]
pub struct ShardInPlaceOptions {
    /// which is split. Default: none.
    pub axis: Option<i64>,
}

/// What `backward` can be told.
#[derive(Clone, Copy, Default)]
pub struct BackwardOptions<'a> {
    /// gradient that reaches this value, of its shape. Default: 1, for a scalar.
    pub seed: Option<&'a Tensor>,
    /// whether live tensors on the way to the leaves get theirs too. Default: false.
    pub inner: Option<bool>,
}

/// What `gradient` can be told.
#[derive(Clone, Copy, Default)]
pub struct GradientOptions<'a> {
    /// gradient that reaches this value, of its shape. Default: 1, for a scalar.
    pub seed: Option<&'a Tensor>,
}

/// What `is_param_` can be told.
#[derive(Clone, Copy, Default)]
pub struct IsParamInPlaceOptions {
    /// whether it is one. Default: true.
    pub flag: Option<bool>,
}

impl Tensor {
    /// A copy of raw elements, row-major, little endian.
    ///
    /// Shape: the result has the given shape. Dtype: the asked one, else as stored.
    ///
    /// bytes: the elements (bytes).
    ///
    /// shape: sizes of the axes (elements).
    ///
    /// stored: dtype of the bytes.
    ///
    /// dtype: converts to this dtype. Default: as stored.
    ///
    /// device: where it lives. Default: the default device.
    ///
    /// Errors: ShapeError if the bytes do not fill the shape.
    pub fn from_bytes<'a>(bytes: &'a [u8], shape: &'a [i64], stored: DType, options: FromBytesOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("from_bytes\0");
        let arguments = Arguments::new().add(bytes).add(shape).add(stored).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// Storage whose contents are undefined.
    ///
    /// Shape: the result has the given shape. Dtype: the asked one, else default_float().
    ///
    /// shape: sizes of the axes (elements).
    ///
    /// dtype: element type. Default: float32.
    ///
    /// device: where it lives. Default: the default device.
    ///
    /// Errors: ShapeError for a negative size; DTypeError for a dtype without storage.
    pub fn empty<'a>(shape: &'a [i64], options: EmptyOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("empty\0");
        let arguments = Arguments::new().add(shape).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// One value everywhere.
    ///
    /// Shape: the result has the given shape. Dtype: the asked one, else that of the value.
    ///
    /// sizes: sizes of the axes (elements).
    ///
    /// value: a number.
    ///
    /// dtype: element type. Default: that of the value.
    ///
    /// device: where it lives. Default: the default device.
    ///
    /// buffer: gives it storage of its own. Default: true.
    ///
    /// Errors: ShapeError for a value that is no scalar.
    pub fn full<'a>(sizes: impl Into<Sizes<'a>>, value: impl Into<Operand<'a>>, options: FullOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("full\0");
        let arguments = Arguments::new().add(sizes.into()).add(value.into()).add(options.dtype).add(options.device).add(options.buffer);
        FUNCTION.call(arguments)
    }

    /// 0 everywhere.
    ///
    /// Shape: the result has the given shape. Dtype: the asked one, else default_float().
    ///
    /// sizes: sizes of the axes (elements).
    ///
    /// dtype: element type. Default: float32.
    ///
    /// device: where it lives. Default: the default device.
    ///
    /// Errors: ShapeError for a negative size; DTypeError for a dtype without storage.
    pub fn zeros<'a>(sizes: impl Into<Sizes<'a>>, options: ZerosOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("zeros\0");
        let arguments = Arguments::new().add(sizes.into()).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// 1 everywhere.
    ///
    /// Shape: the result has the given shape. Dtype: the asked one, else default_float().
    ///
    /// sizes: sizes of the axes (elements).
    ///
    /// dtype: element type. Default: float32.
    ///
    /// device: where it lives. Default: the default device.
    ///
    /// Errors: ShapeError for a negative size; DTypeError for a dtype without storage.
    pub fn ones<'a>(sizes: impl Into<Sizes<'a>>, options: OnesOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("ones\0");
        let arguments = Arguments::new().add(sizes.into()).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// Evenly spaced values from start up to stop, which is excluded.
    ///
    /// Shape: \[ceil((stop - start) / step)\], \[0\] if that is negative. Dtype: the asked one,
    /// else int32 if start, stop and step are whole (int64 if the values need it), else float32.
    ///
    /// stop: end, excluded.
    ///
    /// start: first value. Default: 0.
    ///
    /// step: distance of neighbours, not 0. Default: 1.
    ///
    /// dtype: element type. Default: int32 for whole numbers, else float32.
    ///
    /// device: where it lives. Default: the default device.
    ///
    /// Errors: ArgumentError for a step of 0 or ends that are not finite.
    pub fn arange<'a>(stop: f64, options: ArangeOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("arange\0");
        let arguments = Arguments::new().add(stop).add(options.start).add(options.step).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// Evenly spaced values, both ends included.
    ///
    /// Shape: \[steps\]. Dtype: the asked one, else default_float().
    ///
    /// start: first value.
    ///
    /// stop: last value.
    ///
    /// steps: how many (elements).
    ///
    /// dtype: element type. Default: float32.
    ///
    /// device: where it lives. Default: the default device.
    ///
    /// Errors: ArgumentError for a negative number of steps.
    pub fn linspace<'a>(start: f64, stop: f64, steps: i64, options: LinspaceOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("linspace\0");
        let arguments = Arguments::new().add(start).add(stop).add(steps).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// Ones on the diagonal, zeros elsewhere.
    ///
    /// Shape: \[n, m\]. Dtype: the asked one, else default_float().
    ///
    /// n: rows (elements).
    ///
    /// m: columns; as many as rows if negative (elements). Default: -1.
    ///
    /// dtype: element type. Default: float32.
    ///
    /// device: where it lives. Default: the default device.
    ///
    /// Errors: ShapeError for a negative size; DTypeError for a dtype without storage.
    pub fn eye<'a>(n: i64, options: EyeOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("eye\0");
        let arguments = Arguments::new().add(n).add(options.m).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// One value everywhere, of this tensor's shape, dtype and device.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// value: a number.
    ///
    /// Errors: ShapeError for a value that is no scalar.
    pub fn full_like<'a>(&'a self, value: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("full_like\0");
        let arguments = Arguments::new().add(self).add(value.into());
        FUNCTION.call(arguments)
    }

    /// 0 everywhere, of this tensor's shape, dtype and device.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn zeros_like<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("zeros_like\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// 1 everywhere, of this tensor's shape, dtype and device.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn ones_like<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("ones_like\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Undefined contents of this tensor's shape, dtype and device.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn empty_like<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("empty_like\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Uniform in \[0, 1): every bit of the mantissa is random. The numbers depend on the seed and
    /// on how many were drawn before, on nothing else.
    ///
    /// Shape: the result has the given shape. Dtype: the asked one, else default_float().
    ///
    /// shape: sizes of the axes (elements).
    ///
    /// dtype: element type. Default: float32.
    ///
    /// device: where it lives. Default: the default device.
    ///
    /// Errors: DTypeError for a dtype that is no float; ShapeError for a negative size.
    pub fn rand<'a>(shape: &'a [i64], options: RandOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("rand\0");
        let arguments = Arguments::new().add(shape).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// Standard normal, by Box and Muller.
    ///
    /// Shape: the result has the given shape. Dtype: the asked one, else default_float().
    ///
    /// shape: sizes of the axes (elements).
    ///
    /// dtype: element type. Default: float32.
    ///
    /// device: where it lives. Default: the default device.
    ///
    /// Errors: DTypeError for a dtype that is no float; ShapeError for a negative size.
    pub fn randn<'a>(shape: &'a [i64], options: RandnOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("randn\0");
        let arguments = Arguments::new().add(shape).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// Whole numbers, each of the range equally likely.
    ///
    /// Shape: the result has the given shape. Dtype: the asked one, else int32.
    ///
    /// shape: sizes of the axes (elements).
    ///
    /// low: smallest value. Default: 0.
    ///
    /// high: one past the largest value. Default: 10.
    ///
    /// dtype: element type. Default: int32.
    ///
    /// device: where it lives. Default: the default device.
    ///
    /// Errors: ArgumentError unless low \< high, at most 2^32 apart; DTypeError for a dtype that is
    /// no integer.
    pub fn randint<'a>(shape: &'a [i64], options: RandintOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("randint\0");
        let arguments = Arguments::new().add(shape).add(options.low).add(options.high).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// The numbers below n in random order, each order equally likely.
    ///
    /// Shape: \[n\]. Dtype: the asked one, else int32.
    ///
    /// n: how many (elements).
    ///
    /// dtype: element type. Default: int32.
    ///
    /// device: where it lives. Default: the default device.
    ///
    /// Errors: ArgumentError for a negative n, or one above 2^31; DTypeError for a dtype that is no
    /// integer, or too small for n.
    pub fn randperm<'a>(n: i64, options: RandpermOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("randperm\0");
        let arguments = Arguments::new().add(n).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// Places drawn with the weights that stand there, which need not add up to 1; of a matrix, for
    /// each row.
    ///
    /// Shape: \[places\] gives \[num_samples\], \[rows, places\] gives \[rows, num_samples\].
    /// Dtype: int32.
    ///
    /// num_samples: how many. Default: 1.
    ///
    /// replacement: whether a place may be drawn again. Default: false.
    ///
    /// Errors: ShapeError for other than 1 or 2 axes; ArgumentError for fewer places than samples
    /// without replacement, no place, no sample, or an axis of variable size.
    pub fn multinomial<'a>(&'a self, options: MultinomialOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("multinomial\0");
        let arguments = Arguments::new().add(self).add(options.num_samples).add(options.replacement);
        FUNCTION.call(arguments)
    }

    /// Words of the Threefry stream of this key. Nothing but key and counter decides them.
    ///
    /// Shape: \[num\]. Dtype: uint32.
    ///
    /// counter: \[2\], uint32: which part of the stream.
    ///
    /// num: how many words.
    ///
    /// Errors: ArgumentError unless key and counter are uint32 of shape \[2\] and num lies between
    /// 0 and 2^32.
    pub fn random_bits<'a>(&'a self, counter: &'a Tensor, num: i64) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("random_bits\0");
        let arguments = Arguments::new().add(self).add(counter).add(num);
        FUNCTION.call(arguments)
    }

    /// Uniform in \[low, high); whole numbers of them for an integer dtype.
    ///
    /// Shape: the result has the given shape. Dtype: the asked one, else default_float().
    ///
    /// shape: sizes of the axes (elements).
    ///
    /// low: lower end, included. Default: 0.
    ///
    /// high: upper end, excluded. Default: 1.
    ///
    /// dtype: element type. Default: float32.
    ///
    /// device: where it lives. Default: the default device.
    ///
    /// Errors: ArgumentError unless low \< high; DTypeError for bool; ShapeError for a negative
    /// size.
    pub fn uniform<'a>(shape: &'a [i64], options: UniformOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("uniform\0");
        let arguments = Arguments::new().add(shape).add(options.low).add(options.high).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// Normal with the given mean and deviation.
    ///
    /// Shape: the result has the given shape. Dtype: the asked one, else default_float().
    ///
    /// shape: sizes of the axes (elements).
    ///
    /// mean: mean. Default: 0.
    ///
    /// std: deviation. Default: 1.
    ///
    /// dtype: element type. Default: float32.
    ///
    /// device: where it lives. Default: the default device.
    ///
    /// Errors: ArgumentError for a negative deviation; DTypeError for a dtype that is no float;
    /// ShapeError for a negative size.
    pub fn normal<'a>(shape: &'a [i64], options: NormalOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("normal\0");
        let arguments = Arguments::new().add(shape).add(options.mean).add(options.std).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// Uniform in +-1/sqrt(number of elements).
    ///
    /// Shape: the result has the given shape. Dtype: the asked one, else default_float().
    ///
    /// shape: sizes of the axes (elements).
    ///
    /// dtype: element type. Default: float32.
    ///
    /// device: where it lives. Default: the default device.
    ///
    /// Errors: DTypeError for a dtype that is no float; ShapeError for a negative size.
    pub fn scaled_uniform<'a>(shape: &'a [i64], options: ScaledUniformOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("scaled_uniform\0");
        let arguments = Arguments::new().add(shape).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// Uniform in +-sqrt(6 / (shape\[0\] + product of the rest)).
    ///
    /// Shape: the result has the given shape. Dtype: the asked one, else default_float().
    ///
    /// shape: sizes of the axes (elements).
    ///
    /// dtype: element type. Default: float32.
    ///
    /// device: where it lives. Default: the default device.
    ///
    /// Errors: ShapeError for fewer than 2 axes; DTypeError for a dtype that is no float.
    pub fn glorot_uniform<'a>(shape: &'a [i64], options: GlorotUniformOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("glorot_uniform\0");
        let arguments = Arguments::new().add(shape).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// Uniform in +-sqrt(6 / ((1 + a^2) * product of all sizes but the first)).
    ///
    /// Shape: the result has the given shape. Dtype: the asked one, else default_float().
    ///
    /// shape: sizes of the axes (elements).
    ///
    /// a: slope of the leaky relu that follows. Default: 0.01.
    ///
    /// dtype: element type. Default: float32.
    ///
    /// device: where it lives. Default: the default device.
    ///
    /// Errors: ShapeError for fewer than 2 axes; DTypeError for a dtype that is no float.
    pub fn kaiming_uniform<'a>(shape: &'a [i64], options: KaimingUniformOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("kaiming_uniform\0");
        let arguments = Arguments::new().add(shape).add(options.a).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// Normal with deviation sqrt(2 / ((1 + a^2) * product of all sizes but the first)).
    ///
    /// Shape: the result has the given shape. Dtype: the asked one, else default_float().
    ///
    /// shape: sizes of the axes (elements).
    ///
    /// a: slope of the leaky relu that follows. Default: 0.01.
    ///
    /// dtype: element type. Default: float32.
    ///
    /// device: where it lives. Default: the default device.
    ///
    /// Errors: ShapeError for fewer than 2 axes; DTypeError for a dtype that is no float.
    pub fn kaiming_normal<'a>(shape: &'a [i64], options: KaimingNormalOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("kaiming_normal\0");
        let arguments = Arguments::new().add(shape).add(options.a).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// rand of this tensor's shape, dtype and device.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// Errors: DTypeError for a dtype that is no float.
    pub fn rand_like<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("rand_like\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// randn of this tensor's shape, dtype and device.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// Errors: DTypeError for a dtype that is no float.
    pub fn randn_like<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("randn_like\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// While training, zeroes elements at random and scales the others up so that the mean stays;
    /// else the tensor itself.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// p: share of zeroed elements (probability). Default: 0.5.
    ///
    /// Errors: ArgumentError for a probability outside \[0, 1\].
    pub fn dropout<'a>(&'a self, options: DropoutOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("dropout\0");
        let arguments = Arguments::new().add(self).add(options.p);
        FUNCTION.call(arguments)
    }

    /// Sizes of the axes; where one is an expression of variables, the largest that it can be.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    pub fn shape<'a>(&'a self) -> Result<Vec<i64>> {
        static FUNCTION: Function = Function::new("shape\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Sizes of the axes, with their variables.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    pub fn sizes<'a>(&'a self) -> Result<Vec<Size>> {
        static FUNCTION: Function = Function::new("sizes\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Size of one axis.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// axis: which.
    ///
    /// Errors: IndexError for an axis outside the shape.
    pub fn size<'a>(&'a self, axis: i64) -> Result<i64> {
        static FUNCTION: Function = Function::new("size\0");
        let arguments = Arguments::new().add(self).add(axis);
        FUNCTION.call(arguments)
    }

    /// Element type.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    pub fn dtype<'a>(&'a self) -> Result<DType> {
        static FUNCTION: Function = Function::new("dtype\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Name of the device; empty for constants, which live nowhere.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    pub fn device<'a>(&'a self) -> Result<String> {
        static FUNCTION: Function = Function::new("device\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Number of axes.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    pub fn ndim<'a>(&'a self) -> Result<i64> {
        static FUNCTION: Function = Function::new("ndim\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Number of elements.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    pub fn numel<'a>(&'a self) -> Result<i64> {
        static FUNCTION: Function = Function::new("numel\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Number of elements, with the values that variable sizes have now.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    pub fn existing_elements<'a>(&'a self) -> Result<i64> {
        static FUNCTION: Function = Function::new("existing_elements\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Size of one element, bytes.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    pub fn element_size<'a>(&'a self) -> Result<i64> {
        static FUNCTION: Function = Function::new("element_size\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Size of all elements, bytes.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    pub fn nbytes<'a>(&'a self) -> Result<i64> {
        static FUNCTION: Function = Function::new("nbytes\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Whether the dtype is a float.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    pub fn is_floating_point<'a>(&'a self) -> Result<bool> {
        static FUNCTION: Function = Function::new("is_floating_point\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// The same elements, row-major, under other sizes.
    ///
    /// Shape: the given sizes. Dtype: that of this tensor.
    ///
    /// sizes: new sizes; one may be -1, which is inferred (elements).
    ///
    /// Errors: ShapeError if the number of elements differs or -1 cannot be inferred, or if a
    /// variable size would be merged with an axis before it.
    pub fn reshape<'a>(&'a self, sizes: impl Into<Sizes<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("reshape\0");
        let arguments = Arguments::new().add(self).add(sizes.into());
        FUNCTION.call(arguments)
    }

    /// Another name of reshape.
    ///
    /// Shape: the given sizes. Dtype: that of this tensor.
    ///
    /// sizes: as of reshape (elements).
    ///
    /// Errors: as reshape.
    pub fn view<'a>(&'a self, sizes: impl Into<Sizes<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("view\0");
        let arguments = Arguments::new().add(self).add(sizes.into());
        FUNCTION.call(arguments)
    }

    /// Stretches axes of size 1 without copying; new axes stand in front.
    ///
    /// Shape: the given sizes. Dtype: that of this tensor.
    ///
    /// sizes: new sizes; -1 keeps one (elements).
    ///
    /// Errors: ShapeError if an axis of another size than 1 would change.
    pub fn expand<'a>(&'a self, sizes: impl Into<Sizes<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("expand\0");
        let arguments = Arguments::new().add(self).add(sizes.into());
        FUNCTION.call(arguments)
    }

    /// Axes in another order.
    ///
    /// Shape: sizes reordered. Dtype: that of this tensor.
    ///
    /// order: for each new axis, the old one.
    ///
    /// Errors: ArgumentError unless each axis is named once; IndexError for an axis outside the
    /// shape.
    pub fn permute<'a>(&'a self, order: &'a [i64]) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("permute\0");
        let arguments = Arguments::new().add(self).add(order);
        FUNCTION.call(arguments)
    }

    /// Swaps two axes.
    ///
    /// Shape: two sizes swapped. Dtype: that of this tensor.
    ///
    /// axis0: one axis. Default: 1.
    ///
    /// axis1: the other. Default: 0.
    ///
    /// Errors: IndexError for an axis outside the shape.
    pub fn transpose<'a>(&'a self, options: TransposeOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("transpose\0");
        let arguments = Arguments::new().add(self).add(options.axis0).add(options.axis1);
        FUNCTION.call(arguments)
    }

    /// transpose() of the first two axes.
    ///
    /// Shape: two sizes swapped. Dtype: that of this tensor.
    ///
    /// Errors: IndexError for an axis outside the shape.
    pub fn t<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("T\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Reverses axes.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// axes: which; none named: all.
    ///
    /// Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
    pub fn flip<'a>(&'a self, axes: &'a [i64]) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("flip\0");
        let arguments = Arguments::new().add(self).add(axes);
        FUNCTION.call(arguments)
    }

    /// A window.
    ///
    /// Shape: end - begin on every axis. Dtype: that of this tensor.
    ///
    /// ranges: \[begin, end) of every axis (elements).
    ///
    /// Errors: IndexError for a range outside its axis; ArgumentError unless there is one an axis.
    pub fn shrink<'a>(&'a self, ranges: &'a [i64]) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("shrink\0");
        let arguments = Arguments::new().add(self).add(ranges);
        FUNCTION.call(arguments)
    }

    /// A border of one value, or continued from the elements.
    ///
    /// Shape: before + size + after on every axis. Dtype: that of this tensor.
    ///
    /// padding: (before, after) of every axis; negative numbers crop (elements).
    ///
    /// value: a number, or a tensor of one element. Default: 0.
    ///
    /// mode: instead of a value: Reflect mirrors without the edge, Replicate repeats the edge,
    /// Circular goes on from the other end. Default: none.
    ///
    /// Errors: ArgumentError unless there is one pair an axis and the value is a number; ShapeError
    /// if more is cropped or continued than there is.
    pub fn pad<'a>(&'a self, padding: &'a [i64], options: PadOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("pad\0");
        let arguments = Arguments::new().add(self).add(padding).add(options.value).add(options.mode);
        FUNCTION.call(arguments)
    }

    /// Drops axes of size 1: all, or the named one if its size is 1.
    ///
    /// Shape: without the dropped axes. Dtype: that of this tensor.
    ///
    /// axis: which. Default: all.
    ///
    /// Errors: IndexError for an axis outside the shape.
    pub fn squeeze<'a>(&'a self, options: SqueezeOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("squeeze\0");
        let arguments = Arguments::new().add(self).add(options.axis);
        FUNCTION.call(arguments)
    }

    /// A new axis of size 1.
    ///
    /// Shape: one axis more. Dtype: that of this tensor.
    ///
    /// axis: where it stands afterwards; -1: last.
    ///
    /// Errors: IndexError for an axis outside the shape.
    pub fn unsqueeze<'a>(&'a self, axis: i64) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("unsqueeze\0");
        let arguments = Arguments::new().add(self).add(axis);
        FUNCTION.call(arguments)
    }

    /// Merges neighbouring axes.
    ///
    /// Shape: the product of the sizes on one axis. Dtype: that of this tensor.
    ///
    /// first: first axis. Default: 0.
    ///
    /// last: last axis. Default: -1.
    ///
    /// Errors: IndexError for an axis outside the shape; ArgumentError if first stands after last.
    pub fn flatten<'a>(&'a self, options: FlattenOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("flatten\0");
        let arguments = Arguments::new().add(self).add(options.first).add(options.last);
        FUNCTION.call(arguments)
    }

    /// Splits one axis.
    ///
    /// Shape: the axis replaced by the sizes. Dtype: that of this tensor.
    ///
    /// axis: which.
    ///
    /// sizes: its new sizes; one may be -1 (elements).
    ///
    /// Errors: ShapeError if the sizes do not multiply to the axis.
    pub fn unflatten<'a>(&'a self, axis: i64, sizes: &'a [i64]) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("unflatten\0");
        let arguments = Arguments::new().add(self).add(axis).add(sizes);
        FUNCTION.call(arguments)
    }

    /// Tiles: the whole tensor again and again along each axis; more counts than axes add axes in
    /// front.
    ///
    /// Shape: sizes times counts. Dtype: that of this tensor.
    ///
    /// repeats: how often, for each axis.
    ///
    /// Errors: ArgumentError for fewer counts than axes or a negative one.
    pub fn repeat<'a>(&'a self, repeats: &'a [i64]) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("repeat\0");
        let arguments = Arguments::new().add(self).add(repeats);
        FUNCTION.call(arguments)
    }

    /// Shifts circularly along an axis.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// shift: how far towards the end; negative: back (elements).
    ///
    /// axis: which axis; negative: from the end. Default: 0.
    ///
    /// Errors: IndexError for an axis outside the shape.
    pub fn roll<'a>(&'a self, shift: i64, options: RollOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("roll\0");
        let arguments = Arguments::new().add(self).add(shift).add(options.axis);
        FUNCTION.call(arguments)
    }

    /// Keeps the lower triangle of the last two axes, 0 above.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// diagonal: last diagonal kept; positive: above the main one. Default: 0.
    ///
    /// Errors: ShapeError for fewer than 2 axes.
    pub fn tril<'a>(&'a self, options: TrilOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("tril\0");
        let arguments = Arguments::new().add(self).add(options.diagonal);
        FUNCTION.call(arguments)
    }

    /// Keeps the upper triangle of the last two axes, 0 below.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// diagonal: first diagonal kept; positive: above the main one. Default: 0.
    ///
    /// Errors: ShapeError for fewer than 2 axes.
    pub fn triu<'a>(&'a self, options: TriuOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("triu\0");
        let arguments = Arguments::new().add(self).add(options.diagonal);
        FUNCTION.call(arguments)
    }

    /// Main diagonal of a square matrix.
    ///
    /// Shape: \[n, n\] gives \[n\]. Dtype: that of this tensor.
    ///
    /// Errors: ShapeError for anything but a square matrix.
    pub fn diagonal<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("diagonal\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Joins along an existing axis.
    ///
    /// Shape: the sizes along the axis added up. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// tensors: at least one.
    ///
    /// axis: which axis; negative: from the end. Default: 0.
    ///
    /// Errors: ShapeError if other sizes differ; ArgumentError for no tensor.
    pub fn cat<'a>(tensors: &'a [&'a Tensor], options: CatOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("cat\0");
        let arguments = Arguments::new().add(tensors).add(options.axis);
        FUNCTION.call(arguments)
    }

    /// Joins along a new axis.
    ///
    /// Shape: one axis more, as long as there are tensors. Dtype: the promoted dtype of the
    /// operands; numbers give way.
    ///
    /// tensors: at least one, of equal shapes.
    ///
    /// axis: which axis; negative: from the end. Default: 0.
    ///
    /// Errors: ShapeError if the shapes differ; ArgumentError for no tensor.
    pub fn stack<'a>(tensors: &'a [&'a Tensor], options: StackOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("stack\0");
        let arguments = Arguments::new().add(tensors).add(options.axis);
        FUNCTION.call(arguments)
    }

    /// Pieces along an axis: of one size (the last may be smaller), or of the listed sizes.
    ///
    /// Shape: as this tensor, but for the axis. Dtype: that of this tensor.
    ///
    /// size: of each piece (elements). Default: none.
    ///
    /// sizes: of all pieces; they add up to the axis (elements). Default: none.
    ///
    /// axis: which axis; negative: from the end. Default: 0.
    ///
    /// Errors: ShapeError if the sizes do not add up; ArgumentError for a size below 1.
    pub fn split<'a>(&'a self, options: SplitOptions<'a>) -> Result<Vec<Tensor>> {
        static FUNCTION: Function = Function::new("split\0");
        let arguments = Arguments::new().add(self).add(options.size).add(options.sizes).add(options.axis);
        FUNCTION.call(arguments)
    }

    /// At most so many pieces of equal size along an axis; the last may be smaller.
    ///
    /// Shape: as this tensor, but for the axis. Dtype: that of this tensor.
    ///
    /// chunks: largest number of pieces.
    ///
    /// axis: which axis; negative: from the end. Default: 0.
    ///
    /// Errors: ArgumentError for a number below 1.
    pub fn chunk<'a>(&'a self, chunks: i64, options: ChunkOptions) -> Result<Vec<Tensor>> {
        static FUNCTION: Function = Function::new("chunk\0");
        let arguments = Arguments::new().add(self).add(chunks).add(options.axis);
        FUNCTION.call(arguments)
    }

    /// A border of one value at the ends of the axes, up to these sizes. Of an axis of variable
    /// size what does not exist is border too.
    ///
    /// Shape: the given sizes. Dtype: that of this tensor.
    ///
    /// sizes: new sizes; -1 keeps one, a smaller one than there is crops (elements).
    ///
    /// value: a number. Default: 0.
    ///
    /// Errors: ArgumentError unless there is one size an axis, none below -1, and the value is a
    /// number.
    pub fn pad_to<'a>(&'a self, sizes: &'a [i64], options: PadToOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("pad_to\0");
        let arguments = Arguments::new().add(self).add(sizes).add(options.value);
        FUNCTION.call(arguments)
    }

    /// The beginning of each axis.
    ///
    /// Shape: the given sizes. Dtype: that of this tensor.
    ///
    /// sizes: how many elements; -1 keeps all (elements).
    ///
    /// Errors: IndexError for more elements than there are; ArgumentError unless there is one size
    /// an axis.
    pub fn shrink_to<'a>(&'a self, sizes: impl Into<Sizes<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("shrink_to\0");
        let arguments = Arguments::new().add(self).add(sizes.into());
        FUNCTION.call(arguments)
    }

    /// Each element several times, one after the other.
    ///
    /// Shape: the axis, or the number of elements, times the count. Dtype: that of this tensor.
    ///
    /// repeats: how often.
    ///
    /// axis: along which; negative: from the end. Default: that of the flattened tensor.
    ///
    /// Errors: IndexError for an axis outside the shape; ArgumentError for a negative count.
    pub fn repeat_interleave<'a>(&'a self, repeats: i64, options: RepeatInterleaveOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("repeat_interleave\0");
        let arguments = Arguments::new().add(self).add(repeats).add(options.axis);
        FUNCTION.call(arguments)
    }

    /// A vector on the diagonal of a matrix, 0 elsewhere.
    ///
    /// Shape: \[n\] gives \[n, n\]. Dtype: that of this tensor.
    ///
    /// Errors: ShapeError for anything but a vector; ArgumentError if its size is variable.
    pub fn diag<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("diag\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Windows of an axis: it counts them, and a new last axis goes through each.
    ///
    /// Shape: \[..., n, ...\] gives \[..., (n - size) / step + 1, ..., size\]. Dtype: that of this
    /// tensor.
    ///
    /// axis: which; negative: from the end.
    ///
    /// size: of a window (elements).
    ///
    /// step: from one window to the next (elements).
    ///
    /// Errors: IndexError for an axis outside the shape; ArgumentError for windows larger than the
    /// axis, a step below 1, or an axis of variable size.
    pub fn unfold<'a>(&'a self, axis: i64, size: i64, step: i64) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("unfold\0");
        let arguments = Arguments::new().add(self).add(axis).add(size).add(step);
        FUNCTION.call(arguments)
    }

    /// Axes split, reordered and merged, as einops says it.
    ///
    /// Shape: the axes that stand after "-\>". Dtype: that of this tensor.
    ///
    /// formula: names of axes before and after "-\>", parentheses for several in one, 1 for an axis
    /// of size 1, "..." for any number; behind a comma the sizes that do not follow from the shape:
    /// "b (h w) c -\> b c h w, h=4".
    ///
    /// Errors: ArgumentError for a formula that does not fit the shape.
    pub fn rearrange<'a>(&'a self, formula: &'a str) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("rearrange\0");
        let arguments = Arguments::new().add(self).add(formula);
        FUNCTION.call(arguments)
    }

    /// The coordinates of a grid along axes: for each tensor, which lists those of one axis, one of
    /// the grid's shape. A single tensor stays as it is.
    ///
    /// Shape: an axis for each tensor, as long as it. Dtype: that of this tensor.
    ///
    /// tensors: at least one; flattened.
    ///
    /// indexing: the order of the grid's axes: Ij that of the tensors, Xy with the first two
    /// swapped. Default: Ij.
    ///
    /// Errors: ArgumentError for no tensor.
    pub fn meshgrid<'a>(tensors: &'a [&'a Tensor], options: MeshgridOptions) -> Result<Vec<Tensor>> {
        static FUNCTION: Function = Function::new("meshgrid\0");
        let arguments = Arguments::new().add(tensors).add(options.indexing);
        FUNCTION.call(arguments)
    }

    /// The last axes in other sizes. Integers are rounded towards 0 at the end, uint8 to the
    /// nearest after each axis.
    ///
    /// Shape: the last axes as given. Dtype: that of this tensor.
    ///
    /// size: of the last axes (elements).
    ///
    /// mode: Linear weighs the two neighbours on each axis, Nearest takes the element before the
    /// place, NearestExact the one that the place lies in. Default: Linear.
    ///
    /// align_corners: Linear: first and last elements stay at the ends, instead of all elements
    /// having one width. Default: false.
    ///
    /// Errors: ArgumentError for no size or more than axes, negative ones, align_corners with
    /// another mode, or an axis of variable size; ShapeError for an axis without elements.
    pub fn interpolate<'a>(&'a self, size: &'a [i64], options: InterpolateOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("interpolate\0");
        let arguments = Arguments::new().add(self).add(size).add(options.mode).add(options.align_corners);
        FUNCTION.call(arguments)
    }

    /// What lies at the places of a grid, each spatial axis of this going from -1 to 1; the grid
    /// lists them from the last one on. Places that are NaN read 0.
    ///
    /// Shape: \[batch, channels, spatial...\] gives \[batch, channels, out...\]. Dtype: that of
    /// this tensor (float32 for integers and bool) and the grid, promoted.
    ///
    /// grid: \[batch, out..., axes\], a float.
    ///
    /// mode: Linear weighs the neighbours along each axis, Nearest takes the nearest element
    /// (halves: the one with the even number). Default: Linear.
    ///
    /// padding: what lies outside: Zeros, Border (the edge), Reflection (the elements mirrored at
    /// the edge). Default: Zeros.
    ///
    /// align_corners: -1 and 1 are the middles of the end elements, not their edges. Default:
    /// false.
    ///
    /// Errors: ShapeError if the shapes do not fit or a spatial axis has no elements; DTypeError
    /// unless the grid is a float; ArgumentError for an axis of variable size.
    pub fn grid_sample<'a>(&'a self, grid: &'a Tensor, options: GridSampleOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("grid_sample\0");
        let arguments = Arguments::new().add(self).add(grid).add(options.mode).add(options.padding).add(options.align_corners);
        FUNCTION.call(arguments)
    }

    /// The grid that affine maps make of the places of spatial sizes, each axis going from -1 to 1:
    /// what grid_sample takes.
    ///
    /// Shape: \[batch, axes, axes + 1\] gives \[batch, size..., axes\]. Dtype: floats stay,
    /// integers and bool become float32.
    ///
    /// size: of the spatial axes (elements).
    ///
    /// align_corners: as of grid_sample. Default: false.
    ///
    /// Errors: ShapeError if maps and sizes do not fit, or for sizes below 1; ArgumentError for an
    /// axis of variable size.
    pub fn affine_grid<'a>(&'a self, size: &'a [i64], options: AffineGridOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("affine_grid\0");
        let arguments = Arguments::new().add(self).add(size).add(options.align_corners);
        FUNCTION.call(arguments)
    }

    /// One item an axis, as in PyTorch: integers drop it, Slice keeps a part, NewAxis adds one,
    /// Ellipsis stands for the rest, integer tensors pick. Also written x\[{...}\]. Elements of
    /// index tensors count from the end if negative; outside the axis they read 0. A mask, a tensor
    /// of bool, stands for as many axes as it has and picks where it is true, as the columns of its
    /// nonzero() would: it is computed now.
    ///
    /// Shape: as in PyTorch: the axes of index tensors stand where the first was if they are
    /// neighbours once integers have dropped theirs, else in front. Dtype: that of this tensor.
    ///
    /// items: integers, Slice, Ellipsis, NewAxis, integer tensors, masks.
    ///
    /// Errors: IndexError for an integer outside its axis, too many items, index tensors that hold
    /// neither integers nor bool, or a mask of other sizes than its axes; ArgumentError for a step
    /// of 0.
    pub fn index<'a>(&'a self, items: &'a [Index<'a>]) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("index\0");
        let arguments = Arguments::new().add(self).add(items);
        FUNCTION.call(arguments)
    }

    /// Assigns to the part that the items name, in place. Of places that an index tensor names
    /// twice the last wins; places outside are left out. A mask, the only tensor among the items,
    /// is not computed now: values go to its places in row-major order, those left over are not
    /// used, and places left over keep what they have.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// items: as of index.
    ///
    /// value: broadcast to the part.
    ///
    /// Errors: as index and assign.
    pub fn set<'a>(&'a self, items: &'a [Index<'a>], value: &'a Tensor) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("set\0");
        let arguments = Arguments::new().add(self).add(items).add(value);
        FUNCTION.call(arguments)
    }

    /// out\[i...\] = this\[..., index\[i...\] at the axis, ...\].
    ///
    /// Shape: that of the index. Dtype: that of this tensor.
    ///
    /// axis: which.
    ///
    /// index: integers, as many axes as this.
    ///
    /// Errors: ShapeError if the index has other axes or is longer elsewhere; DTypeError unless it
    /// holds integers.
    pub fn gather<'a>(&'a self, axis: i64, index: &'a Tensor) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("gather\0");
        let arguments = Arguments::new().add(self).add(axis).add(index);
        FUNCTION.call(arguments)
    }

    /// A copy with src\[p\] put at index\[p\] along the axis for each p; of equal places the last
    /// wins, places outside are dropped.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// axis: which.
    ///
    /// index: integers, as many axes as this.
    ///
    /// src: values of the index's shape, or a number.
    ///
    /// Errors: ShapeError if the shapes do not fit; DTypeError unless the index holds integers.
    pub fn scatter<'a>(&'a self, axis: i64, index: &'a Tensor, src: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("scatter\0");
        let arguments = Arguments::new().add(self).add(axis).add(index).add(src.into());
        FUNCTION.call(arguments)
    }

    /// As scatter, but values are added to what is there.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// axis: which.
    ///
    /// index: integers, as many axes as this.
    ///
    /// src: values of the index's shape, or a number.
    ///
    /// Errors: as scatter.
    pub fn scatter_add<'a>(&'a self, axis: i64, index: &'a Tensor, src: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("scatter_add\0");
        let arguments = Arguments::new().add(self).add(axis).add(index).add(src.into());
        FUNCTION.call(arguments)
    }

    /// As scatter, but of the values that meet at one place, and of what is there before, the sum,
    /// mean, product, largest or smallest.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// axis: which.
    ///
    /// index: integers, as many axes as this.
    ///
    /// src: values of the index's shape and this dtype, or a number.
    ///
    /// reduction: Sum, Mean, Prod, Max or Min.
    ///
    /// include_self: whether what is there takes part. Default: true.
    ///
    /// Errors: as scatter; DTypeError if the dtypes differ.
    pub fn scatter_reduce<'a>(&'a self, axis: i64, index: &'a Tensor, src: impl Into<Operand<'a>>, reduction: ScatterReduction, options: ScatterReduceOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("scatter_reduce\0");
        let arguments = Arguments::new().add(self).add(axis).add(index).add(src.into()).add(reduction).add(options.include_self);
        FUNCTION.call(arguments)
    }

    /// 1 where the label stands along a new last axis, else 0.
    ///
    /// Shape: \[..., classes\]. Dtype: int32.
    ///
    /// classes: length of the new axis (elements).
    ///
    /// Errors: DTypeError unless the labels are integers; ArgumentError for a negative number.
    pub fn one_hot<'a>(&'a self, classes: i64) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("one_hot\0");
        let arguments = Arguments::new().add(self).add(classes);
        FUNCTION.call(arguments)
    }

    /// The elements where the mask is true, in row-major order.
    ///
    /// Shape: \[size\]. Dtype: that of this tensor.
    ///
    /// mask: bool, broadcast.
    ///
    /// size: length of the result; left out, the mask is computed now (elements). Default: as many
    /// as the mask selects.
    ///
    /// fill_value: of places left over. Default: 0.
    ///
    /// Errors: DTypeError unless the mask is bool; ArgumentError for a negative size; ShapeError if
    /// the shapes cannot be broadcast.
    pub fn masked_select<'a>(&'a self, mask: &'a Tensor, options: MaskedSelectOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("masked_select\0");
        let arguments = Arguments::new().add(self).add(mask).add(options.size).add(options.fill_value);
        FUNCTION.call(arguments)
    }

    /// The places of the elements that are not 0, in row-major order, a row each.
    ///
    /// Shape: \[size, axes\]. Dtype: int32.
    ///
    /// size: number of rows; left out, this tensor is computed now. Default: as many as are not 0.
    ///
    /// fill_value: of rows left over. Default: 0.
    ///
    /// Errors: ArgumentError for a negative size.
    pub fn nonzero<'a>(&'a self, options: NonzeroOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("nonzero\0");
        let arguments = Arguments::new().add(self).add(options.size).add(options.fill_value);
        FUNCTION.call(arguments)
    }

    /// The pair of the elements in order along an axis and their places, int32. NaN is the largest
    /// number; equal elements keep their order, as -0 and 0.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// axis: axis to go along. Default: -1.
    ///
    /// descending: from the largest on. Default: false.
    ///
    /// Errors: IndexError for an axis outside the shape.
    pub fn sort<'a>(&'a self, options: SortOptions) -> Result<Vec<Tensor>> {
        static FUNCTION: Function = Function::new("sort\0");
        let arguments = Arguments::new().add(self).add(options.axis).add(options.descending);
        FUNCTION.call(arguments)
    }

    /// The places of the elements in order along an axis, those of sort.
    ///
    /// Shape: the result has this tensor's shape. Dtype: int32.
    ///
    /// axis: axis to go along. Default: -1.
    ///
    /// descending: from the largest on. Default: false.
    ///
    /// Errors: IndexError for an axis outside the shape.
    pub fn argsort<'a>(&'a self, options: ArgsortOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("argsort\0");
        let arguments = Arguments::new().add(self).add(options.axis).add(options.descending);
        FUNCTION.call(arguments)
    }

    /// The pair of the first k elements in order along an axis, from the largest or the smallest
    /// on, and their places, int32; those of sort.
    ///
    /// Shape: k along the axis. Dtype: that of this tensor.
    ///
    /// k: how many (elements).
    ///
    /// axis: axis to go along. Default: -1.
    ///
    /// largest: from the largest on, else from the smallest. Default: true.
    ///
    /// Errors: IndexError for an axis outside the shape; ArgumentError unless k lies between 0 and
    /// the axis, or for an axis of variable size.
    pub fn topk<'a>(&'a self, k: i64, options: TopkOptions) -> Result<Vec<Tensor>> {
        static FUNCTION: Function = Function::new("topk\0");
        let arguments = Arguments::new().add(self).add(k).add(options.axis).add(options.largest);
        FUNCTION.call(arguments)
    }

    /// The elements that differ, in order; of equal ones the first. Each NaN differs.
    ///
    /// Shape: \[size\]. Dtype: that of this tensor.
    ///
    /// size: length of the result; left out, the tensor is sorted now (elements). Default: as many
    /// as differ.
    ///
    /// fill_value: of places left over. Default: 0.
    ///
    /// Errors: ArgumentError for a negative size.
    pub fn unique<'a>(&'a self, options: UniqueOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("unique\0");
        let arguments = Arguments::new().add(self).add(options.size).add(options.fill_value);
        FUNCTION.call(arguments)
    }

    /// Sum. Integers wrap; bool: or.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn add<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("add\0");
        let arguments = Arguments::new().add(self).add(other.into());
        FUNCTION.call(arguments)
    }

    /// Difference. Integers wrap.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn sub<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("sub\0");
        let arguments = Arguments::new().add(self).add(other.into());
        FUNCTION.call(arguments)
    }

    /// Product. Integers wrap; bool: and.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn mul<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("mul\0");
        let arguments = Arguments::new().add(self).add(other.into());
        FUNCTION.call(arguments)
    }

    /// True division; with a rounding the quotient towards 0 or down.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype; integers and bool become
    /// float32 unless it is rounded.
    ///
    /// other: the right operand, or a number.
    ///
    /// rounding: None, Trunc (towards 0) or Floor (down). Default: None.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn div<'a>(&'a self, other: impl Into<Operand<'a>>, options: DivOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("div\0");
        let arguments = Arguments::new().add(self).add(other.into()).add(options.rounding);
        FUNCTION.call(arguments)
    }

    /// Quotient rounded down; 0 for a whole division by 0.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn floordiv<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("floordiv\0");
        let arguments = Arguments::new().add(self).add(other.into());
        FUNCTION.call(arguments)
    }

    /// Remainder with the divisor's sign; 0 for a whole division by 0.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn r#mod<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("mod\0");
        let arguments = Arguments::new().add(self).add(other.into());
        FUNCTION.call(arguments)
    }

    /// Remainder with the sign of this tensor; 0 for a whole division by 0.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn fmod<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("fmod\0");
        let arguments = Arguments::new().add(self).add(other.into());
        FUNCTION.call(arguments)
    }

    /// The larger; NaN if either is NaN.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn maximum<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("maximum\0");
        let arguments = Arguments::new().add(self).add(other.into());
        FUNCTION.call(arguments)
    }

    /// The smaller; NaN if either is NaN.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn minimum<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("minimum\0");
        let arguments = Arguments::new().add(self).add(other.into());
        FUNCTION.call(arguments)
    }

    /// And of bits.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: DTypeError for floats; ShapeError if the shapes cannot be broadcast.
    pub fn bitwise_and<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("bitwise_and\0");
        let arguments = Arguments::new().add(self).add(other.into());
        FUNCTION.call(arguments)
    }

    /// Or of bits.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: DTypeError for floats; ShapeError if the shapes cannot be broadcast.
    pub fn bitwise_or<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("bitwise_or\0");
        let arguments = Arguments::new().add(self).add(other.into());
        FUNCTION.call(arguments)
    }

    /// Exclusive or of bits.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: DTypeError for floats; ShapeError if the shapes cannot be broadcast.
    pub fn bitwise_xor<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("bitwise_xor\0");
        let arguments = Arguments::new().add(self).add(other.into());
        FUNCTION.call(arguments)
    }

    /// Equal; false for NaN.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: bool.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn eq<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("eq\0");
        let arguments = Arguments::new().add(self).add(other.into());
        FUNCTION.call(arguments)
    }

    /// Not equal; true for NaN.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: bool.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn ne<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("ne\0");
        let arguments = Arguments::new().add(self).add(other.into());
        FUNCTION.call(arguments)
    }

    /// Less; false for NaN.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: bool.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn lt<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("lt\0");
        let arguments = Arguments::new().add(self).add(other.into());
        FUNCTION.call(arguments)
    }

    /// Less or equal; false for NaN.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: bool.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn le<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("le\0");
        let arguments = Arguments::new().add(self).add(other.into());
        FUNCTION.call(arguments)
    }

    /// Greater; false for NaN.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: bool.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn gt<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("gt\0");
        let arguments = Arguments::new().add(self).add(other.into());
        FUNCTION.call(arguments)
    }

    /// Greater or equal; false for NaN.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: bool.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn ge<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("ge\0");
        let arguments = Arguments::new().add(self).add(other.into());
        FUNCTION.call(arguments)
    }

    /// Both are not 0.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: bool.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn logical_and<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("logical_and\0");
        let arguments = Arguments::new().add(self).add(other.into());
        FUNCTION.call(arguments)
    }

    /// One is not 0.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: bool.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn logical_or<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("logical_or\0");
        let arguments = Arguments::new().add(self).add(other.into());
        FUNCTION.call(arguments)
    }

    /// This to the power of the exponent; 0 to the power 0 is 1; NaN for a broken power of a
    /// negative number.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// exponent: a number or a tensor.
    ///
    /// Errors: DTypeError for an integer base unless the exponent is a whole number, not negative.
    pub fn pow<'a>(&'a self, exponent: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("pow\0");
        let arguments = Arguments::new().add(self).add(exponent.into());
        FUNCTION.call(arguments)
    }

    /// Limited to \[low, high\].
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// low: lower bound, or a number.
    ///
    /// high: upper bound, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn clip<'a>(&'a self, low: impl Into<Operand<'a>>, high: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("clip\0");
        let arguments = Arguments::new().add(self).add(low.into()).add(high.into());
        FUNCTION.call(arguments)
    }

    /// Another name of clip.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// low: lower bound, or a number.
    ///
    /// high: upper bound, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn clamp<'a>(&'a self, low: impl Into<Operand<'a>>, high: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("clamp\0");
        let arguments = Arguments::new().add(self).add(low.into()).add(high.into());
        FUNCTION.call(arguments)
    }

    /// Not below a bound; NaN stays.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// low: lower bound, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn clamp_min<'a>(&'a self, low: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("clamp_min\0");
        let arguments = Arguments::new().add(self).add(low.into());
        FUNCTION.call(arguments)
    }

    /// Not above a bound; NaN stays.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// high: upper bound, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn clamp_max<'a>(&'a self, high: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("clamp_max\0");
        let arguments = Arguments::new().add(self).add(high.into());
        FUNCTION.call(arguments)
    }

    /// Complement of bits; bool: not.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// Errors: DTypeError for floats.
    pub fn bitwise_not<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("bitwise_not\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Bits moved up; counts of 64 and more give 0.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: that of this tensor.
    ///
    /// count: how far (bits).
    ///
    /// Errors: DTypeError for floats; ShapeError if the shapes cannot be broadcast.
    pub fn lshift<'a>(&'a self, count: &'a Tensor) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("lshift\0");
        let arguments = Arguments::new().add(self).add(count);
        FUNCTION.call(arguments)
    }

    /// Bits moved down; the sign stays.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: that of this tensor.
    ///
    /// count: how far (bits).
    ///
    /// Errors: DTypeError for floats; ShapeError if the shapes cannot be broadcast.
    pub fn rshift<'a>(&'a self, count: &'a Tensor) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("rshift\0");
        let arguments = Arguments::new().add(self).add(count);
        FUNCTION.call(arguments)
    }

    /// Is 0.
    ///
    /// Shape: the result has this tensor's shape. Dtype: bool.
    pub fn logical_not<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("logical_not\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// a where this is true, else b.
    ///
    /// Shape: all three, broadcast. Dtype: the promoted dtype of a and b.
    ///
    /// a: taken where true, or a number.
    ///
    /// b: taken where false, or a number.
    ///
    /// Errors: DTypeError unless this is bool; ShapeError if the shapes cannot be broadcast.
    pub fn r#where<'a>(&'a self, a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("where\0");
        let arguments = Arguments::new().add(self).add(a.into()).add(b.into());
        FUNCTION.call(arguments)
    }

    /// The value where the mask is true, else this.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// mask: bool.
    ///
    /// value: a tensor or a number.
    ///
    /// Errors: DTypeError unless the mask is bool; ShapeError if the shapes cannot be broadcast.
    pub fn masked_fill<'a>(&'a self, mask: &'a Tensor, value: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("masked_fill\0");
        let arguments = Arguments::new().add(self).add(mask).add(value.into());
        FUNCTION.call(arguments)
    }

    /// The size of this with the sign of the other, of -0 and NaN too.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype; integers and bool become
    /// float32.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn copysign<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("copysign\0");
        let arguments = Arguments::new().add(self).add(other.into());
        FUNCTION.call(arguments)
    }

    /// Logarithm of exp(x) + exp(y), without overflow.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype; integers and bool become
    /// float32.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn logaddexp<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("logaddexp\0");
        let arguments = Arguments::new().add(self).add(other.into());
        FUNCTION.call(arguments)
    }

    /// This + weight * (end - this).
    ///
    /// Shape: all three, broadcast. Dtype: the promoted dtype of this and end; integers and bool
    /// become float32.
    ///
    /// end: what weight 1 gives, or a number.
    ///
    /// weight: share of the end, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn lerp<'a>(&'a self, end: impl Into<Operand<'a>>, weight: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("lerp\0");
        let arguments = Arguments::new().add(self).add(end.into()).add(weight.into());
        FUNCTION.call(arguments)
    }

    /// Sum of one or more tensors.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// tensors: one or more, or numbers.
    ///
    /// Errors: ArgumentError for none; ShapeError if the shapes cannot be broadcast.
    pub fn usum<'a>(tensors: &'a [&'a Tensor]) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("usum\0");
        let arguments = Arguments::new().add(tensors);
        FUNCTION.call(arguments)
    }

    /// Product of one or more tensors.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// tensors: one or more, or numbers.
    ///
    /// Errors: ArgumentError for none; ShapeError if the shapes cannot be broadcast.
    pub fn uprod<'a>(tensors: &'a [&'a Tensor]) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("uprod\0");
        let arguments = Arguments::new().add(tensors);
        FUNCTION.call(arguments)
    }

    /// |x - y| \<= atol + rtol |y|, or both the same infinity.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: bool.
    ///
    /// other: what to compare with, or a number.
    ///
    /// rtol: tolerance relative to the other tensor. Default: 1e-5.
    ///
    /// atol: absolute tolerance. Default: 1e-8.
    ///
    /// equal_nan: NaN is close to NaN. Default: false.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn isclose<'a>(&'a self, other: impl Into<Operand<'a>>, options: IscloseOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("isclose\0");
        let arguments = Arguments::new().add(self).add(other.into()).add(options.rtol).add(options.atol).add(options.equal_nan);
        FUNCTION.call(arguments)
    }

    /// All elements are close.
    ///
    /// Shape: \[\]. Dtype: bool.
    ///
    /// other: what to compare with, or a number.
    ///
    /// rtol: tolerance relative to the other tensor. Default: 1e-5.
    ///
    /// atol: absolute tolerance. Default: 1e-8.
    ///
    /// equal_nan: NaN is close to NaN. Default: false.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn allclose<'a>(&'a self, other: impl Into<Operand<'a>>, options: AllcloseOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("allclose\0");
        let arguments = Arguments::new().add(self).add(other.into()).add(options.rtol).add(options.atol).add(options.equal_nan);
        FUNCTION.call(arguments)
    }

    /// Threefry-2x32 with 20 rounds: the two words of each number, encrypted under the two words of
    /// the seed. What rand() is made of.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: uint64.
    ///
    /// seed: the key: uint64, or a number.
    ///
    /// Errors: DTypeError unless both are uint64; ShapeError if the shapes cannot be broadcast.
    pub fn threefry<'a>(&'a self, seed: impl Into<Operand<'a>>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("threefry\0");
        let arguments = Arguments::new().add(self).add(seed.into());
        FUNCTION.call(arguments)
    }

    /// Negation; bool: not.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn neg<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("neg\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Size without sign.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn abs<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("abs\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// -1, 0 or 1; NaN stays.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn sign<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("sign\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// x * x.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn square<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("square\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Square root; NaN below 0.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn sqrt<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("sqrt\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// 1 / square root.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn rsqrt<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("rsqrt\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// 1 / x.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn reciprocal<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("reciprocal\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// e to the power x.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn exp<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("exp\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// 2 to the power x.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn exp2<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("exp2\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Natural logarithm; -inf at 0, NaN below.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn log<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("log\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Logarithm to base 2; -inf at 0, NaN below.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn log2<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("log2\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Logarithm to base 10; -inf at 0, NaN below.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn log10<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("log10\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Sine of radians.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn sin<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("sin\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Cosine of radians.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn cos<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("cos\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Tangent of radians.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn tan<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("tan\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Inverse sine, in \[-pi/2, pi/2\]; NaN outside \[-1, 1\].
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn asin<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("asin\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Inverse cosine, in \[0, pi\]; NaN outside \[-1, 1\].
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn acos<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("acos\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Inverse tangent, in \[-pi/2, pi/2\].
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn atan<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("atan\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Hyperbolic sine.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn sinh<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("sinh\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Hyperbolic cosine.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn cosh<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("cosh\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Inverse hyperbolic sine.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn asinh<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("asinh\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Inverse hyperbolic cosine; NaN below 1.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn acosh<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("acosh\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Inverse hyperbolic tangent; NaN outside \[-1, 1\].
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn atanh<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("atanh\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn erf<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("erf\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Rounded towards 0.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn trunc<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("trunc\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Rounded down.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn floor<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("floor\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Rounded up.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn ceil<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("ceil\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Rounded to the nearest whole number, halves to the even one.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn round<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("round\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Is NaN.
    ///
    /// Shape: the result has this tensor's shape. Dtype: bool.
    pub fn isnan<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("isnan\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Is plus or minus infinity.
    ///
    /// Shape: the result has this tensor's shape. Dtype: bool.
    ///
    /// positive: look for plus infinity. Default: true.
    ///
    /// negative: look for minus infinity. Default: true.
    pub fn isinf<'a>(&'a self, options: IsinfOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("isinf\0");
        let arguments = Arguments::new().add(self).add(options.positive).add(options.negative);
        FUNCTION.call(arguments)
    }

    /// Is neither NaN nor infinite.
    ///
    /// Shape: the result has this tensor's shape. Dtype: bool.
    pub fn isfinite<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("isfinite\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Values converted; floats truncate to integers, integers wrap.
    ///
    /// Shape: the result has this tensor's shape. Dtype: the given one.
    ///
    /// dtype: the new element type.
    ///
    /// Errors: DTypeError for a dtype without storage.
    pub fn cast<'a>(&'a self, dtype: DType) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("cast\0");
        let arguments = Arguments::new().add(self).add(dtype);
        FUNCTION.call(arguments)
    }

    /// The same bits read as another dtype.
    ///
    /// Shape: this tensor's; of a dtype of another size the last axis holds more or fewer elements,
    /// the lowest bits first. Dtype: the given one.
    ///
    /// dtype: the new element type.
    ///
    /// Errors: ShapeError if rows of another size are no whole number of elements.
    pub fn bitcast<'a>(&'a self, dtype: DType) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("bitcast\0");
        let arguments = Arguments::new().add(self).add(dtype);
        FUNCTION.call(arguments)
    }

    /// max(x, 0); NaN stays NaN.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn relu<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("relu\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// min(max(x, 0), 6).
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn relu6<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("relu6\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// x, or slope * x below 0.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    ///
    /// slope: below 0. Default: 0.01.
    pub fn leaky_relu<'a>(&'a self, options: LeakyReluOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("leaky_relu\0");
        let arguments = Arguments::new().add(self).add(options.slope);
        FUNCTION.call(arguments)
    }

    /// 1 / (1 + exp(-x)), exact in both tails.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn sigmoid<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("sigmoid\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Hyperbolic tangent, exact near 0 and in both tails.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn tanh<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("tanh\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// x * sigmoid(x).
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn silu<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("silu\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Another name of silu.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn swish<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("swish\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// x times the normal distribution's share below x: x * sigmoid(2 sqrt(2/pi) (x + 0.044715
    /// x^3)), or exactly by erf.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    ///
    /// form: Tanh: the approximation; Erf: exact. Default: Tanh.
    pub fn gelu<'a>(&'a self, options: GeluOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("gelu\0");
        let arguments = Arguments::new().add(self).add(options.form);
        FUNCTION.call(arguments)
    }

    /// x * sigmoid(1.702 x).
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn quick_gelu<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("quick_gelu\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// x, or alpha * (exp(x) - 1) below 0.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    ///
    /// alpha: size of the negative end. Default: 1.
    pub fn elu<'a>(&'a self, options: EluOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("elu\0");
        let arguments = Arguments::new().add(self).add(options.alpha);
        FUNCTION.call(arguments)
    }

    /// x, or alpha * (exp(x / alpha) - 1) below 0.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    ///
    /// alpha: size of the negative end, not 0. Default: 1.
    ///
    /// Errors: ArgumentError for alpha 0.
    pub fn celu<'a>(&'a self, options: CeluOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("celu\0");
        let arguments = Arguments::new().add(self).add(options.alpha);
        FUNCTION.call(arguments)
    }

    /// gamma * elu(alpha), which keeps mean and variance of deep networks.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    ///
    /// alpha: size of the negative end. Default: 1.6732632423543772.
    ///
    /// gamma: scale. Default: 1.0507009873554805.
    pub fn selu<'a>(&'a self, options: SeluOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("selu\0");
        let arguments = Arguments::new().add(self).add(options.alpha).add(options.gamma);
        FUNCTION.call(arguments)
    }

    /// x * tanh(softplus(x)).
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn mish<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("mish\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// log(1 + exp(beta * x)) / beta without overflow.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    ///
    /// beta: steepness, not 0. Default: 1.
    ///
    /// Errors: ArgumentError for beta 0.
    pub fn softplus<'a>(&'a self, options: SoftplusOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("softplus\0");
        let arguments = Arguments::new().add(self).add(options.beta);
        FUNCTION.call(arguments)
    }

    /// Logarithm of sigmoid, without overflow.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn logsigmoid<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("logsigmoid\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// x / (1 + |x|).
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn softsign<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("softsign\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// alpha * x + beta, limited to \[0, 1\].
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    ///
    /// alpha: slope. Default: 1/6.
    ///
    /// beta: value at 0. Default: 0.5.
    pub fn hardsigmoid<'a>(&'a self, options: HardsigmoidOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("hardsigmoid\0");
        let arguments = Arguments::new().add(self).add(options.alpha).add(options.beta);
        FUNCTION.call(arguments)
    }

    /// x * relu6(x + 3) / 6.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn hardswish<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("hardswish\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Limited to \[low, high\].
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    ///
    /// low: lower bound. Default: -1.
    ///
    /// high: upper bound. Default: 1.
    pub fn hardtanh<'a>(&'a self, options: HardtanhOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("hardtanh\0");
        let arguments = Arguments::new().add(self).add(options.low).add(options.high);
        FUNCTION.call(arguments)
    }

    /// Sum; 0 of nothing.
    ///
    /// Shape: without the reduced axes. Dtype: the asked one; else floats stay (small ones
    /// accumulate in float32), signed integers and bool become at least int32, unsigned at least
    /// uint32.
    ///
    /// axis: axes to reduce. Default: all axes.
    ///
    /// keepdim: keep reduced axes with size 1. Default: false.
    ///
    /// dtype: of accumulation and result. Default: see dtype rule.
    ///
    /// Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
    pub fn sum<'a>(&'a self, options: SumOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("sum\0");
        let arguments = Arguments::new().add(self).add(options.axis).add(options.keepdim).add(options.dtype);
        FUNCTION.call(arguments)
    }

    /// Product; 1 of nothing.
    ///
    /// Shape: without the reduced axes. Dtype: the asked one; else floats stay (small ones
    /// accumulate in float32), signed integers and bool become at least int32, unsigned at least
    /// uint32.
    ///
    /// axis: axes to reduce. Default: all axes.
    ///
    /// keepdim: keep reduced axes with size 1. Default: false.
    ///
    /// dtype: of accumulation and result. Default: see dtype rule.
    ///
    /// Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
    pub fn prod<'a>(&'a self, options: ProdOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("prod\0");
        let arguments = Arguments::new().add(self).add(options.axis).add(options.keepdim).add(options.dtype);
        FUNCTION.call(arguments)
    }

    /// Maximum; NaN if any is NaN; of nothing the least value, -inf of floats.
    ///
    /// Shape: without the reduced axes. Dtype: that of this tensor.
    ///
    /// axis: axes to reduce. Default: all axes.
    ///
    /// keepdim: keep reduced axes with size 1. Default: false.
    ///
    /// Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
    pub fn max<'a>(&'a self, options: MaxOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("max\0");
        let arguments = Arguments::new().add(self).add(options.axis).add(options.keepdim);
        FUNCTION.call(arguments)
    }

    /// Minimum; NaN if any is NaN; of nothing the largest value, inf of floats.
    ///
    /// Shape: without the reduced axes. Dtype: that of this tensor.
    ///
    /// axis: axes to reduce. Default: all axes.
    ///
    /// keepdim: keep reduced axes with size 1. Default: false.
    ///
    /// Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
    pub fn min<'a>(&'a self, options: MinOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("min\0");
        let arguments = Arguments::new().add(self).add(options.axis).add(options.keepdim);
        FUNCTION.call(arguments)
    }

    /// Arithmetic mean; NaN of nothing.
    ///
    /// Shape: without the reduced axes. Dtype: floats stay, integers and bool become float32.
    ///
    /// axis: axes to reduce. Default: all axes.
    ///
    /// keepdim: keep reduced axes with size 1. Default: false.
    ///
    /// Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
    pub fn mean<'a>(&'a self, options: MeanOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("mean\0");
        let arguments = Arguments::new().add(self).add(options.axis).add(options.keepdim);
        FUNCTION.call(arguments)
    }

    /// Variance, sum of (x - mean)^2 over (n - correction).
    ///
    /// Shape: without the reduced axes. Dtype: floats stay, integers and bool become float32.
    ///
    /// axis: axes to reduce. Default: all axes.
    ///
    /// keepdim: keep reduced axes with size 1. Default: false.
    ///
    /// correction: the divisor is n - correction. Default: 1.
    ///
    /// Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
    pub fn var<'a>(&'a self, options: VarOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("var\0");
        let arguments = Arguments::new().add(self).add(options.axis).add(options.keepdim).add(options.correction);
        FUNCTION.call(arguments)
    }

    /// Standard deviation, the root of var.
    ///
    /// Shape: without the reduced axes. Dtype: floats stay, integers and bool become float32.
    ///
    /// axis: axes to reduce. Default: all axes.
    ///
    /// keepdim: keep reduced axes with size 1. Default: false.
    ///
    /// correction: the divisor is n - correction. Default: 1.
    ///
    /// Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
    pub fn std<'a>(&'a self, options: StdOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("std\0");
        let arguments = Arguments::new().add(self).add(options.axis).add(options.keepdim).add(options.correction);
        FUNCTION.call(arguments)
    }

    /// The pair of var and mean.
    ///
    /// Shape: without the reduced axes. Dtype: floats stay, integers and bool become float32.
    ///
    /// axis: axes to reduce. Default: all axes.
    ///
    /// keepdim: keep reduced axes with size 1. Default: false.
    ///
    /// correction: the divisor is n - correction. Default: 1.
    ///
    /// Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
    pub fn var_mean<'a>(&'a self, options: VarMeanOptions<'a>) -> Result<Vec<Tensor>> {
        static FUNCTION: Function = Function::new("var_mean\0");
        let arguments = Arguments::new().add(self).add(options.axis).add(options.keepdim).add(options.correction);
        FUNCTION.call(arguments)
    }

    /// The pair of std and mean.
    ///
    /// Shape: without the reduced axes. Dtype: floats stay, integers and bool become float32.
    ///
    /// axis: axes to reduce. Default: all axes.
    ///
    /// keepdim: keep reduced axes with size 1. Default: false.
    ///
    /// correction: the divisor is n - correction. Default: 1.
    ///
    /// Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
    pub fn std_mean<'a>(&'a self, options: StdMeanOptions<'a>) -> Result<Vec<Tensor>> {
        static FUNCTION: Function = Function::new("std_mean\0");
        let arguments = Arguments::new().add(self).add(options.axis).add(options.keepdim).add(options.correction);
        FUNCTION.call(arguments)
    }

    /// One is not 0; false of nothing.
    ///
    /// Shape: without the reduced axes. Dtype: bool.
    ///
    /// axis: axes to reduce. Default: all axes.
    ///
    /// keepdim: keep reduced axes with size 1. Default: false.
    ///
    /// Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
    pub fn any<'a>(&'a self, options: AnyOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("any\0");
        let arguments = Arguments::new().add(self).add(options.axis).add(options.keepdim);
        FUNCTION.call(arguments)
    }

    /// None is 0; true of nothing.
    ///
    /// Shape: without the reduced axes. Dtype: bool.
    ///
    /// axis: axes to reduce. Default: all axes.
    ///
    /// keepdim: keep reduced axes with size 1. Default: false.
    ///
    /// Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
    pub fn all<'a>(&'a self, options: AllOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("all\0");
        let arguments = Arguments::new().add(self).add(options.axis).add(options.keepdim);
        FUNCTION.call(arguments)
    }

    /// First place of the maximum; NaN is the largest.
    ///
    /// Shape: without the reduced axes. Dtype: int32.
    ///
    /// axis: axis to search. Default: the flattened tensor.
    ///
    /// keepdim: keep reduced axes with size 1. Default: false.
    ///
    /// Errors: ArgumentError for an empty axis; IndexError for an axis outside the shape.
    pub fn argmax<'a>(&'a self, options: ArgmaxOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("argmax\0");
        let arguments = Arguments::new().add(self).add(options.axis).add(options.keepdim);
        FUNCTION.call(arguments)
    }

    /// First place of the minimum; NaN is the smallest.
    ///
    /// Shape: without the reduced axes. Dtype: int32.
    ///
    /// axis: axis to search. Default: the flattened tensor.
    ///
    /// keepdim: keep reduced axes with size 1. Default: false.
    ///
    /// Errors: ArgumentError for an empty axis; IndexError for an axis outside the shape.
    pub fn argmin<'a>(&'a self, options: ArgminOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("argmin\0");
        let arguments = Arguments::new().add(self).add(options.axis).add(options.keepdim);
        FUNCTION.call(arguments)
    }

    /// exp(x) over the sum of exp(x) of its row, without overflow.
    ///
    /// Shape: the result has this tensor's shape. Dtype: the asked one; else floats stay, integers
    /// and bool become float32.
    ///
    /// axis: the row's axis. Default: -1.
    ///
    /// dtype: float in which it is computed and returned. Default: see dtype rule.
    ///
    /// Errors: IndexError for an axis outside the shape; DTypeError unless the dtype is a float.
    pub fn softmax<'a>(&'a self, options: SoftmaxOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("softmax\0");
        let arguments = Arguments::new().add(self).add(options.axis).add(options.dtype);
        FUNCTION.call(arguments)
    }

    /// Logarithm of softmax, without overflow.
    ///
    /// Shape: the result has this tensor's shape. Dtype: the asked one; else floats stay, integers
    /// and bool become float32.
    ///
    /// axis: the row's axis. Default: -1.
    ///
    /// dtype: float in which it is computed and returned. Default: see dtype rule.
    ///
    /// Errors: IndexError for an axis outside the shape; DTypeError unless the dtype is a float.
    pub fn log_softmax<'a>(&'a self, options: LogSoftmaxOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("log_softmax\0");
        let arguments = Arguments::new().add(self).add(options.axis).add(options.dtype);
        FUNCTION.call(arguments)
    }

    /// softmax of -x.
    ///
    /// Shape: the result has this tensor's shape. Dtype: the asked one; else floats stay, integers
    /// and bool become float32.
    ///
    /// axis: the row's axis. Default: -1.
    ///
    /// dtype: float in which it is computed and returned. Default: see dtype rule.
    ///
    /// Errors: IndexError for an axis outside the shape; DTypeError unless the dtype is a float.
    pub fn softmin<'a>(&'a self, options: SoftminOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("softmin\0");
        let arguments = Arguments::new().add(self).add(options.axis).add(options.dtype);
        FUNCTION.call(arguments)
    }

    /// Logarithm of the sum of exp(x), without overflow.
    ///
    /// Shape: without the reduced axes. Dtype: floats stay, integers and bool become float32.
    ///
    /// axis: axes to reduce. Default: all axes.
    ///
    /// keepdim: keep reduced axes with size 1. Default: false.
    ///
    /// Errors: ArgumentError for an empty axis; IndexError for an axis outside the shape.
    pub fn logsumexp<'a>(&'a self, options: LogsumexpOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("logsumexp\0");
        let arguments = Arguments::new().add(self).add(options.axis).add(options.keepdim);
        FUNCTION.call(arguments)
    }

    /// Divided by its p-norm along an axis; a vector of zeros stays.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    ///
    /// p: order of the norm; 0 counts what is not 0, infinity takes the largest. Default: 2.
    ///
    /// axis: axis whose vectors get length 1. Default: 1.
    ///
    /// eps: least divisor. Default: 1e-12.
    ///
    /// Errors: ArgumentError if p is NaN; IndexError for an axis outside the shape.
    pub fn normalize<'a>(&'a self, options: NormalizeOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("normalize\0");
        let arguments = Arguments::new().add(self).add(options.p).add(options.axis).add(options.eps);
        FUNCTION.call(arguments)
    }

    /// Sum of each element and all before it.
    ///
    /// Shape: the result has this tensor's shape. Dtype: the asked one; else floats stay (small
    /// ones accumulate in float32), signed integers and bool become at least int32, unsigned at
    /// least uint32.
    ///
    /// axis: axis to go along. Default: 0.
    ///
    /// Errors: IndexError for an axis outside the shape.
    pub fn cumsum<'a>(&'a self, options: CumsumOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("cumsum\0");
        let arguments = Arguments::new().add(self).add(options.axis);
        FUNCTION.call(arguments)
    }

    /// Product of each element and all before it.
    ///
    /// Shape: the result has this tensor's shape. Dtype: the asked one; else floats stay (small
    /// ones accumulate in float32), signed integers and bool become at least int32, unsigned at
    /// least uint32.
    ///
    /// axis: axis to go along. Default: 0.
    ///
    /// Errors: IndexError for an axis outside the shape.
    pub fn cumprod<'a>(&'a self, options: CumprodOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("cumprod\0");
        let arguments = Arguments::new().add(self).add(options.axis);
        FUNCTION.call(arguments)
    }

    /// The pair of the maximum so far, NaN from the first NaN on, and its latest place, int32.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// axis: axis to go along. Default: 0.
    ///
    /// Errors: IndexError for an axis outside the shape.
    pub fn cummax<'a>(&'a self, options: CummaxOptions) -> Result<Vec<Tensor>> {
        static FUNCTION: Function = Function::new("cummax\0");
        let arguments = Arguments::new().add(self).add(options.axis);
        FUNCTION.call(arguments)
    }

    /// The pair of the minimum so far, NaN from the first NaN on, and its latest place, int32.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// axis: axis to go along. Default: 0.
    ///
    /// Errors: IndexError for an axis outside the shape.
    pub fn cummin<'a>(&'a self, options: CumminOptions) -> Result<Vec<Tensor>> {
        static FUNCTION: Function = Function::new("cummin\0");
        let arguments = Arguments::new().add(self).add(options.axis);
        FUNCTION.call(arguments)
    }

    /// Logarithm of the sum of exp of each element and all before it, without overflow.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    ///
    /// axis: axis to go along. Default: 0.
    ///
    /// Errors: IndexError for an axis outside the shape.
    pub fn logcumsumexp<'a>(&'a self, options: LogcumsumexpOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("logcumsumexp\0");
        let arguments = Arguments::new().add(self).add(options.axis);
        FUNCTION.call(arguments)
    }

    /// Matrix product of the last two axes; a vector is a row on the left, a column on the right.
    /// Small floats accumulate in float32.
    ///
    /// Shape: \[..., m, k\] @ \[..., k, n\] gives \[..., m, n\]; leading axes broadcast. Dtype: the
    /// promoted dtype of the operands; numbers give way.
    ///
    /// other: \[..., k, n\] or \[k\].
    ///
    /// Errors: ShapeError if the inner sizes differ, a side is a scalar, or leading axes cannot be
    /// broadcast.
    pub fn matmul<'a>(&'a self, other: &'a Tensor) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("matmul\0");
        let arguments = Arguments::new().add(self).add(other);
        FUNCTION.call(arguments)
    }

    /// Another name of matmul.
    ///
    /// Shape: as matmul. Dtype: the promoted dtype of the operands; numbers give way.
    ///
    /// other: as of matmul.
    ///
    /// Errors: as matmul.
    pub fn dot<'a>(&'a self, other: &'a Tensor) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("dot\0");
        let arguments = Arguments::new().add(self).add(other);
        FUNCTION.call(arguments)
    }

    /// Einstein summation of one or more operands, from left to right. A letter twice in one
    /// operand is its diagonal; without "-\>" the letters that stand once remain, in alphabetical
    /// order, after what the ellipses stand for.
    ///
    /// Shape: the axes that stand after "-\>". Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// formula: letters name axes, "..." axes that are broadcast: "ij,jk-\>ik".
    ///
    /// operands: one for each term.
    ///
    /// Errors: ArgumentError for a formula that does not fit the operands; ShapeError if sizes of a
    /// letter cannot be broadcast.
    pub fn einsum<'a>(formula: &'a str, operands: &'a [&'a Tensor]) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("einsum\0");
        let arguments = Arguments::new().add(formula).add(operands);
        FUNCTION.call(arguments)
    }

    /// x @ weight + bias; a weight of one axis multiplies elementwise.
    ///
    /// Shape: \[..., in\] gives \[..., out\]. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// weight: \[in, out\] or \[in\].
    ///
    /// bias: \[out\]. Default: none.
    ///
    /// Errors: as matmul and add.
    pub fn linear<'a>(&'a self, weight: &'a Tensor, options: LinearOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("linear\0");
        let arguments = Arguments::new().add(self).add(weight).add(options.bias);
        FUNCTION.call(arguments)
    }

    /// Cross-correlation with a window, over any number of spatial axes.
    ///
    /// Shape: \[batch, in, spatial...\] gives \[batch, out, (size + padding - dilation (kernel - 1)
    /// - 1) / stride + 1, ...\]. Dtype: the promoted dtype of the operands; numbers give way.
    ///
    /// weight: \[out, in / groups, kernel...\].
    ///
    /// bias: \[out\]. Default: none.
    ///
    /// groups: channel groups that do not mix. Default: 1.
    ///
    /// stride: step of the window (elements). Default: 1.
    ///
    /// dilation: distance of neighbouring taps (elements). Default: 1.
    ///
    /// padding: zeros around: one number, one an axis, or (before, after) for each (elements).
    /// Default: 0.
    ///
    /// Errors: ShapeError if channels, axes or bias do not fit or the window is larger than the
    /// padded input; ArgumentError for groups that do not divide the channels and for numbers that
    /// do not fit the axes.
    pub fn conv2d<'a>(&'a self, weight: &'a Tensor, options: Conv2dOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("conv2d\0");
        let arguments = Arguments::new().add(self).add(weight).add(options.bias).add(options.groups).add(options.stride).add(options.dilation).add(options.padding);
        FUNCTION.call(arguments)
    }

    /// The transpose of a convolution, over any number of spatial axes.
    ///
    /// Shape: \[batch, in, spatial...\] gives \[batch, out, (size - 1) stride + dilation (kernel -
    /// 1) + 1 - padding + output_padding, ...\]. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// weight: \[in, out / groups, kernel...\].
    ///
    /// bias: \[out\]. Default: none.
    ///
    /// groups: channel groups that do not mix. Default: 1.
    ///
    /// stride: distance of the input's elements in the result (elements). Default: 1.
    ///
    /// dilation: distance of neighbouring taps (elements). Default: 1.
    ///
    /// padding: cut off the result's border, as in conv2d (elements). Default: 0.
    ///
    /// output_padding: more elements at the result's end (elements). Default: 0.
    ///
    /// Errors: ShapeError if channels, axes or bias do not fit; ArgumentError for groups that do
    /// not divide the channels, for output_padding that is not below stride or dilation, and for
    /// numbers that do not fit the axes.
    pub fn conv_transpose2d<'a>(&'a self, weight: &'a Tensor, options: ConvTranspose2dOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("conv_transpose2d\0");
        let arguments = Arguments::new().add(self).add(weight).add(options.bias).add(options.groups).add(options.stride).add(options.dilation).add(options.padding).add(options.output_padding);
        FUNCTION.call(arguments)
    }

    /// Largest of each window of the last axes.
    ///
    /// Shape: pooled axes as those of conv2d. Dtype: that of this tensor.
    ///
    /// kernel_size: size of the window, a number for each pooled axis (elements). Default: {2, 2}.
    ///
    /// stride: step of the window (elements). Default: the window's size.
    ///
    /// dilation: distance of neighbouring taps (elements). Default: 1.
    ///
    /// padding: border: one number, one an axis, or (before, after) for each (elements). Default:
    /// 0.
    ///
    /// ceil_mode: also a last window that hangs over the end. Default: false.
    ///
    /// count_include_pad: avg: padding counts in the divisor. Default: true.
    ///
    /// Errors: ShapeError for a window larger than the padded input; ArgumentError for numbers that
    /// do not fit the axes.
    pub fn max_pool2d<'a>(&'a self, options: MaxPool2dOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("max_pool2d\0");
        let arguments = Arguments::new().add(self).add(options.kernel_size).add(options.stride).add(options.dilation).add(options.padding).add(options.ceil_mode).add(options.count_include_pad);
        FUNCTION.call(arguments)
    }

    /// Mean of each window of the last axes.
    ///
    /// Shape: pooled axes as those of conv2d. Dtype: floats stay, integers and bool become float32.
    ///
    /// kernel_size: size of the window, a number for each pooled axis (elements). Default: {2, 2}.
    ///
    /// stride: step of the window (elements). Default: the window's size.
    ///
    /// dilation: distance of neighbouring taps (elements). Default: 1.
    ///
    /// padding: border: one number, one an axis, or (before, after) for each (elements). Default:
    /// 0.
    ///
    /// ceil_mode: also a last window that hangs over the end. Default: false.
    ///
    /// count_include_pad: avg: padding counts in the divisor. Default: true.
    ///
    /// Errors: ShapeError for a window larger than the padded input; ArgumentError for numbers that
    /// do not fit the axes.
    pub fn avg_pool2d<'a>(&'a self, options: AvgPool2dOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("avg_pool2d\0");
        let arguments = Arguments::new().add(self).add(options.kernel_size).add(options.stride).add(options.dilation).add(options.padding).add(options.ceil_mode).add(options.count_include_pad);
        FUNCTION.call(arguments)
    }

    /// The pair of max_pool2d and the first place of each maximum, int32, among all elements of the
    /// pooled axes: what max_unpool2d takes. NaN is the largest.
    ///
    /// Shape: pooled axes as those of conv2d. Dtype: that of this tensor.
    ///
    /// kernel_size: size of the window, a number for each pooled axis (elements). Default: {2, 2}.
    ///
    /// stride: step of the window (elements). Default: the window's size.
    ///
    /// dilation: distance of neighbouring taps (elements). Default: 1.
    ///
    /// padding: border: one number, one an axis, or (before, after) for each (elements). Default:
    /// 0.
    ///
    /// ceil_mode: also a last window that hangs over the end. Default: false.
    ///
    /// count_include_pad: avg: padding counts in the divisor. Default: true.
    ///
    /// Errors: ShapeError for a window larger than the padded input; ArgumentError for numbers that
    /// do not fit the axes.
    pub fn max_pool2d_with_indices<'a>(&'a self, options: MaxPool2dWithIndicesOptions<'a>) -> Result<Vec<Tensor>> {
        static FUNCTION: Function = Function::new("max_pool2d_with_indices\0");
        let arguments = Arguments::new().add(self).add(options.kernel_size).add(options.stride).add(options.dilation).add(options.padding).add(options.ceil_mode).add(options.count_include_pad);
        FUNCTION.call(arguments)
    }

    /// The inverse of max_pool2d: each value at its place, 0 elsewhere.
    ///
    /// Shape: \[..., windows...\] gives \[..., sizes...\]. Dtype: that of this tensor.
    ///
    /// indices: a place for each value, of max_pool2d_with_indices.
    ///
    /// kernel_size: size of the window, a number for each axis (elements). Default: {2, 2}.
    ///
    /// stride: step of the window (elements). Default: the window's size.
    ///
    /// dilation: distance of neighbouring taps (elements). Default: 1.
    ///
    /// padding: border: one number, or one an axis (elements). Default: 0.
    ///
    /// output_size: sizes of the result, of which the last count (elements). Default: what the
    /// numbers say.
    ///
    /// Errors: ShapeError unless there is a place for each value; ArgumentError for numbers that do
    /// not fit the axes, or an axis of variable size; DTypeError unless indices are integers.
    pub fn max_unpool2d<'a>(&'a self, indices: &'a Tensor, options: MaxUnpool2dOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("max_unpool2d\0");
        let arguments = Arguments::new().add(self).add(indices).add(options.kernel_size).add(options.stride).add(options.dilation).add(options.padding).add(options.output_size);
        FUNCTION.call(arguments)
    }

    /// softmax(this @ key^T / sqrt(size)) @ value, this being the queries. A row of the scores in
    /// which nothing counts is NaN.
    ///
    /// Shape: \[..., n, size\] gives \[..., n, out\]. Dtype: that of this tensor and the values,
    /// promoted.
    ///
    /// key: \[..., m, size\].
    ///
    /// value: \[..., m, out\].
    ///
    /// attn_mask: bool: which keys count for a query; numbers: added to the scores; broadcast to
    /// \[..., n, m\]. Default: none.
    ///
    /// dropout_p: share of the weights dropped while training (probability). Default: 0.
    ///
    /// is_causal: a query sees the keys up to its own place. Default: false.
    ///
    /// enable_gqa: each head of keys and values, axis -3, serves several neighbouring ones of the
    /// queries. Default: false.
    ///
    /// Errors: ShapeError if the shapes do not fit; ArgumentError for is_causal with a mask, or
    /// dropout_p outside \[0, 1\].
    pub fn scaled_dot_product_attention<'a>(&'a self, key: &'a Tensor, value: &'a Tensor, options: ScaledDotProductAttentionOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("scaled_dot_product_attention\0");
        let arguments = Arguments::new().add(self).add(key).add(value).add(options.attn_mask).add(options.dropout_p).add(options.is_causal).add(options.enable_gqa);
        FUNCTION.call(arguments)
    }

    /// The pair Q, R of a matrix on the last two axes, Q orthogonal, R upper triangular, whose
    /// product it is.
    ///
    /// Shape: \[..., m, n\] gives \[..., m, m\] and \[..., m, n\]. Dtype: floats stay, integers and
    /// bool become float32.
    ///
    /// Errors: ShapeError for fewer than 2 axes; ArgumentError for an axis of variable size.
    pub fn qr<'a>(&'a self) -> Result<Vec<Tensor>> {
        static FUNCTION: Function = Function::new("qr\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// U, S and V^T of a matrix on the last two axes: U diag(S) V^T is the matrix, the columns of U
    /// and V are orthonormal, S falls and is not negative.
    ///
    /// Shape: \[..., m, n\] gives \[..., m, m\], \[..., min(m, n)\] and \[..., n, n\]. Dtype:
    /// floats stay, integers and bool become float32.
    ///
    /// full_matrices: U and V^T square, else with as many columns and rows as there are values.
    /// Default: true.
    ///
    /// Errors: ShapeError for fewer than 2 axes; ArgumentError for an axis of variable size.
    pub fn svd<'a>(&'a self, options: SvdOptions) -> Result<Vec<Tensor>> {
        static FUNCTION: Function = Function::new("svd\0");
        let arguments = Arguments::new().add(self).add(options.full_matrices);
        FUNCTION.call(arguments)
    }

    /// L, lower triangular with a positive diagonal, whose product with L^T is this symmetric,
    /// positive definite matrix; NaN where it is not positive definite.
    ///
    /// Shape: \[..., n, n\], as this tensor. Dtype: floats stay, integers and bool become float32.
    ///
    /// upper: U, upper triangular, with U^T U = this; the upper triangle is read, not the lower.
    /// Default: false.
    ///
    /// Errors: ShapeError for anything but square matrices; ArgumentError for an axis of variable
    /// size.
    pub fn cholesky<'a>(&'a self, options: CholeskyOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("cholesky\0");
        let arguments = Arguments::new().add(self).add(options.upper);
        FUNCTION.call(arguments)
    }

    /// X with this matrix times X = b, of which one triangle is read; infinities or NaN where it is
    /// singular.
    ///
    /// Shape: \[..., n, n\] and b give the shape of b; leading axes broadcast. Dtype: that of both
    /// operands, promoted; integers and bool are float32.
    ///
    /// b: \[..., n, k\]; without left \[..., k, n\].
    ///
    /// upper: the upper triangle is read, not the lower. Default: false.
    ///
    /// left: this times X is b, not X times this. Default: true.
    ///
    /// unitriangular: the diagonal counts as ones and is not read. Default: false.
    ///
    /// Errors: ShapeError for anything but square matrices and sides that fit; ArgumentError for an
    /// axis of variable size.
    pub fn solve_triangular<'a>(&'a self, b: &'a Tensor, options: SolveTriangularOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("solve_triangular\0");
        let arguments = Arguments::new().add(self).add(b).add(options.upper).add(options.left).add(options.unitriangular);
        FUNCTION.call(arguments)
    }

    /// SHA-3 of the bytes of each row of the last axis.
    ///
    /// Shape: \[..., n\] gives \[..., size\]. Dtype: uint8.
    ///
    /// variant: Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake128 or Shake256. Default: Sha3_256.
    ///
    /// capacity: of the state, which no input reaches; a multiple of 64 below 1600 (bits). Default:
    /// that of the variant.
    ///
    /// size: of the result (bytes). Default: that of the variant.
    ///
    /// Errors: ShapeError for a scalar; ArgumentError for a capacity or size out of bounds, or an
    /// axis of variable size.
    pub fn keccak<'a>(&'a self, options: KeccakOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("keccak\0");
        let arguments = Arguments::new().add(self).add(options.variant).add(options.capacity).add(options.size);
        FUNCTION.call(arguments)
    }

    /// Bytes that tell tensors of different contents apart: a tree of Shake128 over chunks of 4
    /// KiB. Those of larger tensors are computed now.
    ///
    /// Shape: \[16\]. Dtype: uint8.
    ///
    /// Errors: ArgumentError for an axis of variable size.
    pub fn hash<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("hash\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// The discrete Fourier transform of complex numbers, which are pairs (real, imaginary) on a
    /// last axis of size 2: sums of x\[j\] e^(-2 pi i j k / n), not divided. O(n) times the sum of
    /// the prime factors of n; with large ones O(n log n).
    ///
    /// Shape: \[..., n, ..., 2\], as this tensor. Dtype: floats stay, integers and bool become
    /// float32.
    ///
    /// axis: along which; the axis of the pairs does not count; negative: from the end. Default:
    /// -1.
    ///
    /// Errors: ShapeError unless the last axis has size 2 and the transformed one has elements;
    /// IndexError for an axis outside the shape; ArgumentError for an axis of variable size, or of
    /// more than 2^24 elements.
    pub fn fft<'a>(&'a self, options: FftOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("fft\0");
        let arguments = Arguments::new().add(self).add(options.axis);
        FUNCTION.call(arguments)
    }

    /// The inverse of fft: the sign of the exponent turned, and divided by n.
    ///
    /// Shape: \[..., n, ..., 2\], as this tensor. Dtype: floats stay, integers and bool become
    /// float32.
    ///
    /// axis: along which; the axis of the pairs does not count; negative: from the end. Default:
    /// -1.
    ///
    /// Errors: ShapeError unless the last axis has size 2 and the transformed one has elements;
    /// IndexError for an axis outside the shape; ArgumentError for an axis of variable size, or of
    /// more than 2^24 elements.
    pub fn ifft<'a>(&'a self, options: IfftOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("ifft\0");
        let arguments = Arguments::new().add(self).add(options.axis);
        FUNCTION.call(arguments)
    }

    /// fft of real numbers: the first half of the result, of which the rest are the conjugates.
    /// Pairs (real, imaginary) stand on a new last axis.
    ///
    /// Shape: \[..., n, ...\] gives \[..., n / 2 + 1, ..., 2\]. Dtype: floats stay, integers and
    /// bool become float32.
    ///
    /// axis: along which; the axis of the pairs does not count; negative: from the end. Default:
    /// -1.
    ///
    /// Errors: ShapeError for an axis without elements; IndexError for an axis outside the shape;
    /// ArgumentError for an axis of variable size, or of more than 2^24 elements.
    pub fn rfft<'a>(&'a self, options: RfftOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("rfft\0");
        let arguments = Arguments::new().add(self).add(options.axis);
        FUNCTION.call(arguments)
    }

    /// The inverse of rfft: real numbers of the first half of their transform, which is cropped or
    /// continued by 0 to as many as the size needs. Imaginary parts of the first number, and of the
    /// one in the middle, do not count.
    ///
    /// Shape: \[..., m, ..., 2\] gives \[..., size, ...\]. Dtype: floats stay, integers and bool
    /// become float32.
    ///
    /// size: of the result's axis (elements). Default: twice m - 1.
    ///
    /// axis: along which; the axis of the pairs does not count; negative: from the end. Default:
    /// -1.
    ///
    /// Errors: as fft; ArgumentError for a size below 1 or above 2^24.
    pub fn irfft<'a>(&'a self, options: IrfftOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("irfft\0");
        let arguments = Arguments::new().add(self).add(options.size).add(options.axis);
        FUNCTION.call(arguments)
    }

    /// (x - mean) / sqrt(var + eps) * weight + bias for each channel. While training with this
    /// batch's statistics, and the running ones are updated in place; else with the running ones.
    ///
    /// Shape: the result has this tensor's shape. Dtype: the promoted dtype of the operands;
    /// numbers give way.
    ///
    /// weight: scale, \[channels\]. Default: none.
    ///
    /// bias: shift, \[channels\]. Default: none.
    ///
    /// running_mean: \[channels\]. Default: none.
    ///
    /// running_var: \[channels\]; updated with the unbiased estimate. Default: none.
    ///
    /// training: use this batch's statistics. Default: as TrainingScope says.
    ///
    /// momentum: share of this batch in the running statistics. Default: 0.1.
    ///
    /// eps: added to the variance. Default: 1e-5.
    ///
    /// axis: the channels' axis. Default: 1.
    ///
    /// Errors: ArgumentError without running statistics when not training; ShapeError for
    /// parameters that are not \[channels\].
    pub fn batch_norm<'a>(&'a self, options: BatchNormOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("batch_norm\0");
        let arguments = Arguments::new().add(self).add(options.weight).add(options.bias).add(options.running_mean).add(options.running_var).add(options.training).add(options.momentum).add(options.eps).add(options.axis);
        FUNCTION.call(arguments)
    }

    /// (x - mean) / sqrt(var + eps) * weight + bias over the named axes.
    ///
    /// Shape: the result has this tensor's shape. Dtype: the promoted dtype of the operands;
    /// numbers give way.
    ///
    /// axis: axes normalised together. Default: -1.
    ///
    /// weight: scale, of the axes' shape. Default: none.
    ///
    /// bias: shift, of the axes' shape. Default: none.
    ///
    /// eps: added to the variance. Default: 1e-5.
    ///
    /// Errors: ShapeError for parameters of another shape; IndexError for an axis outside the
    /// shape.
    pub fn layer_norm<'a>(&'a self, options: LayerNormOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("layer_norm\0");
        let arguments = Arguments::new().add(self).add(options.axis).add(options.weight).add(options.bias).add(options.eps);
        FUNCTION.call(arguments)
    }

    /// x / sqrt(mean of x^2 + eps) * weight over the named axes.
    ///
    /// Shape: the result has this tensor's shape. Dtype: the promoted dtype of the operands;
    /// numbers give way.
    ///
    /// axis: axes normalised together. Default: -1.
    ///
    /// weight: scale, of the axes' shape. Default: none.
    ///
    /// eps: added to the mean of squares. Default: 1e-6.
    ///
    /// Errors: ShapeError for a weight of another shape; IndexError for an axis outside the shape.
    pub fn rms_norm<'a>(&'a self, options: RmsNormOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("rms_norm\0");
        let arguments = Arguments::new().add(self).add(options.axis).add(options.weight).add(options.eps);
        FUNCTION.call(arguments)
    }

    /// Each group of channels of each sample normalised to mean 0 and variance 1, then scaled and
    /// shifted by channel.
    ///
    /// Shape: the result has this tensor's shape. Dtype: the promoted dtype of the operands;
    /// numbers give way.
    ///
    /// groups: number of groups; as many as channels: instance norm.
    ///
    /// weight: scale, \[channels\]. Default: none.
    ///
    /// bias: shift, \[channels\]. Default: none.
    ///
    /// eps: added to the variance. Default: 1e-5.
    ///
    /// Errors: ArgumentError for groups that do not divide the channels (axis 1); ShapeError for
    /// parameters that are not \[channels\].
    pub fn group_norm<'a>(&'a self, groups: i64, options: GroupNormOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("group_norm\0");
        let arguments = Arguments::new().add(self).add(groups).add(options.weight).add(options.bias).add(options.eps);
        FUNCTION.call(arguments)
    }

    /// -log softmax at the label; classes stand on axis 1 (axis 0 of a vector).
    ///
    /// Shape: \[\]; without reduction that of the elements' losses. Dtype: floats stay, integers
    /// and bool become float32.
    ///
    /// target: integer labels \[batch, ...\], or probabilities of this shape.
    ///
    /// reduction: None, Mean or Sum of the elements' losses. Default: Mean.
    ///
    /// label_smoothing: share of the target spread over all classes (probability). Default: 0.
    ///
    /// ignore_index: label of elements that do not count. Default: none.
    ///
    /// weight: a weight for each class, \[classes\]. Default: none.
    ///
    /// Errors: DTypeError unless labels are integers; ShapeError if shapes do not fit;
    /// ArgumentError for label_smoothing outside \[0, 1\].
    pub fn cross_entropy<'a>(&'a self, target: &'a Tensor, options: CrossEntropyOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("cross_entropy\0");
        let arguments = Arguments::new().add(self).add(target).add(options.reduction).add(options.label_smoothing).add(options.ignore_index).add(options.weight);
        FUNCTION.call(arguments)
    }

    /// -log softmax at the label; classes stand on the last axis.
    ///
    /// Shape: \[\]; without reduction that of the elements' losses. Dtype: floats stay, integers
    /// and bool become float32.
    ///
    /// target: integer labels \[...\]; of scores \[classes\] labels of any shape.
    ///
    /// reduction: None, Mean or Sum of the elements' losses. Default: Mean.
    ///
    /// label_smoothing: share of the target spread over all classes (probability). Default: 0.
    ///
    /// ignore_index: label of elements that do not count. Default: none.
    ///
    /// weight: a weight for each class, \[classes\]. Default: none.
    ///
    /// Errors: DTypeError unless labels are integers; ShapeError if shapes do not fit;
    /// ArgumentError for label_smoothing outside \[0, 1\].
    pub fn sparse_categorical_crossentropy<'a>(&'a self, target: &'a Tensor, options: SparseCategoricalCrossentropyOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("sparse_categorical_crossentropy\0");
        let arguments = Arguments::new().add(self).add(target).add(options.reduction).add(options.label_smoothing).add(options.ignore_index).add(options.weight);
        FUNCTION.call(arguments)
    }

    /// -x at the label: cross-entropy of log-probabilities; classes stand on axis 1.
    ///
    /// Shape: \[\]; without reduction that of the elements' losses. Dtype: that of this tensor.
    ///
    /// target: integer labels \[batch, ...\].
    ///
    /// reduction: None, Mean or Sum of the elements' losses. Default: Mean.
    ///
    /// ignore_index: label of elements that do not count. Default: none.
    ///
    /// weight: a weight for each class, \[classes\]. Default: none.
    ///
    /// Errors: DTypeError unless labels are integers; ShapeError if shapes do not fit;
    /// ArgumentError for label_smoothing outside \[0, 1\].
    pub fn nll_loss<'a>(&'a self, target: &'a Tensor, options: NllLossOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("nll_loss\0");
        let arguments = Arguments::new().add(self).add(target).add(options.reduction).add(options.ignore_index).add(options.weight);
        FUNCTION.call(arguments)
    }

    /// -(y log x + (1 - y) log(1 - x)) for probabilities x in (0, 1).
    ///
    /// Shape: \[\]; without reduction that of the elements' losses. Dtype: floats stay, integers
    /// and bool become float32.
    ///
    /// target: what should come out.
    ///
    /// reduction: None, Mean or Sum of the elements' losses. Default: Mean.
    ///
    /// Errors: ShapeError if the shapes differ.
    pub fn binary_crossentropy<'a>(&'a self, target: &'a Tensor, options: BinaryCrossentropyOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("binary_crossentropy\0");
        let arguments = Arguments::new().add(self).add(target).add(options.reduction);
        FUNCTION.call(arguments)
    }

    /// The same for logits, without overflow.
    ///
    /// Shape: \[\]; without reduction that of the elements' losses. Dtype: floats stay, integers
    /// and bool become float32.
    ///
    /// target: what should come out.
    ///
    /// reduction: None, Mean or Sum of the elements' losses. Default: Mean.
    ///
    /// Errors: ShapeError if the shapes differ.
    pub fn binary_crossentropy_logits<'a>(&'a self, target: &'a Tensor, options: BinaryCrossentropyLogitsOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("binary_crossentropy_logits\0");
        let arguments = Arguments::new().add(self).add(target).add(options.reduction);
        FUNCTION.call(arguments)
    }

    /// Computes the value, or several values together, and keeps them as plain storage: gradients
    /// no longer flow through it. Reading a value leaves them be.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// tensors: what to compute. Default: this one.
    ///
    /// Errors: ArgumentError for a value that was overwritten in place before it was computed;
    /// DeviceError if the device fails.
    pub fn realize<'a>(&'a self, options: RealizeOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("realize\0");
        let arguments = Arguments::new().add(self).add(options.tensors);
        FUNCTION.call(arguments)
    }

    /// Whether the value is storage, without a graph behind it.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    pub fn is_realized<'a>(&'a self) -> Result<bool> {
        static FUNCTION: Function = Function::new("is_realized\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Whether the value is storage, or will be once what was assigned to it, or to a view of it,
    /// has run.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    pub fn has_storage<'a>(&'a self) -> Result<bool> {
        static FUNCTION: Function = Function::new("has_storage\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// The same values in storage, row-major; the tensor itself if it is whole storage.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn contiguous<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("contiguous\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// The same values in storage, by a kernel whose loops are unrolled as asked, where it allows
    /// that, and not as the library would choose.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// upcast: (axis, points that are computed together) of the kernel's axes, those of the result
    /// first, then those that are reduced.
    ///
    /// unroll: the same of those that are reduced. Default: none.
    ///
    /// Errors: ArgumentError for a negative axis, or less than one point.
    pub fn contiguous_unrolled<'a>(&'a self, upcast: &'a [i64], options: ContiguousUnrolledOptions<'a>) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("contiguous_unrolled\0");
        let arguments = Arguments::new().add(self).add(upcast).add(options.unroll);
        FUNCTION.call(arguments)
    }

    /// The same values; the gradient gets storage of its own on its way back.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn contiguous_backward<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("contiguous_backward\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// A copy: the same values in storage of its own, in any case.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn copy<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("clone\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// The same values; gradients stop here.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn detach<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("detach\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// The same values on another device; on several, all of them on each.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// device: its name, as in DEV, or several with commas between them.
    ///
    /// Errors: DeviceError for an unknown or unusable device.
    pub fn to<'a>(&'a self, device: &'a str) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("to\0");
        let arguments = Arguments::new().add(self).add(device);
        FUNCTION.call(arguments)
    }

    /// The same values on several devices: an equal part on each along an axis, or all on each
    /// without one.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// devices: their names with commas between them.
    ///
    /// axis: which is split. Default: none.
    ///
    /// Errors: DeviceError for an unknown device, one that is named twice, or a value that is on
    /// several already; ShapeError if the axis cannot be split into equal parts; IndexError for one
    /// outside the shape.
    pub fn shard<'a>(&'a self, devices: &'a str, options: ShardOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("shard\0");
        let arguments = Arguments::new().add(self).add(devices).add(options.axis);
        FUNCTION.call(arguments)
    }

    /// The same in place: the tensor and its copies are the value there from now on. A parameter
    /// stays one.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// devices: their names with commas between them.
    ///
    /// axis: which is split. Default: none.
    ///
    /// Errors: DeviceError for an unknown device, one that is named twice, or a value that is on
    /// several already; ShapeError if the axis cannot be split into equal parts; IndexError for one
    /// outside the shape.
    pub fn shard_<'a>(&'a self, devices: &'a str, options: ShardInPlaceOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("shard_\0");
        let arguments = Arguments::new().add(self).add(devices).add(options.axis);
        FUNCTION.call(arguments)
    }

    /// The same values where another tensor is, split as it is; the tensor itself if that lives
    /// nowhere.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// like: whose devices and axis.
    ///
    /// Errors: DeviceError for an unknown device, one that is named twice, or a value that is on
    /// several already; ShapeError if the axis cannot be split into equal parts; IndexError for one
    /// outside the shape.
    pub fn shard_like<'a>(&'a self, like: &'a Tensor) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("shard_like\0");
        let arguments = Arguments::new().add(self).add(like);
        FUNCTION.call(arguments)
    }

    /// The axis along which several devices have a part each; none, -1 outside of C++, where each
    /// has the whole value.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    pub fn shard_axis<'a>(&'a self) -> Result<i64> {
        static FUNCTION: Function = Function::new("shard_axis\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Replaces the stored value in place, when it is next needed; copies and views see it. Without
    /// storage it gets some.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// value: broadcast to this shape; of this dtype.
    ///
    /// Errors: DTypeError if the dtypes differ; ShapeError if the value does not fit; ArgumentError
    /// for a view of an expression, or one that names no memory.
    pub fn assign<'a>(&'a self, value: &'a Tensor) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("assign\0");
        let arguments = Arguments::new().add(self).add(value);
        FUNCTION.call(arguments)
    }

    /// The elements' bytes in row-major order, little endian.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// Errors: ArgumentError for a value that was overwritten in place before it was computed;
    /// DeviceError if the device fails.
    pub fn to_bytes<'a>(&'a self) -> Result<Vec<u8>> {
        static FUNCTION: Function = Function::new("to_bytes\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// The operations that it is made of as text, a node a line, sources before users, the tensor
    /// last. Computes nothing.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// Errors: ArgumentError for a value that was overwritten before it was computed.
    pub fn graph<'a>(&'a self) -> Result<String> {
        static FUNCTION: Function = Function::new("graph\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// NumPy-like text of the values, then dtype and shape; more than 1000 elements are summarised.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// Errors: ArgumentError for a value that was overwritten in place before it was computed;
    /// DeviceError if the device fails.
    pub fn str<'a>(&'a self) -> Result<String> {
        static FUNCTION: Function = Function::new("str\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Adds d(this)/d(leaf) to the grad() of every live leaf: float tensors with storage, and those
    /// marked by is_param_(), unless marked is_param_(false).
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// seed: gradient that reaches this value, of its shape. Default: 1, for a scalar.
    ///
    /// inner: whether live tensors on the way to the leaves get theirs too. Default: false.
    ///
    /// Errors: ShapeError unless this is a scalar or the seed has its shape; DTypeError unless it
    /// is a float; ArgumentError if a realised value depends on nothing.
    pub fn backward<'a>(&'a self, options: BackwardOptions<'a>) -> Result<()> {
        static FUNCTION: Function = Function::new("backward\0");
        let arguments = Arguments::new().add(self).add(options.seed).add(options.inner);
        FUNCTION.call(arguments)
    }

    /// Whether backward has reached it.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    pub fn has_grad<'a>(&'a self) -> Result<bool> {
        static FUNCTION: Function = Function::new("has_grad\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// The gradient that backward has filled.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// Errors: ArgumentError if there is none.
    pub fn grad<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("grad\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Replaces the gradient.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// gradient: of this shape.
    ///
    /// Errors: ShapeError if the shapes differ.
    pub fn set_grad<'a>(&'a self, gradient: &'a Tensor) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("set_grad\0");
        let arguments = Arguments::new().add(self).add(gradient);
        FUNCTION.call(arguments)
    }

    /// Forgets the gradient.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn zero_grad<'a>(&'a self) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("zero_grad\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// d(this)/d(target) for each target; zeros where this does not depend on it. The results are
    /// graph and can be differentiated again.
    ///
    /// Shape: those of the targets. Dtype: those of the targets.
    ///
    /// targets: floats.
    ///
    /// seed: gradient that reaches this value, of its shape. Default: 1, for a scalar.
    ///
    /// Errors: as backward; DTypeError for a target that is no float, or an op without gradient on
    /// the way; ArgumentError for a target that is a constant.
    pub fn gradient<'a>(&'a self, targets: &'a [&'a Tensor], options: GradientOptions<'a>) -> Result<Vec<Tensor>> {
        static FUNCTION: Function = Function::new("gradient\0");
        let arguments = Arguments::new().add(self).add(targets).add(options.seed);
        FUNCTION.call(arguments)
    }

    /// Whether it was marked as a parameter.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    pub fn is_param<'a>(&'a self) -> Result<bool> {
        static FUNCTION: Function = Function::new("is_param\0");
        let arguments = Arguments::new().add(self);
        FUNCTION.call(arguments)
    }

    /// Marks it as a parameter, or as none. A parameter that is an expression gets storage of its
    /// own, filled when first needed.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// flag: whether it is one. Default: true.
    pub fn is_param_<'a>(&'a self, options: IsParamInPlaceOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("is_param_\0");
        let arguments = Arguments::new().add(self).add(options.flag);
        FUNCTION.call(arguments)
    }

    /// Bytes of one element.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// t: the dtype.
    pub fn dtype_size(t: DType) -> Result<i64> {
        static FUNCTION: Function = Function::new("dtype_size\0");
        let arguments = Arguments::new().add(t);
        FUNCTION.call(arguments)
    }

    /// Its name, "float32".
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// t: the dtype.
    pub fn dtype_name(t: DType) -> Result<String> {
        static FUNCTION: Function = Function::new("dtype_name\0");
        let arguments = Arguments::new().add(t);
        FUNCTION.call(arguments)
    }

    /// Whether it is one of the eight floats.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// t: the dtype.
    pub fn is_float(t: DType) -> Result<bool> {
        static FUNCTION: Function = Function::new("is_float\0");
        let arguments = Arguments::new().add(t);
        FUNCTION.call(arguments)
    }

    /// Whether it is one of the integers; bool is none.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// t: the dtype.
    pub fn is_int(t: DType) -> Result<bool> {
        static FUNCTION: Function = Function::new("is_int\0");
        let arguments = Arguments::new().add(t);
        FUNCTION.call(arguments)
    }

    /// Whether it is an integer without sign.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// t: the dtype.
    pub fn is_unsigned(t: DType) -> Result<bool> {
        static FUNCTION: Function = Function::new("is_unsigned\0");
        let arguments = Arguments::new().add(t);
        FUNCTION.call(arguments)
    }

    /// Whether it is bool.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// t: the dtype.
    pub fn is_bool(t: DType) -> Result<bool> {
        static FUNCTION: Function = Function::new("is_bool\0");
        let arguments = Arguments::new().add(t);
        FUNCTION.call(arguments)
    }

    /// The dtype in which values of both are computed.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// a: one.
    ///
    /// b: the other.
    pub fn promote(a: DType, b: DType) -> Result<DType> {
        static FUNCTION: Function = Function::new("promote\0");
        let arguments = Arguments::new().add(a).add(b);
        FUNCTION.call(arguments)
    }

    /// The dtype of a tensor with a plain number.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// tensor: the tensor's.
    ///
    /// scalar_is_float: whether the number is a float.
    pub fn promote_weak(tensor: DType, scalar_is_float: bool) -> Result<DType> {
        static FUNCTION: Function = Function::new("promote_weak\0");
        let arguments = Arguments::new().add(tensor).add(scalar_is_float);
        FUNCTION.call(arguments)
    }

    /// The dtype of floats that name none.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    pub fn default_float() -> Result<DType> {
        static FUNCTION: Function = Function::new("default_float\0");
        let arguments = Arguments::new();
        FUNCTION.call(arguments)
    }

    /// Sets the dtype of floats that name none; gives the one before.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// t: the dtype.
    ///
    /// Errors: DTypeError for a dtype that is no float.
    pub fn set_default_float(t: DType) -> Result<DType> {
        static FUNCTION: Function = Function::new("set_default_float\0");
        let arguments = Arguments::new().add(t);
        FUNCTION.call(arguments)
    }

    /// Itself for floats, else default_float().
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// t: the dtype.
    pub fn least_float(t: DType) -> Result<DType> {
        static FUNCTION: Function = Function::new("least_float\0");
        let arguments = Arguments::new().add(t);
        FUNCTION.call(arguments)
    }

    /// The dtype in which sums of it are given.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// t: the dtype.
    pub fn sum_dtype(t: DType) -> Result<DType> {
        static FUNCTION: Function = Function::new("sum_dtype\0");
        let arguments = Arguments::new().add(t);
        FUNCTION.call(arguments)
    }

    /// A tensor with the value of a graph, as graph() gives it.
    ///
    /// Shape: that of the last node. Dtype: that of the last node.
    ///
    /// graph: a node a line, the value last.
    ///
    /// Errors: ArgumentError for text that is no graph of tensors.
    pub fn tensor_of_text<'a>(graph: &'a str) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("tensor_of_text\0");
        let arguments = Arguments::new().add(graph);
        FUNCTION.call(arguments)
    }

    /// The kernels and copies between devices that evaluating the tensors together would run, an
    /// empty line between two. Computes nothing.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// tensors: what would be evaluated.
    ///
    /// Errors: ArgumentError for a value that was overwritten before it was computed.
    pub fn kernels_text<'a>(tensors: &'a [&'a Tensor]) -> Result<String> {
        static FUNCTION: Function = Function::new("kernels_text\0");
        let arguments = Arguments::new().add(tensors);
        FUNCTION.call(arguments)
    }
}

/// Layers and optimisers.
pub mod nn {
    use super::*;

    /// What `linear` can be told.
    #[derive(Clone, Copy, Default)]
    pub struct LinearOptions<'a> {
        /// add a learned shift. Default: true.
        pub bias: Option<bool>,
        /// of the parameters. Default: float32.
        pub dtype: Option<DType>,
        /// of the parameters. Default: the default device.
        pub device: Option<&'a str>,
    }

    /// x times the transposed weight \[out, in\], plus bias \[out\]. Starts uniform in
    /// +-1/sqrt(in).
    ///
    /// Shape: \[..., in\] gives \[..., out\]. Dtype: the promoted dtype of input and parameters.
    ///
    /// in: features or channels that come in (elements).
    ///
    /// out: features or channels that come out (elements).
    ///
    /// bias: add a learned shift. Default: true.
    ///
    /// dtype: of the parameters. Default: float32.
    ///
    /// device: of the parameters. Default: the default device.
    ///
    /// Errors: ArgumentError for sizes below 1.
    pub fn linear<'a>(r#in: i64, out: i64, options: LinearOptions<'a>) -> Result<Layer> {
        static FUNCTION: Function = Function::new("nn.Linear\0");
        let arguments = Arguments::new().add(r#in).add(out).add(options.bias).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// What `conv1d` can be told.
    #[derive(Clone, Copy, Default)]
    pub struct Conv1dOptions<'a> {
        /// channel groups that do not mix. Default: 1.
        pub groups: Option<i64>,
        /// step of the window. Default: 1.
        pub stride: Option<&'a [i64]>,
        /// distance of neighbouring taps. Default: 1.
        pub dilation: Option<&'a [i64]>,
        /// zeros around the input. Default: 0.
        pub padding: Option<&'a [i64]>,
        /// add a learned shift. Default: true.
        pub bias: Option<bool>,
        /// of the parameters. Default: float32.
        pub dtype: Option<DType>,
        /// of the parameters. Default: the default device.
        pub device: Option<&'a str>,
    }

    /// Cross-correlation with a learned kernel \[out, in / groups, length\]. Starts uniform in
    /// +-1/sqrt(in / groups * length).
    ///
    /// Shape: \[batch, in, length\] gives \[batch, out, ...\]. Dtype: the promoted dtype of input
    /// and parameters.
    ///
    /// in: features or channels that come in (elements).
    ///
    /// out: features or channels that come out (elements).
    ///
    /// kernel: length of the window (elements).
    ///
    /// groups: channel groups that do not mix. Default: 1.
    ///
    /// stride: step of the window (elements). Default: 1.
    ///
    /// dilation: distance of neighbouring taps (elements). Default: 1.
    ///
    /// padding: zeros around the input (elements). Default: 0.
    ///
    /// bias: add a learned shift. Default: true.
    ///
    /// dtype: of the parameters. Default: float32.
    ///
    /// device: of the parameters. Default: the default device.
    ///
    /// Errors: ArgumentError for sizes below 1, for groups that do not divide both numbers of
    /// channels, and for a kernel with other axes.
    pub fn conv1d<'a>(r#in: i64, out: i64, kernel: i64, options: Conv1dOptions<'a>) -> Result<Layer> {
        static FUNCTION: Function = Function::new("nn.Conv1d\0");
        let arguments = Arguments::new().add(r#in).add(out).add(kernel).add(options.groups).add(options.stride).add(options.dilation).add(options.padding).add(options.bias).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// What `conv2d` can be told.
    #[derive(Clone, Copy, Default)]
    pub struct Conv2dOptions<'a> {
        /// channel groups that do not mix. Default: 1.
        pub groups: Option<i64>,
        /// step of the window. Default: 1.
        pub stride: Option<&'a [i64]>,
        /// distance of neighbouring taps. Default: 1.
        pub dilation: Option<&'a [i64]>,
        /// zeros around the input. Default: 0.
        pub padding: Option<&'a [i64]>,
        /// add a learned shift. Default: true.
        pub bias: Option<bool>,
        /// of the parameters. Default: float32.
        pub dtype: Option<DType>,
        /// of the parameters. Default: the default device.
        pub device: Option<&'a str>,
    }

    /// Cross-correlation with a learned kernel \[out, in / groups, height, width\]. Starts uniform
    /// in +-1/sqrt(in / groups * area).
    ///
    /// Shape: \[batch, in, height, width\] gives \[batch, out, ...\]. Dtype: the promoted dtype of
    /// input and parameters.
    ///
    /// in: features or channels that come in (elements).
    ///
    /// out: features or channels that come out (elements).
    ///
    /// kernel: one number, or {height, width} (elements).
    ///
    /// groups: channel groups that do not mix. Default: 1.
    ///
    /// stride: step of the window (elements). Default: 1.
    ///
    /// dilation: distance of neighbouring taps (elements). Default: 1.
    ///
    /// padding: zeros around the input (elements). Default: 0.
    ///
    /// bias: add a learned shift. Default: true.
    ///
    /// dtype: of the parameters. Default: float32.
    ///
    /// device: of the parameters. Default: the default device.
    ///
    /// Errors: ArgumentError for sizes below 1, for groups that do not divide both numbers of
    /// channels, and for a kernel with other axes.
    pub fn conv2d<'a>(r#in: i64, out: i64, kernel: &'a [i64], options: Conv2dOptions<'a>) -> Result<Layer> {
        static FUNCTION: Function = Function::new("nn.Conv2d\0");
        let arguments = Arguments::new().add(r#in).add(out).add(kernel).add(options.groups).add(options.stride).add(options.dilation).add(options.padding).add(options.bias).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// What `conv_transpose1d` can be told.
    #[derive(Clone, Copy, Default)]
    pub struct ConvTranspose1dOptions<'a> {
        /// channel groups that do not mix. Default: 1.
        pub groups: Option<i64>,
        /// step of the window. Default: 1.
        pub stride: Option<&'a [i64]>,
        /// distance of neighbouring taps. Default: 1.
        pub dilation: Option<&'a [i64]>,
        /// cut off the result's border. Default: 0.
        pub padding: Option<&'a [i64]>,
        /// more at the result's end. Default: 0.
        pub output_padding: Option<&'a [i64]>,
        /// add a learned shift. Default: true.
        pub bias: Option<bool>,
        /// of the parameters. Default: float32.
        pub dtype: Option<DType>,
        /// of the parameters. Default: the default device.
        pub device: Option<&'a str>,
    }

    /// The transpose of a convolution, with a learned kernel \[in, out / groups, length\]. Starts
    /// uniform in +-1/sqrt(out / groups * length).
    ///
    /// Shape: \[batch, in, length\] gives \[batch, out, ...\]. Dtype: the promoted dtype of input
    /// and parameters.
    ///
    /// in: features or channels that come in (elements).
    ///
    /// out: features or channels that come out (elements).
    ///
    /// kernel: length of the window (elements).
    ///
    /// groups: channel groups that do not mix. Default: 1.
    ///
    /// stride: step of the window (elements). Default: 1.
    ///
    /// dilation: distance of neighbouring taps (elements). Default: 1.
    ///
    /// padding: cut off the result's border (elements). Default: 0.
    ///
    /// output_padding: more at the result's end (elements). Default: 0.
    ///
    /// bias: add a learned shift. Default: true.
    ///
    /// dtype: of the parameters. Default: float32.
    ///
    /// device: of the parameters. Default: the default device.
    ///
    /// Errors: ArgumentError for sizes below 1, for groups that do not divide both numbers of
    /// channels, and for a kernel with other axes.
    pub fn conv_transpose1d<'a>(r#in: i64, out: i64, kernel: i64, options: ConvTranspose1dOptions<'a>) -> Result<Layer> {
        static FUNCTION: Function = Function::new("nn.ConvTranspose1d\0");
        let arguments = Arguments::new().add(r#in).add(out).add(kernel).add(options.groups).add(options.stride).add(options.dilation).add(options.padding).add(options.output_padding).add(options.bias).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// What `conv_transpose2d` can be told.
    #[derive(Clone, Copy, Default)]
    pub struct ConvTranspose2dOptions<'a> {
        /// channel groups that do not mix. Default: 1.
        pub groups: Option<i64>,
        /// step of the window. Default: 1.
        pub stride: Option<&'a [i64]>,
        /// distance of neighbouring taps. Default: 1.
        pub dilation: Option<&'a [i64]>,
        /// cut off the result's border. Default: 0.
        pub padding: Option<&'a [i64]>,
        /// more at the result's end. Default: 0.
        pub output_padding: Option<&'a [i64]>,
        /// add a learned shift. Default: true.
        pub bias: Option<bool>,
        /// of the parameters. Default: float32.
        pub dtype: Option<DType>,
        /// of the parameters. Default: the default device.
        pub device: Option<&'a str>,
    }

    /// The transpose of a convolution, with a learned kernel \[in, out / groups, height, width\].
    /// Starts uniform in +-1/sqrt(out / groups * area).
    ///
    /// Shape: \[batch, in, height, width\] gives \[batch, out, ...\]. Dtype: the promoted dtype of
    /// input and parameters.
    ///
    /// in: features or channels that come in (elements).
    ///
    /// out: features or channels that come out (elements).
    ///
    /// kernel: one number, or {height, width} (elements).
    ///
    /// groups: channel groups that do not mix. Default: 1.
    ///
    /// stride: step of the window (elements). Default: 1.
    ///
    /// dilation: distance of neighbouring taps (elements). Default: 1.
    ///
    /// padding: cut off the result's border (elements). Default: 0.
    ///
    /// output_padding: more at the result's end (elements). Default: 0.
    ///
    /// bias: add a learned shift. Default: true.
    ///
    /// dtype: of the parameters. Default: float32.
    ///
    /// device: of the parameters. Default: the default device.
    ///
    /// Errors: ArgumentError for sizes below 1, for groups that do not divide both numbers of
    /// channels, and for a kernel with other axes.
    pub fn conv_transpose2d<'a>(r#in: i64, out: i64, kernel: &'a [i64], options: ConvTranspose2dOptions<'a>) -> Result<Layer> {
        static FUNCTION: Function = Function::new("nn.ConvTranspose2d\0");
        let arguments = Arguments::new().add(r#in).add(out).add(kernel).add(options.groups).add(options.stride).add(options.dilation).add(options.padding).add(options.output_padding).add(options.bias).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// What `batch_norm` can be told.
    #[derive(Clone, Copy, Default)]
    pub struct BatchNormOptions<'a> {
        /// added to the variance. Default: 1e-5.
        pub eps: Option<f64>,
        /// share of each batch in the running statistics. Default: 0.1.
        pub momentum: Option<f64>,
        /// learn a scale, and a shift where there is one. Default: true.
        pub affine: Option<bool>,
        /// of the parameters. Default: float32.
        pub dtype: Option<DType>,
        /// of the parameters. Default: the default device.
        pub device: Option<&'a str>,
    }

    /// Normalises each channel: by this batch inside a TrainingScope, which also moves the running
    /// statistics, else by those.
    ///
    /// Shape: that of the input. Dtype: the promoted dtype of input and parameters.
    ///
    /// channels: length of axis 1 (elements).
    ///
    /// eps: added to the variance. Default: 1e-5.
    ///
    /// momentum: share of each batch in the running statistics. Default: 0.1.
    ///
    /// affine: learn a scale, and a shift where there is one. Default: true.
    ///
    /// dtype: of the parameters. Default: float32.
    ///
    /// device: of the parameters. Default: the default device.
    ///
    /// Errors: ArgumentError for sizes below 1.
    pub fn batch_norm<'a>(channels: i64, options: BatchNormOptions<'a>) -> Result<Layer> {
        static FUNCTION: Function = Function::new("nn.BatchNorm\0");
        let arguments = Arguments::new().add(channels).add(options.eps).add(options.momentum).add(options.affine).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// What `layer_norm` can be told.
    #[derive(Clone, Copy, Default)]
    pub struct LayerNormOptions<'a> {
        /// added to the variance. Default: 1e-5.
        pub eps: Option<f64>,
        /// learn a scale, and a shift where there is one. Default: true.
        pub affine: Option<bool>,
        /// of the parameters. Default: float32.
        pub dtype: Option<DType>,
        /// of the parameters. Default: the default device.
        pub device: Option<&'a str>,
    }

    /// Normalises the last axes of each element to mean 0 and variance 1, then scales and shifts.
    ///
    /// Shape: that of the input. Dtype: the promoted dtype of input and parameters.
    ///
    /// shape: sizes of the last axes (elements).
    ///
    /// eps: added to the variance. Default: 1e-5.
    ///
    /// affine: learn a scale, and a shift where there is one. Default: true.
    ///
    /// dtype: of the parameters. Default: float32.
    ///
    /// device: of the parameters. Default: the default device.
    ///
    /// Errors: ArgumentError for sizes below 1.
    pub fn layer_norm<'a>(shape: &'a [i64], options: LayerNormOptions<'a>) -> Result<Layer> {
        static FUNCTION: Function = Function::new("nn.LayerNorm\0");
        let arguments = Arguments::new().add(shape).add(options.eps).add(options.affine).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// What `layer_norm2d` can be told.
    #[derive(Clone, Copy, Default)]
    pub struct LayerNorm2dOptions<'a> {
        /// added to the variance. Default: 1e-5.
        pub eps: Option<f64>,
        /// learn a scale, and a shift where there is one. Default: true.
        pub affine: Option<bool>,
        /// of the parameters. Default: float32.
        pub dtype: Option<DType>,
        /// of the parameters. Default: the default device.
        pub device: Option<&'a str>,
    }

    /// LayerNorm over the channels of each place.
    ///
    /// Shape: \[batch, channels, height, width\], as the input. Dtype: the promoted dtype of input
    /// and parameters.
    ///
    /// channels: length of axis 1 (elements).
    ///
    /// eps: added to the variance. Default: 1e-5.
    ///
    /// affine: learn a scale, and a shift where there is one. Default: true.
    ///
    /// dtype: of the parameters. Default: float32.
    ///
    /// device: of the parameters. Default: the default device.
    ///
    /// Errors: ArgumentError for sizes below 1.
    pub fn layer_norm2d<'a>(channels: i64, options: LayerNorm2dOptions<'a>) -> Result<Layer> {
        static FUNCTION: Function = Function::new("nn.LayerNorm2d\0");
        let arguments = Arguments::new().add(channels).add(options.eps).add(options.affine).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// What `group_norm` can be told.
    #[derive(Clone, Copy, Default)]
    pub struct GroupNormOptions<'a> {
        /// added to the variance. Default: 1e-5.
        pub eps: Option<f64>,
        /// learn a scale, and a shift where there is one. Default: true.
        pub affine: Option<bool>,
        /// of the parameters. Default: float32.
        pub dtype: Option<DType>,
        /// of the parameters. Default: the default device.
        pub device: Option<&'a str>,
    }

    /// Normalises each group of channels of each element, then scales and shifts by channel.
    ///
    /// Shape: that of the input. Dtype: the promoted dtype of input and parameters.
    ///
    /// groups: number of groups (elements).
    ///
    /// channels: length of axis 1 (elements).
    ///
    /// eps: added to the variance. Default: 1e-5.
    ///
    /// affine: learn a scale, and a shift where there is one. Default: true.
    ///
    /// dtype: of the parameters. Default: float32.
    ///
    /// device: of the parameters. Default: the default device.
    ///
    /// Errors: ArgumentError for sizes below 1, and unless the groups divide the channels.
    pub fn group_norm<'a>(groups: i64, channels: i64, options: GroupNormOptions<'a>) -> Result<Layer> {
        static FUNCTION: Function = Function::new("nn.GroupNorm\0");
        let arguments = Arguments::new().add(groups).add(channels).add(options.eps).add(options.affine).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// What `instance_norm` can be told.
    #[derive(Clone, Copy, Default)]
    pub struct InstanceNormOptions<'a> {
        /// added to the variance. Default: 1e-5.
        pub eps: Option<f64>,
        /// learn a scale, and a shift where there is one. Default: true.
        pub affine: Option<bool>,
        /// of the parameters. Default: float32.
        pub dtype: Option<DType>,
        /// of the parameters. Default: the default device.
        pub device: Option<&'a str>,
    }

    /// GroupNorm with a group for every channel.
    ///
    /// Shape: that of the input. Dtype: the promoted dtype of input and parameters.
    ///
    /// channels: length of axis 1 (elements).
    ///
    /// eps: added to the variance. Default: 1e-5.
    ///
    /// affine: learn a scale, and a shift where there is one. Default: true.
    ///
    /// dtype: of the parameters. Default: float32.
    ///
    /// device: of the parameters. Default: the default device.
    ///
    /// Errors: ArgumentError for sizes below 1.
    pub fn instance_norm<'a>(channels: i64, options: InstanceNormOptions<'a>) -> Result<Layer> {
        static FUNCTION: Function = Function::new("nn.InstanceNorm\0");
        let arguments = Arguments::new().add(channels).add(options.eps).add(options.affine).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// What `rms_norm` can be told.
    #[derive(Clone, Copy, Default)]
    pub struct RMSNormOptions<'a> {
        /// added to the mean square. Default: 1e-6.
        pub eps: Option<f64>,
        /// learn a scale, and a shift where there is one. Default: true.
        pub affine: Option<bool>,
        /// of the parameters. Default: float32.
        pub dtype: Option<DType>,
        /// of the parameters. Default: the default device.
        pub device: Option<&'a str>,
    }

    /// Divides the last axis by the root of its mean square, then scales.
    ///
    /// Shape: that of the input. Dtype: the promoted dtype of input and parameters.
    ///
    /// size: length of the last axis (elements).
    ///
    /// eps: added to the mean square. Default: 1e-6.
    ///
    /// affine: learn a scale, and a shift where there is one. Default: true.
    ///
    /// dtype: of the parameters. Default: float32.
    ///
    /// device: of the parameters. Default: the default device.
    ///
    /// Errors: ArgumentError for sizes below 1.
    pub fn rms_norm<'a>(size: i64, options: RMSNormOptions<'a>) -> Result<Layer> {
        static FUNCTION: Function = Function::new("nn.RMSNorm\0");
        let arguments = Arguments::new().add(size).add(options.eps).add(options.affine).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// What `embedding` can be told.
    #[derive(Clone, Copy, Default)]
    pub struct EmbeddingOptions<'a> {
        /// of the parameters. Default: float32.
        pub dtype: Option<DType>,
        /// of the parameters. Default: the default device.
        pub device: Option<&'a str>,
    }

    /// A row of a learned table \[entries, size\] for each integer; negative ones count from the
    /// end, those outside give zeros. Starts as glorot_uniform.
    ///
    /// Shape: \[...\] gives \[..., size\]. Dtype: the promoted dtype of input and parameters.
    ///
    /// entries: rows of the table (elements).
    ///
    /// size: length of a row (elements).
    ///
    /// dtype: of the parameters. Default: float32.
    ///
    /// device: of the parameters. Default: the default device.
    ///
    /// Errors: ArgumentError for sizes below 1.
    pub fn embedding<'a>(entries: i64, size: i64, options: EmbeddingOptions<'a>) -> Result<Layer> {
        static FUNCTION: Function = Function::new("nn.Embedding\0");
        let arguments = Arguments::new().add(entries).add(size).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// What `dropout` can be told.
    #[derive(Clone, Copy, Default)]
    pub struct DropoutOptions {
        /// share that is zeroed. Default: 0.5.
        pub p: Option<f64>,
    }

    /// Tensor::dropout: zeroes elements and scales the rest inside a TrainingScope, else changes
    /// nothing.
    ///
    /// Shape: that of the input. Dtype: the promoted dtype of input and parameters.
    ///
    /// p: share that is zeroed (probability). Default: 0.5.
    ///
    /// Errors: ArgumentError for p outside \[0, 1\].
    pub fn dropout(options: DropoutOptions) -> Result<Layer> {
        static FUNCTION: Function = Function::new("nn.Dropout\0");
        let arguments = Arguments::new().add(options.p);
        FUNCTION.call(arguments)
    }

    /// What `lstm_cell` can be told.
    #[derive(Clone, Copy, Default)]
    pub struct LSTMCellOptions<'a> {
        /// add a learned shift. Default: true.
        pub bias: Option<bool>,
        /// of the parameters. Default: float32.
        pub dtype: Option<DType>,
        /// of the parameters. Default: the default device.
        pub device: Option<&'a str>,
    }

    /// One step of a long short-term memory: x and a pair (output, cell) give the next pair;
    /// without one it starts from zeros. Starts uniform in +-1/sqrt(hidden).
    ///
    /// Shape: \[batch, in\] gives a pair of \[batch, hidden\]. Dtype: the promoted dtype of input
    /// and parameters.
    ///
    /// in: features or channels that come in (elements).
    ///
    /// hidden: features of the state (elements).
    ///
    /// bias: add a learned shift. Default: true.
    ///
    /// dtype: of the parameters. Default: float32.
    ///
    /// device: of the parameters. Default: the default device.
    ///
    /// Errors: ArgumentError for sizes below 1.
    pub fn lstm_cell<'a>(r#in: i64, hidden: i64, options: LSTMCellOptions<'a>) -> Result<Layer> {
        static FUNCTION: Function = Function::new("nn.LSTMCell\0");
        let arguments = Arguments::new().add(r#in).add(hidden).add(options.bias).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// What `gru_cell` can be told.
    #[derive(Clone, Copy, Default)]
    pub struct GRUCellOptions<'a> {
        /// add a learned shift. Default: true.
        pub bias: Option<bool>,
        /// of the parameters. Default: float32.
        pub dtype: Option<DType>,
        /// of the parameters. Default: the default device.
        pub device: Option<&'a str>,
    }

    /// One step of a gated recurrent unit, gates in the order reset, update, new: x and a state
    /// give the next state; without one it starts from zeros. Starts uniform in +-1/sqrt(hidden).
    ///
    /// Shape: \[..., in\] gives \[..., hidden\]. Dtype: the promoted dtype of input and parameters.
    ///
    /// in: features or channels that come in (elements).
    ///
    /// hidden: features of the state (elements).
    ///
    /// bias: add a learned shift. Default: true.
    ///
    /// dtype: of the parameters. Default: float32.
    ///
    /// device: of the parameters. Default: the default device.
    ///
    /// Errors: ArgumentError for sizes below 1.
    pub fn gru_cell<'a>(r#in: i64, hidden: i64, options: GRUCellOptions<'a>) -> Result<Layer> {
        static FUNCTION: Function = Function::new("nn.GRUCell\0");
        let arguments = Arguments::new().add(r#in).add(hidden).add(options.bias).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// What `lstm` can be told.
    #[derive(Clone, Copy, Default)]
    pub struct LSTMOptions<'a> {
        /// one on the other. Default: 1.
        pub layers: Option<i64>,
        /// add a learned shift. Default: true.
        pub bias: Option<bool>,
        /// x and outputs are [batch, steps, ...], not [steps, batch, ...]. Default: false.
        pub batch_first: Option<bool>,
        /// share of the outputs between layers, zeroed while training. Default: 0.
        pub dropout: Option<f64>,
        /// of the parameters. Default: float32.
        pub dtype: Option<DType>,
        /// of the parameters. Default: the default device.
        pub device: Option<&'a str>,
    }

    /// LSTMCells over the steps of a sequence, several layers of them. x, or x and the two tensors
    /// of a state, give the outputs of all steps and the two tensors of the state after the last.
    ///
    /// Shape: \[steps, batch, in\] gives \[steps, batch, hidden\] and twice \[layers, batch,
    /// hidden\]. Dtype: the promoted dtype of input and parameters.
    ///
    /// in: features or channels that come in (elements).
    ///
    /// hidden: features of the state (elements).
    ///
    /// layers: one on the other. Default: 1.
    ///
    /// bias: add a learned shift. Default: true.
    ///
    /// batch_first: x and outputs are \[batch, steps, ...\], not \[steps, batch, ...\]. Default:
    /// false.
    ///
    /// dropout: share of the outputs between layers, zeroed while training (probability). Default:
    /// 0.
    ///
    /// dtype: of the parameters. Default: float32.
    ///
    /// device: of the parameters. Default: the default device.
    ///
    /// Errors: ArgumentError for sizes below 1, and a dropout outside \[0, 1\]; ShapeError for
    /// inputs of other shapes, and for no steps.
    pub fn lstm<'a>(r#in: i64, hidden: i64, options: LSTMOptions<'a>) -> Result<Layer> {
        static FUNCTION: Function = Function::new("nn.LSTM\0");
        let arguments = Arguments::new().add(r#in).add(hidden).add(options.layers).add(options.bias).add(options.batch_first).add(options.dropout).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// What `gru` can be told.
    #[derive(Clone, Copy, Default)]
    pub struct GRUOptions<'a> {
        /// one on the other. Default: 1.
        pub layers: Option<i64>,
        /// add a learned shift. Default: true.
        pub bias: Option<bool>,
        /// x and outputs are [batch, steps, ...], not [steps, batch, ...]. Default: false.
        pub batch_first: Option<bool>,
        /// share of the outputs between layers, zeroed while training. Default: 0.
        pub dropout: Option<f64>,
        /// of the parameters. Default: float32.
        pub dtype: Option<DType>,
        /// of the parameters. Default: the default device.
        pub device: Option<&'a str>,
    }

    /// GRUCells over the steps of a sequence, several layers of them. x, or x and a state, give the
    /// outputs of all steps and the state after the last.
    ///
    /// Shape: \[steps, batch, in\] gives \[steps, batch, hidden\] and \[layers, batch, hidden\].
    /// Dtype: the promoted dtype of input and parameters.
    ///
    /// in: features or channels that come in (elements).
    ///
    /// hidden: features of the state (elements).
    ///
    /// layers: one on the other. Default: 1.
    ///
    /// bias: add a learned shift. Default: true.
    ///
    /// batch_first: x and outputs are \[batch, steps, ...\], not \[steps, batch, ...\]. Default:
    /// false.
    ///
    /// dropout: share of the outputs between layers, zeroed while training (probability). Default:
    /// 0.
    ///
    /// dtype: of the parameters. Default: float32.
    ///
    /// device: of the parameters. Default: the default device.
    ///
    /// Errors: ArgumentError for sizes below 1, and a dropout outside \[0, 1\]; ShapeError for
    /// inputs of other shapes, and for no steps.
    pub fn gru<'a>(r#in: i64, hidden: i64, options: GRUOptions<'a>) -> Result<Layer> {
        static FUNCTION: Function = Function::new("nn.GRU\0");
        let arguments = Arguments::new().add(r#in).add(hidden).add(options.layers).add(options.bias).add(options.batch_first).add(options.dropout).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// What `multi_head_attention` can be told.
    #[derive(Clone, Copy, Default)]
    pub struct MultiHeadAttentionOptions<'a> {
        /// heads of keys and values, each for several of the queries. Default: as many as heads.
        pub kv_heads: Option<i64>,
        /// share of the weights dropped while training. Default: 0.
        pub dropout: Option<f64>,
        /// a query sees the keys up to its own place. Default: false.
        pub is_causal: Option<bool>,
        /// add a learned shift. Default: true.
        pub bias: Option<bool>,
        /// of the parameters. Default: float32.
        pub dtype: Option<DType>,
        /// of the parameters. Default: the default device.
        pub device: Option<&'a str>,
    }

    /// Queries, keys and values are projected, each head attends with its part, and the heads are
    /// projected together. Takes x, which attends to itself, or queries, keys and values; and
    /// behind them a mask, broadcast to \[..., heads, n, m\]: bool says which keys count, numbers
    /// are added to the scores.
    ///
    /// Shape: queries \[..., n, size\], keys and values \[..., m, size\] give \[..., n, size\].
    /// Dtype: the promoted dtype of input and parameters.
    ///
    /// size: features of x (elements).
    ///
    /// heads: parts that attend on their own.
    ///
    /// kv_heads: heads of keys and values, each for several of the queries. Default: as many as
    /// heads.
    ///
    /// dropout: share of the weights dropped while training (probability). Default: 0.
    ///
    /// is_causal: a query sees the keys up to its own place. Default: false.
    ///
    /// bias: add a learned shift. Default: true.
    ///
    /// dtype: of the parameters. Default: float32.
    ///
    /// device: of the parameters. Default: the default device.
    ///
    /// Errors: ArgumentError for sizes below 1, for heads that do not divide the size, for kv_heads
    /// that do not divide the heads, and a dropout outside \[0, 1\]; ShapeError for inputs of other
    /// shapes.
    pub fn multi_head_attention<'a>(size: i64, heads: i64, options: MultiHeadAttentionOptions<'a>) -> Result<Layer> {
        static FUNCTION: Function = Function::new("nn.MultiHeadAttention\0");
        let arguments = Arguments::new().add(size).add(heads).add(options.kv_heads).add(options.dropout).add(options.is_causal).add(options.bias).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// What `transformer_encoder_layer` can be told.
    #[derive(Clone, Copy, Default)]
    pub struct TransformerEncoderLayerOptions<'a> {
        /// between the two linear layers. Default: 2048.
        pub feedforward: Option<i64>,
        /// share zeroed while training, in all parts. Default: 0.1.
        pub dropout: Option<f64>,
        /// Relu, or Gelu, exact. Default: Relu.
        pub activation: Option<Activation>,
        /// normalise what a part takes, not what it gives. Default: false.
        pub norm_first: Option<bool>,
        /// x sees itself up to its own place. Default: false.
        pub is_causal: Option<bool>,
        /// heads of keys and values, each for several of the queries. Default: as many as heads.
        pub kv_heads: Option<i64>,
        /// added to the variance. Default: 1e-5.
        pub eps: Option<f64>,
        /// add a learned shift. Default: true.
        pub bias: Option<bool>,
        /// of the parameters. Default: float32.
        pub dtype: Option<DType>,
        /// of the parameters. Default: the default device.
        pub device: Option<&'a str>,
    }

    /// Self-attention, then two linear layers with an activation between them, the result of each
    /// added to its input and normalised. Takes x, and behind it a mask as MultiHeadAttention's.
    ///
    /// Shape: \[..., n, size\], as the input. Dtype: the promoted dtype of input and parameters.
    ///
    /// size: features of x (elements).
    ///
    /// heads: parts that attend on their own.
    ///
    /// feedforward: between the two linear layers (elements). Default: 2048.
    ///
    /// dropout: share zeroed while training, in all parts (probability). Default: 0.1.
    ///
    /// activation: Relu, or Gelu, exact. Default: Relu.
    ///
    /// norm_first: normalise what a part takes, not what it gives. Default: false.
    ///
    /// is_causal: x sees itself up to its own place. Default: false.
    ///
    /// kv_heads: heads of keys and values, each for several of the queries. Default: as many as
    /// heads.
    ///
    /// eps: added to the variance. Default: 1e-5.
    ///
    /// bias: add a learned shift. Default: true.
    ///
    /// dtype: of the parameters. Default: float32.
    ///
    /// device: of the parameters. Default: the default device.
    ///
    /// Errors: ArgumentError for sizes below 1, for heads that do not divide the size, for kv_heads
    /// that do not divide the heads, and a dropout outside \[0, 1\]; ShapeError for inputs of other
    /// shapes.
    pub fn transformer_encoder_layer<'a>(size: i64, heads: i64, options: TransformerEncoderLayerOptions<'a>) -> Result<Layer> {
        static FUNCTION: Function = Function::new("nn.TransformerEncoderLayer\0");
        let arguments = Arguments::new().add(size).add(heads).add(options.feedforward).add(options.dropout).add(options.activation).add(options.norm_first).add(options.is_causal).add(options.kv_heads).add(options.eps).add(options.bias).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// What `transformer_decoder_layer` can be told.
    #[derive(Clone, Copy, Default)]
    pub struct TransformerDecoderLayerOptions<'a> {
        /// between the two linear layers. Default: 2048.
        pub feedforward: Option<i64>,
        /// share zeroed while training, in all parts. Default: 0.1.
        pub dropout: Option<f64>,
        /// Relu, or Gelu, exact. Default: Relu.
        pub activation: Option<Activation>,
        /// normalise what a part takes, not what it gives. Default: false.
        pub norm_first: Option<bool>,
        /// x sees itself up to its own place. Default: false.
        pub is_causal: Option<bool>,
        /// heads of keys and values, each for several of the queries. Default: as many as heads.
        pub kv_heads: Option<i64>,
        /// added to the variance. Default: 1e-5.
        pub eps: Option<f64>,
        /// add a learned shift. Default: true.
        pub bias: Option<bool>,
        /// of the parameters. Default: float32.
        pub dtype: Option<DType>,
        /// of the parameters. Default: the default device.
        pub device: Option<&'a str>,
    }

    /// TransformerEncoderLayer with attention to a memory between its two parts. Takes x and the
    /// memory, and behind them a mask of x and one of the memory.
    ///
    /// Shape: x \[..., n, size\] and memory \[..., m, size\] give \[..., n, size\]. Dtype: the
    /// promoted dtype of input and parameters.
    ///
    /// size: features of x (elements).
    ///
    /// heads: parts that attend on their own.
    ///
    /// feedforward: between the two linear layers (elements). Default: 2048.
    ///
    /// dropout: share zeroed while training, in all parts (probability). Default: 0.1.
    ///
    /// activation: Relu, or Gelu, exact. Default: Relu.
    ///
    /// norm_first: normalise what a part takes, not what it gives. Default: false.
    ///
    /// is_causal: x sees itself up to its own place. Default: false.
    ///
    /// kv_heads: heads of keys and values, each for several of the queries. Default: as many as
    /// heads.
    ///
    /// eps: added to the variance. Default: 1e-5.
    ///
    /// bias: add a learned shift. Default: true.
    ///
    /// dtype: of the parameters. Default: float32.
    ///
    /// device: of the parameters. Default: the default device.
    ///
    /// Errors: ArgumentError for sizes below 1, for heads that do not divide the size, for kv_heads
    /// that do not divide the heads, and a dropout outside \[0, 1\]; ShapeError for inputs of other
    /// shapes.
    pub fn transformer_decoder_layer<'a>(size: i64, heads: i64, options: TransformerDecoderLayerOptions<'a>) -> Result<Layer> {
        static FUNCTION: Function = Function::new("nn.TransformerDecoderLayer\0");
        let arguments = Arguments::new().add(size).add(heads).add(options.feedforward).add(options.dropout).add(options.activation).add(options.norm_first).add(options.is_causal).add(options.kv_heads).add(options.eps).add(options.bias).add(options.dtype).add(options.device);
        FUNCTION.call(arguments)
    }

    /// What `sgd` can be told.
    #[derive(Clone, Copy, Default)]
    pub struct SGDOptions {
        /// size of a step. Default: 0.001.
        pub lr: Option<f64>,
        /// share of the last direction kept. Default: 0.
        pub momentum: Option<f64>,
        /// times the parameter, added to the gradient. Default: 0.
        pub weight_decay: Option<f64>,
        /// look ahead along the momentum. Default: false.
        pub nesterov: Option<bool>,
    }

    /// g += decay * p; b = momentum * b + g; p -= rate * b (nesterov: rate * (g + momentum * b)).
    ///
    /// Shape: every parameter keeps its own. Dtype: every parameter keeps its own.
    ///
    /// model: whose parameters are changed.
    ///
    /// lr: size of a step. Default: 0.001.
    ///
    /// momentum: share of the last direction kept. Default: 0.
    ///
    /// weight_decay: times the parameter, added to the gradient. Default: 0.
    ///
    /// nesterov: look ahead along the momentum. Default: false.
    ///
    /// Errors: ArgumentError for no parameters, a learning rate or decay that is negative or not
    /// finite, and shares outside \[0, 1); DTypeError for parameters that are no floats.
    pub fn sgd<'a>(model: &'a [&'a Tensor], options: SGDOptions) -> Result<Optimizer> {
        static FUNCTION: Function = Function::new("nn.SGD\0");
        let arguments = Arguments::new().add(model).add(options.lr).add(options.momentum).add(options.weight_decay).add(options.nesterov);
        FUNCTION.call(arguments)
    }

    /// What `adam` can be told.
    #[derive(Clone, Copy, Default)]
    pub struct AdamOptions {
        /// size of a step. Default: 0.001.
        pub lr: Option<f64>,
        /// decay of the mean of gradients. Default: 0.9.
        pub beta1: Option<f64>,
        /// decay of the mean of their squares. Default: 0.999.
        pub beta2: Option<f64>,
        /// added to the root of the mean square. Default: 1e-8.
        pub eps: Option<f64>,
        /// times rate and parameter, subtracted from it. Default: 0.
        pub weight_decay: Option<f64>,
    }

    /// Steps along mean over root of mean square of the gradients (Kingma and Ba, 2015), decay
    /// apart.
    ///
    /// Shape: every parameter keeps its own. Dtype: every parameter keeps its own.
    ///
    /// model: whose parameters are changed.
    ///
    /// lr: size of a step. Default: 0.001.
    ///
    /// beta1: decay of the mean of gradients. Default: 0.9.
    ///
    /// beta2: decay of the mean of their squares. Default: 0.999.
    ///
    /// eps: added to the root of the mean square. Default: 1e-8.
    ///
    /// weight_decay: times rate and parameter, subtracted from it. Default: 0.
    ///
    /// Errors: ArgumentError for no parameters, a learning rate or decay that is negative or not
    /// finite, and shares outside \[0, 1); DTypeError for parameters that are no floats.
    pub fn adam<'a>(model: &'a [&'a Tensor], options: AdamOptions) -> Result<Optimizer> {
        static FUNCTION: Function = Function::new("nn.Adam\0");
        let arguments = Arguments::new().add(model).add(options.lr).add(options.beta1).add(options.beta2).add(options.eps).add(options.weight_decay);
        FUNCTION.call(arguments)
    }

    /// What `adam_w` can be told.
    #[derive(Clone, Copy, Default)]
    pub struct AdamWOptions {
        /// size of a step. Default: 0.001.
        pub lr: Option<f64>,
        /// decay of the mean of gradients. Default: 0.9.
        pub beta1: Option<f64>,
        /// decay of the mean of their squares. Default: 0.999.
        pub beta2: Option<f64>,
        /// added to the root of the mean square. Default: 1e-8.
        pub eps: Option<f64>,
        /// times rate and parameter, subtracted from it. Default: 0.01.
        pub weight_decay: Option<f64>,
    }

    /// Adam whose weight decay is on unless it is set to 0 (Loshchilov and Hutter, 2019).
    ///
    /// Shape: every parameter keeps its own. Dtype: every parameter keeps its own.
    ///
    /// model: whose parameters are changed.
    ///
    /// lr: size of a step. Default: 0.001.
    ///
    /// beta1: decay of the mean of gradients. Default: 0.9.
    ///
    /// beta2: decay of the mean of their squares. Default: 0.999.
    ///
    /// eps: added to the root of the mean square. Default: 1e-8.
    ///
    /// weight_decay: times rate and parameter, subtracted from it. Default: 0.01.
    ///
    /// Errors: ArgumentError for no parameters, a learning rate or decay that is negative or not
    /// finite, and shares outside \[0, 1); DTypeError for parameters that are no floats.
    pub fn adam_w<'a>(model: &'a [&'a Tensor], options: AdamWOptions) -> Result<Optimizer> {
        static FUNCTION: Function = Function::new("nn.AdamW\0");
        let arguments = Arguments::new().add(model).add(options.lr).add(options.beta1).add(options.beta2).add(options.eps).add(options.weight_decay);
        FUNCTION.call(arguments)
    }

    /// What `lamb` can be told.
    #[derive(Clone, Copy, Default)]
    pub struct LAMBOptions {
        /// size of a step. Default: 0.001.
        pub lr: Option<f64>,
        /// decay of the mean of gradients. Default: 0.9.
        pub beta1: Option<f64>,
        /// decay of the mean of their squares. Default: 0.999.
        pub beta2: Option<f64>,
        /// added to the root of the mean square. Default: 1e-6.
        pub eps: Option<f64>,
        /// times the parameter, added to the direction. Default: 0.
        pub weight_decay: Option<f64>,
    }

    /// Adam's direction plus decay, scaled for each parameter to the length of the parameter (You
    /// et al., 2020).
    ///
    /// Shape: every parameter keeps its own. Dtype: every parameter keeps its own.
    ///
    /// model: whose parameters are changed.
    ///
    /// lr: size of a step. Default: 0.001.
    ///
    /// beta1: decay of the mean of gradients. Default: 0.9.
    ///
    /// beta2: decay of the mean of their squares. Default: 0.999.
    ///
    /// eps: added to the root of the mean square. Default: 1e-6.
    ///
    /// weight_decay: times the parameter, added to the direction. Default: 0.
    ///
    /// Errors: ArgumentError for no parameters, a learning rate or decay that is negative or not
    /// finite, and shares outside \[0, 1); DTypeError for parameters that are no floats.
    pub fn lamb<'a>(model: &'a [&'a Tensor], options: LAMBOptions) -> Result<Optimizer> {
        static FUNCTION: Function = Function::new("nn.LAMB\0");
        let arguments = Arguments::new().add(model).add(options.lr).add(options.beta1).add(options.beta2).add(options.eps).add(options.weight_decay);
        FUNCTION.call(arguments)
    }

    /// What `lars` can be told.
    #[derive(Clone, Copy, Default)]
    pub struct LARSOptions {
        /// size of a step. Default: 0.001.
        pub lr: Option<f64>,
        /// share of the last direction kept. Default: 0.9.
        pub momentum: Option<f64>,
        /// times the parameter, added to the gradient. Default: 1e-4.
        pub weight_decay: Option<f64>,
        /// look ahead along the momentum. Default: false.
        pub nesterov: Option<bool>,
        /// share of the parameter's length a step may take. Default: 0.001.
        pub trust: Option<f64>,
    }

    /// SGD with the gradient of each parameter scaled by trust * |p| / (|g| + decay * |p|) (You,
    /// Gitman and Ginsburg, 2017).
    ///
    /// Shape: every parameter keeps its own. Dtype: every parameter keeps its own.
    ///
    /// model: whose parameters are changed.
    ///
    /// lr: size of a step. Default: 0.001.
    ///
    /// momentum: share of the last direction kept. Default: 0.9.
    ///
    /// weight_decay: times the parameter, added to the gradient. Default: 1e-4.
    ///
    /// nesterov: look ahead along the momentum. Default: false.
    ///
    /// trust: share of the parameter's length a step may take. Default: 0.001.
    ///
    /// Errors: ArgumentError for no parameters, a learning rate or decay that is negative or not
    /// finite, and shares outside \[0, 1); DTypeError for parameters that are no floats.
    pub fn lars<'a>(model: &'a [&'a Tensor], options: LARSOptions) -> Result<Optimizer> {
        static FUNCTION: Function = Function::new("nn.LARS\0");
        let arguments = Arguments::new().add(model).add(options.lr).add(options.momentum).add(options.weight_decay).add(options.nesterov).add(options.trust);
        FUNCTION.call(arguments)
    }

    /// What `muon` can be told.
    #[derive(Clone, Copy, Default)]
    pub struct MuonOptions {
        /// size of a step. Default: 0.001.
        pub lr: Option<f64>,
        /// share of the last direction kept. Default: 0.95.
        pub momentum: Option<f64>,
        /// times rate and parameter, subtracted from it. Default: 0.1.
        pub weight_decay: Option<f64>,
        /// look ahead along the momentum. Default: true.
        pub nesterov: Option<bool>,
        /// iterations. Default: 5.
        pub steps: Option<i64>,
    }

    /// The momentum of each matrix is replaced by the nearest orthogonal one, by a Newton-Schulz
    /// iteration (Jordan et al., 2024); parameters of one axis follow their momentum.
    ///
    /// Shape: every parameter keeps its own. Dtype: every parameter keeps its own.
    ///
    /// model: whose parameters are changed.
    ///
    /// lr: size of a step. Default: 0.001.
    ///
    /// momentum: share of the last direction kept. Default: 0.95.
    ///
    /// weight_decay: times rate and parameter, subtracted from it. Default: 0.1.
    ///
    /// nesterov: look ahead along the momentum. Default: true.
    ///
    /// steps: iterations. Default: 5.
    ///
    /// Errors: as SGD; ArgumentError for a negative decay or less than one iteration.
    pub fn muon<'a>(model: &'a [&'a Tensor], options: MuonOptions) -> Result<Optimizer> {
        static FUNCTION: Function = Function::new("nn.Muon\0");
        let arguments = Arguments::new().add(model).add(options.lr).add(options.momentum).add(options.weight_decay).add(options.nesterov).add(options.steps);
        FUNCTION.call(arguments)
    }

    /// What `clip_grad_norm` can be told.
    #[derive(Clone, Copy, Default)]
    pub struct ClipGradNormOptions {
        /// p of the norm; infinity: the largest element. Default: 2.
        pub norm_type: Option<f64>,
    }

    /// Multiplies gradients by max_norm / (norm + 1e-6), or by 1 where that is more; gives the norm
    /// before, of all as one vector. Between backward and step.
    ///
    /// Shape: \[\]. Dtype: float32, or float64 if a gradient is.
    ///
    /// parameters: whose gradients are changed.
    ///
    /// max_norm: what the norm is to be at most.
    ///
    /// norm_type: p of the norm; infinity: the largest element. Default: 2.
    ///
    /// Errors: ArgumentError for no parameters, a negative max_norm, and a norm_type that is not
    /// above 0.
    pub fn clip_grad_norm<'a>(parameters: &'a [&'a Tensor], max_norm: f64, options: ClipGradNormOptions) -> Result<Tensor> {
        static FUNCTION: Function = Function::new("nn.clip_grad_norm\0");
        let arguments = Arguments::new().add(parameters).add(max_norm).add(options.norm_type);
        FUNCTION.call(arguments)
    }

    /// Moves every element of the gradients into +-clip_value. Between backward and step.
    ///
    /// Shape: each gradient keeps its own. Dtype: each gradient keeps its own.
    ///
    /// parameters: whose gradients are changed.
    ///
    /// clip_value: largest magnitude.
    ///
    /// Errors: ArgumentError for no parameters, and a negative value.
    pub fn clip_grad_value<'a>(parameters: &'a [&'a Tensor], clip_value: f64) -> Result<()> {
        static FUNCTION: Function = Function::new("nn.clip_grad_value\0");
        let arguments = Arguments::new().add(parameters).add(clip_value);
        FUNCTION.call(arguments)
    }
}
