// See memory.h.
#include "runner/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace tg::emulator {
namespace {

// Readers of one byte: one work-item, several lanes of a subgroup (its number is added), or several
// work-items.
constexpr uint16_t kMany = 0xffff, kLanes = 0x8000;
constexpr int64_t kNear = 4096;

}  // namespace

void Memory::add(std::string name, void* data, int64_t bytes, bool written, Kind kind) {
  const char* begin = static_cast<const char*>(data);
  arrays_.push_back({std::move(name), begin, begin + bytes, written, kind});
}

void Memory::ready() {
  std::vector<const Array*> sorted;
  for (const Array& a : arrays_) {
    if (a.begin != a.end) sorted.push_back(&a);
  }
  std::ranges::sort(sorted, {}, &Array::begin);
  for (const Array* a : sorted) {
    if (!regions_.empty() && a->begin < regions_.back().end) {
      regions_.back().end = std::max(regions_.back().end, a->end);
      continue;
    }
    regions_.push_back({a->begin, a->end, a->kind, {nullptr, std::free}});
  }
  for (Region& r : regions_) {
    // Pages of it that are not touched take no memory, and all its bytes are 0.
    void* p = std::calloc(static_cast<size_t>(r.end - r.begin), sizeof(Byte));
    if (p == nullptr) throw std::bad_alloc();
    r.bytes.reset(static_cast<Byte*>(p));
  }
}

void Memory::begin_group(uint32_t stamp) { group_begin_ = stamp; }

const Memory::Region* Memory::find(const char* address) const {
  if (last_ != nullptr && address >= last_->begin && address < last_->end) return last_;
  const auto after = std::ranges::upper_bound(regions_, address, {}, &Region::begin);
  if (after == regions_.begin()) return nullptr;
  const Region& r = *std::prev(after);
  if (address >= r.end) return nullptr;
  return last_ = &r;
}

// The array that holds all of it and may be used so, else one that holds some, or nullptr.
const Memory::Array* Memory::array_at(const char* begin, const char* end, bool writes) const {
  const Array* some = nullptr;
  for (const Array& a : arrays_) {
    if (begin >= a.begin && end <= a.end && (a.written || !writes)) return &a;
    if (begin < a.end && end > a.begin && (some == nullptr || begin >= a.begin)) some = &a;
  }
  return some;
}

std::string Memory::place(const char* address) const {
  const Array* a = array_at(address, address + 1, false);
  if (a == nullptr) return "an unknown place";
  return fmt::format("byte {} of {}", address - a->begin, a->name);
}

std::string Memory::touch(const Agent& by, const void* address, int64_t bytes, bool writes,
                          bool& known) {
  const char* begin = static_cast<const char*>(address);
  const char* end = begin + bytes;
  const Region* r = find(begin);
  known = r != nullptr;
  if (!known) return {};
  const Array* a = array_at(begin, end, writes);
  if (a == nullptr || begin < a->begin || end > a->end) return outside(address, bytes, writes);
  if (writes && !a->written)
    return fmt::format("writes to {}, which may only be read", place(begin));
  for (const char* p = begin; p < end; ++p) {
    Byte& b = r->bytes[p - r->begin];
    std::string wrong = writes ? check_write(by, r->kind, b, p) : check_read(by, r->kind, b, p);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

void Memory::forget(const void* address, int64_t bytes) {
  const char* begin = static_cast<const char*>(address);
  const Region* r = find(begin);
  for (int64_t k = 0; r != nullptr && k < bytes; ++k)
    r->bytes[begin + k - r->begin].write_stamp = 0;
}

std::string Memory::settle() {
  for (const Again& a : written_again_) {
    if (*a.at == a.before) continue;
    return fmt::format(
        "writes {}, which a work-item of another group writes too, with another value: "
        "a race",
        place(a.at));
  }
  written_again_.clear();
  return {};
}

std::string Memory::outside(const void* address, int64_t bytes, bool writes) const {
  const char* at = static_cast<const char*>(address);
  const auto what = fmt::format("{} {} bytes", writes ? "writes" : "reads", bytes);
  const Array* near = nullptr;
  int64_t distance = kNear;
  for (const Array& a : arrays_) {
    const int64_t d = at < a.begin ? a.begin - at : at >= a.end ? at - a.end : 0;
    if (d < distance) near = &a, distance = d;
  }
  if (near == nullptr) return what + " out of bounds, far from all arrays";
  return fmt::format("{} out of bounds, at byte {} of {}, which has {}", what, at - near->begin,
                     near->name, near->end - near->begin);
}

// Nothing if what `other` did under `stamp` was over before `by` does what it does now.
std::string Memory::clash(const Agent& by, Kind kind, const char* at, uint32_t stamp,
                          uint16_t other, const char* mine, const char* theirs) const {
  if (stamp == 0 || other == by.work_item) {
    if (stamp == 0 || stamp >= group_begin_ || kind == Kind::Local) return {};
  }
  const auto k = static_cast<size_t>(kind);
  const bool elsewhere = stamp < group_begin_;
  if (elsewhere && kind == Kind::Local) return {};
  if (!elsewhere) {
    if (stamp < by.since_group[k]) return {};
    const bool near = other == kMany          ? false
                      : (other & kLanes) != 0 ? (other & ~kLanes) == by.work_item / by.lanes
                                              : other / by.lanes == by.work_item / by.lanes;
    if (near && stamp < by.since_subgroup[k]) return {};
  }
  const std::string who = elsewhere               ? "a work-item of another group"
                          : other == kMany        ? "other work-items"
                          : (other & kLanes) != 0 ? "lanes of one subgroup"
                                                  : fmt::format("work-item {}", other);
  return fmt::format("{} {}, which {} {} and no barrier between them orders: a race", mine,
                     place(at), who, theirs);
}

std::string Memory::check_read(const Agent& by, Kind kind, Byte& b, const char* at) const {
  if (kind == Kind::Local && b.write_stamp < group_begin_)
    return fmt::format("reads {}, which nobody has written", place(at));
  std::string wrong = clash(by, kind, at, b.write_stamp, b.writer, "reads", "writes");
  if (!wrong.empty()) return wrong;
  const bool joined =
      b.read_stamp >= by.since_group[static_cast<size_t>(kind)] && b.reader != by.work_item;
  if (b.read_stamp != 0 && b.read_stamp < group_begin_) b.read_by_others = 1;
  b.read_stamp = by.now;
  const auto lanes = static_cast<uint16_t>(kLanes | by.work_item / by.lanes);
  if (!joined) {
    b.reader = static_cast<uint16_t>(by.work_item);
  } else if (b.reader != lanes) {
    const bool near = b.reader < kLanes && b.reader / by.lanes == by.work_item / by.lanes;
    b.reader = near ? lanes : kMany;
  }
  return {};
}

// Groups may write the same value to one place, as overlapping tiles do; whether it is the same is
// seen when it is written.
std::string Memory::check_write(const Agent& by, Kind kind, Byte& b, const char* at) {
  std::string wrong = clash(by, kind, at, b.write_stamp, b.writer, "writes", "writes too");
  if (!wrong.empty() && b.write_stamp < group_begin_) {
    written_again_.push_back({at, *at});
    wrong.clear();
  }
  if (wrong.empty()) wrong = clash(by, kind, at, b.read_stamp, b.reader, "writes", "reads");
  if (wrong.empty() && kind == Kind::Global && b.read_by_others != 0)
    wrong = clash(by, kind, at, group_begin_ - 1, kMany, "writes", "reads");
  if (!wrong.empty()) return wrong;
  b.write_stamp = by.now;
  b.writer = static_cast<uint16_t>(by.work_item & 0x7fff);
  return {};
}

}  // namespace tg::emulator
