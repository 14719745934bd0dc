// Programs of the reference cases: special functions, activations, scans, paddings, Einstein sums,
// assignment through indices, transposed convolutions, norms. The other half of each stands in
// tests/reference/make_reference.py; the comparison is in reference_test.cpp.
#include <tg/tg.h>

#include "unit/tensor/support/reference.h"

namespace tg::testing {
namespace {

using Programs = std::map<std::string, ReferenceProgram>;

void add_unary(Programs& p) {
  p["asin"] = [](const List& x) { return x[0].asin(); };
  p["acos"] = [](const List& x) { return x[0].acos(); };
  p["atan"] = [](const List& x) { return x[0].atan(); };
  p["sinh"] = [](const List& x) { return x[0].sinh(); };
  p["cosh"] = [](const List& x) { return x[0].cosh(); };
  p["asinh"] = [](const List& x) { return x[0].asinh(); };
  p["acosh"] = [](const List& x) { return x[0].acosh(); };
  p["atanh"] = [](const List& x) { return x[0].atanh(); };
  p["erf"] = [](const List& x) { return x[0].erf(); };
  p["elu"] = [](const List& x) { return x[0].elu(); };
  p["elu_half"] = [](const List& x) { return x[0].elu(0.5); };
  p["celu"] = [](const List& x) { return x[0].celu(); };
  p["celu_2"] = [](const List& x) { return x[0].celu(2); };
  p["selu"] = [](const List& x) { return x[0].selu(); };
  p["gelu_erf"] = [](const List& x) { return x[0].gelu(GeluForm::Erf); };
  p["swish"] = [](const List& x) { return x[0].swish(); };
  p["mish"] = [](const List& x) { return x[0].mish(); };
  p["softplus_3"] = [](const List& x) { return x[0].softplus(3); };
  p["logsigmoid"] = [](const List& x) { return x[0].logsigmoid(); };
  p["softsign"] = [](const List& x) { return x[0].softsign(); };
  p["hardsigmoid"] = [](const List& x) { return x[0].hardsigmoid(); };
  p["hardsigmoid_wide"] = [](const List& x) { return x[0].hardsigmoid(0.25, 0.375); };
  p["hardswish"] = [](const List& x) { return x[0].hardswish(); };
  p["hardtanh"] = [](const List& x) { return x[0].hardtanh(); };
  p["hardtanh_2"] = [](const List& x) { return x[0].hardtanh(-2, 0.5); };
  p["clamp"] = [](const List& x) { return x[0].clamp(-0.5, 0.75); };
  p["clamp_min"] = [](const List& x) { return x[0].clamp_min(0.25); };
  p["clamp_max"] = [](const List& x) { return x[0].clamp_max(0.25); };
}

void add_further_binary(Programs& p) {
  p["logaddexp"] = [](const List& x) { return x[0].logaddexp(x[1]); };
  p["copysign"] = [](const List& x) { return x[0].copysign(x[1]); };
  p["lerp"] = [](const List& x) { return x[0].lerp(x[1], 0.3); };
  p["lerp_weight"] = [](const List& x) { return x[0].lerp(x[1], x[2]); };
  p["usum"] = [](const List& x) { return Tensor::usum({x[0], x[1], 2}); };
  p["uprod"] = [](const List& x) { return Tensor::uprod({x[0], x[1], 2}); };
  p["isclose"] = [](const List& x) { return x[0].isclose(x[1], {.rtol = 0.1, .atol = 0.2}); };
  p["fmod"] = [](const List& x) { return x[0].fmod(x[1]); };
  p["div_trunc"] = [](const List& x) { return x[0].div(x[1], Rounding::Trunc); };
  p["div_floor"] = [](const List& x) { return x[0].div(x[1], Rounding::Floor); };
  p["int_fmod"] = p["fmod"];
  p["int_div_trunc"] = p["div_trunc"];
}

void add_scans(Programs& p) {
  for (int64_t a : {0, 1, 2}) {
    const std::string end = "_axis" + std::to_string(a);
    p["cumsum" + end] = [a](const List& x) { return x[0].cumsum(a); };
    p["cumprod" + end] = [a](const List& x) { return x[0].cumprod(a); };
    p["logcumsumexp" + end] = [a](const List& x) { return x[0].logcumsumexp(a); };
    p["cummax" + end] = [a](const List& x) { return x[0].cummax(a).first; };
    p["cummin" + end] = [a](const List& x) { return x[0].cummin(a).first; };
    p["cummax_place" + end] = [a](const List& x) { return x[0].cummax(a).second; };
    p["cummin_place" + end] = [a](const List& x) { return x[0].cummin(a).second; };
  }
  p["int_cumsum"] = [](const List& x) { return x[0].cumsum(1); };
  p["int_cumprod"] = [](const List& x) { return x[0].cumprod(0); };
  p["var_of_pair"] = [](const List& x) { return x[0].var_mean({.axis = -1}).first; };
  p["mean_of_pair"] = [](const List& x) { return x[0].var_mean({.axis = -1}).second; };
  p["std_of_pair"] = [](const List& x) { return x[0].std_mean({.axis = 0}).first; };
  p["softmin_axis0"] = [](const List& x) { return x[0].softmin(0); };
  p["normalize"] = [](const List& x) { return x[0].normalize(); };
  p["normalize_3"] = [](const List& x) { return x[0].normalize({.p = 3, .axis = 0}); };
  p["normalize_1"] = [](const List& x) { return x[0].normalize({.p = 1, .axis = -1}); };
}

void add_assignments(Programs& p) {
  const Slice whole;
  p["set_int"] = [](const List& x) { return x[0].set({2}, x[1]); };
  p["set_slice"] = [=](const List& x) { return x[0].set({Slice(1, 3), whole, Slice(2, 5)}, x[1]); };
  p["set_number"] = [=](const List& x) { return x[0].set({whole, 1}, 7); };
  p["set_take0"] = [](const List& x) { return x[0].set({x[2]}, x[1]); };
  p["set_take1"] = [=](const List& x) { return x[0].set({whole, x[2]}, x[1]); };
  p["set_two"] = [](const List& x) { return x[0].set({x[2], x[3]}, x[1]); };
  p["set_two_last"] = [=](const List& x) { return x[0].set({whole, x[2], x[3]}, x[1]); };
  p["set_apart"] = [=](const List& x) { return x[0].set({x[2], whole, x[3]}, x[1]); };
  p["set_mixed"] = [](const List& x) { return x[0].set({Slice(1, 3), x[2]}, x[1]); };
  p["masked_select"] = [](const List& x) { return x[0].masked_select(x[1] > 0); };
  p["masked_fill"] = [](const List& x) { return x[0].masked_fill(x[1] > 0, 0.5); };
}

void add_products(Programs& p) {
  const auto transposed = [&](const std::string& name, ConvTransposeOptions o) {
    p["conv_transpose" + name] = [o](const List& x) mutable {
      o.bias = &x[2];
      return x[0].conv_transpose2d(x[1], o);
    };
  };
  transposed("", {});
  transposed("_stride2", {.stride = 2});
  transposed("_groups2_padding1", {.groups = 2, .padding = 1});
  transposed("_stride2_padding1_output_padding1", {.stride = 2, .padding = 1, .output_padding = 1});
  transposed("_dilation2", {.dilation = 2});
  transposed("_stride3_output_padding2", {.stride = 3, .output_padding = 2});
  p["linear"] = [](const List& x) { return x[0].linear(x[1], &x[2]); };
  p["linear_vector"] = p["linear"];
  p["rms_norm"] = [](const List& x) { return x[0].rms_norm({.weight = &x[1]}); };
  for (int64_t g : {2, 4}) {
    p["group_norm_" + std::to_string(g)] = [g](const List& x) {
      return x[0].group_norm(g, {.weight = &x[1], .bias = &x[2]});
    };
  }
}

}  // namespace

void add_further_programs(Programs& p) {
  add_unary(p);
  add_further_binary(p);
  add_scans(p);
  add_assignments(p);
  add_products(p);
}

}  // namespace tg::testing
