// A shape is a rule which points, relative to its middle and size, belong to it.
#include "shapes.h"

#include <array>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "tg/models/image.h"
#include "tg/tensor.h"

namespace image_folder {
namespace {

constexpr int64_t kSide = 72;

using Rule = bool (*)(double x, double y);  // −1 to 1 is the size of the shape

struct Shape {
  const char* name;
  Rule covers;
};

constexpr std::array<Shape, 4> kShapes = {{
    {"circle", [](double x, double y) { return x * x + y * y < 1; }},
    {"cross",
     [](double x, double y) {
       return (std::abs(x) < 0.3 || std::abs(y) < 0.3) && std::abs(x) < 1 && std::abs(y) < 1;
     }},
    {"square", [](double x, double y) { return std::abs(x) < 0.9 && std::abs(y) < 0.9; }},
    {"triangle", [](double x, double y) { return y < 0.9 && std::abs(x) < (y + 1) / 2; }},
}};

class Painter {
 public:
  explicit Painter(uint64_t seed) : random_(seed) {}

  tg::Tensor paint(const Shape& shape) {
    const double size = between(14, 30);
    const double middle_x = between(size, kSide - size), middle_y = between(size, kSide - size);
    const double angle = between(-0.4, 0.4);
    const std::array<double, 3> ground = colour(20, 90), ink = colour(110, 240);
    std::vector<uint8_t> bytes;
    for (int64_t row = 0; row < kSide; ++row)
      for (int64_t column = 0; column < kSide; ++column) {
        const double x = (static_cast<double>(column) - middle_x) / size;
        const double y = (static_cast<double>(row) - middle_y) / size;
        const bool covered = shape.covers(x * std::cos(angle) - y * std::sin(angle),
                                          x * std::sin(angle) + y * std::cos(angle));
        for (const double c : covered ? ink : ground)
          bytes.push_back(static_cast<uint8_t>(c + between(-15, 15)));
      }
    return tg::Tensor(bytes, {kSide, kSide, 3});
  }

 private:
  double between(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  std::array<double, 3> colour(double low, double high) {
    return {between(low, high), between(low, high), between(low, high)};
  }

  std::mt19937_64 random_;
};

}  // namespace

void draw_shapes(const std::filesystem::path& folder, int64_t count, uint64_t seed) {
  if (std::filesystem::exists(folder))
    throw std::runtime_error(folder.string() + " exists already; without --draw it is trained on");
  Painter painter(seed);
  for (const Shape& shape : kShapes) {
    std::filesystem::create_directories(folder / shape.name);
    for (int64_t i = 0; i < count; ++i)
      tg::images::write_png(painter.paint(shape),
                            folder / shape.name / (std::to_string(i) + ".png"));
  }
}

}  // namespace image_folder
