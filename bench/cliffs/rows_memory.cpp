// Tables of kernels that memory bounds, or that touch each element a few times: stencils,
// reductions, softmax and normalisation, scans, gathers, copies. What a line says: row.h.
#include "row.h"

namespace tg::cliffs {
namespace {

// Sum of the 3×3 neighbours of [.., h + 2, w + 2], by slices.
Tensor box_filter(const Tensor& x) {
  const int64_t h = x.size(-2) - 2, w = x.size(-1) - 2;
  std::vector<Tensor> shifted;
  for (int64_t i = 0; i < 3; ++i) {
    for (int64_t j = 0; j < 3; ++j)
      shifted.push_back(x[{Ellipsis, Slice(i, i + h), Slice(j, j + w)}]);
  }
  return Tensor::usum(shifted);
}

Tensor laplace(const Tensor& x) {
  const auto at = [&](int64_t i, int64_t j) {
    return x[{Slice(i, x.size(0) - 2 + i), Slice(j, x.size(1) - 2 + j)}];
  };
  return at(0, 1) + at(2, 1) + at(1, 0) + at(1, 2) - 4 * at(1, 1);
}

// Sums of `width` neighbours.
Tensor window_sum(const Tensor& x, int64_t width) {
  std::vector<Tensor> parts;
  for (int64_t i = 0; i < width; ++i) parts.push_back(x[Slice(i, x.size(0) - width + 1 + i)]);
  return Tensor::usum(parts);
}

Tensor sum_over(Inputs& in, const Axes& axes) { return in("abcd").sum({.axis = axes}); }

}  // namespace

// Tables are read in columns.
// clang-format off

Group stencils() {
  const std::vector<DType> few = {f32, bf16};
  const char* const nchw = "n32 c32 h128 w128";
  return {"stencils", {
    {"depthwise 3x3",                few,             nchw,              18, [](Inputs& in) { return in("nchw").conv2d(in("c133"), {.groups = in['c'], .padding = {1}}); }},
    {"depthwise 7x7",                few,             "n4 c96 h56 w56",  98, [](Inputs& in) { return in("nchw").conv2d(in("c177"), {.groups = in['c'], .padding = {3}}); }},
    {"depthwise 3x3, stride 2",      {f32},           "n32 c32 h64 w64", 18, [](Inputs& in) { return in("nc(2h)(2w)").conv2d(in("c133"), {.groups = in['c'], .stride = {2}, .padding = {1}}); }},
    {"depthwise 5x5, channels last", {f32},           "n16 c64 h64 w64", 50, [](Inputs& in) { return in("nhwc").permute({0, 3, 1, 2}).conv2d(in("c155"), {.groups = in['c'], .padding = {2}}).permute({0, 2, 3, 1}).contiguous(); }},
    {"depthwise, one axis, 4 taps",  {f32},           "n8 c256 w2048",   8, [](Inputs& in) { return in("nc(w+3)").conv2d(in("c14"), {.groups = in['c']}); }},
    {"box filter by slices",         {f32, f64, i32}, "h2048 w2048",     8, [](Inputs& in) { return box_filter(in("(h+2)(w+2)")); }},
    {"box filter of a batch",        {f32},           nchw,              8, [](Inputs& in) { return box_filter(in("nc(h+2)(w+2)")); }},
    {"laplace operator",             {f32, f64},      "h2048 w2048",     5, [](Inputs& in) { return laplace(in("(h+2)(w+2)")); }},
    {"2x2 maxima",                   few,             nchw,              1, [](Inputs& in) { return in("nchw").max_pool2d(); }},
    {"3x3 maxima, stride 2",         {f32},           "n32 c32 h64 w64", 8, [](Inputs& in) { return in("nc(2h)(2w)").max_pool2d({.kernel_size = {3, 3}, .stride = {2}, .padding = {1}}); }},
    {"3x3 maxima, stride 1",         {f32},           nchw,              4, [](Inputs& in) { return in("nchw").max_pool2d({.kernel_size = {3, 3}, .stride = {1}, .padding = {1}}); }},
    {"2x2 means",                    few,             nchw,              1, [](Inputs& in) { return in("nchw").avg_pool2d(); }},
    {"5x5 means, stride 1",          {f32},           nchw,              4, [](Inputs& in) { return in("nchw").avg_pool2d({.kernel_size = {5, 5}, .stride = {1}, .padding = {2}}); }},
    {"means of images",              {f32},           nchw,              1, [](Inputs& in) { return in("nchw").mean({.axis = {2, 3}}); }},
    {"gradient of 2x2 maxima",       {f32},           "n32 c32 h64 w64", 4, [](Inputs& in) { const Tensor x = in("nc(2h)(2w)"); return x.max_pool2d().gradient({x}, in("nchw"))[0]; }},
  }};
}

Group reductions() {
  const std::vector<DType> all = {f32, f64, f16, bf16, i8, i32}, few = {f32, bf16};
  const char* const abcd = "a80 b64 c64 d128";
  return {"reductions and softmax", {
    {"sum of all",                          all,                   abcd,               1, [](Inputs& in) { return sum_over(in, {0, 1, 2, 3}); }},
    {"sum over 0",                          {f32},                 abcd,               1, [](Inputs& in) { return sum_over(in, {0}); }},
    {"sum over 1",                          {f32},                 abcd,               1, [](Inputs& in) { return sum_over(in, {1}); }},
    {"sum over 2",                          {f32},                 abcd,               1, [](Inputs& in) { return sum_over(in, {2}); }},
    {"sum over 3",                          all,                   abcd,               1, [](Inputs& in) { return sum_over(in, {3}); }},
    {"sum over 0, 1",                       all,                   abcd,               1, [](Inputs& in) { return sum_over(in, {0, 1}); }},
    {"sum over 0, 2",                       {f32},                 abcd,               1, [](Inputs& in) { return sum_over(in, {0, 2}); }},
    {"sum over 0, 3",                       {f32},                 abcd,               1, [](Inputs& in) { return sum_over(in, {0, 3}); }},
    {"sum over 1, 2",                       {f32},                 abcd,               1, [](Inputs& in) { return sum_over(in, {1, 2}); }},
    {"sum over 1, 3",                       {f32},                 abcd,               1, [](Inputs& in) { return sum_over(in, {1, 3}); }},
    {"sum over 2, 3",                       {f32},                 abcd,               1, [](Inputs& in) { return sum_over(in, {2, 3}); }},
    {"sum over 0, 1, 2",                    few,                   abcd,               1, [](Inputs& in) { return sum_over(in, {0, 1, 2}); }},
    {"sum over 0, 1, 3",                    {f32},                 abcd,               1, [](Inputs& in) { return sum_over(in, {0, 1, 3}); }},
    {"sum over 0, 2, 3",                    few,                   abcd,               1, [](Inputs& in) { return sum_over(in, {0, 2, 3}); }},
    {"sum over 1, 2, 3",                    {f32},                 abcd,               1, [](Inputs& in) { return sum_over(in, {1, 2, 3}); }},
    {"sum over a short last axis",          {f32},                 "a2097152 b7",      1, [](Inputs& in) { return in("ab").sum({.axis = 1}); }},
    {"sum over a short first axis",         {f32},                 "a7 b2097152",      1, [](Inputs& in) { return in("ab").sum({.axis = 0}); }},
    {"greatest of all",                     {f32, i8},             abcd,               1, [](Inputs& in) { return in("abcd").max(); }},
    {"greatest of columns",                 {f32},                 "a4096 b4096",      1, [](Inputs& in) { return in("ab").max({.axis = 0}); }},
    {"place of the greatest of rows",       {f32},                 "a4096 b4096",      1, [](Inputs& in) { return in("ab").argmax({.axis = 1}); }},
    {"place of the greatest of columns",    {f32},                 "a4096 b4096",      1, [](Inputs& in) { return in("ab").argmax({.axis = 0}); }},
    {"product of columns",                  {f32},                 "a4096 b4096",      1, [](Inputs& in) { return in("ab").prod({.axis = 0}); }},
    {"any of rows",                         {i8},                  "a8192 b8192",      1, [](Inputs& in) { return (in("ab") > 6).any({.axis = 1}); }},
    {"variance of rows",                    {f32},                 "a4096 b4096",      4, [](Inputs& in) { return in("ab").var({.axis = 1}); }},
    {"variance of columns",                 {f32},                 "a4096 b4096",      4, [](Inputs& in) { return in("ab").var({.axis = 0}); }},
    {"variance over 0, 2, 3",               {f32},                 abcd,               4, [](Inputs& in) { return in("abcd").var({.axis = {0, 2, 3}}); }},
    {"norm of all",                         {f32},                 abcd,               2, [](Inputs& in) { return in("abcd").square().sum().sqrt(); }},
    {"logsumexp of rows",                   {f32},                 "a4096 b4096",      kExp, [](Inputs& in) { return in("ab").logsumexp({.axis = 1}); }},
    {"softmax of rows",                     {f32, f64, f16, bf16}, "a4096 b2048",      kExp, [](Inputs& in) { return in("ab").softmax(1); }},
    {"softmax of columns",                  few,                   "a4096 b2048",      kExp, [](Inputs& in) { return in("ab").softmax(0); }},
    {"softmax of a middle axis",            {f32},                 "a64 b1000 c128",   kExp, [](Inputs& in) { return in("abc").softmax(1); }},
    {"softmax of a middle axis, few after", {f32},                 "a1024 b1000 c7",   kExp, [](Inputs& in) { return in("abc").softmax(1); }},
    {"softmax of short rows",               {f32},                 "a1000000 b10",     kExp, [](Inputs& in) { return in("ab").softmax(1); }},
    {"softmax of long rows",                {f32},                 "a16 b524288",      kExp, [](Inputs& in) { return in("ab").softmax(1); }},
    {"log softmax of rows",                 {f32},                 "a4096 b2048",      kExp, [](Inputs& in) { return in("ab").log_softmax(); }},
    {"cross entropy",                       {f32},                 "a512 b32000",      kExp, [](Inputs& in) { return in("ab").cross_entropy(in.places("a", in['b'])); }},
    {"layer norm",                          {f32, f16, bf16},      "a8192 b1024",      6, [](Inputs& in) { const Tensor w = in("b"), b = in("b"); return in("ab").layer_norm({.weight = &w, .bias = &b}); }},
    {"layer norm of columns",               {f32},                 "a1024 b8192",      6, [](Inputs& in) { return in("ab").layer_norm({.axis = {0}}); }},
    {"rms norm",                            few,                   "a8192 b1024",      4, [](Inputs& in) { const Tensor w = in("b"); return in("ab").rms_norm({.weight = &w}); }},
    {"group norm",                          {f32},                 "n8 c64 h128 w128", 6, [](Inputs& in) { return in("nchw").group_norm(4); }},
    {"batch norm, training",                {f32},                 "n8 c64 h128 w128", 6, [](Inputs& in) { return in("nchw").batch_norm({.training = true}); }},
    {"gradient of softmax",                 {f32},                 "a4096 b2048",      kExp, [](Inputs& in) { const Tensor x = in("ab"); return x.softmax(1).gradient({x}, in("ab"))[0]; }},
    {"gradient of layer norm",              {f32},                 "a8192 b1024",      8, [](Inputs& in) { const Tensor x = in("ab"); return x.layer_norm().gradient({x}, in("ab"))[0]; }},
  }};
}

Group scans() {
  return {"scans", {
    {"running sums of rows",          {f32, f64, i32, bf16}, "a2048 b4096",    1, [](Inputs& in) { return in("ab").cumsum(1); }},
    {"running sums of columns",       {f32},                 "a4096 b2048",    1, [](Inputs& in) { return in("ab").cumsum(0); }},
    {"running sums of a middle axis", {f32},                 "a64 b1000 c128", 1, [](Inputs& in) { return in("abc").cumsum(1); }},
    {"running sums of long rows",     {f32},                 "a64 b100003",    1, [](Inputs& in) { return in("ab").cumsum(1); }},
    {"running sum of all",            {f32},                 "a8388608",       1, [](Inputs& in) { return in("a").cumsum(0); }},
    {"running products",              {f32},                 "a2048 b4096",    1, [](Inputs& in) { return in("ab").cumprod(1); }},
    {"running maxima",                {f32},                 "a2048 b4096",    1, [](Inputs& in) { return in("ab").cummax(1).first; }},
    {"running maxima of columns",     {f32},                 "a4096 b2048",    1, [](Inputs& in) { return in("ab").cummax(0).first; }},
    {"running logsumexp",             {f32},                 "a1024 b2048",    2 * kExp, [](Inputs& in) { return in("ab").logcumsumexp(1); }},
  }};
}

Group gathers() {
  const std::vector<DType> few = {f32, bf16, i8};
  return {"gathers", {
    {"rows picked",          few,   "t16384 d1024",    0, [](Inputs& in) { return in("td")[in.places("t", in['t'])]; }, 0.64},
    {"short rows picked",    {f32}, "t1048576 d8",     0, [](Inputs& in) { return in("td")[in.places("t", in['t'])]; }, 0.86},
    {"elements picked",      {f32}, "t4194304",        0, [](Inputs& in) { return in("t")[in.places("t", in['t'])]; }},
    {"columns picked",       {f32}, "t4096 d2048",     0, [](Inputs& in) { return in("td")[{Slice(), in.places("d", in['d'])}]; }},
    {"gather along rows",    {f32}, "t4096 d1024",     0, [](Inputs& in) { return in("td").gather(1, in.places("td", in['d'])); }},
    {"gather along columns", {f32}, "t4096 d1024",     0, [](Inputs& in) { return in("td").gather(0, in.places("td", in['t'])); }},
    {"means of bags",        {f32}, "t16384 s8 d1024", 1, [](Inputs& in) { return in("td")[in.places("ts", in['t'])].mean({.axis = 1}); }},
    {"one of each row",      {f32}, "t4194304",        0, [](Inputs& in) { return in("t4").gather(1, in.places("t1", 4)); }},
    {"rows added at places", {f32}, "t4096 d1024",     1, [](Inputs& in) { return in("td").scatter_add(0, in.places("td", in['t']), in("td")); }},
    {"one-hot",              {f32}, "t16384 d512",     0, [](Inputs& in) { return in.places("t", in['d']).one_hot(in['d']); }},
  }};
}

Group movement() {
  const std::vector<DType> all = {f32, f64, bf16, i8};
  return {"copies and elementwise", {
    {"transposed",               all,                  "a4096 b4096",         0, [](Inputs& in) { return in("ab").T().contiguous(); }},
    {"axes 0 2 1",               {f32},                "a64 b512 c512",       0, [](Inputs& in) { return in("abc").permute({0, 2, 1}).contiguous(); }},
    {"axes 2 1 0",               {f32},                "a256 b256 c256",      0, [](Inputs& in) { return in("abc").permute({2, 1, 0}).contiguous(); }},
    {"axes 1 0 2",               {f32},                "a512 b512 c64",       0, [](Inputs& in) { return in("abc").permute({1, 0, 2}).contiguous(); }},
    {"axes 3 1 2 0",             {f32},                "a64 b64 c64 d64",     0, [](Inputs& in) { return in("abcd").permute({3, 1, 2, 0}).contiguous(); }},
    {"axes 4 2 0 3 1",           {f32},                "a32 b16 c64 d32 e16", 0, [](Inputs& in) { return in("abcde").permute({4, 2, 0, 3, 1}).contiguous(); }},
    {"channels last",            {f32},                "n8 c64 h128 w128",    0, [](Inputs& in) { return in("nchw").permute({0, 2, 3, 1}).contiguous(); }},
    {"three channels last",      {i8},                 "n128 c3 h256 w512",   0, [](Inputs& in) { return in("nchw").permute({0, 2, 3, 1}).contiguous(); }},
    {"flipped",                  {f32},                "a4096 b4096",         0, [](Inputs& in) { return in("ab").flip({0, 1}).contiguous(); }},
    {"rolled",                   {f32},                "a4096 b4096",         0, [](Inputs& in) { return in("ab").roll(5, 1).contiguous(); }},
    {"padded",                   {f32},                "a4093 b4091",         0, [](Inputs& in) { return in("ab").pad({{1, 2}, {3, 2}}).contiguous(); }},
    {"mirrored at its border",   {f32},                "n16 c16 h250 w250",   0, [](Inputs& in) { return in("nchw").pad({{0, 0}, {0, 0}, {3, 3}, {3, 3}}, PadMode::Reflect).contiguous(); }},
    {"joined along rows",        {f32},                "a2048 b4096",         0, [](Inputs& in) { return Tensor::cat({in("ab"), in("ab")}, 1); }},
    {"interleaved",              {f32},                "a2048 b4096",         0, [](Inputs& in) { return Tensor::stack({in("ab"), in("ab")}, 2); }},
    {"every second column kept", {f32},                "a4096 b2048",         0, [](Inputs& in) { return in("a(2b)")[{Slice(), Slice({}, {}, 2)}].contiguous(); }},
    {"every second row kept",    {f32},                "a2048 b4096",         0, [](Inputs& in) { return in("(2a)b")[Slice({}, {}, 2)].contiguous(); }, 0.5},
    {"image enlarged twice",     {f32},                "n32 c32 h64 w64",     0, [](Inputs& in) { return in("nch1w1").expand(in["nch2w2"]).reshape(in["nc(2h)(2w)"]).contiguous(); }},
    {"pixels unshuffled",        {f32},                "n32 c32 h64 w64",     0, [](Inputs& in) { return in("nc(2h)(2w)").reshape(in["nch2w2"]).permute({0, 1, 3, 5, 2, 4}).reshape(in["n(4c)hw"]).contiguous(); }},
    {"pixels shuffled",          {f32},                "n32 c32 h64 w64",     0, [](Inputs& in) { return in("n(4c)hw").reshape(in["nc22hw"]).permute({0, 1, 4, 2, 5, 3}).reshape(in["nc(2h)(2w)"]).contiguous(); }},
    {"windows of a signal",      {f32},                "a4194304",            8, [](Inputs& in) { return window_sum(in("(a+8)"), 9); }},
    {"sum of two",               all,                  "a16777216",           1, [](Inputs& in) { return in("a") + in("a"); }},
    {"row added to a matrix",    {f32},                "a4096 b4096",         1, [](Inputs& in) { return in("ab") + in("b"); }},
    {"column added to a matrix", {f32},                "a4096 b4096",         1, [](Inputs& in) { return in("ab") + in("a1"); }},
    {"matrix and its transpose", {f32},                "a4096",               4096, [](Inputs& in) { const Tensor x = in("aa"); return x + x.T(); }},
    {"relu",                     all,                  "a16777216",           1, [](Inputs& in) { return in("a").relu(); }},
    {"gelu",                     {f32, f16, bf16},     "a8388608",            kExp, [](Inputs& in) { return in("a").gelu(); }},
    {"exp",                      {f32, f64},           "a8388608",            kExp, [](Inputs& in) { return in("a").exp(); }},
    {"sin",                      {f32},                "a8388608",            kExp, [](Inputs& in) { return in("a").sin(); }},
    {"cast to bf16",             {f32, f64},           "a16777216",           0, [](Inputs& in) { return in("a").cast(bf16); }},
    {"cast to f32",              {f16, bf16, fp8, i8}, "a16777216",           0, [](Inputs& in) { return in("a").cast(f32); }},
    {"cast to fp8",              {f32},                "a8388608",            0, [](Inputs& in) { return in("a").cast(fp8); }},
    {"selected by a mask",       {f32},                "a16777216",           1, [](Inputs& in) { return (in("a", i8) > 0).where(in("a"), in("a")); }},
    {"lower triangle kept",      {f32},                "a4096 b4096",         0, [](Inputs& in) { return in("ab").tril(); }, 0.5},
    {"rotary embedding",         {f32},                "b4 h8 t4096 d32",     6, [](Inputs& in) { const Tensor x = in("bht(2d)"), c = in("td"), s = in("td"), l = x[{Ellipsis, Slice(0, in['d'])}], r = x[{Ellipsis, Slice(in['d'])}]; return Tensor::cat({l * c - r * s, r * c + l * s}, 3); }},
    {"Adam's step",              {f32},                "a8388608",            12, [](Inputs& in) { const Tensor g = in("a"); return in("a") - 0.01 * (0.9 * in("a") + 0.1 * g) / ((0.999 * in("a").square() + 0.001 * g * g).sqrt() + 1e-8); }},
  }};
}

// clang-format on

}  // namespace tg::cliffs
