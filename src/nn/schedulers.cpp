// Schedulers of the learning rate, by PyTorch's recurrences: each step goes from the rate that is
// there, so that changes from elsewhere last. All of it is arithmetic of the host; what the device
// gets is one number (Optimizer::set_lr).
#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/check.h"
#include "tg/training.h"

namespace tg::nn {
namespace {

void check_at_least_one(std::string_view fn, std::string_view what, int64_t n) {
  if (n >= 1) return;
  user_error<ArgumentError>(fn, fmt::format("{} must be at least 1, got {}", what, n));
}

// From `from` to `to` as `share` goes from 0 to 1.
double half_cosine(double from, double to, double share) {
  return to + (from - to) / 2 * (1 + std::cos(std::numbers::pi * share));
}

}  // namespace

// ---- what all share
LRScheduler::LRScheduler(Optimizer& optimizer) : optimizer_(optimizer) {
  if (!optimizer.initial_rate_) optimizer.initial_rate_ = optimizer.lr();
}
LRScheduler::~LRScheduler() = default;

double LRScheduler::base() const { return *optimizer_.initial_rate_; }

void LRScheduler::set(double lr) {
  optimizer_.set_lr(lr);
  last_lr_ = lr;
}

double LRScheduler::restart(double lr) {
  epoch_ = 0;
  return first(lr);
}

double LRScheduler::advance(double lr) {
  ++epoch_;
  return next(lr);
}

void LRScheduler::start() { set(restart(optimizer_.lr())); }
void LRScheduler::step() { set(advance(optimizer_.lr())); }

void LRScheduler::resume(int64_t epochs) {
  if (epochs < 0) {
    user_error<ArgumentError>("resume",
                              fmt::format("the epoch must not be negative, got {}", epochs));
  }
  double lr = restart(base());
  for (int64_t i = 0; i < epochs; ++i) lr = advance(lr);
  set(lr);
}

// ---- steps and powers
StepLR::StepLR(Optimizer& optimizer, int64_t step_size, double gamma)
    : LRScheduler(optimizer), step_size_(step_size), gamma_(gamma) {
  check_at_least_one("StepLR", "step_size", step_size);
  start();
}
double StepLR::next(double lr) { return last_epoch() % step_size_ == 0 ? lr * gamma_ : lr; }

MultiStepLR::MultiStepLR(Optimizer& optimizer, std::vector<int64_t> milestones, double gamma)
    : LRScheduler(optimizer), milestones_(std::move(milestones)), gamma_(gamma) {
  start();
}
double MultiStepLR::next(double lr) {
  const auto times = std::ranges::count(milestones_, last_epoch());
  return times == 0 ? lr : lr * std::pow(gamma_, static_cast<double>(times));
}

ExponentialLR::ExponentialLR(Optimizer& optimizer, double gamma)
    : LRScheduler(optimizer), gamma_(gamma) {
  start();
}
double ExponentialLR::next(double lr) { return lr * gamma_; }

// ---- straight lines
LinearLR::LinearLR(Optimizer& optimizer, const LinearLROptions& options)
    : LRScheduler(optimizer), options_(options) {
  const auto [from, to, iters] = options;
  if (!(from > 0 && from <= 1 && to >= 0 && to <= 1)) {
    user_error<ArgumentError>(
        "LinearLR", fmt::format("start_factor must lie in (0, 1] and end_factor in [0, 1]: {} and "
                                "{}",
                                from, to));
  }
  check_at_least_one("LinearLR", "total_iters", iters);
  start();
}
double LinearLR::first(double lr) { return lr * options_.start_factor; }
double LinearLR::next(double lr) {
  const auto [from, to, iters] = options_;
  if (last_epoch() > iters) return lr;
  const double whole = static_cast<double>(iters) * from;
  return lr * (1 + (to - from) / (whole + static_cast<double>(last_epoch() - 1) * (to - from)));
}

// ---- cosines
CosineAnnealingLR::CosineAnnealingLR(Optimizer& optimizer, int64_t t_max, double eta_min)
    : LRScheduler(optimizer), t_max_(t_max), eta_min_(eta_min) {
  check_at_least_one("CosineAnnealingLR", "t_max", t_max);
  start();
}
double CosineAnnealingLR::next(double lr) {
  const auto height = [&](int64_t epoch) {
    return 1 +
           std::cos(std::numbers::pi * static_cast<double>(epoch) / static_cast<double>(t_max_));
  };
  // At the bottom the ratio of two heights says nothing.
  if ((last_epoch() - 1 - t_max_) % (2 * t_max_) == 0)
    return lr + (base() - eta_min_) * (2 - height(1)) / 2;
  return height(last_epoch()) / height(last_epoch() - 1) * (lr - eta_min_) + eta_min_;
}

CosineAnnealingWarmRestarts::CosineAnnealingWarmRestarts(Optimizer& optimizer, int64_t t_0,
                                                         const WarmRestartsOptions& options)
    : LRScheduler(optimizer), t_0_(t_0), options_(options) {
  check_at_least_one("CosineAnnealingWarmRestarts", "t_0", t_0);
  check_at_least_one("CosineAnnealingWarmRestarts", "t_mult", options.t_mult);
  start();
}
double CosineAnnealingWarmRestarts::at(int64_t epoch) const {
  int64_t length = t_0_, into = epoch;
  if (options_.t_mult == 1) into %= length;
  while (into >= length) {
    into -= length;
    length *= options_.t_mult;
  }
  return half_cosine(base(), options_.eta_min,
                     static_cast<double>(into) / static_cast<double>(length));
}
double CosineAnnealingWarmRestarts::first(double) { return at(0); }
double CosineAnnealingWarmRestarts::next(double) { return at(last_epoch()); }

OneCycleLR::OneCycleLR(Optimizer& optimizer, double max_lr, int64_t total_steps,
                       const OneCycleOptions& options)
    : LRScheduler(optimizer), max_lr_(max_lr), total_steps_(total_steps), options_(options) {
  check_at_least_one("OneCycleLR", "total_steps", total_steps);
  const OneCycleOptions& o = options;
  if (!(o.pct_start >= 0 && o.pct_start <= 1)) {
    user_error<ArgumentError>("OneCycleLR",
                              fmt::format("pct_start must lie in [0, 1], got {}", o.pct_start));
  }
  if (!(o.div_factor > 0 && o.final_div_factor > 0)) {
    user_error<ArgumentError>("OneCycleLR",
                              fmt::format("div_factor and final_div_factor must be above 0: {} "
                                          "and {}",
                                          o.div_factor, o.final_div_factor));
  }
  start();
}
double OneCycleLR::at(int64_t step) const {
  if (step > total_steps_) {
    user_error<ArgumentError>("OneCycleLR", fmt::format("step {} of {}", step, total_steps_),
                              "Hint: give the number of all steps as total_steps.");
  }
  struct Phase {
    double end, from, to;
  };
  const double initial = max_lr_ / options_.div_factor;
  const double last = initial / options_.final_div_factor;
  const auto steps = static_cast<double>(total_steps_);
  const double top = options_.pct_start * steps - 1;
  std::vector<Phase> phases = {{top, initial, max_lr_}};
  if (options_.three_phase) {
    phases.push_back({2 * top, max_lr_, initial});
    phases.push_back({steps - 1, initial, last});
  } else {
    phases.push_back({steps - 1, max_lr_, last});
  }
  const auto at = static_cast<double>(step);
  double begin = 0;
  size_t i = 0;
  for (; i + 1 < phases.size() && at > phases[i].end; ++i) begin = phases[i].end;
  const auto [end, from, to] = phases[i];
  // The step after the last sets a rate that no batch uses.
  const double share = end > begin ? std::min((at - begin) / (end - begin), 1.0) : 1.0;
  return options_.anneal == Anneal::Cos ? half_cosine(from, to, share) : from + (to - from) * share;
}
double OneCycleLR::first(double) { return at(0); }
double OneCycleLR::next(double) { return at(last_epoch()); }

// ---- the program's own
LambdaLR::LambdaLR(Optimizer& optimizer, std::function<double(int64_t)> factor)
    : LRScheduler(optimizer), factor_(std::move(factor)) {
  start();
}
double LambdaLR::first(double) { return base() * factor_(0); }
double LambdaLR::next(double) { return base() * factor_(last_epoch()); }

// ---- several
SequentialLR::SequentialLR(Optimizer& optimizer, std::vector<LRScheduler*> schedulers,
                           std::vector<int64_t> milestones)
    : LRScheduler(optimizer),
      schedulers_(std::move(schedulers)),
      milestones_(std::move(milestones)) {
  if (schedulers_.empty())
    user_error<ArgumentError>("SequentialLR", "needs at least one scheduler");
  if (milestones_.size() + 1 != schedulers_.size() || !std::ranges::is_sorted(milestones_)) {
    user_error<ArgumentError>(
        "SequentialLR",
        fmt::format("needs ascending milestones, one less than schedulers: {} and {}",
                    milestones_.size(), schedulers_.size()));
  }
  for (const LRScheduler* s : schedulers_) {
    if (&s->optimizer_ != &optimizer)
      user_error<ArgumentError>("SequentialLR", "a scheduler is of another optimizer");
  }
  start();
}
double SequentialLR::first(double) { return schedulers_[0]->restart(base()); }
double SequentialLR::next(double lr) {
  const auto behind = std::ranges::upper_bound(milestones_, last_epoch());
  const auto i = static_cast<size_t>(behind - milestones_.begin());
  LRScheduler& s = *schedulers_[i];
  return i > 0 && milestones_[i - 1] == last_epoch() ? s.restart(base()) : s.advance(lr);
}

Optimizer& ChainedScheduler::optimizer_of(const std::vector<LRScheduler*>& schedulers) {
  if (schedulers.empty())
    user_error<ArgumentError>("ChainedScheduler", "needs at least one scheduler");
  return schedulers[0]->optimizer_;
}

ChainedScheduler::ChainedScheduler(std::vector<LRScheduler*> schedulers)
    : LRScheduler(optimizer_of(schedulers)), schedulers_(std::move(schedulers)) {
  for (const LRScheduler* s : schedulers_) {
    if (&s->optimizer_ != &schedulers_[0]->optimizer_)
      user_error<ArgumentError>("ChainedScheduler", "the schedulers are of different optimizers");
  }
  set(restart(base()));
}
double ChainedScheduler::first(double lr) {
  for (LRScheduler* s : schedulers_) lr = s->restart(lr);
  return lr;
}
double ChainedScheduler::next(double lr) {
  for (LRScheduler* s : schedulers_) lr = s->advance(lr);
  return lr;
}

// ---- by what is measured
ReduceLROnPlateau::ReduceLROnPlateau(Optimizer& optimizer, const PlateauOptions& options)
    : optimizer_(optimizer), options_(options), best_(options.maximize ? -INFINITY : INFINITY) {
  if (options.factor >= 0 && options.factor < 1) return;
  user_error<ArgumentError>("ReduceLROnPlateau",
                            fmt::format("factor must lie in [0, 1), got {}", options.factor));
}

bool ReduceLROnPlateau::better(double metric) const {
  const double margin = options_.relative ? best_ * options_.threshold : options_.threshold;
  if (std::isinf(best_)) return options_.maximize ? metric > best_ : metric < best_;
  return options_.maximize ? metric > best_ + margin : metric < best_ - margin;
}

void ReduceLROnPlateau::step(double metric) {
  ++epoch_;
  if (better(metric)) {
    best_ = metric;
    bad_ = 0;
  } else {
    ++bad_;
  }
  if (cooldown_left_ > 0) {
    --cooldown_left_;
    bad_ = 0;
  }
  if (bad_ <= options_.patience) return;
  cooldown_left_ = options_.cooldown;
  bad_ = 0;
  const double lr = std::max(optimizer_.lr() * options_.factor, options_.min_lr);
  if (optimizer_.lr() - lr > options_.eps) optimizer_.set_lr(lr);
}

}  // namespace tg::nn
