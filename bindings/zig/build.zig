//! The package `tinygrad` for Zig: the module of that name, its tests (`zig build test`) and its training
//! example (`zig build train`). It needs the headers and the shared library, which are found as the compiler
//! and pkg-config find them, or in the folders of the options `include` and `library`.
const std = @import("std");

pub fn build(b: *std.Build) void {
    const target = b.standardTargetOptions(.{});
    const optimize = b.standardOptimizeOption(.{});
    const include = b.option([]const u8, "include", "The folder that holds tg/c/tg.h");
    const library = b.option([]const u8, "library", "The folder that holds libtinygrad");

    const module = b.addModule("tinygrad", .{
        .root_source_file = b.path("tinygrad.zig"),
        .target = target,
        .optimize = optimize,
        .link_libc = true,
    });
    if (include) |folder| module.addIncludePath(.{ .cwd_relative = folder });
    if (library) |folder| {
        module.addLibraryPath(.{ .cwd_relative = folder });
        module.addRPath(.{ .cwd_relative = folder });
    }
    module.linkSystemLibrary("tinygrad", .{});

    const tests = b.addTest(.{ .root_source_file = b.path("tests.zig"), .target = target, .optimize = optimize });
    tests.root_module.addImport("tinygrad", module);
    const test_step = b.step("test", "Run the tests");
    test_step.dependOn(&b.addRunArtifact(tests).step);

    if (b.option(bool, "models", "Offer the module tinygrad_models, which links libtinygrad_models") orelse false) {
        const models = b.addModule("tinygrad_models", .{
            .root_source_file = b.path("onnx.zig"),
            .target = target,
            .optimize = optimize,
        });
        if (include) |folder| models.addIncludePath(.{ .cwd_relative = folder });
        models.addImport("tinygrad", module);
        models.linkSystemLibrary("tinygrad_models", .{});
        const onnx_tests = b.addTest(.{ .root_source_file = b.path("onnx_tests.zig"), .target = target, .optimize = optimize });
        onnx_tests.root_module.addImport("tinygrad", module);
        onnx_tests.root_module.addImport("tinygrad_models", models);
        test_step.dependOn(&b.addRunArtifact(onnx_tests).step);
    }

    const train = b.addExecutable(.{
        .name = "train",
        .root_source_file = b.path("examples/train.zig"),
        .target = target,
        .optimize = optimize,
    });
    train.root_module.addImport("tinygrad", module);
    b.step("train", "Train the example and print its losses").dependOn(&b.addRunArtifact(train).step);
}
