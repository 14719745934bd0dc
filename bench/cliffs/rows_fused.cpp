// Tables of products with something before or after them in the same kernel, of convolutions, and
// of attention. What a line says: row.h.
#include "row.h"

namespace tg::cliffs {
namespace {

// Weights [k, n] of int8 with a scale for each of n columns, or for groups of 32 terms.
Tensor by_column(Inputs& in) { return in("kn", i8).cast(f32) * in("n"); }
Tensor by_group(Inputs& in) {
  return (in("(hs)n", i8).cast(f32).reshape(in["hsn"]) * in("h1n")).reshape(in["(hs)n"]);
}
// Two weights of four bits in a byte.
Tensor four_bits(Inputs& in) {
  const Tensor packed = in("kn", DType::UInt8);
  return Tensor::stack({packed & 15, packed >> 4}, 1).reshape(in["(2k)n"]).cast(f32) * in("n") - 1;
}

Tensor masked(const Tensor& scores) { return scores + (scores.ones_like().triu(1) * -1e9); }

}  // namespace

// Tables are read in columns.
// clang-format off

Group fused() {
  const std::vector<DType> few = {f32, bf16, f16};
  const char* const mkn = "m512 k512 n512";
  return {"before and after a product", {
    {"relu before",               few,         mkn,                 2, [](Inputs& in) { return in("mk").relu().matmul(in("kn")); }},
    {"gelu before",               {f32},       mkn,                 2, [](Inputs& in) { return in("mk").gelu().matmul(in("kn")); }},
    {"square of both before",     {f32},       mkn,                 2, [](Inputs& in) { return in("mk").square().matmul(in("kn").square()); }},
    {"mask before",               {f32},       mkn,                 2, [](Inputs& in) { return (in("mk") * (in("mk", i8) > 0)).matmul(in("kn")); }},
    {"cast before, from bf16",    {f32},       mkn,                 2, [](Inputs& in) { return in("mk", bf16).cast(f32).matmul(in("kn", bf16).cast(f32)); }},
    {"cast before, from f16",     {f32},       mkn,                 2, [](Inputs& in) { return in("mk", f16).cast(f32).matmul(in("kn", f16).cast(f32)); }},
    {"cast before, one operand",  {f32, bf16}, mkn,                 2, [](Inputs& in) { return in("mk").matmul(in("kn", i8).cast(f32)); }},
    {"dequantised columns",       {f32},       mkn,                 2, [](Inputs& in) { return in("mk").matmul(by_column(in)); }},
    {"dequantised groups",        {f32},       "m512 h16 s32 n512", 2, [](Inputs& in) { return in("m(hs)").matmul(by_group(in)); }},
    {"dequantised groups, a row", {f32},       "h128 s32 n16384",   2, [](Inputs& in) { return in("1(hs)").matmul(by_group(in)); }},
    {"dequantised four bits",     {f32},       "m512 k256 n512",    4, [](Inputs& in) { return in("m(2k)").matmul(four_bits(in)); }},
    {"layer norm before",         {f32},       mkn,                 2, [](Inputs& in) { return in("mk").layer_norm().matmul(in("kn")); }},
    {"rms norm before",           few,         mkn,                 2, [](Inputs& in) { return in("mk").rms_norm().matmul(in("kn")); }},
    {"scaled and shifted before", {f32},       mkn,                 2, [](Inputs& in) { return (in("mk") * in("k") + in("k")).matmul(in("kn")); }},
    {"softmax before",            {f32},       mkn,                 2, [](Inputs& in) { return in("mk").softmax().matmul(in("kn")); }},
    {"bias after",                few,         mkn,                 2, [](Inputs& in) { return in("mk").matmul(in("kn")) + in("n"); }},
    {"bias and relu after",       few,         mkn,                 2, [](Inputs& in) { return (in("mk").matmul(in("kn")) + in("n")).relu(); }},
    {"bias and gelu after",       few,         mkn,                 2, [](Inputs& in) { return (in("mk").matmul(in("kn")) + in("n")).gelu(); }},
    {"residual after",            few,         mkn,                 2, [](Inputs& in) { return in("mk").matmul(in("kn")) + in("mn"); }},
    {"column of factors after",   {f32},       mkn,                 2, [](Inputs& in) { return in("mk").matmul(in("kn")) * in("m1"); }},
    {"transposed residual after", {f32},       mkn,                 2, [](Inputs& in) { return in("mk").matmul(in("kn")) + in("nm").T(); }},
    {"cast to bf16 after",        {f32},       mkn,                 2, [](Inputs& in) { return in("mk").matmul(in("kn")).cast(bf16); }},
    {"cast to f32 after",         {bf16, f16}, mkn,                 2, [](Inputs& in) { return in("mk").matmul(in("kn")).cast(f32); }},
    {"requantised after",         {i8},        mkn,                 2, [](Inputs& in) { return (wide(in("mk")).matmul(wide(in("kn"))).cast(f32) * in("n", f32)).round().clip(-128, 127).cast(i8); }},
    {"softmax after",             {f32},       mkn,                 2, [](Inputs& in) { return in("mk").matmul(in("kn")).softmax(); }},
    {"row sums after",            {f32},       mkn,                 2, [](Inputs& in) { return in("mk").matmul(in("kn")).relu().sum({.axis = 1}); }},
    {"column sums after",         {f32},       mkn,                 2, [](Inputs& in) { return in("mk").matmul(in("kn")).relu().sum({.axis = 0}); }},
    {"greatest column after",     {f32},       mkn,                 2, [](Inputs& in) { return in("mk").matmul(in("kn")).max({.axis = 1}); }},
    {"gated unit",                few,         "m512 k256 n512",    4, [](Inputs& in) { const Tensor x = in("mk"); return x.matmul(in("kn")).silu() * x.matmul(in("kn")); }},
    {"distances",                 {f32},       mkn,                 3, [](Inputs& in) { return (in("m1k") - in("1nk")).square().sum({.axis = 2}); }},
    {"absolute distances",        {f32},       mkn,                 2, [](Inputs& in) { return (in("m1k") - in("1nk")).abs().sum({.axis = 2}); }},
    {"max-plus product",          {f32},       mkn,                 2, [](Inputs& in) { return (in("m1k") + in("1nk")).max({.axis = 2}); }},
    {"product of three",          {f32},       mkn,                 3, [](Inputs& in) { return (in("m1k") * in("1nk") * in("11k")).sum({.axis = 2}); }},
  }, true};
}

Group convolutions() {
  const std::vector<DType> few = {f32, bf16, f16};
  return {"convolutions", {
    {"3x3",                            few,   "n4 c64 o64 h32 w32",     18, [](Inputs& in) { return in("nchw").conv2d(in("oc33"), {.padding = {1}}); }},
    {"3x3, int8",                      {i8},  "n4 c64 o64 h32 w32",     18, [](Inputs& in) { return wide(in("nchw")).conv2d(wide(in("oc33")), {.padding = {1}}); }},
    {"3x3 without padding",            {f32}, "n4 c64 o64 h30 w30",     18, [](Inputs& in) { return in("nc(h+2)(w+2)").conv2d(in("oc33")); }},
    {"3x3, odd extents",               {f32}, "n3 c61 o67 h29 w37",     18, [](Inputs& in) { return in("nchw").conv2d(in("oc33"), {.padding = {1}}); }},
    {"3x3, stride 2",                  few,   "n4 c64 o128 h28 w28",    18, [](Inputs& in) { return in("nc(2h)(2w)").conv2d(in("oc33"), {.stride = {2}, .padding = {1}}); }},
    {"3x3, dilation 2",                {f32}, "n4 c64 o64 h32 w32",     18, [](Inputs& in) { return in("nchw").conv2d(in("oc33"), {.dilation = {2}, .padding = {2}}); }},
    {"1x1",                            few,   "n8 c256 o256 h16 w16",   2, [](Inputs& in) { return in("nchw").conv2d(in("oc11")); }},
    {"1x1, stride 2",                  {f32}, "n8 c256 o256 h16 w16",   2, [](Inputs& in) { return in("nc(2h)(2w)").conv2d(in("oc11"), {.stride = {2}}); }, 0.6},
    {"5x5",                            {f32}, "n8 c32 o32 h28 w28",     50, [](Inputs& in) { return in("nchw").conv2d(in("oc55"), {.padding = {2}}); }},
    {"7x7, stride 2, three channels",  {f32}, "n2 c3 o64 h112 w112",    98, [](Inputs& in) { return in("nc(2h)(2w)").conv2d(in("oc77"), {.stride = {2}, .padding = {3}}); }},
    {"four groups",                    {f32}, "n8 g4 c32 o32 h28 w28",  18, [](Inputs& in) { return in("n(gc)hw").conv2d(in("(go)c33"), {.groups = in['g'], .padding = {1}}); }},
    {"32 groups",                      {f32}, "n8 g32 c8 o8 h28 w28",   18, [](Inputs& in) { return in("n(gc)hw").conv2d(in("(go)c33"), {.groups = in['g'], .padding = {1}}); }},
    {"one axis, 9 taps",               {f32}, "n8 c128 o128 w512",      18, [](Inputs& in) { return in("ncw").conv2d(in("oc9"), {.padding = {4}}); }},
    {"three axes, 3x3x3",              {f32}, "n2 c16 o32 d16 h16 w32", 54, [](Inputs& in) { return in("ncdhw").conv2d(in("oc333"), {.padding = {1}}); }},
    {"3x3 after relu",                 {f32}, "n4 c64 o64 h32 w32",     18, [](Inputs& in) { return in("nchw").relu().conv2d(in("oc33"), {.padding = {1}}); }},
    {"3x3 after batch norm and relu",  {f32}, "n4 c64 o64 h32 w32",     18, [](Inputs& in) { return (in("nchw") * in("c11") + in("c11")).relu().conv2d(in("oc33"), {.padding = {1}}); }},
    {"3x3, bias, residual, relu",      {f32}, "n4 c64 o64 h32 w32",     18, [](Inputs& in) { return (in("nchw").conv2d(in("oc33"), {.padding = {1}}) + in("o11") + in("nohw")).relu(); }},
    {"3x3, then 2x2 maxima",           {f32}, "n4 c64 o64 h16 w16",     72, [](Inputs& in) { return in("nc(2h)(2w)").conv2d(in("oc33"), {.padding = {1}}).relu().max_pool2d(); }},
    {"3x3, channels last",             few,   "n4 c64 o64 h32 w32",     18, [](Inputs& in) { return in("nhwc").permute({0, 3, 1, 2}).conv2d(in("33co").permute({3, 2, 0, 1}), {.padding = {1}}).permute({0, 2, 3, 1}).contiguous(); }},
    {"3x3 of an enlarged image",       {f32}, "n4 c64 o64 h16 w16",     72, [](Inputs& in) { return in("nch1w1").expand(in["nch2w2"]).reshape(in["nc(2h)(2w)"]).conv2d(in("oc33"), {.padding = {1}}); }},
    {"3x3 of joined channels",         {f32}, "n4 c32 o64 h32 w32",     36, [](Inputs& in) { return Tensor::cat({in("nchw"), in("nchw")}, 1).conv2d(in("o(2c)33"), {.padding = {1}}); }},
    {"transposed 2x2, stride 2",       few,   "n4 c128 o64 h32 w32",    8, [](Inputs& in) { return in("nchw").conv_transpose2d(in("co22"), {.stride = {2}}); }},
    {"transposed 4x4, stride 2",       few,   "n4 c128 o64 h16 w16",    32, [](Inputs& in) { return in("nchw").conv_transpose2d(in("co44"), {.stride = {2}, .padding = {1}}); }},
    {"transposed 3x3",                 {f32}, "n4 c64 o64 h32 w32",     18, [](Inputs& in) { return in("nchw").conv_transpose2d(in("co33"), {.padding = {1}}); }},
    {"weights' gradient 3x3",          {f32}, "n8 c64 o64 h28 w28",     18, [](Inputs& in) { const Tensor x = in("nchw"), w = in("oc33"); return x.conv2d(w, {.padding = {1}}).gradient({w}, in("nohw"))[0]; }},
    {"image's gradient 3x3, stride 2", {f32}, "n4 c64 o128 h28 w28",    18, [](Inputs& in) { const Tensor x = in("nc(2h)(2w)"), w = in("oc33"); return x.conv2d(w, {.stride = {2}, .padding = {1}}).gradient({x}, in("nohw"))[0]; }},
  }, true};
}

Group attention() {
  const std::vector<DType> few = {f32, bf16, f16};
  return {"attention", {
    {"scores",                 few,   "b2 h6 q384 k384 d64", 2, [](Inputs& in) { return in("bhqd").matmul(in("bhkd").transpose(2, 3)) * 0.125; }},
    {"scores of merged heads", few,   "b2 h6 q384 k384 d64", 2, [](Inputs& in) { return in("bq(hd)").reshape(in["bqhd"]).transpose(1, 2).matmul(in("bk(hd)").reshape(in["bkhd"]).permute({0, 2, 3, 1})); }},
    {"values",                 few,   "b2 h6 q384 k384 d64", 2, [](Inputs& in) { return in("bhqk").matmul(in("bhkd")); }},
    {"values to merged heads", few,   "b2 h6 q384 k384 d64", 2, [](Inputs& in) { return in("bhqk").matmul(in("bhkd")).transpose(1, 2).reshape(in["bq(hd)"]).contiguous(); }},
    {"softmax of scores",      {f32}, "b2 h6 q384 k384 d64", 2 + kExp / 64, [](Inputs& in) { return (in("bhqd").matmul(in("bhkd").transpose(2, 3)) * 0.125).softmax(); }},
    {"whole",                  few,   "b1 h6 q384 k384 d64", 4 + kExp / 64, [](Inputs& in) { return (in("bhqd").matmul(in("bhkd").transpose(2, 3)) * 0.125).softmax().matmul(in("bhkd")); }},
    {"whole, causal",          {f32}, "b1 h6 q384 k384 d64", 2 + kExp / 128, [](Inputs& in) { return masked(in("bhqd").matmul(in("bhkd").transpose(2, 3)) * 0.125).softmax().matmul(in("bhkd")); }},
    {"whole, a bias",          {f32}, "b1 h6 q384 k384 d64", 4 + kExp / 64, [](Inputs& in) { return (in("bhqd").matmul(in("bhkd").transpose(2, 3)) + in("hqk")).softmax().matmul(in("bhkd")); }},
    {"one query, long memory", {f32}, "b4 h16 k4096 d64",    4 + kExp / 64, [](Inputs& in) { return in("bh1d").matmul(in("bhkd").transpose(2, 3)).softmax().matmul(in("bhkd")); }},
    {"linear",                 {f32}, "b2 h8 k2048 d64 e64", 4, [](Inputs& in) { return in("bhkd").relu().matmul(in("bhkd").relu().transpose(2, 3).matmul(in("bhke"))); }},
  }, true};
}

// clang-format on

}  // namespace tg::cliffs
