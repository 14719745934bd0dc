// The Objective-C runtime, opened at run time: no header, no SDK, nothing to link, and so nothing
// that only a Mac compiles. A message is a call of objc_msgSend as a function of the receiver, the
// selector and the arguments. Which methods and frameworks there are, the caller's table says.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "support/dynamic_library.h"

namespace tg {

/// Any Objective-C object, or a class.
struct ObjcObject;
/// A registered selector.
struct ObjcSelector;

/// What sends a message, and which one.
struct ObjcMessage {
  void (*send)() = nullptr;
  const ObjcSelector* selector = nullptr;
};

/// A method as a function of the receiver and its arguments. The types must be those of the method,
/// and what it gives no structure.
template <typename Signature>
class ObjcMethod;
template <typename R, typename... A>
class ObjcMethod<R(A...)> {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): rows of a table are written as messages
  ObjcMethod(const ObjcMessage& message) : message_(message) {}
  /// nullptr as the receiver gives zero, as in the language.
  R operator()(ObjcObject* to, A... arguments) const {
    using Method = R(ObjcObject*, const ObjcSelector*, A...);
    return reinterpret_cast<Method*>(message_.send)(to, message_.selector, arguments...);
  }
  const ObjcSelector* selector() const { return message_.selector; }

 private:
  ObjcMessage message_;
};

class ObjcOwned;

class ObjectiveC {
 public:
  /// Opens the first of `libraries` that the loader finds.
  explicit ObjectiveC(std::span<const std::string_view> libraries);
  /// Whether there is a runtime; without one nothing may be called but message().
  explicit operator bool() const { return is_complete_; }

  /// The message of this name, for a row of a table of methods.
  ObjcMessage message(const char* name) const;
  /// Whether an object has a method.
  template <typename Signature>
  bool responds(ObjcObject* object, const ObjcMethod<Signature>& method) const {
    return ObjcMethod<uint8_t(const ObjcSelector*)>(responds_)(object, method.selector()) != 0;
  }
  void retain(ObjcObject* object) const { ObjcMethod<ObjcObject*()>{retain_}(object); }
  void release(ObjcObject* object) const { ObjcMethod<void()>{release_}(object); }

  /// A new object of a class; of nothing if there is no class of this name.
  ObjcOwned make(const char* class_name) const;
  /// An NSString; belongs to the innermost ObjcPool.
  ObjcObject* string(const std::string& text) const;
  /// The text of an NSString; empty for nullptr.
  std::string text(ObjcObject* string) const;
  /// What an NSError says; "no reason given" for nullptr.
  std::string reason(ObjcObject* error) const;

  void* push_pool() const { return push_pool_(); }
  void pop_pool(void* pool) const { pop_pool_(pool); }

 private:
  DynamicLibrary runtime_;
  bool is_complete_ = false;
  void (*msg_send_)() = nullptr;
  ObjcObject* (*get_class_)(const char*) = nullptr;
  const ObjcSelector* (*register_name_)(const char*) = nullptr;
  void* (*push_pool_)() = nullptr;
  void (*pop_pool_)(void*) = nullptr;
  ObjcMessage retain_, release_, responds_;
};

/// Owns one reference to an object.
class ObjcOwned {
 public:
  ObjcOwned() = default;
  /// Takes the reference of an object that a method called new… or copy… gave.
  ObjcOwned(const ObjectiveC& objc, ObjcObject* object) : objc_(&objc), object_(object) {}
  /// Adds a reference to an object that belongs to a pool or to another object.
  static ObjcOwned retained(const ObjectiveC& objc, ObjcObject* object) {
    objc.retain(object);
    return {objc, object};
  }
  ~ObjcOwned() { reset(); }
  ObjcOwned(ObjcOwned&& other) noexcept : objc_(other.objc_), object_(other.take()) {}
  ObjcOwned& operator=(ObjcOwned&& other) noexcept {
    if (this != &other) {
      reset();
      objc_ = other.objc_;
      object_ = other.take();
    }
    return *this;
  }

  ObjcObject* get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  /// Gives the reference up to the caller.
  ObjcObject* take() { return std::exchange(object_, nullptr); }
  void reset() {
    if (object_ != nullptr) objc_->release(take());
  }

 private:
  const ObjectiveC* objc_ = nullptr;
  ObjcObject* object_ = nullptr;
};

/// Objects that methods give away without a reference live until the end of the innermost pool of
/// this thread.
class ObjcPool {
 public:
  explicit ObjcPool(const ObjectiveC& objc) : objc_(objc), pool_(objc.push_pool()) {}
  ~ObjcPool() { objc_.pop_pool(pool_); }
  ObjcPool(const ObjcPool&) = delete;
  ObjcPool& operator=(const ObjcPool&) = delete;

 private:
  const ObjectiveC& objc_;
  void* const pool_;
};

}  // namespace tg
