// What a plug-in may offer besides launches: events, which time them, and graphs, which repeat
// captured sequences. Whether it does: plugin.h.
#pragma once

#include <memory>

#include "backends/plugin/plugin.h"
#include "runtime/changed_calls.h"

namespace tg::plugin {

/// Seconds of the device's clock that it takes to do what `launch` launches, which this waits for.
/// Throws DeviceError if an event fails, or the time is none.
double timed(const Plugin& plugin, void* device, FunctionRef<void()> launch);

class GraphReplay final : public Replay {
 public:
  /// A graph of the sequence; nothing, and a line for DEBUG=1, if the plug-in makes none of it.
  /// Throws DeviceError if it lies, or the device is lost.
  static std::unique_ptr<Replay> make(const Plugin& plugin, void* device,
                                      const CallSequence& sequence);
  ~GraphReplay() override;
  GraphReplay(const GraphReplay&) = delete;
  GraphReplay& operator=(const GraphReplay&) = delete;

  void run() override;

 private:
  GraphReplay(const Plugin& plugin, void* device, const CallSequence& sequence)
      : plugin_(plugin), device_(device), sequence_(sequence), changed_(sequence) {}

  const Plugin& plugin_;
  void* const device_;
  const CallSequence sequence_;
  void* graph_ = nullptr;
  ChangedCalls changed_;
};

}  // namespace tg::plugin
