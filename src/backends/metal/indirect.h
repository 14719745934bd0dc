// A captured sequence as commands that Metal keeps (an indirect command buffer): written once, run
// by one message at each replay. When what is written again: recorded_replay.h; what a launch is:
// program.h; how it is queued: queue.h.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "backends/metal/platform.h"
#include "backends/metal/program.h"
#include "runtime/launch_parts.h"
#include "runtime/recorded_replay.h"

namespace tg::metal {

class IndirectReplay final : public RecordedReplay<Dispatch> {
 public:
  /// Nothing if a sequence is too short to gain or too long, or the system records none.
  static std::unique_ptr<Replay> record(const Session& session, const DeviceFacts& facts,
                                        const CallSequence& sequence);
  /// Waits for the device: it may still read the commands.
  ~IndirectReplay() override { wait_quietly(); }

 protected:
  Dispatch bind(const Call& call) const override;
  void write(size_t copy, size_t call, const Dispatch& now, const Dispatch* before) override;
  uint64_t generation() const override { return session_.allocator.destroyed(); }
  uint64_t launch(size_t copy, const std::vector<Dispatch>& written) override;
  void wait_for(uint64_t number) override { session_.queue.wait_for(number); }

 private:
  // The commands, and the numbers that they pass to the kernels.
  struct Copy {
    Owned commands, numbers;
  };
  IndirectReplay(const Session& session, const DeviceFacts& facts, const CallSequence& sequence);
  bool make(Copy& copy) const;

  const Session& session_;
  const LaunchParts parts_;
  std::string_view first_name_;   // of the kernels
  std::vector<uint64_t> places_;  // by call: of its numbers
  uint64_t numbers_bytes_ = 0;
  std::vector<Object*> fixed_;      // buffers of calls that do not vary
  std::vector<Object*> pipelines_;  // that a replay must name
  std::array<Copy, 2> copies_;
};

}  // namespace tg::metal
