// Kernels of a plug-in: what they are handed over as, and the handle that comes back.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/plugin/facts.h"
#include "backends/plugin/plugin.h"
#include "runtime/device.h"

namespace tg::plugin {

/// The text that the plug-in asked for: C, LLVM IR, or the list of operations under a line
/// `kernel NAME` for each kernel.
std::string render(const Plugin& plugin, const Facts& facts, std::span<const LinearKernel> kernels);

class PluginProgram final : public Program {
 public:
  PluginProgram(const Plugin& plugin, void* device, void* handle, const LinearKernel& kernel);
  ~PluginProgram() override;
  void launch(std::span<void* const> buffers, std::span<const int64_t> vars) override;

  const std::string& name() const { return name_; }
  /// The whole kernel with these arguments. Throws InternalError if they are not as many as its
  /// parameters.
  tg_call call(std::span<void* const> buffers, std::span<const int64_t> vars) const;

 private:
  const Plugin& plugin_;
  void* const device_;
  void* const handle_;
  std::string name_;
  uint32_t buffers_;
  uint32_t vars_;
  int64_t chunks_;
};

/// Compiles the kernels in one call, same order. Throws DeviceError with the plug-in's message and
/// the path of the kept source; nothing is left behind then.
std::vector<Ref<Program>> compile_module(const Plugin& plugin, void* device, const Facts& facts,
                                         std::span<const LinearKernel> kernels);

}  // namespace tg::plugin
