// Memory between pages that nobody may touch, and a way to learn of the first touch: how tests see
// accesses outside an array, be they of compiled code. POSIX.
#pragma once

#include <gtest/gtest.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

namespace tg::test {

/// The pages that lie wholly inside [data, data + bytes), not to be touched while this lives.
class ForbiddenPages {
 public:
  ForbiddenPages(void* data, size_t bytes) {
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto at = reinterpret_cast<uintptr_t>(data);
    const uintptr_t from = (at + page - 1) / page * page, to = (at + bytes) / page * page;
    if (from >= to) return;
    first_ = reinterpret_cast<void*>(from);
    bytes_ = to - from;
    if (mprotect(first_, bytes_, PROT_NONE) != 0) throw std::runtime_error("mprotect failed");
  }
  ~ForbiddenPages() {
    if (bytes_ > 0) mprotect(first_, bytes_, PROT_READ | PROT_WRITE);
  }
  ForbiddenPages(const ForbiddenPages&) = delete;
  ForbiddenPages& operator=(const ForbiddenPages&) = delete;
  size_t bytes() const { return bytes_; }

 private:
  void* first_ = nullptr;
  size_t bytes_ = 0;
};

/// Which end of the bytes touches its guard. The other end has up to a page of slack, whose
/// contents are checked instead.
enum class Flush { Front, Back };

class GuardedMemory {
 public:
  GuardedMemory(size_t bytes, Flush flush) : bytes_(bytes) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    inner_ = std::max<size_t>(1, (bytes + page - 1) / page) * page;
    mapped_ = inner_ + 2 * page;
    void* p = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) throw std::runtime_error("mmap failed");
    base_ = static_cast<std::byte*>(p);
    first_ = base_ + page;
    if (mprotect(first_, inner_, PROT_READ | PROT_WRITE) != 0) {
      munmap(base_, mapped_);
      throw std::runtime_error("mprotect failed");
    }
    std::memset(first_, kFill, inner_);
    data_ = flush == Flush::Front ? first_ : first_ + (inner_ - bytes);
  }
  ~GuardedMemory() { munmap(base_, mapped_); }
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  /// Uninitialised bytes are 0xff: NaN as a float.
  std::byte* data() { return data_; }
  size_t size() const { return bytes_; }
  void make_read_only() { mprotect(first_, inner_, PROT_READ); }
  bool contains(const void* p) const { return p >= base_ && p < base_ + mapped_; }
  /// Position of an address relative to the first byte.
  std::ptrdiff_t offset_of(const void* p) const { return static_cast<const std::byte*>(p) - data_; }
  bool slack_is_untouched() const {
    const auto untouched = [](std::byte b) { return b == std::byte{kFill}; };
    return std::all_of(first_, data_, untouched) &&
           std::all_of(data_ + bytes_, first_ + inner_, untouched);
  }

 private:
  static constexpr unsigned char kFill = 0xff;
  size_t bytes_, inner_ = 0, mapped_ = 0;
  std::byte *base_ = nullptr, *first_ = nullptr, *data_ = nullptr;
};

namespace detail {
inline thread_local sigjmp_buf* volatile fault_return = nullptr;
inline thread_local void* volatile fault_address = nullptr;

inline void on_fault(int signal, siginfo_t* info, void*) {
  if (fault_return == nullptr) {  // not ours: the default action, on return
    ::signal(signal, SIG_DFL);
    return;
  }
  fault_address = info->si_addr;
  siglongjmp(*fault_return, 1);
}
}  // namespace detail

/// Runs `fn` on this thread up to its first access that the memory's protection refuses, and gives
/// that address; null if there is none. `fn` is left there: nothing in it is destroyed, so it
/// should only call compiled kernels.
template <typename Fn>
void* first_fault(const Fn& fn) {
  struct sigaction action{};
  struct sigaction old_segv{}, old_bus{};
  action.sa_sigaction = detail::on_fault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, &old_segv);
  sigaction(SIGBUS, &action, &old_bus);
  sigjmp_buf back;
  detail::fault_address = nullptr;
  if (sigsetjmp(back, 1) == 0) {
    detail::fault_return = &back;
    fn();
  }
  detail::fault_return = nullptr;
  sigaction(SIGSEGV, &old_segv, nullptr);
  sigaction(SIGBUS, &old_bus, nullptr);
  return detail::fault_address;
}

}  // namespace tg::test
