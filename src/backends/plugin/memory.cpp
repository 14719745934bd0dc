// See memory.h.
#include "backends/plugin/memory.h"

#include <algorithm>

#include "runtime/memory_use.h"
#include "support/check.h"
#include "support/log.h"

namespace tg::plugin {
namespace {

constexpr int64_t kAlignment = 64;
constexpr int64_t kLargestRequest = int64_t{1} << 60;

int64_t rounded(int64_t bytes) {
  return std::max((bytes + kAlignment - 1) / kAlignment * kAlignment, kAlignment);
}

}  // namespace

Allocation PluginMemory::allocate(int64_t bytes) {
  std::lock_guard guard(lock_);
  const int64_t most = max_bytes_ > 0 ? max_bytes_ : kLargestRequest;
  if (bytes < 0 || bytes > most) {
    plugin_.fail("allocate",
                 fmt::format("{} bytes asked for, at most {} in one block", bytes, most),
                 "Hint: use a smaller batch.");
  }
  const int64_t size = rounded(bytes);
  void* address = nullptr;
  if (auto it = cached_.find(size); it != cached_.end() && !it->second.empty()) {
    const uintptr_t block = it->second.back();
    it->second.pop_back();
    bytes_cached_ -= size;
    blocks_[block].in_use = true;
    address = reinterpret_cast<void*>(block);
  } else {
    address = ask(size);
    adopt(address, size);
  }
  bytes_in_use_ += size;
  count_memory(size);
  return {address, bytes};
}

// What is cached may be what is lacking, so a refusal is asked once more without it.
void* PluginMemory::ask(int64_t bytes) {
  void* address = nullptr;
  const auto f = [&](tg_message* m) {
    address = nullptr;
    return plugin_.table().allocate(device_, bytes, &address, m);
  };
  const std::string what = fmt::format("{} bytes, {} in use", bytes, bytes_in_use_);
  if (bytes_cached_ > 0) {
    if (plugin_.ask(f).status == TG_OK) return address;
    release_locked();
  }
  plugin_.call("allocate", what, f);
  return address;
}

void PluginMemory::adopt(void* address, int64_t bytes) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  if (address == nullptr)
    plugin_.fail("allocate", fmt::format("{} bytes: it succeeded with the address NULL", bytes));
  if (at % kAlignment != 0)
    plugin_.fail("allocate", fmt::format("{} bytes: the address {:#x} is no multiple of {}", bytes,
                                         at, kAlignment));
  const auto next = blocks_.upper_bound(at);
  const bool before =
      next != blocks_.begin() &&
      std::prev(next)->first + static_cast<uintptr_t>(std::prev(next)->second.bytes) > at;
  const bool behind = next != blocks_.end() && at + static_cast<uintptr_t>(bytes) > next->first;
  if (before || behind)
    plugin_.fail("allocate",
                 fmt::format("{} bytes: the address {:#x} lies in a block in use", bytes, at));
  blocks_[at] = {bytes, true};
}

void PluginMemory::free(Allocation a) {
  if (a.data == nullptr) return;
  std::lock_guard guard(lock_);
  const auto it = blocks_.find(reinterpret_cast<uintptr_t>(a.data));
  TG_CHECK(it != blocks_.end() && it->second.in_use,
           "{} frees a block that it did not hand out, or frees one twice", plugin_.name());
  const int64_t size = it->second.bytes;
  it->second.in_use = false;
  cached_[size].push_back(it->first);
  bytes_in_use_ -= size;
  count_memory(-size);
  bytes_cached_ += size;
}

void PluginMemory::give_back(uintptr_t address, int64_t bytes) noexcept {
  const Plugin::Answer answer = plugin_.ask([&](tg_message* m) {
    return plugin_.table().release(device_, reinterpret_cast<void*>(address), bytes, m);
  });
  if (answer.status == TG_OK) return;
  log_text(fmt::format("{}.release: {} bytes: {} (plug-in {}).", plugin_.name(), bytes,
                       answer.text.empty() ? "it failed" : answer.text, plugin_.path()));
}

int64_t PluginMemory::release_locked() noexcept {
  const int64_t released = bytes_cached_;
  for (auto& [size, blocks] : cached_) {
    for (const uintptr_t block : blocks) {
      give_back(block, size);
      blocks_.erase(block);
    }
  }
  cached_.clear();
  bytes_cached_ = 0;
  return released;
}

int64_t PluginMemory::release_cached() {
  std::lock_guard guard(lock_);
  return release_locked();
}

void PluginMemory::copy_in(Allocation to, const void* from, int64_t bytes) {
  TG_CHECK(bytes >= 0 && bytes <= to.bytes, "{} bytes copied into a block of {}", bytes, to.bytes);
  if (bytes == 0) return;
  plugin_.call("copy_in", fmt::format("{} bytes", bytes), [&](tg_message* m) {
    return plugin_.table().copy_in(device_, to.data, from, bytes, m);
  });
}

void PluginMemory::copy_out(void* to, Allocation from, int64_t bytes) {
  TG_CHECK(bytes >= 0 && bytes <= from.bytes, "{} bytes copied out of a block of {}", bytes,
           from.bytes);
  if (bytes == 0) return;
  plugin_.call("copy_out", fmt::format("{} bytes", bytes), [&](tg_message* m) {
    return plugin_.table().copy_out(device_, to, from.data, bytes, m);
  });
}

int64_t PluginMemory::bytes_in_use() const {
  std::lock_guard guard(lock_);
  return bytes_in_use_;
}

int64_t PluginMemory::bytes_cached() const {
  std::lock_guard guard(lock_);
  return bytes_cached_;
}

}  // namespace tg::plugin
