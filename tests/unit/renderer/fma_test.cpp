// Fused products and sums in C are rounded once, whatever else the compiler knows: constants that
// it could fold, a product that has another use, vectors wider than the machine's.
#include <gtest/gtest.h>

#include <cmath>

#include "linear_build.h"

namespace tg::testing {
namespace {

struct FmaCase {
  const char* name;
  const char* compiler;
  const char* arch;
  const char* contract;
  int lanes;
};
void PrintTo(const FmaCase& c, std::ostream* out) { *out << c.name << "_" << c.lanes; }

class FusedProducts : public ::testing::TestWithParam<FmaCase> {
 protected:
  void SetUp() override {
#if !defined(__x86_64__)
    GTEST_SKIP() << "names x86 processors";
#else
    if (!find_program(GetParam().compiler)) {
      GTEST_SKIP() << GetParam().compiler << " is not installed";
    }
    if (!__builtin_cpu_supports("fma")) GTEST_SKIP() << "this processor has no fma";
#endif
  }
};

/// p0 = fma(lane − 11, 0.1534091, 1) · p1 = fma(x, x, y) · p2 = x·x, of x in p3 and y in p4.
LinearKernel products(DType t, int lanes) {
  const auto all = [&](double v) { return splat(constant(v, t), lanes); };
  const UOp r = chunk_loop(1, 0), at = r * index_const(lanes);
  const auto array = [&](int slot) { return param(slot, {lanes}, t); };
  const UOp lane = cast(lanes == 1 ? index_const(6) : ramp(index_const(0), lanes), t);
  const UOp x = load_lanes(array(3), at, lanes), y = load_lanes(array(4), at, lanes);
  LinearKernel k =
      chunk_kernel("f", r,
                   {store_lanes(array(0), at, fma(lane + all(-11), all(0.1534091f), all(1))),
                    store_lanes(array(1), at, fma(x, x, y)), store_lanes(array(2), at, x * x)},
                   0, 5);
  for (int i = 0; i < 5; ++i) k.params[static_cast<size_t>(i)] = {i > 2, i <= 2};
  return k;
}

template <typename T>
void check(DType t) {
  const FmaCase& c = FusedProducts::GetParam();
  const LinearKernel k = products(t, c.lanes);
  const std::string source = render_c({&k, 1});
  const Compiled code(source, c.compiler, {c.arch, c.contract, "-Wno-psabi"});
  ASSERT_TRUE(code.ok()) << code.errors() << source;
  const auto n = static_cast<size_t>(c.lanes);
  std::vector<T> folded(n), fused(n), product(n), x(n), y(n);
  for (size_t i = 0; i < n; ++i) {
    x[i] = static_cast<T>(1.1) + static_cast<T>(i) / 7;
    y[i] = -x[i] * x[i];  // what is left is what the product was rounded by
  }
  const std::vector<void*> buffers = {folded.data(), fused.data(), product.data(), x.data(),
                                      y.data()};
  code.entry("f")(buffers.data(), nullptr, 0, 1, nullptr);
  for (size_t i = 0; i < n; ++i) {
    const auto lane = static_cast<T>(c.lanes == 1 ? 6 : i);
    EXPECT_EQ(folded[i], std::fma(lane - 11, static_cast<T>(0.1534091f), T{1})) << "lane " << i;
    EXPECT_EQ(fused[i], std::fma(x[i], x[i], y[i])) << "lane " << i;
    EXPECT_EQ(product[i], x[i] * x[i]) << "lane " << i;
  }
}

TEST_P(FusedProducts, OfFloat32AreRoundedOnce) { check<float>(DType::Float32); }
TEST_P(FusedProducts, OfFloat64AreRoundedOnce) { check<double>(DType::Float64); }

std::vector<FmaCase> cases() {
  std::vector<FmaCase> out;
  for (const int lanes : {1, 2, 4, 8, 16, 32}) {
    out.push_back({"clang", "clang", "-march=native", "-ffp-contract=on", lanes});
    out.push_back({"gcc", "gcc", "-march=native", "-ffp-contract=fast", lanes});
    out.push_back({"gcc_v3", "gcc", "-march=x86-64-v3", "-ffp-contract=fast", lanes});
  }
  return out;
}

INSTANTIATE_TEST_SUITE_P(Of, FusedProducts, ::testing::ValuesIn(cases()),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace tg::testing
