// A captured sequence as commands that Metal keeps (an indirect command buffer): written once, run
// by one message at each replay, and only what has changed is written again. What a launch is:
// program.h; how it is queued: queue.h.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "backends/metal/platform.h"
#include "backends/metal/program.h"

namespace tg::metal {

class IndirectReplay final : public Replay {
 public:
  /// Nothing if a sequence is too short to gain or too long, or the system records none.
  static std::unique_ptr<Replay> record(const Session& session, const DeviceFacts& facts,
                                        const CallSequence& sequence);
  /// Waits for the device: it may still read the commands.
  ~IndirectReplay() override;
  IndirectReplay(const IndirectReplay&) = delete;
  IndirectReplay& operator=(const IndirectReplay&) = delete;

  /// Queued, not waited for.
  void run() override;

 private:
  // The commands, and the numbers that they pass to the kernels.
  struct Copy {
    Owned commands, numbers;
    std::vector<Dispatch> written;  // by varying call: what the commands say
    uint64_t destroyed = 0;         // buffers, when it was written
    uint64_t last_run = 0;          // for Queue::wait_for
  };
  IndirectReplay(const Session& session, const CallSequence& sequence);
  bool make(Copy& copy) const;
  void plan(const DeviceFacts& facts);
  void write_all(Copy& copy);
  void write(const Copy& copy, size_t call, const Dispatch& d, const Dispatch* before) const;
  void update(Copy& copy);
  Dispatch dispatch(size_t call) const;

  const Session& session_;
  const CallSequence sequence_;
  std::string_view first_name_;  // of the kernels
  std::vector<Range> parts_;
  std::vector<bool> waits_;       // by call: for the one before
  std::vector<uint64_t> places_;  // by call: of its numbers
  uint64_t numbers_bytes_ = 0;
  std::vector<Object*> fixed_;      // buffers of calls that do not vary
  std::vector<Object*> pipelines_;  // that a replay must name
  std::array<Copy, 2> copies_;      // one is written while the device runs the other
  size_t next_ = 0;
};

}  // namespace tg::metal
