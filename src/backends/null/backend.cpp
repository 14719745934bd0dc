// The null device and its descriptor; see null_device.h.
#include "backends/null/null_device.h"
#include "runtime/backend_with_settings.h"
#include "runtime/numbered_devices.h"
#include "support/check.h"

namespace tg::null {
namespace {

// Checks what can be checked without running, and counts.
class NullProgram final : public Program {
 public:
  NullProgram(std::atomic<int64_t>& launches, size_t params, size_t vars)
      : launches_(launches), params_(params), vars_(vars) {}
  void launch(std::span<void* const> buffers, std::span<const int64_t> vars) override {
    check(buffers, vars);
    launches_.fetch_add(1, std::memory_order_relaxed);
  }
  void check(std::span<void* const> buffers, std::span<const int64_t> vars) const {
    TG_CHECK(buffers.size() == params_ && vars.size() == vars_,
             "launched with {} buffers and {} variables, not {} and {}", buffers.size(),
             vars.size(), params_, vars_);
  }

 private:
  std::atomic<int64_t>& launches_;
  size_t params_;
  size_t vars_;
};

std::string probe() { return {}; }
int parse_index(std::string_view settings) { return needed_device_number("NULL", settings); }
std::unique_ptr<Device> open(int index) { return std::make_unique<NullDevice>(index); }

}  // namespace

NullDevice::NullDevice(int index) : name_(device_name("NULL", device_number_text(index))) {
  target_.ops.set();
  target_.dtypes.set();
}

std::vector<CompiledKernel> NullDevice::compile(std::span<const LinearKernel> kernels) {
  std::vector<CompiledKernel> out;
  for (const LinearKernel& k : kernels) {
    auto* program = new NullProgram(launches_, k.params.size(), k.vars.size());
    out.push_back({Ref<Program>::adopt(program), "// " + k.name + ": not compiled\n"});
  }
  return out;
}

void NullDevice::launch(std::span<const Call> calls) {
  for (const Call& c : calls) static_cast<const NullProgram*>(c.program)->check(c.buffers, c.vars);
  launches_.fetch_add(1, std::memory_order_relaxed);
}

extern const Backend kNullBackend;
constinit const Backend kNullBackend =
    backend_with_settings<parse_index, device_number_text, open>("NULL", probe, kTakesNumber, -2);

}  // namespace tg::null
