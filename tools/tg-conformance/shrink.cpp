// See shrink.h.
#include "shrink.h"

#include <algorithm>

#include "support/check.h"
#include "support/options.h"

namespace tg::conformance {
namespace {

class Shrinker {
 public:
  Shrinker(Program p, Outcome::Kind kind, const std::function<Outcome(const Program&)>& run,
           int most)
      : best_(without_unused(p)), kind_(kind), run_(run), left_(most) {}

  Program run() {
    for (bool smaller = true; smaller && left_ > 0;) {
      smaller = fewer_results();
      smaller = (cut_steps() && (fewer_results() || true)) || smaller;
      smaller = bypass_steps() || smaller;
      smaller = shorter_axes() || smaller;
      smaller = smaller_numbers() || smaller;
    }
    return best_;
  }

 private:
  bool accept(const Program& candidate) {
    if (left_-- <= 0) return false;
    const Program p = without_unused(candidate);
    if (p.outputs.empty() && p.loss < 0) return false;
    if (run_(p).kind != kind_) return false;
    best_ = p;
    return true;
  }
  // Applies `change` to a copy.
  template <typename F>
  bool attempt(F change) {
    Program p = best_;
    return change(p) && accept(p);
  }

  bool fewer_results() {
    bool any = false;
    any = attempt([](Program& p) { return std::exchange(p.captured, false); }) || any;
    any = attempt([](Program& p) { return std::exchange(p.second_order, false); }) || any;
    any = attempt([](Program& p) {
            const bool had = p.loss >= 0;
            p.loss = -1, p.targets.clear(), p.second_order = false;
            return had;
          }) ||
          any;
    for (size_t i = best_.outputs.size(); i-- > 0;) {
      any = attempt([&](Program& p) {
              if (i >= p.outputs.size()) return false;
              p.outputs.erase(p.outputs.begin() + static_cast<std::ptrdiff_t>(i));
              return true;
            }) ||
            any;
    }
    for (size_t i = best_.targets.size(); i-- > 0;) {
      any = attempt([&](Program& p) {
              if (p.targets.size() < 2 || i >= p.targets.size()) return false;
              p.targets.erase(p.targets.begin() + static_cast<std::ptrdiff_t>(i));
              return true;
            }) ||
            any;
    }
    return any;
  }

  // Data in place of what a step computes, from the last step to the first.
  bool cut_steps() {
    bool any = false;
    for (size_t i = best_.values.size(); i-- > 0;) {
      any = attempt([&](Program& p) {
              if (i >= p.values.size() || !std::holds_alternative<Step>(p.values[i])) return false;
              const std::optional<Input> data = data_like(p, i);
              if (!data) return false;
              p.values[i] = *data;
              if (p.loss >= 0 && is_float(data->dtype) && p.loss != static_cast<int>(i))
                p.targets.push_back(static_cast<int>(i));
              return true;
            }) ||
            any;
    }
    return any;
  }

  // An operand in place of the step's result.
  bool bypass_steps() {
    bool any = false;
    for (size_t i = best_.values.size(); i-- > 0;) {
      std::vector<int> operands;
      if (i < best_.values.size()) {
        if (auto* s = std::get_if<Step>(&best_.values[i]))
          for_each_operand(*s, [&](Operand& o) { operands.push_back(o.value); });
      }
      for (const int by : operands) {
        const bool done = attempt([&](Program& p) {
          const auto from = static_cast<int>(i);
          const auto replace = [&](int& v) { v = v == from ? by : v; };
          for (size_t k = i + 1; k < p.values.size(); ++k) {
            if (auto* s = std::get_if<Step>(&p.values[k]))
              for_each_operand(*s, [&](Operand& o) { replace(o.value); });
          }
          for (int& v : p.outputs) replace(v);
          replace(p.loss);
          return true;
        });
        any = any || done;
        if (done) break;
      }
    }
    return any;
  }

  bool shorter_axes() {
    bool any = false;
    for (size_t i = 0; i < best_.values.size(); ++i) {
      const auto* data = std::get_if<Input>(&best_.values[i]);
      for (size_t a = 0; data != nullptr && a < data->shape.size(); ++a) {
        for (const int64_t smaller : {int64_t{1}, data->shape[a] / 2, data->shape[a] - 1}) {
          const auto set = [&](Program& p, bool all) {
            const int64_t from = std::get<Input>(p.values[i]).shape[a];
            if (smaller < 1 || smaller >= from) return false;
            for (size_t k = 0; k < p.values.size(); ++k) {
              auto* other = std::get_if<Input>(&p.values[k]);
              if (other == nullptr || (k != i && !all)) continue;
              // Axes counted from the end belong together.
              for (size_t b = 0; b < other->shape.size(); ++b) {
                const bool same = other->shape.size() - b == data->shape.size() - a;
                if (same && other->shape[b] == from) other->shape[b] = smaller;
              }
            }
            return true;
          };
          any = attempt([&](Program& p) { return set(p, false); }) || any;
          data = std::get_if<Input>(&best_.values[i]);
          any = attempt([&](Program& p) { return set(p, true); }) || any;
          data = std::get_if<Input>(&best_.values[i]);
        }
      }
    }
    return any;
  }

  bool smaller_numbers() {
    bool any = false;
    for (size_t i = 0; i < best_.values.size(); ++i) {
      const auto* step = std::get_if<Step>(&best_.values[i]);
      if (step == nullptr) continue;
      for (size_t a = 0; a < step->arguments.size(); ++a) {
        any = smaller_argument(i, a) || any;
        step = std::get_if<Step>(&best_.values[i]);
        if (step == nullptr) break;
      }
    }
    return any;
  }

  bool smaller_argument(size_t i, size_t a) {
    const Argument now = std::get<Step>(best_.values[i]).arguments[a];
    const auto with = [&](const Argument& changed) {
      return attempt([&](Program& p) {
        if (i >= p.values.size()) return false;
        auto* s = std::get_if<Step>(&p.values[i]);
        if (s == nullptr || a >= s->arguments.size()) return false;
        s->arguments[a] = changed;
        return true;
      });
    };
    if (const auto* n = std::get_if<int64_t>(&now)) {
      for (const int64_t smaller : {int64_t{0}, int64_t{1}, *n / 2, *n - 1}) {
        if (std::abs(smaller) < std::abs(*n) && with(smaller)) return true;
      }
    } else if (const auto* x = std::get_if<double>(&now)) {
      for (const double smaller : {0.0, 1.0, std::trunc(*x / 2), std::trunc(*x) - 1}) {
        if (std::abs(smaller) < std::abs(*x) && with(smaller)) return true;
      }
    } else if (const auto* list = std::get_if<std::vector<int64_t>>(&now)) {
      for (size_t k = 0; k < list->size(); ++k) {
        for (const int64_t smaller : {int64_t{0}, int64_t{1}, (*list)[k] / 2, (*list)[k] - 1}) {
          std::vector<int64_t> changed = *list;
          changed[k] = smaller;
          if (std::abs(smaller) < std::abs((*list)[k]) && with(changed)) return true;
        }
      }
    }
    return false;
  }

  // Data of shape and dtype of value `i`; none if the program cannot be built.
  static std::optional<Input> data_like(const Program& p, size_t i) {
    try {
      const Tensor t = build_values(p, make_inputs(p))[i];
      const bool integer = !is_float(t.dtype());
      return Input{.shape = t.shape(),
                   .dtype = t.dtype(),
                   .low = integer ? 0.0 : -2.0,
                   .high = 2,
                   .seed = i};
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  Program best_;
  Outcome::Kind kind_;
  const std::function<Outcome(const Program&)>& run_;
  int left_;
};

}  // namespace

Program shrunk(Program p, const Outcome& failure, const std::function<Outcome(const Program&)>& run,
               int most) {
  return Shrinker(std::move(p), failure.kind, run, most).run();
}

}  // namespace tg::conformance
