// Storage on a device: allocation on first use, copies, release. See buffer.h.
#include "runtime/buffer.h"

#include "support/check.h"
#include "support/options.h"

namespace tg {

namespace {

int64_t bytes_of_all(std::span<const Ref<Buffer>> parts, int axis) {
  int64_t bytes = 0;
  for (const Ref<Buffer>& p : parts) bytes = axis < 0 ? p->bytes() : bytes + p->bytes();
  return bytes;
}

}  // namespace

Buffer::Buffer(std::vector<Ref<Buffer>> parts, int axis)
    : device_(parts.at(0)->device()),
      bytes_(bytes_of_all(parts, axis)),
      parts_(std::move(parts)),
      axis_(axis) {
  for (const Ref<Buffer>& p : parts_) {
    TG_CHECK(p->whole_ == nullptr && p->parts_.empty(), "a part of two buffers");
    p->whole_ = this;
  }
}

Buffer::~Buffer() {
  for (const Ref<Buffer>& p : parts_) p->whole_ = nullptr;
  if (release_)
    release_();
  else if (allocated())
    device_.allocator().free(allocation_);
}

void* Buffer::data() {
  TG_CHECK(bytes_ >= 0, "a buffer of {} bytes", bytes_);
  TG_CHECK(parts_.empty(), "one address for {} devices", parts_.size());
  if (!allocated()) {
    allocation_ = device_.allocator().allocate(bytes_);
    // What a kernel has not written must not look like a NaN that it wrote.
    if (options().check_nan > 0) {
      const std::vector<std::byte> zeros(static_cast<size_t>(bytes_));
      device_.allocator().copy_in(allocation_, zeros.data(), bytes_);
    }
  }
  return allocation_.data;
}

void Buffer::copy_in(const void* from, int64_t bytes) {
  TG_CHECK(bytes >= 0 && bytes <= bytes_, "{} bytes copied into a buffer of {}", bytes, bytes_);
  if (!parts_.empty()) {
    TG_CHECK(axis_ < 0, "one source for {} different parts", parts_.size());
    for (const Ref<Buffer>& p : parts_) p->copy_in(from, bytes);
    return;
  }
  if (bytes != 0) device_.allocator().copy_in(allocation(), from, bytes);
}

void Buffer::copy_out(void* to, int64_t bytes) {
  TG_CHECK(bytes >= 0 && bytes <= bytes_, "{} bytes copied out of a buffer of {}", bytes, bytes_);
  if (bytes != 0) device_.allocator().copy_out(to, allocation(), bytes);
}

const char* overwriter_name(Overwriter by) {
  return by == Overwriter::CapturedCall ? "a captured call" : "an assignment";
}

}  // namespace tg
