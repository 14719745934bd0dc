// Sampling at a grid against a loop over places and corners for each mode and padding, and against
// PyTorch, whose numbers stand here; affine grids; gradients; places that are no numbers.
#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

const GridSamplePadding kPaddings[] = {GridSamplePadding::Zeros, GridSamplePadding::Border,
                                       GridSamplePadding::Reflection};

// 0.4 · sin(0.37 · (i + 1) + k) for element i, times `scale`: what gave PyTorch's numbers.
Tensor numbers(const Shape& shape, int k, double scale) {
  int64_t n = 1;
  for (const int64_t d : shape) n *= d;
  Doubles out;
  for (int64_t i = 0; i < n; ++i)
    out.push_back(scale * 0.4 * std::sin(0.37 * static_cast<double>(i + 1) + k));
  return Tensor(out, shape);
}

// The place on an axis of n elements, and where padding moves it.
double sampled_place(double g, int64_t size, const GridSampleOptions& o) {
  const auto n = static_cast<double>(size);
  double at = o.align_corners ? (g + 1) / 2 * (n - 1) : ((g + 1) * n - 1) / 2;
  if (o.padding == GridSamplePadding::Reflection) {
    const double low = o.align_corners ? 0 : -0.5, high = o.align_corners ? n - 1 : n - 0.5;
    if (low == high) return 0;
    while (at < low || at > high) at = at < low ? 2 * low - at : 2 * high - at;
  }
  return o.padding == GridSamplePadding::Zeros ? at : std::clamp(at, 0.0, n - 1);
}

// Of one channel of two axes.
double sampled(const Doubles& x, int64_t height, int64_t width, double gx, double gy,
               const GridSampleOptions& o) {
  const auto read = [&](double row, double column) {
    const bool inside = row >= 0 && row < static_cast<double>(height) && column >= 0 &&
                        column < static_cast<double>(width);
    return inside ? x[static_cast<size_t>(row) * static_cast<size_t>(width) +
                      static_cast<size_t>(column)]
                  : 0;
  };
  const double r = sampled_place(gy, height, o), c = sampled_place(gx, width, o);
  if (o.mode == GridSampleMode::Nearest) return read(std::nearbyint(r), std::nearbyint(c));
  double sum = 0;
  for (const double dr : {0, 1}) {
    for (const double dc : {0, 1}) {
      const double row = std::floor(r) + dr, column = std::floor(c) + dc;
      sum += read(row, column) * (1 - std::abs(r - row)) * (1 - std::abs(c - column));
    }
  }
  return sum;
}

TEST(GridSample, AgreesWithALoop) {
  Random random(1);
  for (const auto& [height, width] : {std::pair<int64_t, int64_t>{3, 4}, {1, 5}, {2, 1}}) {
    for (const GridSamplePadding padding : kPaddings) {
      for (const auto mode : {GridSampleMode::Linear, GridSampleMode::Nearest}) {
        for (const bool align : {false, true}) {
          const GridSampleOptions o = {mode, padding, align};
          SCOPED_TRACE(std::to_string(height) + " x " + std::to_string(width) + ", padding " +
                       std::to_string(static_cast<int>(padding)) + ", mode " +
                       std::to_string(static_cast<int>(mode)) + (align ? ", aligned" : ""));
          const Doubles x = random.reals(2 * 2 * height * width);
          const Doubles grid = random.reals(2 * 5 * 2, -4, 4);
          Doubles want;
          for (size_t image = 0; image < 4; ++image) {
            const auto size = height * width;
            const auto begin = x.begin() + static_cast<int64_t>(image) * size;
            const Doubles channel(begin, begin + size);
            for (size_t p = 0; p < 5; ++p) {
              const size_t at = (image / 2 * 5 + p) * 2;
              want.push_back(sampled(channel, height, width, grid[at], grid[at + 1], o));
            }
          }
          expect_values(Tensor(x, {2, 2, height, width}).grid_sample(Tensor(grid, {2, 5, 1, 2}), o),
                        {2, 2, 5, 1}, want);
        }
      }
    }
  }
}
TEST(GridSample, GivesPyTorchsNumbers) {
  const Tensor x = numbers({1, 2, 3, 4}, 3, 2), grid = numbers({1, 2, 3, 2}, 5, 6.6);
  const Doubles want[2][3] = {
      {{0, -0.006486021, 0, 0, 0, -0.1902131, 0, -0.6241386, 0, 0, 0, -0.3988418},
       {-0.1811412, -0.006486021, 0.7324212, 0.7324212, 0.7324212, -0.2856816, 0.7992264,
        -0.6241386, -0.5069871, -0.5069871, -0.5069871, -0.5990215},
       {-0.5912581, -0.006486021, -0.4160919, -0.3186784, -0.3478397, -0.2856816, 0.611998,
        -0.6241386, -0.3917554, 0.7331771, -0.3768481, -0.5990215}},
      {{0, -0.2062107, 0, 0, 0, -0.3052408, 0, -0.4718301, 0, 0, 0, -0.5942448},
       {-0.1811412, -0.2062107, 0.7324212, 0.7324212, 0.7324212, -0.3052408, 0.7992264, -0.4718301,
        -0.5069871, -0.5069871, -0.5069871, -0.5942448},
       {-0.5818236, -0.2062107, -0.4517645, -0.5006881, -0.4464152, -0.3052408, 0.2935135,
        -0.4718301, -0.3977395, 0.4478281, -0.3331936, -0.5942448}}};
  for (const bool align : {false, true}) {
    for (size_t p = 0; p < 3; ++p)
      expect_values(x.grid_sample(grid, {.padding = kPaddings[p], .align_corners = align}),
                    {1, 2, 2, 3}, want[align][p], 2e-7);
  }
}
TEST(GridSample, TakesThreeAxesAndOne) {
  const Tensor x = numbers({1, 1, 2, 3, 2}, 3, 2), grid = numbers({1, 1, 1, 3, 3}, 5, 2.8);
  const Doubles want[3] = {{-0.1864701, 0.3839692, 0.05098071},
                           {-0.3039097, 0.6424719, 0.7324212},
                           {-0.3039097, 0.6424719, 0.7324212}};
  for (size_t p = 0; p < 3; ++p)
    expect_values(x.grid_sample(grid, {.padding = kPaddings[p]}), {1, 1, 1, 1, 3}, want[p], 2e-7);
  const Tensor row = Tensor{1., 3., 7.}.reshape({1, 1, 3});
  const Tensor places = Tensor{-1., -0.5, 0., 1.}.reshape({1, 4, 1});
  expect_values(row.grid_sample(places, {.align_corners = true}), {1, 1, 4}, {1, 2, 3, 7});
}
TEST(GridSample, OfTheIdentityIsTheImage) {
  Random random(2);
  const Tensor x = random.tensor({2, 3, 4, 5});
  const Tensor same = Tensor({{1., 0., 0.}, {0., 1., 0.}}).cast(DType::Float64).expand({2, 2, 3});
  for (const bool align : {false, true}) {
    const Tensor grid = same.affine_grid({4, 5}, align);
    expect_values(x.grid_sample(grid, {.align_corners = align}), {2, 3, 4, 5},
                  x.to_vector<double>());
  }
}
TEST(GridSample, HasGradientsForImageAndGrid) {
  Random random(3);
  for (const GridSamplePadding padding : kPaddings) {
    for (const bool align : {false, true}) {
      const GridSampleOptions o = {.padding = padding, .align_corners = align};
      expect_gradients([&](const auto& x) { return x[0].grid_sample(x[1], o); },
                       {random.tensor({2, 2, 3, 4}), random.tensor({2, 2, 2, 2}, -1.7, 1.7)});
    }
  }
  expect_gradients(
      [](const auto& x) { return x[0].grid_sample(x[1], {.mode = GridSampleMode::Nearest}); },
      {random.tensor({1, 1, 3, 4}), random.tensor({1, 2, 2, 2}, -1, 1)});
}
TEST(GridSample, ReadsZeroWhereThereIsNoPlace) {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  const Tensor x = Tensor{1., 3.}.reshape({1, 1, 2});
  const Tensor grid = Tensor{nan, inf, -inf}.reshape({1, 3, 1});
  for (const auto mode : {GridSampleMode::Linear, GridSampleMode::Nearest}) {
    expect_values(x.grid_sample(grid, {.mode = mode}), {1, 1, 3}, {0, 0, 0});
    const Tensor border = x.grid_sample(grid, {mode, GridSamplePadding::Border});
    expect_values(border, {1, 1, 3}, {0, 3, 1});
    expect_values(x.grid_sample(grid, {mode, GridSamplePadding::Reflection})[{0, 0, 0}], {}, {0});
  }
}
TEST(GridSample, HasTheDtypeOfImageAndGrid) {
  const Tensor half = Tensor::ones({1, 1, 2, 2}).cast(DType::Float16);
  const Tensor grid = Tensor::zeros({1, 1, 1, 2});
  EXPECT_EQ(half.grid_sample(grid.cast(DType::Float16)).dtype(), DType::Float16);
  EXPECT_EQ(half.grid_sample(grid).dtype(), DType::Float32);
  EXPECT_EQ(half.cast(DType::Int32).grid_sample(grid).dtype(), DType::Float32);
  EXPECT_EQ(Tensor::ones({0, 1, 2, 2}).grid_sample(Tensor::zeros({0, 3, 1, 2})).shape(),
            (Shape{0, 1, 3, 1}));
}

TEST(AffineGrid, GivesPyTorchsNumbers) {
  const Tensor maps = numbers({2, 2, 3}, 7, 2);
  expect_values(maps.affine_grid({2, 3}), {2, 2, 3, 2},
                {-0.09555932, -0.4869752,  0.3765203,  -0.05477957, 0.8485999,  0.3774161,
                 0.6992496,   -0.05205647, 1.171329,   0.3801392,   1.643409,   0.8123348,
                 -0.337519,   0.1868118,   -0.425237,  -0.3233935,  -0.5129551, -0.8335988,
                 -0.7455446,  -0.6109735,  -0.8332626, -1.121179,   -0.9209807, -1.631384},
                1e-6);
  expect_values(maps.affine_grid({2, 3}, true), {2, 2, 3, 2},
                {-0.7290036,  -0.9205324,  -0.02088417, -0.2722389, 0.6872352,  0.3760545,
                 0.8606142,   -0.05069492, 1.568734,    0.5975986,  2.276853,   1.245892,
                 -0.08964712, 0.8408072,   -0.2212242,  0.07549917, -0.3528013, -0.6898088,
                 -0.9056984,  -0.7547635,  -1.037275,   -1.520072,  -1.168853,  -2.28538},
                1e-6);
  expect_values(numbers({1, 3, 4}, 7, 2).affine_grid({2, 1, 2}), {1, 2, 1, 2, 3},
                {-0.09272859, -0.5596965, -0.00876859, 0.6153908, -0.1247777, -0.6380184, 0.6811961,
                 -0.6912735, -0.8065539, 1.389316, -0.2563548, -1.435804},
                1e-6);
}
TEST(AffineGrid, OfOneElementIsItsMiddle) {
  const Tensor map = Tensor({{2., 0.25}}).reshape({1, 1, 2});
  for (const bool align : {false, true})
    expect_values(map.affine_grid({1}, align), {1, 1, 1}, {0.25});
}
TEST(AffineGrid, HasGradients) {
  Random random(4);
  expect_gradients(
      [](const auto& x) {
        return x[0].affine_grid({2, 3}).sin();
      },
      {random.tensor({2, 2, 3})});
}

}  // namespace
}  // namespace tg
