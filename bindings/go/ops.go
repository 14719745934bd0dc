// Generated from bindings/manifest.json by tg-bindgen; do not edit. Every function of tensors, layers
// and optimisers by the record of its name: see values.go.

package tg

// ABIVersion is that of the C interface that this package was made for.
const ABIVersion = 1

// DType is an element type.
type DType int

// Its values.
const (
	DTypeBool DType = 2
	DTypeInt8 DType = 3
	DTypeUint8 DType = 4
	DTypeInt16 DType = 5
	DTypeUint16 DType = 6
	DTypeInt32 DType = 7
	DTypeUint32 DType = 8
	DTypeInt64 DType = 9
	DTypeUint64 DType = 10
	DTypeFp8e4m3 DType = 11
	DTypeFp8e5m2 DType = 12
	DTypeFp8e4m3fnuz DType = 13
	DTypeFp8e5m2fnuz DType = 14
	DTypeFloat16 DType = 15
	DTypeBfloat16 DType = 16
	DTypeFloat32 DType = 17
	DTypeFloat64 DType = 18
)

// Activation is a choice that functions offer.
type Activation int

// Its values.
const (
	ActivationRelu Activation = 0
	ActivationGelu Activation = 1
)

// Ptr is for options.
func (value Activation) Ptr() *Activation { return &value }

// GeluForm is a choice that functions offer.
type GeluForm int

// Its values.
const (
	GeluFormTanh GeluForm = 0
	GeluFormErf GeluForm = 1
)

// Ptr is for options.
func (value GeluForm) Ptr() *GeluForm { return &value }

// GridIndexing is a choice that functions offer.
type GridIndexing int

// Its values.
const (
	GridIndexingIj GridIndexing = 0
	GridIndexingXy GridIndexing = 1
)

// Ptr is for options.
func (value GridIndexing) Ptr() *GridIndexing { return &value }

// GridSampleMode is a choice that functions offer.
type GridSampleMode int

// Its values.
const (
	GridSampleModeLinear GridSampleMode = 0
	GridSampleModeNearest GridSampleMode = 1
)

// Ptr is for options.
func (value GridSampleMode) Ptr() *GridSampleMode { return &value }

// GridSamplePadding is a choice that functions offer.
type GridSamplePadding int

// Its values.
const (
	GridSamplePaddingZeros GridSamplePadding = 0
	GridSamplePaddingBorder GridSamplePadding = 1
	GridSamplePaddingReflection GridSamplePadding = 2
)

// Ptr is for options.
func (value GridSamplePadding) Ptr() *GridSamplePadding { return &value }

// InterpolateMode is a choice that functions offer.
type InterpolateMode int

// Its values.
const (
	InterpolateModeLinear InterpolateMode = 0
	InterpolateModeNearest InterpolateMode = 1
	InterpolateModeNearestExact InterpolateMode = 2
)

// Ptr is for options.
func (value InterpolateMode) Ptr() *InterpolateMode { return &value }

// KeccakVariant is a choice that functions offer.
type KeccakVariant int

// Its values.
const (
	KeccakVariantSha3_224 KeccakVariant = 0
	KeccakVariantSha3_256 KeccakVariant = 1
	KeccakVariantSha3_384 KeccakVariant = 2
	KeccakVariantSha3_512 KeccakVariant = 3
	KeccakVariantShake128 KeccakVariant = 4
	KeccakVariantShake256 KeccakVariant = 5
)

// Ptr is for options.
func (value KeccakVariant) Ptr() *KeccakVariant { return &value }

// PadMode is a choice that functions offer.
type PadMode int

// Its values.
const (
	PadModeReflect PadMode = 0
	PadModeReplicate PadMode = 1
	PadModeCircular PadMode = 2
)

// Ptr is for options.
func (value PadMode) Ptr() *PadMode { return &value }

// Reduction is a choice that functions offer.
type Reduction int

// Its values.
const (
	ReductionNone Reduction = 0
	ReductionMean Reduction = 1
	ReductionSum Reduction = 2
)

// Ptr is for options.
func (value Reduction) Ptr() *Reduction { return &value }

// Rounding is a choice that functions offer.
type Rounding int

// Its values.
const (
	RoundingNone Rounding = 0
	RoundingTrunc Rounding = 1
	RoundingFloor Rounding = 2
)

// Ptr is for options.
func (value Rounding) Ptr() *Rounding { return &value }

// ScatterReduction is a choice that functions offer.
type ScatterReduction int

// Its values.
const (
	ScatterReductionSum ScatterReduction = 0
	ScatterReductionMean ScatterReduction = 1
	ScatterReductionProd ScatterReduction = 2
	ScatterReductionMax ScatterReduction = 3
	ScatterReductionMin ScatterReduction = 4
)

// Ptr is for options.
func (value ScatterReduction) Ptr() *ScatterReduction { return &value }

// FromBytesOptions is what FromBytes can be told.
type FromBytesOptions struct {
	// converts to this dtype. Default: as stored.
	Dtype DType
	// where it lives. Default: the default device.
	Device string
}

// FromBytes: A copy of raw elements, row-major, little endian.
//
// Shape: the result has the given shape. Dtype: the asked one, else as stored.
//
// bytes: the elements (bytes).
//
// shape: sizes of the axes (elements).
//
// stored: dtype of the bytes.
//
// dtype: converts to this dtype. Default: as stored.
//
// device: where it lives. Default: the default device.
//
// Errors: ShapeError if the bytes do not fill the shape.
func FromBytes(bytes []byte, shape []int64, stored DType, options ...FromBytesOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("from_bytes", bytes, needInts(shape), stored, o.Dtype, o.Device)
}

// EmptyOptions is what Empty can be told.
type EmptyOptions struct {
	// element type. Default: float32.
	Dtype DType
	// where it lives. Default: the default device.
	Device string
}

// Empty: Storage whose contents are undefined.
//
// Shape: the result has the given shape. Dtype: the asked one, else default_float().
//
// shape: sizes of the axes (elements).
//
// dtype: element type. Default: float32.
//
// device: where it lives. Default: the default device.
//
// Errors: ShapeError for a negative size; DTypeError for a dtype without storage.
func Empty(shape []int64, options ...EmptyOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("empty", needInts(shape), o.Dtype, o.Device)
}

// FullOptions is what Full can be told.
type FullOptions struct {
	// element type. Default: that of the value.
	Dtype DType
	// where it lives. Default: the default device.
	Device string
	// gives it storage of its own. Default: true.
	Buffer *bool
}

// Full: One value everywhere.
//
// Shape: the result has the given shape. Dtype: the asked one, else that of the value.
//
// sizes: sizes of the axes (elements).
//
// value: a number.
//
// dtype: element type. Default: that of the value.
//
// device: where it lives. Default: the default device.
//
// buffer: gives it storage of its own. Default: true.
//
// Errors: ShapeError for a value that is no scalar.
func Full(sizes Sizes, value any, options ...FullOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("full", sizes, value, o.Dtype, o.Device, o.Buffer)
}

// ZerosOptions is what Zeros can be told.
type ZerosOptions struct {
	// element type. Default: float32.
	Dtype DType
	// where it lives. Default: the default device.
	Device string
}

// Zeros: 0 everywhere.
//
// Shape: the result has the given shape. Dtype: the asked one, else default_float().
//
// sizes: sizes of the axes (elements).
//
// dtype: element type. Default: float32.
//
// device: where it lives. Default: the default device.
//
// Errors: ShapeError for a negative size; DTypeError for a dtype without storage.
func Zeros(sizes Sizes, options ...ZerosOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("zeros", sizes, o.Dtype, o.Device)
}

// OnesOptions is what Ones can be told.
type OnesOptions struct {
	// element type. Default: float32.
	Dtype DType
	// where it lives. Default: the default device.
	Device string
}

// Ones: 1 everywhere.
//
// Shape: the result has the given shape. Dtype: the asked one, else default_float().
//
// sizes: sizes of the axes (elements).
//
// dtype: element type. Default: float32.
//
// device: where it lives. Default: the default device.
//
// Errors: ShapeError for a negative size; DTypeError for a dtype without storage.
func Ones(sizes Sizes, options ...OnesOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("ones", sizes, o.Dtype, o.Device)
}

// ArangeOptions is what Arange can be told.
type ArangeOptions struct {
	// first value. Default: 0.
	Start *float64
	// distance of neighbours, not 0. Default: 1.
	Step *float64
	// element type. Default: int32 for whole numbers, else float32.
	Dtype DType
	// where it lives. Default: the default device.
	Device string
}

// Arange: Evenly spaced values from start up to stop, which is excluded.
//
// Shape: [ceil((stop - start) / step)], [0] if that is negative. Dtype: the asked one, else int32
// if start, stop and step are whole (int64 if the values need it), else float32.
//
// stop: end, excluded.
//
// start: first value. Default: 0.
//
// step: distance of neighbours, not 0. Default: 1.
//
// dtype: element type. Default: int32 for whole numbers, else float32.
//
// device: where it lives. Default: the default device.
//
// Errors: ArgumentError for a step of 0 or ends that are not finite.
func Arange(stop float64, options ...ArangeOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("arange", stop, o.Start, o.Step, o.Dtype, o.Device)
}

// LinspaceOptions is what Linspace can be told.
type LinspaceOptions struct {
	// element type. Default: float32.
	Dtype DType
	// where it lives. Default: the default device.
	Device string
}

// Linspace: Evenly spaced values, both ends included.
//
// Shape: [steps]. Dtype: the asked one, else default_float().
//
// start: first value.
//
// stop: last value.
//
// steps: how many (elements).
//
// dtype: element type. Default: float32.
//
// device: where it lives. Default: the default device.
//
// Errors: ArgumentError for a negative number of steps.
func Linspace(start float64, stop float64, steps int64, options ...LinspaceOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("linspace", start, stop, steps, o.Dtype, o.Device)
}

// EyeOptions is what Eye can be told.
type EyeOptions struct {
	// columns; as many as rows if negative. Default: -1.
	M *int64
	// element type. Default: float32.
	Dtype DType
	// where it lives. Default: the default device.
	Device string
}

// Eye: Ones on the diagonal, zeros elsewhere.
//
// Shape: [n, m]. Dtype: the asked one, else default_float().
//
// n: rows (elements).
//
// m: columns; as many as rows if negative (elements). Default: -1.
//
// dtype: element type. Default: float32.
//
// device: where it lives. Default: the default device.
//
// Errors: ShapeError for a negative size; DTypeError for a dtype without storage.
func Eye(n int64, options ...EyeOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("eye", n, o.M, o.Dtype, o.Device)
}

// FullLike: One value everywhere, of this tensor's shape, dtype and device.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
//
// value: a number.
//
// Errors: ShapeError for a value that is no scalar.
func (t *Tensor) FullLike(value any) (*Tensor, error) {
	return call[*Tensor]("full_like", t, value)
}

// ZerosLike: 0 everywhere, of this tensor's shape, dtype and device.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
func (t *Tensor) ZerosLike() (*Tensor, error) {
	return call[*Tensor]("zeros_like", t)
}

// OnesLike: 1 everywhere, of this tensor's shape, dtype and device.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
func (t *Tensor) OnesLike() (*Tensor, error) {
	return call[*Tensor]("ones_like", t)
}

// EmptyLike: Undefined contents of this tensor's shape, dtype and device.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
func (t *Tensor) EmptyLike() (*Tensor, error) {
	return call[*Tensor]("empty_like", t)
}

// RandOptions is what Rand can be told.
type RandOptions struct {
	// element type. Default: float32.
	Dtype DType
	// where it lives. Default: the default device.
	Device string
}

// Rand: Uniform in [0, 1): every bit of the mantissa is random. The numbers depend on the seed and
// on how many were drawn before, on nothing else.
//
// Shape: the result has the given shape. Dtype: the asked one, else default_float().
//
// shape: sizes of the axes (elements).
//
// dtype: element type. Default: float32.
//
// device: where it lives. Default: the default device.
//
// Errors: DTypeError for a dtype that is no float; ShapeError for a negative size.
func Rand(shape []int64, options ...RandOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("rand", needInts(shape), o.Dtype, o.Device)
}

// RandnOptions is what Randn can be told.
type RandnOptions struct {
	// element type. Default: float32.
	Dtype DType
	// where it lives. Default: the default device.
	Device string
}

// Randn: Standard normal, by Box and Muller.
//
// Shape: the result has the given shape. Dtype: the asked one, else default_float().
//
// shape: sizes of the axes (elements).
//
// dtype: element type. Default: float32.
//
// device: where it lives. Default: the default device.
//
// Errors: DTypeError for a dtype that is no float; ShapeError for a negative size.
func Randn(shape []int64, options ...RandnOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("randn", needInts(shape), o.Dtype, o.Device)
}

// RandintOptions is what Randint can be told.
type RandintOptions struct {
	// smallest value. Default: 0.
	Low *int64
	// one past the largest value. Default: 10.
	High *int64
	// element type. Default: int32.
	Dtype DType
	// where it lives. Default: the default device.
	Device string
}

// Randint: Whole numbers, each of the range equally likely.
//
// Shape: the result has the given shape. Dtype: the asked one, else int32.
//
// shape: sizes of the axes (elements).
//
// low: smallest value. Default: 0.
//
// high: one past the largest value. Default: 10.
//
// dtype: element type. Default: int32.
//
// device: where it lives. Default: the default device.
//
// Errors: ArgumentError unless low < high, at most 2^32 apart; DTypeError for a dtype that is no
// integer.
func Randint(shape []int64, options ...RandintOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("randint", needInts(shape), o.Low, o.High, o.Dtype, o.Device)
}

// RandpermOptions is what Randperm can be told.
type RandpermOptions struct {
	// element type. Default: int32.
	Dtype DType
	// where it lives. Default: the default device.
	Device string
}

// Randperm: The numbers below n in random order, each order equally likely.
//
// Shape: [n]. Dtype: the asked one, else int32.
//
// n: how many (elements).
//
// dtype: element type. Default: int32.
//
// device: where it lives. Default: the default device.
//
// Errors: ArgumentError for a negative n, or one above 2^31; DTypeError for a dtype that is no
// integer, or too small for n.
func Randperm(n int64, options ...RandpermOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("randperm", n, o.Dtype, o.Device)
}

// MultinomialOptions is what Multinomial can be told.
type MultinomialOptions struct {
	// how many. Default: 1.
	NumSamples *int64
	// whether a place may be drawn again. Default: false.
	Replacement *bool
}

// Multinomial: Places drawn with the weights that stand there, which need not add up to 1; of a
// matrix, for each row.
//
// Shape: [places] gives [num_samples], [rows, places] gives [rows, num_samples]. Dtype: int32.
//
// num_samples: how many. Default: 1.
//
// replacement: whether a place may be drawn again. Default: false.
//
// Errors: ShapeError for other than 1 or 2 axes; ArgumentError for fewer places than samples
// without replacement, no place, no sample, or an axis of variable size.
func (t *Tensor) Multinomial(options ...MultinomialOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("multinomial", t, o.NumSamples, o.Replacement)
}

// RandomBits: Words of the Threefry stream of this key. Nothing but key and counter decides them.
//
// Shape: [num]. Dtype: uint32.
//
// counter: [2], uint32: which part of the stream.
//
// num: how many words.
//
// Errors: ArgumentError unless key and counter are uint32 of shape [2] and num lies between 0 and
// 2^32.
func (t *Tensor) RandomBits(counter *Tensor, num int64) (*Tensor, error) {
	return call[*Tensor]("random_bits", t, counter, num)
}

// UniformOptions is what Uniform can be told.
type UniformOptions struct {
	// lower end, included. Default: 0.
	Low *float64
	// upper end, excluded. Default: 1.
	High *float64
	// element type. Default: float32.
	Dtype DType
	// where it lives. Default: the default device.
	Device string
}

// Uniform: Uniform in [low, high); whole numbers of them for an integer dtype.
//
// Shape: the result has the given shape. Dtype: the asked one, else default_float().
//
// shape: sizes of the axes (elements).
//
// low: lower end, included. Default: 0.
//
// high: upper end, excluded. Default: 1.
//
// dtype: element type. Default: float32.
//
// device: where it lives. Default: the default device.
//
// Errors: ArgumentError unless low < high; DTypeError for bool; ShapeError for a negative size.
func Uniform(shape []int64, options ...UniformOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("uniform", needInts(shape), o.Low, o.High, o.Dtype, o.Device)
}

// NormalOptions is what Normal can be told.
type NormalOptions struct {
	// mean. Default: 0.
	Mean *float64
	// deviation. Default: 1.
	Std *float64
	// element type. Default: float32.
	Dtype DType
	// where it lives. Default: the default device.
	Device string
}

// Normal: Normal with the given mean and deviation.
//
// Shape: the result has the given shape. Dtype: the asked one, else default_float().
//
// shape: sizes of the axes (elements).
//
// mean: mean. Default: 0.
//
// std: deviation. Default: 1.
//
// dtype: element type. Default: float32.
//
// device: where it lives. Default: the default device.
//
// Errors: ArgumentError for a negative deviation; DTypeError for a dtype that is no float;
// ShapeError for a negative size.
func Normal(shape []int64, options ...NormalOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("normal", needInts(shape), o.Mean, o.Std, o.Dtype, o.Device)
}

// ScaledUniformOptions is what ScaledUniform can be told.
type ScaledUniformOptions struct {
	// element type. Default: float32.
	Dtype DType
	// where it lives. Default: the default device.
	Device string
}

// ScaledUniform: Uniform in +-1/sqrt(number of elements).
//
// Shape: the result has the given shape. Dtype: the asked one, else default_float().
//
// shape: sizes of the axes (elements).
//
// dtype: element type. Default: float32.
//
// device: where it lives. Default: the default device.
//
// Errors: DTypeError for a dtype that is no float; ShapeError for a negative size.
func ScaledUniform(shape []int64, options ...ScaledUniformOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("scaled_uniform", needInts(shape), o.Dtype, o.Device)
}

// GlorotUniformOptions is what GlorotUniform can be told.
type GlorotUniformOptions struct {
	// element type. Default: float32.
	Dtype DType
	// where it lives. Default: the default device.
	Device string
}

// GlorotUniform: Uniform in +-sqrt(6 / (shape[0] + product of the rest)).
//
// Shape: the result has the given shape. Dtype: the asked one, else default_float().
//
// shape: sizes of the axes (elements).
//
// dtype: element type. Default: float32.
//
// device: where it lives. Default: the default device.
//
// Errors: ShapeError for fewer than 2 axes; DTypeError for a dtype that is no float.
func GlorotUniform(shape []int64, options ...GlorotUniformOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("glorot_uniform", needInts(shape), o.Dtype, o.Device)
}

// KaimingUniformOptions is what KaimingUniform can be told.
type KaimingUniformOptions struct {
	// slope of the leaky relu that follows. Default: 0.01.
	A *float64
	// element type. Default: float32.
	Dtype DType
	// where it lives. Default: the default device.
	Device string
}

// KaimingUniform: Uniform in +-sqrt(6 / ((1 + a^2) * product of all sizes but the first)).
//
// Shape: the result has the given shape. Dtype: the asked one, else default_float().
//
// shape: sizes of the axes (elements).
//
// a: slope of the leaky relu that follows. Default: 0.01.
//
// dtype: element type. Default: float32.
//
// device: where it lives. Default: the default device.
//
// Errors: ShapeError for fewer than 2 axes; DTypeError for a dtype that is no float.
func KaimingUniform(shape []int64, options ...KaimingUniformOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("kaiming_uniform", needInts(shape), o.A, o.Dtype, o.Device)
}

// KaimingNormalOptions is what KaimingNormal can be told.
type KaimingNormalOptions struct {
	// slope of the leaky relu that follows. Default: 0.01.
	A *float64
	// element type. Default: float32.
	Dtype DType
	// where it lives. Default: the default device.
	Device string
}

// KaimingNormal: Normal with deviation sqrt(2 / ((1 + a^2) * product of all sizes but the first)).
//
// Shape: the result has the given shape. Dtype: the asked one, else default_float().
//
// shape: sizes of the axes (elements).
//
// a: slope of the leaky relu that follows. Default: 0.01.
//
// dtype: element type. Default: float32.
//
// device: where it lives. Default: the default device.
//
// Errors: ShapeError for fewer than 2 axes; DTypeError for a dtype that is no float.
func KaimingNormal(shape []int64, options ...KaimingNormalOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("kaiming_normal", needInts(shape), o.A, o.Dtype, o.Device)
}

// RandLike: rand of this tensor's shape, dtype and device.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
//
// Errors: DTypeError for a dtype that is no float.
func (t *Tensor) RandLike() (*Tensor, error) {
	return call[*Tensor]("rand_like", t)
}

// RandnLike: randn of this tensor's shape, dtype and device.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
//
// Errors: DTypeError for a dtype that is no float.
func (t *Tensor) RandnLike() (*Tensor, error) {
	return call[*Tensor]("randn_like", t)
}

// DropoutOptions is what Dropout can be told.
type DropoutOptions struct {
	// share of zeroed elements. Default: 0.5.
	P *float64
}

// Dropout: While training, zeroes elements at random and scales the others up so that the mean
// stays; else the tensor itself.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
//
// p: share of zeroed elements (probability). Default: 0.5.
//
// Errors: ArgumentError for a probability outside [0, 1].
func (t *Tensor) Dropout(options ...DropoutOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("dropout", t, o.P)
}

// Shape: Sizes of the axes; where one is an expression of variables, the largest that it can be.
//
// Shape: not a tensor. Dtype: not a tensor.
func (t *Tensor) Shape() ([]int64, error) {
	return call[[]int64]("shape", t)
}

// Sizes: Sizes of the axes, with their variables.
//
// Shape: not a tensor. Dtype: not a tensor.
func (t *Tensor) Sizes() ([]Size, error) {
	return call[[]Size]("sizes", t)
}

// Size: Size of one axis.
//
// Shape: not a tensor. Dtype: not a tensor.
//
// axis: which.
//
// Errors: IndexError for an axis outside the shape.
func (t *Tensor) Size(axis int64) (int64, error) {
	return call[int64]("size", t, axis)
}

// Dtype: Element type.
//
// Shape: not a tensor. Dtype: not a tensor.
func (t *Tensor) Dtype() (DType, error) {
	return call[DType]("dtype", t)
}

// Device: Name of the device; empty for constants, which live nowhere.
//
// Shape: not a tensor. Dtype: not a tensor.
func (t *Tensor) Device() (string, error) {
	return call[string]("device", t)
}

// Ndim: Number of axes.
//
// Shape: not a tensor. Dtype: not a tensor.
func (t *Tensor) Ndim() (int64, error) {
	return call[int64]("ndim", t)
}

// Numel: Number of elements.
//
// Shape: not a tensor. Dtype: not a tensor.
func (t *Tensor) Numel() (int64, error) {
	return call[int64]("numel", t)
}

// ExistingElements: Number of elements, with the values that variable sizes have now.
//
// Shape: not a tensor. Dtype: not a tensor.
func (t *Tensor) ExistingElements() (int64, error) {
	return call[int64]("existing_elements", t)
}

// ElementSize: Size of one element, bytes.
//
// Shape: not a tensor. Dtype: not a tensor.
func (t *Tensor) ElementSize() (int64, error) {
	return call[int64]("element_size", t)
}

// Nbytes: Size of all elements, bytes.
//
// Shape: not a tensor. Dtype: not a tensor.
func (t *Tensor) Nbytes() (int64, error) {
	return call[int64]("nbytes", t)
}

// IsFloatingPoint: Whether the dtype is a float.
//
// Shape: not a tensor. Dtype: not a tensor.
func (t *Tensor) IsFloatingPoint() (bool, error) {
	return call[bool]("is_floating_point", t)
}

// Reshape: The same elements, row-major, under other sizes.
//
// Shape: the given sizes. Dtype: that of this tensor.
//
// sizes: new sizes; one may be -1, which is inferred (elements).
//
// Errors: ShapeError if the number of elements differs or -1 cannot be inferred, or if a variable
// size would be merged with an axis before it.
func (t *Tensor) Reshape(sizes Sizes) (*Tensor, error) {
	return call[*Tensor]("reshape", t, sizes)
}

// View: Another name of reshape.
//
// Shape: the given sizes. Dtype: that of this tensor.
//
// sizes: as of reshape (elements).
//
// Errors: as reshape.
func (t *Tensor) View(sizes Sizes) (*Tensor, error) {
	return call[*Tensor]("view", t, sizes)
}

// Expand: Stretches axes of size 1 without copying; new axes stand in front.
//
// Shape: the given sizes. Dtype: that of this tensor.
//
// sizes: new sizes; -1 keeps one (elements).
//
// Errors: ShapeError if an axis of another size than 1 would change.
func (t *Tensor) Expand(sizes Sizes) (*Tensor, error) {
	return call[*Tensor]("expand", t, sizes)
}

// Permute: Axes in another order.
//
// Shape: sizes reordered. Dtype: that of this tensor.
//
// order: for each new axis, the old one.
//
// Errors: ArgumentError unless each axis is named once; IndexError for an axis outside the shape.
func (t *Tensor) Permute(order []int64) (*Tensor, error) {
	return call[*Tensor]("permute", t, needInts(order))
}

// TransposeOptions is what Transpose can be told.
type TransposeOptions struct {
	// one axis. Default: 1.
	Axis0 *int64
	// the other. Default: 0.
	Axis1 *int64
}

// Transpose: Swaps two axes.
//
// Shape: two sizes swapped. Dtype: that of this tensor.
//
// axis0: one axis. Default: 1.
//
// axis1: the other. Default: 0.
//
// Errors: IndexError for an axis outside the shape.
func (t *Tensor) Transpose(options ...TransposeOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("transpose", t, o.Axis0, o.Axis1)
}

// T: transpose() of the first two axes.
//
// Shape: two sizes swapped. Dtype: that of this tensor.
//
// Errors: IndexError for an axis outside the shape.
func (t *Tensor) T() (*Tensor, error) {
	return call[*Tensor]("T", t)
}

// Flip: Reverses axes.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
//
// axes: which; none named: all.
//
// Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
func (t *Tensor) Flip(axes []int64) (*Tensor, error) {
	return call[*Tensor]("flip", t, needInts(axes))
}

// Shrink: A window.
//
// Shape: end - begin on every axis. Dtype: that of this tensor.
//
// ranges: [begin, end) of every axis (elements).
//
// Errors: IndexError for a range outside its axis; ArgumentError unless there is one an axis.
func (t *Tensor) Shrink(ranges []int64) (*Tensor, error) {
	return call[*Tensor]("shrink", t, needInts(ranges))
}

// PadOptions is what Pad can be told.
type PadOptions struct {
	// a number, or a tensor of one element. Default: 0.
	Value any
	// instead of a value: Reflect mirrors without the edge, Replicate repeats the edge, Circular goes
	// on from the other end. Default: none.
	Mode *PadMode
}

// Pad: A border of one value, or continued from the elements.
//
// Shape: before + size + after on every axis. Dtype: that of this tensor.
//
// padding: (before, after) of every axis; negative numbers crop (elements).
//
// value: a number, or a tensor of one element. Default: 0.
//
// mode: instead of a value: Reflect mirrors without the edge, Replicate repeats the edge, Circular
// goes on from the other end. Default: none.
//
// Errors: ArgumentError unless there is one pair an axis and the value is a number; ShapeError if
// more is cropped or continued than there is.
func (t *Tensor) Pad(padding []int64, options ...PadOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("pad", t, needInts(padding), o.Value, optionalChoice(o.Mode))
}

// SqueezeOptions is what Squeeze can be told.
type SqueezeOptions struct {
	// which. Default: all.
	Axis *int64
}

// Squeeze: Drops axes of size 1: all, or the named one if its size is 1.
//
// Shape: without the dropped axes. Dtype: that of this tensor.
//
// axis: which. Default: all.
//
// Errors: IndexError for an axis outside the shape.
func (t *Tensor) Squeeze(options ...SqueezeOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("squeeze", t, o.Axis)
}

// Unsqueeze: A new axis of size 1.
//
// Shape: one axis more. Dtype: that of this tensor.
//
// axis: where it stands afterwards; -1: last.
//
// Errors: IndexError for an axis outside the shape.
func (t *Tensor) Unsqueeze(axis int64) (*Tensor, error) {
	return call[*Tensor]("unsqueeze", t, axis)
}

// FlattenOptions is what Flatten can be told.
type FlattenOptions struct {
	// first axis. Default: 0.
	First *int64
	// last axis. Default: -1.
	Last *int64
}

// Flatten: Merges neighbouring axes.
//
// Shape: the product of the sizes on one axis. Dtype: that of this tensor.
//
// first: first axis. Default: 0.
//
// last: last axis. Default: -1.
//
// Errors: IndexError for an axis outside the shape; ArgumentError if first stands after last.
func (t *Tensor) Flatten(options ...FlattenOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("flatten", t, o.First, o.Last)
}

// Unflatten: Splits one axis.
//
// Shape: the axis replaced by the sizes. Dtype: that of this tensor.
//
// axis: which.
//
// sizes: its new sizes; one may be -1 (elements).
//
// Errors: ShapeError if the sizes do not multiply to the axis.
func (t *Tensor) Unflatten(axis int64, sizes []int64) (*Tensor, error) {
	return call[*Tensor]("unflatten", t, axis, needInts(sizes))
}

// Repeat: Tiles: the whole tensor again and again along each axis; more counts than axes add axes
// in front.
//
// Shape: sizes times counts. Dtype: that of this tensor.
//
// repeats: how often, for each axis.
//
// Errors: ArgumentError for fewer counts than axes or a negative one.
func (t *Tensor) Repeat(repeats []int64) (*Tensor, error) {
	return call[*Tensor]("repeat", t, needInts(repeats))
}

// RollOptions is what Roll can be told.
type RollOptions struct {
	// which axis; negative: from the end. Default: 0.
	Axis *int64
}

// Roll: Shifts circularly along an axis.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
//
// shift: how far towards the end; negative: back (elements).
//
// axis: which axis; negative: from the end. Default: 0.
//
// Errors: IndexError for an axis outside the shape.
func (t *Tensor) Roll(shift int64, options ...RollOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("roll", t, shift, o.Axis)
}

// TrilOptions is what Tril can be told.
type TrilOptions struct {
	// last diagonal kept; positive: above the main one. Default: 0.
	Diagonal *int64
}

// Tril: Keeps the lower triangle of the last two axes, 0 above.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
//
// diagonal: last diagonal kept; positive: above the main one. Default: 0.
//
// Errors: ShapeError for fewer than 2 axes.
func (t *Tensor) Tril(options ...TrilOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("tril", t, o.Diagonal)
}

// TriuOptions is what Triu can be told.
type TriuOptions struct {
	// first diagonal kept; positive: above the main one. Default: 0.
	Diagonal *int64
}

// Triu: Keeps the upper triangle of the last two axes, 0 below.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
//
// diagonal: first diagonal kept; positive: above the main one. Default: 0.
//
// Errors: ShapeError for fewer than 2 axes.
func (t *Tensor) Triu(options ...TriuOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("triu", t, o.Diagonal)
}

// Diagonal: Main diagonal of a square matrix.
//
// Shape: [n, n] gives [n]. Dtype: that of this tensor.
//
// Errors: ShapeError for anything but a square matrix.
func (t *Tensor) Diagonal() (*Tensor, error) {
	return call[*Tensor]("diagonal", t)
}

// CatOptions is what Cat can be told.
type CatOptions struct {
	// which axis; negative: from the end. Default: 0.
	Axis *int64
}

// Cat: Joins along an existing axis.
//
// Shape: the sizes along the axis added up. Dtype: the promoted dtype of the operands; numbers give
// way.
//
// tensors: at least one.
//
// axis: which axis; negative: from the end. Default: 0.
//
// Errors: ShapeError if other sizes differ; ArgumentError for no tensor.
func Cat(tensors []*Tensor, options ...CatOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("cat", needTensors(tensors), o.Axis)
}

// StackOptions is what Stack can be told.
type StackOptions struct {
	// which axis; negative: from the end. Default: 0.
	Axis *int64
}

// Stack: Joins along a new axis.
//
// Shape: one axis more, as long as there are tensors. Dtype: the promoted dtype of the operands;
// numbers give way.
//
// tensors: at least one, of equal shapes.
//
// axis: which axis; negative: from the end. Default: 0.
//
// Errors: ShapeError if the shapes differ; ArgumentError for no tensor.
func Stack(tensors []*Tensor, options ...StackOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("stack", needTensors(tensors), o.Axis)
}

// SplitOptions is what Split can be told.
type SplitOptions struct {
	// of each piece. Default: none.
	Size *int64
	// of all pieces; they add up to the axis. Default: none.
	Sizes []int64
	// which axis; negative: from the end. Default: 0.
	Axis *int64
}

// Split: Pieces along an axis: of one size (the last may be smaller), or of the listed sizes.
//
// Shape: as this tensor, but for the axis. Dtype: that of this tensor.
//
// size: of each piece (elements). Default: none.
//
// sizes: of all pieces; they add up to the axis (elements). Default: none.
//
// axis: which axis; negative: from the end. Default: 0.
//
// Errors: ShapeError if the sizes do not add up; ArgumentError for a size below 1.
func (t *Tensor) Split(options ...SplitOptions) ([]*Tensor, error) {
	o := first(options)
	return call[[]*Tensor]("split", t, o.Size, o.Sizes, o.Axis)
}

// ChunkOptions is what Chunk can be told.
type ChunkOptions struct {
	// which axis; negative: from the end. Default: 0.
	Axis *int64
}

// Chunk: At most so many pieces of equal size along an axis; the last may be smaller.
//
// Shape: as this tensor, but for the axis. Dtype: that of this tensor.
//
// chunks: largest number of pieces.
//
// axis: which axis; negative: from the end. Default: 0.
//
// Errors: ArgumentError for a number below 1.
func (t *Tensor) Chunk(chunks int64, options ...ChunkOptions) ([]*Tensor, error) {
	o := first(options)
	return call[[]*Tensor]("chunk", t, chunks, o.Axis)
}

// PadToOptions is what PadTo can be told.
type PadToOptions struct {
	// a number. Default: 0.
	Value any
}

// PadTo: A border of one value at the ends of the axes, up to these sizes. Of an axis of variable
// size what does not exist is border too.
//
// Shape: the given sizes. Dtype: that of this tensor.
//
// sizes: new sizes; -1 keeps one, a smaller one than there is crops (elements).
//
// value: a number. Default: 0.
//
// Errors: ArgumentError unless there is one size an axis, none below -1, and the value is a number.
func (t *Tensor) PadTo(sizes []int64, options ...PadToOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("pad_to", t, needInts(sizes), o.Value)
}

// ShrinkTo: The beginning of each axis.
//
// Shape: the given sizes. Dtype: that of this tensor.
//
// sizes: how many elements; -1 keeps all (elements).
//
// Errors: IndexError for more elements than there are; ArgumentError unless there is one size an
// axis.
func (t *Tensor) ShrinkTo(sizes Sizes) (*Tensor, error) {
	return call[*Tensor]("shrink_to", t, sizes)
}

// RepeatInterleaveOptions is what RepeatInterleave can be told.
type RepeatInterleaveOptions struct {
	// along which; negative: from the end. Default: that of the flattened tensor.
	Axis *int64
}

// RepeatInterleave: Each element several times, one after the other.
//
// Shape: the axis, or the number of elements, times the count. Dtype: that of this tensor.
//
// repeats: how often.
//
// axis: along which; negative: from the end. Default: that of the flattened tensor.
//
// Errors: IndexError for an axis outside the shape; ArgumentError for a negative count.
func (t *Tensor) RepeatInterleave(repeats int64, options ...RepeatInterleaveOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("repeat_interleave", t, repeats, o.Axis)
}

// Diag: A vector on the diagonal of a matrix, 0 elsewhere.
//
// Shape: [n] gives [n, n]. Dtype: that of this tensor.
//
// Errors: ShapeError for anything but a vector; ArgumentError if its size is variable.
func (t *Tensor) Diag() (*Tensor, error) {
	return call[*Tensor]("diag", t)
}

// Unfold: Windows of an axis: it counts them, and a new last axis goes through each.
//
// Shape: [..., n, ...] gives [..., (n - size) / step + 1, ..., size]. Dtype: that of this tensor.
//
// axis: which; negative: from the end.
//
// size: of a window (elements).
//
// step: from one window to the next (elements).
//
// Errors: IndexError for an axis outside the shape; ArgumentError for windows larger than the axis,
// a step below 1, or an axis of variable size.
func (t *Tensor) Unfold(axis int64, size int64, step int64) (*Tensor, error) {
	return call[*Tensor]("unfold", t, axis, size, step)
}

// Rearrange: Axes split, reordered and merged, as einops says it.
//
// Shape: the axes that stand after "->". Dtype: that of this tensor.
//
// formula: names of axes before and after "->", parentheses for several in one, 1 for an axis of
// size 1, "..." for any number; behind a comma the sizes that do not follow from the shape: "b (h
// w) c -> b c h w, h=4".
//
// Errors: ArgumentError for a formula that does not fit the shape.
func (t *Tensor) Rearrange(formula string) (*Tensor, error) {
	return call[*Tensor]("rearrange", t, needText(formula))
}

// MeshgridOptions is what Meshgrid can be told.
type MeshgridOptions struct {
	// the order of the grid's axes: Ij that of the tensors, Xy with the first two swapped. Default:
	// Ij.
	Indexing *GridIndexing
}

// Meshgrid: The coordinates of a grid along axes: for each tensor, which lists those of one axis,
// one of the grid's shape. A single tensor stays as it is.
//
// Shape: an axis for each tensor, as long as it. Dtype: that of this tensor.
//
// tensors: at least one; flattened.
//
// indexing: the order of the grid's axes: Ij that of the tensors, Xy with the first two swapped.
// Default: Ij.
//
// Errors: ArgumentError for no tensor.
func Meshgrid(tensors []*Tensor, options ...MeshgridOptions) ([]*Tensor, error) {
	o := first(options)
	return call[[]*Tensor]("meshgrid", needTensors(tensors), optionalChoice(o.Indexing))
}

// InterpolateOptions is what Interpolate can be told.
type InterpolateOptions struct {
	// Linear weighs the two neighbours on each axis, Nearest takes the element before the place,
	// NearestExact the one that the place lies in. Default: Linear.
	Mode *InterpolateMode
	// Linear: first and last elements stay at the ends, instead of all elements having one width.
	// Default: false.
	AlignCorners *bool
}

// Interpolate: The last axes in other sizes. Integers are rounded towards 0 at the end, uint8 to
// the nearest after each axis.
//
// Shape: the last axes as given. Dtype: that of this tensor.
//
// size: of the last axes (elements).
//
// mode: Linear weighs the two neighbours on each axis, Nearest takes the element before the place,
// NearestExact the one that the place lies in. Default: Linear.
//
// align_corners: Linear: first and last elements stay at the ends, instead of all elements having
// one width. Default: false.
//
// Errors: ArgumentError for no size or more than axes, negative ones, align_corners with another
// mode, or an axis of variable size; ShapeError for an axis without elements.
func (t *Tensor) Interpolate(size []int64, options ...InterpolateOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("interpolate", t, needInts(size), optionalChoice(o.Mode), o.AlignCorners)
}

// GridSampleOptions is what GridSample can be told.
type GridSampleOptions struct {
	// Linear weighs the neighbours along each axis, Nearest takes the nearest element (halves: the one
	// with the even number). Default: Linear.
	Mode *GridSampleMode
	// what lies outside: Zeros, Border (the edge), Reflection (the elements mirrored at the edge).
	// Default: Zeros.
	Padding *GridSamplePadding
	// -1 and 1 are the middles of the end elements, not their edges. Default: false.
	AlignCorners *bool
}

// GridSample: What lies at the places of a grid, each spatial axis of this going from -1 to 1; the
// grid lists them from the last one on. Places that are NaN read 0.
//
// Shape: [batch, channels, spatial...] gives [batch, channels, out...]. Dtype: that of this tensor
// (float32 for integers and bool) and the grid, promoted.
//
// grid: [batch, out..., axes], a float.
//
// mode: Linear weighs the neighbours along each axis, Nearest takes the nearest element (halves:
// the one with the even number). Default: Linear.
//
// padding: what lies outside: Zeros, Border (the edge), Reflection (the elements mirrored at the
// edge). Default: Zeros.
//
// align_corners: -1 and 1 are the middles of the end elements, not their edges. Default: false.
//
// Errors: ShapeError if the shapes do not fit or a spatial axis has no elements; DTypeError unless
// the grid is a float; ArgumentError for an axis of variable size.
func (t *Tensor) GridSample(grid *Tensor, options ...GridSampleOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("grid_sample", t, grid, optionalChoice(o.Mode), optionalChoice(o.Padding), o.AlignCorners)
}

// AffineGridOptions is what AffineGrid can be told.
type AffineGridOptions struct {
	// as of grid_sample. Default: false.
	AlignCorners *bool
}

// AffineGrid: The grid that affine maps make of the places of spatial sizes, each axis going from
// -1 to 1: what grid_sample takes.
//
// Shape: [batch, axes, axes + 1] gives [batch, size..., axes]. Dtype: floats stay, integers and
// bool become float32.
//
// size: of the spatial axes (elements).
//
// align_corners: as of grid_sample. Default: false.
//
// Errors: ShapeError if maps and sizes do not fit, or for sizes below 1; ArgumentError for an axis
// of variable size.
func (t *Tensor) AffineGrid(size []int64, options ...AffineGridOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("affine_grid", t, needInts(size), o.AlignCorners)
}

// Index: One item an axis, as in PyTorch: integers drop it, Slice keeps a part, NewAxis adds one,
// Ellipsis stands for the rest, integer tensors pick. Also written x[{...}]. Elements of index
// tensors count from the end if negative; outside the axis they read 0. A mask, a tensor of bool,
// stands for as many axes as it has and picks where it is true, as the columns of its nonzero()
// would: it is computed now.
//
// Shape: as in PyTorch: the axes of index tensors stand where the first was if they are neighbours
// once integers have dropped theirs, else in front. Dtype: that of this tensor.
//
// items: integers, Slice, Ellipsis, NewAxis, integer tensors, masks.
//
// Errors: IndexError for an integer outside its axis, too many items, index tensors that hold
// neither integers nor bool, or a mask of other sizes than its axes; ArgumentError for a step of 0.
func (t *Tensor) Index(items []IndexItem) (*Tensor, error) {
	return call[*Tensor]("index", t, items)
}

// Set: Assigns to the part that the items name, in place. Of places that an index tensor names
// twice the last wins; places outside are left out. A mask, the only tensor among the items, is not
// computed now: values go to its places in row-major order, those left over are not used, and
// places left over keep what they have.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
//
// items: as of index.
//
// value: broadcast to the part.
//
// Errors: as index and assign.
func (t *Tensor) Set(items []IndexItem, value *Tensor) (*Tensor, error) {
	return call[*Tensor]("set", t, items, value)
}

// Gather: out[i...] = this[..., index[i...] at the axis, ...].
//
// Shape: that of the index. Dtype: that of this tensor.
//
// axis: which.
//
// index: integers, as many axes as this.
//
// Errors: ShapeError if the index has other axes or is longer elsewhere; DTypeError unless it holds
// integers.
func (t *Tensor) Gather(axis int64, index *Tensor) (*Tensor, error) {
	return call[*Tensor]("gather", t, axis, index)
}

// Scatter: A copy with src[p] put at index[p] along the axis for each p; of equal places the last
// wins, places outside are dropped.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
//
// axis: which.
//
// index: integers, as many axes as this.
//
// src: values of the index's shape, or a number.
//
// Errors: ShapeError if the shapes do not fit; DTypeError unless the index holds integers.
func (t *Tensor) Scatter(axis int64, index *Tensor, src any) (*Tensor, error) {
	return call[*Tensor]("scatter", t, axis, index, src)
}

// ScatterAdd: As scatter, but values are added to what is there.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
//
// axis: which.
//
// index: integers, as many axes as this.
//
// src: values of the index's shape, or a number.
//
// Errors: as scatter.
func (t *Tensor) ScatterAdd(axis int64, index *Tensor, src any) (*Tensor, error) {
	return call[*Tensor]("scatter_add", t, axis, index, src)
}

// ScatterReduceOptions is what ScatterReduce can be told.
type ScatterReduceOptions struct {
	// whether what is there takes part. Default: true.
	IncludeSelf *bool
}

// ScatterReduce: As scatter, but of the values that meet at one place, and of what is there before,
// the sum, mean, product, largest or smallest.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
//
// axis: which.
//
// index: integers, as many axes as this.
//
// src: values of the index's shape and this dtype, or a number.
//
// reduction: Sum, Mean, Prod, Max or Min.
//
// include_self: whether what is there takes part. Default: true.
//
// Errors: as scatter; DTypeError if the dtypes differ.
func (t *Tensor) ScatterReduce(axis int64, index *Tensor, src any, reduction ScatterReduction, options ...ScatterReduceOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("scatter_reduce", t, axis, index, src, choice(reduction), o.IncludeSelf)
}

// OneHot: 1 where the label stands along a new last axis, else 0.
//
// Shape: [..., classes]. Dtype: int32.
//
// classes: length of the new axis (elements).
//
// Errors: DTypeError unless the labels are integers; ArgumentError for a negative number.
func (t *Tensor) OneHot(classes int64) (*Tensor, error) {
	return call[*Tensor]("one_hot", t, classes)
}

// MaskedSelectOptions is what MaskedSelect can be told.
type MaskedSelectOptions struct {
	// length of the result; left out, the mask is computed now. Default: as many as the mask selects.
	Size *int64
	// of places left over. Default: 0.
	FillValue *float64
}

// MaskedSelect: The elements where the mask is true, in row-major order.
//
// Shape: [size]. Dtype: that of this tensor.
//
// mask: bool, broadcast.
//
// size: length of the result; left out, the mask is computed now (elements). Default: as many as
// the mask selects.
//
// fill_value: of places left over. Default: 0.
//
// Errors: DTypeError unless the mask is bool; ArgumentError for a negative size; ShapeError if the
// shapes cannot be broadcast.
func (t *Tensor) MaskedSelect(mask *Tensor, options ...MaskedSelectOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("masked_select", t, mask, o.Size, o.FillValue)
}

// NonzeroOptions is what Nonzero can be told.
type NonzeroOptions struct {
	// number of rows; left out, this tensor is computed now. Default: as many as are not 0.
	Size *int64
	// of rows left over. Default: 0.
	FillValue *float64
}

// Nonzero: The places of the elements that are not 0, in row-major order, a row each.
//
// Shape: [size, axes]. Dtype: int32.
//
// size: number of rows; left out, this tensor is computed now. Default: as many as are not 0.
//
// fill_value: of rows left over. Default: 0.
//
// Errors: ArgumentError for a negative size.
func (t *Tensor) Nonzero(options ...NonzeroOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("nonzero", t, o.Size, o.FillValue)
}

// SortOptions is what Sort can be told.
type SortOptions struct {
	// axis to go along. Default: -1.
	Axis *int64
	// from the largest on. Default: false.
	Descending *bool
}

// Sort: The pair of the elements in order along an axis and their places, int32. NaN is the largest
// number; equal elements keep their order, as -0 and 0.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
//
// axis: axis to go along. Default: -1.
//
// descending: from the largest on. Default: false.
//
// Errors: IndexError for an axis outside the shape.
func (t *Tensor) Sort(options ...SortOptions) ([]*Tensor, error) {
	o := first(options)
	return call[[]*Tensor]("sort", t, o.Axis, o.Descending)
}

// ArgsortOptions is what Argsort can be told.
type ArgsortOptions struct {
	// axis to go along. Default: -1.
	Axis *int64
	// from the largest on. Default: false.
	Descending *bool
}

// Argsort: The places of the elements in order along an axis, those of sort.
//
// Shape: the result has this tensor's shape. Dtype: int32.
//
// axis: axis to go along. Default: -1.
//
// descending: from the largest on. Default: false.
//
// Errors: IndexError for an axis outside the shape.
func (t *Tensor) Argsort(options ...ArgsortOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("argsort", t, o.Axis, o.Descending)
}

// TopkOptions is what Topk can be told.
type TopkOptions struct {
	// axis to go along. Default: -1.
	Axis *int64
	// from the largest on, else from the smallest. Default: true.
	Largest *bool
}

// Topk: The pair of the first k elements in order along an axis, from the largest or the smallest
// on, and their places, int32; those of sort.
//
// Shape: k along the axis. Dtype: that of this tensor.
//
// k: how many (elements).
//
// axis: axis to go along. Default: -1.
//
// largest: from the largest on, else from the smallest. Default: true.
//
// Errors: IndexError for an axis outside the shape; ArgumentError unless k lies between 0 and the
// axis, or for an axis of variable size.
func (t *Tensor) Topk(k int64, options ...TopkOptions) ([]*Tensor, error) {
	o := first(options)
	return call[[]*Tensor]("topk", t, k, o.Axis, o.Largest)
}

// UniqueOptions is what Unique can be told.
type UniqueOptions struct {
	// length of the result; left out, the tensor is sorted now. Default: as many as differ.
	Size *int64
	// of places left over. Default: 0.
	FillValue *float64
}

// Unique: The elements that differ, in order; of equal ones the first. Each NaN differs.
//
// Shape: [size]. Dtype: that of this tensor.
//
// size: length of the result; left out, the tensor is sorted now (elements). Default: as many as
// differ.
//
// fill_value: of places left over. Default: 0.
//
// Errors: ArgumentError for a negative size.
func (t *Tensor) Unique(options ...UniqueOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("unique", t, o.Size, o.FillValue)
}

// Add: Sum. Integers wrap; bool: or.
//
// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
// way.
//
// other: the right operand, or a number.
//
// Errors: ShapeError if the shapes cannot be broadcast.
func (t *Tensor) Add(other any) (*Tensor, error) {
	return call[*Tensor]("add", t, other)
}

// Sub: Difference. Integers wrap.
//
// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
// way.
//
// other: the right operand, or a number.
//
// Errors: ShapeError if the shapes cannot be broadcast.
func (t *Tensor) Sub(other any) (*Tensor, error) {
	return call[*Tensor]("sub", t, other)
}

// Mul: Product. Integers wrap; bool: and.
//
// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
// way.
//
// other: the right operand, or a number.
//
// Errors: ShapeError if the shapes cannot be broadcast.
func (t *Tensor) Mul(other any) (*Tensor, error) {
	return call[*Tensor]("mul", t, other)
}

// DivOptions is what Div can be told.
type DivOptions struct {
	// None, Trunc (towards 0) or Floor (down). Default: None.
	Rounding *Rounding
}

// Div: True division; with a rounding the quotient towards 0 or down.
//
// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype; integers and bool become
// float32 unless it is rounded.
//
// other: the right operand, or a number.
//
// rounding: None, Trunc (towards 0) or Floor (down). Default: None.
//
// Errors: ShapeError if the shapes cannot be broadcast.
func (t *Tensor) Div(other any, options ...DivOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("div", t, other, optionalChoice(o.Rounding))
}

// Floordiv: Quotient rounded down; 0 for a whole division by 0.
//
// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
// way.
//
// other: the right operand, or a number.
//
// Errors: ShapeError if the shapes cannot be broadcast.
func (t *Tensor) Floordiv(other any) (*Tensor, error) {
	return call[*Tensor]("floordiv", t, other)
}

// Mod: Remainder with the divisor's sign; 0 for a whole division by 0.
//
// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
// way.
//
// other: the right operand, or a number.
//
// Errors: ShapeError if the shapes cannot be broadcast.
func (t *Tensor) Mod(other any) (*Tensor, error) {
	return call[*Tensor]("mod", t, other)
}

// Fmod: Remainder with the sign of this tensor; 0 for a whole division by 0.
//
// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
// way.
//
// other: the right operand, or a number.
//
// Errors: ShapeError if the shapes cannot be broadcast.
func (t *Tensor) Fmod(other any) (*Tensor, error) {
	return call[*Tensor]("fmod", t, other)
}

// Maximum: The larger; NaN if either is NaN.
//
// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
// way.
//
// other: the right operand, or a number.
//
// Errors: ShapeError if the shapes cannot be broadcast.
func (t *Tensor) Maximum(other any) (*Tensor, error) {
	return call[*Tensor]("maximum", t, other)
}

// Minimum: The smaller; NaN if either is NaN.
//
// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
// way.
//
// other: the right operand, or a number.
//
// Errors: ShapeError if the shapes cannot be broadcast.
func (t *Tensor) Minimum(other any) (*Tensor, error) {
	return call[*Tensor]("minimum", t, other)
}

// BitwiseAnd: And of bits.
//
// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
// way.
//
// other: the right operand, or a number.
//
// Errors: DTypeError for floats; ShapeError if the shapes cannot be broadcast.
func (t *Tensor) BitwiseAnd(other any) (*Tensor, error) {
	return call[*Tensor]("bitwise_and", t, other)
}

// BitwiseOr: Or of bits.
//
// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
// way.
//
// other: the right operand, or a number.
//
// Errors: DTypeError for floats; ShapeError if the shapes cannot be broadcast.
func (t *Tensor) BitwiseOr(other any) (*Tensor, error) {
	return call[*Tensor]("bitwise_or", t, other)
}

// BitwiseXor: Exclusive or of bits.
//
// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
// way.
//
// other: the right operand, or a number.
//
// Errors: DTypeError for floats; ShapeError if the shapes cannot be broadcast.
func (t *Tensor) BitwiseXor(other any) (*Tensor, error) {
	return call[*Tensor]("bitwise_xor", t, other)
}

// Eq: Equal; false for NaN.
//
// Shape: the operands' shapes, broadcast. Dtype: bool.
//
// other: the right operand, or a number.
//
// Errors: ShapeError if the shapes cannot be broadcast.
func (t *Tensor) Eq(other any) (*Tensor, error) {
	return call[*Tensor]("eq", t, other)
}

// Ne: Not equal; true for NaN.
//
// Shape: the operands' shapes, broadcast. Dtype: bool.
//
// other: the right operand, or a number.
//
// Errors: ShapeError if the shapes cannot be broadcast.
func (t *Tensor) Ne(other any) (*Tensor, error) {
	return call[*Tensor]("ne", t, other)
}

// Lt: Less; false for NaN.
//
// Shape: the operands' shapes, broadcast. Dtype: bool.
//
// other: the right operand, or a number.
//
// Errors: ShapeError if the shapes cannot be broadcast.
func (t *Tensor) Lt(other any) (*Tensor, error) {
	return call[*Tensor]("lt", t, other)
}

// Le: Less or equal; false for NaN.
//
// Shape: the operands' shapes, broadcast. Dtype: bool.
//
// other: the right operand, or a number.
//
// Errors: ShapeError if the shapes cannot be broadcast.
func (t *Tensor) Le(other any) (*Tensor, error) {
	return call[*Tensor]("le", t, other)
}

// Gt: Greater; false for NaN.
//
// Shape: the operands' shapes, broadcast. Dtype: bool.
//
// other: the right operand, or a number.
//
// Errors: ShapeError if the shapes cannot be broadcast.
func (t *Tensor) Gt(other any) (*Tensor, error) {
	return call[*Tensor]("gt", t, other)
}

// Ge: Greater or equal; false for NaN.
//
// Shape: the operands' shapes, broadcast. Dtype: bool.
//
// other: the right operand, or a number.
//
// Errors: ShapeError if the shapes cannot be broadcast.
func (t *Tensor) Ge(other any) (*Tensor, error) {
	return call[*Tensor]("ge", t, other)
}

// LogicalAnd: Both are not 0.
//
// Shape: the operands' shapes, broadcast. Dtype: bool.
//
// other: the right operand, or a number.
//
// Errors: ShapeError if the shapes cannot be broadcast.
func (t *Tensor) LogicalAnd(other any) (*Tensor, error) {
	return call[*Tensor]("logical_and", t, other)
}

// LogicalOr: One is not 0.
//
// Shape: the operands' shapes, broadcast. Dtype: bool.
//
// other: the right operand, or a number.
//
// Errors: ShapeError if the shapes cannot be broadcast.
func (t *Tensor) LogicalOr(other any) (*Tensor, error) {
	return call[*Tensor]("logical_or", t, other)
}

// Pow: This to the power of the exponent; 0 to the power 0 is 1; NaN for a broken power of a
// negative number.
//
// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
// way.
//
// exponent: a number or a tensor.
//
// Errors: DTypeError for an integer base unless the exponent is a whole number, not negative.
func (t *Tensor) Pow(exponent any) (*Tensor, error) {
	return call[*Tensor]("pow", t, exponent)
}

// Clip: Limited to [low, high].
//
// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
// way.
//
// low: lower bound, or a number.
//
// high: upper bound, or a number.
//
// Errors: ShapeError if the shapes cannot be broadcast.
func (t *Tensor) Clip(low any, high any) (*Tensor, error) {
	return call[*Tensor]("clip", t, low, high)
}

// Clamp: Another name of clip.
//
// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
// way.
//
// low: lower bound, or a number.
//
// high: upper bound, or a number.
//
// Errors: ShapeError if the shapes cannot be broadcast.
func (t *Tensor) Clamp(low any, high any) (*Tensor, error) {
	return call[*Tensor]("clamp", t, low, high)
}

// ClampMin: Not below a bound; NaN stays.
//
// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
// way.
//
// low: lower bound, or a number.
//
// Errors: ShapeError if the shapes cannot be broadcast.
func (t *Tensor) ClampMin(low any) (*Tensor, error) {
	return call[*Tensor]("clamp_min", t, low)
}

// ClampMax: Not above a bound; NaN stays.
//
// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
// way.
//
// high: upper bound, or a number.
//
// Errors: ShapeError if the shapes cannot be broadcast.
func (t *Tensor) ClampMax(high any) (*Tensor, error) {
	return call[*Tensor]("clamp_max", t, high)
}

// BitwiseNot: Complement of bits; bool: not.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
//
// Errors: DTypeError for floats.
func (t *Tensor) BitwiseNot() (*Tensor, error) {
	return call[*Tensor]("bitwise_not", t)
}

// Lshift: Bits moved up; counts of 64 and more give 0.
//
// Shape: the operands' shapes, broadcast. Dtype: that of this tensor.
//
// count: how far (bits).
//
// Errors: DTypeError for floats; ShapeError if the shapes cannot be broadcast.
func (t *Tensor) Lshift(count *Tensor) (*Tensor, error) {
	return call[*Tensor]("lshift", t, count)
}

// Rshift: Bits moved down; the sign stays.
//
// Shape: the operands' shapes, broadcast. Dtype: that of this tensor.
//
// count: how far (bits).
//
// Errors: DTypeError for floats; ShapeError if the shapes cannot be broadcast.
func (t *Tensor) Rshift(count *Tensor) (*Tensor, error) {
	return call[*Tensor]("rshift", t, count)
}

// LogicalNot: Is 0.
//
// Shape: the result has this tensor's shape. Dtype: bool.
func (t *Tensor) LogicalNot() (*Tensor, error) {
	return call[*Tensor]("logical_not", t)
}

// Where: a where this is true, else b.
//
// Shape: all three, broadcast. Dtype: the promoted dtype of a and b.
//
// a: taken where true, or a number.
//
// b: taken where false, or a number.
//
// Errors: DTypeError unless this is bool; ShapeError if the shapes cannot be broadcast.
func (t *Tensor) Where(a any, b any) (*Tensor, error) {
	return call[*Tensor]("where", t, a, b)
}

// MaskedFill: The value where the mask is true, else this.
//
// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
// way.
//
// mask: bool.
//
// value: a tensor or a number.
//
// Errors: DTypeError unless the mask is bool; ShapeError if the shapes cannot be broadcast.
func (t *Tensor) MaskedFill(mask *Tensor, value any) (*Tensor, error) {
	return call[*Tensor]("masked_fill", t, mask, value)
}

// Copysign: The size of this with the sign of the other, of -0 and NaN too.
//
// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype; integers and bool become
// float32.
//
// other: the right operand, or a number.
//
// Errors: ShapeError if the shapes cannot be broadcast.
func (t *Tensor) Copysign(other any) (*Tensor, error) {
	return call[*Tensor]("copysign", t, other)
}

// Logaddexp: Logarithm of exp(x) + exp(y), without overflow.
//
// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype; integers and bool become
// float32.
//
// other: the right operand, or a number.
//
// Errors: ShapeError if the shapes cannot be broadcast.
func (t *Tensor) Logaddexp(other any) (*Tensor, error) {
	return call[*Tensor]("logaddexp", t, other)
}

// Lerp: This + weight * (end - this).
//
// Shape: all three, broadcast. Dtype: the promoted dtype of this and end; integers and bool become
// float32.
//
// end: what weight 1 gives, or a number.
//
// weight: share of the end, or a number.
//
// Errors: ShapeError if the shapes cannot be broadcast.
func (t *Tensor) Lerp(end any, weight any) (*Tensor, error) {
	return call[*Tensor]("lerp", t, end, weight)
}

// Usum: Sum of one or more tensors.
//
// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
// way.
//
// tensors: one or more, or numbers.
//
// Errors: ArgumentError for none; ShapeError if the shapes cannot be broadcast.
func Usum(tensors []*Tensor) (*Tensor, error) {
	return call[*Tensor]("usum", needTensors(tensors))
}

// Uprod: Product of one or more tensors.
//
// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers give
// way.
//
// tensors: one or more, or numbers.
//
// Errors: ArgumentError for none; ShapeError if the shapes cannot be broadcast.
func Uprod(tensors []*Tensor) (*Tensor, error) {
	return call[*Tensor]("uprod", needTensors(tensors))
}

// IscloseOptions is what Isclose can be told.
type IscloseOptions struct {
	// tolerance relative to the other tensor. Default: 1e-5.
	Rtol *float64
	// absolute tolerance. Default: 1e-8.
	Atol *float64
	// NaN is close to NaN. Default: false.
	EqualNan *bool
}

// Isclose: |x - y| <= atol + rtol |y|, or both the same infinity.
//
// Shape: the operands' shapes, broadcast. Dtype: bool.
//
// other: what to compare with, or a number.
//
// rtol: tolerance relative to the other tensor. Default: 1e-5.
//
// atol: absolute tolerance. Default: 1e-8.
//
// equal_nan: NaN is close to NaN. Default: false.
//
// Errors: ShapeError if the shapes cannot be broadcast.
func (t *Tensor) Isclose(other any, options ...IscloseOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("isclose", t, other, o.Rtol, o.Atol, o.EqualNan)
}

// AllcloseOptions is what Allclose can be told.
type AllcloseOptions struct {
	// tolerance relative to the other tensor. Default: 1e-5.
	Rtol *float64
	// absolute tolerance. Default: 1e-8.
	Atol *float64
	// NaN is close to NaN. Default: false.
	EqualNan *bool
}

// Allclose: All elements are close.
//
// Shape: []. Dtype: bool.
//
// other: what to compare with, or a number.
//
// rtol: tolerance relative to the other tensor. Default: 1e-5.
//
// atol: absolute tolerance. Default: 1e-8.
//
// equal_nan: NaN is close to NaN. Default: false.
//
// Errors: ShapeError if the shapes cannot be broadcast.
func (t *Tensor) Allclose(other any, options ...AllcloseOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("allclose", t, other, o.Rtol, o.Atol, o.EqualNan)
}

// Threefry: Threefry-2x32 with 20 rounds: the two words of each number, encrypted under the two
// words of the seed. What rand() is made of.
//
// Shape: the operands' shapes, broadcast. Dtype: uint64.
//
// seed: the key: uint64, or a number.
//
// Errors: DTypeError unless both are uint64; ShapeError if the shapes cannot be broadcast.
func (t *Tensor) Threefry(seed any) (*Tensor, error) {
	return call[*Tensor]("threefry", t, seed)
}

// Neg: Negation; bool: not.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
func (t *Tensor) Neg() (*Tensor, error) {
	return call[*Tensor]("neg", t)
}

// Abs: Size without sign.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
func (t *Tensor) Abs() (*Tensor, error) {
	return call[*Tensor]("abs", t)
}

// Sign: -1, 0 or 1; NaN stays.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
func (t *Tensor) Sign() (*Tensor, error) {
	return call[*Tensor]("sign", t)
}

// Square: x * x.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
func (t *Tensor) Square() (*Tensor, error) {
	return call[*Tensor]("square", t)
}

// Sqrt: Square root; NaN below 0.
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
func (t *Tensor) Sqrt() (*Tensor, error) {
	return call[*Tensor]("sqrt", t)
}

// Rsqrt: 1 / square root.
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
func (t *Tensor) Rsqrt() (*Tensor, error) {
	return call[*Tensor]("rsqrt", t)
}

// Reciprocal: 1 / x.
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
func (t *Tensor) Reciprocal() (*Tensor, error) {
	return call[*Tensor]("reciprocal", t)
}

// Exp: e to the power x.
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
func (t *Tensor) Exp() (*Tensor, error) {
	return call[*Tensor]("exp", t)
}

// Exp2: 2 to the power x.
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
func (t *Tensor) Exp2() (*Tensor, error) {
	return call[*Tensor]("exp2", t)
}

// Log: Natural logarithm; -inf at 0, NaN below.
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
func (t *Tensor) Log() (*Tensor, error) {
	return call[*Tensor]("log", t)
}

// Log2: Logarithm to base 2; -inf at 0, NaN below.
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
func (t *Tensor) Log2() (*Tensor, error) {
	return call[*Tensor]("log2", t)
}

// Log10: Logarithm to base 10; -inf at 0, NaN below.
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
func (t *Tensor) Log10() (*Tensor, error) {
	return call[*Tensor]("log10", t)
}

// Sin: Sine of radians.
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
func (t *Tensor) Sin() (*Tensor, error) {
	return call[*Tensor]("sin", t)
}

// Cos: Cosine of radians.
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
func (t *Tensor) Cos() (*Tensor, error) {
	return call[*Tensor]("cos", t)
}

// Tan: Tangent of radians.
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
func (t *Tensor) Tan() (*Tensor, error) {
	return call[*Tensor]("tan", t)
}

// Asin: Inverse sine, in [-pi/2, pi/2]; NaN outside [-1, 1].
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
func (t *Tensor) Asin() (*Tensor, error) {
	return call[*Tensor]("asin", t)
}

// Acos: Inverse cosine, in [0, pi]; NaN outside [-1, 1].
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
func (t *Tensor) Acos() (*Tensor, error) {
	return call[*Tensor]("acos", t)
}

// Atan: Inverse tangent, in [-pi/2, pi/2].
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
func (t *Tensor) Atan() (*Tensor, error) {
	return call[*Tensor]("atan", t)
}

// Sinh: Hyperbolic sine.
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
func (t *Tensor) Sinh() (*Tensor, error) {
	return call[*Tensor]("sinh", t)
}

// Cosh: Hyperbolic cosine.
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
func (t *Tensor) Cosh() (*Tensor, error) {
	return call[*Tensor]("cosh", t)
}

// Asinh: Inverse hyperbolic sine.
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
func (t *Tensor) Asinh() (*Tensor, error) {
	return call[*Tensor]("asinh", t)
}

// Acosh: Inverse hyperbolic cosine; NaN below 1.
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
func (t *Tensor) Acosh() (*Tensor, error) {
	return call[*Tensor]("acosh", t)
}

// Atanh: Inverse hyperbolic tangent; NaN outside [-1, 1].
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
func (t *Tensor) Atanh() (*Tensor, error) {
	return call[*Tensor]("atanh", t)
}

// Erf: Error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
func (t *Tensor) Erf() (*Tensor, error) {
	return call[*Tensor]("erf", t)
}

// Trunc: Rounded towards 0.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
func (t *Tensor) Trunc() (*Tensor, error) {
	return call[*Tensor]("trunc", t)
}

// Floor: Rounded down.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
func (t *Tensor) Floor() (*Tensor, error) {
	return call[*Tensor]("floor", t)
}

// Ceil: Rounded up.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
func (t *Tensor) Ceil() (*Tensor, error) {
	return call[*Tensor]("ceil", t)
}

// Round: Rounded to the nearest whole number, halves to the even one.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
func (t *Tensor) Round() (*Tensor, error) {
	return call[*Tensor]("round", t)
}

// Isnan: Is NaN.
//
// Shape: the result has this tensor's shape. Dtype: bool.
func (t *Tensor) Isnan() (*Tensor, error) {
	return call[*Tensor]("isnan", t)
}

// IsinfOptions is what Isinf can be told.
type IsinfOptions struct {
	// look for plus infinity. Default: true.
	Positive *bool
	// look for minus infinity. Default: true.
	Negative *bool
}

// Isinf: Is plus or minus infinity.
//
// Shape: the result has this tensor's shape. Dtype: bool.
//
// positive: look for plus infinity. Default: true.
//
// negative: look for minus infinity. Default: true.
func (t *Tensor) Isinf(options ...IsinfOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("isinf", t, o.Positive, o.Negative)
}

// Isfinite: Is neither NaN nor infinite.
//
// Shape: the result has this tensor's shape. Dtype: bool.
func (t *Tensor) Isfinite() (*Tensor, error) {
	return call[*Tensor]("isfinite", t)
}

// Cast: Values converted; floats truncate to integers, integers wrap.
//
// Shape: the result has this tensor's shape. Dtype: the given one.
//
// dtype: the new element type.
//
// Errors: DTypeError for a dtype without storage.
func (t *Tensor) Cast(dtype DType) (*Tensor, error) {
	return call[*Tensor]("cast", t, dtype)
}

// Bitcast: The same bits read as another dtype.
//
// Shape: this tensor's; of a dtype of another size the last axis holds more or fewer elements, the
// lowest bits first. Dtype: the given one.
//
// dtype: the new element type.
//
// Errors: ShapeError if rows of another size are no whole number of elements.
func (t *Tensor) Bitcast(dtype DType) (*Tensor, error) {
	return call[*Tensor]("bitcast", t, dtype)
}

// Relu: max(x, 0); NaN stays NaN.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
func (t *Tensor) Relu() (*Tensor, error) {
	return call[*Tensor]("relu", t)
}

// Relu6: min(max(x, 0), 6).
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
func (t *Tensor) Relu6() (*Tensor, error) {
	return call[*Tensor]("relu6", t)
}

// LeakyReluOptions is what LeakyRelu can be told.
type LeakyReluOptions struct {
	// below 0. Default: 0.01.
	Slope *float64
}

// LeakyRelu: x, or slope * x below 0.
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
//
// slope: below 0. Default: 0.01.
func (t *Tensor) LeakyRelu(options ...LeakyReluOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("leaky_relu", t, o.Slope)
}

// Sigmoid: 1 / (1 + exp(-x)), exact in both tails.
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
func (t *Tensor) Sigmoid() (*Tensor, error) {
	return call[*Tensor]("sigmoid", t)
}

// Tanh: Hyperbolic tangent, exact near 0 and in both tails.
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
func (t *Tensor) Tanh() (*Tensor, error) {
	return call[*Tensor]("tanh", t)
}

// Silu: x * sigmoid(x).
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
func (t *Tensor) Silu() (*Tensor, error) {
	return call[*Tensor]("silu", t)
}

// Swish: Another name of silu.
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
func (t *Tensor) Swish() (*Tensor, error) {
	return call[*Tensor]("swish", t)
}

// GeluOptions is what Gelu can be told.
type GeluOptions struct {
	// Tanh: the approximation; Erf: exact. Default: Tanh.
	Form *GeluForm
}

// Gelu: x times the normal distribution's share below x: x * sigmoid(2 sqrt(2/pi) (x + 0.044715
// x^3)), or exactly by erf.
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
//
// form: Tanh: the approximation; Erf: exact. Default: Tanh.
func (t *Tensor) Gelu(options ...GeluOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("gelu", t, optionalChoice(o.Form))
}

// QuickGelu: x * sigmoid(1.702 x).
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
func (t *Tensor) QuickGelu() (*Tensor, error) {
	return call[*Tensor]("quick_gelu", t)
}

// EluOptions is what Elu can be told.
type EluOptions struct {
	// size of the negative end. Default: 1.
	Alpha *float64
}

// Elu: x, or alpha * (exp(x) - 1) below 0.
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
//
// alpha: size of the negative end. Default: 1.
func (t *Tensor) Elu(options ...EluOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("elu", t, o.Alpha)
}

// CeluOptions is what Celu can be told.
type CeluOptions struct {
	// size of the negative end, not 0. Default: 1.
	Alpha *float64
}

// Celu: x, or alpha * (exp(x / alpha) - 1) below 0.
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
//
// alpha: size of the negative end, not 0. Default: 1.
//
// Errors: ArgumentError for alpha 0.
func (t *Tensor) Celu(options ...CeluOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("celu", t, o.Alpha)
}

// SeluOptions is what Selu can be told.
type SeluOptions struct {
	// size of the negative end. Default: 1.6732632423543772.
	Alpha *float64
	// scale. Default: 1.0507009873554805.
	Gamma *float64
}

// Selu: gamma * elu(alpha), which keeps mean and variance of deep networks.
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
//
// alpha: size of the negative end. Default: 1.6732632423543772.
//
// gamma: scale. Default: 1.0507009873554805.
func (t *Tensor) Selu(options ...SeluOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("selu", t, o.Alpha, o.Gamma)
}

// Mish: x * tanh(softplus(x)).
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
func (t *Tensor) Mish() (*Tensor, error) {
	return call[*Tensor]("mish", t)
}

// SoftplusOptions is what Softplus can be told.
type SoftplusOptions struct {
	// steepness, not 0. Default: 1.
	Beta *float64
}

// Softplus: log(1 + exp(beta * x)) / beta without overflow.
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
//
// beta: steepness, not 0. Default: 1.
//
// Errors: ArgumentError for beta 0.
func (t *Tensor) Softplus(options ...SoftplusOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("softplus", t, o.Beta)
}

// Logsigmoid: Logarithm of sigmoid, without overflow.
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
func (t *Tensor) Logsigmoid() (*Tensor, error) {
	return call[*Tensor]("logsigmoid", t)
}

// Softsign: x / (1 + |x|).
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
func (t *Tensor) Softsign() (*Tensor, error) {
	return call[*Tensor]("softsign", t)
}

// HardsigmoidOptions is what Hardsigmoid can be told.
type HardsigmoidOptions struct {
	// slope. Default: 1/6.
	Alpha *float64
	// value at 0. Default: 0.5.
	Beta *float64
}

// Hardsigmoid: alpha * x + beta, limited to [0, 1].
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
//
// alpha: slope. Default: 1/6.
//
// beta: value at 0. Default: 0.5.
func (t *Tensor) Hardsigmoid(options ...HardsigmoidOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("hardsigmoid", t, o.Alpha, o.Beta)
}

// Hardswish: x * relu6(x + 3) / 6.
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
func (t *Tensor) Hardswish() (*Tensor, error) {
	return call[*Tensor]("hardswish", t)
}

// HardtanhOptions is what Hardtanh can be told.
type HardtanhOptions struct {
	// lower bound. Default: -1.
	Low *float64
	// upper bound. Default: 1.
	High *float64
}

// Hardtanh: Limited to [low, high].
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
//
// low: lower bound. Default: -1.
//
// high: upper bound. Default: 1.
func (t *Tensor) Hardtanh(options ...HardtanhOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("hardtanh", t, o.Low, o.High)
}

// SumOptions is what Sum can be told.
type SumOptions struct {
	// axes to reduce. Default: all axes.
	Axis []int64
	// keep reduced axes with size 1. Default: false.
	Keepdim *bool
	// of accumulation and result. Default: see dtype rule.
	Dtype DType
}

// Sum: Sum; 0 of nothing.
//
// Shape: without the reduced axes. Dtype: the asked one; else floats stay (small ones accumulate in
// float32), signed integers and bool become at least int32, unsigned at least uint32.
//
// axis: axes to reduce. Default: all axes.
//
// keepdim: keep reduced axes with size 1. Default: false.
//
// dtype: of accumulation and result. Default: see dtype rule.
//
// Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
func (t *Tensor) Sum(options ...SumOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("sum", t, o.Axis, o.Keepdim, o.Dtype)
}

// ProdOptions is what Prod can be told.
type ProdOptions struct {
	// axes to reduce. Default: all axes.
	Axis []int64
	// keep reduced axes with size 1. Default: false.
	Keepdim *bool
	// of accumulation and result. Default: see dtype rule.
	Dtype DType
}

// Prod: Product; 1 of nothing.
//
// Shape: without the reduced axes. Dtype: the asked one; else floats stay (small ones accumulate in
// float32), signed integers and bool become at least int32, unsigned at least uint32.
//
// axis: axes to reduce. Default: all axes.
//
// keepdim: keep reduced axes with size 1. Default: false.
//
// dtype: of accumulation and result. Default: see dtype rule.
//
// Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
func (t *Tensor) Prod(options ...ProdOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("prod", t, o.Axis, o.Keepdim, o.Dtype)
}

// MaxOptions is what Max can be told.
type MaxOptions struct {
	// axes to reduce. Default: all axes.
	Axis []int64
	// keep reduced axes with size 1. Default: false.
	Keepdim *bool
}

// Max: Maximum; NaN if any is NaN; of nothing the least value, -inf of floats.
//
// Shape: without the reduced axes. Dtype: that of this tensor.
//
// axis: axes to reduce. Default: all axes.
//
// keepdim: keep reduced axes with size 1. Default: false.
//
// Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
func (t *Tensor) Max(options ...MaxOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("max", t, o.Axis, o.Keepdim)
}

// MinOptions is what Min can be told.
type MinOptions struct {
	// axes to reduce. Default: all axes.
	Axis []int64
	// keep reduced axes with size 1. Default: false.
	Keepdim *bool
}

// Min: Minimum; NaN if any is NaN; of nothing the largest value, inf of floats.
//
// Shape: without the reduced axes. Dtype: that of this tensor.
//
// axis: axes to reduce. Default: all axes.
//
// keepdim: keep reduced axes with size 1. Default: false.
//
// Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
func (t *Tensor) Min(options ...MinOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("min", t, o.Axis, o.Keepdim)
}

// MeanOptions is what Mean can be told.
type MeanOptions struct {
	// axes to reduce. Default: all axes.
	Axis []int64
	// keep reduced axes with size 1. Default: false.
	Keepdim *bool
}

// Mean: Arithmetic mean; NaN of nothing.
//
// Shape: without the reduced axes. Dtype: floats stay, integers and bool become float32.
//
// axis: axes to reduce. Default: all axes.
//
// keepdim: keep reduced axes with size 1. Default: false.
//
// Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
func (t *Tensor) Mean(options ...MeanOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("mean", t, o.Axis, o.Keepdim)
}

// VarOptions is what Var can be told.
type VarOptions struct {
	// axes to reduce. Default: all axes.
	Axis []int64
	// keep reduced axes with size 1. Default: false.
	Keepdim *bool
	// the divisor is n - correction. Default: 1.
	Correction *int64
}

// Var: Variance, sum of (x - mean)^2 over (n - correction).
//
// Shape: without the reduced axes. Dtype: floats stay, integers and bool become float32.
//
// axis: axes to reduce. Default: all axes.
//
// keepdim: keep reduced axes with size 1. Default: false.
//
// correction: the divisor is n - correction. Default: 1.
//
// Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
func (t *Tensor) Var(options ...VarOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("var", t, o.Axis, o.Keepdim, o.Correction)
}

// StdOptions is what Std can be told.
type StdOptions struct {
	// axes to reduce. Default: all axes.
	Axis []int64
	// keep reduced axes with size 1. Default: false.
	Keepdim *bool
	// the divisor is n - correction. Default: 1.
	Correction *int64
}

// Std: Standard deviation, the root of var.
//
// Shape: without the reduced axes. Dtype: floats stay, integers and bool become float32.
//
// axis: axes to reduce. Default: all axes.
//
// keepdim: keep reduced axes with size 1. Default: false.
//
// correction: the divisor is n - correction. Default: 1.
//
// Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
func (t *Tensor) Std(options ...StdOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("std", t, o.Axis, o.Keepdim, o.Correction)
}

// VarMeanOptions is what VarMean can be told.
type VarMeanOptions struct {
	// axes to reduce. Default: all axes.
	Axis []int64
	// keep reduced axes with size 1. Default: false.
	Keepdim *bool
	// the divisor is n - correction. Default: 1.
	Correction *int64
}

// VarMean: The pair of var and mean.
//
// Shape: without the reduced axes. Dtype: floats stay, integers and bool become float32.
//
// axis: axes to reduce. Default: all axes.
//
// keepdim: keep reduced axes with size 1. Default: false.
//
// correction: the divisor is n - correction. Default: 1.
//
// Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
func (t *Tensor) VarMean(options ...VarMeanOptions) ([]*Tensor, error) {
	o := first(options)
	return call[[]*Tensor]("var_mean", t, o.Axis, o.Keepdim, o.Correction)
}

// StdMeanOptions is what StdMean can be told.
type StdMeanOptions struct {
	// axes to reduce. Default: all axes.
	Axis []int64
	// keep reduced axes with size 1. Default: false.
	Keepdim *bool
	// the divisor is n - correction. Default: 1.
	Correction *int64
}

// StdMean: The pair of std and mean.
//
// Shape: without the reduced axes. Dtype: floats stay, integers and bool become float32.
//
// axis: axes to reduce. Default: all axes.
//
// keepdim: keep reduced axes with size 1. Default: false.
//
// correction: the divisor is n - correction. Default: 1.
//
// Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
func (t *Tensor) StdMean(options ...StdMeanOptions) ([]*Tensor, error) {
	o := first(options)
	return call[[]*Tensor]("std_mean", t, o.Axis, o.Keepdim, o.Correction)
}

// AnyOptions is what Any can be told.
type AnyOptions struct {
	// axes to reduce. Default: all axes.
	Axis []int64
	// keep reduced axes with size 1. Default: false.
	Keepdim *bool
}

// Any: One is not 0; false of nothing.
//
// Shape: without the reduced axes. Dtype: bool.
//
// axis: axes to reduce. Default: all axes.
//
// keepdim: keep reduced axes with size 1. Default: false.
//
// Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
func (t *Tensor) Any(options ...AnyOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("any", t, o.Axis, o.Keepdim)
}

// AllOptions is what All can be told.
type AllOptions struct {
	// axes to reduce. Default: all axes.
	Axis []int64
	// keep reduced axes with size 1. Default: false.
	Keepdim *bool
}

// All: None is 0; true of nothing.
//
// Shape: without the reduced axes. Dtype: bool.
//
// axis: axes to reduce. Default: all axes.
//
// keepdim: keep reduced axes with size 1. Default: false.
//
// Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
func (t *Tensor) All(options ...AllOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("all", t, o.Axis, o.Keepdim)
}

// ArgmaxOptions is what Argmax can be told.
type ArgmaxOptions struct {
	// axis to search. Default: the flattened tensor.
	Axis *int64
	// keep reduced axes with size 1. Default: false.
	Keepdim *bool
}

// Argmax: First place of the maximum; NaN is the largest.
//
// Shape: without the reduced axes. Dtype: int32.
//
// axis: axis to search. Default: the flattened tensor.
//
// keepdim: keep reduced axes with size 1. Default: false.
//
// Errors: ArgumentError for an empty axis; IndexError for an axis outside the shape.
func (t *Tensor) Argmax(options ...ArgmaxOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("argmax", t, o.Axis, o.Keepdim)
}

// ArgminOptions is what Argmin can be told.
type ArgminOptions struct {
	// axis to search. Default: the flattened tensor.
	Axis *int64
	// keep reduced axes with size 1. Default: false.
	Keepdim *bool
}

// Argmin: First place of the minimum; NaN is the smallest.
//
// Shape: without the reduced axes. Dtype: int32.
//
// axis: axis to search. Default: the flattened tensor.
//
// keepdim: keep reduced axes with size 1. Default: false.
//
// Errors: ArgumentError for an empty axis; IndexError for an axis outside the shape.
func (t *Tensor) Argmin(options ...ArgminOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("argmin", t, o.Axis, o.Keepdim)
}

// SoftmaxOptions is what Softmax can be told.
type SoftmaxOptions struct {
	// the row's axis. Default: -1.
	Axis *int64
	// float in which it is computed and returned. Default: see dtype rule.
	Dtype DType
}

// Softmax: exp(x) over the sum of exp(x) of its row, without overflow.
//
// Shape: the result has this tensor's shape. Dtype: the asked one; else floats stay, integers and
// bool become float32.
//
// axis: the row's axis. Default: -1.
//
// dtype: float in which it is computed and returned. Default: see dtype rule.
//
// Errors: IndexError for an axis outside the shape; DTypeError unless the dtype is a float.
func (t *Tensor) Softmax(options ...SoftmaxOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("softmax", t, o.Axis, o.Dtype)
}

// LogSoftmaxOptions is what LogSoftmax can be told.
type LogSoftmaxOptions struct {
	// the row's axis. Default: -1.
	Axis *int64
	// float in which it is computed and returned. Default: see dtype rule.
	Dtype DType
}

// LogSoftmax: Logarithm of softmax, without overflow.
//
// Shape: the result has this tensor's shape. Dtype: the asked one; else floats stay, integers and
// bool become float32.
//
// axis: the row's axis. Default: -1.
//
// dtype: float in which it is computed and returned. Default: see dtype rule.
//
// Errors: IndexError for an axis outside the shape; DTypeError unless the dtype is a float.
func (t *Tensor) LogSoftmax(options ...LogSoftmaxOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("log_softmax", t, o.Axis, o.Dtype)
}

// SoftminOptions is what Softmin can be told.
type SoftminOptions struct {
	// the row's axis. Default: -1.
	Axis *int64
	// float in which it is computed and returned. Default: see dtype rule.
	Dtype DType
}

// Softmin: softmax of -x.
//
// Shape: the result has this tensor's shape. Dtype: the asked one; else floats stay, integers and
// bool become float32.
//
// axis: the row's axis. Default: -1.
//
// dtype: float in which it is computed and returned. Default: see dtype rule.
//
// Errors: IndexError for an axis outside the shape; DTypeError unless the dtype is a float.
func (t *Tensor) Softmin(options ...SoftminOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("softmin", t, o.Axis, o.Dtype)
}

// LogsumexpOptions is what Logsumexp can be told.
type LogsumexpOptions struct {
	// axes to reduce. Default: all axes.
	Axis []int64
	// keep reduced axes with size 1. Default: false.
	Keepdim *bool
}

// Logsumexp: Logarithm of the sum of exp(x), without overflow.
//
// Shape: without the reduced axes. Dtype: floats stay, integers and bool become float32.
//
// axis: axes to reduce. Default: all axes.
//
// keepdim: keep reduced axes with size 1. Default: false.
//
// Errors: ArgumentError for an empty axis; IndexError for an axis outside the shape.
func (t *Tensor) Logsumexp(options ...LogsumexpOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("logsumexp", t, o.Axis, o.Keepdim)
}

// NormalizeOptions is what Normalize can be told.
type NormalizeOptions struct {
	// order of the norm; 0 counts what is not 0, infinity takes the largest. Default: 2.
	P *float64
	// axis whose vectors get length 1. Default: 1.
	Axis *int64
	// least divisor. Default: 1e-12.
	Eps *float64
}

// Normalize: Divided by its p-norm along an axis; a vector of zeros stays.
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
//
// p: order of the norm; 0 counts what is not 0, infinity takes the largest. Default: 2.
//
// axis: axis whose vectors get length 1. Default: 1.
//
// eps: least divisor. Default: 1e-12.
//
// Errors: ArgumentError if p is NaN; IndexError for an axis outside the shape.
func (t *Tensor) Normalize(options ...NormalizeOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("normalize", t, o.P, o.Axis, o.Eps)
}

// CumsumOptions is what Cumsum can be told.
type CumsumOptions struct {
	// axis to go along. Default: 0.
	Axis *int64
}

// Cumsum: Sum of each element and all before it.
//
// Shape: the result has this tensor's shape. Dtype: the asked one; else floats stay (small ones
// accumulate in float32), signed integers and bool become at least int32, unsigned at least uint32.
//
// axis: axis to go along. Default: 0.
//
// Errors: IndexError for an axis outside the shape.
func (t *Tensor) Cumsum(options ...CumsumOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("cumsum", t, o.Axis)
}

// CumprodOptions is what Cumprod can be told.
type CumprodOptions struct {
	// axis to go along. Default: 0.
	Axis *int64
}

// Cumprod: Product of each element and all before it.
//
// Shape: the result has this tensor's shape. Dtype: the asked one; else floats stay (small ones
// accumulate in float32), signed integers and bool become at least int32, unsigned at least uint32.
//
// axis: axis to go along. Default: 0.
//
// Errors: IndexError for an axis outside the shape.
func (t *Tensor) Cumprod(options ...CumprodOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("cumprod", t, o.Axis)
}

// CummaxOptions is what Cummax can be told.
type CummaxOptions struct {
	// axis to go along. Default: 0.
	Axis *int64
}

// Cummax: The pair of the maximum so far, NaN from the first NaN on, and its latest place, int32.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
//
// axis: axis to go along. Default: 0.
//
// Errors: IndexError for an axis outside the shape.
func (t *Tensor) Cummax(options ...CummaxOptions) ([]*Tensor, error) {
	o := first(options)
	return call[[]*Tensor]("cummax", t, o.Axis)
}

// CumminOptions is what Cummin can be told.
type CumminOptions struct {
	// axis to go along. Default: 0.
	Axis *int64
}

// Cummin: The pair of the minimum so far, NaN from the first NaN on, and its latest place, int32.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
//
// axis: axis to go along. Default: 0.
//
// Errors: IndexError for an axis outside the shape.
func (t *Tensor) Cummin(options ...CumminOptions) ([]*Tensor, error) {
	o := first(options)
	return call[[]*Tensor]("cummin", t, o.Axis)
}

// LogcumsumexpOptions is what Logcumsumexp can be told.
type LogcumsumexpOptions struct {
	// axis to go along. Default: 0.
	Axis *int64
}

// Logcumsumexp: Logarithm of the sum of exp of each element and all before it, without overflow.
//
// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become float32.
//
// axis: axis to go along. Default: 0.
//
// Errors: IndexError for an axis outside the shape.
func (t *Tensor) Logcumsumexp(options ...LogcumsumexpOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("logcumsumexp", t, o.Axis)
}

// Matmul: Matrix product of the last two axes; a vector is a row on the left, a column on the
// right. Small floats accumulate in float32.
//
// Shape: [..., m, k] @ [..., k, n] gives [..., m, n]; leading axes broadcast. Dtype: the promoted
// dtype of the operands; numbers give way.
//
// other: [..., k, n] or [k].
//
// Errors: ShapeError if the inner sizes differ, a side is a scalar, or leading axes cannot be
// broadcast.
func (t *Tensor) Matmul(other *Tensor) (*Tensor, error) {
	return call[*Tensor]("matmul", t, other)
}

// Dot: Another name of matmul.
//
// Shape: as matmul. Dtype: the promoted dtype of the operands; numbers give way.
//
// other: as of matmul.
//
// Errors: as matmul.
func (t *Tensor) Dot(other *Tensor) (*Tensor, error) {
	return call[*Tensor]("dot", t, other)
}

// Einsum: Einstein summation of one or more operands, from left to right. A letter twice in one
// operand is its diagonal; without "->" the letters that stand once remain, in alphabetical order,
// after what the ellipses stand for.
//
// Shape: the axes that stand after "->". Dtype: the promoted dtype of the operands; numbers give
// way.
//
// formula: letters name axes, "..." axes that are broadcast: "ij,jk->ik".
//
// operands: one for each term.
//
// Errors: ArgumentError for a formula that does not fit the operands; ShapeError if sizes of a
// letter cannot be broadcast.
func Einsum(formula string, operands []*Tensor) (*Tensor, error) {
	return call[*Tensor]("einsum", needText(formula), needTensors(operands))
}

// LinearOptions is what Linear can be told.
type LinearOptions struct {
	// [out]. Default: none.
	Bias *Tensor
}

// Linear: x @ weight + bias; a weight of one axis multiplies elementwise.
//
// Shape: [..., in] gives [..., out]. Dtype: the promoted dtype of the operands; numbers give way.
//
// weight: [in, out] or [in].
//
// bias: [out]. Default: none.
//
// Errors: as matmul and add.
func (t *Tensor) Linear(weight *Tensor, options ...LinearOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("linear", t, weight, o.Bias)
}

// Conv2dOptions is what Conv2d can be told.
type Conv2dOptions struct {
	// [out]. Default: none.
	Bias *Tensor
	// channel groups that do not mix. Default: 1.
	Groups *int64
	// step of the window. Default: 1.
	Stride []int64
	// distance of neighbouring taps. Default: 1.
	Dilation []int64
	// zeros around: one number, one an axis, or (before, after) for each. Default: 0.
	Padding []int64
}

// Conv2d: Cross-correlation with a window, over any number of spatial axes.
//
// Shape: [batch, in, spatial...] gives [batch, out, (size + padding - dilation (kernel - 1) - 1) /
// stride + 1, ...]. Dtype: the promoted dtype of the operands; numbers give way.
//
// weight: [out, in / groups, kernel...].
//
// bias: [out]. Default: none.
//
// groups: channel groups that do not mix. Default: 1.
//
// stride: step of the window (elements). Default: 1.
//
// dilation: distance of neighbouring taps (elements). Default: 1.
//
// padding: zeros around: one number, one an axis, or (before, after) for each (elements). Default:
// 0.
//
// Errors: ShapeError if channels, axes or bias do not fit or the window is larger than the padded
// input; ArgumentError for groups that do not divide the channels and for numbers that do not fit
// the axes.
func (t *Tensor) Conv2d(weight *Tensor, options ...Conv2dOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("conv2d", t, weight, o.Bias, o.Groups, o.Stride, o.Dilation, o.Padding)
}

// ConvTranspose2dOptions is what ConvTranspose2d can be told.
type ConvTranspose2dOptions struct {
	// [out]. Default: none.
	Bias *Tensor
	// channel groups that do not mix. Default: 1.
	Groups *int64
	// distance of the input's elements in the result. Default: 1.
	Stride []int64
	// distance of neighbouring taps. Default: 1.
	Dilation []int64
	// cut off the result's border, as in conv2d. Default: 0.
	Padding []int64
	// more elements at the result's end. Default: 0.
	OutputPadding []int64
}

// ConvTranspose2d: The transpose of a convolution, over any number of spatial axes.
//
// Shape: [batch, in, spatial...] gives [batch, out, (size - 1) stride + dilation (kernel - 1) + 1 -
// padding + output_padding, ...]. Dtype: the promoted dtype of the operands; numbers give way.
//
// weight: [in, out / groups, kernel...].
//
// bias: [out]. Default: none.
//
// groups: channel groups that do not mix. Default: 1.
//
// stride: distance of the input's elements in the result (elements). Default: 1.
//
// dilation: distance of neighbouring taps (elements). Default: 1.
//
// padding: cut off the result's border, as in conv2d (elements). Default: 0.
//
// output_padding: more elements at the result's end (elements). Default: 0.
//
// Errors: ShapeError if channels, axes or bias do not fit; ArgumentError for groups that do not
// divide the channels, for output_padding that is not below stride or dilation, and for numbers
// that do not fit the axes.
func (t *Tensor) ConvTranspose2d(weight *Tensor, options ...ConvTranspose2dOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("conv_transpose2d", t, weight, o.Bias, o.Groups, o.Stride, o.Dilation, o.Padding, o.OutputPadding)
}

// MaxPool2dOptions is what MaxPool2d can be told.
type MaxPool2dOptions struct {
	// size of the window, a number for each pooled axis. Default: {2, 2}.
	KernelSize []int64
	// step of the window. Default: the window's size.
	Stride []int64
	// distance of neighbouring taps. Default: 1.
	Dilation []int64
	// border: one number, one an axis, or (before, after) for each. Default: 0.
	Padding []int64
	// also a last window that hangs over the end. Default: false.
	CeilMode *bool
	// avg: padding counts in the divisor. Default: true.
	CountIncludePad *bool
}

// MaxPool2d: Largest of each window of the last axes.
//
// Shape: pooled axes as those of conv2d. Dtype: that of this tensor.
//
// kernel_size: size of the window, a number for each pooled axis (elements). Default: {2, 2}.
//
// stride: step of the window (elements). Default: the window's size.
//
// dilation: distance of neighbouring taps (elements). Default: 1.
//
// padding: border: one number, one an axis, or (before, after) for each (elements). Default: 0.
//
// ceil_mode: also a last window that hangs over the end. Default: false.
//
// count_include_pad: avg: padding counts in the divisor. Default: true.
//
// Errors: ShapeError for a window larger than the padded input; ArgumentError for numbers that do
// not fit the axes.
func (t *Tensor) MaxPool2d(options ...MaxPool2dOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("max_pool2d", t, o.KernelSize, o.Stride, o.Dilation, o.Padding, o.CeilMode, o.CountIncludePad)
}

// AvgPool2dOptions is what AvgPool2d can be told.
type AvgPool2dOptions struct {
	// size of the window, a number for each pooled axis. Default: {2, 2}.
	KernelSize []int64
	// step of the window. Default: the window's size.
	Stride []int64
	// distance of neighbouring taps. Default: 1.
	Dilation []int64
	// border: one number, one an axis, or (before, after) for each. Default: 0.
	Padding []int64
	// also a last window that hangs over the end. Default: false.
	CeilMode *bool
	// avg: padding counts in the divisor. Default: true.
	CountIncludePad *bool
}

// AvgPool2d: Mean of each window of the last axes.
//
// Shape: pooled axes as those of conv2d. Dtype: floats stay, integers and bool become float32.
//
// kernel_size: size of the window, a number for each pooled axis (elements). Default: {2, 2}.
//
// stride: step of the window (elements). Default: the window's size.
//
// dilation: distance of neighbouring taps (elements). Default: 1.
//
// padding: border: one number, one an axis, or (before, after) for each (elements). Default: 0.
//
// ceil_mode: also a last window that hangs over the end. Default: false.
//
// count_include_pad: avg: padding counts in the divisor. Default: true.
//
// Errors: ShapeError for a window larger than the padded input; ArgumentError for numbers that do
// not fit the axes.
func (t *Tensor) AvgPool2d(options ...AvgPool2dOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("avg_pool2d", t, o.KernelSize, o.Stride, o.Dilation, o.Padding, o.CeilMode, o.CountIncludePad)
}

// MaxPool2dWithIndicesOptions is what MaxPool2dWithIndices can be told.
type MaxPool2dWithIndicesOptions struct {
	// size of the window, a number for each pooled axis. Default: {2, 2}.
	KernelSize []int64
	// step of the window. Default: the window's size.
	Stride []int64
	// distance of neighbouring taps. Default: 1.
	Dilation []int64
	// border: one number, one an axis, or (before, after) for each. Default: 0.
	Padding []int64
	// also a last window that hangs over the end. Default: false.
	CeilMode *bool
	// avg: padding counts in the divisor. Default: true.
	CountIncludePad *bool
}

// MaxPool2dWithIndices: The pair of max_pool2d and the first place of each maximum, int32, among
// all elements of the pooled axes: what max_unpool2d takes. NaN is the largest.
//
// Shape: pooled axes as those of conv2d. Dtype: that of this tensor.
//
// kernel_size: size of the window, a number for each pooled axis (elements). Default: {2, 2}.
//
// stride: step of the window (elements). Default: the window's size.
//
// dilation: distance of neighbouring taps (elements). Default: 1.
//
// padding: border: one number, one an axis, or (before, after) for each (elements). Default: 0.
//
// ceil_mode: also a last window that hangs over the end. Default: false.
//
// count_include_pad: avg: padding counts in the divisor. Default: true.
//
// Errors: ShapeError for a window larger than the padded input; ArgumentError for numbers that do
// not fit the axes.
func (t *Tensor) MaxPool2dWithIndices(options ...MaxPool2dWithIndicesOptions) ([]*Tensor, error) {
	o := first(options)
	return call[[]*Tensor]("max_pool2d_with_indices", t, o.KernelSize, o.Stride, o.Dilation, o.Padding, o.CeilMode, o.CountIncludePad)
}

// MaxUnpool2dOptions is what MaxUnpool2d can be told.
type MaxUnpool2dOptions struct {
	// size of the window, a number for each axis. Default: {2, 2}.
	KernelSize []int64
	// step of the window. Default: the window's size.
	Stride []int64
	// distance of neighbouring taps. Default: 1.
	Dilation []int64
	// border: one number, or one an axis. Default: 0.
	Padding []int64
	// sizes of the result, of which the last count. Default: what the numbers say.
	OutputSize []int64
}

// MaxUnpool2d: The inverse of max_pool2d: each value at its place, 0 elsewhere.
//
// Shape: [..., windows...] gives [..., sizes...]. Dtype: that of this tensor.
//
// indices: a place for each value, of max_pool2d_with_indices.
//
// kernel_size: size of the window, a number for each axis (elements). Default: {2, 2}.
//
// stride: step of the window (elements). Default: the window's size.
//
// dilation: distance of neighbouring taps (elements). Default: 1.
//
// padding: border: one number, or one an axis (elements). Default: 0.
//
// output_size: sizes of the result, of which the last count (elements). Default: what the numbers
// say.
//
// Errors: ShapeError unless there is a place for each value; ArgumentError for numbers that do not
// fit the axes, or an axis of variable size; DTypeError unless indices are integers.
func (t *Tensor) MaxUnpool2d(indices *Tensor, options ...MaxUnpool2dOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("max_unpool2d", t, indices, o.KernelSize, o.Stride, o.Dilation, o.Padding, o.OutputSize)
}

// ScaledDotProductAttentionOptions is what ScaledDotProductAttention can be told.
type ScaledDotProductAttentionOptions struct {
	// bool: which keys count for a query; numbers: added to the scores; broadcast to [..., n, m].
	// Default: none.
	AttnMask *Tensor
	// share of the weights dropped while training. Default: 0.
	DropoutP *float64
	// a query sees the keys up to its own place. Default: false.
	IsCausal *bool
	// each head of keys and values, axis -3, serves several neighbouring ones of the queries. Default:
	// false.
	EnableGqa *bool
}

// ScaledDotProductAttention: softmax(this @ key^T / sqrt(size)) @ value, this being the queries. A
// row of the scores in which nothing counts is NaN.
//
// Shape: [..., n, size] gives [..., n, out]. Dtype: that of this tensor and the values, promoted.
//
// key: [..., m, size].
//
// value: [..., m, out].
//
// attn_mask: bool: which keys count for a query; numbers: added to the scores; broadcast to [...,
// n, m]. Default: none.
//
// dropout_p: share of the weights dropped while training (probability). Default: 0.
//
// is_causal: a query sees the keys up to its own place. Default: false.
//
// enable_gqa: each head of keys and values, axis -3, serves several neighbouring ones of the
// queries. Default: false.
//
// Errors: ShapeError if the shapes do not fit; ArgumentError for is_causal with a mask, or
// dropout_p outside [0, 1].
func (t *Tensor) ScaledDotProductAttention(key *Tensor, value *Tensor, options ...ScaledDotProductAttentionOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("scaled_dot_product_attention", t, key, value, o.AttnMask, o.DropoutP, o.IsCausal, o.EnableGqa)
}

// Qr: The pair Q, R of a matrix on the last two axes, Q orthogonal, R upper triangular, whose
// product it is.
//
// Shape: [..., m, n] gives [..., m, m] and [..., m, n]. Dtype: floats stay, integers and bool
// become float32.
//
// Errors: ShapeError for fewer than 2 axes; ArgumentError for an axis of variable size.
func (t *Tensor) Qr() ([]*Tensor, error) {
	return call[[]*Tensor]("qr", t)
}

// SvdOptions is what Svd can be told.
type SvdOptions struct {
	// U and V^T square, else with as many columns and rows as there are values. Default: true.
	FullMatrices *bool
}

// Svd: U, S and V^T of a matrix on the last two axes: U diag(S) V^T is the matrix, the columns of U
// and V are orthonormal, S falls and is not negative.
//
// Shape: [..., m, n] gives [..., m, m], [..., min(m, n)] and [..., n, n]. Dtype: floats stay,
// integers and bool become float32.
//
// full_matrices: U and V^T square, else with as many columns and rows as there are values. Default:
// true.
//
// Errors: ShapeError for fewer than 2 axes; ArgumentError for an axis of variable size.
func (t *Tensor) Svd(options ...SvdOptions) ([]*Tensor, error) {
	o := first(options)
	return call[[]*Tensor]("svd", t, o.FullMatrices)
}

// CholeskyOptions is what Cholesky can be told.
type CholeskyOptions struct {
	// U, upper triangular, with U^T U = this; the upper triangle is read, not the lower. Default:
	// false.
	Upper *bool
}

// Cholesky: L, lower triangular with a positive diagonal, whose product with L^T is this symmetric,
// positive definite matrix; NaN where it is not positive definite.
//
// Shape: [..., n, n], as this tensor. Dtype: floats stay, integers and bool become float32.
//
// upper: U, upper triangular, with U^T U = this; the upper triangle is read, not the lower.
// Default: false.
//
// Errors: ShapeError for anything but square matrices; ArgumentError for an axis of variable size.
func (t *Tensor) Cholesky(options ...CholeskyOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("cholesky", t, o.Upper)
}

// SolveTriangularOptions is what SolveTriangular can be told.
type SolveTriangularOptions struct {
	// the upper triangle is read, not the lower. Default: false.
	Upper *bool
	// this times X is b, not X times this. Default: true.
	Left *bool
	// the diagonal counts as ones and is not read. Default: false.
	Unitriangular *bool
}

// SolveTriangular: X with this matrix times X = b, of which one triangle is read; infinities or NaN
// where it is singular.
//
// Shape: [..., n, n] and b give the shape of b; leading axes broadcast. Dtype: that of both
// operands, promoted; integers and bool are float32.
//
// b: [..., n, k]; without left [..., k, n].
//
// upper: the upper triangle is read, not the lower. Default: false.
//
// left: this times X is b, not X times this. Default: true.
//
// unitriangular: the diagonal counts as ones and is not read. Default: false.
//
// Errors: ShapeError for anything but square matrices and sides that fit; ArgumentError for an axis
// of variable size.
func (t *Tensor) SolveTriangular(b *Tensor, options ...SolveTriangularOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("solve_triangular", t, b, o.Upper, o.Left, o.Unitriangular)
}

// KeccakOptions is what Keccak can be told.
type KeccakOptions struct {
	// Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake128 or Shake256. Default: Sha3_256.
	Variant *KeccakVariant
	// of the state, which no input reaches; a multiple of 64 below 1600. Default: that of the variant.
	Capacity *int64
	// of the result. Default: that of the variant.
	Size *int64
}

// Keccak: SHA-3 of the bytes of each row of the last axis.
//
// Shape: [..., n] gives [..., size]. Dtype: uint8.
//
// variant: Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake128 or Shake256. Default: Sha3_256.
//
// capacity: of the state, which no input reaches; a multiple of 64 below 1600 (bits). Default: that
// of the variant.
//
// size: of the result (bytes). Default: that of the variant.
//
// Errors: ShapeError for a scalar; ArgumentError for a capacity or size out of bounds, or an axis
// of variable size.
func (t *Tensor) Keccak(options ...KeccakOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("keccak", t, optionalChoice(o.Variant), o.Capacity, o.Size)
}

// Hash: Bytes that tell tensors of different contents apart: a tree of Shake128 over chunks of 4
// KiB. Those of larger tensors are computed now.
//
// Shape: [16]. Dtype: uint8.
//
// Errors: ArgumentError for an axis of variable size.
func (t *Tensor) Hash() (*Tensor, error) {
	return call[*Tensor]("hash", t)
}

// FftOptions is what Fft can be told.
type FftOptions struct {
	// along which; the axis of the pairs does not count; negative: from the end. Default: -1.
	Axis *int64
}

// Fft: The discrete Fourier transform of complex numbers, which are pairs (real, imaginary) on a
// last axis of size 2: sums of x[j] e^(-2 pi i j k / n), not divided. O(n) times the sum of the
// prime factors of n; with large ones O(n log n).
//
// Shape: [..., n, ..., 2], as this tensor. Dtype: floats stay, integers and bool become float32.
//
// axis: along which; the axis of the pairs does not count; negative: from the end. Default: -1.
//
// Errors: ShapeError unless the last axis has size 2 and the transformed one has elements;
// IndexError for an axis outside the shape; ArgumentError for an axis of variable size, or of more
// than 2^24 elements.
func (t *Tensor) Fft(options ...FftOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("fft", t, o.Axis)
}

// IfftOptions is what Ifft can be told.
type IfftOptions struct {
	// along which; the axis of the pairs does not count; negative: from the end. Default: -1.
	Axis *int64
}

// Ifft: The inverse of fft: the sign of the exponent turned, and divided by n.
//
// Shape: [..., n, ..., 2], as this tensor. Dtype: floats stay, integers and bool become float32.
//
// axis: along which; the axis of the pairs does not count; negative: from the end. Default: -1.
//
// Errors: ShapeError unless the last axis has size 2 and the transformed one has elements;
// IndexError for an axis outside the shape; ArgumentError for an axis of variable size, or of more
// than 2^24 elements.
func (t *Tensor) Ifft(options ...IfftOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("ifft", t, o.Axis)
}

// RfftOptions is what Rfft can be told.
type RfftOptions struct {
	// along which; the axis of the pairs does not count; negative: from the end. Default: -1.
	Axis *int64
}

// Rfft: fft of real numbers: the first half of the result, of which the rest are the conjugates.
// Pairs (real, imaginary) stand on a new last axis.
//
// Shape: [..., n, ...] gives [..., n / 2 + 1, ..., 2]. Dtype: floats stay, integers and bool become
// float32.
//
// axis: along which; the axis of the pairs does not count; negative: from the end. Default: -1.
//
// Errors: ShapeError for an axis without elements; IndexError for an axis outside the shape;
// ArgumentError for an axis of variable size, or of more than 2^24 elements.
func (t *Tensor) Rfft(options ...RfftOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("rfft", t, o.Axis)
}

// IrfftOptions is what Irfft can be told.
type IrfftOptions struct {
	// of the result's axis. Default: twice m - 1.
	Size *int64
	// along which; the axis of the pairs does not count; negative: from the end. Default: -1.
	Axis *int64
}

// Irfft: The inverse of rfft: real numbers of the first half of their transform, which is cropped
// or continued by 0 to as many as the size needs. Imaginary parts of the first number, and of the
// one in the middle, do not count.
//
// Shape: [..., m, ..., 2] gives [..., size, ...]. Dtype: floats stay, integers and bool become
// float32.
//
// size: of the result's axis (elements). Default: twice m - 1.
//
// axis: along which; the axis of the pairs does not count; negative: from the end. Default: -1.
//
// Errors: as fft; ArgumentError for a size below 1 or above 2^24.
func (t *Tensor) Irfft(options ...IrfftOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("irfft", t, o.Size, o.Axis)
}

// BatchNormOptions is what BatchNorm can be told.
type BatchNormOptions struct {
	// scale, [channels]. Default: none.
	Weight *Tensor
	// shift, [channels]. Default: none.
	Bias *Tensor
	// [channels]. Default: none.
	RunningMean *Tensor
	// [channels]; updated with the unbiased estimate. Default: none.
	RunningVar *Tensor
	// use this batch's statistics. Default: as TrainingScope says.
	Training *bool
	// share of this batch in the running statistics. Default: 0.1.
	Momentum *float64
	// added to the variance. Default: 1e-5.
	Eps *float64
	// the channels' axis. Default: 1.
	Axis *int64
}

// BatchNorm: (x - mean) / sqrt(var + eps) * weight + bias for each channel. While training with
// this batch's statistics, and the running ones are updated in place; else with the running ones.
//
// Shape: the result has this tensor's shape. Dtype: the promoted dtype of the operands; numbers
// give way.
//
// weight: scale, [channels]. Default: none.
//
// bias: shift, [channels]. Default: none.
//
// running_mean: [channels]. Default: none.
//
// running_var: [channels]; updated with the unbiased estimate. Default: none.
//
// training: use this batch's statistics. Default: as TrainingScope says.
//
// momentum: share of this batch in the running statistics. Default: 0.1.
//
// eps: added to the variance. Default: 1e-5.
//
// axis: the channels' axis. Default: 1.
//
// Errors: ArgumentError without running statistics when not training; ShapeError for parameters
// that are not [channels].
func (t *Tensor) BatchNorm(options ...BatchNormOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("batch_norm", t, o.Weight, o.Bias, o.RunningMean, o.RunningVar, o.Training, o.Momentum, o.Eps, o.Axis)
}

// LayerNormOptions is what LayerNorm can be told.
type LayerNormOptions struct {
	// axes normalised together. Default: -1.
	Axis []int64
	// scale, of the axes' shape. Default: none.
	Weight *Tensor
	// shift, of the axes' shape. Default: none.
	Bias *Tensor
	// added to the variance. Default: 1e-5.
	Eps *float64
}

// LayerNorm: (x - mean) / sqrt(var + eps) * weight + bias over the named axes.
//
// Shape: the result has this tensor's shape. Dtype: the promoted dtype of the operands; numbers
// give way.
//
// axis: axes normalised together. Default: -1.
//
// weight: scale, of the axes' shape. Default: none.
//
// bias: shift, of the axes' shape. Default: none.
//
// eps: added to the variance. Default: 1e-5.
//
// Errors: ShapeError for parameters of another shape; IndexError for an axis outside the shape.
func (t *Tensor) LayerNorm(options ...LayerNormOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("layer_norm", t, o.Axis, o.Weight, o.Bias, o.Eps)
}

// RmsNormOptions is what RmsNorm can be told.
type RmsNormOptions struct {
	// axes normalised together. Default: -1.
	Axis []int64
	// scale, of the axes' shape. Default: none.
	Weight *Tensor
	// added to the mean of squares. Default: 1e-6.
	Eps *float64
}

// RmsNorm: x / sqrt(mean of x^2 + eps) * weight over the named axes.
//
// Shape: the result has this tensor's shape. Dtype: the promoted dtype of the operands; numbers
// give way.
//
// axis: axes normalised together. Default: -1.
//
// weight: scale, of the axes' shape. Default: none.
//
// eps: added to the mean of squares. Default: 1e-6.
//
// Errors: ShapeError for a weight of another shape; IndexError for an axis outside the shape.
func (t *Tensor) RmsNorm(options ...RmsNormOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("rms_norm", t, o.Axis, o.Weight, o.Eps)
}

// GroupNormOptions is what GroupNorm can be told.
type GroupNormOptions struct {
	// scale, [channels]. Default: none.
	Weight *Tensor
	// shift, [channels]. Default: none.
	Bias *Tensor
	// added to the variance. Default: 1e-5.
	Eps *float64
}

// GroupNorm: Each group of channels of each sample normalised to mean 0 and variance 1, then scaled
// and shifted by channel.
//
// Shape: the result has this tensor's shape. Dtype: the promoted dtype of the operands; numbers
// give way.
//
// groups: number of groups; as many as channels: instance norm.
//
// weight: scale, [channels]. Default: none.
//
// bias: shift, [channels]. Default: none.
//
// eps: added to the variance. Default: 1e-5.
//
// Errors: ArgumentError for groups that do not divide the channels (axis 1); ShapeError for
// parameters that are not [channels].
func (t *Tensor) GroupNorm(groups int64, options ...GroupNormOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("group_norm", t, groups, o.Weight, o.Bias, o.Eps)
}

// CrossEntropyOptions is what CrossEntropy can be told.
type CrossEntropyOptions struct {
	// None, Mean or Sum of the elements' losses. Default: Mean.
	Reduction *Reduction
	// share of the target spread over all classes. Default: 0.
	LabelSmoothing *float64
	// label of elements that do not count. Default: none.
	IgnoreIndex *int64
	// a weight for each class, [classes]. Default: none.
	Weight *Tensor
}

// CrossEntropy: -log softmax at the label; classes stand on axis 1 (axis 0 of a vector).
//
// Shape: []; without reduction that of the elements' losses. Dtype: floats stay, integers and bool
// become float32.
//
// target: integer labels [batch, ...], or probabilities of this shape.
//
// reduction: None, Mean or Sum of the elements' losses. Default: Mean.
//
// label_smoothing: share of the target spread over all classes (probability). Default: 0.
//
// ignore_index: label of elements that do not count. Default: none.
//
// weight: a weight for each class, [classes]. Default: none.
//
// Errors: DTypeError unless labels are integers; ShapeError if shapes do not fit; ArgumentError for
// label_smoothing outside [0, 1].
func (t *Tensor) CrossEntropy(target *Tensor, options ...CrossEntropyOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("cross_entropy", t, target, optionalChoice(o.Reduction), o.LabelSmoothing, o.IgnoreIndex, o.Weight)
}

// SparseCategoricalCrossentropyOptions is what SparseCategoricalCrossentropy can be told.
type SparseCategoricalCrossentropyOptions struct {
	// None, Mean or Sum of the elements' losses. Default: Mean.
	Reduction *Reduction
	// share of the target spread over all classes. Default: 0.
	LabelSmoothing *float64
	// label of elements that do not count. Default: none.
	IgnoreIndex *int64
	// a weight for each class, [classes]. Default: none.
	Weight *Tensor
}

// SparseCategoricalCrossentropy: -log softmax at the label; classes stand on the last axis.
//
// Shape: []; without reduction that of the elements' losses. Dtype: floats stay, integers and bool
// become float32.
//
// target: integer labels [...]; of scores [classes] labels of any shape.
//
// reduction: None, Mean or Sum of the elements' losses. Default: Mean.
//
// label_smoothing: share of the target spread over all classes (probability). Default: 0.
//
// ignore_index: label of elements that do not count. Default: none.
//
// weight: a weight for each class, [classes]. Default: none.
//
// Errors: DTypeError unless labels are integers; ShapeError if shapes do not fit; ArgumentError for
// label_smoothing outside [0, 1].
func (t *Tensor) SparseCategoricalCrossentropy(target *Tensor, options ...SparseCategoricalCrossentropyOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("sparse_categorical_crossentropy", t, target, optionalChoice(o.Reduction), o.LabelSmoothing, o.IgnoreIndex, o.Weight)
}

// NllLossOptions is what NllLoss can be told.
type NllLossOptions struct {
	// None, Mean or Sum of the elements' losses. Default: Mean.
	Reduction *Reduction
	// label of elements that do not count. Default: none.
	IgnoreIndex *int64
	// a weight for each class, [classes]. Default: none.
	Weight *Tensor
}

// NllLoss: -x at the label: cross-entropy of log-probabilities; classes stand on axis 1.
//
// Shape: []; without reduction that of the elements' losses. Dtype: that of this tensor.
//
// target: integer labels [batch, ...].
//
// reduction: None, Mean or Sum of the elements' losses. Default: Mean.
//
// ignore_index: label of elements that do not count. Default: none.
//
// weight: a weight for each class, [classes]. Default: none.
//
// Errors: DTypeError unless labels are integers; ShapeError if shapes do not fit; ArgumentError for
// label_smoothing outside [0, 1].
func (t *Tensor) NllLoss(target *Tensor, options ...NllLossOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("nll_loss", t, target, optionalChoice(o.Reduction), o.IgnoreIndex, o.Weight)
}

// BinaryCrossentropyOptions is what BinaryCrossentropy can be told.
type BinaryCrossentropyOptions struct {
	// None, Mean or Sum of the elements' losses. Default: Mean.
	Reduction *Reduction
}

// BinaryCrossentropy: -(y log x + (1 - y) log(1 - x)) for probabilities x in (0, 1).
//
// Shape: []; without reduction that of the elements' losses. Dtype: floats stay, integers and bool
// become float32.
//
// target: what should come out.
//
// reduction: None, Mean or Sum of the elements' losses. Default: Mean.
//
// Errors: ShapeError if the shapes differ.
func (t *Tensor) BinaryCrossentropy(target *Tensor, options ...BinaryCrossentropyOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("binary_crossentropy", t, target, optionalChoice(o.Reduction))
}

// BinaryCrossentropyLogitsOptions is what BinaryCrossentropyLogits can be told.
type BinaryCrossentropyLogitsOptions struct {
	// None, Mean or Sum of the elements' losses. Default: Mean.
	Reduction *Reduction
}

// BinaryCrossentropyLogits: The same for logits, without overflow.
//
// Shape: []; without reduction that of the elements' losses. Dtype: floats stay, integers and bool
// become float32.
//
// target: what should come out.
//
// reduction: None, Mean or Sum of the elements' losses. Default: Mean.
//
// Errors: ShapeError if the shapes differ.
func (t *Tensor) BinaryCrossentropyLogits(target *Tensor, options ...BinaryCrossentropyLogitsOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("binary_crossentropy_logits", t, target, optionalChoice(o.Reduction))
}

// RealizeOptions is what Realize can be told.
type RealizeOptions struct {
	// what to compute. Default: this one.
	Tensors []*Tensor
}

// Realize: Computes the value, or several values together, and keeps them as plain storage:
// gradients no longer flow through it. Reading a value leaves them be.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
//
// tensors: what to compute. Default: this one.
//
// Errors: ArgumentError for a value that was overwritten in place before it was computed;
// DeviceError if the device fails.
func (t *Tensor) Realize(options ...RealizeOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("realize", t, o.Tensors)
}

// IsRealized: Whether the value is storage, without a graph behind it.
//
// Shape: not a tensor. Dtype: not a tensor.
func (t *Tensor) IsRealized() (bool, error) {
	return call[bool]("is_realized", t)
}

// HasStorage: Whether the value is storage, or will be once what was assigned to it, or to a view
// of it, has run.
//
// Shape: not a tensor. Dtype: not a tensor.
func (t *Tensor) HasStorage() (bool, error) {
	return call[bool]("has_storage", t)
}

// Contiguous: The same values in storage, row-major; the tensor itself if it is whole storage.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
func (t *Tensor) Contiguous() (*Tensor, error) {
	return call[*Tensor]("contiguous", t)
}

// ContiguousUnrolledOptions is what ContiguousUnrolled can be told.
type ContiguousUnrolledOptions struct {
	// the same of those that are reduced. Default: none.
	Unroll []int64
}

// ContiguousUnrolled: The same values in storage, by a kernel whose loops are unrolled as asked,
// where it allows that, and not as the library would choose.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
//
// upcast: (axis, points that are computed together) of the kernel's axes, those of the result
// first, then those that are reduced.
//
// unroll: the same of those that are reduced. Default: none.
//
// Errors: ArgumentError for a negative axis, or less than one point.
func (t *Tensor) ContiguousUnrolled(upcast []int64, options ...ContiguousUnrolledOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("contiguous_unrolled", t, needInts(upcast), o.Unroll)
}

// ContiguousBackward: The same values; the gradient gets storage of its own on its way back.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
func (t *Tensor) ContiguousBackward() (*Tensor, error) {
	return call[*Tensor]("contiguous_backward", t)
}

// Clone: A copy: the same values in storage of its own, in any case.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
func (t *Tensor) Clone() (*Tensor, error) {
	return call[*Tensor]("clone", t)
}

// Detach: The same values; gradients stop here.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
func (t *Tensor) Detach() (*Tensor, error) {
	return call[*Tensor]("detach", t)
}

// To: The same values on another device; on several, all of them on each.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
//
// device: its name, as in DEV, or several with commas between them.
//
// Errors: DeviceError for an unknown or unusable device.
func (t *Tensor) To(device string) (*Tensor, error) {
	return call[*Tensor]("to", t, needText(device))
}

// ShardOptions is what Shard can be told.
type ShardOptions struct {
	// which is split. Default: none.
	Axis *int64
}

// Shard: The same values on several devices: an equal part on each along an axis, or all on each
// without one.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
//
// devices: their names with commas between them.
//
// axis: which is split. Default: none.
//
// Errors: DeviceError for an unknown device, one that is named twice, or a value that is on several
// already; ShapeError if the axis cannot be split into equal parts; IndexError for one outside the
// shape.
func (t *Tensor) Shard(devices string, options ...ShardOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("shard", t, needText(devices), o.Axis)
}

// ShardInPlaceOptions is what ShardInPlace can be told.
type ShardInPlaceOptions struct {
	// which is split. Default: none.
	Axis *int64
}

// ShardInPlace: The same in place: the tensor and its copies are the value there from now on. A
// parameter stays one.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
//
// devices: their names with commas between them.
//
// axis: which is split. Default: none.
//
// Errors: DeviceError for an unknown device, one that is named twice, or a value that is on several
// already; ShapeError if the axis cannot be split into equal parts; IndexError for one outside the
// shape.
func (t *Tensor) ShardInPlace(devices string, options ...ShardInPlaceOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("shard_", t, needText(devices), o.Axis)
}

// ShardLike: The same values where another tensor is, split as it is; the tensor itself if that
// lives nowhere.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
//
// like: whose devices and axis.
//
// Errors: DeviceError for an unknown device, one that is named twice, or a value that is on several
// already; ShapeError if the axis cannot be split into equal parts; IndexError for one outside the
// shape.
func (t *Tensor) ShardLike(like *Tensor) (*Tensor, error) {
	return call[*Tensor]("shard_like", t, like)
}

// ShardAxis: The axis along which several devices have a part each; none, -1 outside of C++, where
// each has the whole value.
//
// Shape: not a tensor. Dtype: not a tensor.
func (t *Tensor) ShardAxis() (int64, error) {
	return call[int64]("shard_axis", t)
}

// Assign: Replaces the stored value in place, when it is next needed; copies and views see it.
// Without storage it gets some.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
//
// value: broadcast to this shape; of this dtype.
//
// Errors: DTypeError if the dtypes differ; ShapeError if the value does not fit; ArgumentError for
// a view of an expression, or one that names no memory.
func (t *Tensor) Assign(value *Tensor) (*Tensor, error) {
	return call[*Tensor]("assign", t, value)
}

// ToBytes: The elements' bytes in row-major order, little endian.
//
// Shape: not a tensor. Dtype: not a tensor.
//
// Errors: ArgumentError for a value that was overwritten in place before it was computed;
// DeviceError if the device fails.
func (t *Tensor) ToBytes() ([]byte, error) {
	return call[[]byte]("to_bytes", t)
}

// Graph: The operations that it is made of as text, a node a line, sources before users, the tensor
// last. Computes nothing.
//
// Shape: not a tensor. Dtype: not a tensor.
//
// Errors: ArgumentError for a value that was overwritten before it was computed.
func (t *Tensor) Graph() (string, error) {
	return call[string]("graph", t)
}

// Str: NumPy-like text of the values, then dtype and shape; more than 1000 elements are summarised.
//
// Shape: not a tensor. Dtype: not a tensor.
//
// Errors: ArgumentError for a value that was overwritten in place before it was computed;
// DeviceError if the device fails.
func (t *Tensor) Str() (string, error) {
	return call[string]("str", t)
}

// BackwardOptions is what Backward can be told.
type BackwardOptions struct {
	// gradient that reaches this value, of its shape. Default: 1, for a scalar.
	Seed *Tensor
	// whether live tensors on the way to the leaves get theirs too. Default: false.
	Inner *bool
}

// Backward: Adds d(this)/d(leaf) to the grad() of every live leaf: float tensors with storage, and
// those marked by is_param_(), unless marked is_param_(false).
//
// Shape: not a tensor. Dtype: not a tensor.
//
// seed: gradient that reaches this value, of its shape. Default: 1, for a scalar.
//
// inner: whether live tensors on the way to the leaves get theirs too. Default: false.
//
// Errors: ShapeError unless this is a scalar or the seed has its shape; DTypeError unless it is a
// float; ArgumentError if a realised value depends on nothing.
func (t *Tensor) Backward(options ...BackwardOptions) error {
	o := first(options)
	_, err := call[struct{}]("backward", t, o.Seed, o.Inner)
	return err
}

// HasGrad: Whether backward has reached it.
//
// Shape: not a tensor. Dtype: not a tensor.
func (t *Tensor) HasGrad() (bool, error) {
	return call[bool]("has_grad", t)
}

// Grad: The gradient that backward has filled.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
//
// Errors: ArgumentError if there is none.
func (t *Tensor) Grad() (*Tensor, error) {
	return call[*Tensor]("grad", t)
}

// SetGrad: Replaces the gradient.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
//
// gradient: of this shape.
//
// Errors: ShapeError if the shapes differ.
func (t *Tensor) SetGrad(gradient *Tensor) (*Tensor, error) {
	return call[*Tensor]("set_grad", t, gradient)
}

// ZeroGrad: Forgets the gradient.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
func (t *Tensor) ZeroGrad() (*Tensor, error) {
	return call[*Tensor]("zero_grad", t)
}

// GradientOptions is what Gradient can be told.
type GradientOptions struct {
	// gradient that reaches this value, of its shape. Default: 1, for a scalar.
	Seed *Tensor
}

// Gradient: d(this)/d(target) for each target; zeros where this does not depend on it. The results
// are graph and can be differentiated again.
//
// Shape: those of the targets. Dtype: those of the targets.
//
// targets: floats.
//
// seed: gradient that reaches this value, of its shape. Default: 1, for a scalar.
//
// Errors: as backward; DTypeError for a target that is no float, or an op without gradient on the
// way; ArgumentError for a target that is a constant.
func (t *Tensor) Gradient(targets []*Tensor, options ...GradientOptions) ([]*Tensor, error) {
	o := first(options)
	return call[[]*Tensor]("gradient", t, needTensors(targets), o.Seed)
}

// IsParam: Whether it was marked as a parameter.
//
// Shape: not a tensor. Dtype: not a tensor.
func (t *Tensor) IsParam() (bool, error) {
	return call[bool]("is_param", t)
}

// IsParamInPlaceOptions is what IsParamInPlace can be told.
type IsParamInPlaceOptions struct {
	// whether it is one. Default: true.
	Flag *bool
}

// IsParamInPlace: Marks it as a parameter, or as none. A parameter that is an expression gets
// storage of its own, filled when first needed.
//
// Shape: the result has this tensor's shape. Dtype: that of this tensor.
//
// flag: whether it is one. Default: true.
func (t *Tensor) IsParamInPlace(options ...IsParamInPlaceOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("is_param_", t, o.Flag)
}

// NewLinearOptions is what NewLinear can be told.
type NewLinearOptions struct {
	// add a learned shift. Default: true.
	Bias *bool
	// of the parameters. Default: float32.
	Dtype DType
	// of the parameters. Default: the default device.
	Device string
}

// NewLinear: x times the transposed weight [out, in], plus bias [out]. Starts uniform in
// +-1/sqrt(in).
//
// Shape: [..., in] gives [..., out]. Dtype: the promoted dtype of input and parameters.
//
// in: features or channels that come in (elements).
//
// out: features or channels that come out (elements).
//
// bias: add a learned shift. Default: true.
//
// dtype: of the parameters. Default: float32.
//
// device: of the parameters. Default: the default device.
//
// Errors: ArgumentError for sizes below 1.
func NewLinear(in int64, out int64, options ...NewLinearOptions) (*Layer, error) {
	o := first(options)
	return call[*Layer]("nn.Linear", in, out, o.Bias, o.Dtype, o.Device)
}

// NewConv1dOptions is what NewConv1d can be told.
type NewConv1dOptions struct {
	// channel groups that do not mix. Default: 1.
	Groups *int64
	// step of the window. Default: 1.
	Stride []int64
	// distance of neighbouring taps. Default: 1.
	Dilation []int64
	// zeros around the input. Default: 0.
	Padding []int64
	// add a learned shift. Default: true.
	Bias *bool
	// of the parameters. Default: float32.
	Dtype DType
	// of the parameters. Default: the default device.
	Device string
}

// NewConv1d: Cross-correlation with a learned kernel [out, in / groups, length]. Starts uniform in
// +-1/sqrt(in / groups * length).
//
// Shape: [batch, in, length] gives [batch, out, ...]. Dtype: the promoted dtype of input and
// parameters.
//
// in: features or channels that come in (elements).
//
// out: features or channels that come out (elements).
//
// kernel: length of the window (elements).
//
// groups: channel groups that do not mix. Default: 1.
//
// stride: step of the window (elements). Default: 1.
//
// dilation: distance of neighbouring taps (elements). Default: 1.
//
// padding: zeros around the input (elements). Default: 0.
//
// bias: add a learned shift. Default: true.
//
// dtype: of the parameters. Default: float32.
//
// device: of the parameters. Default: the default device.
//
// Errors: ArgumentError for sizes below 1, for groups that do not divide both numbers of channels,
// and for a kernel with other axes.
func NewConv1d(in int64, out int64, kernel int64, options ...NewConv1dOptions) (*Layer, error) {
	o := first(options)
	return call[*Layer]("nn.Conv1d", in, out, kernel, o.Groups, o.Stride, o.Dilation, o.Padding, o.Bias, o.Dtype, o.Device)
}

// NewConv2dOptions is what NewConv2d can be told.
type NewConv2dOptions struct {
	// channel groups that do not mix. Default: 1.
	Groups *int64
	// step of the window. Default: 1.
	Stride []int64
	// distance of neighbouring taps. Default: 1.
	Dilation []int64
	// zeros around the input. Default: 0.
	Padding []int64
	// add a learned shift. Default: true.
	Bias *bool
	// of the parameters. Default: float32.
	Dtype DType
	// of the parameters. Default: the default device.
	Device string
}

// NewConv2d: Cross-correlation with a learned kernel [out, in / groups, height, width]. Starts
// uniform in +-1/sqrt(in / groups * area).
//
// Shape: [batch, in, height, width] gives [batch, out, ...]. Dtype: the promoted dtype of input and
// parameters.
//
// in: features or channels that come in (elements).
//
// out: features or channels that come out (elements).
//
// kernel: one number, or {height, width} (elements).
//
// groups: channel groups that do not mix. Default: 1.
//
// stride: step of the window (elements). Default: 1.
//
// dilation: distance of neighbouring taps (elements). Default: 1.
//
// padding: zeros around the input (elements). Default: 0.
//
// bias: add a learned shift. Default: true.
//
// dtype: of the parameters. Default: float32.
//
// device: of the parameters. Default: the default device.
//
// Errors: ArgumentError for sizes below 1, for groups that do not divide both numbers of channels,
// and for a kernel with other axes.
func NewConv2d(in int64, out int64, kernel []int64, options ...NewConv2dOptions) (*Layer, error) {
	o := first(options)
	return call[*Layer]("nn.Conv2d", in, out, needInts(kernel), o.Groups, o.Stride, o.Dilation, o.Padding, o.Bias, o.Dtype, o.Device)
}

// NewConvTranspose1dOptions is what NewConvTranspose1d can be told.
type NewConvTranspose1dOptions struct {
	// channel groups that do not mix. Default: 1.
	Groups *int64
	// step of the window. Default: 1.
	Stride []int64
	// distance of neighbouring taps. Default: 1.
	Dilation []int64
	// cut off the result's border. Default: 0.
	Padding []int64
	// more at the result's end. Default: 0.
	OutputPadding []int64
	// add a learned shift. Default: true.
	Bias *bool
	// of the parameters. Default: float32.
	Dtype DType
	// of the parameters. Default: the default device.
	Device string
}

// NewConvTranspose1d: The transpose of a convolution, with a learned kernel [in, out / groups,
// length]. Starts uniform in +-1/sqrt(out / groups * length).
//
// Shape: [batch, in, length] gives [batch, out, ...]. Dtype: the promoted dtype of input and
// parameters.
//
// in: features or channels that come in (elements).
//
// out: features or channels that come out (elements).
//
// kernel: length of the window (elements).
//
// groups: channel groups that do not mix. Default: 1.
//
// stride: step of the window (elements). Default: 1.
//
// dilation: distance of neighbouring taps (elements). Default: 1.
//
// padding: cut off the result's border (elements). Default: 0.
//
// output_padding: more at the result's end (elements). Default: 0.
//
// bias: add a learned shift. Default: true.
//
// dtype: of the parameters. Default: float32.
//
// device: of the parameters. Default: the default device.
//
// Errors: ArgumentError for sizes below 1, for groups that do not divide both numbers of channels,
// and for a kernel with other axes.
func NewConvTranspose1d(in int64, out int64, kernel int64, options ...NewConvTranspose1dOptions) (*Layer, error) {
	o := first(options)
	return call[*Layer]("nn.ConvTranspose1d", in, out, kernel, o.Groups, o.Stride, o.Dilation, o.Padding, o.OutputPadding, o.Bias, o.Dtype, o.Device)
}

// NewConvTranspose2dOptions is what NewConvTranspose2d can be told.
type NewConvTranspose2dOptions struct {
	// channel groups that do not mix. Default: 1.
	Groups *int64
	// step of the window. Default: 1.
	Stride []int64
	// distance of neighbouring taps. Default: 1.
	Dilation []int64
	// cut off the result's border. Default: 0.
	Padding []int64
	// more at the result's end. Default: 0.
	OutputPadding []int64
	// add a learned shift. Default: true.
	Bias *bool
	// of the parameters. Default: float32.
	Dtype DType
	// of the parameters. Default: the default device.
	Device string
}

// NewConvTranspose2d: The transpose of a convolution, with a learned kernel [in, out / groups,
// height, width]. Starts uniform in +-1/sqrt(out / groups * area).
//
// Shape: [batch, in, height, width] gives [batch, out, ...]. Dtype: the promoted dtype of input and
// parameters.
//
// in: features or channels that come in (elements).
//
// out: features or channels that come out (elements).
//
// kernel: one number, or {height, width} (elements).
//
// groups: channel groups that do not mix. Default: 1.
//
// stride: step of the window (elements). Default: 1.
//
// dilation: distance of neighbouring taps (elements). Default: 1.
//
// padding: cut off the result's border (elements). Default: 0.
//
// output_padding: more at the result's end (elements). Default: 0.
//
// bias: add a learned shift. Default: true.
//
// dtype: of the parameters. Default: float32.
//
// device: of the parameters. Default: the default device.
//
// Errors: ArgumentError for sizes below 1, for groups that do not divide both numbers of channels,
// and for a kernel with other axes.
func NewConvTranspose2d(in int64, out int64, kernel []int64, options ...NewConvTranspose2dOptions) (*Layer, error) {
	o := first(options)
	return call[*Layer]("nn.ConvTranspose2d", in, out, needInts(kernel), o.Groups, o.Stride, o.Dilation, o.Padding, o.OutputPadding, o.Bias, o.Dtype, o.Device)
}

// NewBatchNormOptions is what NewBatchNorm can be told.
type NewBatchNormOptions struct {
	// added to the variance. Default: 1e-5.
	Eps *float64
	// share of each batch in the running statistics. Default: 0.1.
	Momentum *float64
	// learn a scale, and a shift where there is one. Default: true.
	Affine *bool
	// of the parameters. Default: float32.
	Dtype DType
	// of the parameters. Default: the default device.
	Device string
}

// NewBatchNorm: Normalises each channel: by this batch inside a TrainingScope, which also moves the
// running statistics, else by those.
//
// Shape: that of the input. Dtype: the promoted dtype of input and parameters.
//
// channels: length of axis 1 (elements).
//
// eps: added to the variance. Default: 1e-5.
//
// momentum: share of each batch in the running statistics. Default: 0.1.
//
// affine: learn a scale, and a shift where there is one. Default: true.
//
// dtype: of the parameters. Default: float32.
//
// device: of the parameters. Default: the default device.
//
// Errors: ArgumentError for sizes below 1.
func NewBatchNorm(channels int64, options ...NewBatchNormOptions) (*Layer, error) {
	o := first(options)
	return call[*Layer]("nn.BatchNorm", channels, o.Eps, o.Momentum, o.Affine, o.Dtype, o.Device)
}

// NewLayerNormOptions is what NewLayerNorm can be told.
type NewLayerNormOptions struct {
	// added to the variance. Default: 1e-5.
	Eps *float64
	// learn a scale, and a shift where there is one. Default: true.
	Affine *bool
	// of the parameters. Default: float32.
	Dtype DType
	// of the parameters. Default: the default device.
	Device string
}

// NewLayerNorm: Normalises the last axes of each element to mean 0 and variance 1, then scales and
// shifts.
//
// Shape: that of the input. Dtype: the promoted dtype of input and parameters.
//
// shape: sizes of the last axes (elements).
//
// eps: added to the variance. Default: 1e-5.
//
// affine: learn a scale, and a shift where there is one. Default: true.
//
// dtype: of the parameters. Default: float32.
//
// device: of the parameters. Default: the default device.
//
// Errors: ArgumentError for sizes below 1.
func NewLayerNorm(shape []int64, options ...NewLayerNormOptions) (*Layer, error) {
	o := first(options)
	return call[*Layer]("nn.LayerNorm", needInts(shape), o.Eps, o.Affine, o.Dtype, o.Device)
}

// NewLayerNorm2dOptions is what NewLayerNorm2d can be told.
type NewLayerNorm2dOptions struct {
	// added to the variance. Default: 1e-5.
	Eps *float64
	// learn a scale, and a shift where there is one. Default: true.
	Affine *bool
	// of the parameters. Default: float32.
	Dtype DType
	// of the parameters. Default: the default device.
	Device string
}

// NewLayerNorm2d: LayerNorm over the channels of each place.
//
// Shape: [batch, channels, height, width], as the input. Dtype: the promoted dtype of input and
// parameters.
//
// channels: length of axis 1 (elements).
//
// eps: added to the variance. Default: 1e-5.
//
// affine: learn a scale, and a shift where there is one. Default: true.
//
// dtype: of the parameters. Default: float32.
//
// device: of the parameters. Default: the default device.
//
// Errors: ArgumentError for sizes below 1.
func NewLayerNorm2d(channels int64, options ...NewLayerNorm2dOptions) (*Layer, error) {
	o := first(options)
	return call[*Layer]("nn.LayerNorm2d", channels, o.Eps, o.Affine, o.Dtype, o.Device)
}

// NewGroupNormOptions is what NewGroupNorm can be told.
type NewGroupNormOptions struct {
	// added to the variance. Default: 1e-5.
	Eps *float64
	// learn a scale, and a shift where there is one. Default: true.
	Affine *bool
	// of the parameters. Default: float32.
	Dtype DType
	// of the parameters. Default: the default device.
	Device string
}

// NewGroupNorm: Normalises each group of channels of each element, then scales and shifts by
// channel.
//
// Shape: that of the input. Dtype: the promoted dtype of input and parameters.
//
// groups: number of groups (elements).
//
// channels: length of axis 1 (elements).
//
// eps: added to the variance. Default: 1e-5.
//
// affine: learn a scale, and a shift where there is one. Default: true.
//
// dtype: of the parameters. Default: float32.
//
// device: of the parameters. Default: the default device.
//
// Errors: ArgumentError for sizes below 1, and unless the groups divide the channels.
func NewGroupNorm(groups int64, channels int64, options ...NewGroupNormOptions) (*Layer, error) {
	o := first(options)
	return call[*Layer]("nn.GroupNorm", groups, channels, o.Eps, o.Affine, o.Dtype, o.Device)
}

// NewInstanceNormOptions is what NewInstanceNorm can be told.
type NewInstanceNormOptions struct {
	// added to the variance. Default: 1e-5.
	Eps *float64
	// learn a scale, and a shift where there is one. Default: true.
	Affine *bool
	// of the parameters. Default: float32.
	Dtype DType
	// of the parameters. Default: the default device.
	Device string
}

// NewInstanceNorm: GroupNorm with a group for every channel.
//
// Shape: that of the input. Dtype: the promoted dtype of input and parameters.
//
// channels: length of axis 1 (elements).
//
// eps: added to the variance. Default: 1e-5.
//
// affine: learn a scale, and a shift where there is one. Default: true.
//
// dtype: of the parameters. Default: float32.
//
// device: of the parameters. Default: the default device.
//
// Errors: ArgumentError for sizes below 1.
func NewInstanceNorm(channels int64, options ...NewInstanceNormOptions) (*Layer, error) {
	o := first(options)
	return call[*Layer]("nn.InstanceNorm", channels, o.Eps, o.Affine, o.Dtype, o.Device)
}

// NewRMSNormOptions is what NewRMSNorm can be told.
type NewRMSNormOptions struct {
	// added to the mean square. Default: 1e-6.
	Eps *float64
	// learn a scale, and a shift where there is one. Default: true.
	Affine *bool
	// of the parameters. Default: float32.
	Dtype DType
	// of the parameters. Default: the default device.
	Device string
}

// NewRMSNorm: Divides the last axis by the root of its mean square, then scales.
//
// Shape: that of the input. Dtype: the promoted dtype of input and parameters.
//
// size: length of the last axis (elements).
//
// eps: added to the mean square. Default: 1e-6.
//
// affine: learn a scale, and a shift where there is one. Default: true.
//
// dtype: of the parameters. Default: float32.
//
// device: of the parameters. Default: the default device.
//
// Errors: ArgumentError for sizes below 1.
func NewRMSNorm(size int64, options ...NewRMSNormOptions) (*Layer, error) {
	o := first(options)
	return call[*Layer]("nn.RMSNorm", size, o.Eps, o.Affine, o.Dtype, o.Device)
}

// NewEmbeddingOptions is what NewEmbedding can be told.
type NewEmbeddingOptions struct {
	// of the parameters. Default: float32.
	Dtype DType
	// of the parameters. Default: the default device.
	Device string
}

// NewEmbedding: A row of a learned table [entries, size] for each integer; negative ones count from
// the end, those outside give zeros. Starts as glorot_uniform.
//
// Shape: [...] gives [..., size]. Dtype: the promoted dtype of input and parameters.
//
// entries: rows of the table (elements).
//
// size: length of a row (elements).
//
// dtype: of the parameters. Default: float32.
//
// device: of the parameters. Default: the default device.
//
// Errors: ArgumentError for sizes below 1.
func NewEmbedding(entries int64, size int64, options ...NewEmbeddingOptions) (*Layer, error) {
	o := first(options)
	return call[*Layer]("nn.Embedding", entries, size, o.Dtype, o.Device)
}

// NewDropoutOptions is what NewDropout can be told.
type NewDropoutOptions struct {
	// share that is zeroed. Default: 0.5.
	P *float64
}

// NewDropout: Tensor::dropout: zeroes elements and scales the rest inside a TrainingScope, else
// changes nothing.
//
// Shape: that of the input. Dtype: the promoted dtype of input and parameters.
//
// p: share that is zeroed (probability). Default: 0.5.
//
// Errors: ArgumentError for p outside [0, 1].
func NewDropout(options ...NewDropoutOptions) (*Layer, error) {
	o := first(options)
	return call[*Layer]("nn.Dropout", o.P)
}

// NewLSTMCellOptions is what NewLSTMCell can be told.
type NewLSTMCellOptions struct {
	// add a learned shift. Default: true.
	Bias *bool
	// of the parameters. Default: float32.
	Dtype DType
	// of the parameters. Default: the default device.
	Device string
}

// NewLSTMCell: One step of a long short-term memory: x and a pair (output, cell) give the next
// pair; without one it starts from zeros. Starts uniform in +-1/sqrt(hidden).
//
// Shape: [batch, in] gives a pair of [batch, hidden]. Dtype: the promoted dtype of input and
// parameters.
//
// in: features or channels that come in (elements).
//
// hidden: features of the state (elements).
//
// bias: add a learned shift. Default: true.
//
// dtype: of the parameters. Default: float32.
//
// device: of the parameters. Default: the default device.
//
// Errors: ArgumentError for sizes below 1.
func NewLSTMCell(in int64, hidden int64, options ...NewLSTMCellOptions) (*Layer, error) {
	o := first(options)
	return call[*Layer]("nn.LSTMCell", in, hidden, o.Bias, o.Dtype, o.Device)
}

// NewGRUCellOptions is what NewGRUCell can be told.
type NewGRUCellOptions struct {
	// add a learned shift. Default: true.
	Bias *bool
	// of the parameters. Default: float32.
	Dtype DType
	// of the parameters. Default: the default device.
	Device string
}

// NewGRUCell: One step of a gated recurrent unit, gates in the order reset, update, new: x and a
// state give the next state; without one it starts from zeros. Starts uniform in +-1/sqrt(hidden).
//
// Shape: [..., in] gives [..., hidden]. Dtype: the promoted dtype of input and parameters.
//
// in: features or channels that come in (elements).
//
// hidden: features of the state (elements).
//
// bias: add a learned shift. Default: true.
//
// dtype: of the parameters. Default: float32.
//
// device: of the parameters. Default: the default device.
//
// Errors: ArgumentError for sizes below 1.
func NewGRUCell(in int64, hidden int64, options ...NewGRUCellOptions) (*Layer, error) {
	o := first(options)
	return call[*Layer]("nn.GRUCell", in, hidden, o.Bias, o.Dtype, o.Device)
}

// NewLSTMOptions is what NewLSTM can be told.
type NewLSTMOptions struct {
	// one on the other. Default: 1.
	Layers *int64
	// add a learned shift. Default: true.
	Bias *bool
	// x and outputs are [batch, steps, ...], not [steps, batch, ...]. Default: false.
	BatchFirst *bool
	// share of the outputs between layers, zeroed while training. Default: 0.
	Dropout *float64
	// of the parameters. Default: float32.
	Dtype DType
	// of the parameters. Default: the default device.
	Device string
}

// NewLSTM: LSTMCells over the steps of a sequence, several layers of them. x, or x and the two
// tensors of a state, give the outputs of all steps and the two tensors of the state after the
// last.
//
// Shape: [steps, batch, in] gives [steps, batch, hidden] and twice [layers, batch, hidden]. Dtype:
// the promoted dtype of input and parameters.
//
// in: features or channels that come in (elements).
//
// hidden: features of the state (elements).
//
// layers: one on the other. Default: 1.
//
// bias: add a learned shift. Default: true.
//
// batch_first: x and outputs are [batch, steps, ...], not [steps, batch, ...]. Default: false.
//
// dropout: share of the outputs between layers, zeroed while training (probability). Default: 0.
//
// dtype: of the parameters. Default: float32.
//
// device: of the parameters. Default: the default device.
//
// Errors: ArgumentError for sizes below 1, and a dropout outside [0, 1]; ShapeError for inputs of
// other shapes, and for no steps.
func NewLSTM(in int64, hidden int64, options ...NewLSTMOptions) (*Layer, error) {
	o := first(options)
	return call[*Layer]("nn.LSTM", in, hidden, o.Layers, o.Bias, o.BatchFirst, o.Dropout, o.Dtype, o.Device)
}

// NewGRUOptions is what NewGRU can be told.
type NewGRUOptions struct {
	// one on the other. Default: 1.
	Layers *int64
	// add a learned shift. Default: true.
	Bias *bool
	// x and outputs are [batch, steps, ...], not [steps, batch, ...]. Default: false.
	BatchFirst *bool
	// share of the outputs between layers, zeroed while training. Default: 0.
	Dropout *float64
	// of the parameters. Default: float32.
	Dtype DType
	// of the parameters. Default: the default device.
	Device string
}

// NewGRU: GRUCells over the steps of a sequence, several layers of them. x, or x and a state, give
// the outputs of all steps and the state after the last.
//
// Shape: [steps, batch, in] gives [steps, batch, hidden] and [layers, batch, hidden]. Dtype: the
// promoted dtype of input and parameters.
//
// in: features or channels that come in (elements).
//
// hidden: features of the state (elements).
//
// layers: one on the other. Default: 1.
//
// bias: add a learned shift. Default: true.
//
// batch_first: x and outputs are [batch, steps, ...], not [steps, batch, ...]. Default: false.
//
// dropout: share of the outputs between layers, zeroed while training (probability). Default: 0.
//
// dtype: of the parameters. Default: float32.
//
// device: of the parameters. Default: the default device.
//
// Errors: ArgumentError for sizes below 1, and a dropout outside [0, 1]; ShapeError for inputs of
// other shapes, and for no steps.
func NewGRU(in int64, hidden int64, options ...NewGRUOptions) (*Layer, error) {
	o := first(options)
	return call[*Layer]("nn.GRU", in, hidden, o.Layers, o.Bias, o.BatchFirst, o.Dropout, o.Dtype, o.Device)
}

// NewMultiHeadAttentionOptions is what NewMultiHeadAttention can be told.
type NewMultiHeadAttentionOptions struct {
	// heads of keys and values, each for several of the queries. Default: as many as heads.
	KvHeads *int64
	// share of the weights dropped while training. Default: 0.
	Dropout *float64
	// a query sees the keys up to its own place. Default: false.
	IsCausal *bool
	// add a learned shift. Default: true.
	Bias *bool
	// of the parameters. Default: float32.
	Dtype DType
	// of the parameters. Default: the default device.
	Device string
}

// NewMultiHeadAttention: Queries, keys and values are projected, each head attends with its part,
// and the heads are projected together. Takes x, which attends to itself, or queries, keys and
// values; and behind them a mask, broadcast to [..., heads, n, m]: bool says which keys count,
// numbers are added to the scores.
//
// Shape: queries [..., n, size], keys and values [..., m, size] give [..., n, size]. Dtype: the
// promoted dtype of input and parameters.
//
// size: features of x (elements).
//
// heads: parts that attend on their own.
//
// kv_heads: heads of keys and values, each for several of the queries. Default: as many as heads.
//
// dropout: share of the weights dropped while training (probability). Default: 0.
//
// is_causal: a query sees the keys up to its own place. Default: false.
//
// bias: add a learned shift. Default: true.
//
// dtype: of the parameters. Default: float32.
//
// device: of the parameters. Default: the default device.
//
// Errors: ArgumentError for sizes below 1, for heads that do not divide the size, for kv_heads that
// do not divide the heads, and a dropout outside [0, 1]; ShapeError for inputs of other shapes.
func NewMultiHeadAttention(size int64, heads int64, options ...NewMultiHeadAttentionOptions) (*Layer, error) {
	o := first(options)
	return call[*Layer]("nn.MultiHeadAttention", size, heads, o.KvHeads, o.Dropout, o.IsCausal, o.Bias, o.Dtype, o.Device)
}

// NewTransformerEncoderLayerOptions is what NewTransformerEncoderLayer can be told.
type NewTransformerEncoderLayerOptions struct {
	// between the two linear layers. Default: 2048.
	Feedforward *int64
	// share zeroed while training, in all parts. Default: 0.1.
	Dropout *float64
	// Relu, or Gelu, exact. Default: Relu.
	Activation *Activation
	// normalise what a part takes, not what it gives. Default: false.
	NormFirst *bool
	// x sees itself up to its own place. Default: false.
	IsCausal *bool
	// heads of keys and values, each for several of the queries. Default: as many as heads.
	KvHeads *int64
	// added to the variance. Default: 1e-5.
	Eps *float64
	// add a learned shift. Default: true.
	Bias *bool
	// of the parameters. Default: float32.
	Dtype DType
	// of the parameters. Default: the default device.
	Device string
}

// NewTransformerEncoderLayer: Self-attention, then two linear layers with an activation between
// them, the result of each added to its input and normalised. Takes x, and behind it a mask as
// MultiHeadAttention's.
//
// Shape: [..., n, size], as the input. Dtype: the promoted dtype of input and parameters.
//
// size: features of x (elements).
//
// heads: parts that attend on their own.
//
// feedforward: between the two linear layers (elements). Default: 2048.
//
// dropout: share zeroed while training, in all parts (probability). Default: 0.1.
//
// activation: Relu, or Gelu, exact. Default: Relu.
//
// norm_first: normalise what a part takes, not what it gives. Default: false.
//
// is_causal: x sees itself up to its own place. Default: false.
//
// kv_heads: heads of keys and values, each for several of the queries. Default: as many as heads.
//
// eps: added to the variance. Default: 1e-5.
//
// bias: add a learned shift. Default: true.
//
// dtype: of the parameters. Default: float32.
//
// device: of the parameters. Default: the default device.
//
// Errors: ArgumentError for sizes below 1, for heads that do not divide the size, for kv_heads that
// do not divide the heads, and a dropout outside [0, 1]; ShapeError for inputs of other shapes.
func NewTransformerEncoderLayer(size int64, heads int64, options ...NewTransformerEncoderLayerOptions) (*Layer, error) {
	o := first(options)
	return call[*Layer]("nn.TransformerEncoderLayer", size, heads, o.Feedforward, o.Dropout, optionalChoice(o.Activation), o.NormFirst, o.IsCausal, o.KvHeads, o.Eps, o.Bias, o.Dtype, o.Device)
}

// NewTransformerDecoderLayerOptions is what NewTransformerDecoderLayer can be told.
type NewTransformerDecoderLayerOptions struct {
	// between the two linear layers. Default: 2048.
	Feedforward *int64
	// share zeroed while training, in all parts. Default: 0.1.
	Dropout *float64
	// Relu, or Gelu, exact. Default: Relu.
	Activation *Activation
	// normalise what a part takes, not what it gives. Default: false.
	NormFirst *bool
	// x sees itself up to its own place. Default: false.
	IsCausal *bool
	// heads of keys and values, each for several of the queries. Default: as many as heads.
	KvHeads *int64
	// added to the variance. Default: 1e-5.
	Eps *float64
	// add a learned shift. Default: true.
	Bias *bool
	// of the parameters. Default: float32.
	Dtype DType
	// of the parameters. Default: the default device.
	Device string
}

// NewTransformerDecoderLayer: TransformerEncoderLayer with attention to a memory between its two
// parts. Takes x and the memory, and behind them a mask of x and one of the memory.
//
// Shape: x [..., n, size] and memory [..., m, size] give [..., n, size]. Dtype: the promoted dtype
// of input and parameters.
//
// size: features of x (elements).
//
// heads: parts that attend on their own.
//
// feedforward: between the two linear layers (elements). Default: 2048.
//
// dropout: share zeroed while training, in all parts (probability). Default: 0.1.
//
// activation: Relu, or Gelu, exact. Default: Relu.
//
// norm_first: normalise what a part takes, not what it gives. Default: false.
//
// is_causal: x sees itself up to its own place. Default: false.
//
// kv_heads: heads of keys and values, each for several of the queries. Default: as many as heads.
//
// eps: added to the variance. Default: 1e-5.
//
// bias: add a learned shift. Default: true.
//
// dtype: of the parameters. Default: float32.
//
// device: of the parameters. Default: the default device.
//
// Errors: ArgumentError for sizes below 1, for heads that do not divide the size, for kv_heads that
// do not divide the heads, and a dropout outside [0, 1]; ShapeError for inputs of other shapes.
func NewTransformerDecoderLayer(size int64, heads int64, options ...NewTransformerDecoderLayerOptions) (*Layer, error) {
	o := first(options)
	return call[*Layer]("nn.TransformerDecoderLayer", size, heads, o.Feedforward, o.Dropout, optionalChoice(o.Activation), o.NormFirst, o.IsCausal, o.KvHeads, o.Eps, o.Bias, o.Dtype, o.Device)
}

// NewSGDOptions is what NewSGD can be told.
type NewSGDOptions struct {
	// size of a step. Default: 0.001.
	Lr *float64
	// share of the last direction kept. Default: 0.
	Momentum *float64
	// times the parameter, added to the gradient. Default: 0.
	WeightDecay *float64
	// look ahead along the momentum. Default: false.
	Nesterov *bool
}

// NewSGD: g += decay * p; b = momentum * b + g; p -= rate * b (nesterov: rate * (g + momentum *
// b)).
//
// Shape: every parameter keeps its own. Dtype: every parameter keeps its own.
//
// model: whose parameters are changed.
//
// lr: size of a step. Default: 0.001.
//
// momentum: share of the last direction kept. Default: 0.
//
// weight_decay: times the parameter, added to the gradient. Default: 0.
//
// nesterov: look ahead along the momentum. Default: false.
//
// Errors: ArgumentError for no parameters, a learning rate or decay that is negative or not finite,
// and shares outside [0, 1); DTypeError for parameters that are no floats.
func NewSGD(model []*Tensor, options ...NewSGDOptions) (*Optimizer, error) {
	o := first(options)
	return call[*Optimizer]("nn.SGD", needTensors(model), o.Lr, o.Momentum, o.WeightDecay, o.Nesterov)
}

// NewAdamOptions is what NewAdam can be told.
type NewAdamOptions struct {
	// size of a step. Default: 0.001.
	Lr *float64
	// decay of the mean of gradients. Default: 0.9.
	Beta1 *float64
	// decay of the mean of their squares. Default: 0.999.
	Beta2 *float64
	// added to the root of the mean square. Default: 1e-8.
	Eps *float64
	// times rate and parameter, subtracted from it. Default: 0.
	WeightDecay *float64
}

// NewAdam: Steps along mean over root of mean square of the gradients (Kingma and Ba, 2015), decay
// apart.
//
// Shape: every parameter keeps its own. Dtype: every parameter keeps its own.
//
// model: whose parameters are changed.
//
// lr: size of a step. Default: 0.001.
//
// beta1: decay of the mean of gradients. Default: 0.9.
//
// beta2: decay of the mean of their squares. Default: 0.999.
//
// eps: added to the root of the mean square. Default: 1e-8.
//
// weight_decay: times rate and parameter, subtracted from it. Default: 0.
//
// Errors: ArgumentError for no parameters, a learning rate or decay that is negative or not finite,
// and shares outside [0, 1); DTypeError for parameters that are no floats.
func NewAdam(model []*Tensor, options ...NewAdamOptions) (*Optimizer, error) {
	o := first(options)
	return call[*Optimizer]("nn.Adam", needTensors(model), o.Lr, o.Beta1, o.Beta2, o.Eps, o.WeightDecay)
}

// NewAdamWOptions is what NewAdamW can be told.
type NewAdamWOptions struct {
	// size of a step. Default: 0.001.
	Lr *float64
	// decay of the mean of gradients. Default: 0.9.
	Beta1 *float64
	// decay of the mean of their squares. Default: 0.999.
	Beta2 *float64
	// added to the root of the mean square. Default: 1e-8.
	Eps *float64
	// times rate and parameter, subtracted from it. Default: 0.01.
	WeightDecay *float64
}

// NewAdamW: Adam whose weight decay is on unless it is set to 0 (Loshchilov and Hutter, 2019).
//
// Shape: every parameter keeps its own. Dtype: every parameter keeps its own.
//
// model: whose parameters are changed.
//
// lr: size of a step. Default: 0.001.
//
// beta1: decay of the mean of gradients. Default: 0.9.
//
// beta2: decay of the mean of their squares. Default: 0.999.
//
// eps: added to the root of the mean square. Default: 1e-8.
//
// weight_decay: times rate and parameter, subtracted from it. Default: 0.01.
//
// Errors: ArgumentError for no parameters, a learning rate or decay that is negative or not finite,
// and shares outside [0, 1); DTypeError for parameters that are no floats.
func NewAdamW(model []*Tensor, options ...NewAdamWOptions) (*Optimizer, error) {
	o := first(options)
	return call[*Optimizer]("nn.AdamW", needTensors(model), o.Lr, o.Beta1, o.Beta2, o.Eps, o.WeightDecay)
}

// NewLAMBOptions is what NewLAMB can be told.
type NewLAMBOptions struct {
	// size of a step. Default: 0.001.
	Lr *float64
	// decay of the mean of gradients. Default: 0.9.
	Beta1 *float64
	// decay of the mean of their squares. Default: 0.999.
	Beta2 *float64
	// added to the root of the mean square. Default: 1e-6.
	Eps *float64
	// times the parameter, added to the direction. Default: 0.
	WeightDecay *float64
}

// NewLAMB: Adam's direction plus decay, scaled for each parameter to the length of the parameter
// (You et al., 2020).
//
// Shape: every parameter keeps its own. Dtype: every parameter keeps its own.
//
// model: whose parameters are changed.
//
// lr: size of a step. Default: 0.001.
//
// beta1: decay of the mean of gradients. Default: 0.9.
//
// beta2: decay of the mean of their squares. Default: 0.999.
//
// eps: added to the root of the mean square. Default: 1e-6.
//
// weight_decay: times the parameter, added to the direction. Default: 0.
//
// Errors: ArgumentError for no parameters, a learning rate or decay that is negative or not finite,
// and shares outside [0, 1); DTypeError for parameters that are no floats.
func NewLAMB(model []*Tensor, options ...NewLAMBOptions) (*Optimizer, error) {
	o := first(options)
	return call[*Optimizer]("nn.LAMB", needTensors(model), o.Lr, o.Beta1, o.Beta2, o.Eps, o.WeightDecay)
}

// NewLARSOptions is what NewLARS can be told.
type NewLARSOptions struct {
	// size of a step. Default: 0.001.
	Lr *float64
	// share of the last direction kept. Default: 0.9.
	Momentum *float64
	// times the parameter, added to the gradient. Default: 1e-4.
	WeightDecay *float64
	// look ahead along the momentum. Default: false.
	Nesterov *bool
	// share of the parameter's length a step may take. Default: 0.001.
	Trust *float64
}

// NewLARS: SGD with the gradient of each parameter scaled by trust * |p| / (|g| + decay * |p|)
// (You, Gitman and Ginsburg, 2017).
//
// Shape: every parameter keeps its own. Dtype: every parameter keeps its own.
//
// model: whose parameters are changed.
//
// lr: size of a step. Default: 0.001.
//
// momentum: share of the last direction kept. Default: 0.9.
//
// weight_decay: times the parameter, added to the gradient. Default: 1e-4.
//
// nesterov: look ahead along the momentum. Default: false.
//
// trust: share of the parameter's length a step may take. Default: 0.001.
//
// Errors: ArgumentError for no parameters, a learning rate or decay that is negative or not finite,
// and shares outside [0, 1); DTypeError for parameters that are no floats.
func NewLARS(model []*Tensor, options ...NewLARSOptions) (*Optimizer, error) {
	o := first(options)
	return call[*Optimizer]("nn.LARS", needTensors(model), o.Lr, o.Momentum, o.WeightDecay, o.Nesterov, o.Trust)
}

// NewMuonOptions is what NewMuon can be told.
type NewMuonOptions struct {
	// size of a step. Default: 0.001.
	Lr *float64
	// share of the last direction kept. Default: 0.95.
	Momentum *float64
	// times rate and parameter, subtracted from it. Default: 0.1.
	WeightDecay *float64
	// look ahead along the momentum. Default: true.
	Nesterov *bool
	// iterations. Default: 5.
	Steps *int64
}

// NewMuon: The momentum of each matrix is replaced by the nearest orthogonal one, by a
// Newton-Schulz iteration (Jordan et al., 2024); parameters of one axis follow their momentum.
//
// Shape: every parameter keeps its own. Dtype: every parameter keeps its own.
//
// model: whose parameters are changed.
//
// lr: size of a step. Default: 0.001.
//
// momentum: share of the last direction kept. Default: 0.95.
//
// weight_decay: times rate and parameter, subtracted from it. Default: 0.1.
//
// nesterov: look ahead along the momentum. Default: true.
//
// steps: iterations. Default: 5.
//
// Errors: as SGD; ArgumentError for a negative decay or less than one iteration.
func NewMuon(model []*Tensor, options ...NewMuonOptions) (*Optimizer, error) {
	o := first(options)
	return call[*Optimizer]("nn.Muon", needTensors(model), o.Lr, o.Momentum, o.WeightDecay, o.Nesterov, o.Steps)
}

// ClipGradNormOptions is what ClipGradNorm can be told.
type ClipGradNormOptions struct {
	// p of the norm; infinity: the largest element. Default: 2.
	NormType *float64
}

// ClipGradNorm: Multiplies gradients by max_norm / (norm + 1e-6), or by 1 where that is more; gives
// the norm before, of all as one vector. Between backward and step.
//
// Shape: []. Dtype: float32, or float64 if a gradient is.
//
// parameters: whose gradients are changed.
//
// max_norm: what the norm is to be at most.
//
// norm_type: p of the norm; infinity: the largest element. Default: 2.
//
// Errors: ArgumentError for no parameters, a negative max_norm, and a norm_type that is not above
// 0.
func ClipGradNorm(parameters []*Tensor, max_norm float64, options ...ClipGradNormOptions) (*Tensor, error) {
	o := first(options)
	return call[*Tensor]("nn.clip_grad_norm", needTensors(parameters), max_norm, o.NormType)
}

// ClipGradValue: Moves every element of the gradients into +-clip_value. Between backward and step.
//
// Shape: each gradient keeps its own. Dtype: each gradient keeps its own.
//
// parameters: whose gradients are changed.
//
// clip_value: largest magnitude.
//
// Errors: ArgumentError for no parameters, and a negative value.
func ClipGradValue(parameters []*Tensor, clip_value float64) error {
	_, err := call[struct{}]("nn.clip_grad_value", needTensors(parameters), clip_value)
	return err
}

// DtypeSize: Bytes of one element.
//
// Shape: not a tensor. Dtype: not a tensor.
//
// t: the dtype.
func DtypeSize(t DType) (int64, error) {
	return call[int64]("dtype_size", t)
}

// DtypeName: Its name, "float32".
//
// Shape: not a tensor. Dtype: not a tensor.
//
// t: the dtype.
func DtypeName(t DType) (string, error) {
	return call[string]("dtype_name", t)
}

// IsFloat: Whether it is one of the eight floats.
//
// Shape: not a tensor. Dtype: not a tensor.
//
// t: the dtype.
func IsFloat(t DType) (bool, error) {
	return call[bool]("is_float", t)
}

// IsInt: Whether it is one of the integers; bool is none.
//
// Shape: not a tensor. Dtype: not a tensor.
//
// t: the dtype.
func IsInt(t DType) (bool, error) {
	return call[bool]("is_int", t)
}

// IsUnsigned: Whether it is an integer without sign.
//
// Shape: not a tensor. Dtype: not a tensor.
//
// t: the dtype.
func IsUnsigned(t DType) (bool, error) {
	return call[bool]("is_unsigned", t)
}

// IsBool: Whether it is bool.
//
// Shape: not a tensor. Dtype: not a tensor.
//
// t: the dtype.
func IsBool(t DType) (bool, error) {
	return call[bool]("is_bool", t)
}

// Promote: The dtype in which values of both are computed.
//
// Shape: not a tensor. Dtype: not a tensor.
//
// a: one.
//
// b: the other.
func Promote(a DType, b DType) (DType, error) {
	return call[DType]("promote", a, b)
}

// PromoteWeak: The dtype of a tensor with a plain number.
//
// Shape: not a tensor. Dtype: not a tensor.
//
// tensor: the tensor's.
//
// scalar_is_float: whether the number is a float.
func PromoteWeak(tensor DType, scalar_is_float bool) (DType, error) {
	return call[DType]("promote_weak", tensor, scalar_is_float)
}

// DefaultFloat: The dtype of floats that name none.
//
// Shape: not a tensor. Dtype: not a tensor.
func DefaultFloat() (DType, error) {
	return call[DType]("default_float")
}

// SetDefaultFloat: Sets the dtype of floats that name none; gives the one before.
//
// Shape: not a tensor. Dtype: not a tensor.
//
// t: the dtype.
//
// Errors: DTypeError for a dtype that is no float.
func SetDefaultFloat(t DType) (DType, error) {
	return call[DType]("set_default_float", t)
}

// LeastFloat: Itself for floats, else default_float().
//
// Shape: not a tensor. Dtype: not a tensor.
//
// t: the dtype.
func LeastFloat(t DType) (DType, error) {
	return call[DType]("least_float", t)
}

// SumDtype: The dtype in which sums of it are given.
//
// Shape: not a tensor. Dtype: not a tensor.
//
// t: the dtype.
func SumDtype(t DType) (DType, error) {
	return call[DType]("sum_dtype", t)
}

// TensorOfText: A tensor with the value of a graph, as graph() gives it.
//
// Shape: that of the last node. Dtype: that of the last node.
//
// graph: a node a line, the value last.
//
// Errors: ArgumentError for text that is no graph of tensors.
func TensorOfText(graph string) (*Tensor, error) {
	return call[*Tensor]("tensor_of_text", needText(graph))
}

// KernelsText: The kernels and copies between devices that evaluating the tensors together would
// run, an empty line between two. Computes nothing.
//
// Shape: not a tensor. Dtype: not a tensor.
//
// tensors: what would be evaluated.
//
// Errors: ArgumentError for a value that was overwritten before it was computed.
func KernelsText(tensors []*Tensor) (string, error) {
	return call[string]("kernels_text", needTensors(tensors))
}
