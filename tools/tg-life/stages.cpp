// See stages.h.
#include "stages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codegen/decompose/decompose.h"
#include "codegen/decompose/fuse_products.h"
#include "codegen/heuristics.h"
#include "codegen/lower.h"
#include "renderer/render.h"
#include "schedule/schedule.h"
#include "tensor/state.h"
#include "tg/ir/text.h"
#include "tg/tensor.h"

namespace tg::life {
namespace {

// A processor with vectors of eight floats, fused multiply-adds and one core.
Target fixed_target() {
  Target t;
  t.arch = "example";
  t.vector_bytes = 32;
  t.has_fma = true;
  for (int i = 0; i < kNumOps; ++i) {
    t.ops.set(static_cast<size_t>(i), c_supports(static_cast<Op>(i)));
  }
  for (int i = 0; i < kNumDTypes; ++i) {
    t.dtypes.set(static_cast<size_t>(i), c_supports(static_cast<DType>(i)));
  }
  return t;
}

// The graph of the expression over numbered parameters, as the engine brings every graph into
// canonical form.
UOp expression(int64_t rows, int64_t inner, int64_t columns) {
  const auto input = [](int slot, const Shape& shape) {
    return Tensor(make_state(param(slot, shape, DType::Float32)));
  };
  const Tensor x = input(0, {rows, inner}), w = input(1, {inner, columns}), b = input(2, {columns});
  return (x.matmul(w) + b).relu().state()->node();
}

std::string kernels_text(const Schedule& schedule) {
  std::string text =
      fmt::format("{} kernel{}\n", schedule.items.size(), schedule.items.size() == 1 ? "" : "s");
  for (const ScheduleItem& item : schedule.items) {
    const KernelCost cost = cost_of(item.kernel);
    const KernelSchedule plain = plain_schedule(item.kernel);
    std::vector<std::string> loops;
    for (const BaseRange& b : plain.bases) {
      loops.push_back(fmt::format("{}{}", b.role == Role::Red ? "reduce " : "", b.extent));
    }
    text += fmt::format("  loops {}; {} flops, {} bytes\n", fmt::join(loops, ", "), cost.flops,
                        cost.bytes);
  }
  return text;
}

std::string schedule_text(const LinearKernel& linear, const KernelSchedule& schedule) {
  return fmt::format("{}: {}\n", linear.name, opts_text(schedule));
}

// The C source without the types and pragmas that stand before the first kernel.
std::string without_preamble(const std::string& source) {
  return source.substr(source.find("\n// ") + 1);
}

}  // namespace

std::vector<Dump> dumps() {
  const Target target = fixed_target();
  const std::vector<UOp> roots = {expression(8, 20, 32)};
  const Schedule fused = make_schedule(roots, target);
  const Schedule unfused = make_schedule(roots, target, {.fuse = false});
  const UOp kernel = fuse_products(decompose(fused.items.at(0).kernel, target), target);
  const KernelSchedule plain = plain_schedule(kernel), chosen = choose_schedule(kernel, target);
  const LinearKernel simple = lower(kernel, plain, target), fast = lower(kernel, chosen, target);
  return {
      {"tensor-graph", "text", print(roots[0])},
      {"fused", "text", kernels_text(fused)},
      {"unfused", "text", kernels_text(unfused)},
      {"ranged-kernel", "text", print(kernel)},
      {"ranged-value", "text", print_expr(kernel) + "\n"},
      {"schedule", "text", schedule_text(fast, chosen)},
      {"plain-linear", "text", print(simple.ops)},
      {"plain-source", "c", without_preamble(render_c({&simple, 1}))},
      {"source", "c", render_c({&fast, 1})},
  };
}

}  // namespace tg::life
