//! Zig on tinygrad.cpp: lazy tensors, gradients, layers. Programs import this file, with the folder of
//! tg/c/tg.h among the include folders, and link libtinygrad and libc.
//!
//!     const tg = @import("tinygrad.zig");
//!     const x = try tg.Tensor.fromSlice(f32, &.{ 1, 2, 3, 4 }, &.{ 2, 2 });
//!     defer x.deinit();
//!     const rows = try x.sum(.{ .axis = &.{1} });
//!     defer rows.deinit();
//!
//! Every function of the library is in ops.zig, which is generated. What need not be given are the
//! fields of its options, which may be `.{}`. The library's message for an error is `message()`.
const std = @import("std");
const ops = @import("ops.zig");

pub const c = @cImport(@cInclude("tg/c/tg.h"));
pub const abi_version = ops.abi_version;
pub const DType = ops.DType;
pub const GeluForm = ops.GeluForm;
pub const PadMode = ops.PadMode;
pub const Reduction = ops.Reduction;
pub const Rounding = ops.Rounding;
pub const Tensor = ops.Tensor;
pub const nn = ops.nn;

/// What can go wrong: the statuses of tg.h, and too many things in one call.
pub const Error = error{
    Shape,
    Dtype,
    Index,
    Argument,
    Device,
    File,
    Cancelled,
    Internal,
    Handle,
    Memory,
    Callback,
    OutOfMemory,
};

/// The library's words for this thread's last error; valid until its next.
pub fn message() [:0]const u8 {
    return std.mem.span(c.tg_error_message());
}

pub fn check(status: c.tg_status) Error!void {
    return switch (status) {
        c.TG_OK => {},
        c.TG_ERROR_SHAPE => error.Shape,
        c.TG_ERROR_DTYPE => error.Dtype,
        c.TG_ERROR_INDEX => error.Index,
        c.TG_ERROR_ARGUMENT => error.Argument,
        c.TG_ERROR_DEVICE => error.Device,
        c.TG_ERROR_FILE => error.File,
        c.TG_ERROR_CANCELLED => error.Cancelled,
        c.TG_ERROR_HANDLE => error.Handle,
        c.TG_ERROR_MEMORY => error.Memory,
        c.TG_ERROR_CALLBACK => error.Callback,
        else => error.Internal,
    };
}

/// A tensor, or a number, which takes the dtype of its partner.
pub const Operand = union(enum) { tensor: Tensor, int: i64, float: f64, boolean: bool };

/// A size: a number, or an expression of variables.
pub const Size = union(enum) { int: i64, expression: c.tg_size };

/// One item between the brackets of x[...].
pub const Index = union(enum) {
    at: Size,
    slice: struct { start: ?Size = null, stop: ?Size = null, step: ?i64 = null },
    ellipsis,
    new_axis,
    gather: Tensor,
};

/// A result that holds memory: texts, lists. Its owner calls `deinit`.
pub const Value = struct {
    raw: c.tg_value,

    pub fn deinit(self: *Value) void {
        _ = c.tg_value_clear(&self.raw);
    }
    pub fn text(self: Value) [:0]const u8 {
        return std.mem.span(self.raw.as.text);
    }
    pub fn ints(self: Value) []const i64 {
        return if (self.raw.count == 0) &.{} else self.raw.as.ints[0..self.raw.count];
    }
    pub fn bytes(self: Value) []const u8 {
        const first: [*]const u8 = @ptrCast(self.raw.as.bytes orelse return &.{});
        return first[0..self.raw.count];
    }
    /// How many tensors there are.
    pub fn count(self: Value) usize {
        return self.raw.count;
    }
    /// The i-th of them; it belongs to the value.
    pub fn tensor(self: Value, i: usize) Tensor {
        return .{ .handle = self.raw.as.tensors[i] };
    }
};

/// A layer of a network.
pub const Layer = struct {
    handle: c.tg_layer,

    pub fn deinit(self: Layer) void {
        _ = c.tg_release(self.handle);
    }
    pub fn apply(self: Layer, x: Tensor) Error!Tensor {
        var result: c.tg_tensor = null;
        try check(c.tg_layer_call(self.handle, x.handle, &result));
        return .{ .handle = result };
    }
    /// The same for layers that take or give several tensors, at most 8: `nn.LSTMCell` takes x, or x,
    /// output and cell of the step before, and gives the next output and cell. `results` has room for
    /// them; those that there are come back.
    pub fn applyAll(self: Layer, inputs: []const Tensor, results: []Tensor) Error![]Tensor {
        var given: [8]c.tg_tensor = undefined;
        var made: [8]c.tg_tensor = undefined;
        var count: usize = 0;
        if (inputs.len > given.len) return error.Argument;
        for (inputs, 0..) |input, i| given[i] = input.handle;
        const room = @min(results.len, made.len);
        try check(c.tg_layer_apply(self.handle, &given, inputs.len, &made, room, &count));
        for (made[0..count], results[0..count]) |handle, *result| result.* = .{ .handle = handle };
        return results[0..count];
    }
    /// One of its tensors, by name: "weight".
    pub fn parameter(self: Layer, name: [:0]const u8) Error!Tensor {
        var state = State{ .handle = null };
        try check(c.tg_layer_get_state(self.handle, &state.handle));
        defer state.deinit();
        return state.get(name);
    }
};

/// An optimiser.
pub const Optimizer = struct {
    handle: c.tg_optimizer,

    pub fn deinit(self: Optimizer) void {
        _ = c.tg_release(self.handle);
    }
    /// Gradients of `loss`, update of the parameters, everything computed.
    pub fn step(self: Optimizer, loss: Tensor) Error!void {
        try check(c.tg_optimizer_step(self.handle, loss.handle));
    }
};

/// Tensors by name.
pub const State = struct {
    handle: c.tg_state,

    /// No tensors.
    pub fn init() Error!State {
        var result: c.tg_state = null;
        try check(c.tg_state_create(&result));
        return .{ .handle = result };
    }
    /// Reads a file of tensors, by its content: safetensors, PyTorch, GGUF, .npz (docs/files.md). The
    /// tensors come onto the default device.
    pub fn load(path: [:0]const u8) Error!State {
        var result: c.tg_state = null;
        try check(c.tg_state_load(path.ptr, null, &result));
        return .{ .handle = result };
    }
    pub fn deinit(self: State) void {
        _ = c.tg_release(self.handle);
    }
    /// Adds a tensor, or replaces that of this name.
    pub fn set(self: State, name: [:0]const u8, tensor: Tensor) Error!void {
        try check(c.tg_state_set(self.handle, name.ptr, tensor.handle));
    }
    /// The tensor of this name; error.Argument if there is none.
    pub fn get(self: State, name: [:0]const u8) Error!Tensor {
        var result: c.tg_tensor = null;
        try check(c.tg_state_get(self.handle, name.ptr, &result));
        return .{ .handle = result };
    }
};

pub fn manualSeed(seed: u64) Error!void {
    try check(c.tg_manual_seed(seed));
}

/// Switches training of this thread on or off; gives what it was.
pub fn setTraining(on: bool) Error!bool {
    var before = false;
    try check(c.tg_set_training(on, &before));
    return before;
}

fn dtypeOf(comptime T: type) c.tg_dtype {
    return switch (T) {
        bool => c.TG_DTYPE_BOOL,
        i8 => c.TG_DTYPE_INT8,
        u8 => c.TG_DTYPE_UINT8,
        i16 => c.TG_DTYPE_INT16,
        u16 => c.TG_DTYPE_UINT16,
        i32 => c.TG_DTYPE_INT32,
        u32 => c.TG_DTYPE_UINT32,
        i64 => c.TG_DTYPE_INT64,
        u64 => c.TG_DTYPE_UINT64,
        f16 => c.TG_DTYPE_FLOAT16,
        f32 => c.TG_DTYPE_FLOAT32,
        f64 => c.TG_DTYPE_FLOAT64,
        else => @compileError("no element type: " ++ @typeName(T)),
    };
}

pub fn tensorFromSlice(comptime T: type, data: []const T, shape: []const i64) Error!Tensor {
    const bytes = std.mem.sliceAsBytes(data);
    var result: c.tg_tensor = null;
    const dtype = dtypeOf(T);
    try check(c.tg_tensor_from_data(bytes.ptr, bytes.len, dtype, shape.ptr, shape.len, null, &result));
    return .{ .handle = result };
}

pub fn readTensor(tensor: Tensor, comptime T: type, out: []T) Error!void {
    var info = std.mem.zeroes(c.tg_tensor_info);
    info.struct_size = @sizeOf(c.tg_tensor_info);
    try check(c.tg_tensor_get_info(tensor.handle, &info));
    if (info.dtype != dtypeOf(T)) {
        return check(c.tg_fail(c.TG_ERROR_DTYPE, "read: the elements are of another type. Hint: cast first."));
    }
    const bytes = std.mem.sliceAsBytes(out);
    try check(c.tg_tensor_read(tensor.handle, bytes.ptr, bytes.len));
}

// What the arguments of a call need beside the values themselves.
const Room = struct {
    bytes: [4096]u8 = undefined,
    used: usize = 0,

    fn allocate(self: *Room, comptime T: type, n: usize) Error![]T {
        const begin = std.mem.alignForward(usize, self.used, @alignOf(T));
        const start = std.mem.alignForward(usize, @intFromPtr(&self.bytes) + begin, @alignOf(T));
        const offset = start - @intFromPtr(&self.bytes);
        if (offset + n * @sizeOf(T) > self.bytes.len) return error.OutOfMemory;
        self.used = offset + n * @sizeOf(T);
        const first: [*]T = @ptrFromInt(start);
        return first[0..n];
    }
};

fn valueOf(room: *Room, argument: anytype) Error!c.tg_value {
    const T = @TypeOf(argument);
    // The tag of optionals is spelled differently by versions of Zig.
    if (comptime std.ascii.eqlIgnoreCase(@tagName(@typeInfo(T)), "optional")) {
        return if (argument) |given| valueOf(room, given) else std.mem.zeroes(c.tg_value);
    }
    var v = std.mem.zeroes(c.tg_value);
    switch (T) {
        bool => return c.tg_bool(argument),
        i64 => return c.tg_int(argument),
        f64 => return c.tg_float(argument),
        Tensor => return c.tg_of(argument.handle),
        DType => return c.tg_type(@intCast(@intFromEnum(argument))),
        [:0]const u8 => return c.tg_text(argument.ptr),
        []const u8 => return c.tg_bytes(argument.ptr, argument.len),
        []const i64 => return c.tg_ints(argument.ptr, argument.len),
        []const Tensor => {
            const handles = try room.allocate(c.tg_tensor, argument.len);
            for (handles, argument) |*to, from| to.* = from.handle;
            return c.tg_tensors(handles.ptr, handles.len);
        },
        Operand => switch (argument) {
            inline else => |x| return valueOf(room, x),
        },
        Size => switch (argument) {
            .int => |i| return c.tg_int(i),
            .expression => |e| return c.tg_size_value_of(e),
        },
        []const Size => {
            const values = try room.allocate(c.tg_value, argument.len);
            for (values, argument) |*to, from| to.* = try valueOf(room, from);
            v.kind = c.TG_SIZES;
            v.count = values.len;
            v.as.values = values.ptr;
            return v;
        },
        []const Index => {
            const items = try room.allocate(c.tg_index_item, argument.len);
            for (items, argument) |*to, from| to.* = try itemOf(room, from);
            return c.tg_items(items.ptr, items.len);
        },
        else => return c.tg_choice(@intFromEnum(argument)),
    }
}

fn itemOf(room: *Room, index: Index) Error!c.tg_index_item {
    var item = std.mem.zeroes(c.tg_index_item);
    switch (index) {
        .at => |place| {
            item.kind = c.TG_INDEX_AT;
            item.at = try valueOf(room, place);
        },
        .slice => |s| {
            item.kind = c.TG_INDEX_SLICE;
            item.start = try valueOf(room, s.start);
            item.stop = try valueOf(room, s.stop);
            item.step = try valueOf(room, s.step);
        },
        .ellipsis => item.kind = c.TG_INDEX_ELLIPSIS,
        .new_axis => item.kind = c.TG_INDEX_NEW_AXIS,
        .gather => |tensor| {
            item.kind = c.TG_INDEX_GATHER;
            item.at = c.tg_of(tensor.handle);
        },
    }
    return item;
}

/// Calls a function of the manifest by its name: its arguments become tagged values, and its result what
/// Zig says.
pub fn call(comptime Result: type, comptime name: [:0]const u8, arguments: anytype) Error!Result {
    const Record = struct {
        var found: c.tg_function = null;
        const key = name;
    };
    // Two threads that come here first find the same.
    var record = @atomicLoad(c.tg_function, &Record.found, .acquire);
    if (record == null) {
        try check(c.tg_find_function(Record.key.ptr, &record));
        @atomicStore(c.tg_function, &Record.found, record, .release);
    }
    var room = Room{};
    var values: [arguments.len]c.tg_value = undefined;
    inline for (arguments, 0..) |argument, i| values[i] = try valueOf(&room, argument);
    var result = std.mem.zeroes(c.tg_value);
    try check(c.tg_call(record, &values, values.len, &result));
    return switch (Result) {
        void => {},
        bool => result.as.integer != 0,
        i64 => result.as.integer,
        f64 => result.as.number,
        DType => @enumFromInt(result.as.integer),
        Tensor => .{ .handle = result.as.tensor },
        Layer => .{ .handle = result.as.layer },
        Optimizer => .{ .handle = result.as.optimizer },
        Value => .{ .raw = result },
        else => @compileError("no result: " ++ @typeName(Result)),
    };
}
