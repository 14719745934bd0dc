// See graph.h.
#include "backends/plugin/graph.h"

#include <cmath>

#include "backends/plugin/program.h"
#include "support/log.h"

namespace tg::plugin {
namespace {

class Event {
 public:
  Event(const Plugin& plugin, void* device) : plugin_(plugin), device_(device) {
    plugin.call("make_event", "",
                [&](tg_message* m) { return plugin_.table().make_event(device_, &event_, m); });
    if (event_ == nullptr) plugin.fail("make_event", "it succeeded with the event NULL");
  }
  ~Event() {
    plugin_.call_quietly([&] { plugin_.table().forget_event(device_, event_); });
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record() const {
    plugin_.call("record_event", "",
                 [&](tg_message* m) { return plugin_.table().record_event(device_, event_, m); });
  }
  double seconds_to(const Event& end) const {
    double seconds = -1;
    plugin_.call("elapsed", "", [&](tg_message* m) {
      return plugin_.table().elapsed(device_, event_, end.event_, &seconds, m);
    });
    if (!std::isfinite(seconds) || seconds < 0)
      plugin_.fail("elapsed", fmt::format("it says that {} seconds have passed", seconds));
    return seconds;
  }

 private:
  const Plugin& plugin_;
  void* const device_;
  void* event_ = nullptr;
};

tg_call call_of(const Call& call) {
  return static_cast<const PluginProgram&>(*call.program).call(call.buffers, call.vars);
}

}  // namespace

double timed(const Plugin& plugin, void* device, FunctionRef<void()> launch) {
  const Event begin(plugin, device), end(plugin, device);
  begin.record();
  launch();
  end.record();
  return begin.seconds_to(end);
}

std::unique_ptr<Replay> GraphReplay::make(const Plugin& plugin, void* device,
                                          const CallSequence& sequence) {
  std::unique_ptr<GraphReplay> replay(new GraphReplay(plugin, device, sequence));
  std::vector<tg_call> calls;
  for (const Call& c : sequence.calls) calls.push_back(call_of(c));
  const auto ask = [&](tg_message* m) {
    return plugin.table().make_graph(device, calls.data(), sequence.ends.data(),
                                     sequence.ends.size(), &replay->graph_, m);
  };
  const Plugin::Answer answer = plugin.ask(ask);
  if (answer.status == TG_OK && replay->graph_ == nullptr)
    plugin.fail("make_graph", "it succeeded with the graph NULL");
  if (answer.status == TG_OK) return replay;
  replay->graph_ = nullptr;  // whatever it put there
  if (answer.status == TG_DEVICE_LOST) plugin.fail("make_graph", "device lost: " + answer.text);
  debug_log(1, "{}.make_graph: {} (plug-in {}). The captured kernels are launched one by one.",
            plugin.name(), answer.text.empty() ? "it failed without a message" : answer.text,
            plugin.path());
  return nullptr;
}

GraphReplay::~GraphReplay() {
  if (graph_ != nullptr)
    plugin_.call_quietly([&] { plugin_.table().forget_graph(device_, graph_); });
}

void GraphReplay::run() {
  changed_.update([&](size_t varying, const Call& call) {
    const size_t index = sequence_.varying[varying];
    const tg_call now = call_of(call);
    plugin_.call(
        "set_call", static_cast<const PluginProgram&>(*call.program).name(),
        [&](tg_message* m) { return plugin_.table().set_call(device_, graph_, index, &now, m); });
  });
  plugin_.call("run_graph", fmt::format("{} kernels", sequence_.calls.size()),
               [&](tg_message* m) { return plugin_.table().run_graph(device_, graph_, m); });
}

}  // namespace tg::plugin
