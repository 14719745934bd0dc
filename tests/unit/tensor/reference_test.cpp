// Values and gradients of every function against PyTorch's, which tests/reference/make_reference.py
// wrote into tests/reference/torch.txt. What a case's name computes stands in that script and here.
#include <fstream>
#include <map>
#include <sstream>

#include "support/source_dir.h"
#include "unit/tensor/support/reference.h"
#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

struct Data {
  Shape shape;
  Doubles values;
};

struct Case {
  std::string name;
  std::vector<Data> floats, integers, gradients;
  Data out;
};

Data parse(std::istringstream& line) {
  Data d;
  std::string shape, colon;
  line >> shape >> colon;
  std::istringstream sizes(shape == "-" ? "" : shape);
  for (std::string s; std::getline(sizes, s, ',');) d.shape.push_back(std::stoll(s));
  for (std::string v; line >> v;) d.values.push_back(std::stod(v));
  return d;
}

std::vector<Case> read_cases() {
  std::vector<Case> cases;
  std::ifstream file(test::source_dir().string() + "/tests/reference/torch.txt");
  for (std::string text; std::getline(file, text);) {
    std::istringstream line(text);
    std::string key;
    line >> key;
    if (key == "case") {
      cases.emplace_back();
      line >> cases.back().name;
    }
    if (key == "in") cases.back().floats.push_back(parse(line));
    if (key == "int") cases.back().integers.push_back(parse(line));
    if (key == "out") cases.back().out = parse(line);
    if (key == "grad") cases.back().gradients.push_back(parse(line));
  }
  return cases;
}

const std::vector<Case>& all_cases() {
  static const std::vector<Case> cases = read_cases();
  return cases;
}

constexpr int64_t kToTheEnd = 1000;  // an end beyond any axis

void add_elementwise(std::map<std::string, ReferenceProgram>& p) {
  p["neg"] = [](const List& x) { return -x[0]; };
  p["abs"] = [](const List& x) { return x[0].abs(); };
  p["sign"] = [](const List& x) { return x[0].sign(); };
  p["square"] = [](const List& x) { return x[0].square(); };
  p["exp"] = [](const List& x) { return x[0].exp(); };
  p["exp2"] = [](const List& x) { return x[0].exp2(); };
  p["sin"] = [](const List& x) { return x[0].sin(); };
  p["cos"] = [](const List& x) { return x[0].cos(); };
  p["tan"] = [](const List& x) { return x[0].tan(); };
  p["trunc"] = [](const List& x) { return x[0].trunc(); };
  p["floor"] = [](const List& x) { return x[0].floor(); };
  p["ceil"] = [](const List& x) { return x[0].ceil(); };
  p["round"] = [](const List& x) { return x[0].round(); };
  p["relu"] = [](const List& x) { return x[0].relu(); };
  p["relu6"] = [](const List& x) { return x[0].relu6(); };
  p["leaky_relu"] = [](const List& x) { return x[0].leaky_relu(); };
  p["sigmoid"] = [](const List& x) { return x[0].sigmoid(); };
  p["tanh"] = [](const List& x) { return x[0].tanh(); };
  p["silu"] = [](const List& x) { return x[0].silu(); };
  p["gelu"] = [](const List& x) { return x[0].gelu(); };
  p["quick_gelu"] = [](const List& x) { return x[0].quick_gelu(); };
  p["softplus"] = [](const List& x) { return x[0].softplus(); };
  p["clip"] = [](const List& x) { return x[0].clip(-0.5, 0.75); };
  p["pow3"] = [](const List& x) { return x[0].pow(3); };
  p["pow_minus2"] = [](const List& x) { return x[0].pow(-2); };
  p["sqrt"] = [](const List& x) { return x[0].sqrt(); };
  p["rsqrt"] = [](const List& x) { return x[0].rsqrt(); };
  p["log"] = [](const List& x) { return x[0].log(); };
  p["log2"] = [](const List& x) { return x[0].log2(); };
  p["log10"] = [](const List& x) { return x[0].log10(); };
  p["reciprocal"] = [](const List& x) { return x[0].reciprocal(); };
  p["pow_half"] = [](const List& x) { return x[0].pow(0.5); };
  p["pow_2_7"] = [](const List& x) { return x[0].pow(2.7); };
  p["pow_1_5"] = [](const List& x) { return x[0].pow(1.5); };
}

void add_binary(std::map<std::string, ReferenceProgram>& p) {
  p["add"] = [](const List& x) { return x[0] + x[1]; };
  p["sub"] = [](const List& x) { return x[0] - x[1]; };
  p["mul"] = [](const List& x) { return x[0] * x[1]; };
  p["div"] = [](const List& x) { return x[0] / x[1]; };
  p["floordiv"] = [](const List& x) { return x[0].floordiv(x[1]); };
  p["mod"] = [](const List& x) { return x[0] % x[1]; };
  p["pow"] = [](const List& x) { return x[0].pow(x[1]); };
  p["maximum"] = [](const List& x) { return x[0].maximum(x[1]); };
  p["minimum"] = [](const List& x) { return x[0].minimum(x[1]); };
  p["lt"] = [](const List& x) { return x[0] < x[1]; };
  p["le"] = [](const List& x) { return x[0] <= x[1]; };
  p["gt"] = [](const List& x) { return x[0] > x[1]; };
  p["ge"] = [](const List& x) { return x[0] >= x[1]; };
  p["eq"] = [](const List& x) { return x[0] == x[1]; };
  p["ne"] = [](const List& x) { return x[0] != x[1]; };
  p["where"] = [](const List& x) { return (x[0] < x[1]).where(x[0] * 2, x[1] * 3); };
}

void add_reductions(std::map<std::string, ReferenceProgram>& p) {
  for (int64_t a : {0, 1, -1}) {
    const std::string end = "_axis" + std::to_string(a);
    p["sum" + end] = [a](const List& x) { return x[0].sum({.axis = a}); };
    p["mean" + end] = [a](const List& x) { return x[0].mean({.axis = a}); };
    p["prod" + end] = [a](const List& x) { return x[0].prod({.axis = a}); };
    p["max" + end] = [a](const List& x) { return x[0].max({.axis = a}); };
    p["min" + end] = [a](const List& x) { return x[0].min({.axis = a}); };
    p["logsumexp" + end] = [a](const List& x) { return x[0].logsumexp({.axis = a}); };
    p["softmax" + end] = [a](const List& x) { return x[0].softmax(a); };
    p["log_softmax" + end] = [a](const List& x) { return x[0].log_softmax(a); };
    p["argmax" + end] = [a](const List& x) { return x[0].argmax({.axis = a}); };
    p["argmin" + end] = [a](const List& x) { return x[0].argmin({.axis = a}); };
    p["var" + end] = [a](const List& x) { return x[0].var({.axis = a}); };
    p["std" + end] = [a](const List& x) { return x[0].std({.axis = a}); };
  }
  p["sum_axes02"] = [](const List& x) { return x[0].sum({.axis = {0, 2}}); };
  p["mean_axes02"] = [](const List& x) { return x[0].mean({.axis = {0, 2}}); };
  p["max_axes02"] = [](const List& x) { return x[0].max({.axis = {0, 2}}); };
  p["min_axes02"] = [](const List& x) { return x[0].min({.axis = {0, 2}}); };
  p["logsumexp_axes02"] = [](const List& x) { return x[0].logsumexp({.axis = {0, 2}}); };
  p["prod_all"] = [](const List& x) { return x[0].prod(); };
  p["argmax_all"] = [](const List& x) { return x[0].argmax(); };
  p["var_biased"] = [](const List& x) { return x[0].var({.axis = -1, .correction = 0}); };
}

void add_movement(std::map<std::string, ReferenceProgram>& p) {
  p["reshape"] = [](const List& x) { return x[0].reshape({4, -1}); };
  p["permute"] = [](const List& x) { return x[0].permute({2, 0, 1}); };
  p["transpose"] = [](const List& x) { return x[0].transpose(); };
  p["flip"] = [](const List& x) { return x[0].flip({0, 2}); };
  p["expand"] = [](const List& x) { return x[0].expand({3, -1, 4}); };
  p["pad"] = [](const List& x) { return x[0].pad({{2, 0}, {0, 1}, {1, 2}}, 0.5); };
  p["pad_crop"] = [](const List& x) { return x[0].pad({{0, 0}, {0, 0}, {-1, 1}}); };
  p["repeat"] = [](const List& x) { return x[0].repeat({2, 1, 3}); };
  p["roll"] = [](const List& x) { return x[0].roll(-2, 2); };
  p["tril"] = [](const List& x) { return x[0].tril(1); };
  p["triu"] = [](const List& x) { return x[0].triu(-1); };
  p["diagonal"] = [](const List& x) { return x[0].diagonal(); };
  p["cat"] = [](const List& x) { return Tensor::cat({x[0], x[1], x[2]}, 1); };
  p["stack"] = [](const List& x) { return Tensor::stack({x[0], x[1]}, -1); };
  p["split"] = [](const List& x) { return x[0].split(3, 2)[1]; };
  p["flatten"] = [](const List& x) { return x[0].flatten(1); };
  const Slice whole;
  p["index_int"] = [](const List& x) { return x[0][{1, -2}]; };
  p["index_slice"] = [](const List& x) {
    return x[0][{Slice(1, 3), Slice(std::nullopt, std::nullopt, 2), Slice(1, -1)}];
  };
  p["index_new"] = [=](const List& x) { return x[0][{whole, NewAxis, Ellipsis, 2}]; };
  p["index_take0"] = [](const List& x) { return x[0][x[1]]; };
  p["index_take1"] = [=](const List& x) { return x[0][{whole, x[1]}]; };
  p["index_two"] = [](const List& x) { return x[0][{x[1], x[2]}]; };
  p["index_two_last"] = [=](const List& x) { return x[0][{whole, x[1], x[2]}]; };
  p["index_apart"] = [=](const List& x) { return x[0][{x[1], whole, x[2]}]; };
  p["index_mixed"] = [](const List& x) {
    return x[0][{Slice(1, 3), x[1], Slice(0, kToTheEnd, 2)}];
  };
  p["gather"] = [](const List& x) { return x[0].gather(1, x[1]); };
  p["scatter"] = [](const List& x) { return x[0].scatter(0, x[2], x[1]); };
  p["scatter_add"] = [](const List& x) { return x[0].scatter_add(1, x[2], x[1]); };
}

void add_convolutions(std::map<std::string, ReferenceProgram>& p) {
  p["matmul"] = [](const List& x) { return x[0].matmul(x[1]); };
  const auto conv = [&](const std::string& name, ConvOptions o) {
    p[name] = [o](const List& x) mutable {
      o.bias = &x[2];
      return x[0].conv2d(x[1], o);
    };
  };
  conv("conv2d", {});
  conv("conv2d_groups2", {.groups = 2});
  conv("conv2d_groups3_padding1", {.groups = 3, .padding = {1}});
  conv("conv2d_stride2", {.stride = {2}});
  conv("conv2d_stride2x3_padding1x2", {.stride = {2, 3}, .padding = {1, 2}});
  conv("conv2d_dilation2", {.dilation = {2}});
  conv("conv2d_stride2_dilation2x1_padding1", {.stride = 2, .dilation = {2, 1}, .padding = 1});
  conv("conv1d", {.stride = {2}, .padding = {1}});
  conv("conv3d", {});
  const auto max = [&](const std::string& name, PoolOptions o) {
    p["max_pool2d" + name] = [o](const List& x) { return x[0].max_pool2d(o); };
  };
  max("", {});
  max("_3s2p1", {.kernel_size = {3, 3}, .stride = {2}, .padding = {1}});
  max("_3s1d2", {.kernel_size = {3, 3}, .stride = {1}, .dilation = {2}});
  max("_ceil", {.kernel_size = {3, 3}, .stride = {2}, .ceil_mode = true});
  const auto avg = [&](const std::string& name, PoolOptions o) {
    p["avg_pool2d" + name] = [o](const List& x) { return x[0].avg_pool2d(o); };
  };
  avg("", {});
  PoolOptions o = {.kernel_size = {3, 3}, .stride = {2}, .padding = {1}};
  avg("_3s2p1", o);
  o.ceil_mode = true;
  avg("_ceil", o);
  o.count_include_pad = false;
  avg("_ceil_nopad", o);
  o.ceil_mode = false;
  avg("_nopad", o);
}

void add_losses(std::map<std::string, ReferenceProgram>& p) {
  p["batch_norm_training"] = [](const List& x) {
    return x[0].batch_norm({.weight = &x[1], .bias = &x[2], .training = true});
  };
  p["batch_norm_running"] = [](const List& x) {
    Tensor mean = x[3], var = x[4];
    return x[0].batch_norm({.weight = &x[1],
                            .bias = &x[2],
                            .running_mean = &mean,
                            .running_var = &var,
                            .training = false});
  };
  p["layer_norm"] = [](const List& x) { return x[0].layer_norm({.weight = &x[1], .bias = &x[2]}); };
  p["layer_norm_two"] = [](const List& x) {
    return x[0].layer_norm({.axis = {-2, -1}, .weight = &x[1], .bias = &x[2]});
  };
  p["cross_entropy"] = [](const List& x) { return x[0].cross_entropy(x[1]); };
  p["cross_entropy_sum"] = [](const List& x) {
    return x[0].cross_entropy(x[1], {.reduction = Reduction::Sum});
  };
  p["cross_entropy_none"] = [](const List& x) {
    return x[0].cross_entropy(x[1], {.reduction = Reduction::None});
  };
  p["cross_entropy_smooth"] = [](const List& x) {
    return x[0].cross_entropy(x[1], {.label_smoothing = 0.1});
  };
  p["cross_entropy_ignore"] = [](const List& x) {
    return x[0].cross_entropy(x[1], {.ignore_index = 1});
  };
  p["cross_entropy_probabilities"] = p["cross_entropy"];
  p["cross_entropy_probabilities_smooth"] = [](const List& x) {
    return x[0].cross_entropy(x[1], {.label_smoothing = 0.2});
  };
  p["sparse_categorical_crossentropy"] = [](const List& x) {
    return x[0].sparse_categorical_crossentropy(x[1]);
  };
  p["nll_loss"] = [](const List& x) { return x[0].log_softmax(1).nll_loss(x[1]); };
  p["nll_loss_weight"] = [](const List& x) { return x[0].nll_loss(x[2], {.weight = &x[1]}); };
  p["binary_crossentropy"] = [](const List& x) { return x[0].binary_crossentropy(x[1]); };
  p["binary_crossentropy_logits"] = [](const List& x) {
    return x[0].binary_crossentropy_logits(x[1]);
  };
}

const std::map<std::string, ReferenceProgram>& reference_programs() {
  static const std::map<std::string, ReferenceProgram> all = [] {
    std::map<std::string, ReferenceProgram> p;
    add_elementwise(p);
    add_binary(p);
    add_reductions(p);
    add_movement(p);
    add_convolutions(p);
    add_losses(p);
    add_further_programs(p);
    return p;
  }();
  return all;
}

// "pad_reflect_1_2_0_1" pads the last axis by (1, 2) and the one before it by (0, 1), as PyTorch
// names them; "einsum:ij,j->i" is its own text.
ReferenceProgram program_of(const std::string& name) {
  if (name.starts_with("einsum:")) {
    return [formula = name.substr(7)](const List& x) { return Tensor::einsum(formula, x); };
  }
  for (const auto& [prefix, mode] : {std::pair{std::string("pad_reflect_"), PadMode::Reflect},
                                     {"pad_replicate_", PadMode::Replicate},
                                     {"pad_circular_", PadMode::Circular}}) {
    if (!name.starts_with(prefix)) continue;
    std::vector<int64_t> n;
    std::istringstream numbers(name.substr(prefix.size()));
    for (std::string v; std::getline(numbers, v, '_');) n.push_back(std::stoll(v));
    return [n, m = mode](const List& x) {
      return x[0].pad({{0, 0}, {n[2], n[3]}, {n[0], n[1]}}, m);
    };
  }
  const auto at = reference_programs().find(name);
  return at == reference_programs().end() ? ReferenceProgram() : at->second;
}

double weight_of(int64_t i) {
  const double x = static_cast<double>(i + 1) * 0.6180339887498949;
  return 0.5 + (x - std::floor(x));
}

class Reference : public ::testing::TestWithParam<size_t> {};

// An input as plain storage, or as a view: every axis reversed, the axes in reversed order.
Tensor input_of(const Data& d, bool as_view, bool whole) {
  const auto make = [&](const Doubles& v) {
    return whole ? Tensor(std::vector<int64_t>(v.begin(), v.end()), d.shape) : Tensor(v, d.shape);
  };
  const Tensor plain = make(d.values);
  if (!as_view || d.shape.empty()) return plain;
  std::vector<int64_t> reversed;
  for (size_t i = d.shape.size(); i-- > 0;) reversed.push_back(static_cast<int64_t>(i));
  return plain.permute(reversed).flip({}).contiguous().realize().flip({}).permute(reversed);
}

void check(const Case& c, bool as_view) {
  const ReferenceProgram program = program_of(c.name);
  ASSERT_TRUE(program) << "no program for " << c.name;
  List inputs;
  for (const Data& d : c.floats) inputs.push_back(input_of(d, as_view, false));
  const List floats = inputs;
  for (const Data& d : c.integers) inputs.push_back(input_of(d, as_view, true));
  const Tensor y = program(inputs);
  List grads;
  if (!c.gradients.empty()) {
    Doubles weights;
    for (int64_t i = 0; i < y.numel(); ++i) weights.push_back(weight_of(i));
    grads = y.gradient(floats, Tensor(weights, y.shape()));
  }
  expect_values(y, c.out.shape, c.out.values, 1e-6);
  for (size_t i = 0; i < grads.size(); ++i) {
    SCOPED_TRACE("gradient of input " + std::to_string(i));
    EXPECT_EQ(grads[i].dtype(), DType::Float64);
    expect_values(grads[i], c.gradients[i].shape, c.gradients[i].values, 1e-6);
  }
}

TEST_P(Reference, ValueAndGradientsAgreeWithPyTorch) { check(all_cases()[GetParam()], false); }
TEST_P(Reference, ViewsGiveTheSame) { check(all_cases()[GetParam()], true); }

std::string case_name(const ::testing::TestParamInfo<size_t>& info) {
  std::string name = all_cases()[info.param].name + "_" + std::to_string(info.param);
  std::ranges::replace(name, '-', 'm');
  std::ranges::replace_if(
      name, [](char ch) { return std::isalnum(ch) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(PyTorch, Reference, ::testing::Range(size_t{0}, all_cases().size()),
                         case_name);

TEST(ReferenceFile, HoldsACaseForEveryProgram) {
  std::map<std::string, int> seen;
  for (const Case& c : all_cases()) ++seen[c.name];
  EXPECT_GE(all_cases().size(), 500u);
  for (const char* name : {"conv2d", "matmul", "softmax_axis-1", "cross_entropy", "index_apart"}) {
    EXPECT_GT(seen[name], 0) << name;
  }
}

}  // namespace
}  // namespace tg
