// A shared object opened at run time: compiled kernels, vendor drivers, libcurl. Closing follows
// the C++ lifetime. Which functions exist behind the names is the caller's business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tg {

/// Owns one opened shared object; an empty one owns nothing. Pointers got from it die with it.
class DynamicLibrary {
 public:
  /// When its calls into other libraries are looked up. Lazy suits large libraries of which little
  /// is used; a function missing there ends the process when it is called.
  enum class Binding : uint8_t { Now, Lazy };

  DynamicLibrary() = default;
  /// Opens a file or a name that the loader's search finds. Throws DeviceError with the loader's
  /// reason.
  explicit DynamicLibrary(const std::string& path, Binding binding = Binding::Now);
  ~DynamicLibrary();
  DynamicLibrary(DynamicLibrary&& other) noexcept;
  DynamicLibrary& operator=(DynamicLibrary&& other) noexcept;

  /// Opens the first of `names` that the loader finds; empty if none. For optional libraries.
  static DynamicLibrary find(std::span<const std::string_view> names);

  explicit operator bool() const { return handle_ != nullptr; }
  /// The name that it was opened by.
  const std::string& path() const { return path_; }

  /// The address of a symbol. Throws DeviceError naming library and symbol if it is missing or the
  /// library is empty.
  void* symbol(const std::string& name) const;
  /// The address of a symbol, or nullptr.
  void* find_symbol(const std::string& name) const;

  /// symbol() as a function of type `F`: `lib.function<int(int)>("abs")`.
  template <typename F>
  F* function(const std::string& name) const {
    return reinterpret_cast<F*>(symbol(name));
  }

  /// The instructions of a function; empty if there is none, or where the system does not know its
  /// end.
  std::span<const std::byte> code_of(const std::string& name) const;

  /// Takes the library's instructions out of this process's resident memory; those that are needed
  /// again come back from the system's copy of the file, some 2 ms for 50 MiB. For large libraries
  /// of which much was used once. Symbols and data stay. Bytes of instructions that may have left;
  /// 0 where the system offers no such thing. Thread-safe, also while the library's functions run.
  int64_t release_code() const;

 private:
  void close();

  void* handle_ = nullptr;
  std::string path_;
};

/// Opens the library `name` in the folder of the library `path`, for others that ask the loader for
/// it by its name alone. It stays open. Nothing happens if there is none.
void open_beside(const std::string& path, const std::string& name);

}  // namespace tg
