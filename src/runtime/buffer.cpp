// Storage on a device: allocation on first use, copies, release. See buffer.h.
#include "runtime/buffer.h"

#include "support/check.h"

namespace tg {

Buffer::~Buffer() {
  if (release_)
    release_();
  else if (allocated())
    device_.allocator().free(allocation_);
}

void* Buffer::data() {
  TG_CHECK(bytes_ >= 0, "a buffer of {} bytes", bytes_);
  if (!allocated()) allocation_ = device_.allocator().allocate(bytes_);
  return allocation_.data;
}

void Buffer::copy_in(const void* from, int64_t bytes) {
  TG_CHECK(bytes >= 0 && bytes <= bytes_, "{} bytes copied into a buffer of {}", bytes, bytes_);
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
