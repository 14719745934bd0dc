// Each digit is one to three strokes through a few points on the square 0…1 (x to the right, y
// down), bent into a smooth line (Catmull-Rom), transformed, and painted by distance: a pixel's
// brightness falls over one pixel at the pen's edge.
#include "nn/data/digits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "nn/data/counter_random.h"
#include "support/check.h"

namespace tg::nn {

namespace {

constexpr int kSide = 28;
constexpr int kSegments = 6;  // straight pieces between two points of a stroke

struct Point {
  float x, y;
};
using Stroke = std::vector<Point>;
using Drawing = std::vector<Stroke>;

// Ways to write each digit.
const std::array<std::vector<Drawing>, 10>& alphabet() {
  static const std::array<std::vector<Drawing>, 10> digits = {{
      {{{{.5F, .05F},
         {.2F, .25F},
         {.17F, .65F},
         {.48F, .95F},
         {.8F, .68F},
         {.82F, .3F},
         {.5F, .05F}}}},
      {{{{.5F, .05F}, {.5F, .5F}, {.5F, .95F}}},
       {{{.33F, .25F}, {.44F, .15F}, {.54F, .05F}}, {{.54F, .05F}, {.54F, .5F}, {.54F, .95F}}}},
      {{{{.2F, .25F}, {.45F, .05F}, {.78F, .2F}, {.65F, .5F}, {.2F, .92F}},
        {{.2F, .92F}, {.5F, .91F}, {.82F, .93F}}},
       {{{.2F, .22F},
         {.5F, .05F},
         {.76F, .25F},
         {.55F, .6F},
         {.25F, .9F},
         {.24F, .72F},
         {.5F, .82F},
         {.85F, .92F}}}},
      {{{{.22F, .15F}, {.5F, .05F}, {.76F, .22F}, {.62F, .43F}, {.42F, .48F}},
        {{.42F, .48F}, {.68F, .52F}, {.8F, .72F}, {.55F, .95F}, {.2F, .85F}}}},
      {{{{.3F, .08F}, {.22F, .35F}, {.2F, .58F}},
        {{.2F, .58F}, {.5F, .57F}, {.85F, .55F}},
        {{.68F, .1F}, {.67F, .5F}, {.65F, .95F}}},
       {{{.62F, .05F}, {.4F, .35F}, {.15F, .64F}},
        {{.15F, .64F}, {.5F, .64F}, {.88F, .63F}},
        {{.62F, .05F}, {.62F, .5F}, {.62F, .95F}}}},
      {{{{.8F, .07F}, {.55F, .07F}, {.3F, .09F}},
        {{.3F, .09F}, {.27F, .25F}, {.25F, .44F}},
        {{.25F, .44F}, {.55F, .38F}, {.8F, .6F}, {.6F, .92F}, {.2F, .88F}}}},
      {{{{.65F, .05F},
         {.35F, .3F},
         {.2F, .65F},
         {.42F, .95F},
         {.75F, .8F},
         {.68F, .56F},
         {.4F, .55F},
         {.23F, .72F}}}},
      {{{{.18F, .1F}, {.5F, .09F}, {.82F, .09F}}, {{.82F, .09F}, {.58F, .5F}, {.42F, .95F}}},
       {{{.18F, .12F}, {.5F, .1F}, {.8F, .1F}},
        {{.8F, .1F}, {.58F, .5F}, {.44F, .95F}},
        {{.36F, .52F}, {.55F, .51F}, {.74F, .5F}}}},
      {{{{.5F, .48F},
         {.25F, .28F},
         {.5F, .05F},
         {.75F, .26F},
         {.5F, .48F},
         {.2F, .73F},
         {.5F, .95F},
         {.8F, .73F},
         {.5F, .48F}}}},
      {{{{.76F, .25F}, {.5F, .05F}, {.24F, .25F}, {.42F, .48F}, {.72F, .38F}, {.76F, .22F}},
        {{.76F, .22F}, {.74F, .6F}, {.66F, .95F}}},
       {{{.74F, .28F},
         {.5F, .05F},
         {.25F, .26F},
         {.45F, .47F},
         {.74F, .26F},
         {.74F, .65F},
         {.5F, .95F},
         {.25F, .87F}}}},
  }};
  return digits;
}

// The random numbers of one image, in the order of their use.
class Draw {
 public:
  Draw(uint64_t seed, int64_t image) : random_(seed, static_cast<uint64_t>(image)) {}
  float between(float low, float high) { return random_.uniform(next_++, low, high); }
  size_t below(size_t n) { return random_.below(next_++, n); }

 private:
  CounterRandom random_;
  uint64_t next_ = 0;
};

// A position on the curve through four points, t in 0…1 between the middle two.
float catmull_rom(float a, float b, float c, float d, float t) {
  return b + .5F * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
}

Stroke smooth(const Stroke& points) {
  Stroke line;
  const size_t last = points.size() - 1;
  for (size_t i = 0; i < last; ++i) {
    const Point a = points[i == 0 ? 0 : i - 1], b = points[i], c = points[i + 1],
                d = points[std::min(i + 2, last)];
    for (int s = 0; s < kSegments; ++s) {
      const float t = static_cast<float>(s) / kSegments;
      line.push_back({catmull_rom(a.x, b.x, c.x, d.x, t), catmull_rom(a.y, b.y, c.y, d.y, t)});
    }
  }
  line.push_back(points[last]);
  return line;
}

// From the unit square to pixels: rotation, slant, size, place.
struct Transform {
  float xx, xy, yx, yy, cx, cy;

  explicit Transform(Draw& draw) {
    const float angle = draw.between(-.2F, .2F);
    const float slant = draw.between(-.3F, .3F);
    const float width = draw.between(12.F, 18.F);
    const float height = draw.between(17.F, 21.F);
    xx = width * std::cos(angle);
    xy = -height * (std::sin(angle) + slant * std::cos(angle));
    yx = width * std::sin(angle);
    yy = height * (std::cos(angle) - slant * std::sin(angle));
    cx = 14.F + draw.between(-1.5F, 1.5F);
    cy = 14.F + draw.between(-1.5F, 1.5F);
  }
  Point operator()(Point p) const {
    const float u = p.x - .5F, v = p.y - .5F;
    return {cx + xx * u + xy * v, cy + yx * u + yy * v};
  }
};

float squared_distance(Point p, Point a, Point b) {
  const float dx = b.x - a.x, dy = b.y - a.y;
  const float length = dx * dx + dy * dy;
  const float along =
      length == 0 ? 0 : std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.F, 1.F);
  const float ex = a.x + along * dx - p.x, ey = a.y + along * dy - p.y;
  return ex * ex + ey * ey;
}

// A canvas of brightness 0…1.
class Canvas {
 public:
  void paint(const Stroke& line, float radius) {
    for (size_t i = 0; i + 1 < line.size(); ++i) paint(line[i], line[i + 1], radius);
  }

  void write(Draw& draw, float contrast, float noise, uint8_t* pixels) const {
    for (size_t i = 0; i < value_.size(); ++i) {
      const float v = value_[i] * contrast + (value_[i] > 0 ? draw.between(-noise, noise) : 0.F);
      pixels[i] = static_cast<uint8_t>(std::clamp(v, 0.F, 1.F) * 255.F + .5F);
    }
  }

 private:
  void paint(Point a, Point b, float radius) {
    const float reach = radius + .5F;
    const int x0 = std::max(0, static_cast<int>(std::floor(std::min(a.x, b.x) - reach)));
    const int x1 = std::min(kSide - 1, static_cast<int>(std::ceil(std::max(a.x, b.x) + reach)));
    const int y0 = std::max(0, static_cast<int>(std::floor(std::min(a.y, b.y) - reach)));
    const int y1 = std::min(kSide - 1, static_cast<int>(std::ceil(std::max(a.y, b.y) + reach)));
    for (int y = y0; y <= y1; ++y)
      for (int x = x0; x <= x1; ++x) {
        const Point centre = {static_cast<float>(x) + .5F, static_cast<float>(y) + .5F};
        const float v = std::clamp(reach - std::sqrt(squared_distance(centre, a, b)), 0.F, 1.F);
        float& pixel = value_[static_cast<size_t>(y * kSide + x)];
        pixel = std::max(pixel, v);
      }
  }

  std::array<float, size_t{kSide} * kSide> value_{};
};

void draw_digit(size_t digit, Draw& draw, uint8_t* pixels) {
  const std::vector<Drawing>& ways = alphabet()[digit];
  Drawing drawing = ways[draw.below(ways.size())];
  const Transform transform(draw);
  const float radius = draw.between(.8F, 1.6F);
  const float wobble = .035F;
  Canvas canvas;
  for (Stroke& stroke : drawing) {
    for (Point& p : stroke)
      p = transform({p.x + draw.between(-wobble, wobble), p.y + draw.between(-wobble, wobble)});
    canvas.paint(smooth(stroke), radius);
  }
  canvas.write(draw, draw.between(.85F, 1.F), .06F, pixels);
}

}  // namespace

DigitImages drawn_digits(int64_t count, uint64_t seed) {
  if (count < 0)
    user_error<ArgumentError>("drawn_digits",
                              fmt::format("the count must not be negative: {}", count));
  DigitImages out;
  out.source = fmt::format("{} drawn digits (seed {})", count, seed);
  out.images.resize(static_cast<size_t>(count) * kSide * kSide);
  for (int64_t i = 0; i < count; ++i) {
    Draw draw(seed, i);
    const size_t digit = draw.below(10);
    out.labels.push_back(static_cast<uint8_t>(digit));
    draw_digit(digit, draw, out.images.data() + static_cast<size_t>(i) * kSide * kSide);
  }
  return out;
}

}  // namespace tg::nn
