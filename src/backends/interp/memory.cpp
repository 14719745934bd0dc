// Elements in their storage form, little endian; see memory.h.
#include "backends/interp/memory.h"

#include <bit>
#include <cstring>

namespace tg::interp {

static_assert(std::endian::native == std::endian::little,
              "elements are copied from the low bytes of a word");

Array::Array(const Memory& m, void* storage)
    : elements_(m.elements),
      size_(dtype_size(m.dtype)),
      dtype_(m.dtype),
      base_(0),
      data_(static_cast<unsigned char*>(storage)) {
  if (m.slot >= 0) {
    base_ = reinterpret_cast<uint64_t>(storage);
    return;
  }
  own_.assign(static_cast<size_t>(elements_ * size_), 0xA5);
  written_.assign(static_cast<size_t>(elements_), false);
  data_ = own_.data();
}

Scalar Array::read(int64_t index) const {
  uint64_t raw = 0;
  std::memcpy(&raw, data_ + index * size_, static_cast<size_t>(size_));
  return Scalar::from_memory(raw, dtype_);
}

void Array::write(int64_t index, const Scalar& value) {
  const uint64_t raw = value.to_memory();
  std::memcpy(data_ + index * size_, &raw, static_cast<size_t>(size_));
  if (!written_.empty()) written_[static_cast<size_t>(index)] = true;
}

}  // namespace tg::interp
