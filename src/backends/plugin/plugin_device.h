// A device behind a plug-in: what the engine asks of it becomes calls of the plug-in's table.
#pragma once

#include <memory>
#include <string>

#include "backends/plugin/facts.h"
#include "backends/plugin/memory.h"
#include "backends/plugin/plugin.h"
#include "support/hash.h"
#include "support/single_flight.h"

namespace tg::plugin {

class PluginDevice final : public Device {
 public:
  /// Opens the device, asks for its facts and tries its memory. Throws DeviceError for what fails
  /// or is impossible; the device is closed again then. `plugin` must live as long as this.
  explicit PluginDevice(const Plugin& plugin);

  const std::string& name() const override { return plugin_.name(); }
  const Target& target() const override { return facts_.target; }
  Allocator& allocator() override { return memory_; }
  /// Kernels that were compiled before come from memory; the rest go to the plug-in in few calls,
  /// side by side. A kernel that fails leaves the others usable. Thread-safe.
  std::vector<CompiledKernel> compile(std::span<const LinearKernel> kernels) override;
  void launch(std::span<const Call> calls) override;
  /// As a graph, if the plug-in makes one.
  std::unique_ptr<Replay> prepare(const CallSequence& sequence) override;
  void submit() override;
  void synchronize() override;
  /// By the plug-in's events, if it has any.
  double timed(const Call& call) override;
  std::string compiler() const override;

 private:
  struct KeyHash {
    size_t operator()(const Hash128& key) const { return key.low; }
  };
  using Programs = SingleFlight<Hash128, Ref<Program>, KeyHash>;
  struct Pending {
    const LinearKernel* kernel;
    Programs::Ticket ticket;
  };
  // Closes the device unless the constructor comes to its end.
  struct Opened {
    explicit Opened(const Plugin& plugin);
    ~Opened();
    const Plugin& plugin;
    void* device = nullptr;
    bool kept = false;
  };
  void try_memory();
  void build(std::span<const Pending> batch);
  void build_all(std::span<const Pending> pending);

  const Plugin& plugin_;
  Opened opened_;
  const Facts facts_;
  PluginMemory memory_;
  Programs programs_;  // by source
};

}  // namespace tg::plugin
