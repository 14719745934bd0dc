// Looking up the functions of a library that is opened at run time. The tables of functions are the
// backends'.
#pragma once

#include <string>

#include "support/dynamic_library.h"

namespace tg {

/// Fills a table of functions, and remembers what the library lacks.
class EntryPoints {
 public:
  /// `library` must live longer.
  explicit EntryPoints(const DynamicLibrary& library) : library_(library) {}
  /// Sets `function` to what the library calls `name`; nullptr if it has no such thing.
  template <typename F>
  void find(const char* name, F*& function) {
    function = reinterpret_cast<F*>(library_.find_symbol(name));
    if (function == nullptr && missing_.empty()) missing_ = name;
  }
  /// The first name that the library lacks; empty if it has all.
  const std::string& missing() const { return missing_; }

 private:
  const DynamicLibrary& library_;
  std::string missing_;
};

}  // namespace tg
