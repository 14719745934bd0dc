//! ONNX models as functions of tensors by name: the module `tinygrad_models`, beside `tinygrad`. It links
//! libtinygrad_models.
//!
//!     const model = try onnx.Model.load("digits.onnx");
//!     defer model.deinit();
//!     const inputs = try tg.State.init();
//!     defer inputs.deinit();
//!     try inputs.set("picture", picture);
//!     const outputs = try model.call(inputs);
const tg = @import("tinygrad");

const c = @cImport(@cInclude("tg/c/tg_models.h"));

// The handles and values of both headers are the same in C, and types of their own here.
fn state(of: tg.State) c.tg_state {
    return @ptrCast(of.handle);
}

/// A model of an .onnx file.
pub const Model = struct {
    handle: c.tg_onnx,

    /// Reads an .onnx file, with the external data that lies beside it, onto the default device.
    pub fn load(path: [:0]const u8) tg.Error!Model {
        var result: c.tg_onnx = null;
        try tg.check(c.tg_onnx_load(path.ptr, null, &result));
        return .{ .handle = result };
    }
    /// A model of the bytes of a file without external data.
    pub fn parse(bytes: []const u8) tg.Error!Model {
        var result: c.tg_onnx = null;
        try tg.check(c.tg_onnx_parse(bytes.ptr, bytes.len, null, null, &result));
        return .{ .handle = result };
    }
    pub fn deinit(self: Model) void {
        _ = c.tg_release(self.handle);
    }
    /// Its inputs, outputs and operators, as the text of a JSON object (tg_models.h says which).
    pub fn describe(self: Model) tg.Error!tg.Value {
        var result: tg.Value = undefined;
        try tg.check(c.tg_onnx_describe(self.handle, @ptrCast(&result.raw)));
        return result;
    }
    /// The outputs by name, lazily; of a sequence the items, "name.0", "name.1", ....
    pub fn call(self: Model, inputs: tg.State) tg.Error!tg.State {
        var result: c.tg_state = null;
        try tg.check(c.tg_onnx_call(self.handle, state(inputs), &result));
        return .{ .handle = @ptrCast(result) };
    }
    /// Its weights by name; they are its own tensors, not copies.
    pub fn parameters(self: Model) tg.Error!tg.State {
        var result: c.tg_state = null;
        try tg.check(c.tg_onnx_get_parameters(self.handle, &result));
        return .{ .handle = @ptrCast(result) };
    }
    /// Replaces weights by tensors of their shape and dtype, which may be on another device; all or
    /// nothing.
    pub fn setParameters(self: Model, from: tg.State) tg.Error!void {
        try tg.check(c.tg_onnx_set_parameters(self.handle, state(from)));
    }
};
