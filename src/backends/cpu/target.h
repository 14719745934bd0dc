// What this machine's processor is, as facts for the compiler, and a fingerprint for cache keys.
#pragma once

#include <string>

#include "target/target.h"

namespace tg::cpu {

/// Facts of this machine: instruction set by cpuid, caches by sysfs, cores by option THREADS,
/// speeds as `tg bench --calibrate` found them, if it has run here. With
/// `arch` "generic" the plain baseline of the architecture (16-byte vectors, no FMA), whatever the
/// machine has. Missing facts get common values.
Target detect_target(const std::string& arch);

/// Text that differs between processors for which "native" code differs.
std::string processor_fingerprint();

}  // namespace tg::cpu
