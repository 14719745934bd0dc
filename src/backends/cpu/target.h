// What this machine's processor is, as facts for the compiler, and a fingerprint for cache keys.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "target/target.h"

namespace tg::cpu {

/// Facts of this machine: instruction set by cpuid, caches by sysfs, cores by option THREADS,
/// speeds as `tg bench --calibrate` found them, if it has run here. `arch` is one of known_archs()
/// (archs.h): with "generic" the plain baseline of the architecture (16-byte vectors, no FMA), with
/// a level of it what that has, whatever the machine has. Missing facts get common values.
Target detect_target(const std::string& arch);

/// Adds the matrix and dot instructions that this processor has, if it is the one that `target`
/// names.
void add_matrix_instructions(Target& target);
/// What this processor has and "native" code does without, by the compilers' names: arithmetic in
/// float16. Kernels compute in float32, so all that it gives are comparisons, and those of clang 19
/// are of the wrong operands where one was spilled (conformance: regression.masks_of_half). libLLVM
/// has the same code generator.
std::span<const std::string_view> features_left_out();
/// Flags of C compilers for all else. No two versions agree on how AVX10 is left out, so where
/// there is something to leave out it is the architecture's level and what kernels use besides.
std::vector<std::string> native_flags();

/// Text that differs between processors for which "native" code differs.
std::string processor_fingerprint();

}  // namespace tg::cpu
