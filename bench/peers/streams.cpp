// Work that memory bounds: elementwise expressions, reductions, scans, sorts and moves.
#include "kinds.h"

namespace tg::peers {
namespace {

Expression copy(Sizes n) {
  return [x = data({n[0]})] { return x.clone(); };
}

Expression chain(Sizes n) {
  return [x = data({n[0]})] { return (x * 2 + 1).relu() * x.sigmoid() + (-(x * x)).exp(); };
}

Expression sum(Sizes n) {
  return [x = data({n[0]})] { return x.sum(); };
}

Expression sum_axis(Sizes n) {
  return [x = data({n[0], n[1]}), axis = n[2]] { return x.sum({.axis = axis}); };
}

Expression softmax(Sizes n) {
  return [x = data({n[0], n[1]})] { return x.softmax(); };
}

Expression layer_norm(Sizes n) {
  return [x = data({n[0], n[1]}), weight = data({n[1]}), bias = data({n[1]})] {
    return x.layer_norm({.weight = &weight, .bias = &bias});
  };
}

Expression transpose(Sizes n) {
  return [x = data({n[0], n[1]})] { return x.transpose().contiguous(); };
}

// Over the middle one of three axes.
Expression softmax_middle(Sizes n) {
  return [x = data({n[0], n[1], n[2]})] { return x.softmax(1); };
}

Expression cumsum(Sizes n) {
  return [x = data({n[0], n[1]})] { return x.cumsum(1); };
}

Call sort(Sizes n) {
  return [x = data({n[0], n[1]})] {
    auto [values, places] = x.sort();
    finish_all({values, places});
  };
}

Call topk(Sizes n) {
  return [x = data({n[0], n[1]}), k = n[2]] {
    auto [values, places] = x.topk(k);
    finish_all({values, places});
  };
}

Expression argmax(Sizes n) {
  return [x = data({n[0], n[1]})] { return x.argmax({.axis = 1}); };
}

// Rows of a table, by number.
Expression gather(Sizes n) {
  return
      [table = data({n[0], n[1]}),
       rows = Tensor::randint({n[2]}, {.low = 0, .high = n[0]}).realize()] { return table[rows]; };
}

// [a, b, c, d] to [a, c, b, d], as attention turns heads.
Expression permute(Sizes n) {
  return [x = data({n[0], n[1], n[2], n[3]})] { return x.permute({0, 2, 1, 3}).contiguous(); };
}

}  // namespace

Kinds streams() {
  return {{"copy", expression(1, copy)},
          {"chain", expression(1, chain)},
          {"sum", expression(1, sum)},
          {"sum_axis", expression(3, sum_axis)},
          {"softmax", expression(2, softmax)},
          {"softmax_middle", expression(3, softmax_middle)},
          {"layer_norm", expression(2, layer_norm)},
          {"transpose", expression(2, transpose)},
          {"cumsum", expression(2, cumsum)},
          {"sort", call(2, sort)},
          {"topk", call(3, topk)},
          {"argmax", expression(2, argmax)},
          {"gather", expression(3, gather)},
          {"permute", expression(4, permute)}};
}

}  // namespace tg::peers
