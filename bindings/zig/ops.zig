// Generated from bindings/manifest.json by tg-bindgen; do not edit. Every function of tensors, layers
// and optimisers by the record of its name: see tinygrad.zig, which is what programs import.
const tg = @import("tinygrad.zig");
const call = tg.call;
const Error = tg.Error;
const Index = tg.Index;
const Layer = tg.Layer;
const Operand = tg.Operand;
const Optimizer = tg.Optimizer;
const Size = tg.Size;

/// The version of the C interface that this file was made for.
pub const abi_version = 1;

/// Element types.
pub const DType = enum(i64) {
    @"bool" = 2,
    int8 = 3,
    uint8 = 4,
    int16 = 5,
    uint16 = 6,
    int32 = 7,
    uint32 = 8,
    int64 = 9,
    uint64 = 10,
    fp8e4m3 = 11,
    fp8e5m2 = 12,
    fp8e4m3fnuz = 13,
    fp8e5m2fnuz = 14,
    float16 = 15,
    bfloat16 = 16,
    float32 = 17,
    float64 = 18,
};

/// A choice that functions offer.
pub const Activation = enum(i64) {
    relu = 0,
    gelu = 1,
};

/// A choice that functions offer.
pub const GeluForm = enum(i64) {
    tanh = 0,
    erf = 1,
};

/// A choice that functions offer.
pub const GridIndexing = enum(i64) {
    ij = 0,
    xy = 1,
};

/// A choice that functions offer.
pub const GridSampleMode = enum(i64) {
    linear = 0,
    nearest = 1,
};

/// A choice that functions offer.
pub const GridSamplePadding = enum(i64) {
    zeros = 0,
    border = 1,
    reflection = 2,
};

/// A choice that functions offer.
pub const InterpolateMode = enum(i64) {
    linear = 0,
    nearest = 1,
    nearest_exact = 2,
};

/// A choice that functions offer.
pub const KeccakVariant = enum(i64) {
    sha3_224 = 0,
    sha3_256 = 1,
    sha3_384 = 2,
    sha3_512 = 3,
    shake128 = 4,
    shake256 = 5,
};

/// A choice that functions offer.
pub const PadMode = enum(i64) {
    reflect = 0,
    replicate = 1,
    circular = 2,
};

/// A choice that functions offer.
pub const Reduction = enum(i64) {
    none = 0,
    mean = 1,
    sum = 2,
};

/// A choice that functions offer.
pub const Rounding = enum(i64) {
    none = 0,
    trunc = 1,
    floor = 2,
};

/// A choice that functions offer.
pub const ScatterReduction = enum(i64) {
    sum = 0,
    mean = 1,
    prod = 2,
    max = 3,
    min = 4,
};

/// An array that is computed when somebody looks. The caller owns what it gets until `deinit`.
pub const Tensor = struct {
    handle: tg.c.tg_tensor,

    /// One more owner of the same tensor.
    pub fn retain(self: Tensor) Tensor {
        _ = tg.c.tg_retain(self.handle);
        return self;
    }

    /// Gives it back.
    pub fn deinit(self: Tensor) void {
        _ = tg.c.tg_release(self.handle);
    }

    /// A copy of `data`, row-major, on the default device.
    pub fn fromSlice(comptime Element: type, data: []const Element, sizes_: []const i64) Error!Tensor {
        return tg.tensorFromSlice(Element, data, sizes_);
    }

    /// Computes the tensor and copies its elements, row-major, into `out`, which they fill.
    pub fn read(self: Tensor, comptime Element: type, out: []Element) Error!void {
        return tg.readTensor(self, Element, out);
    }

    /// What `fromBytes` can be told.
    pub const FromBytesOptions = struct {
        /// converts to this dtype. Default: as stored.
        dtype: ?DType = null,
        /// where it lives. Default: the default device.
        device: ?[:0]const u8 = null,
    };

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
    pub fn fromBytes(bytes_: []const u8, shape_: []const i64, stored_: DType, options: FromBytesOptions) Error!Tensor {
        return call(Tensor, "from_bytes", .{ bytes_, shape_, stored_, options.dtype, options.device });
    }

    /// What `empty` can be told.
    pub const EmptyOptions = struct {
        /// element type. Default: float32.
        dtype: ?DType = null,
        /// where it lives. Default: the default device.
        device: ?[:0]const u8 = null,
    };

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
    pub fn empty(shape_: []const i64, options: EmptyOptions) Error!Tensor {
        return call(Tensor, "empty", .{ shape_, options.dtype, options.device });
    }

    /// What `full` can be told.
    pub const FullOptions = struct {
        /// element type. Default: that of the value.
        dtype: ?DType = null,
        /// where it lives. Default: the default device.
        device: ?[:0]const u8 = null,
        /// gives it storage of its own. Default: true.
        buffer: ?bool = null,
    };

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
    pub fn full(sizes_: []const Size, value_: Operand, options: FullOptions) Error!Tensor {
        return call(Tensor, "full", .{ sizes_, value_, options.dtype, options.device, options.buffer });
    }

    /// What `zeros` can be told.
    pub const ZerosOptions = struct {
        /// element type. Default: float32.
        dtype: ?DType = null,
        /// where it lives. Default: the default device.
        device: ?[:0]const u8 = null,
    };

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
    pub fn zeros(sizes_: []const Size, options: ZerosOptions) Error!Tensor {
        return call(Tensor, "zeros", .{ sizes_, options.dtype, options.device });
    }

    /// What `ones` can be told.
    pub const OnesOptions = struct {
        /// element type. Default: float32.
        dtype: ?DType = null,
        /// where it lives. Default: the default device.
        device: ?[:0]const u8 = null,
    };

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
    pub fn ones(sizes_: []const Size, options: OnesOptions) Error!Tensor {
        return call(Tensor, "ones", .{ sizes_, options.dtype, options.device });
    }

    /// What `arange` can be told.
    pub const ArangeOptions = struct {
        /// first value. Default: 0.
        start: ?f64 = null,
        /// distance of neighbours, not 0. Default: 1.
        step: ?f64 = null,
        /// element type. Default: int32 for whole numbers, else float32.
        dtype: ?DType = null,
        /// where it lives. Default: the default device.
        device: ?[:0]const u8 = null,
    };

    /// Evenly spaced values from start up to stop, which is excluded.
    ///
    /// Shape: [ceil((stop - start) / step)], [0] if that is negative. Dtype: the asked one, else
    /// int32 if start, stop and step are whole (int64 if the values need it), else float32.
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
    pub fn arange(stop_: f64, options: ArangeOptions) Error!Tensor {
        return call(Tensor, "arange", .{ stop_, options.start, options.step, options.dtype, options.device });
    }

    /// What `linspace` can be told.
    pub const LinspaceOptions = struct {
        /// element type. Default: float32.
        dtype: ?DType = null,
        /// where it lives. Default: the default device.
        device: ?[:0]const u8 = null,
    };

    /// Evenly spaced values, both ends included.
    ///
    /// Shape: [steps]. Dtype: the asked one, else default_float().
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
    pub fn linspace(start_: f64, stop_: f64, steps_: i64, options: LinspaceOptions) Error!Tensor {
        return call(Tensor, "linspace", .{ start_, stop_, steps_, options.dtype, options.device });
    }

    /// What `eye` can be told.
    pub const EyeOptions = struct {
        /// columns; as many as rows if negative. Default: -1.
        m: ?i64 = null,
        /// element type. Default: float32.
        dtype: ?DType = null,
        /// where it lives. Default: the default device.
        device: ?[:0]const u8 = null,
    };

    /// Ones on the diagonal, zeros elsewhere.
    ///
    /// Shape: [n, m]. Dtype: the asked one, else default_float().
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
    pub fn eye(n_: i64, options: EyeOptions) Error!Tensor {
        return call(Tensor, "eye", .{ n_, options.m, options.dtype, options.device });
    }

    /// One value everywhere, of this tensor's shape, dtype and device.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// value: a number.
    ///
    /// Errors: ShapeError for a value that is no scalar.
    pub fn fullLike(self: Tensor, value_: Operand) Error!Tensor {
        return call(Tensor, "full_like", .{ self, value_ });
    }

    /// 0 everywhere, of this tensor's shape, dtype and device.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn zerosLike(self: Tensor) Error!Tensor {
        return call(Tensor, "zeros_like", .{ self });
    }

    /// 1 everywhere, of this tensor's shape, dtype and device.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn onesLike(self: Tensor) Error!Tensor {
        return call(Tensor, "ones_like", .{ self });
    }

    /// Undefined contents of this tensor's shape, dtype and device.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn emptyLike(self: Tensor) Error!Tensor {
        return call(Tensor, "empty_like", .{ self });
    }

    /// What `rand` can be told.
    pub const RandOptions = struct {
        /// element type. Default: float32.
        dtype: ?DType = null,
        /// where it lives. Default: the default device.
        device: ?[:0]const u8 = null,
    };

    /// Uniform in [0, 1): every bit of the mantissa is random. The numbers depend on the seed and
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
    pub fn rand(shape_: []const i64, options: RandOptions) Error!Tensor {
        return call(Tensor, "rand", .{ shape_, options.dtype, options.device });
    }

    /// What `randn` can be told.
    pub const RandnOptions = struct {
        /// element type. Default: float32.
        dtype: ?DType = null,
        /// where it lives. Default: the default device.
        device: ?[:0]const u8 = null,
    };

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
    pub fn randn(shape_: []const i64, options: RandnOptions) Error!Tensor {
        return call(Tensor, "randn", .{ shape_, options.dtype, options.device });
    }

    /// What `randint` can be told.
    pub const RandintOptions = struct {
        /// smallest value. Default: 0.
        low: ?i64 = null,
        /// one past the largest value. Default: 10.
        high: ?i64 = null,
        /// element type. Default: int32.
        dtype: ?DType = null,
        /// where it lives. Default: the default device.
        device: ?[:0]const u8 = null,
    };

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
    /// Errors: ArgumentError unless low < high, at most 2^32 apart; DTypeError for a dtype that is
    /// no integer.
    pub fn randint(shape_: []const i64, options: RandintOptions) Error!Tensor {
        return call(Tensor, "randint", .{ shape_, options.low, options.high, options.dtype, options.device });
    }

    /// What `randperm` can be told.
    pub const RandpermOptions = struct {
        /// element type. Default: int32.
        dtype: ?DType = null,
        /// where it lives. Default: the default device.
        device: ?[:0]const u8 = null,
    };

    /// The numbers below n in random order, each order equally likely.
    ///
    /// Shape: [n]. Dtype: the asked one, else int32.
    ///
    /// n: how many (elements).
    ///
    /// dtype: element type. Default: int32.
    ///
    /// device: where it lives. Default: the default device.
    ///
    /// Errors: ArgumentError for a negative n, or one above 2^31; DTypeError for a dtype that is no
    /// integer, or too small for n.
    pub fn randperm(n_: i64, options: RandpermOptions) Error!Tensor {
        return call(Tensor, "randperm", .{ n_, options.dtype, options.device });
    }

    /// What `multinomial` can be told.
    pub const MultinomialOptions = struct {
        /// how many. Default: 1.
        num_samples: ?i64 = null,
        /// whether a place may be drawn again. Default: false.
        replacement: ?bool = null,
    };

    /// Places drawn with the weights that stand there, which need not add up to 1; of a matrix, for
    /// each row.
    ///
    /// Shape: [places] gives [num_samples], [rows, places] gives [rows, num_samples]. Dtype: int32.
    ///
    /// num_samples: how many. Default: 1.
    ///
    /// replacement: whether a place may be drawn again. Default: false.
    ///
    /// Errors: ShapeError for other than 1 or 2 axes; ArgumentError for fewer places than samples
    /// without replacement, no place, no sample, or an axis of variable size.
    pub fn multinomial(self: Tensor, options: MultinomialOptions) Error!Tensor {
        return call(Tensor, "multinomial", .{ self, options.num_samples, options.replacement });
    }

    /// Words of the Threefry stream of this key. Nothing but key and counter decides them.
    ///
    /// Shape: [num]. Dtype: uint32.
    ///
    /// counter: [2], uint32: which part of the stream.
    ///
    /// num: how many words.
    ///
    /// Errors: ArgumentError unless key and counter are uint32 of shape [2] and num lies between 0
    /// and 2^32.
    pub fn randomBits(self: Tensor, counter_: Tensor, num_: i64) Error!Tensor {
        return call(Tensor, "random_bits", .{ self, counter_, num_ });
    }

    /// What `uniform` can be told.
    pub const UniformOptions = struct {
        /// lower end, included. Default: 0.
        low: ?f64 = null,
        /// upper end, excluded. Default: 1.
        high: ?f64 = null,
        /// element type. Default: float32.
        dtype: ?DType = null,
        /// where it lives. Default: the default device.
        device: ?[:0]const u8 = null,
    };

    /// Uniform in [low, high); whole numbers of them for an integer dtype.
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
    /// Errors: ArgumentError unless low < high; DTypeError for bool; ShapeError for a negative
    /// size.
    pub fn uniform(shape_: []const i64, options: UniformOptions) Error!Tensor {
        return call(Tensor, "uniform", .{ shape_, options.low, options.high, options.dtype, options.device });
    }

    /// What `normal` can be told.
    pub const NormalOptions = struct {
        /// mean. Default: 0.
        mean: ?f64 = null,
        /// deviation. Default: 1.
        std: ?f64 = null,
        /// element type. Default: float32.
        dtype: ?DType = null,
        /// where it lives. Default: the default device.
        device: ?[:0]const u8 = null,
    };

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
    pub fn normal(shape_: []const i64, options: NormalOptions) Error!Tensor {
        return call(Tensor, "normal", .{ shape_, options.mean, options.std, options.dtype, options.device });
    }

    /// What `scaledUniform` can be told.
    pub const ScaledUniformOptions = struct {
        /// element type. Default: float32.
        dtype: ?DType = null,
        /// where it lives. Default: the default device.
        device: ?[:0]const u8 = null,
    };

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
    pub fn scaledUniform(shape_: []const i64, options: ScaledUniformOptions) Error!Tensor {
        return call(Tensor, "scaled_uniform", .{ shape_, options.dtype, options.device });
    }

    /// What `glorotUniform` can be told.
    pub const GlorotUniformOptions = struct {
        /// element type. Default: float32.
        dtype: ?DType = null,
        /// where it lives. Default: the default device.
        device: ?[:0]const u8 = null,
    };

    /// Uniform in +-sqrt(6 / (shape[0] + product of the rest)).
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
    pub fn glorotUniform(shape_: []const i64, options: GlorotUniformOptions) Error!Tensor {
        return call(Tensor, "glorot_uniform", .{ shape_, options.dtype, options.device });
    }

    /// What `kaimingUniform` can be told.
    pub const KaimingUniformOptions = struct {
        /// slope of the leaky relu that follows. Default: 0.01.
        a: ?f64 = null,
        /// element type. Default: float32.
        dtype: ?DType = null,
        /// where it lives. Default: the default device.
        device: ?[:0]const u8 = null,
    };

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
    pub fn kaimingUniform(shape_: []const i64, options: KaimingUniformOptions) Error!Tensor {
        return call(Tensor, "kaiming_uniform", .{ shape_, options.a, options.dtype, options.device });
    }

    /// What `kaimingNormal` can be told.
    pub const KaimingNormalOptions = struct {
        /// slope of the leaky relu that follows. Default: 0.01.
        a: ?f64 = null,
        /// element type. Default: float32.
        dtype: ?DType = null,
        /// where it lives. Default: the default device.
        device: ?[:0]const u8 = null,
    };

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
    pub fn kaimingNormal(shape_: []const i64, options: KaimingNormalOptions) Error!Tensor {
        return call(Tensor, "kaiming_normal", .{ shape_, options.a, options.dtype, options.device });
    }

    /// rand of this tensor's shape, dtype and device.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// Errors: DTypeError for a dtype that is no float.
    pub fn randLike(self: Tensor) Error!Tensor {
        return call(Tensor, "rand_like", .{ self });
    }

    /// randn of this tensor's shape, dtype and device.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// Errors: DTypeError for a dtype that is no float.
    pub fn randnLike(self: Tensor) Error!Tensor {
        return call(Tensor, "randn_like", .{ self });
    }

    /// What `dropout` can be told.
    pub const DropoutOptions = struct {
        /// share of zeroed elements. Default: 0.5.
        p: ?f64 = null,
    };

    /// While training, zeroes elements at random and scales the others up so that the mean stays;
    /// else the tensor itself.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// p: share of zeroed elements (probability). Default: 0.5.
    ///
    /// Errors: ArgumentError for a probability outside [0, 1].
    pub fn dropout(self: Tensor, options: DropoutOptions) Error!Tensor {
        return call(Tensor, "dropout", .{ self, options.p });
    }

    /// Sizes of the axes; where one is an expression of variables, the largest that it can be.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    pub fn shape(self: Tensor) Error!tg.Value {
        return call(tg.Value, "shape", .{ self });
    }

    /// Sizes of the axes, with their variables.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    pub fn sizes(self: Tensor) Error!tg.Value {
        return call(tg.Value, "sizes", .{ self });
    }

    /// Size of one axis.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// axis: which.
    ///
    /// Errors: IndexError for an axis outside the shape.
    pub fn size(self: Tensor, axis_: i64) Error!i64 {
        return call(i64, "size", .{ self, axis_ });
    }

    /// Element type.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    pub fn dtype(self: Tensor) Error!DType {
        return call(DType, "dtype", .{ self });
    }

    /// Name of the device; empty for constants, which live nowhere.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    pub fn device(self: Tensor) Error!tg.Value {
        return call(tg.Value, "device", .{ self });
    }

    /// Number of axes.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    pub fn ndim(self: Tensor) Error!i64 {
        return call(i64, "ndim", .{ self });
    }

    /// Number of elements.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    pub fn numel(self: Tensor) Error!i64 {
        return call(i64, "numel", .{ self });
    }

    /// Number of elements, with the values that variable sizes have now.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    pub fn existingElements(self: Tensor) Error!i64 {
        return call(i64, "existing_elements", .{ self });
    }

    /// Size of one element, bytes.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    pub fn elementSize(self: Tensor) Error!i64 {
        return call(i64, "element_size", .{ self });
    }

    /// Size of all elements, bytes.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    pub fn nbytes(self: Tensor) Error!i64 {
        return call(i64, "nbytes", .{ self });
    }

    /// Whether the dtype is a float.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    pub fn isFloatingPoint(self: Tensor) Error!bool {
        return call(bool, "is_floating_point", .{ self });
    }

    /// The same elements, row-major, under other sizes.
    ///
    /// Shape: the given sizes. Dtype: that of this tensor.
    ///
    /// sizes: new sizes; one may be -1, which is inferred (elements).
    ///
    /// Errors: ShapeError if the number of elements differs or -1 cannot be inferred, or if a
    /// variable size would be merged with an axis before it.
    pub fn reshape(self: Tensor, sizes_: []const Size) Error!Tensor {
        return call(Tensor, "reshape", .{ self, sizes_ });
    }

    /// Another name of reshape.
    ///
    /// Shape: the given sizes. Dtype: that of this tensor.
    ///
    /// sizes: as of reshape (elements).
    ///
    /// Errors: as reshape.
    pub fn view(self: Tensor, sizes_: []const Size) Error!Tensor {
        return call(Tensor, "view", .{ self, sizes_ });
    }

    /// Stretches axes of size 1 without copying; new axes stand in front.
    ///
    /// Shape: the given sizes. Dtype: that of this tensor.
    ///
    /// sizes: new sizes; -1 keeps one (elements).
    ///
    /// Errors: ShapeError if an axis of another size than 1 would change.
    pub fn expand(self: Tensor, sizes_: []const Size) Error!Tensor {
        return call(Tensor, "expand", .{ self, sizes_ });
    }

    /// Axes in another order.
    ///
    /// Shape: sizes reordered. Dtype: that of this tensor.
    ///
    /// order: for each new axis, the old one.
    ///
    /// Errors: ArgumentError unless each axis is named once; IndexError for an axis outside the
    /// shape.
    pub fn permute(self: Tensor, order_: []const i64) Error!Tensor {
        return call(Tensor, "permute", .{ self, order_ });
    }

    /// What `transpose` can be told.
    pub const TransposeOptions = struct {
        /// one axis. Default: 1.
        axis0: ?i64 = null,
        /// the other. Default: 0.
        axis1: ?i64 = null,
    };

    /// Swaps two axes.
    ///
    /// Shape: two sizes swapped. Dtype: that of this tensor.
    ///
    /// axis0: one axis. Default: 1.
    ///
    /// axis1: the other. Default: 0.
    ///
    /// Errors: IndexError for an axis outside the shape.
    pub fn transpose(self: Tensor, options: TransposeOptions) Error!Tensor {
        return call(Tensor, "transpose", .{ self, options.axis0, options.axis1 });
    }

    /// transpose() of the first two axes.
    ///
    /// Shape: two sizes swapped. Dtype: that of this tensor.
    ///
    /// Errors: IndexError for an axis outside the shape.
    pub fn T(self: Tensor) Error!Tensor {
        return call(Tensor, "T", .{ self });
    }

    /// Reverses axes.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// axes: which; none named: all.
    ///
    /// Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
    pub fn flip(self: Tensor, axes_: []const i64) Error!Tensor {
        return call(Tensor, "flip", .{ self, axes_ });
    }

    /// A window.
    ///
    /// Shape: end - begin on every axis. Dtype: that of this tensor.
    ///
    /// ranges: [begin, end) of every axis (elements).
    ///
    /// Errors: IndexError for a range outside its axis; ArgumentError unless there is one an axis.
    pub fn shrink(self: Tensor, ranges_: []const i64) Error!Tensor {
        return call(Tensor, "shrink", .{ self, ranges_ });
    }

    /// What `pad` can be told.
    pub const PadOptions = struct {
        /// a number, or a tensor of one element. Default: 0.
        value: ?Operand = null,
        /// instead of a value: Reflect mirrors without the edge, Replicate repeats the edge,
        /// Circular goes on from the other end. Default: none.
        mode: ?PadMode = null,
    };

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
    pub fn pad(self: Tensor, padding_: []const i64, options: PadOptions) Error!Tensor {
        return call(Tensor, "pad", .{ self, padding_, options.value, options.mode });
    }

    /// What `squeeze` can be told.
    pub const SqueezeOptions = struct {
        /// which. Default: all.
        axis: ?i64 = null,
    };

    /// Drops axes of size 1: all, or the named one if its size is 1.
    ///
    /// Shape: without the dropped axes. Dtype: that of this tensor.
    ///
    /// axis: which. Default: all.
    ///
    /// Errors: IndexError for an axis outside the shape.
    pub fn squeeze(self: Tensor, options: SqueezeOptions) Error!Tensor {
        return call(Tensor, "squeeze", .{ self, options.axis });
    }

    /// A new axis of size 1.
    ///
    /// Shape: one axis more. Dtype: that of this tensor.
    ///
    /// axis: where it stands afterwards; -1: last.
    ///
    /// Errors: IndexError for an axis outside the shape.
    pub fn unsqueeze(self: Tensor, axis_: i64) Error!Tensor {
        return call(Tensor, "unsqueeze", .{ self, axis_ });
    }

    /// What `flatten` can be told.
    pub const FlattenOptions = struct {
        /// first axis. Default: 0.
        first: ?i64 = null,
        /// last axis. Default: -1.
        last: ?i64 = null,
    };

    /// Merges neighbouring axes.
    ///
    /// Shape: the product of the sizes on one axis. Dtype: that of this tensor.
    ///
    /// first: first axis. Default: 0.
    ///
    /// last: last axis. Default: -1.
    ///
    /// Errors: IndexError for an axis outside the shape; ArgumentError if first stands after last.
    pub fn flatten(self: Tensor, options: FlattenOptions) Error!Tensor {
        return call(Tensor, "flatten", .{ self, options.first, options.last });
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
    pub fn unflatten(self: Tensor, axis_: i64, sizes_: []const i64) Error!Tensor {
        return call(Tensor, "unflatten", .{ self, axis_, sizes_ });
    }

    /// Tiles: the whole tensor again and again along each axis; more counts than axes add axes in
    /// front.
    ///
    /// Shape: sizes times counts. Dtype: that of this tensor.
    ///
    /// repeats: how often, for each axis.
    ///
    /// Errors: ArgumentError for fewer counts than axes or a negative one.
    pub fn repeat(self: Tensor, repeats_: []const i64) Error!Tensor {
        return call(Tensor, "repeat", .{ self, repeats_ });
    }

    /// What `roll` can be told.
    pub const RollOptions = struct {
        /// which axis; negative: from the end. Default: 0.
        axis: ?i64 = null,
    };

    /// Shifts circularly along an axis.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// shift: how far towards the end; negative: back (elements).
    ///
    /// axis: which axis; negative: from the end. Default: 0.
    ///
    /// Errors: IndexError for an axis outside the shape.
    pub fn roll(self: Tensor, shift_: i64, options: RollOptions) Error!Tensor {
        return call(Tensor, "roll", .{ self, shift_, options.axis });
    }

    /// What `tril` can be told.
    pub const TrilOptions = struct {
        /// last diagonal kept; positive: above the main one. Default: 0.
        diagonal: ?i64 = null,
    };

    /// Keeps the lower triangle of the last two axes, 0 above.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// diagonal: last diagonal kept; positive: above the main one. Default: 0.
    ///
    /// Errors: ShapeError for fewer than 2 axes.
    pub fn tril(self: Tensor, options: TrilOptions) Error!Tensor {
        return call(Tensor, "tril", .{ self, options.diagonal });
    }

    /// What `triu` can be told.
    pub const TriuOptions = struct {
        /// first diagonal kept; positive: above the main one. Default: 0.
        diagonal: ?i64 = null,
    };

    /// Keeps the upper triangle of the last two axes, 0 below.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// diagonal: first diagonal kept; positive: above the main one. Default: 0.
    ///
    /// Errors: ShapeError for fewer than 2 axes.
    pub fn triu(self: Tensor, options: TriuOptions) Error!Tensor {
        return call(Tensor, "triu", .{ self, options.diagonal });
    }

    /// Main diagonal of a square matrix.
    ///
    /// Shape: [n, n] gives [n]. Dtype: that of this tensor.
    ///
    /// Errors: ShapeError for anything but a square matrix.
    pub fn diagonal(self: Tensor) Error!Tensor {
        return call(Tensor, "diagonal", .{ self });
    }

    /// What `cat` can be told.
    pub const CatOptions = struct {
        /// which axis; negative: from the end. Default: 0.
        axis: ?i64 = null,
    };

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
    pub fn cat(tensors_: []const Tensor, options: CatOptions) Error!Tensor {
        return call(Tensor, "cat", .{ tensors_, options.axis });
    }

    /// What `stack` can be told.
    pub const StackOptions = struct {
        /// which axis; negative: from the end. Default: 0.
        axis: ?i64 = null,
    };

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
    pub fn stack(tensors_: []const Tensor, options: StackOptions) Error!Tensor {
        return call(Tensor, "stack", .{ tensors_, options.axis });
    }

    /// What `split` can be told.
    pub const SplitOptions = struct {
        /// of each piece. Default: none.
        size: ?i64 = null,
        /// of all pieces; they add up to the axis. Default: none.
        sizes: ?[]const i64 = null,
        /// which axis; negative: from the end. Default: 0.
        axis: ?i64 = null,
    };

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
    pub fn split(self: Tensor, options: SplitOptions) Error!tg.Value {
        return call(tg.Value, "split", .{ self, options.size, options.sizes, options.axis });
    }

    /// What `chunk` can be told.
    pub const ChunkOptions = struct {
        /// which axis; negative: from the end. Default: 0.
        axis: ?i64 = null,
    };

    /// At most so many pieces of equal size along an axis; the last may be smaller.
    ///
    /// Shape: as this tensor, but for the axis. Dtype: that of this tensor.
    ///
    /// chunks: largest number of pieces.
    ///
    /// axis: which axis; negative: from the end. Default: 0.
    ///
    /// Errors: ArgumentError for a number below 1.
    pub fn chunk(self: Tensor, chunks_: i64, options: ChunkOptions) Error!tg.Value {
        return call(tg.Value, "chunk", .{ self, chunks_, options.axis });
    }

    /// What `padTo` can be told.
    pub const PadToOptions = struct {
        /// a number. Default: 0.
        value: ?Operand = null,
    };

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
    pub fn padTo(self: Tensor, sizes_: []const i64, options: PadToOptions) Error!Tensor {
        return call(Tensor, "pad_to", .{ self, sizes_, options.value });
    }

    /// The beginning of each axis.
    ///
    /// Shape: the given sizes. Dtype: that of this tensor.
    ///
    /// sizes: how many elements; -1 keeps all (elements).
    ///
    /// Errors: IndexError for more elements than there are; ArgumentError unless there is one size
    /// an axis.
    pub fn shrinkTo(self: Tensor, sizes_: []const Size) Error!Tensor {
        return call(Tensor, "shrink_to", .{ self, sizes_ });
    }

    /// What `repeatInterleave` can be told.
    pub const RepeatInterleaveOptions = struct {
        /// along which; negative: from the end. Default: that of the flattened tensor.
        axis: ?i64 = null,
    };

    /// Each element several times, one after the other.
    ///
    /// Shape: the axis, or the number of elements, times the count. Dtype: that of this tensor.
    ///
    /// repeats: how often.
    ///
    /// axis: along which; negative: from the end. Default: that of the flattened tensor.
    ///
    /// Errors: IndexError for an axis outside the shape; ArgumentError for a negative count.
    pub fn repeatInterleave(self: Tensor, repeats_: i64, options: RepeatInterleaveOptions) Error!Tensor {
        return call(Tensor, "repeat_interleave", .{ self, repeats_, options.axis });
    }

    /// A vector on the diagonal of a matrix, 0 elsewhere.
    ///
    /// Shape: [n] gives [n, n]. Dtype: that of this tensor.
    ///
    /// Errors: ShapeError for anything but a vector; ArgumentError if its size is variable.
    pub fn diag(self: Tensor) Error!Tensor {
        return call(Tensor, "diag", .{ self });
    }

    /// Windows of an axis: it counts them, and a new last axis goes through each.
    ///
    /// Shape: [..., n, ...] gives [..., (n - size) / step + 1, ..., size]. Dtype: that of this
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
    pub fn unfold(self: Tensor, axis_: i64, size_: i64, step_: i64) Error!Tensor {
        return call(Tensor, "unfold", .{ self, axis_, size_, step_ });
    }

    /// Axes split, reordered and merged, as einops says it.
    ///
    /// Shape: the axes that stand after "->". Dtype: that of this tensor.
    ///
    /// formula: names of axes before and after "->", parentheses for several in one, 1 for an axis
    /// of size 1, "..." for any number; behind a comma the sizes that do not follow from the shape:
    /// "b (h w) c -> b c h w, h=4".
    ///
    /// Errors: ArgumentError for a formula that does not fit the shape.
    pub fn rearrange(self: Tensor, formula_: [:0]const u8) Error!Tensor {
        return call(Tensor, "rearrange", .{ self, formula_ });
    }

    /// What `meshgrid` can be told.
    pub const MeshgridOptions = struct {
        /// the order of the grid's axes: Ij that of the tensors, Xy with the first two swapped.
        /// Default: Ij.
        indexing: ?GridIndexing = null,
    };

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
    pub fn meshgrid(tensors_: []const Tensor, options: MeshgridOptions) Error!tg.Value {
        return call(tg.Value, "meshgrid", .{ tensors_, options.indexing });
    }

    /// What `interpolate` can be told.
    pub const InterpolateOptions = struct {
        /// Linear weighs the two neighbours on each axis, Nearest takes the element before the
        /// place, NearestExact the one that the place lies in. Default: Linear.
        mode: ?InterpolateMode = null,
        /// Linear: first and last elements stay at the ends, instead of all elements having one
        /// width. Default: false.
        align_corners: ?bool = null,
    };

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
    pub fn interpolate(self: Tensor, size_: []const i64, options: InterpolateOptions) Error!Tensor {
        return call(Tensor, "interpolate", .{ self, size_, options.mode, options.align_corners });
    }

    /// What `gridSample` can be told.
    pub const GridSampleOptions = struct {
        /// Linear weighs the neighbours along each axis, Nearest takes the nearest element (halves:
        /// the one with the even number). Default: Linear.
        mode: ?GridSampleMode = null,
        /// what lies outside: Zeros, Border (the edge), Reflection (the elements mirrored at the
        /// edge). Default: Zeros.
        padding: ?GridSamplePadding = null,
        /// -1 and 1 are the middles of the end elements, not their edges. Default: false.
        align_corners: ?bool = null,
    };

    /// What lies at the places of a grid, each spatial axis of this going from -1 to 1; the grid
    /// lists them from the last one on. Places that are NaN read 0.
    ///
    /// Shape: [batch, channels, spatial...] gives [batch, channels, out...]. Dtype: that of this
    /// tensor (float32 for integers and bool) and the grid, promoted.
    ///
    /// grid: [batch, out..., axes], a float.
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
    pub fn gridSample(self: Tensor, grid_: Tensor, options: GridSampleOptions) Error!Tensor {
        return call(Tensor, "grid_sample", .{ self, grid_, options.mode, options.padding, options.align_corners });
    }

    /// What `affineGrid` can be told.
    pub const AffineGridOptions = struct {
        /// as of grid_sample. Default: false.
        align_corners: ?bool = null,
    };

    /// The grid that affine maps make of the places of spatial sizes, each axis going from -1 to 1:
    /// what grid_sample takes.
    ///
    /// Shape: [batch, axes, axes + 1] gives [batch, size..., axes]. Dtype: floats stay, integers
    /// and bool become float32.
    ///
    /// size: of the spatial axes (elements).
    ///
    /// align_corners: as of grid_sample. Default: false.
    ///
    /// Errors: ShapeError if maps and sizes do not fit, or for sizes below 1; ArgumentError for an
    /// axis of variable size.
    pub fn affineGrid(self: Tensor, size_: []const i64, options: AffineGridOptions) Error!Tensor {
        return call(Tensor, "affine_grid", .{ self, size_, options.align_corners });
    }

    /// One item an axis, as in PyTorch: integers drop it, Slice keeps a part, NewAxis adds one,
    /// Ellipsis stands for the rest, integer tensors pick. Also written x[{...}]. Elements of index
    /// tensors count from the end if negative; outside the axis they read 0. A mask, a tensor of
    /// bool, stands for as many axes as it has and picks where it is true, as the columns of its
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
    pub fn index(self: Tensor, items_: []const Index) Error!Tensor {
        return call(Tensor, "index", .{ self, items_ });
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
    pub fn set(self: Tensor, items_: []const Index, value_: Tensor) Error!Tensor {
        return call(Tensor, "set", .{ self, items_, value_ });
    }

    /// out[i...] = this[..., index[i...] at the axis, ...].
    ///
    /// Shape: that of the index. Dtype: that of this tensor.
    ///
    /// axis: which.
    ///
    /// index: integers, as many axes as this.
    ///
    /// Errors: ShapeError if the index has other axes or is longer elsewhere; DTypeError unless it
    /// holds integers.
    pub fn gather(self: Tensor, axis_: i64, index_: Tensor) Error!Tensor {
        return call(Tensor, "gather", .{ self, axis_, index_ });
    }

    /// A copy with src[p] put at index[p] along the axis for each p; of equal places the last wins,
    /// places outside are dropped.
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
    pub fn scatter(self: Tensor, axis_: i64, index_: Tensor, src_: Operand) Error!Tensor {
        return call(Tensor, "scatter", .{ self, axis_, index_, src_ });
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
    pub fn scatterAdd(self: Tensor, axis_: i64, index_: Tensor, src_: Operand) Error!Tensor {
        return call(Tensor, "scatter_add", .{ self, axis_, index_, src_ });
    }

    /// What `scatterReduce` can be told.
    pub const ScatterReduceOptions = struct {
        /// whether what is there takes part. Default: true.
        include_self: ?bool = null,
    };

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
    pub fn scatterReduce(self: Tensor, axis_: i64, index_: Tensor, src_: Operand, reduction_: ScatterReduction, options: ScatterReduceOptions) Error!Tensor {
        return call(Tensor, "scatter_reduce", .{ self, axis_, index_, src_, reduction_, options.include_self });
    }

    /// 1 where the label stands along a new last axis, else 0.
    ///
    /// Shape: [..., classes]. Dtype: int32.
    ///
    /// classes: length of the new axis (elements).
    ///
    /// Errors: DTypeError unless the labels are integers; ArgumentError for a negative number.
    pub fn oneHot(self: Tensor, classes_: i64) Error!Tensor {
        return call(Tensor, "one_hot", .{ self, classes_ });
    }

    /// What `maskedSelect` can be told.
    pub const MaskedSelectOptions = struct {
        /// length of the result; left out, the mask is computed now. Default: as many as the mask
        /// selects.
        size: ?i64 = null,
        /// of places left over. Default: 0.
        fill_value: ?f64 = null,
    };

    /// The elements where the mask is true, in row-major order.
    ///
    /// Shape: [size]. Dtype: that of this tensor.
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
    pub fn maskedSelect(self: Tensor, mask_: Tensor, options: MaskedSelectOptions) Error!Tensor {
        return call(Tensor, "masked_select", .{ self, mask_, options.size, options.fill_value });
    }

    /// What `nonzero` can be told.
    pub const NonzeroOptions = struct {
        /// number of rows; left out, this tensor is computed now. Default: as many as are not 0.
        size: ?i64 = null,
        /// of rows left over. Default: 0.
        fill_value: ?f64 = null,
    };

    /// The places of the elements that are not 0, in row-major order, a row each.
    ///
    /// Shape: [size, axes]. Dtype: int32.
    ///
    /// size: number of rows; left out, this tensor is computed now. Default: as many as are not 0.
    ///
    /// fill_value: of rows left over. Default: 0.
    ///
    /// Errors: ArgumentError for a negative size.
    pub fn nonzero(self: Tensor, options: NonzeroOptions) Error!Tensor {
        return call(Tensor, "nonzero", .{ self, options.size, options.fill_value });
    }

    /// What `sort` can be told.
    pub const SortOptions = struct {
        /// axis to go along. Default: -1.
        axis: ?i64 = null,
        /// from the largest on. Default: false.
        descending: ?bool = null,
    };

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
    pub fn sort(self: Tensor, options: SortOptions) Error!tg.Value {
        return call(tg.Value, "sort", .{ self, options.axis, options.descending });
    }

    /// What `argsort` can be told.
    pub const ArgsortOptions = struct {
        /// axis to go along. Default: -1.
        axis: ?i64 = null,
        /// from the largest on. Default: false.
        descending: ?bool = null,
    };

    /// The places of the elements in order along an axis, those of sort.
    ///
    /// Shape: the result has this tensor's shape. Dtype: int32.
    ///
    /// axis: axis to go along. Default: -1.
    ///
    /// descending: from the largest on. Default: false.
    ///
    /// Errors: IndexError for an axis outside the shape.
    pub fn argsort(self: Tensor, options: ArgsortOptions) Error!Tensor {
        return call(Tensor, "argsort", .{ self, options.axis, options.descending });
    }

    /// What `topk` can be told.
    pub const TopkOptions = struct {
        /// axis to go along. Default: -1.
        axis: ?i64 = null,
        /// from the largest on, else from the smallest. Default: true.
        largest: ?bool = null,
    };

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
    pub fn topk(self: Tensor, k_: i64, options: TopkOptions) Error!tg.Value {
        return call(tg.Value, "topk", .{ self, k_, options.axis, options.largest });
    }

    /// What `unique` can be told.
    pub const UniqueOptions = struct {
        /// length of the result; left out, the tensor is sorted now. Default: as many as differ.
        size: ?i64 = null,
        /// of places left over. Default: 0.
        fill_value: ?f64 = null,
    };

    /// The elements that differ, in order; of equal ones the first. Each NaN differs.
    ///
    /// Shape: [size]. Dtype: that of this tensor.
    ///
    /// size: length of the result; left out, the tensor is sorted now (elements). Default: as many
    /// as differ.
    ///
    /// fill_value: of places left over. Default: 0.
    ///
    /// Errors: ArgumentError for a negative size.
    pub fn unique(self: Tensor, options: UniqueOptions) Error!Tensor {
        return call(Tensor, "unique", .{ self, options.size, options.fill_value });
    }

    /// Sum. Integers wrap; bool: or.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn add(self: Tensor, other_: Operand) Error!Tensor {
        return call(Tensor, "add", .{ self, other_ });
    }

    /// Difference. Integers wrap.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn sub(self: Tensor, other_: Operand) Error!Tensor {
        return call(Tensor, "sub", .{ self, other_ });
    }

    /// Product. Integers wrap; bool: and.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn mul(self: Tensor, other_: Operand) Error!Tensor {
        return call(Tensor, "mul", .{ self, other_ });
    }

    /// What `div` can be told.
    pub const DivOptions = struct {
        /// None, Trunc (towards 0) or Floor (down). Default: None.
        rounding: ?Rounding = null,
    };

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
    pub fn div(self: Tensor, other_: Operand, options: DivOptions) Error!Tensor {
        return call(Tensor, "div", .{ self, other_, options.rounding });
    }

    /// Quotient rounded down; 0 for a whole division by 0.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn floordiv(self: Tensor, other_: Operand) Error!Tensor {
        return call(Tensor, "floordiv", .{ self, other_ });
    }

    /// Remainder with the divisor's sign; 0 for a whole division by 0.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn mod(self: Tensor, other_: Operand) Error!Tensor {
        return call(Tensor, "mod", .{ self, other_ });
    }

    /// Remainder with the sign of this tensor; 0 for a whole division by 0.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn fmod(self: Tensor, other_: Operand) Error!Tensor {
        return call(Tensor, "fmod", .{ self, other_ });
    }

    /// The larger; NaN if either is NaN.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn maximum(self: Tensor, other_: Operand) Error!Tensor {
        return call(Tensor, "maximum", .{ self, other_ });
    }

    /// The smaller; NaN if either is NaN.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn minimum(self: Tensor, other_: Operand) Error!Tensor {
        return call(Tensor, "minimum", .{ self, other_ });
    }

    /// And of bits.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: DTypeError for floats; ShapeError if the shapes cannot be broadcast.
    pub fn bitwiseAnd(self: Tensor, other_: Operand) Error!Tensor {
        return call(Tensor, "bitwise_and", .{ self, other_ });
    }

    /// Or of bits.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: DTypeError for floats; ShapeError if the shapes cannot be broadcast.
    pub fn bitwiseOr(self: Tensor, other_: Operand) Error!Tensor {
        return call(Tensor, "bitwise_or", .{ self, other_ });
    }

    /// Exclusive or of bits.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: DTypeError for floats; ShapeError if the shapes cannot be broadcast.
    pub fn bitwiseXor(self: Tensor, other_: Operand) Error!Tensor {
        return call(Tensor, "bitwise_xor", .{ self, other_ });
    }

    /// Equal; false for NaN.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: bool.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn eq(self: Tensor, other_: Operand) Error!Tensor {
        return call(Tensor, "eq", .{ self, other_ });
    }

    /// Not equal; true for NaN.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: bool.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn ne(self: Tensor, other_: Operand) Error!Tensor {
        return call(Tensor, "ne", .{ self, other_ });
    }

    /// Less; false for NaN.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: bool.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn lt(self: Tensor, other_: Operand) Error!Tensor {
        return call(Tensor, "lt", .{ self, other_ });
    }

    /// Less or equal; false for NaN.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: bool.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn le(self: Tensor, other_: Operand) Error!Tensor {
        return call(Tensor, "le", .{ self, other_ });
    }

    /// Greater; false for NaN.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: bool.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn gt(self: Tensor, other_: Operand) Error!Tensor {
        return call(Tensor, "gt", .{ self, other_ });
    }

    /// Greater or equal; false for NaN.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: bool.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn ge(self: Tensor, other_: Operand) Error!Tensor {
        return call(Tensor, "ge", .{ self, other_ });
    }

    /// Both are not 0.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: bool.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn logicalAnd(self: Tensor, other_: Operand) Error!Tensor {
        return call(Tensor, "logical_and", .{ self, other_ });
    }

    /// One is not 0.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: bool.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn logicalOr(self: Tensor, other_: Operand) Error!Tensor {
        return call(Tensor, "logical_or", .{ self, other_ });
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
    pub fn pow(self: Tensor, exponent_: Operand) Error!Tensor {
        return call(Tensor, "pow", .{ self, exponent_ });
    }

    /// Limited to [low, high].
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// low: lower bound, or a number.
    ///
    /// high: upper bound, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn clip(self: Tensor, low_: Operand, high_: Operand) Error!Tensor {
        return call(Tensor, "clip", .{ self, low_, high_ });
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
    pub fn clamp(self: Tensor, low_: Operand, high_: Operand) Error!Tensor {
        return call(Tensor, "clamp", .{ self, low_, high_ });
    }

    /// Not below a bound; NaN stays.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// low: lower bound, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn clampMin(self: Tensor, low_: Operand) Error!Tensor {
        return call(Tensor, "clamp_min", .{ self, low_ });
    }

    /// Not above a bound; NaN stays.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// high: upper bound, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn clampMax(self: Tensor, high_: Operand) Error!Tensor {
        return call(Tensor, "clamp_max", .{ self, high_ });
    }

    /// Complement of bits; bool: not.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// Errors: DTypeError for floats.
    pub fn bitwiseNot(self: Tensor) Error!Tensor {
        return call(Tensor, "bitwise_not", .{ self });
    }

    /// Bits moved up; counts of 64 and more give 0.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: that of this tensor.
    ///
    /// count: how far (bits).
    ///
    /// Errors: DTypeError for floats; ShapeError if the shapes cannot be broadcast.
    pub fn lshift(self: Tensor, count_: Tensor) Error!Tensor {
        return call(Tensor, "lshift", .{ self, count_ });
    }

    /// Bits moved down; the sign stays.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: that of this tensor.
    ///
    /// count: how far (bits).
    ///
    /// Errors: DTypeError for floats; ShapeError if the shapes cannot be broadcast.
    pub fn rshift(self: Tensor, count_: Tensor) Error!Tensor {
        return call(Tensor, "rshift", .{ self, count_ });
    }

    /// Is 0.
    ///
    /// Shape: the result has this tensor's shape. Dtype: bool.
    pub fn logicalNot(self: Tensor) Error!Tensor {
        return call(Tensor, "logical_not", .{ self });
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
    pub fn where(self: Tensor, a_: Operand, b_: Operand) Error!Tensor {
        return call(Tensor, "where", .{ self, a_, b_ });
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
    pub fn maskedFill(self: Tensor, mask_: Tensor, value_: Operand) Error!Tensor {
        return call(Tensor, "masked_fill", .{ self, mask_, value_ });
    }

    /// The size of this with the sign of the other, of -0 and NaN too.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype; integers and bool become
    /// float32.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn copysign(self: Tensor, other_: Operand) Error!Tensor {
        return call(Tensor, "copysign", .{ self, other_ });
    }

    /// Logarithm of exp(x) + exp(y), without overflow.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype; integers and bool become
    /// float32.
    ///
    /// other: the right operand, or a number.
    ///
    /// Errors: ShapeError if the shapes cannot be broadcast.
    pub fn logaddexp(self: Tensor, other_: Operand) Error!Tensor {
        return call(Tensor, "logaddexp", .{ self, other_ });
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
    pub fn lerp(self: Tensor, end_: Operand, weight_: Operand) Error!Tensor {
        return call(Tensor, "lerp", .{ self, end_, weight_ });
    }

    /// Sum of one or more tensors.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// tensors: one or more, or numbers.
    ///
    /// Errors: ArgumentError for none; ShapeError if the shapes cannot be broadcast.
    pub fn usum(tensors_: []const Tensor) Error!Tensor {
        return call(Tensor, "usum", .{ tensors_ });
    }

    /// Product of one or more tensors.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// tensors: one or more, or numbers.
    ///
    /// Errors: ArgumentError for none; ShapeError if the shapes cannot be broadcast.
    pub fn uprod(tensors_: []const Tensor) Error!Tensor {
        return call(Tensor, "uprod", .{ tensors_ });
    }

    /// What `isclose` can be told.
    pub const IscloseOptions = struct {
        /// tolerance relative to the other tensor. Default: 1e-5.
        rtol: ?f64 = null,
        /// absolute tolerance. Default: 1e-8.
        atol: ?f64 = null,
        /// NaN is close to NaN. Default: false.
        equal_nan: ?bool = null,
    };

    /// |x - y| <= atol + rtol |y|, or both the same infinity.
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
    pub fn isclose(self: Tensor, other_: Operand, options: IscloseOptions) Error!Tensor {
        return call(Tensor, "isclose", .{ self, other_, options.rtol, options.atol, options.equal_nan });
    }

    /// What `allclose` can be told.
    pub const AllcloseOptions = struct {
        /// tolerance relative to the other tensor. Default: 1e-5.
        rtol: ?f64 = null,
        /// absolute tolerance. Default: 1e-8.
        atol: ?f64 = null,
        /// NaN is close to NaN. Default: false.
        equal_nan: ?bool = null,
    };

    /// All elements are close.
    ///
    /// Shape: []. Dtype: bool.
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
    pub fn allclose(self: Tensor, other_: Operand, options: AllcloseOptions) Error!Tensor {
        return call(Tensor, "allclose", .{ self, other_, options.rtol, options.atol, options.equal_nan });
    }

    /// Threefry-2x32 with 20 rounds: the two words of each number, encrypted under the two words of
    /// the seed. What rand() is made of.
    ///
    /// Shape: the operands' shapes, broadcast. Dtype: uint64.
    ///
    /// seed: the key: uint64, or a number.
    ///
    /// Errors: DTypeError unless both are uint64; ShapeError if the shapes cannot be broadcast.
    pub fn threefry(self: Tensor, seed_: Operand) Error!Tensor {
        return call(Tensor, "threefry", .{ self, seed_ });
    }

    /// Negation; bool: not.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn neg(self: Tensor) Error!Tensor {
        return call(Tensor, "neg", .{ self });
    }

    /// Size without sign.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn abs(self: Tensor) Error!Tensor {
        return call(Tensor, "abs", .{ self });
    }

    /// -1, 0 or 1; NaN stays.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn sign(self: Tensor) Error!Tensor {
        return call(Tensor, "sign", .{ self });
    }

    /// x * x.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn square(self: Tensor) Error!Tensor {
        return call(Tensor, "square", .{ self });
    }

    /// Square root; NaN below 0.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn sqrt(self: Tensor) Error!Tensor {
        return call(Tensor, "sqrt", .{ self });
    }

    /// 1 / square root.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn rsqrt(self: Tensor) Error!Tensor {
        return call(Tensor, "rsqrt", .{ self });
    }

    /// 1 / x.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn reciprocal(self: Tensor) Error!Tensor {
        return call(Tensor, "reciprocal", .{ self });
    }

    /// e to the power x.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn exp(self: Tensor) Error!Tensor {
        return call(Tensor, "exp", .{ self });
    }

    /// 2 to the power x.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn exp2(self: Tensor) Error!Tensor {
        return call(Tensor, "exp2", .{ self });
    }

    /// Natural logarithm; -inf at 0, NaN below.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn log(self: Tensor) Error!Tensor {
        return call(Tensor, "log", .{ self });
    }

    /// Logarithm to base 2; -inf at 0, NaN below.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn log2(self: Tensor) Error!Tensor {
        return call(Tensor, "log2", .{ self });
    }

    /// Logarithm to base 10; -inf at 0, NaN below.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn log10(self: Tensor) Error!Tensor {
        return call(Tensor, "log10", .{ self });
    }

    /// Sine of radians.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn sin(self: Tensor) Error!Tensor {
        return call(Tensor, "sin", .{ self });
    }

    /// Cosine of radians.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn cos(self: Tensor) Error!Tensor {
        return call(Tensor, "cos", .{ self });
    }

    /// Tangent of radians.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn tan(self: Tensor) Error!Tensor {
        return call(Tensor, "tan", .{ self });
    }

    /// Inverse sine, in [-pi/2, pi/2]; NaN outside [-1, 1].
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn asin(self: Tensor) Error!Tensor {
        return call(Tensor, "asin", .{ self });
    }

    /// Inverse cosine, in [0, pi]; NaN outside [-1, 1].
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn acos(self: Tensor) Error!Tensor {
        return call(Tensor, "acos", .{ self });
    }

    /// Inverse tangent, in [-pi/2, pi/2].
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn atan(self: Tensor) Error!Tensor {
        return call(Tensor, "atan", .{ self });
    }

    /// Hyperbolic sine.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn sinh(self: Tensor) Error!Tensor {
        return call(Tensor, "sinh", .{ self });
    }

    /// Hyperbolic cosine.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn cosh(self: Tensor) Error!Tensor {
        return call(Tensor, "cosh", .{ self });
    }

    /// Inverse hyperbolic sine.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn asinh(self: Tensor) Error!Tensor {
        return call(Tensor, "asinh", .{ self });
    }

    /// Inverse hyperbolic cosine; NaN below 1.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn acosh(self: Tensor) Error!Tensor {
        return call(Tensor, "acosh", .{ self });
    }

    /// Inverse hyperbolic tangent; NaN outside [-1, 1].
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn atanh(self: Tensor) Error!Tensor {
        return call(Tensor, "atanh", .{ self });
    }

    /// Error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn erf(self: Tensor) Error!Tensor {
        return call(Tensor, "erf", .{ self });
    }

    /// Rounded towards 0.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn trunc(self: Tensor) Error!Tensor {
        return call(Tensor, "trunc", .{ self });
    }

    /// Rounded down.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn floor(self: Tensor) Error!Tensor {
        return call(Tensor, "floor", .{ self });
    }

    /// Rounded up.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn ceil(self: Tensor) Error!Tensor {
        return call(Tensor, "ceil", .{ self });
    }

    /// Rounded to the nearest whole number, halves to the even one.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn round(self: Tensor) Error!Tensor {
        return call(Tensor, "round", .{ self });
    }

    /// Is NaN.
    ///
    /// Shape: the result has this tensor's shape. Dtype: bool.
    pub fn isnan(self: Tensor) Error!Tensor {
        return call(Tensor, "isnan", .{ self });
    }

    /// What `isinf` can be told.
    pub const IsinfOptions = struct {
        /// look for plus infinity. Default: true.
        positive: ?bool = null,
        /// look for minus infinity. Default: true.
        negative: ?bool = null,
    };

    /// Is plus or minus infinity.
    ///
    /// Shape: the result has this tensor's shape. Dtype: bool.
    ///
    /// positive: look for plus infinity. Default: true.
    ///
    /// negative: look for minus infinity. Default: true.
    pub fn isinf(self: Tensor, options: IsinfOptions) Error!Tensor {
        return call(Tensor, "isinf", .{ self, options.positive, options.negative });
    }

    /// Is neither NaN nor infinite.
    ///
    /// Shape: the result has this tensor's shape. Dtype: bool.
    pub fn isfinite(self: Tensor) Error!Tensor {
        return call(Tensor, "isfinite", .{ self });
    }

    /// Values converted; floats truncate to integers, integers wrap.
    ///
    /// Shape: the result has this tensor's shape. Dtype: the given one.
    ///
    /// dtype: the new element type.
    ///
    /// Errors: DTypeError for a dtype without storage.
    pub fn cast(self: Tensor, dtype_: DType) Error!Tensor {
        return call(Tensor, "cast", .{ self, dtype_ });
    }

    /// The same bits read as another dtype.
    ///
    /// Shape: this tensor's; of a dtype of another size the last axis holds more or fewer elements,
    /// the lowest bits first. Dtype: the given one.
    ///
    /// dtype: the new element type.
    ///
    /// Errors: ShapeError if rows of another size are no whole number of elements.
    pub fn bitcast(self: Tensor, dtype_: DType) Error!Tensor {
        return call(Tensor, "bitcast", .{ self, dtype_ });
    }

    /// max(x, 0); NaN stays NaN.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn relu(self: Tensor) Error!Tensor {
        return call(Tensor, "relu", .{ self });
    }

    /// min(max(x, 0), 6).
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn relu6(self: Tensor) Error!Tensor {
        return call(Tensor, "relu6", .{ self });
    }

    /// What `leakyRelu` can be told.
    pub const LeakyReluOptions = struct {
        /// below 0. Default: 0.01.
        slope: ?f64 = null,
    };

    /// x, or slope * x below 0.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    ///
    /// slope: below 0. Default: 0.01.
    pub fn leakyRelu(self: Tensor, options: LeakyReluOptions) Error!Tensor {
        return call(Tensor, "leaky_relu", .{ self, options.slope });
    }

    /// 1 / (1 + exp(-x)), exact in both tails.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn sigmoid(self: Tensor) Error!Tensor {
        return call(Tensor, "sigmoid", .{ self });
    }

    /// Hyperbolic tangent, exact near 0 and in both tails.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn tanh(self: Tensor) Error!Tensor {
        return call(Tensor, "tanh", .{ self });
    }

    /// x * sigmoid(x).
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn silu(self: Tensor) Error!Tensor {
        return call(Tensor, "silu", .{ self });
    }

    /// Another name of silu.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn swish(self: Tensor) Error!Tensor {
        return call(Tensor, "swish", .{ self });
    }

    /// What `gelu` can be told.
    pub const GeluOptions = struct {
        /// Tanh: the approximation; Erf: exact. Default: Tanh.
        form: ?GeluForm = null,
    };

    /// x times the normal distribution's share below x: x * sigmoid(2 sqrt(2/pi) (x + 0.044715
    /// x^3)), or exactly by erf.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    ///
    /// form: Tanh: the approximation; Erf: exact. Default: Tanh.
    pub fn gelu(self: Tensor, options: GeluOptions) Error!Tensor {
        return call(Tensor, "gelu", .{ self, options.form });
    }

    /// x * sigmoid(1.702 x).
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn quickGelu(self: Tensor) Error!Tensor {
        return call(Tensor, "quick_gelu", .{ self });
    }

    /// What `elu` can be told.
    pub const EluOptions = struct {
        /// size of the negative end. Default: 1.
        alpha: ?f64 = null,
    };

    /// x, or alpha * (exp(x) - 1) below 0.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    ///
    /// alpha: size of the negative end. Default: 1.
    pub fn elu(self: Tensor, options: EluOptions) Error!Tensor {
        return call(Tensor, "elu", .{ self, options.alpha });
    }

    /// What `celu` can be told.
    pub const CeluOptions = struct {
        /// size of the negative end, not 0. Default: 1.
        alpha: ?f64 = null,
    };

    /// x, or alpha * (exp(x / alpha) - 1) below 0.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    ///
    /// alpha: size of the negative end, not 0. Default: 1.
    ///
    /// Errors: ArgumentError for alpha 0.
    pub fn celu(self: Tensor, options: CeluOptions) Error!Tensor {
        return call(Tensor, "celu", .{ self, options.alpha });
    }

    /// What `selu` can be told.
    pub const SeluOptions = struct {
        /// size of the negative end. Default: 1.6732632423543772.
        alpha: ?f64 = null,
        /// scale. Default: 1.0507009873554805.
        gamma: ?f64 = null,
    };

    /// gamma * elu(alpha), which keeps mean and variance of deep networks.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    ///
    /// alpha: size of the negative end. Default: 1.6732632423543772.
    ///
    /// gamma: scale. Default: 1.0507009873554805.
    pub fn selu(self: Tensor, options: SeluOptions) Error!Tensor {
        return call(Tensor, "selu", .{ self, options.alpha, options.gamma });
    }

    /// x * tanh(softplus(x)).
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn mish(self: Tensor) Error!Tensor {
        return call(Tensor, "mish", .{ self });
    }

    /// What `softplus` can be told.
    pub const SoftplusOptions = struct {
        /// steepness, not 0. Default: 1.
        beta: ?f64 = null,
    };

    /// log(1 + exp(beta * x)) / beta without overflow.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    ///
    /// beta: steepness, not 0. Default: 1.
    ///
    /// Errors: ArgumentError for beta 0.
    pub fn softplus(self: Tensor, options: SoftplusOptions) Error!Tensor {
        return call(Tensor, "softplus", .{ self, options.beta });
    }

    /// Logarithm of sigmoid, without overflow.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn logsigmoid(self: Tensor) Error!Tensor {
        return call(Tensor, "logsigmoid", .{ self });
    }

    /// x / (1 + |x|).
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn softsign(self: Tensor) Error!Tensor {
        return call(Tensor, "softsign", .{ self });
    }

    /// What `hardsigmoid` can be told.
    pub const HardsigmoidOptions = struct {
        /// slope. Default: 1/6.
        alpha: ?f64 = null,
        /// value at 0. Default: 0.5.
        beta: ?f64 = null,
    };

    /// alpha * x + beta, limited to [0, 1].
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    ///
    /// alpha: slope. Default: 1/6.
    ///
    /// beta: value at 0. Default: 0.5.
    pub fn hardsigmoid(self: Tensor, options: HardsigmoidOptions) Error!Tensor {
        return call(Tensor, "hardsigmoid", .{ self, options.alpha, options.beta });
    }

    /// x * relu6(x + 3) / 6.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    pub fn hardswish(self: Tensor) Error!Tensor {
        return call(Tensor, "hardswish", .{ self });
    }

    /// What `hardtanh` can be told.
    pub const HardtanhOptions = struct {
        /// lower bound. Default: -1.
        low: ?f64 = null,
        /// upper bound. Default: 1.
        high: ?f64 = null,
    };

    /// Limited to [low, high].
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    ///
    /// low: lower bound. Default: -1.
    ///
    /// high: upper bound. Default: 1.
    pub fn hardtanh(self: Tensor, options: HardtanhOptions) Error!Tensor {
        return call(Tensor, "hardtanh", .{ self, options.low, options.high });
    }

    /// What `sum` can be told.
    pub const SumOptions = struct {
        /// axes to reduce. Default: all axes.
        axis: ?[]const i64 = null,
        /// keep reduced axes with size 1. Default: false.
        keepdim: ?bool = null,
        /// of accumulation and result. Default: see dtype rule.
        dtype: ?DType = null,
    };

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
    pub fn sum(self: Tensor, options: SumOptions) Error!Tensor {
        return call(Tensor, "sum", .{ self, options.axis, options.keepdim, options.dtype });
    }

    /// What `prod` can be told.
    pub const ProdOptions = struct {
        /// axes to reduce. Default: all axes.
        axis: ?[]const i64 = null,
        /// keep reduced axes with size 1. Default: false.
        keepdim: ?bool = null,
        /// of accumulation and result. Default: see dtype rule.
        dtype: ?DType = null,
    };

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
    pub fn prod(self: Tensor, options: ProdOptions) Error!Tensor {
        return call(Tensor, "prod", .{ self, options.axis, options.keepdim, options.dtype });
    }

    /// What `max` can be told.
    pub const MaxOptions = struct {
        /// axes to reduce. Default: all axes.
        axis: ?[]const i64 = null,
        /// keep reduced axes with size 1. Default: false.
        keepdim: ?bool = null,
    };

    /// Maximum; NaN if any is NaN; of nothing the least value, -inf of floats.
    ///
    /// Shape: without the reduced axes. Dtype: that of this tensor.
    ///
    /// axis: axes to reduce. Default: all axes.
    ///
    /// keepdim: keep reduced axes with size 1. Default: false.
    ///
    /// Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
    pub fn max(self: Tensor, options: MaxOptions) Error!Tensor {
        return call(Tensor, "max", .{ self, options.axis, options.keepdim });
    }

    /// What `min` can be told.
    pub const MinOptions = struct {
        /// axes to reduce. Default: all axes.
        axis: ?[]const i64 = null,
        /// keep reduced axes with size 1. Default: false.
        keepdim: ?bool = null,
    };

    /// Minimum; NaN if any is NaN; of nothing the largest value, inf of floats.
    ///
    /// Shape: without the reduced axes. Dtype: that of this tensor.
    ///
    /// axis: axes to reduce. Default: all axes.
    ///
    /// keepdim: keep reduced axes with size 1. Default: false.
    ///
    /// Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
    pub fn min(self: Tensor, options: MinOptions) Error!Tensor {
        return call(Tensor, "min", .{ self, options.axis, options.keepdim });
    }

    /// What `mean` can be told.
    pub const MeanOptions = struct {
        /// axes to reduce. Default: all axes.
        axis: ?[]const i64 = null,
        /// keep reduced axes with size 1. Default: false.
        keepdim: ?bool = null,
    };

    /// Arithmetic mean; NaN of nothing.
    ///
    /// Shape: without the reduced axes. Dtype: floats stay, integers and bool become float32.
    ///
    /// axis: axes to reduce. Default: all axes.
    ///
    /// keepdim: keep reduced axes with size 1. Default: false.
    ///
    /// Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
    pub fn mean(self: Tensor, options: MeanOptions) Error!Tensor {
        return call(Tensor, "mean", .{ self, options.axis, options.keepdim });
    }

    /// What `@"var"` can be told.
    pub const VarOptions = struct {
        /// axes to reduce. Default: all axes.
        axis: ?[]const i64 = null,
        /// keep reduced axes with size 1. Default: false.
        keepdim: ?bool = null,
        /// the divisor is n - correction. Default: 1.
        correction: ?i64 = null,
    };

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
    pub fn @"var"(self: Tensor, options: VarOptions) Error!Tensor {
        return call(Tensor, "var", .{ self, options.axis, options.keepdim, options.correction });
    }

    /// What `std` can be told.
    pub const StdOptions = struct {
        /// axes to reduce. Default: all axes.
        axis: ?[]const i64 = null,
        /// keep reduced axes with size 1. Default: false.
        keepdim: ?bool = null,
        /// the divisor is n - correction. Default: 1.
        correction: ?i64 = null,
    };

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
    pub fn std(self: Tensor, options: StdOptions) Error!Tensor {
        return call(Tensor, "std", .{ self, options.axis, options.keepdim, options.correction });
    }

    /// What `varMean` can be told.
    pub const VarMeanOptions = struct {
        /// axes to reduce. Default: all axes.
        axis: ?[]const i64 = null,
        /// keep reduced axes with size 1. Default: false.
        keepdim: ?bool = null,
        /// the divisor is n - correction. Default: 1.
        correction: ?i64 = null,
    };

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
    pub fn varMean(self: Tensor, options: VarMeanOptions) Error!tg.Value {
        return call(tg.Value, "var_mean", .{ self, options.axis, options.keepdim, options.correction });
    }

    /// What `stdMean` can be told.
    pub const StdMeanOptions = struct {
        /// axes to reduce. Default: all axes.
        axis: ?[]const i64 = null,
        /// keep reduced axes with size 1. Default: false.
        keepdim: ?bool = null,
        /// the divisor is n - correction. Default: 1.
        correction: ?i64 = null,
    };

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
    pub fn stdMean(self: Tensor, options: StdMeanOptions) Error!tg.Value {
        return call(tg.Value, "std_mean", .{ self, options.axis, options.keepdim, options.correction });
    }

    /// What `any` can be told.
    pub const AnyOptions = struct {
        /// axes to reduce. Default: all axes.
        axis: ?[]const i64 = null,
        /// keep reduced axes with size 1. Default: false.
        keepdim: ?bool = null,
    };

    /// One is not 0; false of nothing.
    ///
    /// Shape: without the reduced axes. Dtype: bool.
    ///
    /// axis: axes to reduce. Default: all axes.
    ///
    /// keepdim: keep reduced axes with size 1. Default: false.
    ///
    /// Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
    pub fn any(self: Tensor, options: AnyOptions) Error!Tensor {
        return call(Tensor, "any", .{ self, options.axis, options.keepdim });
    }

    /// What `all` can be told.
    pub const AllOptions = struct {
        /// axes to reduce. Default: all axes.
        axis: ?[]const i64 = null,
        /// keep reduced axes with size 1. Default: false.
        keepdim: ?bool = null,
    };

    /// None is 0; true of nothing.
    ///
    /// Shape: without the reduced axes. Dtype: bool.
    ///
    /// axis: axes to reduce. Default: all axes.
    ///
    /// keepdim: keep reduced axes with size 1. Default: false.
    ///
    /// Errors: IndexError for an axis outside the shape; ArgumentError for one named twice.
    pub fn all(self: Tensor, options: AllOptions) Error!Tensor {
        return call(Tensor, "all", .{ self, options.axis, options.keepdim });
    }

    /// What `argmax` can be told.
    pub const ArgmaxOptions = struct {
        /// axis to search. Default: the flattened tensor.
        axis: ?i64 = null,
        /// keep reduced axes with size 1. Default: false.
        keepdim: ?bool = null,
    };

    /// First place of the maximum; NaN is the largest.
    ///
    /// Shape: without the reduced axes. Dtype: int32.
    ///
    /// axis: axis to search. Default: the flattened tensor.
    ///
    /// keepdim: keep reduced axes with size 1. Default: false.
    ///
    /// Errors: ArgumentError for an empty axis; IndexError for an axis outside the shape.
    pub fn argmax(self: Tensor, options: ArgmaxOptions) Error!Tensor {
        return call(Tensor, "argmax", .{ self, options.axis, options.keepdim });
    }

    /// What `argmin` can be told.
    pub const ArgminOptions = struct {
        /// axis to search. Default: the flattened tensor.
        axis: ?i64 = null,
        /// keep reduced axes with size 1. Default: false.
        keepdim: ?bool = null,
    };

    /// First place of the minimum; NaN is the smallest.
    ///
    /// Shape: without the reduced axes. Dtype: int32.
    ///
    /// axis: axis to search. Default: the flattened tensor.
    ///
    /// keepdim: keep reduced axes with size 1. Default: false.
    ///
    /// Errors: ArgumentError for an empty axis; IndexError for an axis outside the shape.
    pub fn argmin(self: Tensor, options: ArgminOptions) Error!Tensor {
        return call(Tensor, "argmin", .{ self, options.axis, options.keepdim });
    }

    /// What `softmax` can be told.
    pub const SoftmaxOptions = struct {
        /// the row's axis. Default: -1.
        axis: ?i64 = null,
        /// float in which it is computed and returned. Default: see dtype rule.
        dtype: ?DType = null,
    };

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
    pub fn softmax(self: Tensor, options: SoftmaxOptions) Error!Tensor {
        return call(Tensor, "softmax", .{ self, options.axis, options.dtype });
    }

    /// What `logSoftmax` can be told.
    pub const LogSoftmaxOptions = struct {
        /// the row's axis. Default: -1.
        axis: ?i64 = null,
        /// float in which it is computed and returned. Default: see dtype rule.
        dtype: ?DType = null,
    };

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
    pub fn logSoftmax(self: Tensor, options: LogSoftmaxOptions) Error!Tensor {
        return call(Tensor, "log_softmax", .{ self, options.axis, options.dtype });
    }

    /// What `softmin` can be told.
    pub const SoftminOptions = struct {
        /// the row's axis. Default: -1.
        axis: ?i64 = null,
        /// float in which it is computed and returned. Default: see dtype rule.
        dtype: ?DType = null,
    };

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
    pub fn softmin(self: Tensor, options: SoftminOptions) Error!Tensor {
        return call(Tensor, "softmin", .{ self, options.axis, options.dtype });
    }

    /// What `logsumexp` can be told.
    pub const LogsumexpOptions = struct {
        /// axes to reduce. Default: all axes.
        axis: ?[]const i64 = null,
        /// keep reduced axes with size 1. Default: false.
        keepdim: ?bool = null,
    };

    /// Logarithm of the sum of exp(x), without overflow.
    ///
    /// Shape: without the reduced axes. Dtype: floats stay, integers and bool become float32.
    ///
    /// axis: axes to reduce. Default: all axes.
    ///
    /// keepdim: keep reduced axes with size 1. Default: false.
    ///
    /// Errors: ArgumentError for an empty axis; IndexError for an axis outside the shape.
    pub fn logsumexp(self: Tensor, options: LogsumexpOptions) Error!Tensor {
        return call(Tensor, "logsumexp", .{ self, options.axis, options.keepdim });
    }

    /// What `normalize` can be told.
    pub const NormalizeOptions = struct {
        /// order of the norm; 0 counts what is not 0, infinity takes the largest. Default: 2.
        p: ?f64 = null,
        /// axis whose vectors get length 1. Default: 1.
        axis: ?i64 = null,
        /// least divisor. Default: 1e-12.
        eps: ?f64 = null,
    };

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
    pub fn normalize(self: Tensor, options: NormalizeOptions) Error!Tensor {
        return call(Tensor, "normalize", .{ self, options.p, options.axis, options.eps });
    }

    /// What `cumsum` can be told.
    pub const CumsumOptions = struct {
        /// axis to go along. Default: 0.
        axis: ?i64 = null,
    };

    /// Sum of each element and all before it.
    ///
    /// Shape: the result has this tensor's shape. Dtype: the asked one; else floats stay (small
    /// ones accumulate in float32), signed integers and bool become at least int32, unsigned at
    /// least uint32.
    ///
    /// axis: axis to go along. Default: 0.
    ///
    /// Errors: IndexError for an axis outside the shape.
    pub fn cumsum(self: Tensor, options: CumsumOptions) Error!Tensor {
        return call(Tensor, "cumsum", .{ self, options.axis });
    }

    /// What `cumprod` can be told.
    pub const CumprodOptions = struct {
        /// axis to go along. Default: 0.
        axis: ?i64 = null,
    };

    /// Product of each element and all before it.
    ///
    /// Shape: the result has this tensor's shape. Dtype: the asked one; else floats stay (small
    /// ones accumulate in float32), signed integers and bool become at least int32, unsigned at
    /// least uint32.
    ///
    /// axis: axis to go along. Default: 0.
    ///
    /// Errors: IndexError for an axis outside the shape.
    pub fn cumprod(self: Tensor, options: CumprodOptions) Error!Tensor {
        return call(Tensor, "cumprod", .{ self, options.axis });
    }

    /// What `cummax` can be told.
    pub const CummaxOptions = struct {
        /// axis to go along. Default: 0.
        axis: ?i64 = null,
    };

    /// The pair of the maximum so far, NaN from the first NaN on, and its latest place, int32.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// axis: axis to go along. Default: 0.
    ///
    /// Errors: IndexError for an axis outside the shape.
    pub fn cummax(self: Tensor, options: CummaxOptions) Error!tg.Value {
        return call(tg.Value, "cummax", .{ self, options.axis });
    }

    /// What `cummin` can be told.
    pub const CumminOptions = struct {
        /// axis to go along. Default: 0.
        axis: ?i64 = null,
    };

    /// The pair of the minimum so far, NaN from the first NaN on, and its latest place, int32.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// axis: axis to go along. Default: 0.
    ///
    /// Errors: IndexError for an axis outside the shape.
    pub fn cummin(self: Tensor, options: CumminOptions) Error!tg.Value {
        return call(tg.Value, "cummin", .{ self, options.axis });
    }

    /// What `logcumsumexp` can be told.
    pub const LogcumsumexpOptions = struct {
        /// axis to go along. Default: 0.
        axis: ?i64 = null,
    };

    /// Logarithm of the sum of exp of each element and all before it, without overflow.
    ///
    /// Shape: the result has this tensor's shape. Dtype: floats stay, integers and bool become
    /// float32.
    ///
    /// axis: axis to go along. Default: 0.
    ///
    /// Errors: IndexError for an axis outside the shape.
    pub fn logcumsumexp(self: Tensor, options: LogcumsumexpOptions) Error!Tensor {
        return call(Tensor, "logcumsumexp", .{ self, options.axis });
    }

    /// Matrix product of the last two axes; a vector is a row on the left, a column on the right.
    /// Small floats accumulate in float32.
    ///
    /// Shape: [..., m, k] @ [..., k, n] gives [..., m, n]; leading axes broadcast. Dtype: the
    /// promoted dtype of the operands; numbers give way.
    ///
    /// other: [..., k, n] or [k].
    ///
    /// Errors: ShapeError if the inner sizes differ, a side is a scalar, or leading axes cannot be
    /// broadcast.
    pub fn matmul(self: Tensor, other_: Tensor) Error!Tensor {
        return call(Tensor, "matmul", .{ self, other_ });
    }

    /// Another name of matmul.
    ///
    /// Shape: as matmul. Dtype: the promoted dtype of the operands; numbers give way.
    ///
    /// other: as of matmul.
    ///
    /// Errors: as matmul.
    pub fn dot(self: Tensor, other_: Tensor) Error!Tensor {
        return call(Tensor, "dot", .{ self, other_ });
    }

    /// Einstein summation of one or more operands, from left to right. A letter twice in one
    /// operand is its diagonal; without "->" the letters that stand once remain, in alphabetical
    /// order, after what the ellipses stand for.
    ///
    /// Shape: the axes that stand after "->". Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// formula: letters name axes, "..." axes that are broadcast: "ij,jk->ik".
    ///
    /// operands: one for each term.
    ///
    /// Errors: ArgumentError for a formula that does not fit the operands; ShapeError if sizes of a
    /// letter cannot be broadcast.
    pub fn einsum(formula_: [:0]const u8, operands_: []const Tensor) Error!Tensor {
        return call(Tensor, "einsum", .{ formula_, operands_ });
    }

    /// What `linear` can be told.
    pub const LinearOptions = struct {
        /// [out]. Default: none.
        bias: ?Tensor = null,
    };

    /// x @ weight + bias; a weight of one axis multiplies elementwise.
    ///
    /// Shape: [..., in] gives [..., out]. Dtype: the promoted dtype of the operands; numbers give
    /// way.
    ///
    /// weight: [in, out] or [in].
    ///
    /// bias: [out]. Default: none.
    ///
    /// Errors: as matmul and add.
    pub fn linear(self: Tensor, weight_: Tensor, options: LinearOptions) Error!Tensor {
        return call(Tensor, "linear", .{ self, weight_, options.bias });
    }

    /// What `conv2d` can be told.
    pub const Conv2dOptions = struct {
        /// [out]. Default: none.
        bias: ?Tensor = null,
        /// channel groups that do not mix. Default: 1.
        groups: ?i64 = null,
        /// step of the window. Default: 1.
        stride: ?[]const i64 = null,
        /// distance of neighbouring taps. Default: 1.
        dilation: ?[]const i64 = null,
        /// zeros around: one number, one an axis, or (before, after) for each. Default: 0.
        padding: ?[]const i64 = null,
    };

    /// Cross-correlation with a window, over any number of spatial axes.
    ///
    /// Shape: [batch, in, spatial...] gives [batch, out, (size + padding - dilation (kernel - 1) -
    /// 1) / stride + 1, ...]. Dtype: the promoted dtype of the operands; numbers give way.
    ///
    /// weight: [out, in / groups, kernel...].
    ///
    /// bias: [out]. Default: none.
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
    pub fn conv2d(self: Tensor, weight_: Tensor, options: Conv2dOptions) Error!Tensor {
        return call(Tensor, "conv2d", .{ self, weight_, options.bias, options.groups, options.stride, options.dilation, options.padding });
    }

    /// What `convTranspose2d` can be told.
    pub const ConvTranspose2dOptions = struct {
        /// [out]. Default: none.
        bias: ?Tensor = null,
        /// channel groups that do not mix. Default: 1.
        groups: ?i64 = null,
        /// distance of the input's elements in the result. Default: 1.
        stride: ?[]const i64 = null,
        /// distance of neighbouring taps. Default: 1.
        dilation: ?[]const i64 = null,
        /// cut off the result's border, as in conv2d. Default: 0.
        padding: ?[]const i64 = null,
        /// more elements at the result's end. Default: 0.
        output_padding: ?[]const i64 = null,
    };

    /// The transpose of a convolution, over any number of spatial axes.
    ///
    /// Shape: [batch, in, spatial...] gives [batch, out, (size - 1) stride + dilation (kernel - 1)
    /// + 1 - padding + output_padding, ...]. Dtype: the promoted dtype of the operands; numbers
    /// give way.
    ///
    /// weight: [in, out / groups, kernel...].
    ///
    /// bias: [out]. Default: none.
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
    pub fn convTranspose2d(self: Tensor, weight_: Tensor, options: ConvTranspose2dOptions) Error!Tensor {
        return call(Tensor, "conv_transpose2d", .{ self, weight_, options.bias, options.groups, options.stride, options.dilation, options.padding, options.output_padding });
    }

    /// What `maxPool2d` can be told.
    pub const MaxPool2dOptions = struct {
        /// size of the window, a number for each pooled axis. Default: {2, 2}.
        kernel_size: ?[]const i64 = null,
        /// step of the window. Default: the window's size.
        stride: ?[]const i64 = null,
        /// distance of neighbouring taps. Default: 1.
        dilation: ?[]const i64 = null,
        /// border: one number, one an axis, or (before, after) for each. Default: 0.
        padding: ?[]const i64 = null,
        /// also a last window that hangs over the end. Default: false.
        ceil_mode: ?bool = null,
        /// avg: padding counts in the divisor. Default: true.
        count_include_pad: ?bool = null,
    };

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
    pub fn maxPool2d(self: Tensor, options: MaxPool2dOptions) Error!Tensor {
        return call(Tensor, "max_pool2d", .{ self, options.kernel_size, options.stride, options.dilation, options.padding, options.ceil_mode, options.count_include_pad });
    }

    /// What `avgPool2d` can be told.
    pub const AvgPool2dOptions = struct {
        /// size of the window, a number for each pooled axis. Default: {2, 2}.
        kernel_size: ?[]const i64 = null,
        /// step of the window. Default: the window's size.
        stride: ?[]const i64 = null,
        /// distance of neighbouring taps. Default: 1.
        dilation: ?[]const i64 = null,
        /// border: one number, one an axis, or (before, after) for each. Default: 0.
        padding: ?[]const i64 = null,
        /// also a last window that hangs over the end. Default: false.
        ceil_mode: ?bool = null,
        /// avg: padding counts in the divisor. Default: true.
        count_include_pad: ?bool = null,
    };

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
    pub fn avgPool2d(self: Tensor, options: AvgPool2dOptions) Error!Tensor {
        return call(Tensor, "avg_pool2d", .{ self, options.kernel_size, options.stride, options.dilation, options.padding, options.ceil_mode, options.count_include_pad });
    }

    /// What `maxPool2dWithIndices` can be told.
    pub const MaxPool2dWithIndicesOptions = struct {
        /// size of the window, a number for each pooled axis. Default: {2, 2}.
        kernel_size: ?[]const i64 = null,
        /// step of the window. Default: the window's size.
        stride: ?[]const i64 = null,
        /// distance of neighbouring taps. Default: 1.
        dilation: ?[]const i64 = null,
        /// border: one number, one an axis, or (before, after) for each. Default: 0.
        padding: ?[]const i64 = null,
        /// also a last window that hangs over the end. Default: false.
        ceil_mode: ?bool = null,
        /// avg: padding counts in the divisor. Default: true.
        count_include_pad: ?bool = null,
    };

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
    pub fn maxPool2dWithIndices(self: Tensor, options: MaxPool2dWithIndicesOptions) Error!tg.Value {
        return call(tg.Value, "max_pool2d_with_indices", .{ self, options.kernel_size, options.stride, options.dilation, options.padding, options.ceil_mode, options.count_include_pad });
    }

    /// What `maxUnpool2d` can be told.
    pub const MaxUnpool2dOptions = struct {
        /// size of the window, a number for each axis. Default: {2, 2}.
        kernel_size: ?[]const i64 = null,
        /// step of the window. Default: the window's size.
        stride: ?[]const i64 = null,
        /// distance of neighbouring taps. Default: 1.
        dilation: ?[]const i64 = null,
        /// border: one number, or one an axis. Default: 0.
        padding: ?[]const i64 = null,
        /// sizes of the result, of which the last count. Default: what the numbers say.
        output_size: ?[]const i64 = null,
    };

    /// The inverse of max_pool2d: each value at its place, 0 elsewhere.
    ///
    /// Shape: [..., windows...] gives [..., sizes...]. Dtype: that of this tensor.
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
    pub fn maxUnpool2d(self: Tensor, indices_: Tensor, options: MaxUnpool2dOptions) Error!Tensor {
        return call(Tensor, "max_unpool2d", .{ self, indices_, options.kernel_size, options.stride, options.dilation, options.padding, options.output_size });
    }

    /// What `scaledDotProductAttention` can be told.
    pub const ScaledDotProductAttentionOptions = struct {
        /// bool: which keys count for a query; numbers: added to the scores; broadcast to [..., n,
        /// m]. Default: none.
        attn_mask: ?Tensor = null,
        /// share of the weights dropped while training. Default: 0.
        dropout_p: ?f64 = null,
        /// a query sees the keys up to its own place. Default: false.
        is_causal: ?bool = null,
        /// each head of keys and values, axis -3, serves several neighbouring ones of the queries.
        /// Default: false.
        enable_gqa: ?bool = null,
    };

    /// softmax(this @ key^T / sqrt(size)) @ value, this being the queries. A row of the scores in
    /// which nothing counts is NaN.
    ///
    /// Shape: [..., n, size] gives [..., n, out]. Dtype: that of this tensor and the values,
    /// promoted.
    ///
    /// key: [..., m, size].
    ///
    /// value: [..., m, out].
    ///
    /// attn_mask: bool: which keys count for a query; numbers: added to the scores; broadcast to
    /// [..., n, m]. Default: none.
    ///
    /// dropout_p: share of the weights dropped while training (probability). Default: 0.
    ///
    /// is_causal: a query sees the keys up to its own place. Default: false.
    ///
    /// enable_gqa: each head of keys and values, axis -3, serves several neighbouring ones of the
    /// queries. Default: false.
    ///
    /// Errors: ShapeError if the shapes do not fit; ArgumentError for is_causal with a mask, or
    /// dropout_p outside [0, 1].
    pub fn scaledDotProductAttention(self: Tensor, key_: Tensor, value_: Tensor, options: ScaledDotProductAttentionOptions) Error!Tensor {
        return call(Tensor, "scaled_dot_product_attention", .{ self, key_, value_, options.attn_mask, options.dropout_p, options.is_causal, options.enable_gqa });
    }

    /// The pair Q, R of a matrix on the last two axes, Q orthogonal, R upper triangular, whose
    /// product it is.
    ///
    /// Shape: [..., m, n] gives [..., m, m] and [..., m, n]. Dtype: floats stay, integers and bool
    /// become float32.
    ///
    /// Errors: ShapeError for fewer than 2 axes; ArgumentError for an axis of variable size.
    pub fn qr(self: Tensor) Error!tg.Value {
        return call(tg.Value, "qr", .{ self });
    }

    /// What `svd` can be told.
    pub const SvdOptions = struct {
        /// U and V^T square, else with as many columns and rows as there are values. Default: true.
        full_matrices: ?bool = null,
    };

    /// U, S and V^T of a matrix on the last two axes: U diag(S) V^T is the matrix, the columns of U
    /// and V are orthonormal, S falls and is not negative.
    ///
    /// Shape: [..., m, n] gives [..., m, m], [..., min(m, n)] and [..., n, n]. Dtype: floats stay,
    /// integers and bool become float32.
    ///
    /// full_matrices: U and V^T square, else with as many columns and rows as there are values.
    /// Default: true.
    ///
    /// Errors: ShapeError for fewer than 2 axes; ArgumentError for an axis of variable size.
    pub fn svd(self: Tensor, options: SvdOptions) Error!tg.Value {
        return call(tg.Value, "svd", .{ self, options.full_matrices });
    }

    /// What `cholesky` can be told.
    pub const CholeskyOptions = struct {
        /// U, upper triangular, with U^T U = this; the upper triangle is read, not the lower.
        /// Default: false.
        upper: ?bool = null,
    };

    /// L, lower triangular with a positive diagonal, whose product with L^T is this symmetric,
    /// positive definite matrix; NaN where it is not positive definite.
    ///
    /// Shape: [..., n, n], as this tensor. Dtype: floats stay, integers and bool become float32.
    ///
    /// upper: U, upper triangular, with U^T U = this; the upper triangle is read, not the lower.
    /// Default: false.
    ///
    /// Errors: ShapeError for anything but square matrices; ArgumentError for an axis of variable
    /// size.
    pub fn cholesky(self: Tensor, options: CholeskyOptions) Error!Tensor {
        return call(Tensor, "cholesky", .{ self, options.upper });
    }

    /// What `solveTriangular` can be told.
    pub const SolveTriangularOptions = struct {
        /// the upper triangle is read, not the lower. Default: false.
        upper: ?bool = null,
        /// this times X is b, not X times this. Default: true.
        left: ?bool = null,
        /// the diagonal counts as ones and is not read. Default: false.
        unitriangular: ?bool = null,
    };

    /// X with this matrix times X = b, of which one triangle is read; infinities or NaN where it is
    /// singular.
    ///
    /// Shape: [..., n, n] and b give the shape of b; leading axes broadcast. Dtype: that of both
    /// operands, promoted; integers and bool are float32.
    ///
    /// b: [..., n, k]; without left [..., k, n].
    ///
    /// upper: the upper triangle is read, not the lower. Default: false.
    ///
    /// left: this times X is b, not X times this. Default: true.
    ///
    /// unitriangular: the diagonal counts as ones and is not read. Default: false.
    ///
    /// Errors: ShapeError for anything but square matrices and sides that fit; ArgumentError for an
    /// axis of variable size.
    pub fn solveTriangular(self: Tensor, b_: Tensor, options: SolveTriangularOptions) Error!Tensor {
        return call(Tensor, "solve_triangular", .{ self, b_, options.upper, options.left, options.unitriangular });
    }

    /// What `keccak` can be told.
    pub const KeccakOptions = struct {
        /// Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake128 or Shake256. Default: Sha3_256.
        variant: ?KeccakVariant = null,
        /// of the state, which no input reaches; a multiple of 64 below 1600. Default: that of the
        /// variant.
        capacity: ?i64 = null,
        /// of the result. Default: that of the variant.
        size: ?i64 = null,
    };

    /// SHA-3 of the bytes of each row of the last axis.
    ///
    /// Shape: [..., n] gives [..., size]. Dtype: uint8.
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
    pub fn keccak(self: Tensor, options: KeccakOptions) Error!Tensor {
        return call(Tensor, "keccak", .{ self, options.variant, options.capacity, options.size });
    }

    /// Bytes that tell tensors of different contents apart: a tree of Shake128 over chunks of 4
    /// KiB. Those of larger tensors are computed now.
    ///
    /// Shape: [16]. Dtype: uint8.
    ///
    /// Errors: ArgumentError for an axis of variable size.
    pub fn hash(self: Tensor) Error!Tensor {
        return call(Tensor, "hash", .{ self });
    }

    /// What `fft` can be told.
    pub const FftOptions = struct {
        /// along which; the axis of the pairs does not count; negative: from the end. Default: -1.
        axis: ?i64 = null,
    };

    /// The discrete Fourier transform of complex numbers, which are pairs (real, imaginary) on a
    /// last axis of size 2: sums of x[j] e^(-2 pi i j k / n), not divided. O(n) times the sum of
    /// the prime factors of n; with large ones O(n log n).
    ///
    /// Shape: [..., n, ..., 2], as this tensor. Dtype: floats stay, integers and bool become
    /// float32.
    ///
    /// axis: along which; the axis of the pairs does not count; negative: from the end. Default:
    /// -1.
    ///
    /// Errors: ShapeError unless the last axis has size 2 and the transformed one has elements;
    /// IndexError for an axis outside the shape; ArgumentError for an axis of variable size, or of
    /// more than 2^24 elements.
    pub fn fft(self: Tensor, options: FftOptions) Error!Tensor {
        return call(Tensor, "fft", .{ self, options.axis });
    }

    /// What `ifft` can be told.
    pub const IfftOptions = struct {
        /// along which; the axis of the pairs does not count; negative: from the end. Default: -1.
        axis: ?i64 = null,
    };

    /// The inverse of fft: the sign of the exponent turned, and divided by n.
    ///
    /// Shape: [..., n, ..., 2], as this tensor. Dtype: floats stay, integers and bool become
    /// float32.
    ///
    /// axis: along which; the axis of the pairs does not count; negative: from the end. Default:
    /// -1.
    ///
    /// Errors: ShapeError unless the last axis has size 2 and the transformed one has elements;
    /// IndexError for an axis outside the shape; ArgumentError for an axis of variable size, or of
    /// more than 2^24 elements.
    pub fn ifft(self: Tensor, options: IfftOptions) Error!Tensor {
        return call(Tensor, "ifft", .{ self, options.axis });
    }

    /// What `rfft` can be told.
    pub const RfftOptions = struct {
        /// along which; the axis of the pairs does not count; negative: from the end. Default: -1.
        axis: ?i64 = null,
    };

    /// fft of real numbers: the first half of the result, of which the rest are the conjugates.
    /// Pairs (real, imaginary) stand on a new last axis.
    ///
    /// Shape: [..., n, ...] gives [..., n / 2 + 1, ..., 2]. Dtype: floats stay, integers and bool
    /// become float32.
    ///
    /// axis: along which; the axis of the pairs does not count; negative: from the end. Default:
    /// -1.
    ///
    /// Errors: ShapeError for an axis without elements; IndexError for an axis outside the shape;
    /// ArgumentError for an axis of variable size, or of more than 2^24 elements.
    pub fn rfft(self: Tensor, options: RfftOptions) Error!Tensor {
        return call(Tensor, "rfft", .{ self, options.axis });
    }

    /// What `irfft` can be told.
    pub const IrfftOptions = struct {
        /// of the result's axis. Default: twice m - 1.
        size: ?i64 = null,
        /// along which; the axis of the pairs does not count; negative: from the end. Default: -1.
        axis: ?i64 = null,
    };

    /// The inverse of rfft: real numbers of the first half of their transform, which is cropped or
    /// continued by 0 to as many as the size needs. Imaginary parts of the first number, and of the
    /// one in the middle, do not count.
    ///
    /// Shape: [..., m, ..., 2] gives [..., size, ...]. Dtype: floats stay, integers and bool become
    /// float32.
    ///
    /// size: of the result's axis (elements). Default: twice m - 1.
    ///
    /// axis: along which; the axis of the pairs does not count; negative: from the end. Default:
    /// -1.
    ///
    /// Errors: as fft; ArgumentError for a size below 1 or above 2^24.
    pub fn irfft(self: Tensor, options: IrfftOptions) Error!Tensor {
        return call(Tensor, "irfft", .{ self, options.size, options.axis });
    }

    /// What `batchNorm` can be told.
    pub const BatchNormOptions = struct {
        /// scale, [channels]. Default: none.
        weight: ?Tensor = null,
        /// shift, [channels]. Default: none.
        bias: ?Tensor = null,
        /// [channels]. Default: none.
        running_mean: ?Tensor = null,
        /// [channels]; updated with the unbiased estimate. Default: none.
        running_var: ?Tensor = null,
        /// use this batch's statistics. Default: as TrainingScope says.
        training: ?bool = null,
        /// share of this batch in the running statistics. Default: 0.1.
        momentum: ?f64 = null,
        /// added to the variance. Default: 1e-5.
        eps: ?f64 = null,
        /// the channels' axis. Default: 1.
        axis: ?i64 = null,
    };

    /// (x - mean) / sqrt(var + eps) * weight + bias for each channel. While training with this
    /// batch's statistics, and the running ones are updated in place; else with the running ones.
    ///
    /// Shape: the result has this tensor's shape. Dtype: the promoted dtype of the operands;
    /// numbers give way.
    ///
    /// weight: scale, [channels]. Default: none.
    ///
    /// bias: shift, [channels]. Default: none.
    ///
    /// running_mean: [channels]. Default: none.
    ///
    /// running_var: [channels]; updated with the unbiased estimate. Default: none.
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
    /// parameters that are not [channels].
    pub fn batchNorm(self: Tensor, options: BatchNormOptions) Error!Tensor {
        return call(Tensor, "batch_norm", .{ self, options.weight, options.bias, options.running_mean, options.running_var, options.training, options.momentum, options.eps, options.axis });
    }

    /// What `layerNorm` can be told.
    pub const LayerNormOptions = struct {
        /// axes normalised together. Default: -1.
        axis: ?[]const i64 = null,
        /// scale, of the axes' shape. Default: none.
        weight: ?Tensor = null,
        /// shift, of the axes' shape. Default: none.
        bias: ?Tensor = null,
        /// added to the variance. Default: 1e-5.
        eps: ?f64 = null,
    };

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
    pub fn layerNorm(self: Tensor, options: LayerNormOptions) Error!Tensor {
        return call(Tensor, "layer_norm", .{ self, options.axis, options.weight, options.bias, options.eps });
    }

    /// What `rmsNorm` can be told.
    pub const RmsNormOptions = struct {
        /// axes normalised together. Default: -1.
        axis: ?[]const i64 = null,
        /// scale, of the axes' shape. Default: none.
        weight: ?Tensor = null,
        /// added to the mean of squares. Default: 1e-6.
        eps: ?f64 = null,
    };

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
    pub fn rmsNorm(self: Tensor, options: RmsNormOptions) Error!Tensor {
        return call(Tensor, "rms_norm", .{ self, options.axis, options.weight, options.eps });
    }

    /// What `groupNorm` can be told.
    pub const GroupNormOptions = struct {
        /// scale, [channels]. Default: none.
        weight: ?Tensor = null,
        /// shift, [channels]. Default: none.
        bias: ?Tensor = null,
        /// added to the variance. Default: 1e-5.
        eps: ?f64 = null,
    };

    /// Each group of channels of each sample normalised to mean 0 and variance 1, then scaled and
    /// shifted by channel.
    ///
    /// Shape: the result has this tensor's shape. Dtype: the promoted dtype of the operands;
    /// numbers give way.
    ///
    /// groups: number of groups; as many as channels: instance norm.
    ///
    /// weight: scale, [channels]. Default: none.
    ///
    /// bias: shift, [channels]. Default: none.
    ///
    /// eps: added to the variance. Default: 1e-5.
    ///
    /// Errors: ArgumentError for groups that do not divide the channels (axis 1); ShapeError for
    /// parameters that are not [channels].
    pub fn groupNorm(self: Tensor, groups_: i64, options: GroupNormOptions) Error!Tensor {
        return call(Tensor, "group_norm", .{ self, groups_, options.weight, options.bias, options.eps });
    }

    /// What `crossEntropy` can be told.
    pub const CrossEntropyOptions = struct {
        /// None, Mean or Sum of the elements' losses. Default: Mean.
        reduction: ?Reduction = null,
        /// share of the target spread over all classes. Default: 0.
        label_smoothing: ?f64 = null,
        /// label of elements that do not count. Default: none.
        ignore_index: ?i64 = null,
        /// a weight for each class, [classes]. Default: none.
        weight: ?Tensor = null,
    };

    /// -log softmax at the label; classes stand on axis 1 (axis 0 of a vector).
    ///
    /// Shape: []; without reduction that of the elements' losses. Dtype: floats stay, integers and
    /// bool become float32.
    ///
    /// target: integer labels [batch, ...], or probabilities of this shape.
    ///
    /// reduction: None, Mean or Sum of the elements' losses. Default: Mean.
    ///
    /// label_smoothing: share of the target spread over all classes (probability). Default: 0.
    ///
    /// ignore_index: label of elements that do not count. Default: none.
    ///
    /// weight: a weight for each class, [classes]. Default: none.
    ///
    /// Errors: DTypeError unless labels are integers; ShapeError if shapes do not fit;
    /// ArgumentError for label_smoothing outside [0, 1].
    pub fn crossEntropy(self: Tensor, target_: Tensor, options: CrossEntropyOptions) Error!Tensor {
        return call(Tensor, "cross_entropy", .{ self, target_, options.reduction, options.label_smoothing, options.ignore_index, options.weight });
    }

    /// What `sparseCategoricalCrossentropy` can be told.
    pub const SparseCategoricalCrossentropyOptions = struct {
        /// None, Mean or Sum of the elements' losses. Default: Mean.
        reduction: ?Reduction = null,
        /// share of the target spread over all classes. Default: 0.
        label_smoothing: ?f64 = null,
        /// label of elements that do not count. Default: none.
        ignore_index: ?i64 = null,
        /// a weight for each class, [classes]. Default: none.
        weight: ?Tensor = null,
    };

    /// -log softmax at the label; classes stand on the last axis.
    ///
    /// Shape: []; without reduction that of the elements' losses. Dtype: floats stay, integers and
    /// bool become float32.
    ///
    /// target: integer labels [...]; of scores [classes] labels of any shape.
    ///
    /// reduction: None, Mean or Sum of the elements' losses. Default: Mean.
    ///
    /// label_smoothing: share of the target spread over all classes (probability). Default: 0.
    ///
    /// ignore_index: label of elements that do not count. Default: none.
    ///
    /// weight: a weight for each class, [classes]. Default: none.
    ///
    /// Errors: DTypeError unless labels are integers; ShapeError if shapes do not fit;
    /// ArgumentError for label_smoothing outside [0, 1].
    pub fn sparseCategoricalCrossentropy(self: Tensor, target_: Tensor, options: SparseCategoricalCrossentropyOptions) Error!Tensor {
        return call(Tensor, "sparse_categorical_crossentropy", .{ self, target_, options.reduction, options.label_smoothing, options.ignore_index, options.weight });
    }

    /// What `nllLoss` can be told.
    pub const NllLossOptions = struct {
        /// None, Mean or Sum of the elements' losses. Default: Mean.
        reduction: ?Reduction = null,
        /// label of elements that do not count. Default: none.
        ignore_index: ?i64 = null,
        /// a weight for each class, [classes]. Default: none.
        weight: ?Tensor = null,
    };

    /// -x at the label: cross-entropy of log-probabilities; classes stand on axis 1.
    ///
    /// Shape: []; without reduction that of the elements' losses. Dtype: that of this tensor.
    ///
    /// target: integer labels [batch, ...].
    ///
    /// reduction: None, Mean or Sum of the elements' losses. Default: Mean.
    ///
    /// ignore_index: label of elements that do not count. Default: none.
    ///
    /// weight: a weight for each class, [classes]. Default: none.
    ///
    /// Errors: DTypeError unless labels are integers; ShapeError if shapes do not fit;
    /// ArgumentError for label_smoothing outside [0, 1].
    pub fn nllLoss(self: Tensor, target_: Tensor, options: NllLossOptions) Error!Tensor {
        return call(Tensor, "nll_loss", .{ self, target_, options.reduction, options.ignore_index, options.weight });
    }

    /// What `binaryCrossentropy` can be told.
    pub const BinaryCrossentropyOptions = struct {
        /// None, Mean or Sum of the elements' losses. Default: Mean.
        reduction: ?Reduction = null,
    };

    /// -(y log x + (1 - y) log(1 - x)) for probabilities x in (0, 1).
    ///
    /// Shape: []; without reduction that of the elements' losses. Dtype: floats stay, integers and
    /// bool become float32.
    ///
    /// target: what should come out.
    ///
    /// reduction: None, Mean or Sum of the elements' losses. Default: Mean.
    ///
    /// Errors: ShapeError if the shapes differ.
    pub fn binaryCrossentropy(self: Tensor, target_: Tensor, options: BinaryCrossentropyOptions) Error!Tensor {
        return call(Tensor, "binary_crossentropy", .{ self, target_, options.reduction });
    }

    /// What `binaryCrossentropyLogits` can be told.
    pub const BinaryCrossentropyLogitsOptions = struct {
        /// None, Mean or Sum of the elements' losses. Default: Mean.
        reduction: ?Reduction = null,
    };

    /// The same for logits, without overflow.
    ///
    /// Shape: []; without reduction that of the elements' losses. Dtype: floats stay, integers and
    /// bool become float32.
    ///
    /// target: what should come out.
    ///
    /// reduction: None, Mean or Sum of the elements' losses. Default: Mean.
    ///
    /// Errors: ShapeError if the shapes differ.
    pub fn binaryCrossentropyLogits(self: Tensor, target_: Tensor, options: BinaryCrossentropyLogitsOptions) Error!Tensor {
        return call(Tensor, "binary_crossentropy_logits", .{ self, target_, options.reduction });
    }

    /// What `realize` can be told.
    pub const RealizeOptions = struct {
        /// what to compute. Default: this one.
        tensors: ?[]const Tensor = null,
    };

    /// Computes the value, or several values together, and keeps them as plain storage: gradients
    /// no longer flow through it. Reading a value leaves them be.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// tensors: what to compute. Default: this one.
    ///
    /// Errors: ArgumentError for a value that was overwritten in place before it was computed;
    /// DeviceError if the device fails.
    pub fn realize(self: Tensor, options: RealizeOptions) Error!Tensor {
        return call(Tensor, "realize", .{ self, options.tensors });
    }

    /// Whether the value is storage, without a graph behind it.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    pub fn isRealized(self: Tensor) Error!bool {
        return call(bool, "is_realized", .{ self });
    }

    /// Whether the value is storage, or will be once what was assigned to it, or to a view of it,
    /// has run.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    pub fn hasStorage(self: Tensor) Error!bool {
        return call(bool, "has_storage", .{ self });
    }

    /// The same values in storage, row-major; the tensor itself if it is whole storage.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn contiguous(self: Tensor) Error!Tensor {
        return call(Tensor, "contiguous", .{ self });
    }

    /// What `contiguousUnrolled` can be told.
    pub const ContiguousUnrolledOptions = struct {
        /// the same of those that are reduced. Default: none.
        unroll: ?[]const i64 = null,
    };

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
    pub fn contiguousUnrolled(self: Tensor, upcast_: []const i64, options: ContiguousUnrolledOptions) Error!Tensor {
        return call(Tensor, "contiguous_unrolled", .{ self, upcast_, options.unroll });
    }

    /// The same values; the gradient gets storage of its own on its way back.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn contiguousBackward(self: Tensor) Error!Tensor {
        return call(Tensor, "contiguous_backward", .{ self });
    }

    /// A copy: the same values in storage of its own, in any case.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn clone(self: Tensor) Error!Tensor {
        return call(Tensor, "clone", .{ self });
    }

    /// The same values; gradients stop here.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn detach(self: Tensor) Error!Tensor {
        return call(Tensor, "detach", .{ self });
    }

    /// The same values on another device; on several, all of them on each.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// device: its name, as in DEV, or several with commas between them.
    ///
    /// Errors: DeviceError for an unknown or unusable device.
    pub fn to(self: Tensor, device_: [:0]const u8) Error!Tensor {
        return call(Tensor, "to", .{ self, device_ });
    }

    /// What `shard` can be told.
    pub const ShardOptions = struct {
        /// which is split. Default: none.
        axis: ?i64 = null,
    };

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
    pub fn shard(self: Tensor, devices_: [:0]const u8, options: ShardOptions) Error!Tensor {
        return call(Tensor, "shard", .{ self, devices_, options.axis });
    }

    /// What `shardInPlace` can be told.
    pub const ShardInPlaceOptions = struct {
        /// which is split. Default: none.
        axis: ?i64 = null,
    };

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
    pub fn shardInPlace(self: Tensor, devices_: [:0]const u8, options: ShardInPlaceOptions) Error!Tensor {
        return call(Tensor, "shard_", .{ self, devices_, options.axis });
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
    pub fn shardLike(self: Tensor, like_: Tensor) Error!Tensor {
        return call(Tensor, "shard_like", .{ self, like_ });
    }

    /// The axis along which several devices have a part each; none, -1 outside of C++, where each
    /// has the whole value.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    pub fn shardAxis(self: Tensor) Error!i64 {
        return call(i64, "shard_axis", .{ self });
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
    pub fn assign(self: Tensor, value_: Tensor) Error!Tensor {
        return call(Tensor, "assign", .{ self, value_ });
    }

    /// The elements' bytes in row-major order, little endian.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// Errors: ArgumentError for a value that was overwritten in place before it was computed;
    /// DeviceError if the device fails.
    pub fn toBytes(self: Tensor) Error!tg.Value {
        return call(tg.Value, "to_bytes", .{ self });
    }

    /// The operations that it is made of as text, a node a line, sources before users, the tensor
    /// last. Computes nothing.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// Errors: ArgumentError for a value that was overwritten before it was computed.
    pub fn graph(self: Tensor) Error!tg.Value {
        return call(tg.Value, "graph", .{ self });
    }

    /// NumPy-like text of the values, then dtype and shape; more than 1000 elements are summarised.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// Errors: ArgumentError for a value that was overwritten in place before it was computed;
    /// DeviceError if the device fails.
    pub fn str(self: Tensor) Error!tg.Value {
        return call(tg.Value, "str", .{ self });
    }

    /// What `backward` can be told.
    pub const BackwardOptions = struct {
        /// gradient that reaches this value, of its shape. Default: 1, for a scalar.
        seed: ?Tensor = null,
        /// whether live tensors on the way to the leaves get theirs too. Default: false.
        inner: ?bool = null,
    };

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
    pub fn backward(self: Tensor, options: BackwardOptions) Error!void {
        return call(void, "backward", .{ self, options.seed, options.inner });
    }

    /// Whether backward has reached it.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    pub fn hasGrad(self: Tensor) Error!bool {
        return call(bool, "has_grad", .{ self });
    }

    /// The gradient that backward has filled.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// Errors: ArgumentError if there is none.
    pub fn grad(self: Tensor) Error!Tensor {
        return call(Tensor, "grad", .{ self });
    }

    /// Replaces the gradient.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// gradient: of this shape.
    ///
    /// Errors: ShapeError if the shapes differ.
    pub fn setGrad(self: Tensor, gradient_: Tensor) Error!Tensor {
        return call(Tensor, "set_grad", .{ self, gradient_ });
    }

    /// Forgets the gradient.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    pub fn zeroGrad(self: Tensor) Error!Tensor {
        return call(Tensor, "zero_grad", .{ self });
    }

    /// What `gradient` can be told.
    pub const GradientOptions = struct {
        /// gradient that reaches this value, of its shape. Default: 1, for a scalar.
        seed: ?Tensor = null,
    };

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
    pub fn gradient(self: Tensor, targets_: []const Tensor, options: GradientOptions) Error!tg.Value {
        return call(tg.Value, "gradient", .{ self, targets_, options.seed });
    }

    /// Whether it was marked as a parameter.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    pub fn isParam(self: Tensor) Error!bool {
        return call(bool, "is_param", .{ self });
    }

    /// What `isParamInPlace` can be told.
    pub const IsParamInPlaceOptions = struct {
        /// whether it is one. Default: true.
        flag: ?bool = null,
    };

    /// Marks it as a parameter, or as none. A parameter that is an expression gets storage of its
    /// own, filled when first needed.
    ///
    /// Shape: the result has this tensor's shape. Dtype: that of this tensor.
    ///
    /// flag: whether it is one. Default: true.
    pub fn isParamInPlace(self: Tensor, options: IsParamInPlaceOptions) Error!Tensor {
        return call(Tensor, "is_param_", .{ self, options.flag });
    }

    /// Bytes of one element.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// t: the dtype.
    pub fn dtypeSize(t_: DType) Error!i64 {
        return call(i64, "dtype_size", .{ t_ });
    }

    /// Its name, "float32".
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// t: the dtype.
    pub fn dtypeName(t_: DType) Error!tg.Value {
        return call(tg.Value, "dtype_name", .{ t_ });
    }

    /// Whether it is one of the eight floats.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// t: the dtype.
    pub fn isFloat(t_: DType) Error!bool {
        return call(bool, "is_float", .{ t_ });
    }

    /// Whether it is one of the integers; bool is none.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// t: the dtype.
    pub fn isInt(t_: DType) Error!bool {
        return call(bool, "is_int", .{ t_ });
    }

    /// Whether it is an integer without sign.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// t: the dtype.
    pub fn isUnsigned(t_: DType) Error!bool {
        return call(bool, "is_unsigned", .{ t_ });
    }

    /// Whether it is bool.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// t: the dtype.
    pub fn isBool(t_: DType) Error!bool {
        return call(bool, "is_bool", .{ t_ });
    }

    /// The dtype in which values of both are computed.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// a: one.
    ///
    /// b: the other.
    pub fn promote(a_: DType, b_: DType) Error!DType {
        return call(DType, "promote", .{ a_, b_ });
    }

    /// The dtype of a tensor with a plain number.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// tensor: the tensor's.
    ///
    /// scalar_is_float: whether the number is a float.
    pub fn promoteWeak(tensor_: DType, scalar_is_float_: bool) Error!DType {
        return call(DType, "promote_weak", .{ tensor_, scalar_is_float_ });
    }

    /// The dtype of floats that name none.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    pub fn defaultFloat() Error!DType {
        return call(DType, "default_float", .{});
    }

    /// Sets the dtype of floats that name none; gives the one before.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// t: the dtype.
    ///
    /// Errors: DTypeError for a dtype that is no float.
    pub fn setDefaultFloat(t_: DType) Error!DType {
        return call(DType, "set_default_float", .{ t_ });
    }

    /// Itself for floats, else default_float().
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// t: the dtype.
    pub fn leastFloat(t_: DType) Error!DType {
        return call(DType, "least_float", .{ t_ });
    }

    /// The dtype in which sums of it are given.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// t: the dtype.
    pub fn sumDtype(t_: DType) Error!DType {
        return call(DType, "sum_dtype", .{ t_ });
    }

    /// A tensor with the value of a graph, as graph() gives it.
    ///
    /// Shape: that of the last node. Dtype: that of the last node.
    ///
    /// graph: a node a line, the value last.
    ///
    /// Errors: ArgumentError for text that is no graph of tensors.
    pub fn tensorOfText(graph_: [:0]const u8) Error!Tensor {
        return call(Tensor, "tensor_of_text", .{ graph_ });
    }

    /// The kernels and copies between devices that evaluating the tensors together would run, an
    /// empty line between two. Computes nothing.
    ///
    /// Shape: not a tensor. Dtype: not a tensor.
    ///
    /// tensors: what would be evaluated.
    ///
    /// Errors: ArgumentError for a value that was overwritten before it was computed.
    pub fn kernelsText(tensors_: []const Tensor) Error!tg.Value {
        return call(tg.Value, "kernels_text", .{ tensors_ });
    }
};

/// Layers and optimisers.
pub const nn = struct {
    /// What `linear` can be told.
    pub const LinearOptions = struct {
        /// add a learned shift. Default: true.
        bias: ?bool = null,
        /// of the parameters. Default: float32.
        dtype: ?DType = null,
        /// of the parameters. Default: the default device.
        device: ?[:0]const u8 = null,
    };

    /// x times the transposed weight [out, in], plus bias [out]. Starts uniform in +-1/sqrt(in).
    ///
    /// Shape: [..., in] gives [..., out]. Dtype: the promoted dtype of input and parameters.
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
    pub fn linear(in_: i64, out_: i64, options: LinearOptions) Error!Layer {
        return call(Layer, "nn.Linear", .{ in_, out_, options.bias, options.dtype, options.device });
    }

    /// What `conv1d` can be told.
    pub const Conv1dOptions = struct {
        /// channel groups that do not mix. Default: 1.
        groups: ?i64 = null,
        /// step of the window. Default: 1.
        stride: ?[]const i64 = null,
        /// distance of neighbouring taps. Default: 1.
        dilation: ?[]const i64 = null,
        /// zeros around the input. Default: 0.
        padding: ?[]const i64 = null,
        /// add a learned shift. Default: true.
        bias: ?bool = null,
        /// of the parameters. Default: float32.
        dtype: ?DType = null,
        /// of the parameters. Default: the default device.
        device: ?[:0]const u8 = null,
    };

    /// Cross-correlation with a learned kernel [out, in / groups, length]. Starts uniform in
    /// +-1/sqrt(in / groups * length).
    ///
    /// Shape: [batch, in, length] gives [batch, out, ...]. Dtype: the promoted dtype of input and
    /// parameters.
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
    pub fn conv1d(in_: i64, out_: i64, kernel_: i64, options: Conv1dOptions) Error!Layer {
        return call(Layer, "nn.Conv1d", .{ in_, out_, kernel_, options.groups, options.stride, options.dilation, options.padding, options.bias, options.dtype, options.device });
    }

    /// What `conv2d` can be told.
    pub const Conv2dOptions = struct {
        /// channel groups that do not mix. Default: 1.
        groups: ?i64 = null,
        /// step of the window. Default: 1.
        stride: ?[]const i64 = null,
        /// distance of neighbouring taps. Default: 1.
        dilation: ?[]const i64 = null,
        /// zeros around the input. Default: 0.
        padding: ?[]const i64 = null,
        /// add a learned shift. Default: true.
        bias: ?bool = null,
        /// of the parameters. Default: float32.
        dtype: ?DType = null,
        /// of the parameters. Default: the default device.
        device: ?[:0]const u8 = null,
    };

    /// Cross-correlation with a learned kernel [out, in / groups, height, width]. Starts uniform in
    /// +-1/sqrt(in / groups * area).
    ///
    /// Shape: [batch, in, height, width] gives [batch, out, ...]. Dtype: the promoted dtype of
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
    pub fn conv2d(in_: i64, out_: i64, kernel_: []const i64, options: Conv2dOptions) Error!Layer {
        return call(Layer, "nn.Conv2d", .{ in_, out_, kernel_, options.groups, options.stride, options.dilation, options.padding, options.bias, options.dtype, options.device });
    }

    /// What `convTranspose1d` can be told.
    pub const ConvTranspose1dOptions = struct {
        /// channel groups that do not mix. Default: 1.
        groups: ?i64 = null,
        /// step of the window. Default: 1.
        stride: ?[]const i64 = null,
        /// distance of neighbouring taps. Default: 1.
        dilation: ?[]const i64 = null,
        /// cut off the result's border. Default: 0.
        padding: ?[]const i64 = null,
        /// more at the result's end. Default: 0.
        output_padding: ?[]const i64 = null,
        /// add a learned shift. Default: true.
        bias: ?bool = null,
        /// of the parameters. Default: float32.
        dtype: ?DType = null,
        /// of the parameters. Default: the default device.
        device: ?[:0]const u8 = null,
    };

    /// The transpose of a convolution, with a learned kernel [in, out / groups, length]. Starts
    /// uniform in +-1/sqrt(out / groups * length).
    ///
    /// Shape: [batch, in, length] gives [batch, out, ...]. Dtype: the promoted dtype of input and
    /// parameters.
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
    pub fn convTranspose1d(in_: i64, out_: i64, kernel_: i64, options: ConvTranspose1dOptions) Error!Layer {
        return call(Layer, "nn.ConvTranspose1d", .{ in_, out_, kernel_, options.groups, options.stride, options.dilation, options.padding, options.output_padding, options.bias, options.dtype, options.device });
    }

    /// What `convTranspose2d` can be told.
    pub const ConvTranspose2dOptions = struct {
        /// channel groups that do not mix. Default: 1.
        groups: ?i64 = null,
        /// step of the window. Default: 1.
        stride: ?[]const i64 = null,
        /// distance of neighbouring taps. Default: 1.
        dilation: ?[]const i64 = null,
        /// cut off the result's border. Default: 0.
        padding: ?[]const i64 = null,
        /// more at the result's end. Default: 0.
        output_padding: ?[]const i64 = null,
        /// add a learned shift. Default: true.
        bias: ?bool = null,
        /// of the parameters. Default: float32.
        dtype: ?DType = null,
        /// of the parameters. Default: the default device.
        device: ?[:0]const u8 = null,
    };

    /// The transpose of a convolution, with a learned kernel [in, out / groups, height, width].
    /// Starts uniform in +-1/sqrt(out / groups * area).
    ///
    /// Shape: [batch, in, height, width] gives [batch, out, ...]. Dtype: the promoted dtype of
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
    pub fn convTranspose2d(in_: i64, out_: i64, kernel_: []const i64, options: ConvTranspose2dOptions) Error!Layer {
        return call(Layer, "nn.ConvTranspose2d", .{ in_, out_, kernel_, options.groups, options.stride, options.dilation, options.padding, options.output_padding, options.bias, options.dtype, options.device });
    }

    /// What `batchNorm` can be told.
    pub const BatchNormOptions = struct {
        /// added to the variance. Default: 1e-5.
        eps: ?f64 = null,
        /// share of each batch in the running statistics. Default: 0.1.
        momentum: ?f64 = null,
        /// learn a scale, and a shift where there is one. Default: true.
        affine: ?bool = null,
        /// of the parameters. Default: float32.
        dtype: ?DType = null,
        /// of the parameters. Default: the default device.
        device: ?[:0]const u8 = null,
    };

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
    pub fn batchNorm(channels_: i64, options: BatchNormOptions) Error!Layer {
        return call(Layer, "nn.BatchNorm", .{ channels_, options.eps, options.momentum, options.affine, options.dtype, options.device });
    }

    /// What `layerNorm` can be told.
    pub const LayerNormOptions = struct {
        /// added to the variance. Default: 1e-5.
        eps: ?f64 = null,
        /// learn a scale, and a shift where there is one. Default: true.
        affine: ?bool = null,
        /// of the parameters. Default: float32.
        dtype: ?DType = null,
        /// of the parameters. Default: the default device.
        device: ?[:0]const u8 = null,
    };

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
    pub fn layerNorm(shape_: []const i64, options: LayerNormOptions) Error!Layer {
        return call(Layer, "nn.LayerNorm", .{ shape_, options.eps, options.affine, options.dtype, options.device });
    }

    /// What `layerNorm2d` can be told.
    pub const LayerNorm2dOptions = struct {
        /// added to the variance. Default: 1e-5.
        eps: ?f64 = null,
        /// learn a scale, and a shift where there is one. Default: true.
        affine: ?bool = null,
        /// of the parameters. Default: float32.
        dtype: ?DType = null,
        /// of the parameters. Default: the default device.
        device: ?[:0]const u8 = null,
    };

    /// LayerNorm over the channels of each place.
    ///
    /// Shape: [batch, channels, height, width], as the input. Dtype: the promoted dtype of input
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
    pub fn layerNorm2d(channels_: i64, options: LayerNorm2dOptions) Error!Layer {
        return call(Layer, "nn.LayerNorm2d", .{ channels_, options.eps, options.affine, options.dtype, options.device });
    }

    /// What `groupNorm` can be told.
    pub const GroupNormOptions = struct {
        /// added to the variance. Default: 1e-5.
        eps: ?f64 = null,
        /// learn a scale, and a shift where there is one. Default: true.
        affine: ?bool = null,
        /// of the parameters. Default: float32.
        dtype: ?DType = null,
        /// of the parameters. Default: the default device.
        device: ?[:0]const u8 = null,
    };

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
    pub fn groupNorm(groups_: i64, channels_: i64, options: GroupNormOptions) Error!Layer {
        return call(Layer, "nn.GroupNorm", .{ groups_, channels_, options.eps, options.affine, options.dtype, options.device });
    }

    /// What `instanceNorm` can be told.
    pub const InstanceNormOptions = struct {
        /// added to the variance. Default: 1e-5.
        eps: ?f64 = null,
        /// learn a scale, and a shift where there is one. Default: true.
        affine: ?bool = null,
        /// of the parameters. Default: float32.
        dtype: ?DType = null,
        /// of the parameters. Default: the default device.
        device: ?[:0]const u8 = null,
    };

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
    pub fn instanceNorm(channels_: i64, options: InstanceNormOptions) Error!Layer {
        return call(Layer, "nn.InstanceNorm", .{ channels_, options.eps, options.affine, options.dtype, options.device });
    }

    /// What `rmsNorm` can be told.
    pub const RMSNormOptions = struct {
        /// added to the mean square. Default: 1e-6.
        eps: ?f64 = null,
        /// learn a scale, and a shift where there is one. Default: true.
        affine: ?bool = null,
        /// of the parameters. Default: float32.
        dtype: ?DType = null,
        /// of the parameters. Default: the default device.
        device: ?[:0]const u8 = null,
    };

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
    pub fn rmsNorm(size_: i64, options: RMSNormOptions) Error!Layer {
        return call(Layer, "nn.RMSNorm", .{ size_, options.eps, options.affine, options.dtype, options.device });
    }

    /// What `embedding` can be told.
    pub const EmbeddingOptions = struct {
        /// of the parameters. Default: float32.
        dtype: ?DType = null,
        /// of the parameters. Default: the default device.
        device: ?[:0]const u8 = null,
    };

    /// A row of a learned table [entries, size] for each integer; negative ones count from the end,
    /// those outside give zeros. Starts as glorot_uniform.
    ///
    /// Shape: [...] gives [..., size]. Dtype: the promoted dtype of input and parameters.
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
    pub fn embedding(entries_: i64, size_: i64, options: EmbeddingOptions) Error!Layer {
        return call(Layer, "nn.Embedding", .{ entries_, size_, options.dtype, options.device });
    }

    /// What `dropout` can be told.
    pub const DropoutOptions = struct {
        /// share that is zeroed. Default: 0.5.
        p: ?f64 = null,
    };

    /// Tensor::dropout: zeroes elements and scales the rest inside a TrainingScope, else changes
    /// nothing.
    ///
    /// Shape: that of the input. Dtype: the promoted dtype of input and parameters.
    ///
    /// p: share that is zeroed (probability). Default: 0.5.
    ///
    /// Errors: ArgumentError for p outside [0, 1].
    pub fn dropout(options: DropoutOptions) Error!Layer {
        return call(Layer, "nn.Dropout", .{ options.p });
    }

    /// What `lstmCell` can be told.
    pub const LSTMCellOptions = struct {
        /// add a learned shift. Default: true.
        bias: ?bool = null,
        /// of the parameters. Default: float32.
        dtype: ?DType = null,
        /// of the parameters. Default: the default device.
        device: ?[:0]const u8 = null,
    };

    /// One step of a long short-term memory: x and a pair (output, cell) give the next pair;
    /// without one it starts from zeros. Starts uniform in +-1/sqrt(hidden).
    ///
    /// Shape: [batch, in] gives a pair of [batch, hidden]. Dtype: the promoted dtype of input and
    /// parameters.
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
    pub fn lstmCell(in_: i64, hidden_: i64, options: LSTMCellOptions) Error!Layer {
        return call(Layer, "nn.LSTMCell", .{ in_, hidden_, options.bias, options.dtype, options.device });
    }

    /// What `gruCell` can be told.
    pub const GRUCellOptions = struct {
        /// add a learned shift. Default: true.
        bias: ?bool = null,
        /// of the parameters. Default: float32.
        dtype: ?DType = null,
        /// of the parameters. Default: the default device.
        device: ?[:0]const u8 = null,
    };

    /// One step of a gated recurrent unit, gates in the order reset, update, new: x and a state
    /// give the next state; without one it starts from zeros. Starts uniform in +-1/sqrt(hidden).
    ///
    /// Shape: [..., in] gives [..., hidden]. Dtype: the promoted dtype of input and parameters.
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
    pub fn gruCell(in_: i64, hidden_: i64, options: GRUCellOptions) Error!Layer {
        return call(Layer, "nn.GRUCell", .{ in_, hidden_, options.bias, options.dtype, options.device });
    }

    /// What `lstm` can be told.
    pub const LSTMOptions = struct {
        /// one on the other. Default: 1.
        layers: ?i64 = null,
        /// add a learned shift. Default: true.
        bias: ?bool = null,
        /// x and outputs are [batch, steps, ...], not [steps, batch, ...]. Default: false.
        batch_first: ?bool = null,
        /// share of the outputs between layers, zeroed while training. Default: 0.
        dropout: ?f64 = null,
        /// of the parameters. Default: float32.
        dtype: ?DType = null,
        /// of the parameters. Default: the default device.
        device: ?[:0]const u8 = null,
    };

    /// LSTMCells over the steps of a sequence, several layers of them. x, or x and the two tensors
    /// of a state, give the outputs of all steps and the two tensors of the state after the last.
    ///
    /// Shape: [steps, batch, in] gives [steps, batch, hidden] and twice [layers, batch, hidden].
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
    /// batch_first: x and outputs are [batch, steps, ...], not [steps, batch, ...]. Default: false.
    ///
    /// dropout: share of the outputs between layers, zeroed while training (probability). Default:
    /// 0.
    ///
    /// dtype: of the parameters. Default: float32.
    ///
    /// device: of the parameters. Default: the default device.
    ///
    /// Errors: ArgumentError for sizes below 1, and a dropout outside [0, 1]; ShapeError for inputs
    /// of other shapes, and for no steps.
    pub fn lstm(in_: i64, hidden_: i64, options: LSTMOptions) Error!Layer {
        return call(Layer, "nn.LSTM", .{ in_, hidden_, options.layers, options.bias, options.batch_first, options.dropout, options.dtype, options.device });
    }

    /// What `gru` can be told.
    pub const GRUOptions = struct {
        /// one on the other. Default: 1.
        layers: ?i64 = null,
        /// add a learned shift. Default: true.
        bias: ?bool = null,
        /// x and outputs are [batch, steps, ...], not [steps, batch, ...]. Default: false.
        batch_first: ?bool = null,
        /// share of the outputs between layers, zeroed while training. Default: 0.
        dropout: ?f64 = null,
        /// of the parameters. Default: float32.
        dtype: ?DType = null,
        /// of the parameters. Default: the default device.
        device: ?[:0]const u8 = null,
    };

    /// GRUCells over the steps of a sequence, several layers of them. x, or x and a state, give the
    /// outputs of all steps and the state after the last.
    ///
    /// Shape: [steps, batch, in] gives [steps, batch, hidden] and [layers, batch, hidden]. Dtype:
    /// the promoted dtype of input and parameters.
    ///
    /// in: features or channels that come in (elements).
    ///
    /// hidden: features of the state (elements).
    ///
    /// layers: one on the other. Default: 1.
    ///
    /// bias: add a learned shift. Default: true.
    ///
    /// batch_first: x and outputs are [batch, steps, ...], not [steps, batch, ...]. Default: false.
    ///
    /// dropout: share of the outputs between layers, zeroed while training (probability). Default:
    /// 0.
    ///
    /// dtype: of the parameters. Default: float32.
    ///
    /// device: of the parameters. Default: the default device.
    ///
    /// Errors: ArgumentError for sizes below 1, and a dropout outside [0, 1]; ShapeError for inputs
    /// of other shapes, and for no steps.
    pub fn gru(in_: i64, hidden_: i64, options: GRUOptions) Error!Layer {
        return call(Layer, "nn.GRU", .{ in_, hidden_, options.layers, options.bias, options.batch_first, options.dropout, options.dtype, options.device });
    }

    /// What `multiHeadAttention` can be told.
    pub const MultiHeadAttentionOptions = struct {
        /// heads of keys and values, each for several of the queries. Default: as many as heads.
        kv_heads: ?i64 = null,
        /// share of the weights dropped while training. Default: 0.
        dropout: ?f64 = null,
        /// a query sees the keys up to its own place. Default: false.
        is_causal: ?bool = null,
        /// add a learned shift. Default: true.
        bias: ?bool = null,
        /// of the parameters. Default: float32.
        dtype: ?DType = null,
        /// of the parameters. Default: the default device.
        device: ?[:0]const u8 = null,
    };

    /// Queries, keys and values are projected, each head attends with its part, and the heads are
    /// projected together. Takes x, which attends to itself, or queries, keys and values; and
    /// behind them a mask, broadcast to [..., heads, n, m]: bool says which keys count, numbers are
    /// added to the scores.
    ///
    /// Shape: queries [..., n, size], keys and values [..., m, size] give [..., n, size]. Dtype:
    /// the promoted dtype of input and parameters.
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
    /// that do not divide the heads, and a dropout outside [0, 1]; ShapeError for inputs of other
    /// shapes.
    pub fn multiHeadAttention(size_: i64, heads_: i64, options: MultiHeadAttentionOptions) Error!Layer {
        return call(Layer, "nn.MultiHeadAttention", .{ size_, heads_, options.kv_heads, options.dropout, options.is_causal, options.bias, options.dtype, options.device });
    }

    /// What `transformerEncoderLayer` can be told.
    pub const TransformerEncoderLayerOptions = struct {
        /// between the two linear layers. Default: 2048.
        feedforward: ?i64 = null,
        /// share zeroed while training, in all parts. Default: 0.1.
        dropout: ?f64 = null,
        /// Relu, or Gelu, exact. Default: Relu.
        activation: ?Activation = null,
        /// normalise what a part takes, not what it gives. Default: false.
        norm_first: ?bool = null,
        /// x sees itself up to its own place. Default: false.
        is_causal: ?bool = null,
        /// heads of keys and values, each for several of the queries. Default: as many as heads.
        kv_heads: ?i64 = null,
        /// added to the variance. Default: 1e-5.
        eps: ?f64 = null,
        /// add a learned shift. Default: true.
        bias: ?bool = null,
        /// of the parameters. Default: float32.
        dtype: ?DType = null,
        /// of the parameters. Default: the default device.
        device: ?[:0]const u8 = null,
    };

    /// Self-attention, then two linear layers with an activation between them, the result of each
    /// added to its input and normalised. Takes x, and behind it a mask as MultiHeadAttention's.
    ///
    /// Shape: [..., n, size], as the input. Dtype: the promoted dtype of input and parameters.
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
    /// that do not divide the heads, and a dropout outside [0, 1]; ShapeError for inputs of other
    /// shapes.
    pub fn transformerEncoderLayer(size_: i64, heads_: i64, options: TransformerEncoderLayerOptions) Error!Layer {
        return call(Layer, "nn.TransformerEncoderLayer", .{ size_, heads_, options.feedforward, options.dropout, options.activation, options.norm_first, options.is_causal, options.kv_heads, options.eps, options.bias, options.dtype, options.device });
    }

    /// What `transformerDecoderLayer` can be told.
    pub const TransformerDecoderLayerOptions = struct {
        /// between the two linear layers. Default: 2048.
        feedforward: ?i64 = null,
        /// share zeroed while training, in all parts. Default: 0.1.
        dropout: ?f64 = null,
        /// Relu, or Gelu, exact. Default: Relu.
        activation: ?Activation = null,
        /// normalise what a part takes, not what it gives. Default: false.
        norm_first: ?bool = null,
        /// x sees itself up to its own place. Default: false.
        is_causal: ?bool = null,
        /// heads of keys and values, each for several of the queries. Default: as many as heads.
        kv_heads: ?i64 = null,
        /// added to the variance. Default: 1e-5.
        eps: ?f64 = null,
        /// add a learned shift. Default: true.
        bias: ?bool = null,
        /// of the parameters. Default: float32.
        dtype: ?DType = null,
        /// of the parameters. Default: the default device.
        device: ?[:0]const u8 = null,
    };

    /// TransformerEncoderLayer with attention to a memory between its two parts. Takes x and the
    /// memory, and behind them a mask of x and one of the memory.
    ///
    /// Shape: x [..., n, size] and memory [..., m, size] give [..., n, size]. Dtype: the promoted
    /// dtype of input and parameters.
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
    /// that do not divide the heads, and a dropout outside [0, 1]; ShapeError for inputs of other
    /// shapes.
    pub fn transformerDecoderLayer(size_: i64, heads_: i64, options: TransformerDecoderLayerOptions) Error!Layer {
        return call(Layer, "nn.TransformerDecoderLayer", .{ size_, heads_, options.feedforward, options.dropout, options.activation, options.norm_first, options.is_causal, options.kv_heads, options.eps, options.bias, options.dtype, options.device });
    }

    /// What `sgd` can be told.
    pub const SGDOptions = struct {
        /// size of a step. Default: 0.001.
        lr: ?f64 = null,
        /// share of the last direction kept. Default: 0.
        momentum: ?f64 = null,
        /// times the parameter, added to the gradient. Default: 0.
        weight_decay: ?f64 = null,
        /// look ahead along the momentum. Default: false.
        nesterov: ?bool = null,
    };

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
    /// finite, and shares outside [0, 1); DTypeError for parameters that are no floats.
    pub fn sgd(model_: []const Tensor, options: SGDOptions) Error!Optimizer {
        return call(Optimizer, "nn.SGD", .{ model_, options.lr, options.momentum, options.weight_decay, options.nesterov });
    }

    /// What `adam` can be told.
    pub const AdamOptions = struct {
        /// size of a step. Default: 0.001.
        lr: ?f64 = null,
        /// decay of the mean of gradients. Default: 0.9.
        beta1: ?f64 = null,
        /// decay of the mean of their squares. Default: 0.999.
        beta2: ?f64 = null,
        /// added to the root of the mean square. Default: 1e-8.
        eps: ?f64 = null,
        /// times rate and parameter, subtracted from it. Default: 0.
        weight_decay: ?f64 = null,
    };

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
    /// finite, and shares outside [0, 1); DTypeError for parameters that are no floats.
    pub fn adam(model_: []const Tensor, options: AdamOptions) Error!Optimizer {
        return call(Optimizer, "nn.Adam", .{ model_, options.lr, options.beta1, options.beta2, options.eps, options.weight_decay });
    }

    /// What `adamW` can be told.
    pub const AdamWOptions = struct {
        /// size of a step. Default: 0.001.
        lr: ?f64 = null,
        /// decay of the mean of gradients. Default: 0.9.
        beta1: ?f64 = null,
        /// decay of the mean of their squares. Default: 0.999.
        beta2: ?f64 = null,
        /// added to the root of the mean square. Default: 1e-8.
        eps: ?f64 = null,
        /// times rate and parameter, subtracted from it. Default: 0.01.
        weight_decay: ?f64 = null,
    };

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
    /// finite, and shares outside [0, 1); DTypeError for parameters that are no floats.
    pub fn adamW(model_: []const Tensor, options: AdamWOptions) Error!Optimizer {
        return call(Optimizer, "nn.AdamW", .{ model_, options.lr, options.beta1, options.beta2, options.eps, options.weight_decay });
    }

    /// What `lamb` can be told.
    pub const LAMBOptions = struct {
        /// size of a step. Default: 0.001.
        lr: ?f64 = null,
        /// decay of the mean of gradients. Default: 0.9.
        beta1: ?f64 = null,
        /// decay of the mean of their squares. Default: 0.999.
        beta2: ?f64 = null,
        /// added to the root of the mean square. Default: 1e-6.
        eps: ?f64 = null,
        /// times the parameter, added to the direction. Default: 0.
        weight_decay: ?f64 = null,
    };

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
    /// finite, and shares outside [0, 1); DTypeError for parameters that are no floats.
    pub fn lamb(model_: []const Tensor, options: LAMBOptions) Error!Optimizer {
        return call(Optimizer, "nn.LAMB", .{ model_, options.lr, options.beta1, options.beta2, options.eps, options.weight_decay });
    }

    /// What `lars` can be told.
    pub const LARSOptions = struct {
        /// size of a step. Default: 0.001.
        lr: ?f64 = null,
        /// share of the last direction kept. Default: 0.9.
        momentum: ?f64 = null,
        /// times the parameter, added to the gradient. Default: 1e-4.
        weight_decay: ?f64 = null,
        /// look ahead along the momentum. Default: false.
        nesterov: ?bool = null,
        /// share of the parameter's length a step may take. Default: 0.001.
        trust: ?f64 = null,
    };

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
    /// finite, and shares outside [0, 1); DTypeError for parameters that are no floats.
    pub fn lars(model_: []const Tensor, options: LARSOptions) Error!Optimizer {
        return call(Optimizer, "nn.LARS", .{ model_, options.lr, options.momentum, options.weight_decay, options.nesterov, options.trust });
    }

    /// What `muon` can be told.
    pub const MuonOptions = struct {
        /// size of a step. Default: 0.001.
        lr: ?f64 = null,
        /// share of the last direction kept. Default: 0.95.
        momentum: ?f64 = null,
        /// times rate and parameter, subtracted from it. Default: 0.1.
        weight_decay: ?f64 = null,
        /// look ahead along the momentum. Default: true.
        nesterov: ?bool = null,
        /// iterations. Default: 5.
        steps: ?i64 = null,
    };

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
    pub fn muon(model_: []const Tensor, options: MuonOptions) Error!Optimizer {
        return call(Optimizer, "nn.Muon", .{ model_, options.lr, options.momentum, options.weight_decay, options.nesterov, options.steps });
    }

    /// What `clipGradNorm` can be told.
    pub const ClipGradNormOptions = struct {
        /// p of the norm; infinity: the largest element. Default: 2.
        norm_type: ?f64 = null,
    };

    /// Multiplies gradients by max_norm / (norm + 1e-6), or by 1 where that is more; gives the norm
    /// before, of all as one vector. Between backward and step.
    ///
    /// Shape: []. Dtype: float32, or float64 if a gradient is.
    ///
    /// parameters: whose gradients are changed.
    ///
    /// max_norm: what the norm is to be at most.
    ///
    /// norm_type: p of the norm; infinity: the largest element. Default: 2.
    ///
    /// Errors: ArgumentError for no parameters, a negative max_norm, and a norm_type that is not
    /// above 0.
    pub fn clipGradNorm(parameters_: []const Tensor, max_norm_: f64, options: ClipGradNormOptions) Error!Tensor {
        return call(Tensor, "nn.clip_grad_norm", .{ parameters_, max_norm_, options.norm_type });
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
    pub fn clipGradValue(parameters_: []const Tensor, clip_value_: f64) Error!void {
        return call(void, "nn.clip_grad_value", .{ parameters_, clip_value_ });
    }
};
