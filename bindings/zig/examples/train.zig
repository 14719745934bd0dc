//! Trains a small network on numbers that are drawn here and prints the loss of every step. The same
//! program in C++ is tests/bindings/train.cpp; Rust and Go have it too. All print the same numbers.
const std = @import("std");
const tg = @import("tinygrad");
const Tensor = tg.Tensor;

const Net = struct {
    first: tg.Layer,
    second: tg.Layer,

    fn apply(net: Net, x: Tensor) !Tensor {
        const hidden = try net.first.apply(x);
        defer hidden.deinit();
        const bent = try hidden.tanh();
        defer bent.deinit();
        return net.second.apply(bent);
    }
};

fn loss(net: Net, x: Tensor, y: Tensor) !Tensor {
    const guess = try net.apply(x);
    defer guess.deinit();
    const difference = try guess.sub(.{ .tensor = y });
    defer difference.deinit();
    const square = try difference.square();
    defer square.deinit();
    return square.mean(.{});
}

pub fn main() !void {
    const out = std.io.getStdOut().writer();
    try tg.manualSeed(7);
    const drawn = try Tensor.randn(&.{ 64, 8 }, .{});
    const x = try drawn.realize(.{});
    drawn.deinit();
    defer x.deinit();
    const rows = try x.sum(.{ .axis = &.{1}, .keepdim = true });
    defer rows.deinit();
    const sine = try rows.sin();
    defer sine.deinit();
    const y = try sine.realize(.{});
    defer y.deinit();

    const net = Net{ .first = try tg.nn.linear(8, 32, .{}), .second = try tg.nn.linear(32, 1, .{}) };
    defer net.first.deinit();
    defer net.second.deinit();
    const parameters = [_]Tensor{
        try net.first.parameter("weight"),  try net.first.parameter("bias"),
        try net.second.parameter("weight"), try net.second.parameter("bias"),
    };
    defer for (parameters) |parameter| parameter.deinit();
    const adam = try tg.nn.adam(&parameters, .{ .lr = 0.01 });
    defer adam.deinit();

    _ = try tg.setTraining(true);
    for (0..50) |_| {
        const now = try loss(net, x, y);
        defer now.deinit();
        try adam.step(now);
        var value = [1]f32{0};
        try now.read(f32, &value);
        try out.print("{d:.9}\n", .{value[0]});
    }
}
