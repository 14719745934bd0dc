// See spaces.h.
#include "ptx/spaces.h"

#include <fmt/format.h>

namespace tg::emulator::ptx {
namespace {

constexpr int kMany = -2;
constexpr int64_t kArrayAlign = 64;

void check_aligned(uint64_t address, int64_t bytes) {
  if (address % static_cast<uint64_t>(bytes) != 0)
    throw Wrong(fmt::format("{} bytes at an address that is no multiple of them", bytes));
}

}  // namespace

GlobalMemory::GlobalMemory(std::span<const Argument> arguments) {
  for (const Argument& a : arguments) {
    if (a.bytes >= 0) arrays_.push_back(a);
  }
}

char* GlobalMemory::place(uint64_t address, int64_t bytes, bool writes, bool constant) const {
  for (const Argument& a : arrays_) {
    if (address < a.word ||
        address + static_cast<uint64_t>(bytes) > a.word + static_cast<uint64_t>(a.bytes))
      continue;
    check_aligned(address, bytes);
    if (writes && !a.written) throw Wrong("writes to an array that is only read");
    if (constant && a.written) throw Wrong("reads as constant what is written");
    return reinterpret_cast<char*>(address);
  }
  throw Wrong(fmt::format("{} {} bytes outside of all arrays", writes ? "writes" : "reads", bytes));
}

OwnMemory::OwnMemory(const Kernel& kernel, Space space, int64_t dynamic_bytes) {
  for (const Array& a : kernel.arrays) {
    if (a.space != space) continue;
    const int64_t bytes = a.bytes == 0 ? dynamic_bytes : a.bytes;
    const size_t at = bytes_.size() + kArrayAlign;
    addresses_[a.name] = at;
    bytes_.resize(at + static_cast<size_t>((bytes + kArrayAlign - 1) / kArrayAlign * kArrayAlign));
    for (size_t i = at; i < at + static_cast<size_t>(bytes); ++i) bytes_[i].inside = true;
  }
  bytes_.resize(bytes_.size() + kArrayAlign);
  data_.resize(bytes_.size());
}

uint64_t OwnMemory::address_of(const std::string& array) const {
  const auto found = addresses_.find(array);
  if (found == addresses_.end()) throw Wrong("no array " + array);
  return found->second;
}

void OwnMemory::touch(Byte& b, bool writes, int work_item) const {
  if (!b.inside) throw Wrong("touches memory outside of the group's arrays");
  const bool others_wrote = b.write_round == round_ && b.writer != work_item;
  const bool others_read = b.read_round == round_ && b.reader != work_item;
  if (others_wrote || (writes && others_read))
    throw Wrong("a race: another work-item touched this memory since the last barrier");
  if (writes) {
    b.written = true;
    b.writer = work_item;
    b.write_round = round_;
    return;
  }
  if (!b.written) throw Wrong("reads what nobody wrote");
  b.reader = b.read_round == round_ && b.reader != work_item ? kMany : work_item;
  b.read_round = round_;
}

void OwnMemory::forget(uint64_t address, int64_t bytes) {
  for (int64_t k = 0; k < bytes; ++k) bytes_[address + static_cast<uint64_t>(k)].written = false;
}

char* OwnMemory::place(uint64_t address, int64_t bytes, bool writes, int work_item) {
  if (address + static_cast<uint64_t>(bytes) > bytes_.size() || address > bytes_.size())
    throw Wrong("touches memory outside of the group's arrays");
  check_aligned(address, bytes);
  for (int64_t k = 0; k < bytes; ++k)
    touch(bytes_[address + static_cast<uint64_t>(k)], writes, work_item);
  return data_.data() + address;
}

}  // namespace tg::emulator::ptx
