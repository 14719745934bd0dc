// Scratch memory of kernels: one block a thread, grown when a kernel asks for more, kept for the
// next one.
#pragma once

#include <cstdint>

namespace tg::cpu {

/// At least `bytes` bytes that belong to the calling thread until its next call, aligned to 64
/// bytes, from 2 MiB on to a huge page. The contents are whatever the last kernel left. Throws
/// DeviceError naming the bytes if there is no memory.
char* thread_arena(int64_t bytes);

}  // namespace tg::cpu
