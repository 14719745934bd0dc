// See plugin_device.h.
#include "backends/plugin/plugin_device.h"

#include <algorithm>
#include <cstring>

#include "backends/plugin/graph.h"
#include "backends/plugin/program.h"
#include "support/check.h"
#include "support/options.h"
#include "support/thread_pool.h"

namespace tg::plugin {
namespace {

constexpr int64_t kTrialBytes = 4096;
constexpr int64_t kKernelsPerCall = 6;  // a compiler's start costs about as much

std::vector<unsigned char> pattern(unsigned char first) {
  std::vector<unsigned char> out(kTrialBytes);
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<unsigned char>(first + 31 * i + i / 256);
  return out;
}

struct Trial {
  explicit Trial(PluginMemory& m) : memory(m), block(m.allocate(kTrialBytes)) {}
  ~Trial() { memory.free(block); }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  PluginMemory& memory;
  const Allocation block;
};

}  // namespace

PluginDevice::Opened::Opened(const Plugin& p) : plugin(p) {
  plugin.call("open", "", [&](tg_message* m) { return plugin.table().open(&device, m); });
  if (device == nullptr) plugin.fail("open", "it succeeded with the device NULL");
}

PluginDevice::Opened::~Opened() {
  if (!kept) plugin.call_quietly([&] { plugin.table().close(device); });
}

PluginDevice::PluginDevice(const Plugin& plugin)
    : plugin_(plugin),
      opened_(plugin),
      facts_(facts_of(plugin, opened_.device)),
      memory_(plugin, opened_.device, facts_.max_bytes) {
  try_memory();
  memory_.release_cached();
  opened_.kept = true;
}

// Two blocks keep what they are given, also at an offset: a device that fails this would give wrong
// numbers later, and nobody would know whose fault it is.
void PluginDevice::try_memory() {
  const Trial first(memory_), second(memory_);
  const Allocation a = first.block, b = second.block;
  const std::vector<unsigned char> one = pattern(1), two = pattern(97);
  memory_.copy_in(a, one.data(), kTrialBytes);
  memory_.copy_in(b, two.data(), kTrialBytes);
  std::vector<unsigned char> got(kTrialBytes);
  memory_.copy_out(got.data(), a, kTrialBytes);
  bool same = got == one;
  memory_.copy_out(got.data(), b, kTrialBytes);
  same = same && got == two;
  constexpr int64_t kPart = 64;
  const Allocation part{static_cast<char*>(a.data) + kPart, kPart};
  memory_.copy_in(part, two.data(), kPart);
  memory_.copy_out(got.data(), a, kTrialBytes);
  same = same && std::memcmp(got.data(), one.data(), kPart) == 0 &&
         std::memcmp(got.data() + kPart, two.data(), kPart) == 0 &&
         std::memcmp(got.data() + 2 * kPart, one.data() + 2 * kPart, kTrialBytes - 2 * kPart) == 0;
  if (!same) plugin_.fail("copy_out", "it gives other bytes than copy_in wrote");
}

void PluginDevice::build(std::span<const Pending> batch) {
  std::vector<LinearKernel> kernels;
  for (const Pending& p : batch) kernels.push_back(*p.kernel);
  try {
    auto programs = compile_module(plugin_, opened_.device, facts_, kernels);
    for (size_t i = 0; i < batch.size(); ++i)
      programs_.put(batch[i].ticket, std::move(programs[i]));
  } catch (const DeviceError&) {
    if (batch.size() == 1) return programs_.fail(batch[0].ticket, std::current_exception());
    // One by one, so that the error names the kernel and the others live.
    for (size_t i = 0; i < batch.size(); ++i) build(batch.subspan(i, 1));
  } catch (...) {
    for (const Pending& p : batch) programs_.fail(p.ticket, std::current_exception());
  }
}

void PluginDevice::build_all(std::span<const Pending> pending) {
  const auto count = static_cast<int64_t>(pending.size());
  const int64_t threads = std::max(options().thread_count(), 1);
  int64_t each = std::max(kKernelsPerCall, (count + threads - 1) / threads);
  if (facts_.max_kernels > 0) each = std::min<int64_t>(each, facts_.max_kernels);
  parallel_for((count + each - 1) / each, 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t b = begin; b < end; ++b) {
      const int64_t from = b * each, to = std::min(count, from + each);
      build(pending.subspan(static_cast<size_t>(from), static_cast<size_t>(to - from)));
    }
  });
}

// All that is this call's own is built before it waits for others, as SingleFlight asks.
std::vector<CompiledKernel> PluginDevice::compile(std::span<const LinearKernel> kernels) {
  std::vector<CompiledKernel> out(kernels.size());
  std::vector<Programs::Ticket> tickets;
  std::vector<Pending> pending;
  for (size_t i = 0; i < kernels.size(); ++i)
    out[i].source = render(plugin_, facts_, kernels.subspan(i, 1));
  for (size_t i = 0; i < kernels.size(); ++i) {
    tickets.push_back(programs_.claim(hash_bytes(out[i].source)));
    if (tickets[i].is_mine()) pending.push_back({&kernels[i], tickets[i]});
  }
  build_all(pending);
  for (size_t i = 0; i < kernels.size(); ++i) out[i].program = programs_.wait(tickets[i]);
  return out;
}

void PluginDevice::launch(std::span<const Call> calls) {
  std::vector<tg_call> table;
  table.reserve(calls.size());
  std::string names;
  for (const Call& c : calls) {
    const auto& program = static_cast<const PluginProgram&>(*c.program);
    const tg_call call = program.call(c.buffers, c.vars);
    if (call.begin == call.end) continue;
    table.push_back(call);
    if (table.size() <= 3) names += (names.empty() ? "" : ", ") + program.name();
  }
  if (table.empty()) return;
  const std::string what =
      fmt::format("{} kernels ({}{})", table.size(), names, table.size() > 3 ? ", …" : "");
  plugin_.call("launch", what, [&](tg_message* m) {
    return plugin_.table().launch(opened_.device, table.data(), table.size(), m);
  });
}

std::unique_ptr<Replay> PluginDevice::prepare(const CallSequence& sequence) {
  if (plugin_.has_graphs() && sequence.calls.size() > 1) {
    if (auto graph = GraphReplay::make(plugin_, opened_.device, sequence)) return graph;
  }
  return Device::prepare(sequence);
}

double PluginDevice::timed(const Call& call) {
  if (!plugin_.has_events()) return Device::timed(call);
  return plugin::timed(plugin_, opened_.device,
                       [&] { call.program->launch(call.buffers, call.vars); });
}

void PluginDevice::submit() {
  if (plugin_.table().submit == nullptr) return;
  plugin_.call("submit", "",
               [&](tg_message* m) { return plugin_.table().submit(opened_.device, m); });
}

void PluginDevice::synchronize() {
  plugin_.call("synchronize", "",
               [&](tg_message* m) { return plugin_.table().synchronize(opened_.device, m); });
}

std::string PluginDevice::compiler() const {
  std::string out;
  if (plugin_.table().compiler == nullptr) return out;
  plugin_.call_quietly([&] {
    const char* text = plugin_.table().compiler(opened_.device);
    if (text != nullptr) out = clean_text({text, strnlen(text, 1000)});
  });
  return out;
}

}  // namespace tg::plugin
