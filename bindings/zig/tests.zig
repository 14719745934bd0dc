//! The binding's tests: each kind of argument and result, errors with the library's words, and that every
//! function compiles. What the functions compute is tested in C++.
const std = @import("std");
const tg = @import("tinygrad");
const Tensor = tg.Tensor;
const testing = std.testing;

fn expectElements(tensor: Tensor, comptime T: type, wanted: []const T) !void {
    var room: [64]T = undefined;
    const elements = room[0..wanted.len];
    try tensor.read(T, elements);
    try testing.expectEqualSlices(T, wanted, elements);
}

fn small() !Tensor {
    return Tensor.fromSlice(f32, &.{ 1, 2, 3, 4 }, &.{ 2, 2 });
}

test "the library speaks the version of the interface that the file was made for" {
    try testing.expectEqual(@as(u32, tg.abi_version), tg.c.tg_abi_version());
}

test "data goes in and comes out" {
    const x = try small();
    defer x.deinit();
    try expectElements(x, f32, &.{ 1, 2, 3, 4 });
}

test "options are fields that may be left out" {
    const x = try small();
    defer x.deinit();
    const rows = try x.sum(.{ .axis = &.{1} });
    defer rows.deinit();
    try expectElements(rows, f32, &.{ 3, 7 });
    const all = try x.sum(.{});
    defer all.deinit();
    try expectElements(all, f32, &.{10});
}

test "an operand is a tensor or a number" {
    const x = try small();
    defer x.deinit();
    const twice = try x.add(.{ .tensor = x });
    defer twice.deinit();
    try expectElements(twice, f32, &.{ 2, 4, 6, 8 });
    const more = try x.add(.{ .float = 0.5 });
    defer more.deinit();
    try expectElements(more, f32, &.{ 1.5, 2.5, 3.5, 4.5 });
}

test "an index has places, slices and an ellipsis" {
    const x = try small();
    defer x.deinit();
    const column = try x.index(&.{ .ellipsis, .{ .at = .{ .int = 1 } } });
    defer column.deinit();
    try expectElements(column, f32, &.{ 2, 4 });
    const last = try x.index(&.{.{ .slice = .{ .start = .{ .int = 1 } } }});
    defer last.deinit();
    try expectElements(last, f32, &.{ 3, 4 });
}

test "a wrong shape is an error of its own with the library's message" {
    const x = try small();
    defer x.deinit();
    const y = try Tensor.fromSlice(f32, &.{ 1, 2, 3 }, &.{3});
    defer y.deinit();
    try testing.expectError(error.Shape, x.matmul(y));
    try testing.expect(std.mem.indexOf(u8, tg.message(), "matmul") != null);
}

test "elements of another type are not read" {
    const x = try small();
    defer x.deinit();
    var room: [4]i32 = undefined;
    try testing.expectError(error.Dtype, x.read(i32, &room));
}

test "an unknown device is an error" {
    const x = try small();
    defer x.deinit();
    try testing.expectError(error.Device, x.to("NOWHERE"));
}

test "a layer that keeps a state takes and gives several tensors" {
    const cell = try tg.nn.lstmCell(2, 3, .{});
    defer cell.deinit();
    const x = try small();
    defer x.deinit();
    var room: [2]Tensor = undefined;
    const results = try cell.applyAll(&.{x}, &room);
    defer for (results) |result| result.deinit();
    try testing.expectEqual(@as(usize, 2), results.len);
}

test "no handles are left" {
    try testing.expectEqual(@as(i64, 0), tg.c.tg_live_handles());
}

test "every function compiles" {
    inline for (@typeInfo(Tensor).Struct.decls) |declaration| _ = &@field(Tensor, declaration.name);
    inline for (@typeInfo(tg.nn).Struct.decls) |declaration| _ = &@field(tg.nn, declaration.name);
}
