// The objects that programs of other languages hold, behind numbers that cannot be mistaken: a
// handle names a slot and the slot's generation, so one that is null, foreign or was released is
// found out instead of followed. What the objects are asked to do stands in the other files of this
// folder; the rules for users in tg/c/tg.h.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tensor/records/value.h"
#include "tg/c/tg.h"
#include "tg/error.h"
#include "tg/nn.h"

namespace tg::capi {

struct Jit;

/// Tensors by name, shared by all owners of the handle.
struct State {
  nn::StateDict tensors;
};

/// An object of another library (tg/interop.h), which alone knows its type.
struct ForeignObject {
  std::shared_ptr<void> object;
  std::string kind;  ///< what messages call it
};

/// Everything that a handle can stand for.
using Held =
    std::variant<std::monostate, Tensor, SymInt, std::shared_ptr<FnObject>, std::shared_ptr<State>,
                 std::shared_ptr<Jit>, std::shared_ptr<ForeignObject>>;

/// Thrown for a handle that names no object, or one of another kind.
class HandleError : public Error {
 public:
  using Error::Error;
};

/// Slots for all handles of the process. Finding an object takes no lock, and a thread that makes
/// and releases handles by turns takes none either: it keeps a few empty slots for itself. An
/// object lives until its last owner has released it and the last call that uses it has returned.
class HandleTable {
 public:
  static HandleTable& instance();

  /// A new handle with one owner.
  template <typename T>
  void* add(T object) {
    const uint32_t number = take_slot();
    Slot& slot = slot_at(number);
    slot.held.template emplace<T>(std::move(object));
    return open(slot, number);
  }
  /// One owner more, one less. HandleError if there is no such handle.
  void retain(const void* handle);
  void release(const void* handle);
  int64_t live() const;

 private:
  friend class Pin;
  struct Slot {
    std::atomic<uint64_t> word{kFirstWord};  // generation, owners, calls that use it
    Held held;
  };
  class Shelf;
  static constexpr int kUsesBits = 16, kOwnersBits = 24;
  static constexpr uint64_t kUse = 1, kOwner = uint64_t{1} << kUsesBits,
                            kGeneration = uint64_t{1} << (kUsesBits + kOwnersBits),
                            kFirstWord = kGeneration, kCounts = kGeneration - 1,
                            kOwners = kCounts & ~(kOwner - 1);
  static constexpr size_t kChunkSlots = 4096, kChunks = 1 << 14;

  Slot& slot_at(uint32_t number) const {
    return chunks_[number / kChunkSlots].load(std::memory_order_acquire)[number % kChunkSlots];
  }
  // The slot and the generation that the handle names; null if no such slot was ever made.
  Slot* find(const void* handle, uint64_t& generation) const;
  // Adds `what` if the handle is alive and its count is below its limit.
  Slot* enter(const void* handle, uint64_t what);
  // Whether the slot's word is of that generation and has an owner.
  static bool is_alive(uint64_t word, uint64_t generation) {
    return word / kGeneration == generation && (word & kOwners) != 0;
  }
  // Takes `what` away, and the object with the last of all counts.
  void leave(Slot& slot, uint32_t number, uint64_t what);
  // Destroys the object; `left` is the slot's word, with no counts.
  void empty(Slot& slot, uint32_t number, uint64_t left);
  // The handle of a slot that got its object.
  static void* open(Slot& slot, uint32_t number);
  uint32_t take_slot();
  void put_back(uint32_t number);
  uint32_t take_free();  // under the lock

  std::atomic<Slot*> chunks_[kChunks] = {};
  std::atomic<uint32_t> made_{0};
  mutable std::mutex lock_;
  std::vector<uint32_t> free_;
  Shelf* shelves_ = nullptr;       // of all threads
  std::atomic<uint32_t> worn_{0};  // slots that have no further generation
  std::vector<std::unique_ptr<Slot[]>> owned_;
};

/// An object that is used by a call: it stays, even if its handle is released meanwhile.
class Pin {
 public:
  /// Of nothing.
  Pin() = default;
  /// HandleError, in which `what` names the argument, if the handle is not alive.
  Pin(const void* handle, const char* what);
  ~Pin() {
    if (slot_ != nullptr) leave();
  }
  Pin(Pin&& other) noexcept : slot_(std::exchange(other.slot_, nullptr)), number_(other.number_) {}
  Pin& operator=(Pin&& other) noexcept {
    std::swap(slot_, other.slot_);
    std::swap(number_, other.number_);
    return *this;
  }
  Pin(const Pin&) = delete;
  Pin& operator=(const Pin&) = delete;
  const Held& held() const { return slot_->held; }

 private:
  void leave();

  HandleTable::Slot* slot_ = nullptr;
  uint32_t number_ = 0;
};

/// The object behind a handle, which must be a T, without a copy: it stays as long as `pin`, which
/// it is given. HandleError names the argument.
template <typename T>
const T& pinned(Pin& pin, const void* handle, const char* what);
extern template const Tensor& pinned<Tensor>(Pin&, const void*, const char*);

/// The same, copied.
template <typename T>
T object(const void* handle, const char* what);
extern template Tensor object<Tensor>(const void*, const char*);
extern template SymInt object<SymInt>(const void*, const char*);
extern template std::shared_ptr<FnObject> object<std::shared_ptr<FnObject>>(const void*,
                                                                            const char*);
extern template std::shared_ptr<State> object<std::shared_ptr<State>>(const void*, const char*);
extern template std::shared_ptr<Jit> object<std::shared_ptr<Jit>>(const void*, const char*);
extern template std::shared_ptr<ForeignObject> object<std::shared_ptr<ForeignObject>>(const void*,
                                                                                      const char*);

/// A new handle of the type that the C interface declares.
template <typename Handle, typename T>
Handle make_handle(T object) {
  return static_cast<Handle>(HandleTable::instance().add(std::move(object)));
}

/// Handles of tensors that are given back at the end, but for those taken out of the list.
class TensorHandles {
 public:
  explicit TensorHandles(size_t count) : list(count, nullptr) {}
  explicit TensorHandles(const std::vector<Tensor>& tensors) : list(tensors.size(), nullptr) {
    for (size_t i = 0; i < tensors.size(); ++i) list[i] = make_handle<tg_tensor>(tensors[i]);
  }
  ~TensorHandles() {
    for (tg_tensor t : list) {
      if (t != nullptr) tg_release(t);
    }
  }
  TensorHandles(const TensorHandles&) = delete;
  TensorHandles& operator=(const TensorHandles&) = delete;

  std::vector<tg_tensor> list;
};

}  // namespace tg::capi
