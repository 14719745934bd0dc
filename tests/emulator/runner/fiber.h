// A call that can stop in its midst and go on later: each work-item of a group is one. No
// scheduling (launch.cpp) and no threads: who resumes a fiber waits until it pauses or ends.
#pragma once

#include <cstddef>
#include <memory>

namespace tg::emulator {

class Fiber {
 public:
  using Function = void(void* argument);

  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Makes the fiber ready to call f(argument) from the beginning. What it ran before and has not
  /// ended is forgotten where it stopped, so nothing on its stack may need a destructor. `f` must
  /// not return: it ends with a pause.
  void start(Function* f, void* argument);
  /// Runs it until it pauses.
  void resume();
  /// From inside: back to who resumed it.
  void pause();
  /// Whether an address lies on its stack.
  bool owns(const void* address) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tg::emulator
