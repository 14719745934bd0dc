// What a plug-in may leave out: the queue, events and graphs. With them, without them, and when
// they fail or lie.
#include <gtest/gtest.h>
#include <tg/jit.h>

#include "plugin_test_util.h"
#include "support/dynamic_library.h"
#include "support/options.h"
#include "tg/counters.h"
#include "tg/log.h"

namespace tg {
namespace {

// As the plug-in has them.
struct Counts {
  int launches, submits, events, graphs, calls_set, graphs_run;
};

Counts& counts_of(const std::string& fault) {
  static auto& open = *new std::vector<std::unique_ptr<DynamicLibrary>>;  // never closed
  open.push_back(std::make_unique<DynamicLibrary>(test::plugin_path("faulty_" + fault)));
  return *static_cast<Counts*>(open.back()->function<void*()>("faulty_counts")());
}

std::string load(const std::string& fault) {
  return load_backend(test::plugin_path("faulty_" + fault));
}

Tensor on(const std::string& device, float first = 1) {
  return Tensor(std::vector<float>{first, 2, 3, 4, 5, 6}, {.device = device}).realize();
}

// Eight times x by three kernels, of which in a captured call the first and the last get other
// arguments.
constexpr int kKernels = 3;
Tensor several(const Tensor& x) {
  const Tensor twice(std::vector<float>{2, 0, 0, 0, 2, 0, 0, 0, 2}, {.device = x.device()});
  Tensor y = x.reshape({2, 3});
  for (int i = 0; i < kKernels; ++i) y = y.matmul(twice.reshape({3, 3}));
  return y;
}

class Log {
 public:
  explicit Log(int debug) : scope_(with_debug(debug)) {
    before_ = set_log_sink([this](std::string_view line) { (text_ += line) += '\n'; });
  }
  ~Log() { set_log_sink(before_); }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  const std::string& text() const { return text_; }

 private:
  static Options with_debug(int debug) {
    Options o = options();
    o.debug = debug;
    return o;
  }
  const OptionsScope scope_;
  LogSink before_;
  std::string text_;
};

// ---- the queue
TEST(PluginQueue, IsToldWhenNothingMoreComes) {
  const std::string name = load("NONE");
  Counts& counts = counts_of("NONE");
  const Tensor x = on(name);
  counts = {};
  several(x).realize();
  EXPECT_EQ(counts.launches, kKernels);
  EXPECT_EQ(counts.submits, 1);
  several(x).realize();
  EXPECT_EQ(counts.submits, 2);
}

// ---- older plug-ins
TEST(OlderPlugin, HasNoneOfIt) {
  const std::string name = load("OLDER_TABLE");
  Counts& counts = counts_of("OLDER_TABLE");
  TinyJit f(several);
  for (int i = 0; i < 4; ++i) f(on(name));
  {
    const Log log(2);
    several(on(name)).realize();
    EXPECT_NE(log.text().find("us "), std::string::npos) << log.text();
  }
  EXPECT_EQ(counts.launches, 5 * kKernels);
  EXPECT_EQ(counts.submits + counts.events + counts.graphs + counts.graphs_run, 0);
}

// ---- events
TEST(PluginEvents, TimeKernelsByTheDevicesClock) {
  const std::string name = load("NONE");
  const Tensor x = on(name);
  {
    const Log log(2);
    several(x).realize();
    EXPECT_NE(log.text().find(" 125000.0 us"), std::string::npos) << log.text();
  }
  EXPECT_EQ(counts_of("NONE").events, 0) << "events are left";
}

struct FailingEvent {
  const char* fault;
  const char* entry;
  const char* what;
};

class PluginEventThat : public testing::TestWithParam<FailingEvent> {};

TEST_P(PluginEventThat, IsADeviceErrorAndLeavesNone) {
  const FailingEvent& c = GetParam();
  const std::string name = load(c.fault), file = std::string("faulty_") + c.fault + ".so";
  const Tensor x = on(name);
  for (int time = 0; time < 2; ++time) {
    const Log log(2);
    EXPECT_EQ(test::message_of([&] { (x + 1).realize(); }),
              name + "." + c.entry + ": " + c.what + " (plug-in DIR/" + file + ").");
  }
  EXPECT_EQ(counts_of(c.fault).events, 0);
  (x + 1).realize();  // without being timed
}

INSTANTIATE_TEST_SUITE_P(
    Plugin, PluginEventThat,
    testing::Values(FailingEvent{"EVENT_FAILS", "make_event", "it has no watch"},
                    FailingEvent{"EVENT_NULL", "make_event", "it succeeded with the event NULL"},
                    FailingEvent{"RECORD_FAILS", "record_event", "its pencil is broken"},
                    FailingEvent{"ELAPSED_FAILS", "elapsed", "it was asleep"},
                    FailingEvent{"ELAPSED_NEGATIVE", "elapsed",
                                 "it says that -2.5 seconds have passed"},
                    FailingEvent{"ELAPSED_NAN", "elapsed", "it says that nan seconds have passed"}),
    [](const auto& info) { return std::string(info.param.fault); });

// ---- graphs
TEST(PluginGraph, IsRunAtEachReplayAndToldOfWhatChanged) {
  const std::string name = load("NONE");
  Counts& counts = counts_of("NONE");
  const std::vector<Tensor> x = {on(name), on(name, 2), on(name, 3)};
  {
    TinyJit f(several, {.alias_outputs = true});
    for (int i = 0; i < 2; ++i) f(x[0]);
    counts = {};
    GlobalCounters::reset();
    f(x[0]);
    EXPECT_EQ(counts.graphs, 1);
    EXPECT_EQ(counts.calls_set, 0) << "it was made with these";
    f(x[1]);
    EXPECT_EQ(counts.calls_set, 1) << "the kernel that reads the argument";
    f(x[1]);
    EXPECT_EQ(counts.calls_set, 1);
    f(x[2]);
    EXPECT_EQ(counts.calls_set, 2);
    EXPECT_EQ(counts.graphs_run, 4);
    EXPECT_EQ(counts.submits, 4);
    EXPECT_EQ(counts.launches, 0);
    EXPECT_EQ(GlobalCounters::read().kernels, 4 * kKernels);
    EXPECT_EQ(GlobalCounters::kernels_on(name), 4 * kKernels);
  }
  EXPECT_EQ(counts.graphs, 0) << "graphs are left";
}

TEST(PluginGraph, OfOneKernelIsALaunch) {
  const std::string name = load("NONE");
  Counts& counts = counts_of("NONE");
  TinyJit f([](const Tensor& x) { return x * 2; });
  for (int i = 0; i < 2; ++i) f(on(name));
  counts = {};
  f(on(name));
  EXPECT_EQ(counts.graphs_run, 0);
  EXPECT_EQ(counts.launches, 1);
}

class PluginGraphThat : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(PluginGraphThat, CannotBeMadeIsReplacedByLaunches) {
  const auto& [fault, why] = GetParam();
  const std::string name = load(fault);
  Counts& counts = counts_of(fault);
  TinyJit f(several);
  for (int i = 0; i < 2; ++i) f(on(name));
  counts = {};
  {
    const Log log(1);
    f(on(name));
    EXPECT_NE(log.text().find(name + ".make_graph: " + why), std::string::npos) << log.text();
    EXPECT_NE(log.text().find("are launched one by one"), std::string::npos) << log.text();
  }
  f(on(name));
  EXPECT_EQ(counts.launches, 2 * kKernels);
  EXPECT_EQ(counts.graphs_run, 0);
}

INSTANTIATE_TEST_SUITE_P(Plugin, PluginGraphThat,
                         testing::Values(std::pair{"GRAPH_FAILS", "it cannot draw"},
                                         std::pair{"GRAPH_THROWS",
                                                   "it threw a C++ exception: out of paper"}),
                         [](const auto& info) { return std::string(info.param.first); });

struct FailingGraph {
  const char* fault;
  const char* message;
};

class PluginGraphWhich : public testing::TestWithParam<FailingGraph> {};

TEST_P(PluginGraphWhich, FailsOrLiesIsADeviceErrorAndOthersWork) {
  const FailingGraph& c = GetParam();
  const std::string name = load(c.fault);
  {
    TinyJit f(several);
    std::vector<Tensor> kept;  // so that each result has an address of its own
    const Tensor x = on(name), y = on(name, 2);
    for (int i = 0; i < 2; ++i) kept.push_back(f(x));
    for (int time = 0; time < 2; ++time) {
      std::string text = test::message_of([&] {
        for (int i = 0; i < 2; ++i) kept.push_back(f(i == 0 ? x : y));
      });
      if (const size_t at = text.find("r_"); at != std::string::npos)
        text.replace(at, text.find(':', at) - at, "K");
      EXPECT_EQ(text, name + "." + c.message + " (plug-in DIR/faulty_" + c.fault + ".so).");
    }
  }
  EXPECT_EQ(counts_of(c.fault).graphs, 0);
  several(on(name)).realize();
  EXPECT_EQ(test::small_program("INTERP"), (std::vector<float>{3, 5, 7, 9, 11, 13}));
}

INSTANTIATE_TEST_SUITE_P(
    Plugin, PluginGraphWhich,
    testing::Values(FailingGraph{"GRAPH_NULL", "make_graph: it succeeded with the graph NULL"},
                    FailingGraph{"GRAPH_LOST", "make_graph: device lost: it fell off the bus"},
                    FailingGraph{"SET_CALL_FAILS", "set_call: K: it is carved in stone"},
                    FailingGraph{"RUN_GRAPH_FAILS", "run_graph: 3 kernels: it lost the drawing"}),
    [](const auto& info) { return std::string(info.param.fault); });

// ---- the example
TEST(CustomBackend, ReplaysCapturedCallsAndTimesKernels) {
  const std::string name = load_backend(test::plugin_path("cc_backend_A"));
  TinyJit f(several);
  std::vector<Tensor> results;
  for (int i = 0; i < 6; ++i) results.push_back(f(on(name, static_cast<float>(i))));
  for (int i = 0; i < 6; ++i) {
    const auto first = static_cast<float>(i);
    EXPECT_EQ(results[static_cast<size_t>(i)].to_vector<float>(),
              (std::vector<float>{8 * first, 16, 24, 32, 40, 48}));
  }
  const Log log(2);
  several(on(name)).realize();
  EXPECT_NE(log.text().find("CC_A"), std::string::npos) << log.text();
}

}  // namespace
}  // namespace tg
