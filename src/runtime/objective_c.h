// The Objective-C runtime, opened at run time: no header, no SDK, nothing to link, and so nothing
// that only a Mac compiles. A message is a call of objc_msgSend as a function of the receiver, the
// selector and the arguments. Which messages there are, and which frameworks, the caller knows.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/dynamic_library.h"

namespace tg {

/// Any Objective-C object, or a class.
struct ObjcObject;
/// A registered selector.
struct ObjcSelector;

class ObjectiveC {
 public:
  /// Opens the first of `libraries` that the loader finds. `selectors` are the messages that send()
  /// knows, by number.
  ObjectiveC(std::span<const std::string_view> libraries, std::span<const char* const> selectors);
  /// Whether there is a runtime; without one nothing else may be called.
  explicit operator bool() const { return !selectors_.empty(); }

  /// Sends a message: a number of the table of selectors. `R` and `A` must be the types of the
  /// method, and `R` no structure. nullptr as the receiver gives zero, as in the language.
  template <typename R = void, typename M, typename... A>
  R send(ObjcObject* to, M message, A... arguments) const {
    return call<R>(to, selectors_[static_cast<size_t>(message)], arguments...);
  }
  template <typename M>
  bool responds(ObjcObject* to, M message) const {
    return call<uint8_t>(to, responds_, selectors_[static_cast<size_t>(message)]) != 0;
  }
  void retain(ObjcObject* object) const { call<ObjcObject*>(object, retain_); }
  void release(ObjcObject* object) const { call<void>(object, release_); }

  /// A class; nullptr if there is none of this name.
  ObjcObject* class_of(const char* name) const { return get_class_(name); }
  /// An NSString; belongs to the innermost ObjcPool.
  ObjcObject* string(const std::string& text) const;
  /// The text of an NSString; empty for nullptr.
  std::string text(ObjcObject* string) const;
  /// What an NSError says; "no reason given" for nullptr.
  std::string reason(ObjcObject* error) const;

  void* push_pool() const { return push_pool_(); }
  void pop_pool(void* pool) const { pop_pool_(pool); }

 private:
  template <typename R, typename... A>
  R call(ObjcObject* to, const ObjcSelector* selector, A... arguments) const {
    using Method = R(ObjcObject*, const ObjcSelector*, A...);
    return reinterpret_cast<Method*>(msg_send_)(to, selector, arguments...);
  }

  DynamicLibrary runtime_;
  void (*msg_send_)() = nullptr;
  ObjcObject* (*get_class_)(const char*) = nullptr;
  const ObjcSelector* (*register_name_)(const char*) = nullptr;
  void* (*push_pool_)() = nullptr;
  void (*pop_pool_)(void*) = nullptr;
  std::vector<const ObjcSelector*> selectors_;
  const ObjcSelector* retain_ = nullptr;
  const ObjcSelector* release_ = nullptr;
  const ObjcSelector* responds_ = nullptr;
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
