// A reference-counted object whose type the holder need not know: the storage behind a BUFFER node
// is defined by the runtime, far above the graph that keeps it alive.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "tg/export.h"

namespace tg {

/// Base of counted objects. Starts with one reference, owned by the creator's Ref.
class TG_API Resource {
 public:
  virtual ~Resource() = default;
  void retain() { count_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  /// The current number of references; 1 means that only the caller can reach it.
  uint32_t use_count() const { return count_.load(std::memory_order_acquire); }

 private:
  std::atomic<uint32_t> count_{1};
};

/// Owning handle of a Resource.
template <typename T>
class Ref {
 public:
  Ref() = default;
  /// Takes over the reference that `p` was created with.
  static Ref adopt(T* p) { return Ref(p); }
  /// Adds a reference of its own.
  static Ref share(T* p) {
    if (p != nullptr) p->retain();
    return Ref(p);
  }
  Ref(const Ref& o) : p_(o.p_) {
    if (p_ != nullptr) p_->retain();
  }
  Ref(Ref&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  Ref& operator=(Ref o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  ~Ref() {
    if (p_ != nullptr) p_->release();
  }
  T* get() const { return p_; }
  T* operator->() const { return p_; }
  T& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }

 private:
  explicit Ref(T* p) : p_(p) {}
  T* p_ = nullptr;
};

/// `make_ref<Buffer>(args…)`: a new counted object.
template <typename T, typename... Args>
Ref<T> make_ref(Args&&... args) {
  return Ref<T>::adopt(new T(std::forward<Args>(args)...));
}

}  // namespace tg
