// See handles.h. A slot's word holds its generation and two counts; that both are 0 is seen by
// exactly one thread, which destroys the object, makes the slot the next generation's and puts it
// back. A slot whose generations are used up stays empty for good.
#include "capi/handles.h"

#include "support/check.h"

namespace tg::capi {

static_assert(sizeof(void*) == 8, "handles are 64 bits: 24 of generation, 32 of slot");

namespace {

constexpr std::string_view kKinds[] = {"nothing",
                                       "a tensor",
                                       "a size",
                                       "a layer or optimiser",
                                       "a state",
                                       "a captured function",
                                       "an object of another library"};
constexpr uint64_t kSlotMask = 0xffffffff;

uint32_t number_of(const void* handle) {
  return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(handle) & kSlotMask);
}

template <typename T>
constexpr size_t kIndex = 0;
template <>
constexpr size_t kIndex<Tensor> = 1;
template <>
constexpr size_t kIndex<SymInt> = 2;
template <>
constexpr size_t kIndex<std::shared_ptr<FnObject>> = 3;
template <>
constexpr size_t kIndex<std::shared_ptr<State>> = 4;
template <>
constexpr size_t kIndex<std::shared_ptr<Jit>> = 5;
template <>
constexpr size_t kIndex<std::shared_ptr<ForeignObject>> = 6;

}  // namespace

// Empty slots that one thread keeps, so that it takes and gives back most of them without the lock.
// Only that thread changes it; others may ask how many there are.
class HandleTable::Shelf {
 public:
  // That of the calling thread; null when the thread is so near its end that it has none any more.
  static Shelf* of_this_thread() {
    if (here_ != nullptr) return here_;
    return ended_ ? nullptr : &first_use();
  }

  bool is_empty() const { return count() == 0; }
  bool is_half_full() const { return count() >= kCapacity / 2; }
  bool is_full() const { return count() == kCapacity; }
  uint32_t count() const { return count_.load(std::memory_order_relaxed); }
  void push(uint32_t number) {
    const uint32_t n = count();
    numbers_[n] = number;
    count_.store(n + 1, std::memory_order_relaxed);
  }
  uint32_t pop() {
    const uint32_t n = count() - 1;
    count_.store(n, std::memory_order_relaxed);
    return numbers_[n];
  }
  const Shelf* next() const { return next_; }

 private:
  static constexpr uint32_t kCapacity = 64;

  Shelf() {
    HandleTable& table = instance();
    std::lock_guard guard(table.lock_);
    next_ = std::exchange(table.shelves_, this);
    if (next_ != nullptr) next_->previous_ = this;
    here_ = this;
  }
  ~Shelf() {
    here_ = nullptr;
    ended_ = true;
    HandleTable& table = instance();
    std::lock_guard guard(table.lock_);
    while (!is_empty()) table.free_.push_back(pop());
    (previous_ == nullptr ? table.shelves_ : previous_->next_) = next_;
    if (next_ != nullptr) next_->previous_ = previous_;
  }
  static Shelf& first_use() {
    static thread_local Shelf shelf;
    return shelf;
  }

  // Plain data, which can still be read when a thread's objects are gone.
  static thread_local Shelf* here_;
  static thread_local bool ended_;

  std::atomic<uint32_t> count_{0};
  uint32_t numbers_[kCapacity] = {};
  Shelf* next_ = nullptr;
  Shelf* previous_ = nullptr;
};

thread_local HandleTable::Shelf* HandleTable::Shelf::here_ = nullptr;
thread_local bool HandleTable::Shelf::ended_ = false;

HandleTable& HandleTable::instance() {
  // Never destroyed: handles may be released by destructors of other static objects.
  static HandleTable* const table = new HandleTable;
  return *table;
}

HandleTable::Slot* HandleTable::find(const void* handle, uint64_t& generation) const {
  const uint64_t bits = reinterpret_cast<uintptr_t>(handle);
  const uint64_t number = bits & kSlotMask;
  generation = bits >> 32;
  if (generation == 0 || number >= made_.load(std::memory_order_acquire)) return nullptr;
  return &slot_at(static_cast<uint32_t>(number));
}

HandleTable::Slot* HandleTable::enter(const void* handle, uint64_t what) {
  uint64_t generation = 0;
  Slot* const slot = find(handle, generation);
  if (slot == nullptr) return nullptr;
  const uint64_t full = what == kUse ? kOwner - 1 : kOwners;
  uint64_t word = slot->word.load(std::memory_order_acquire);
  do {
    if (!is_alive(word, generation) || (word & full) == full) return nullptr;
  } while (!slot->word.compare_exchange_weak(word, word + what, std::memory_order_acq_rel));
  return slot;
}

void HandleTable::leave(Slot& slot, uint32_t number, uint64_t what) {
  const uint64_t left = slot.word.fetch_sub(what, std::memory_order_acq_rel) - what;
  if ((left & kCounts) == 0) empty(slot, number, left);
}

void HandleTable::empty(Slot& slot, uint32_t number, uint64_t left) {
  // Nobody else can come here: the generation has no owner any more, the next has not begun.
  slot.held.emplace<std::monostate>();
  const uint64_t next = (left / kGeneration + 1) * kGeneration;  // 0 if there is no further one
  slot.word.store(next, std::memory_order_release);
  if (next != 0)
    put_back(number);
  else
    worn_.fetch_add(1, std::memory_order_relaxed);
}

uint32_t HandleTable::take_slot() {
  Shelf* const shelf = Shelf::of_this_thread();
  if (shelf == nullptr) {
    std::lock_guard guard(lock_);
    return take_free();
  }
  if (shelf->is_empty()) {
    std::lock_guard guard(lock_);
    do shelf->push(take_free());
    while (!shelf->is_half_full() && !free_.empty());
  }
  return shelf->pop();
}

void HandleTable::put_back(uint32_t number) {
  Shelf* const shelf = Shelf::of_this_thread();
  if (shelf == nullptr) {
    std::lock_guard guard(lock_);
    return free_.push_back(number);
  }
  if (shelf->is_full()) {
    std::lock_guard guard(lock_);
    do free_.push_back(shelf->pop());
    while (shelf->is_half_full());
  }
  shelf->push(number);
}

uint32_t HandleTable::take_free() {
  if (free_.empty()) {
    const uint32_t first = made_.load(std::memory_order_relaxed);
    if (first / kChunkSlots >= kChunks) throw std::bad_alloc();
    owned_.push_back(std::make_unique<Slot[]>(kChunkSlots));
    free_.reserve(owned_.size() * kChunkSlots);  // so that putting back cannot fail
    chunks_[first / kChunkSlots].store(owned_.back().get(), std::memory_order_release);
    made_.store(first + kChunkSlots, std::memory_order_release);
    for (uint32_t i = kChunkSlots; i-- > 0;) free_.push_back(first + i);
  }
  const uint32_t number = free_.back();
  free_.pop_back();
  return number;
}

void* HandleTable::open(Slot& slot, uint32_t number) {
  const uint64_t generation = slot.word.load(std::memory_order_relaxed) / kGeneration;
  slot.word.store(generation * kGeneration + kOwner, std::memory_order_release);
  return reinterpret_cast<void*>(static_cast<uintptr_t>(generation << 32 | number));
}

// What is neither empty nor worn out.
int64_t HandleTable::live() const {
  std::lock_guard guard(lock_);
  int64_t empty = static_cast<int64_t>(free_.size()) + worn_.load(std::memory_order_relaxed);
  for (const Shelf* shelf = shelves_; shelf != nullptr; shelf = shelf->next())
    empty += shelf->count();
  return made_.load(std::memory_order_relaxed) - empty;
}

void HandleTable::retain(const void* handle) {
  if (enter(handle, kOwner) == nullptr)
    throw HandleError("tg_retain: the handle is null, was released, or is none of this library's.");
}

void HandleTable::release(const void* handle) {
  uint64_t generation = 0;
  Slot* const slot = find(handle, generation);
  uint64_t word = slot == nullptr ? 0 : slot->word.load(std::memory_order_acquire);
  do {
    if (slot == nullptr || !is_alive(word, generation))
      throw HandleError(
          "tg_release: the handle is null, was released before, or is none of this library's.");
  } while (!slot->word.compare_exchange_weak(word, word - kOwner, std::memory_order_acq_rel));
  const uint64_t left = word - kOwner;
  if ((left & kCounts) == 0) empty(*slot, number_of(handle), left);
}

Pin::Pin(const void* handle, const char* what)
    : slot_(HandleTable::instance().enter(handle, HandleTable::kUse)), number_(number_of(handle)) {
  if (slot_ != nullptr) return;
  throw HandleError(
      fmt::format("{}: the handle {}. Hint: every handle is used between its creation "
                  "and its last tg_release.",
                  what, handle == nullptr ? "is null" : "was released, or is no handle"));
}

void Pin::leave() { HandleTable::instance().leave(*slot_, number_, HandleTable::kUse); }

template <typename T>
const T& pinned(Pin& pin, const void* handle, const char* what) {
  pin = Pin(handle, what);
  if (const T* o = std::get_if<T>(&pin.held())) return *o;
  throw HandleError(fmt::format("{}: the handle must be {}, not {}.", what, kKinds[kIndex<T>],
                                kKinds[pin.held().index()]));
}
template <typename T>
T object(const void* handle, const char* what) {
  Pin pin;
  return pinned<T>(pin, handle, what);
}

template const Tensor& pinned<Tensor>(Pin&, const void*, const char*);
template Tensor object<Tensor>(const void*, const char*);
template SymInt object<SymInt>(const void*, const char*);
template std::shared_ptr<FnObject> object<std::shared_ptr<FnObject>>(const void*, const char*);
template std::shared_ptr<State> object<std::shared_ptr<State>>(const void*, const char*);
template std::shared_ptr<Jit> object<std::shared_ptr<Jit>>(const void*, const char*);
template std::shared_ptr<ForeignObject> object<std::shared_ptr<ForeignObject>>(const void*,
                                                                               const char*);

}  // namespace tg::capi
