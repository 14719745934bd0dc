// tg-conformance: does a device compute what it must? For the devices of the library and for those
// of plug-ins. The cases are in *_cases.cpp, the counting in suite.cpp.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <exception>
#include <random>

#include "random_run.h"
#include "suite.h"
#include "support/check.h"
#include "support/interrupt.h"
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
  add_product_cases(suite, s);
  add_function_cases(suite, s);
  add_regressions(suite);
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

constexpr uint64_t kProgramsADay = 1'000'000;

struct Today {
  std::string date;
  int64_t days = 0;  ///< since 1970
};
Today today() {
  const auto days = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  const std::chrono::year_month_day d(days);
  return {fmt::format("{:04}-{:02}-{:02}", static_cast<int>(d.year()),
                      static_cast<unsigned>(d.month()), static_cast<unsigned>(d.day())),
          days.time_since_epoch().count()};
}

uint64_t read_seed(const std::string& text, uint64_t otherwise) {
  if (text.empty()) return otherwise;
  if (text != "today") return std::stoull(text);
  const Today t = today();
  const uint64_t seed = static_cast<uint64_t>(t.days) * kProgramsADay;
  fmt::print("{}: the same as --seed {}\n", t.date, seed);
  return seed;
}

// "3/8"; "today/4", a fourth that changes by the day; or "today", an eighth.
void read_share(const std::string& text, Settings& s) {
  if (text.empty()) return;
  const std::vector<std::string_view> parts = split(text == "today" ? "today/8" : text, '/');
  const auto number = [](std::string_view digits) { return std::stoll(std::string(digits)); };
  s.every = parts.size() == 2 ? number(parts[1]) : 0;
  const bool by_day = parts[0] == "today";
  const Today t = today();
  s.first = s.every < 1 ? -1 : by_day ? t.days % s.every : number(parts[0]) - 1;
  if (s.first < 0 || s.first >= s.every)
    user_error<ArgumentError>(
        "tg-conformance", fmt::format("--share {} is no share", text),
        "Hint: 3/8 is the third of eight, today/8 another of eight each day.");
  if (by_day) fmt::print("{}: the same as --share {}/{}\n", t.date, s.first + 1, s.every);
}

// The device that was asked for, open; DeviceError if it cannot be tried here.
std::string opened(const std::string& asked, const std::string& plugin) {
  std::string name = asked;
  if (!plugin.empty()) {
    const std::string loaded = load_backend(plugin);
    if (name.empty()) name = loaded;
  }
  if (name.empty()) name = default_device();
  device(name);
  return name;
}

constexpr int kCannotBeTried = 2, kBroken = 3;

int main(int argc, char** argv) {
  CLI::App app(
      "Does a device compute what it must? Exit status: 0 yes, 1 no, 2 the device cannot be tried "
      "here, 3 the tool could not do its work.");
  Settings s;
  RandomSettings random;
  std::string plugin;
  app.add_option("--device", s.device, "the device (default: the default device)");
  app.add_option("--backend", plugin, "a shared object with a backend, loaded first");
  app.add_option("--reference", s.reference, "the device that programs are compared with")
      ->capture_default_str();
  app.add_option("--filter", s.filter, "only cases whose names contain this");
  app.add_option("--without", s.without, "no cases whose names contain this");
  std::string seed;
  app.add_option("--seed", seed,
                 "of all random choices: a number, or today (of random programs the "
                 "default is another one every time, else 1)");
  app.add_option("--random", random.programs, "run this many random programs instead of the cases");
  app.add_option("--against", random.against, "run random programs only like this")
      ->check(CLI::IsMember({"evaluator", "noopt", "threads", "clang"}));
  app.add_flag("--print", random.print_all, "print every random program");
  std::string share;
  app.add_option("--share", share,
                 "run only a share of the cases: 3/8, or today for an eighth that "
                 "changes by the day");
  app.add_option("--every", s.every, "run one case of this many, spread over all kinds")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--quick", s.quick, "fewer random cases");
  app.add_flag("--list", s.list, "print the names of the cases");
  CLI11_PARSE(app, argc, argv);
  try {
    s.device = opened(s.device, plugin);
  } catch (const DeviceError& e) {
    write_standard_error(fmt::format("{}\n", e.what()));
    return kCannotBeTried;
  }
  try {
    const InterruptScope stops;
    read_share(share, s);
    random.device = s.device;
    random.seed = read_seed(seed, random.programs > 0 ? std::random_device()() : 1);
    s.seed = random.seed;
    return random.programs > 0 ? run_random(random) : test(s);
  } catch (const std::exception& e) {
    write_standard_error(fmt::format("{}\n", e.what()));
    return kBroken;
  }
}

}  // namespace
}  // namespace tg::conformance

int main(int argc, char** argv) { return tg::conformance::main(argc, argv); }
