// tg-conformance: does a device compute what it must? For the devices of the library and for those
// of plug-ins. The cases are in *_cases.cpp, the counting in suite.cpp.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <exception>

#include "suite.h"
#include "support/log.h"
#include "support/options.h"
#include "support/text.h"
#include "tg/backend.h"

namespace tg::conformance {
namespace {

Suite whole_suite(const Settings& s) {
  Suite suite;
  add_element_cases(suite, s);
  add_movement_cases(suite, s);
  add_graph_cases(suite, s);
  add_product_cases(suite);
  add_layer_cases(suite);
  add_step_cases(suite, s);
  return suite;
}

// 0 if all that could run passed.
int test(const Settings& s) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  Device& d = device(s.device);
  if (!s.list)
    fmt::print("{}{}{}, compared with the evaluator and {}, seed {}\n", d.name(),
               d.compiler().empty() ? "" : ", compiler ", d.compiler(), s.reference, s.seed);
  const Counts counts = run(whole_suite(s), s);
  if (s.list) return 0;
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  fmt::print("{}: {} passed, {} failed, {} skipped in {}\n", d.name(), counts.passed, counts.failed,
             counts.skipped, human_time(seconds));
  return counts.failed == 0 ? 0 : 1;
}

int main(int argc, char** argv) {
  CLI::App app(
      "Does a device compute what it must? Exit status: 0 yes, 1 no, 2 it cannot be tried.");
  Settings s;
  std::string plugin;
  app.add_option("--device", s.device, "the device (default: the default device)");
  app.add_option("--backend", plugin, "a shared object with a backend, loaded first");
  app.add_option("--reference", s.reference, "the device that programs are compared with")
      ->capture_default_str();
  app.add_option("--filter", s.filter, "only cases whose names contain this");
  app.add_option("--seed", s.seed, "of all random choices")->capture_default_str();
  app.add_option("--every", s.every, "run one case of this many, spread over all kinds")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--quick", s.quick, "fewer random cases");
  app.add_flag("--list", s.list, "print the names of the cases");
  CLI11_PARSE(app, argc, argv);
  try {
    if (!plugin.empty()) {
      const std::string name = load_backend(plugin);
      if (s.device.empty()) s.device = name;
    }
    if (s.device.empty()) s.device = default_device();
    return test(s);
  } catch (const std::exception& e) {
    write_standard_error(fmt::format("{}\n", e.what()));
    return 2;
  }
}

}  // namespace
}  // namespace tg::conformance

int main(int argc, char** argv) { return tg::conformance::main(argc, argv); }
