// Views that must be copied, reductions over every choice of axes, and gather and scatter with
// every way to combine, with places outside. Reductions are of small integers, so that their order
// does not matter.
#include <fmt/format.h>

#include "suite.h"

namespace tg::conformance {
namespace {

constexpr std::array kMoved = {DType::Bool,    DType::UInt8,   DType::Int16, DType::Float16,
                               DType::Float32, DType::Float64, DType::Int64, DType::Fp8E4M3};
constexpr std::array kSummed = {DType::Int32,    DType::UInt8,   DType::Int64,  DType::Float16,
                                DType::BFloat16, DType::Float32, DType::Float64};

const Shape kShape = {5, 6, 7};

struct View {
  const char* name;
  UOp (*make)(const UOp& x);
};

Scalar two(const UOp& x) { return Scalar::of_int(is_bool(x.dtype()) ? 1 : 2, x.dtype()); }

const View kViews[] = {
    {"reshape", [](const UOp& x) { return reshape(x, {15, 14}); }},
    {"permute", [](const UOp& x) { return permute(x, std::vector<int64_t>{2, 0, 1}); }},
    {"expand", [](const UOp& x) { return expand(reshape(x, {5, 1, 6, 7}), {5, 3, 6, 7}); }},
    {"pad", [](const UOp& x) { return pad(x, std::vector<int64_t>{1, 0, 0, 2, 3, 1}, two(x)); }},
    {"shrink", [](const UOp& x) { return shrink(x, std::vector<int64_t>{1, 3, 0, 6, 2, 4}); }},
    {"flip", [](const UOp& x) { return flip(x, std::vector<int64_t>{0, 2}); }},
    {"shear", [](const UOp& x) { return shear(x, 0, 1, 2, -3, 9, two(x)); }},
    {"offset", [](const UOp& x) { return offset(x, 1, index_const(4), 5); }},
    {"shrink_of_permute_of_pad",
     [](const UOp& x) {
       const UOp padded = pad(x, std::vector<int64_t>{0, 1, 2, 0, 1, 1}, two(x));
       const UOp turned = permute(padded, std::vector<int64_t>{1, 2, 0});
       return shrink(turned, std::vector<int64_t>{1, 6, 0, 8, 2, 4});
     }},
};

void add_views(Suite& suite, const Settings& s, const Target& target) {
  for (const View& view : kViews) {
    for (const DType t : kMoved) {
      const auto make = view.make;
      suite.graphs.push_back(
          {fmt::format("view.{}.{}", view.name, dtype_name(t)),
           {},
           [=, seed = s.seed](Device& d) {
             Graph g;
             const double high = is_bool(t) ? 2 : 9;
             g.roots = {copied(make(leaf(g, d, random_value(kShape, t, 0, high, seed))))};
             return g;
           },
           lacks(target, t)});
    }
  }
}

const char* reduce_name(ReduceOp op) {
  return op == ReduceOp::Add ? "add" : op == ReduceOp::Mul ? "mul" : "max";
}

void add_reduction(Suite& suite, const Settings& s, const Target& target, const Shape& shape,
                   ReduceOp op, DType t, const std::vector<int64_t>& axes) {
  // Factors are 1 and −1, terms at most 3 with signs at random, so that every partial sum is exact.
  const bool product = op == ReduceOp::Mul;
  suite.graphs.push_back(
      {fmt::format("reduce.{}.{}.{}_of_{}", reduce_name(op), dtype_name(t), fmt::join(axes, "_"),
                   fmt::join(shape, "x")),
       {},
       [=, seed = s.seed](Device& d) {
         Graph g;
         const TensorValue signs = random_value(shape, DType::Int32, 0, 2, seed + 1);
         TensorValue v = random_value(shape, t, 0, product ? 2 : 4, seed);
         for (int64_t i = 0; i < v.numel(); ++i) {
           const auto whole = static_cast<int64_t>(v.at(i).as_double());
           const int64_t sign = is_unsigned(t) || signs.at(i).as_double() == 0 ? 1 : -1;
           v.set(i, Scalar::of_int(product ? (whole == 0 ? 1 : sign) : sign * whole, t));
         }
         g.roots = {reduce(leaf(g, d, v), op, axes)};
         return g;
       },
       lacks(target, t)});
}

void add_reductions(Suite& suite, const Settings& s, const Target& target) {
  const std::vector<std::vector<int64_t>> axes = {{0}, {1}, {2}, {0, 2}, {1, 2}, {0, 1, 2}};
  for (const ReduceOp op : {ReduceOp::Add, ReduceOp::Mul, ReduceOp::Max}) {
    for (const DType t : kSummed) {
      for (const auto& a : axes) add_reduction(suite, s, target, {9, 6, 11}, op, t, a);
    }
    for (const DType t : {DType::Float32, DType::Int32}) {
      add_reduction(suite, s, target, {3, 20001}, op, t, {1});
      add_reduction(suite, s, target, {20001, 3}, op, t, {0});
    }
  }
}

const char* combine_name(Combine how) {
  constexpr std::array kNames = {"set", "add", "mul", "max"};
  return kNames[static_cast<size_t>(how)];
}

void add_indexing(Suite& suite, const Settings& s, const Target& target) {
  for (const DType t : {DType::Float32, DType::Int32, DType::UInt8, DType::Float16}) {
    for (int axis = 0; axis < 3; ++axis) {
      // From one before the axis to one behind it.
      const auto places = [=, seed = s.seed](Graph& g, Device& d) {
        Shape shape = kShape;
        shape[static_cast<size_t>(axis)] = 4;
        const auto extent = static_cast<double>(kShape[static_cast<size_t>(axis)]);
        return leaf(g, d, random_value(shape, DType::Int32, -1.99, extent + 0.99, seed + 5));
      };
      suite.graphs.push_back({fmt::format("gather.{}.axis{}", dtype_name(t), axis),
                              {},
                              [=, seed = s.seed](Device& d) {
                                Graph g;
                                const UOp x = leaf(g, d, random_value(kShape, t, 0, 9, seed));
                                g.roots = {gather(x, places(g, d), axis)};
                                return g;
                              },
                              lacks(target, t)});
      for (const Combine how : {Combine::Set, Combine::Add, Combine::Mul, Combine::Max}) {
        suite.graphs.push_back(
            {fmt::format("scatter.{}.{}.axis{}", combine_name(how), dtype_name(t), axis),
             {},
             [=, seed = s.seed](Device& d) {
               Graph g;
               // Whole numbers: the order of sums does not matter.
               const UOp x = cast(leaf(g, d, random_value(kShape, DType::Int32, 0, 3, seed)), t);
               const UOp where_to = places(g, d);
               const UOp v = cast(
                   leaf(g, d, random_value(where_to.shape_vec(), DType::Int32, 0, 3, seed + 9)), t);
               g.roots = {scatter(x, where_to, v, axis, how)};
               return g;
             },
             lacks(target, t)});
      }
    }
  }
}

}  // namespace

void add_movement_cases(Suite& suite, const Settings& s) {
  const Target& target = device(s.device).target();
  add_views(suite, s, target);
  add_reductions(suite, s, target);
  add_indexing(suite, s, target);
}

}  // namespace tg::conformance
