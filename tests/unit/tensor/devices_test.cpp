// Every function works where its operands live: with a default device that may not be touched
// (support/forbidden_device.h), each recorded function, and programs with its options, give the
// same values on another device, and results that live there. Operands of different devices are an
// error that names the function and both.
#include <tg/autograd.h>
#include <tg/jit.h>

#include <map>

#include "support/forbidden_device.h"
#include "tensor/records/record.h"
#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;
using Values = std::vector<Tensor>;
using DeviceProgram = std::function<Values()>;

constexpr const char* kHere = "INTERP";

Tensor floats(const Shape& shape = {4, 4}) {
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  Doubles v;
  for (int64_t i = 0; i < n; ++i)
    v.push_back(0.05 + 0.9 * static_cast<double>(i * 7 % n) / static_cast<double>(n));
  return Tensor(v, shape, {.dtype = DType::Float32, .device = kHere});
}
Tensor ints_here(const Shape& shape = {4, 4}, int64_t below = 4) {
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  std::vector<int64_t> v;
  for (int64_t i = 0; i < n; ++i) v.push_back(i * 5 % below);
  return Tensor(v, shape, {.dtype = DType::Int32, .device = kHere});
}
Tensor bools(const Shape& shape = {4, 4}) { return ints_here(shape, 3).eq(1); }
Tensor images() { return floats({2, 2, 6, 6}); }
Tensor param(const Shape& shape = {4, 4}) { return floats(shape).is_param_(); }

// ---- every recorded function with the arguments that it must have

// What stands for the tensor of a method.
Tensor self_of(std::string_view fn) {
  static const std::set<std::string_view> whole = {"bitwise_and", "bitwise_or", "bitwise_xor",
                                                   "bitwise_not", "lshift",     "rshift",
                                                   "one_hot",     "threefry"};
  static const std::set<std::string_view> of_images = {
      "conv2d",     "conv_transpose2d", "max_pool2d",   "avg_pool2d",
      "batch_norm", "group_norm",       "max_unpool2d", "max_pool2d_with_indices",
      "grid_sample"};
  if (fn == "where") return bools();
  if (fn == "diag") return floats({4});
  if (fn == "affine_grid") return floats({2, 2, 3});
  if (fn == "fft" || fn == "ifft" || fn == "irfft") return floats({3, 8, 2});
  if (fn == "cholesky") return floats() + Tensor::eye(4, -1, {.device = kHere}) * 4;
  if (fn == "random_bits") return ints_here({2}).cast(DType::UInt32);
  if (fn == "acosh") return floats() + 1;
  if (fn == "threefry") return ints_here({4, 4}).cast(DType::UInt64);
  if (whole.contains(fn)) return ints_here();
  if (of_images.contains(fn)) return images();
  if (fn == "grad" || fn == "has_grad" || fn == "zero_grad" || fn == "set_grad") {
    const Tensor p = param();
    (p * p).sum().backward();
    return p;
  }
  return floats();
}

// A value for a parameter that must be given.
FnValue given_argument(std::string_view fn, const FnParam& p, const FnType& type,
                       const Tensor& self) {
  static const std::map<std::pair<std::string_view, std::string_view>, FnValue> special = {
      {{"expand", "sizes"}, std::vector<int64_t>{4, 4}},
      {{"reshape", "sizes"}, std::vector<int64_t>{2, 8}},
      {{"view", "sizes"}, std::vector<int64_t>{2, 8}},
      {{"permute", "order"}, std::vector<int64_t>{1, 0}},
      {{"flip", "axes"}, std::vector<int64_t>{0}},
      {{"shrink", "ranges"}, std::vector<int64_t>{1, 3, 0, 2}},
      {{"pad", "padding"}, std::vector<int64_t>{1, 1, 0, 2}},
      {{"unflatten", "sizes"}, std::vector<int64_t>{2, 2}},
      {{"repeat", "repeats"}, std::vector<int64_t>{2, 3}},
      {{"group_norm", "groups"}, int64_t{2}},
      {{"from_bytes", "shape"}, std::vector<int64_t>{2, 2}},
      {{"einsum", "formula"}, std::string("ij,jk->ik")},
      {{"rearrange", "formula"}, std::string("a (b c) -> b a c, b=2")},
      {{"conv2d", "stride"}, std::vector<int64_t>{1}},
  };
  if (const auto it = special.find({fn, p.name}); it != special.end()) return it->second;
  if (p.name == "device" || p.name == "devices") return std::string(kHere);
  switch (type.kind) {
    case FnKind::Int:
      return int64_t{fn == "one_hot" ? 4 : 1};
    case FnKind::Float:
      return 3.0;
    case FnKind::Ints:
    case FnKind::Sizes:
      return std::vector<int64_t>{4, 4};
    case FnKind::DType:
      return fn == "from_bytes" ? DType::UInt8 : fn == "bitcast" ? DType::Int32 : DType::Float32;
    case FnKind::Bool:
      return true;
    case FnKind::Choice:
      return int64_t{0};
    case FnKind::Index:
      return std::vector<IndexItem>{Slice(1, 3), ints_here({2})};
    case FnKind::Bytes: {
      static const std::array<std::byte, 4> bytes = {};
      return std::span<const std::byte>(bytes);
    }
    case FnKind::Tensors:
      if (fn == "gradient") return Values{param()};
      return Values{floats(), floats() * 2};
    case FnKind::Tensor:
      if (fn == "full" || fn == "full_like") return Tensor(3);
      if (fn == "seed" || fn == "threefry") return self;
      if (fn == "random_bits") return self;
      if (fn == "max_unpool2d") return ints_here({2, 2, 6, 6}, 100);
      if (p.name == "mask") return bools();
      if (p.name == "index") return ints_here();
      if (p.name == "target" &&
          (fn == "cross_entropy" || fn == "nll_loss" || fn.starts_with("sparse")))
        return ints_here({4});
      if (fn == "set") return floats({2, 2});
      if (fn.starts_with("conv")) return floats({2, 2, 3, 3});
      if (fn == "grid_sample") return floats({2, 3, 3, 2});
      if (fn == "where" || fn == "masked_fill" || fn.starts_with("scatter")) return floats();
      return self;
    default:
      ADD_FAILURE() << fn << " needs a value for " << p.name;
      return {};
  }
}

Values tensors_of(const FnValue& v) {
  if (const auto* t = std::get_if<Tensor>(&v)) return {*t};
  if (const auto* list = std::get_if<Values>(&v)) return *list;
  return {};
}

Values call(const FnRecord& r) {
  std::vector<FnValue> arguments;
  const Tensor self = self_of(r.name);
  if (r.call.method) arguments.emplace_back(self);
  for (size_t i = 0; i < r.params.size(); ++i) {
    const FnParam& p = r.params[i];
    const bool given = p.default_value.empty() || p.name == "device" || p.name == "training";
    arguments.push_back(given ? given_argument(r.name, p, r.param_type(i), self) : FnValue{});
  }
  const Tensor w = param();
  if (r.name == "split") arguments = {self, int64_t{2}};
  if (r.name == "gradient") arguments = {(w * 3).sum(), Values{w}};
  if (r.name == "backward") arguments = {(w * 3).sum()};
  Values out = tensors_of(call_fn(r, arguments));
  if (r.call.method && r.name != "to" && r.name != "shard") out.push_back(self);
  if (r.name == "backward") out.push_back(w.grad());
  return out;
}

// Contents that say nothing: they differ from call to call.
bool has_no_values(std::string_view fn) { return fn == "empty" || fn == "empty_like"; }

std::vector<Doubles> contents(const Values& values, bool with_values) {
  std::vector<Doubles> out;
  for (const Tensor& t : values) {
    Tensor::realize({t});
    out.push_back(with_values ? t.to_vector<double>() : Doubles{});
  }
  return out;
}

void expect_same_here(const DeviceProgram& program, bool with_values = true) {
  std::vector<Doubles> want, got;
  {
    const OptionsScope scope(test::default_on(kHere));
    manual_seed(5);
    want = contents(program(), with_values);
  }
  const OptionsScope scope(test::forbidden_default());
  manual_seed(5);
  const Values values = program();
  for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i].device(), kHere) << "result " << i;
  got = contents(values, with_values);
  EXPECT_EQ(got, want);
  for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i].device(), kHere) << "result " << i;
}

TEST(Devices, EveryFunctionWorksWhereItsOperandsLive) {
  int functions = 0;
  for (const FnFamily& family : fn_families()) {
    for (const FnRecord& r : family.functions) {
      if (r.call.invoke == nullptr) continue;
      SCOPED_TRACE(std::string(r.name));
      ++functions;
      try {
        expect_same_here([&] { return call(r); }, !has_no_values(r.name));
      } catch (const std::exception& e) {
        ADD_FAILURE() << e.what();
      }
    }
  }
  EXPECT_GE(functions, 150);
}

// ---- options, and programs of several functions

struct Named {
  const char* name;
  DeviceProgram program;
};

std::vector<Named> device_programs() {
  return {
      {"arange", [] { return Values{Tensor::arange(9, {.device = kHere})}; }},
      {"eye", [] { return Values{Tensor::eye(3, 4, {.device = kHere})}; }},
      {"linspace", [] { return Values{Tensor::linspace(0, 1, 5, {.device = kHere})}; }},
      {"full without storage",
       [] { return Values{Tensor::full({3}, 2, {.device = kHere, .buffer = false})}; }},
      {"full of a value", [] { return Values{Tensor::full({3}, floats({}))}; }},
      {"to",
       [] {
         return Values{Tensor::arange(4).to(kHere), (Tensor::eye(3) * 2).to(kHere)};
       }},
      {"pieces",
       [] {
         return floats().split(std::vector<int64_t>{1, 3});
       }},
      {"roll and cat",
       [] {
         const Tensor x = floats({3, 2, 8, 17});
         const Tensor y = x.sum({.axis = {2}, .keepdim = true});
         const Tensor z = Tensor::cat({x, y, x.roll(3, 3)}, 2);
         return Values{z.index({Slice(0, 2), 1}).softmax(), z.roll(1, 2).sum()};
       }},
      {"a mask of many readers",
       [] {
         const Tensor mask = Tensor::arange(17) * Tensor::arange(17) < 40;
         Values out;
         for (int64_t i = 1; i <= 12; ++i) out.push_back(mask.where(floats({i, 17}), 0.0));
         Tensor::realize(out);
         return out;
       }},
      {"a mask asked to be stored",
       [] { return Values{(Tensor::arange(6) % 2).eq(0).contiguous().where(floats({6}), -1.0)}; }},
      {"rows of an identity",
       [] {
         return Values{floats().matmul(Tensor::eye(4)), Tensor::eye(4).matmul(floats())};
       }},
      {"constants of integers",
       [] {
         return Values{ints_here().isnan(), ints_here().isinf(), ints_here().isfinite()};
       }},
      {"extremes of a number",
       [] {
         const auto [v, i] = floats({}).cummax();
         return Values{v, i};
       }},
      {"pad by reflection",
       [] {
         return Values{floats().pad({{1, 1}, {2, 2}}, PadMode::Reflect)};
       }},
      {"scans of long axes",
       [] {
         const Tensor x = floats({2, 700});
         const auto [v, i] = x.cummin(1);
         return Values{x.cumsum(1), x.logcumsumexp(1), v, i};
       }},
      {"losses",
       [] {
         const Tensor x = floats({4, 5}), label = ints_here({4}, 5), weight = floats({5});
         return Values{
             x.cross_entropy(label, {.label_smoothing = 0.1}),
             x.cross_entropy(label, {.ignore_index = 2, .weight = &weight}),
             x.log_softmax().nll_loss(label, {.weight = &weight}),
             x.sigmoid().binary_crossentropy(floats({4, 5})),
         };
       }},
      {"training",
       [] {
         const TrainingScope training;
         const Tensor w = floats({2}), b = floats({2}), mean = floats({2}), var = floats({2}) + 1;
         return Values{images().batch_norm({.weight = &w, .bias = &b}), images().dropout(0.5)};
       }},
      {"pools with holes",
       [] {
         return Values{
             images().max_pool2d({.kernel_size = 3, .stride = 2, .padding = 1}),
             images().avg_pool2d({.kernel_size = 3, .stride = 2, .padding = 1, .ceil_mode = true})};
       }},
      {"picking",
       [] {
         const Tensor x = floats({4, 5, 6}), i = ints_here({3}), j = ints_here({3}, 5);
         return Values{x.index({i}), x.index({i, j}), x.index({i, Slice(), j}),
                       x.masked_select(x > 0.4, {.size = 9}), x.masked_select(x > 0.4)};
       }},
      {"setting",
       [] {
         const Tensor x = floats({4, 5}), y = floats({4, 5}) * 2;
         x.set({Slice(1, 3)}, 7.0);
         y.set({ints_here({2})}, floats({2, 5}));
         return Values{x, y};
       }},
      {"setting what lives nowhere",
       [] {
         const Tensor x = Tensor::arange(6).cast(DType::Float32),
                      y = Tensor::full({6}, 1.5, {.buffer = false});
         const Tensor z = Tensor::arange(6), w = Tensor::arange(6).cast(DType::Float32);
         x.set({Slice(1, 3)}, floats({2}));
         y.assign(floats({6}));
         z.set({ints_here({2})}, 9);
         const Tensor view = w.index({Slice(0, 4)});
         view.assign(floats({4}));
         return Values{x, y, z, w};
       }},
      {"assignments in place",
       [] {
         const Tensor x = floats();
         x += Tensor::arange(4);
         x.assign(x.transpose() + Tensor::eye(4));
         return Values{x};
       }},
      {"slopes that are constants",
       [] {
         const Tensor w = param(), v = param({3});
         const auto g = (w.sum() + v.sum() * 2).gradient({w, v});
         return g;
       }},
      {"slopes of what was moved",
       [] {
         const Tensor w = param();
         (w.to("INTERP") * Tensor::eye(4).to("INTERP")).sum().backward();
         return Values{w.grad()};
       }},
      {"gradients of scatters",
       [] {
         const Tensor w = param({4, 5});
         const auto g = w.index({ints_here({7})}).square().sum().gradient({w});
         return Values{g[0], w.scatter_add(0, ints_here({2, 5}), floats({2, 5}))};
       }},
      {"variables",
       [] {
         const SymInt n = Variable("n", 1, 6).bind(4);
         const Tensor x = floats({6, 3}).index({Slice(0, n)});
         return Values{x.sum({.axis = {0}}) * Tensor(n)};
       }},
  };
}

TEST(Devices, ProgramsStayWhereTheirOperandsLive) {
  for (const Named& p : device_programs()) {
    SCOPED_TRACE(p.name);
    try {
      expect_same_here(p.program);
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what();
    }
  }
}

TEST(Devices, CapturedCallsTakeNumbersWhereTheOtherArgumentsLive) {
  const OptionsScope scope(test::forbidden_default());
  auto f = jit([](const Tensor& x, const Tensor& c, const Tensor& i) {
    return x * c + (i % 3).eq(0).where(x, 0.0);
  });
  for (int k = 0; k < 4; ++k) {
    const Tensor y = f(floats({6}), Tensor(2.0 + k), Tensor::arange(6));
    EXPECT_EQ(y.device(), kHere);
    expect_values(y, {6},
                  (floats({6}) * (2.0 + k) + (Tensor::arange(6) % 3).eq(0).where(floats({6}), 0.0))
                      .to_vector<double>());
  }
}

TEST(Devices, WhatLivesNowhereIsRealizedOnTheDefaultDevice) {
  const Tensor x = Tensor::arange(5) * 2, y = Tensor::eye(2);
  Tensor::realize({x, y});
  EXPECT_EQ(x.device(), default_device());
  EXPECT_EQ(y.device(), default_device());
}

// ---- operands of two devices

std::string mixed(const std::function<void()>& f) { return error_of<DeviceError>(f); }

TEST(Devices, ThatMixAreRefusedByName) {
  const OptionsScope scope(test::default_on(kHere));
  const Tensor here = floats(), i = ints_here(), m = bools();
  const auto away = [](const Tensor& t) { return t.to("NULL"); };
  const Tensor there = away(here);
  const std::string rest =
      ": operands live on different devices: INTERP and NULL. Hint: move one of them with to().";
  EXPECT_EQ(mixed([&] { here + there; }), "add" + rest);
  EXPECT_EQ(mixed([&] { (void)(here < there); }), "lt" + rest);
  EXPECT_EQ(mixed([&] { here.pow(there); }), "pow" + rest);
  EXPECT_EQ(mixed([&] { m.where(here, there); }), "where" + rest);
  EXPECT_EQ(mixed([&] { m.where(there, 0.0); }), "where" + rest);
  EXPECT_EQ(mixed([&] { here.lerp(here, there); }), "lerp" + rest);
  EXPECT_EQ(mixed([&] { here.matmul(there); }), "matmul" + rest);
  EXPECT_EQ(mixed([&] { images().conv2d(away(floats({2, 2, 3, 3}))); }), "conv2d" + rest);
  const Tensor bias = away(floats({2}));
  EXPECT_EQ(mixed([&] {
              images().conv2d(floats({2, 2, 3, 3}), {.bias = &bias});
            }),
            "conv2d" + rest);
  EXPECT_EQ(mixed([&] { Tensor::cat({here, there}); }), "cat" + rest);
  EXPECT_EQ(mixed([&] { Tensor::cat({here, away(floats({0, 4}))}); }), "cat" + rest);
  EXPECT_EQ(mixed([&] { Tensor::stack({here, there}); }), "cat" + rest);
  EXPECT_EQ(mixed([&] { here.gather(0, away(i)); }), "gather" + rest);
  EXPECT_EQ(mixed([&] { here.scatter(0, i, there); }), "scatter" + rest);
  EXPECT_EQ(mixed([&] { here.scatter_add(0, away(i), here); }), "scatter_add" + rest);
  EXPECT_EQ(mixed([&] { here.index({away(i)}); }), "index" + rest);
  EXPECT_EQ(mixed([&] { here.masked_select(away(m)); }), "masked_select" + rest);
  EXPECT_EQ(mixed([&] { here.set({Slice(0, 2)}, away(floats({2, 4}))); }), "set" + rest);
  EXPECT_EQ(mixed([&] { here.set({away(ints_here({2}))}, 1.0); }), "set" + rest);
  EXPECT_EQ(mixed([&] { here.set({ints_here({2})}, away(floats({2, 4}))); }), "set" + rest);
  EXPECT_EQ(mixed([&] { here.assign(there); }), "assign" + rest);
  EXPECT_EQ(mixed([&] { param().set_grad(there); }), "set_grad" + rest);
  EXPECT_EQ(mixed([&] { here.cross_entropy(away(ints_here({4}))); }), "gather" + rest);
  const Tensor w = param();
  EXPECT_EQ(mixed([&] { (w * 2).gradient({w}, there); }), "gradient" + rest);
  EXPECT_EQ(mixed([&] { Tensor::full({2}, floats({}), {.device = "NULL"}); }),
            "full: the value lives on INTERP, but NULL was asked for. Hint: move it with to().");
  EXPECT_EQ(mixed([&] { Tensor::arange(3, {.device = "NOWHERE"}); }).find("another class"),
            std::string::npos);
}

}  // namespace
}  // namespace tg
