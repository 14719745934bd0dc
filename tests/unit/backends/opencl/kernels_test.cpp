// Kernels on an OpenCL device: the hand-written ones against the interpreter, with the same inputs
// and the same bytes, and every elementwise op in every dtype against the op record.
#include <cstring>

#include "../../renderer/kernels.h"
#include "device_run.h"

namespace tg::testing {
namespace {

// Small whole numbers, so that sums are exact in any order; indices are −1 … 9, bools 0 and 1.
Contents inputs_of(const LinearKernel& k) {
  Contents out(k.params.size(), std::vector<char>(8));
  for (const UOp& u : k.ops) {
    if (!u.is(Op::Param)) continue;
    std::vector<char>& bytes = out[static_cast<size_t>(u.arg(0))];
    const auto size = static_cast<size_t>(dtype_size(u.dtype()));
    bytes.assign(static_cast<size_t>(u.numel()) * size, 0);
    for (int64_t i = 0; i < u.numel(); ++i) {
      const int64_t v = is_bool(u.dtype()) ? i * 7 % 3 % 2 : (i * 7 + u.arg(0) * 3) % 11 - 1;
      put(bytes, i, Scalar::of_int(v, u.dtype()));
    }
  }
  return out;
}

void expect_as_interpreter(const LinearKernel& k, Contents inputs, int64_t var) {
  SCOPED_TRACE(k.name);
  const std::vector<int64_t> vars(k.vars.size(), var);
  Contents want = inputs, got = std::move(inputs);
  Device &reference = device("INTERP"), &d = device("OPENCL");
  run_program(reference, *reference.compile({&k, 1})[0].program, want, vars);
  run_program(d, *d.compile({&k, 1})[0].program, got, vars);
  EXPECT_EQ(got, want);
}

class OpenClKernel : public ::testing::TestWithParam<int> {};

TEST_P(OpenClKernel, GivesTheBytesOfTheInterpreter) {
  TG_NEEDS_OPENCL();
  const LinearKernel k = all_kernels()[static_cast<size_t>(GetParam())];
  for (int64_t var : {0, 1, 10}) expect_as_interpreter(k, inputs_of(k), var);
}

INSTANTIATE_TEST_SUITE_P(All, OpenClKernel,
                         ::testing::Range(0, static_cast<int>(all_kernels().size())),
                         [](const auto& info) {
                           return all_kernels()[static_cast<size_t>(info.param)].name;
                         });

TEST(OpenClWorkItems, HandElementsToEachOtherBehindABarrier) {
  TG_NEEDS_OPENCL();
  const LinearKernel k = reversed_by_work_items();
  expect_as_interpreter(k, inputs_of(k), 0);
}

TEST(OpenClKernels, WrapIntegersThatOverflow) {
  TG_NEEDS_OPENCL();
  const LinearKernel k = wrapping_sums();
  Contents inputs = inputs_of(k);
  for (int64_t i = 0; i < 8; ++i) {
    const int64_t large = (int64_t{1} << 31) - 1 - 12345 * i;
    put(inputs[1], i, Scalar::of_int(i % 2 == 0 ? large : -large, dtypes::int32));
  }
  expect_as_interpreter(k, inputs, 0);
}

TEST(OpenClKernels, TakeScratchThatIsLargerThanLocalMemory) {
  TG_NEEDS_OPENCL();
  LinearKernel k = staged_reverse(Space::Scratch, 1 << 20);
  k.name = "far_reverse";
  expect_as_interpreter(k, inputs_of(k), 0);
}

TEST(OpenClKernels, StartInsideABuffer) {
  TG_NEEDS_OPENCL();
  Device& d = device("OPENCL");
  const LinearKernel k = row_sum();
  Contents inputs = inputs_of(k);
  const Contents alone = [&] {
    Contents c = inputs;
    run_program(d, *d.compile({&k, 1})[0].program, c);
    return c;
  }();
  Contents both = {std::vector<char>(64 + 16 + 48 + inputs[1].size())};
  std::memcpy(both[0].data() + 128, inputs[1].data(), inputs[1].size());
  const OnDevice buffer(d, both);
  char* start = static_cast<char*>(buffer.pointers()[0]);
  const std::vector<void*> views = {start + 64, start + 128};
  d.compile({&k, 1})[0].program->launch(views, {});
  buffer.read(both);
  EXPECT_EQ(std::vector<char>(both[0].begin() + 64, both[0].begin() + 80), alone[0]);
}

// All cases of one dtype in one test, for each test is a process that loads the driver again.
class OpenClElementwise : public ::testing::TestWithParam<DType> {};

std::vector<Case> cases_on(DType t) {
  std::vector<Case> out;
  for (const Group& g : all_groups()) {
    if (g.second != t) continue;
    for (DType to : results_of(g)) {
      // Scalars and vectors in turn: a driver takes a tenth of a second for each kernel.
      out.push_back({g.first, t, to, out.size() % 2 == 0 ? 4 : 1});
    }
  }
  return out;
}

TEST_P(OpenClElementwise, OpsGiveWhatTheirRecordsSay) {
  TG_NEEDS_OPENCL();
  Device& d = device("OPENCL");
  std::vector<Case> cases;
  std::vector<LinearKernel> kernels;
  for (const Case& c : cases_on(GetParam())) {
    if (!d.target().supports(dtypes::float64) &&
        (c.from == dtypes::float64 || c.to == dtypes::float64))
      continue;
    cases.push_back(c);
    kernels.push_back(kernel_of(c));
  }
  const std::vector<CompiledKernel> compiled = d.compile(kernels);
  for (size_t i = 0; i < cases.size(); ++i) {
    const auto run = [&](Contents& contents) { run_program(d, *compiled[i].program, contents); };
    check_run(run, cases[i], 17 + i);
  }
}

INSTANTIATE_TEST_SUITE_P(All, OpenClElementwise, ::testing::ValuesIn(dtypes_of_groups()),
                         [](const auto& info) { return std::string(dtype_name(info.param)); });

}  // namespace
}  // namespace tg::testing
