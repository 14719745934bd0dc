// What fork() takes from a library with threads: the child has only the thread that forked. What
// others were doing stays half done, and what they held stays locked, in this process for ever.
// Work that can take locks for long says that it goes on, so that a child refuses instead of
// waiting for nobody. What a driver's threads do is marked by what it opened.
#pragma once

#include <string_view>

namespace tg {

/// How many forks lie behind this process since it began to count, which the first call does: it is
/// another number in a child than in its parent.
int fork_generation();

/// Remembers the process in which it was made.
class ForkMark {
 public:
  /// Whether this is a child of that process.
  bool crossed() const { return fork_generation() != generation_; }
  /// Throws DeviceError in the name of `device`, which was opened with this mark, if it is.
  void check(std::string_view device) const;

 private:
  int generation_ = fork_generation();
};

/// While it lives this thread is inside the library, where it may hold a lock at any time. Nests.
class InsideLibrary {
 public:
  InsideLibrary() noexcept;
  ~InsideLibrary();
  InsideLibrary(const InsideLibrary&) = delete;
  InsideLibrary& operator=(const InsideLibrary&) = delete;
};

/// Throws DeviceError in the name of `function` in a process that was forked while another thread
/// of its parent was computing, or inside the library.
void check_not_stranded(const char* function);

/// While it lives this thread computes. Nests.
class Computing {
 public:
  /// Throws what check_not_stranded() throws.
  explicit Computing(const char* function) { check_not_stranded(function); }

 private:
  InsideLibrary inside_;
};

}  // namespace tg
