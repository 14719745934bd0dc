// A captured sequence as commands that are written once and run many times; only those of calls
// that have changed are written again. For devices that read the commands while they run them: if
// any call varies there are two copies, of which one is written while the device runs the other.
// What a command is, the backend knows; devices that copy what they are told need only
// changed_calls.h.
#pragma once

#include <vector>

#include "runtime/device.h"
#include "tg/error.h"

namespace tg {

/// `Launch` is what a command says, and can be compared. One run at a time.
template <typename Launch>
class RecordedReplay : public Replay {
 public:
  /// Queued, not waited for, unless a command is to be written that the device may still read.
  void run() final {
    const size_t copy = next_;
    next_ = (next_ + 1) % copies_.size();
    update(copy);
    copies_[copy].last_run = launch(copy, copies_[copy].written);
  }

 protected:
  explicit RecordedReplay(const CallSequence& sequence)
      : sequence_(sequence), copies_(sequence.varying.empty() ? 1 : 2) {}

  const CallSequence& sequence() const { return sequence_; }
  size_t copies() const { return copies_.size(); }
  /// Writes all commands of all copies; before the first run.
  void record() {
    for (size_t copy = 0; copy < copies_.size(); ++copy) {
      copies_[copy].generation = generation();
      for (size_t i = 0; i < sequence_.calls.size(); ++i)
        write(copy, i, bind(sequence_.calls[i]), nullptr);
      for (const size_t i : sequence_.varying)
        copies_[copy].written.push_back(bind(sequence_.calls[i]));
    }
  }
  /// Waits until the device reads no command any more. For destructors: errors of what ran have
  /// nobody left to hear them.
  void wait_quietly() {
    try {
      for (const Copy& c : copies_) wait_for(c.last_run);
    } catch (const DeviceError&) {
      return;  // then it has stopped
    }
  }

  /// What the command of a call must say now.
  virtual Launch bind(const Call& call) const = 0;
  /// Writes the command of call `call`. `before`: what it says; null: nothing yet, or what it says
  /// may mean something else by now.
  virtual void write(size_t copy, size_t call, const Launch& now, const Launch* before) = 0;
  /// As long as it stays the same, equal launches mean the same.
  virtual uint64_t generation() const = 0;
  /// Runs all commands; `written`: what those of the varying calls say. A number for wait_for().
  virtual uint64_t launch(size_t copy, const std::vector<Launch>& written) = 0;
  /// Waits for the launch of this number; of 0 for nothing.
  virtual void wait_for(uint64_t number) = 0;

 private:
  struct Copy {
    std::vector<Launch> written;  // by varying call
    uint64_t generation = 0;      // when it was written
    uint64_t last_run = 0;
  };

  // What the device may still read is not written before it has.
  void update(size_t index) {
    Copy& copy = copies_[index];
    bool may_write = false;
    const uint64_t now_generation = generation();
    const bool is_current = now_generation == copy.generation;
    for (size_t v = 0; v < sequence_.varying.size(); ++v) {
      const size_t call = sequence_.varying[v];
      Launch now = bind(sequence_.calls[call]);
      if (is_current && now == copy.written[v]) continue;
      if (!may_write) wait_for(copy.last_run);
      may_write = true;
      write(index, call, now, is_current ? &copy.written[v] : nullptr);
      copy.written[v] = std::move(now);
    }
    copy.generation = now_generation;
  }

  const CallSequence sequence_;
  std::vector<Copy> copies_;
  size_t next_ = 0;
};

}  // namespace tg
