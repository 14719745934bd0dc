// Floats lie between −1 and 1, integers are small, so that they may be indices: what a kernel does
// with them takes as long as with others, and no function of them is beyond its range everywhere.
#include "engine/trial.h"

#include <algorithm>
#include <cstring>

#include "engine/validate.h"
#include "support/interrupt.h"
#include "tg/ir/scalar.h"

namespace tg {
namespace {

constexpr size_t kPatternElements = 4099;  // a prime: rows of arrays differ
constexpr int64_t kIntegers = 61;
constexpr double kLargestInput = 1;

uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 29)) * 0xBF58476D1CE4E5B9u;
  return x ^ (x >> 32);
}

Scalar number(DType t, uint64_t random) {
  if (is_float(t)) return Scalar::of_double(static_cast<double>(random % 4096) / 2048 - 1, t);
  if (t == DType::Bool) return Scalar::of_int(static_cast<int64_t>(random % 2), t);
  return Scalar::of_int(static_cast<int64_t>(random % kIntegers), t);
}

std::vector<std::byte> numbers(DType t, int64_t bytes, size_t slot) {
  const auto size = static_cast<size_t>(dtype_size(t)), all = static_cast<size_t>(bytes);
  std::vector<std::byte> out(all);
  const size_t pattern = std::min(all, kPatternElements * size);
  for (size_t i = 0; i < pattern; i += size) {
    const uint64_t raw = number(t, mixed(i + (slot + 1) * 1000003)).to_memory();
    std::memcpy(&out[i], &raw, size);
  }
  for (size_t at = pattern; at < all; at += pattern)
    std::memcpy(&out[at], out.data(), std::min(pattern, all - at));
  return out;
}

}  // namespace

std::optional<Trial> Trial::of(Device& device, const UOp& kernel, std::span<const UOp> vars) {
  std::vector<KernelArgument> arguments = arguments_of(kernel);
  int64_t bytes = 0;
  for (const KernelArgument& a : arguments) {
    const int64_t more = a.bytes();
    if (more > kMostBytes - bytes) return std::nullopt;
    bytes += more;
  }
  std::vector<int64_t> values;
  for (const UOp& v : vars) values.push_back(v.arg(2));
  return Trial(device, std::move(arguments), std::move(values));
}

Trial::Trial(Device& device, std::vector<KernelArgument> arguments, std::vector<int64_t> values)
    : device_(device), arguments_(std::move(arguments)), values_(std::move(values)) {
  for (size_t i = 0; i < arguments_.size(); ++i) {
    buffers_.push_back(make_ref<Buffer>(device_, arguments_[i].bytes()));
    pointers_.push_back(buffers_[i]->data());
    fill(i);
  }
  reference_.resize(arguments_.size());
}

void Trial::fill(size_t slot) {
  const int64_t bytes = arguments_[slot].bytes();
  if (bytes == 0) return;
  const std::vector<std::byte> data = numbers(arguments_[slot].param.dtype(), bytes, slot);
  buffers_[slot]->copy_in(data.data(), bytes);
}

double Trial::seconds_of(Program& program, double limit) {
  constexpr int kRuns = 8;
  constexpr double kEnough = 0.02;  // seconds altogether
  const Call call{&program, pointers_, values_};
  check_interrupt("search");
  double best = device_.timed(call), all = best;
  for (int i = 1; i < kRuns && all < kEnough && best < limit; ++i) {
    const double seconds = device_.timed(call);
    best = std::min(best, seconds);
    all += seconds;
  }
  return best;
}

void Trial::run(Program& program) {
  for (size_t i = 0; i < arguments_.size(); ++i) {
    if (arguments_[i].written) fill(i);
  }
  program.launch(pointers_, values_);
  device_.synchronize();
}

std::vector<std::byte> Trial::contents(size_t slot) {
  std::vector<std::byte> out(static_cast<size_t>(arguments_[slot].bytes()));
  if (!out.empty()) buffers_[slot]->copy_out(out.data(), arguments_[slot].bytes());
  return out;
}

void Trial::set_reference(Program& program) {
  run(program);
  for (size_t i = 0; i < arguments_.size(); ++i) {
    if (arguments_[i].written) reference_[i] = contents(i);
  }
}

bool Trial::agrees(Program& program) {
  run(program);
  for (size_t i = 0; i < arguments_.size(); ++i) {
    if (!arguments_[i].written) continue;
    const DType t = arguments_[i].param.dtype();
    const double scale = std::max(kLargestInput, largest_number(t, reference_[i]));
    if (first_difference(t, contents(i), reference_[i], scale) >= 0) return false;
  }
  return true;
}

}  // namespace tg
