// Every elementwise function, reduction and scan over all dtypes that it takes, on the interpreter
// and in compiled code, over shapes without elements, with one, and views; and its slopes against
// finite differences. What the values are: the same function in float64, which reference_test.cpp
// compares with PyTorch.
#include <limits>

#include "dtype/convert.h"
#include "support/spacing.h"
#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;
using FunctionOfTwo = Tensor (*)(const Tensor& x, const Tensor& y);

// Which dtypes a function takes with the meaning that it has for float64.
enum Takes : unsigned {
  kFloats = 1,
  kSigned = 2,
  kUnsigned = 4,
  kBool = 8,
  kNumbers = kFloats | kSigned | kUnsigned,
  kEvery = kNumbers | kBool,
};
// Where the arguments lie.
enum class Domain { Any, Inside, AboveOne };

struct Function {
  const char* name;
  FunctionOfTwo f;
  unsigned takes = kNumbers;
  Domain domain = Domain::Any;
  bool elementwise = true;
  bool smooth = true;
};

#define TG_UNARY(name) #name, [](const Tensor& x, const Tensor&) { return x.name(); }
#define TG_BINARY(name) #name, [](const Tensor& x, const Tensor& y) { return x.name(y); }

const Function kFunctions[] = {
    {TG_UNARY(neg), kFloats | kSigned},
    {TG_UNARY(abs)},
    {TG_UNARY(sign), kNumbers, Domain::Any, true, false},
    {TG_UNARY(square)},
    {TG_UNARY(sqrt), kEvery},
    {TG_UNARY(rsqrt)},
    {TG_UNARY(reciprocal)},
    {TG_UNARY(exp), kEvery},
    {TG_UNARY(exp2), kEvery},
    {TG_UNARY(log), kEvery},
    {TG_UNARY(log2), kEvery},
    {TG_UNARY(log10), kEvery},
    {TG_UNARY(sin), kEvery},
    {TG_UNARY(cos), kEvery},
    {TG_UNARY(tan), kEvery},
    {TG_UNARY(asin), kEvery, Domain::Inside},
    {TG_UNARY(acos), kEvery, Domain::Inside},
    {TG_UNARY(atan), kEvery},
    {TG_UNARY(sinh), kEvery},
    {TG_UNARY(cosh), kEvery},
    {TG_UNARY(tanh), kEvery},
    {TG_UNARY(asinh), kEvery},
    {TG_UNARY(acosh), kNumbers, Domain::AboveOne},
    {TG_UNARY(atanh), kEvery, Domain::Inside},
    {TG_UNARY(erf), kEvery},
    {TG_UNARY(trunc), kNumbers, Domain::Any, true, false},
    {TG_UNARY(floor), kNumbers, Domain::Any, true, false},
    {TG_UNARY(ceil), kNumbers, Domain::Any, true, false},
    {TG_UNARY(round), kNumbers, Domain::Any, true, false},
    {TG_UNARY(isnan), kEvery, Domain::Any, true, false},
    {TG_UNARY(isinf), kEvery, Domain::Any, true, false},
    {TG_UNARY(isfinite), kEvery, Domain::Any, true, false},
    {TG_UNARY(logical_not), kEvery, Domain::Any, true, false},
    {TG_UNARY(relu)},
    {TG_UNARY(relu6)},
    {TG_UNARY(leaky_relu), kEvery},
    {TG_UNARY(elu), kEvery},
    {TG_UNARY(celu), kEvery},
    {TG_UNARY(selu), kEvery},
    {TG_UNARY(gelu), kEvery},
    {"gelu_erf", [](const Tensor& x, const Tensor&) { return x.gelu(GeluForm::Erf); }, kEvery},
    {TG_UNARY(quick_gelu), kEvery},
    {TG_UNARY(sigmoid), kEvery},
    {TG_UNARY(logsigmoid), kEvery},
    {TG_UNARY(hardsigmoid), kEvery},
    {TG_UNARY(hardswish), kEvery},
    {"hardtanh", [](const Tensor& x, const Tensor&) { return x.hardtanh(-2.2, 2.2); }, kEvery},
    {TG_UNARY(swish), kEvery},
    {TG_UNARY(mish), kEvery},
    {TG_UNARY(softplus), kEvery},
    {TG_UNARY(softsign), kEvery},
    {TG_BINARY(add)},
    {TG_BINARY(sub), kFloats | kSigned},
    {TG_BINARY(mul)},
    {TG_BINARY(div)},
    {"div_trunc", [](const Tensor& x, const Tensor& y) { return x.div(y, Rounding::Trunc); },
     kNumbers, Domain::Any, true, false},
    {TG_BINARY(floordiv), kNumbers, Domain::Any, true, false},
    {TG_BINARY(mod), kNumbers, Domain::Any, true, false},
    {TG_BINARY(fmod), kNumbers, Domain::Any, true, false},
    {"pow", [](const Tensor& x, const Tensor&) { return x.pow(3); }},
    {TG_BINARY(maximum)},
    {TG_BINARY(minimum)},
    {TG_BINARY(eq), kEvery, Domain::Any, true, false},
    {TG_BINARY(ne), kEvery, Domain::Any, true, false},
    {TG_BINARY(lt), kEvery, Domain::Any, true, false},
    {TG_BINARY(le), kEvery, Domain::Any, true, false},
    {TG_BINARY(gt), kEvery, Domain::Any, true, false},
    {TG_BINARY(ge), kEvery, Domain::Any, true, false},
    {TG_BINARY(copysign), kEvery},
    {TG_BINARY(logaddexp), kEvery},
    {TG_BINARY(isclose), kEvery, Domain::Any, true, false},
    {"lerp", [](const Tensor& x, const Tensor& y) { return x.lerp(y, 0.25); }, kEvery},
    {"clip", [](const Tensor& x, const Tensor& y) { return x.clip(y, 2); }},
    {TG_BINARY(clamp_min)},
    {TG_BINARY(clamp_max)},
    {"where", [](const Tensor& x, const Tensor& y) { return (x < y).where(x, y); }, kEvery},
    {"masked_fill", [](const Tensor& x, const Tensor& y) { return x.masked_fill(x < y, 2); }},
    {"usum",
     [](const Tensor& x, const Tensor& y) {
       return Tensor::usum({x, y, x});
     }},
    {"uprod",
     [](const Tensor& x, const Tensor& y) {
       return Tensor::uprod({x, y, y});
     }},
    {TG_UNARY(sum), kNumbers, Domain::Any, false},
    {TG_UNARY(prod), kNumbers, Domain::Any, false},
    {TG_UNARY(max), kNumbers, Domain::Any, false},
    {TG_UNARY(min), kNumbers, Domain::Any, false},
    {TG_UNARY(mean), kEvery, Domain::Any, false},
    {TG_UNARY(var), kEvery, Domain::Any, false},
    {TG_UNARY(std), kEvery, Domain::Any, false},
    {TG_UNARY(any), kEvery, Domain::Any, false, false},
    {TG_UNARY(all), kEvery, Domain::Any, false, false},
    {TG_UNARY(argmax), kEvery, Domain::Any, false, false},
    {TG_UNARY(argmin), kEvery, Domain::Any, false, false},
    {TG_UNARY(softmax), kEvery, Domain::Any, false},
    {TG_UNARY(log_softmax), kEvery, Domain::Any, false},
    {TG_UNARY(softmin), kEvery, Domain::Any, false},
    {TG_UNARY(logsumexp), kEvery, Domain::Any, false},
    {"normalize", [](const Tensor& x, const Tensor&) { return x.normalize({.axis = -1}); }, kEvery,
     Domain::Any, false},
    {"cumsum", [](const Tensor& x, const Tensor&) { return x.cumsum(-1); }, kNumbers, Domain::Any,
     false},
    {"cumprod", [](const Tensor& x, const Tensor&) { return x.cumprod(-1); }, kNumbers, Domain::Any,
     false},
    {"cummax", [](const Tensor& x, const Tensor&) { return x.cummax(-1).first; }, kNumbers,
     Domain::Any, false},
    {"cummin", [](const Tensor& x, const Tensor&) { return x.cummin(-1).second; }, kNumbers,
     Domain::Any, false, false},
    {"logcumsumexp", [](const Tensor& x, const Tensor&) { return x.logcumsumexp(-1); }, kEvery,
     Domain::Any, false},
    {"matmul", [](const Tensor& x, const Tensor& y) { return x.matmul(y.transpose()); }, kNumbers,
     Domain::Any, false},
    {"einsum",
     [](const Tensor& x, const Tensor& y) {
       return Tensor::einsum("ij,kj->ki", {x, y});
     },
     kNumbers, Domain::Any, false},
    {"pad",
     [](const Tensor& x, const Tensor&) {
       return x.pad({{0, 1}, {2, 0}}, PadMode::Reflect);
     },
     kEvery, Domain::Any, false},
    {"rms_norm", [](const Tensor& x, const Tensor&) { return x.rms_norm(); }, kFloats, Domain::Any,
     false},
    {"layer_norm", [](const Tensor& x, const Tensor&) { return x.layer_norm(); }, kFloats,
     Domain::Any, false},
};

#undef TG_UNARY
#undef TG_BINARY

unsigned kind_of(DType t) {
  if (is_bool(t)) return kBool;
  if (is_float(t)) return kFloats;
  return is_unsigned(t) ? kUnsigned : kSigned;
}

// Values that even the smallest floats hold, [2, 3].
Tensor domain_argument(Domain d, DType t, const std::string& device) {
  const bool whole = !is_float(t);
  Doubles v = whole ? Doubles{1, 2, 3, 1, 2, 1} : Doubles{0.5, 1.25, -1.5, 2, 3, 0.25};
  if (d == Domain::Inside)
    v = whole ? Doubles{0, 1, 0, 1, 1, 0} : Doubles{0.5, 0.25, -0.75, 0, 1, -0.125};
  if (d == Domain::AboveOne) v = whole ? Doubles{1, 2, 3, 1, 2, 4} : Doubles{1.25, 1.5, 2, 3, 1, 6};
  return Tensor(v, {2, 3}, {.device = device}).cast(t);
}
Tensor partner(DType t, const std::string& device) {
  const Doubles v = is_float(t) ? Doubles{1, 0.5, 2, -1.5, 1.75, 0.75} : Doubles{2, 1, 2, 3, 1, 1};
  return Tensor(v, {2, 3}, {.device = device}).cast(t);
}

// Values below this are rounded to a fixed distance.
double smallest_normal(DType t) {
  switch (t) {
    case DType::Float16:
      return 0x1p-14;
    case DType::Fp8E4M3:
      return 0x1p-6;
    case DType::Fp8E4M3Fnuz:
      return 0x1p-7;
    case DType::Fp8E5M2:
      return 0x1p-14;
    case DType::Fp8E5M2Fnuz:
      return 0x1p-15;
    default:
      return 1e-37;
  }
}

struct Place {
  DType dtype;
  const char* device;
};

class EveryFunction : public ::testing::TestWithParam<Place> {};

// NaN and infinity as the dtype has them (an infinity is NaN where there is none), zero with its
// sign. Compositions of small floats are computed in float32 and rounded once, to a neighbour of
// the exact value; others, which round after each of a few operations, may lose some units.
::testing::AssertionResult is_close(double got, double want, DType t) {
  const double special = is_float(t) ? round_to_float(want, t) : want;
  if (std::isnan(want) || std::isinf(want)) {
    if (got == special || (std::isnan(got) && std::isnan(special)))
      return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << got << " for " << want;
  }
  if (is_float(t) && want == 0 && std::signbit(got) != std::signbit(special))
    return ::testing::AssertionFailure() << got << " for " << want;
  const double size = std::max(std::abs(want), smallest_normal(t));
  const double apart = std::abs(got - want);
  const double most = dtype_size(t) <= 2 ? test::spacing(t) * std::exp2(std::floor(std::log2(size)))
                                         : 4 * test::spacing(t) * size;
  if (apart <= most) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << got << " for " << want << ", " << apart << " apart, not " << most;
}

TEST_P(EveryFunction, IsWhatItIsInFloat64) {
  const auto [t, device] = GetParam();
  std::vector<Tensor> got, want;
  std::vector<const Function*> which;
  for (const Function& f : kFunctions) {
    if ((f.takes & kind_of(t)) == 0) continue;
    const Tensor x = domain_argument(f.domain, t, device), y = partner(t, device);
    got.push_back(f.f(x, y));
    want.push_back(f.f(domain_argument(f.domain, t, "INTERP").cast(DType::Float64),
                       partner(t, "INTERP").cast(DType::Float64)));
    which.push_back(&f);
  }
  Tensor::realize(got);
  Tensor::realize(want);
  for (size_t i = 0; i < got.size(); ++i) {
    SCOPED_TRACE(which[i]->name);
    ASSERT_EQ(got[i].shape(), want[i].shape());
    const auto a = got[i].to_vector<double>(), b = want[i].to_vector<double>();
    ASSERT_EQ(a.size(), b.size());
    for (size_t k = 0; k < a.size(); ++k)
      EXPECT_TRUE(is_close(a[k], b[k], got[i].dtype())) << "element " << k;
  }
  EXPECT_GE(got.size(), 40u);
}

std::vector<Place> places() {
  std::vector<Place> out;
  for (const char* device : {"INTERP", "CPU"}) {
    for (DType t : {DType::Bool, DType::Int8, DType::UInt8, DType::Int16, DType::UInt16,
                    DType::Int32, DType::UInt32, DType::Int64, DType::UInt64, DType::Fp8E4M3,
                    DType::Fp8E5M2, DType::Fp8E4M3Fnuz, DType::Fp8E5M2Fnuz, DType::Float16,
                    DType::BFloat16, DType::Float32, DType::Float64}) {
      out.push_back({t, device});
    }
  }
  return out;
}
INSTANTIATE_TEST_SUITE_P(Places, EveryFunction, ::testing::ValuesIn(places()),
                         [](const auto& info) {
                           return std::string(info.param.device) + "_" +
                                  std::string(dtype_name(info.param.dtype));
                         });

class OneFunction : public ::testing::TestWithParam<Function> {
 protected:
  Tensor apply(const Tensor& x, const Tensor& y) const { return GetParam().f(x, y); }
  double low() const {
    return GetParam().domain == Domain::Any      ? 0.3
           : GetParam().domain == Domain::Inside ? -0.9
                                                 : 1.1;
  }
  double high() const { return GetParam().domain == Domain::Inside ? 0.9 : 4.0; }
};

TEST_P(OneFunction, TakesTensorsWithoutElements) {
  if (!GetParam().elementwise) return;
  for (const Shape& s : {Shape{0}, Shape{2, 0, 3}}) {
    const Tensor y = apply(Tensor::zeros(s), Tensor::ones(s));
    EXPECT_EQ(y.shape(), s);
    EXPECT_TRUE(y.to_vector<double>().empty());
  }
}
TEST_P(OneFunction, TakesScalarsAndOneElement) {
  if (!GetParam().elementwise) return;
  const Tensor x(Doubles{1.25}), y(Doubles{0.5});
  const double want = apply(x, y).item<double>();
  const Tensor scalar = apply(x.reshape({}), y.reshape({}));
  EXPECT_EQ(scalar.shape(), Shape{});
  expect_values(scalar, {}, {want}, 1e-12);
  expect_values(apply(x.reshape({1, 1}), y), {1, 1}, {want}, 1e-12);
}
TEST_P(OneFunction, GivesTheSameOnViewsAndBroadcasts) {
  if (!GetParam().elementwise) return;
  Random random(11);
  const Tensor x = random.tensor({3, 4}, low(), high()), y = random.tensor({4}, 0.5, 2);
  const Tensor want = apply(x, y.expand({3, 4}).contiguous());
  const Tensor got = apply(x.T().contiguous().T(), y.flip({}).contiguous().flip({}));
  expect_values(got, {3, 4}, want.to_vector<double>(), 1e-12);
}
TEST_P(OneFunction, HasTheSlopesOfFiniteDifferences) {
  if (!GetParam().smooth) return;
  Random random(12);
  const Tensor x = random.tensor({2, 3}, low(), high()), y = random.tensor({2, 3}, 0.5, 2);
  expect_gradients([this](const std::vector<Tensor>& in) { return apply(in[0], in[1]); }, {x, y},
                   {.eps = 1e-6, .atol = 1e-5});
}
INSTANTIATE_TEST_SUITE_P(All, OneFunction, ::testing::ValuesIn(kFunctions),
                         [](const auto& info) { return std::string(info.param.name); });

// What has no axes can be read with borders around it, but not copied as an array.
TEST(Convolution, OfOneElementIsItsFilter) {
  const Tensor one = Tensor{1.5f}.sum().realize().reshape({1, 1, 1});
  for (const int64_t channels : {1, 2, 9, 20}) {
    const Tensor w = Tensor::arange(static_cast<double>(channels * 4)).reshape({1, channels, 4});
    const Tensor filter = w.cast(DType::Float32).realize();
    EXPECT_EQ(one.conv_transpose2d(filter).to_vector<float>(), (filter * 1.5).to_vector<float>());
  }
}

}  // namespace
}  // namespace tg
