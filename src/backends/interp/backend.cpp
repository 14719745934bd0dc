// The interpreter as a device: host memory, decoding for compilation, execution on launch. It needs
// nothing, so it is always usable, and is never chosen by default: it is thousands of times slower
// than a compiler.
#include "backends/interp/execute.h"
#include "runtime/host_allocator.h"

namespace tg::interp {
namespace {

class InterpProgram final : public Program {
 public:
  explicit InterpProgram(Code code) : code_(std::move(code)) {}
  void launch(std::span<void* const> buffers, std::span<const int64_t> vars) override {
    execute(code_, buffers, vars);
  }

 private:
  const Code code_;
};

// Everything is supported and nothing is decomposed: the kernels stay close to what was asked for.
Target interp_target() {
  Target t;
  t.has_fma = true;
  t.has_masked_access = true;
  t.flops_per_second = 1e8;
  t.bytes_per_second = 1e8;
  t.ops.set();
  t.dtypes.set();
  return t;
}

class InterpDevice final : public Device {
 public:
  const std::string& name() const override { return name_; }
  const Target& target() const override { return target_; }
  Allocator& allocator() override { return allocator_; }
  int64_t memory_bytes() const override { return host_memory_bytes(); }
  std::vector<CompiledKernel> compile(std::span<const LinearKernel> kernels) override {
    std::vector<CompiledKernel> out;
    for (const LinearKernel& k : kernels) {
      out.push_back({Ref<Program>::adopt(new InterpProgram(decode(k))), listing(k)});
    }
    return out;
  }

 private:
  const std::string name_ = "INTERP";
  const Target target_ = interp_target();
  HostAllocator allocator_{"INTERP"};
};

std::string probe() { return {}; }
std::unique_ptr<Device> open() { return std::make_unique<InterpDevice>(); }

}  // namespace

extern const Backend kInterpBackend;
constinit const Backend kInterpBackend = {
    .name = "INTERP", .preference = -1, .probe = probe, .open = open};

}  // namespace tg::interp
