//! ONNX models.
const std = @import("std");
const tg = @import("tinygrad");
const onnx = @import("tinygrad_models");
const testing = std.testing;

// y [n] = x [n] times w [1], which is 3.
const model_bytes = [_]u8{
    8,  8,  58, 73, 10, 14, 10, 1, 120, 10, 1,   119, 18,  1,   121, 34,  3,   77,  117, 108,
    42, 13, 8,  1,  16, 1,  66, 1, 119, 74, 4,   0,   0,   64,  64,  90,  16,  10,  1,   120,
    18, 11, 10, 9,  8,  1,  18, 5, 10,  3,  18,  1,   110, 98,  16,  10,  1,   121, 18,  11,
    10, 9,  8,  1,  18, 5,  10, 3, 18,  1,  110, 18,  4,   116, 101, 115, 116, 66,  4,   10,
    0,  16, 17,
};

fn named(name: [:0]const u8, values: []const f32) !tg.State {
    const state = try tg.State.init();
    const tensor = try tg.Tensor.fromSlice(f32, values, &.{@intCast(values.len)});
    defer tensor.deinit();
    try state.set(name, tensor);
    return state;
}

fn expectY(model: onnx.Model, x: []const f32, wanted: []const f32) !void {
    const inputs = try named("x", x);
    defer inputs.deinit();
    const outputs = try model.call(inputs);
    defer outputs.deinit();
    const y = try outputs.get("y");
    defer y.deinit();
    var room: [8]f32 = undefined;
    try y.read(f32, room[0..wanted.len]);
    try testing.expectEqualSlices(f32, wanted, room[0..wanted.len]);
}

test "a model is called with tensors by name" {
    const model = try onnx.Model.parse(&model_bytes);
    defer model.deinit();
    try expectY(model, &.{ 1, 2 }, &.{ 3, 6 });
    var description = try model.describe();
    defer description.deinit();
    try testing.expect(std.mem.indexOf(u8, description.text(), "\"operators\":{\"Mul\":1}") != null);
}

test "weights are replaced" {
    const model = try onnx.Model.parse(&model_bytes);
    defer model.deinit();
    const weights = try named("w", &.{5});
    defer weights.deinit();
    try model.setParameters(weights);
    try expectY(model, &.{1}, &.{5});
    const unknown = try named("v", &.{5});
    defer unknown.deinit();
    try testing.expectError(error.Argument, model.setParameters(unknown));
    const own = try model.parameters();
    defer own.deinit();
    const w = try own.get("w");
    defer w.deinit();
    var room: [1]f32 = undefined;
    try w.read(f32, &room);
    try testing.expectEqual(@as(f32, 5), room[0]);
}

test "mistakes are errors" {
    try testing.expectError(error.File, onnx.Model.parse("no model"));
    try testing.expectError(error.File, onnx.Model.load("/nowhere.onnx"));
    try testing.expect(std.mem.indexOf(u8, tg.message(), "/nowhere.onnx") != null);
}
