// The runner; see suite.h.
#include "suite.h"

#include "random_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>

#include "support/check.h"
#include "support/device_graph.h"
#include "support/log.h"
#include "support/options.h"
#include "support/progress.h"
#include "tg/random.h"

namespace tg::conformance {
namespace {

constexpr size_t kBlock = 64;    // graphs that are computed in one call
constexpr int64_t kReports = 5;  // failures whose programs are made short

void say(const std::string& line) { fmt::print("{}\n", line); }

class Runner {
 public:
  explicit Runner(const Settings& settings)
      : settings_(settings), device_(device(settings.device)) {}

  void run(const Suite& suite) {
    if (!settings_.list) progress_.emplace("cases", count(suite));
    std::vector<const GraphCase*> block;
    for (const GraphCase& c : suite.graphs) {
      if (!picked(c.name)) continue;
      if (!c.skip.empty()) {
        skip(c.name, c.skip);
        continue;
      }
      block.push_back(&c);
      if (block.size() == kBlock) run_block(block), block.clear();
    }
    run_block(block);
    std::vector<const DrawnCase*> programs;
    for (const DrawnCase& c : suite.drawn) {
      if (!picked(c.name)) continue;
      programs.push_back(&c);
      if (programs.size() == kBlock) run_drawn(programs), programs.clear();
    }
    run_drawn(programs);
    for (const JudgedCase& c : suite.judged) {
      if (picked(c.name)) run_judged(c);
    }
    for (const ProgramCase& c : suite.programs) {
      if (!picked(c.name)) continue;
      if (const std::string reason = lacks(device_.target(), c.dtype); !reason.empty())
        skip(c.name, reason);
      else
        run_program(c);
    }
    progress_.reset();
  }
  int64_t picked() const { return picked_; }
  const Counts& counts() const { return counts_; }
  void explain_skips() const {
    for (const auto& [reason, count] : reasons_)
      say(fmt::format("skipped {:>5}  {}", count, reason));
    const auto all = static_cast<double>(judged_ + unknown_);
    if (all > 0)
      say(fmt::format(
          "functions: {} elements judged, {:.2f} % not, for rounding may make anything of them",
          judged_, 100 * static_cast<double>(unknown_) / all));
  }

 private:
  bool fits(const std::string& name) const {
    const std::string& without = settings_.without;
    if (!without.empty() && name.find(without) != std::string::npos) return false;
    return name.find(settings_.filter) != std::string::npos;
  }
  int64_t count(const Suite& suite) const {
    const auto fitting = [this](const auto& cases) {
      return std::ranges::count_if(cases, [this](const auto& c) { return fits(c.name); });
    };
    const int64_t all = fitting(suite.graphs) + fitting(suite.drawn) + fitting(suite.judged) +
                        fitting(suite.programs);
    return (all + settings_.every - 1) / settings_.every;
  }
  bool picked(const std::string& name) {
    if (!fits(name)) return false;
    if (matching_++ % settings_.every != settings_.first) return false;
    ++picked_;
    if (settings_.list) say(name);
    return !settings_.list;
  }
  void skip(const std::string& name, const std::string& reason) {
    ++counts_.skipped;
    ++reasons_[reason];
    progress_->advance(1, name);
  }
  void pass(const std::string& name) {
    ++counts_.passed;
    progress_->advance(1, name);
  }
  void fail(const std::string& name, const std::string& why) {
    ++counts_.failed;
    progress_->advance(1, name);
    say(fmt::format("FAILED {}: {}", name, why));
  }

  Options on(const std::string& name) const {
    Options o = options();
    o.device = name;
    return o;
  }

  // All at once; if that throws, one by one, so that the error has a name.
  void run_block(const std::vector<const GraphCase*>& block) {
    if (block.empty()) return;
    const OptionsScope scope(on(settings_.device));
    try {
      std::vector<Graph> graphs;
      std::vector<UOp> roots;
      for (const GraphCase* c : block) {
        graphs.push_back(c->make(device_));
        roots.insert(roots.end(), graphs.back().roots.begin(), graphs.back().roots.end());
      }
      const std::vector<TensorValue> got = test::realized_values(roots);
      size_t first = 0;
      for (size_t i = 0; i < block.size(); ++i) {
        judge(*block[i], graphs[i], got, first);
        first += graphs[i].roots.size();
      }
    } catch (const std::exception& e) {
      if (block.size() == 1) return fail(block[0]->name, e.what());
      for (const GraphCase* c : block) run_block({c});
    }
  }

  void run_drawn(const std::vector<const DrawnCase*>& block) {
    const Options here = on(settings_.device);
    const OptionsScope scope(here);
    std::vector<const DrawnCase*> cases;
    std::vector<Program> programs;
    for (const DrawnCase* c : block) {
      const DrawnProgram d = c->skip.empty() ? c->make() : DrawnProgram{};
      if (!c->skip.empty()) {
        skip(c->name, c->skip);
      } else if (!d.fault.empty()) {
        fail(c->name, "arguments that are not legal: " + d.fault);
      } else if (d.program.values.empty()) {
        skip(c->name, d.redrawn.begin()->first);
      } else {
        cases.push_back(c), programs.push_back(d.program);
      }
    }
    const std::vector<Outcome> outcomes = run_programs(programs, here);
    for (size_t i = 0; i < cases.size(); ++i) {
      judged_ += outcomes[i].judged, unknown_ += outcomes[i].unknown;
      if (outcomes[i].passed()) {
        pass(cases[i]->name);
        continue;
      }
      fail(cases[i]->name, outcomes[i].text);
      if (counts_.failed <= kReports) report(programs[i], outcomes[i], here);
    }
  }

  void run_judged(const JudgedCase& c) {
    const Options here = on(settings_.device);
    const OptionsScope scope(here);
    manual_seed(settings_.seed);
    const Outcome outcome = judged_results(c.results);
    judged_ += outcome.judged, unknown_ += outcome.unknown;
    if (outcome.passed())
      pass(c.name);
    else
      fail(c.name, outcome.text);
  }

  void judge(const GraphCase& c, const Graph& g, const std::vector<TensorValue>& got,
             size_t first) {
    const std::vector<TensorValue> want = evaluate(g.roots, g.contents);
    for (size_t r = 0; r < want.size(); ++r) {
      const std::string wrong = difference(got[first + r], want[r], c.tolerance);
      if (!wrong.empty()) return fail(c.name, fmt::format("result {}: {}", r, wrong));
    }
    pass(c.name);
  }

  std::vector<std::vector<double>> results(const ProgramCase& c, const std::string& name) const {
    const OptionsScope scope(on(name));
    manual_seed(settings_.seed);
    const std::vector<Tensor> values = c.run();
    Tensor::realize(values);
    std::vector<std::vector<double>> out;
    for (const Tensor& t : values) {
      if (!t.device().empty() && device(t.device()).name() != device(name).name())
        user_error<DeviceError>(name, fmt::format("a result is on {}", t.device()));
      out.push_back(t.to_vector<double>());
    }
    return out;
  }

  void run_program(const ProgramCase& c) {
    try {
      const auto got = results(c, settings_.device), want = results(c, settings_.reference);
      for (size_t r = 0; r < want.size(); ++r) {
        const std::string wrong = difference(got[r], want[r], c.tolerance);
        if (!wrong.empty()) return fail(c.name, fmt::format("result {}: {}", r, wrong));
      }
      pass(c.name);
    } catch (const std::exception& e) {
      fail(c.name, e.what());
    }
  }

  const Settings settings_;
  Device& device_;
  Counts counts_;
  int64_t matching_ = 0, picked_ = 0;
  int64_t judged_ = 0, unknown_ = 0;  // elements of recorded functions
  std::map<std::string, int64_t> reasons_;
  std::optional<ProgressBar> progress_;
};

}  // namespace

Counts run(const Suite& suite, const Settings& settings) {
  Runner runner(settings);
  runner.run(suite);
  if (runner.picked() == 0)
    user_error<ArgumentError>("tg-conformance",
                              fmt::format("no case fits the filter \"{}\"", settings.filter),
                              "Hint: --list prints the names.");
  runner.explain_skips();
  return runner.counts();
}

TensorValue random_value(const Shape& shape, DType t, double low, double high, uint64_t seed) {
  std::mt19937_64 rng(seed * 0x9e3779b97f4a7c15ull + 1);
  TensorValue v = TensorValue::zeros(shape, t);
  std::vector<double> numbers(static_cast<size_t>(v.numel()));
  for (double& x : numbers) {
    const double unit = static_cast<double>(rng() >> 11) * 0x1p-53;
    x = low + unit * (high - low);
    if (!is_float(t)) x = static_cast<double>(static_cast<int64_t>(x));
  }
  return TensorValue::of(shape, t, numbers);
}

UOp leaf(Graph& graph, Device& device, const TensorValue& v) {
  const UOp u = test::device_leaf(device, v);
  graph.contents.emplace(u.node(), v);
  return u;
}

// Narrow types are computed in wider ones; these have none.
std::string lacks(const Target& target, DType t) {
  const bool widest = t == DType::Float64 || t == DType::Int64 || t == DType::UInt64;
  return widest && !target.supports(t)
             ? fmt::format("the device's facts say that it has no {}", dtype_name(t))
             : std::string();
}

}  // namespace tg::conformance
