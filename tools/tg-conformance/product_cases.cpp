// Matrix products and convolutions of sizes that are and are not multiples of anything, in every
// dtype that has products, with their gradients; and contractions drawn at random whose small whole
// numbers make every order of additions give the same.
#include <fmt/format.h>

#include <map>
#include <random>

#include "suite.h"
#include "support/spacing.h"

namespace tg::conformance {
namespace {

Tolerance tolerance_of(DType t) {
  if (!is_float(t)) return {};
  // Sums of up to 128 terms, whose partial sums are larger than what is left of them.
  return {16 * test::spacing(t), (dtype_size(t) >= 4 ? 512 : 64) * test::spacing(t)};
}

Tensor numbers(const Shape& shape, DType t) {
  return is_float(t) ? Tensor::uniform(shape, {.low = -1, .high = 1}).cast(t)
                     : Tensor::randint(shape, {.low = -5, .high = 6}).cast(t);
}

void add_matmul(Suite& suite, const Shape& a, const Shape& b, DType t) {
  suite.programs.push_back(
      {fmt::format("matmul.{}.{}_by_{}", dtype_name(t), fmt::join(a, "x"), fmt::join(b, "x")),
       tolerance_of(t),
       [=] {
         const Tensor x = numbers(a, t).realize(), y = numbers(b, t).realize();
         const Tensor z = x.matmul(y);
         std::vector<Tensor> out = {z};
         if (is_float(t)) {
           for (const Tensor& g : z.square().sum().gradient({x, y})) out.push_back(g);
         }
         return out;
       },
       t});
}

struct Convolution {
  const char* name;
  Shape input, weight;
  int64_t groups, stride, dilation, padding;
};

void add_convolution(Suite& suite, const Convolution& c, DType t) {
  suite.programs.push_back({fmt::format("conv.{}.{}", dtype_name(t), c.name), tolerance_of(t),
                            [=] {
                              const Tensor x = numbers(c.input, t).realize();
                              const Tensor w = numbers(c.weight, t).realize();
                              const Tensor y = x.conv2d(w, {.groups = c.groups,
                                                            .stride = c.stride,
                                                            .dilation = c.dilation,
                                                            .padding = c.padding});
                              std::vector<Tensor> out = {y};
                              for (const Tensor& g : y.square().mean().gradient({x, w}))
                                out.push_back(g);
                              return out;
                            },
                            t});
}

// ---- products of narrow elements, widened, as dot instructions take them
struct Contraction {
  std::string_view left, right, out;
};
constexpr Contraction kContractions[] = {
    {"mk", "kn", "mn"},    {"mk", "nk", "mn"},    {"km", "kn", "mn"},   {"km", "nk", "nm"},
    {"bmk", "bkn", "bmn"}, {"mbk", "kbn", "mbn"}, {"mkl", "kln", "mn"}, {"mkl", "lkn", "mn"}};

class DrawnContraction {
 public:
  explicit DrawnContraction(uint64_t seed) : rng_(seed) {}

  std::vector<Tensor> run(DType left, DType right) {
    const Contraction& c = one_of(kContractions);
    for (const char axis : {'b', 'm', 'n'}) sizes_[axis] = axis == 'b' ? 3 : one_of(kRows);
    for (const char axis : {'k', 'l'}) sizes_[axis] = one_of(kTerms);
    const Tensor x = operand(c.left, left), y = operand(c.right, right);
    return {Tensor::einsum(fmt::format("{},{}->{}", c.left, c.right, c.out), {x, y})};
  }

 private:
  static constexpr int64_t kRows[] = {12, 16, 17, 32, 48, 65}, kTerms[] = {2, 4, 8, 9, 16};

  template <typename T, size_t N>
  const T& one_of(const T (&list)[N]) {
    return list[rng_() % N];
  }

  // In float32 or int32; one of its axes may run backwards, or over every second element.
  Tensor operand(std::string_view axes, DType t) {
    Shape shape;
    for (const char axis : axes) shape.push_back(sizes_.at(axis));
    const size_t turned = rng_() % shape.size();
    const uint64_t way = rng_() % 4;
    std::vector<IndexItem> items(shape.size(), Slice());
    if (way == 2) items[turned] = Slice({}, {}, -1);
    if (way == 3) {
      shape[turned] *= 2;
      items[turned] = Slice({}, {}, 2);
    }
    const Tensor wide = Tensor::randint(shape, {.low = is_unsigned(t) ? 0 : -5, .high = 6});
    const Tensor stored = wide.cast(t).realize();
    return stored[items].cast(is_float(t) ? DType::Float32 : DType::Int32);
  }

  std::mt19937_64 rng_;
  std::map<char, int64_t> sizes_;
};

void add_contractions(Suite& suite, uint64_t seed) {
  constexpr uint64_t kOfEach = 4;
  const std::pair<DType, DType> factors[] = {{DType::Int8, DType::Int8},
                                             {DType::UInt8, DType::Int8},
                                             {DType::Int8, DType::UInt8},
                                             {DType::BFloat16, DType::BFloat16},
                                             {DType::Float16, DType::Float16}};
  for (const auto& [left, right] : factors) {
    for (uint64_t i = 0; i < kOfEach; ++i) {
      suite.programs.push_back(
          {fmt::format("contraction.{}_by_{}.{}", dtype_name(left), dtype_name(right), i),
           {},
           [=] { return DrawnContraction(seed * kOfEach + i).run(left, right); },
           is_float(left) ? DType::Float32 : DType::Int32});
    }
  }
}

}  // namespace

void add_product_cases(Suite& suite, const Settings& settings) {
  add_contractions(suite, settings.seed);
  const std::pair<Shape, Shape> products[] = {{{1, 1}, {1, 1}},      {{5, 7}, {7, 3}},
                                              {{33, 65}, {65, 17}},  {{64, 64}, {64, 64}},
                                              {{1, 128}, {128, 70}}, {{70, 128}, {128, 1}},
                                              {{3, 9, 5}, {5, 8}},   {{2, 1, 6, 4}, {3, 4, 6}}};
  for (const auto& [a, b] : products) {
    for (const DType t : {DType::Float32, DType::Int32}) add_matmul(suite, a, b, t);
  }
  for (const DType t : {DType::Float16, DType::BFloat16, DType::Float64})
    add_matmul(suite, {17, 19}, {19, 18}, t);
  const Convolution convolutions[] = {{"1x1", {2, 5, 7, 7}, {6, 5, 1, 1}, 1, 1, 1, 0},
                                      {"3x3_padded", {2, 3, 9, 8}, {4, 3, 3, 3}, 1, 1, 1, 1},
                                      {"5x5_strided", {1, 2, 13, 13}, {3, 2, 5, 5}, 1, 2, 1, 2},
                                      {"3x3_dilated", {1, 3, 11, 11}, {2, 3, 3, 3}, 1, 1, 2, 0},
                                      {"grouped", {2, 6, 7, 7}, {4, 3, 3, 3}, 2, 1, 1, 1},
                                      {"depthwise", {1, 5, 8, 8}, {5, 1, 3, 3}, 5, 1, 1, 1},
                                      {"one_dimension", {2, 3, 20}, {4, 3, 5}, 1, 2, 1, 1}};
  for (const Convolution& c : convolutions) add_convolution(suite, c, DType::Float32);
  for (const DType t : {DType::Float16, DType::Float64}) add_convolution(suite, convolutions[1], t);
}

}  // namespace tg::conformance
