// The Objective-C runtime, opened at run time: no header, no SDK, nothing to link, and so nothing
// that only a Mac compiles. A message is a call of objc_msgSend as a function of the receiver, the
// selector and the arguments. Which messages there are: messages.h.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "backends/metal/messages.h"
#include "support/dynamic_library.h"

namespace tg::metal {

/// Any Objective-C object, or a class.
struct Object;
/// A registered selector.
struct Selector;

class Objc {
 public:
  /// Opens the first runtime and the first of the frameworks that the loader finds; nullptr if one
  /// of them, or an entry point, is missing.
  static std::unique_ptr<const Objc> open(std::span<const std::string_view> runtimes,
                                          std::span<const std::string_view> frameworks);

  /// Sends a message. `R` and `A` must be the types of the method, and `R` no structure. nullptr as
  /// the receiver gives zero, as in the language.
  template <typename R = void, typename... A>
  R send(Object* to, Message m, A... arguments) const {
    using Method = R(Object*, const Selector*, A...);
    return reinterpret_cast<Method*>(msg_send_)(to, selector(m), arguments...);
  }
  bool responds(Object* to, Message m) const {
    return send<uint8_t>(to, Message::RespondsToSelector, selector(m)) != 0;
  }

  /// A class; nullptr if there is none of this name.
  Object* class_of(const char* name) const { return get_class_(name); }
  /// An NSString; belongs to the innermost Pool.
  Object* string(const std::string& text) const;
  /// The text of an NSString; empty for nullptr.
  std::string text(Object* string) const;
  /// What an NSError says; "no reason given" for nullptr.
  std::string reason(Object* error) const;

  /// An NSArray of all devices, or nullptr; the caller owns it.
  Object* copy_all_devices() const;
  /// The caller owns it; nullptr if there is none.
  Object* default_device() const { return default_device_(); }

  void* push_pool() const { return push_pool_(); }
  void pop_pool(void* pool) const { pop_pool_(pool); }

 private:
  const Selector* selector(Message m) const { return selectors_[static_cast<size_t>(m)]; }
  bool find_all();

  DynamicLibrary runtime_, framework_;
  void (*msg_send_)() = nullptr;
  Object* (*get_class_)(const char*) = nullptr;
  const Selector* (*register_name_)(const char*) = nullptr;
  void* (*push_pool_)() = nullptr;
  void (*pop_pool_)(void*) = nullptr;
  Object* (*copy_all_devices_)() = nullptr;  // of macOS only
  Object* (*default_device_)() = nullptr;
  std::array<const Selector*, kSelectors.size()> selectors_{};
};

/// This machine's runtime with Metal, opened at the first call and kept; nullptr where there is
/// none. Thread-safe.
const Objc* find_objc();

/// Owns one reference to an object.
class Owned {
 public:
  Owned() = default;
  /// Takes the reference of an object that a method called new… or copy… gave.
  Owned(const Objc& objc, Object* object) : objc_(&objc), object_(object) {}
  /// Adds a reference to an object that belongs to a pool or to another object.
  static Owned retained(const Objc& objc, Object* object) {
    return {objc, objc.send<Object*>(object, Message::Retain)};
  }
  ~Owned() { reset(); }
  Owned(Owned&& other) noexcept : objc_(other.objc_), object_(other.take()) {}
  Owned& operator=(Owned&& other) noexcept {
    if (this != &other) {
      reset();
      objc_ = other.objc_;
      object_ = other.take();
    }
    return *this;
  }

  Object* get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  /// Gives the reference up to the caller.
  Object* take() { return std::exchange(object_, nullptr); }
  void reset() {
    if (object_ != nullptr) objc_->send(take(), Message::Release);
  }

 private:
  const Objc* objc_ = nullptr;
  Object* object_ = nullptr;
};

/// Objects that methods give away without a reference live until the end of the innermost pool of
/// this thread.
class Pool {
 public:
  explicit Pool(const Objc& objc) : objc_(objc), pool_(objc.push_pool()) {}
  ~Pool() { objc_.pop_pool(pool_); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

 private:
  const Objc& objc_;
  void* const pool_;
};

}  // namespace tg::metal
