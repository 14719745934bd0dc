// See allocator.h.
#include "backends/opencl/allocator.h"

#include <fmt/format.h>

namespace tg::opencl {
namespace {

constexpr uint32_t kBlocking = 1;

Memory* memory_of(void* handle) { return static_cast<Memory*>(handle); }

}  // namespace

void* BufferAllocator::create(int64_t bytes) {
  opened_in.check("OPENCL");
  Status status = kSuccess;
  Memory* made =
      api_.CreateBuffer(context_, kReadWrite, static_cast<size_t>(bytes), nullptr, &status);
  if (status == kSuccess) return made;
  if (!is_out_of_memory(status)) check(status, fmt::format("clCreateBuffer of {} bytes", bytes));
  return nullptr;
}

// Commands that still wait hold their buffers themselves.
void BufferAllocator::destroy(void* handle) {
  if (!opened_in.crossed()) api_.ReleaseMemObject(memory_of(handle));
}

void BufferAllocator::write(const BlockPlace& to, const void* from, int64_t bytes) {
  check(api_.EnqueueWriteBuffer(queue(), memory_of(to.handle), kBlocking,
                                static_cast<size_t>(to.offset), static_cast<size_t>(bytes), from, 0,
                                nullptr, nullptr),
        fmt::format("clEnqueueWriteBuffer of {} bytes", bytes));
}

void BufferAllocator::read(void* to, const BlockPlace& from, int64_t bytes) {
  check(api_.EnqueueReadBuffer(queue(), memory_of(from.handle), kBlocking,
                               static_cast<size_t>(from.offset), static_cast<size_t>(bytes), to, 0,
                               nullptr, nullptr),
        fmt::format("clEnqueueReadBuffer of {} bytes", bytes));
}

}  // namespace tg::opencl
