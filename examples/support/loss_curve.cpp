// Lines, a legend, two axes with numbers at their ends. Of a long training not every step is drawn:
// the picture is 640 pixels wide.
#include "loss_curve.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace examples {
namespace {

constexpr double kWidth = 640, kHeight = 360, kMargin = 48;
constexpr size_t kMostPoints = 300, kManyValues = 50;

struct Colours {
  const char *pale, *full;
};
constexpr std::array<Colours, 3> kColours = {
    {{"#b9cde5", "#1f4e8c"}, {"#f2c9b8", "#b3411a"}, {"#c5e0c3", "#2b7a2b"}}};

struct Scale {
  double low, high;  // losses
  double steps;

  // "12.3,45.6": where a loss is drawn.
  std::string point(double step, double loss) const {
    const double share = steps > 1 ? (step - 1) / (steps - 1) : 0;
    const double height = high > low ? (loss - low) / (high - low) : 0;
    char text[64];
    std::snprintf(text, sizeof text, "%.1f,%.1f", kMargin + share * (kWidth - 2 * kMargin),
                  kHeight - kMargin - height * (kHeight - 2 * kMargin));
    return text;
  }
};

double step_of(const LossCurve& curve, size_t i) {
  return static_cast<double>(curve.interval) * static_cast<double>(i + 1);
}

Scale scale_of(const std::vector<LossCurve>& curves) {
  Scale scale{curves[0].losses[0], curves[0].losses[0], 1};
  for (const LossCurve& curve : curves) {
    const auto [low, high] = std::minmax_element(curve.losses.begin(), curve.losses.end());
    scale.low = std::min(scale.low, *low);
    scale.high = std::max(scale.high, *high);
    scale.steps = std::max(scale.steps, step_of(curve, curve.losses.size() - 1));
  }
  return scale;
}

std::string line(const LossCurve& curve, const Scale& scale, const std::string& colour) {
  const size_t stride = (curve.losses.size() + kMostPoints - 1) / kMostPoints;
  std::string points;
  for (size_t i = 0; i < curve.losses.size(); i += stride)
    points += scale.point(step_of(curve, i), curve.losses[i]) + " ";
  return "<polyline fill=\"none\" stroke=\"" + colour + "\" points=\"" + points + "\"/>\n";
}

// Each value the mean of those up to it, a fiftieth of all at most.
LossCurve smoothed(const LossCurve& curve) {
  const size_t window = std::max<size_t>(1, curve.losses.size() / kManyValues);
  LossCurve out{.name = curve.name, .losses = {}, .interval = curve.interval};
  double sum = 0;
  for (size_t i = 0; i < curve.losses.size(); ++i) {
    sum += curve.losses[i];
    if (i >= window) sum -= curve.losses[i - window];
    out.losses.push_back(sum / static_cast<double>(std::min(i + 1, window)));
  }
  return out;
}

std::string label(double x, double y, const std::string& text, const char* colour = "black") {
  char place[64];
  std::snprintf(place, sizeof place, "<text x=\"%.0f\" y=\"%.0f\" fill=\"%s\">", x, y, colour);
  return place + text + "</text>\n";
}

std::string rounded(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", x);
  return text;
}

}  // namespace

void write_loss_curves(const std::vector<LossCurve>& curves, const std::string& unit,
                       const std::filesystem::path& file) {
  std::vector<LossCurve> shown;
  for (const LossCurve& curve : curves)
    if (!curve.losses.empty()) shown.push_back(curve);
  if (shown.empty()) throw std::runtime_error(file.string() + ": there is no loss to draw");
  const Scale scale = scale_of(shown);
  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 360\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"640\" height=\"360\" fill=\"white\"/>\n";
  for (size_t i = 0; i < shown.size(); ++i) {
    const Colours& colours = kColours[i % kColours.size()];
    const bool has_many = shown[i].losses.size() > kManyValues;
    svg += line(shown[i], scale, has_many ? colours.pale : colours.full);
    if (has_many) svg += line(smoothed(shown[i]), scale, colours.full);
    svg += label(kWidth - 3.5 * kMargin, kMargin + 16 * static_cast<double>(i), shown[i].name,
                 colours.full);
  }
  svg += label(4, kMargin, rounded(scale.high)) + label(4, kHeight - kMargin, rounded(scale.low));
  svg += label(kMargin, kHeight - 16, "step 1") +
         label(kWidth - 2 * kMargin, kHeight - 16, "step " + rounded(scale.steps));
  svg += label(kMargin, 24, unit) + "</svg>\n";
  std::ofstream stream(file, std::ios::binary);
  stream << svg;
  stream.close();
  if (!stream) throw std::runtime_error(file.string() + " cannot be written");
}

}  // namespace examples
