// See validate.h.
#include "engine/validate.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "engine/kernel_arguments.h"
#include "runtime/buffer.h"
#include "support/check.h"
#include "support/file.h"
#include "support/hash.h"
#include "support/options.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

bool has_reduction(const UOp& graph) {
  return std::ranges::any_of(toposort(graph), [](const Node* n) { return n->op == Op::Reduce; });
}

// What may differ, relative to the size of what is computed with.
double tolerance_of(DType t) {
  switch (t) {
    case DType::Float64:
      return 1e-9;
    case DType::Float32:
      return 1e-4;
    case DType::Float16:
      return 4e-3;
    case DType::BFloat16:
      return 3e-2;
    default:
      return 0.25;  // eight bits
  }
}

double number(DType t, const std::byte* at) { return element(t, at).as_double(); }

bool is_close(double actual, double expected, double tolerance, double scale) {
  if (std::isnan(actual) || std::isnan(expected)) return std::isnan(actual) && std::isnan(expected);
  if (actual == expected) return true;
  if (std::isinf(actual) || std::isinf(expected)) return false;
  return std::abs(actual - expected) <= tolerance * (std::abs(expected) + scale);
}

// The arguments of a launch once more, in the memory of the reference device. Arguments that share
// memory do so there too: a kernel may write over what it reads.
class Mirror {
 public:
  Mirror(Device& device, Device& reference, std::span<const KernelArgument> arguments,
         std::span<void* const> buffers)
      : pointers_(buffers.size(), nullptr) {
    TG_CHECK(reference.allocator().host_visible(), "{} hides its memory", reference.name());
    std::vector<size_t> order;
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].bytes() > 0) order.push_back(i);
    }
    const auto begin = [&](size_t i) { return static_cast<std::byte*>(buffers[i]); };
    std::ranges::stable_sort(order, std::less{}, begin);
    for (size_t first = 0; first < order.size();) {
      std::byte* base = begin(order[first]);
      std::byte* end = base;
      size_t last = first;
      for (; last < order.size() && (last == first || begin(order[last]) < end); ++last)
        end = std::max(end, begin(order[last]) + arguments[order[last]].bytes());
      auto block = make_ref<Buffer>(reference, end - base);
      device.allocator().copy_out(block->data(), {base, end - base}, end - base);
      for (; first < last; ++first) {
        pointers_[order[first]] =
            static_cast<std::byte*>(block->data()) + (begin(order[first]) - base);
      }
      blocks_.push_back(std::move(block));
    }
  }

  std::span<void* const> pointers() const { return pointers_; }
  std::span<const std::byte> data(size_t i, int64_t bytes) const {
    return {static_cast<const std::byte*>(pointers_[i]), static_cast<size_t>(bytes)};
  }

 private:
  std::vector<void*> pointers_;
  std::vector<Ref<Buffer>> blocks_;
};

class ValidatedProgram final : public Program {
 public:
  ValidatedProgram(Device& device, const UOp& graph, ReadyKernelRef kernel,
                   ReadyKernelRef reference, std::string source)
      : device_(device),
        other_(reference_device()),
        arguments_(arguments_of(graph)),
        sums_(has_reduction(graph)),
        kernel_(std::move(kernel)),
        reference_(std::move(reference)),
        source_(std::move(source)) {}

  void launch(std::span<void* const> buffers, std::span<const int64_t> vars) override {
    TG_CHECK(buffers.size() >= arguments_.size(), "{}: {} arguments, not {}", kernel_->name,
             buffers.size(), arguments_.size());
    device_.synchronize();
    const Mirror mirror(device_, other_, arguments_, buffers);
    const double scale = sums_ ? scale_of(mirror) : 0;
    kernel_->launch(buffers, vars);
    device_.synchronize();
    reference_->launch(mirror.pointers(), values_of(vars));
    other_.synchronize();
    for (size_t i = 0; i < arguments_.size(); ++i) {
      if (arguments_[i].written) compare(i, buffers[i], mirror, scale);
    }
  }

 private:
  // A device's decompositions may meet the variables in another order.
  std::vector<int64_t> values_of(std::span<const int64_t> vars) const {
    std::vector<int64_t> out;
    for (const UOp& v : reference_->vars) {
      if (v.is(Op::Const)) {
        out.push_back(v.arg(0));
        continue;
      }
      const auto at = std::ranges::find(kernel_->vars, v);
      TG_CHECK(at != kernel_->vars.end(), "{}: a variable has no value", kernel_->name);
      out.push_back(vars[static_cast<size_t>(at - kernel_->vars.begin())]);
    }
    return out;
  }

  double scale_of(const Mirror& mirror) const {
    double out = 0;
    for (size_t i = 0; i < arguments_.size(); ++i) {
      const KernelArgument& a = arguments_[i];
      if (a.param && !a.written && is_float(a.param.dtype()))
        out = std::max(out, largest_number(a.param.dtype(), mirror.data(i, a.bytes())));
    }
    return out;
  }

  void compare(size_t i, void* buffer, const Mirror& mirror, double scale) const {
    const KernelArgument& a = arguments_[i];
    const DType t = a.param.dtype();
    std::vector<std::byte> actual(static_cast<size_t>(a.bytes()));
    device_.allocator().copy_out(actual.data(), {buffer, a.bytes()}, a.bytes());
    const std::span<const std::byte> expected = mirror.data(i, a.bytes());
    if (std::ranges::equal(actual, expected)) return;
    if (is_float(t)) scale = std::max(scale, largest_number(t, expected));
    const int64_t at = first_difference(t, actual, expected, scale);
    if (at >= 0) fail(i, at, actual, expected);
  }

  [[noreturn]] void fail(size_t i, int64_t at, std::span<const std::byte> actual,
                         std::span<const std::byte> expected) const {
    const UOp& param = arguments_[i].param;
    const DType t = param.dtype();
    const auto text = [&](std::span<const std::byte> data) {
      return element(t, &data[static_cast<size_t>(at * dtype_size(t))]).str();
    };
    user_error<DeviceError>(
        "VALIDATE_WITH_CPU",
        fmt::format("kernel {} on {} does not do what it does on {}: element {} of argument {} "
                    "({} {}) is {}, should be {}",
                    kernel_->name, device_.name(), other_.name(), at, i, dtype_name(t),
                    format_shape(param.shape()), text(actual), text(expected)),
        keep_source());
  }

  std::string keep_source() const {
    const std::filesystem::path path =
        std::filesystem::path(options().temp_dir) /
        fmt::format("tg-differs-{}-{}.txt", kernel_->name, hash_bytes(source_).hex());
    return try_write_file(path, source_)
               ? fmt::format("Its source is kept in {}.", path.string())
               : fmt::format("Its source could not be kept in {}.", options().temp_dir);
  }

  Device& device_;
  Device& other_;
  std::vector<KernelArgument> arguments_;
  bool sums_;
  ReadyKernelRef kernel_;
  ReadyKernelRef reference_;
  std::string source_;
};

}  // namespace

bool is_validated(const Device& device) {
  return options().validate && &device != &reference_device();
}

ReadyKernelRef validated_kernel(Device& device, const UOp& graph, const ReadyKernelRef& kernel,
                                const ReadyKernelRef& reference, std::string source) {
  ReadyKernel out = *kernel;
  out.program = Ref<Program>::adopt(
      new ValidatedProgram(device, graph, kernel, reference, std::move(source)));
  out.offsets.clear();
  out.runs_alone = true;
  return std::make_shared<const ReadyKernel>(std::move(out));
}

double largest_number(DType t, std::span<const std::byte> data) {
  double out = 0;
  for (size_t i = 0; i < data.size(); i += static_cast<size_t>(dtype_size(t))) {
    const double size = std::abs(number(t, &data[i]));
    if (std::isfinite(size)) out = std::max(out, size);
  }
  return out;
}

int64_t first_difference(DType t, std::span<const std::byte> actual,
                         std::span<const std::byte> expected, double scale) {
  TG_CHECK(actual.size() == expected.size(), "{} bytes and {}", actual.size(), expected.size());
  const auto size = static_cast<size_t>(dtype_size(t));
  const double tolerance = is_float(t) ? tolerance_of(t) : 0;
  for (size_t at = 0; at < actual.size(); at += size) {
    if (std::memcmp(&actual[at], &expected[at], size) == 0) continue;
    if (!is_float(t) ||
        !is_close(number(t, &actual[at]), number(t, &expected[at]), tolerance, scale))
      return static_cast<int64_t>(at / size);
  }
  return -1;
}

}  // namespace tg
