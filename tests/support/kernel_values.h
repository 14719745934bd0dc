// A processor as the tests of schedules describe it, and the check that what was made for a
// schedule computes what its kernel says.
#pragma once

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <random>

#include "support/kernel_zoo.h"
#include "support/run_linear.h"
#include "support/same_numbers.h"
#include "support/tensors.h"
#include "tg/error.h"
#include "tg/ir/text.h"
#include "tg/ir/walk.h"
#include "uop/evaluate_ranged.h"

namespace tg::test {

/// Vectors of 64 bytes, 32 registers of them, masks, 1 MiB of level 2.
inline Target processor(int threads = 1) {
  Target t;
  t.vector_bytes = 64;
  t.vector_registers = 32;
  t.l2_bytes = 1 << 20;
  t.has_masked_access = true;
  t.threads = threads;
  t.ops.set();
  t.dtypes.set();
  return t;
}

/// Vectors of 32 bytes, 16 registers of them, masks of loads only, 512 KiB of level 2: AVX2.
inline Target processor_of_short_vectors() {
  Target t = processor();
  t.vector_bytes = 32;
  t.vector_registers = 16;
  t.l2_bytes = 512 << 10;
  t.has_masked_access = false;
  t.has_masked_loads = true;
  return t;
}

/// Groups of 1,024 work-items, subgroups of 32, 48 KiB of scratch; one processor.
inline Target graphics_processor() {
  Target t;
  t.max_group_size = 1024;
  t.subgroup_size = 32;
  t.local_bytes = 48 << 10;
  t.vector_registers = 64;
  t.has_fma = true;
  t.ops.set();
  t.dtypes.set();
  return t;
}

/// Why the schedule of `kernel` cannot be lowered for `t`; empty if it can.
inline std::string refusal(const UOp& kernel, const KernelSchedule& s, const Target& t) {
  try {
    lower(kernel, s, t);
  } catch (const ArgumentError& e) {
    return e.what();
  }
  return {};
}

/// Checks that `linear` gives what evaluating `kernel` on `params` gives.
inline void expect_values(const LinearKernel& linear, const UOp& kernel,
                          const std::vector<TensorValue>& params) {
  ASSERT_NO_THROW(verify_linear(linear.ops)) << print(linear.ops);
  std::vector<TensorValue> want = params, got;
  evaluate_ranged(kernel, want);
  ASSERT_NO_THROW(got = run_linear(linear, params)) << print(linear.ops);
  for (size_t i = 0; i < want.size(); ++i)
    ASSERT_TRUE(same_numbers(got[i], want[i])) << "argument " << i << "\n" << print(linear.ops);
}
inline void expect_values(const LinearKernel& linear, const ZooKernel& z) {
  expect_values(linear, z.ast, z.params);
}

/// Small whole numbers, so that any order of additions gives the same, for each array of `kernel`.
inline std::vector<TensorValue> whole_params(const UOp& kernel) {
  std::vector<UOp> params;
  for (const Node* n : toposort(kernel)) {
    if (n->op == Op::Param) params.push_back(UOp::share(n));
  }
  std::ranges::sort(params, {}, [](const UOp& p) { return p.arg(0); });
  std::mt19937_64 rng(1);
  std::vector<TensorValue> out;
  for (const UOp& p : params)
    out.push_back(
        random_tensor(rng, {p.node()->shape().begin(), p.node()->shape().end()}, p.dtype()));
  return out;
}

/// The same for a schedule of `kernel`, which `target` is to run.
inline void expect_values(const UOp& kernel, const KernelSchedule& s, const Target& target) {
  SCOPED_TRACE(opts_text(s));
  expect_values(lower(kernel, s, target), kernel, whole_params(kernel));
}

/// Whether the schedule was made by an option that starts with `opt`, as in "VECTOR(r1,".
inline bool has_option(const KernelSchedule& s, std::string_view opt) {
  return std::ranges::any_of(s.opts, [&](const Opt& o) { return text_of(s, o).starts_with(opt); });
}

}  // namespace tg::test
