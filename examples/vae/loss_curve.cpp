// Two lines, two axes with numbers at their ends.
#include "loss_curve.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>

namespace vae {
namespace {

constexpr double kWidth = 640, kHeight = 360, kMargin = 48;

struct Scale {
  double low, high;
  size_t steps;

  // "12.3,45.6": where a loss is drawn.
  std::string point(size_t step, double loss) const {
    const double share = steps > 1 ? static_cast<double>(step) / static_cast<double>(steps - 1) : 0;
    const double height = high > low ? (loss - low) / (high - low) : 0;
    char text[64];
    std::snprintf(text, sizeof text, "%.1f,%.1f", kMargin + share * (kWidth - 2 * kMargin),
                  kHeight - kMargin - height * (kHeight - 2 * kMargin));
    return text;
  }
};

std::string line(const std::vector<double>& values, const Scale& scale, const std::string& colour) {
  std::string points;
  for (size_t i = 0; i < values.size(); ++i) points += scale.point(i, values[i]) + " ";
  return "<polyline fill=\"none\" stroke=\"" + colour + "\" points=\"" + points + "\"/>\n";
}

std::string label(double x, double y, const std::string& text) {
  return "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\">" + text +
         "</text>\n";
}

// Each value the mean of those up to it, `window` at most.
std::vector<double> smoothed(const std::vector<double>& values, size_t window) {
  std::vector<double> out;
  double sum = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    sum += values[i];
    if (i >= window) sum -= values[i - window];
    out.push_back(sum / static_cast<double>(std::min(i + 1, window)));
  }
  return out;
}

std::string rounded(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", x);
  return text;
}

}  // namespace

void write_loss_curve(const std::vector<double>& losses, const std::filesystem::path& file) {
  const auto [low, high] = std::minmax_element(losses.begin(), losses.end());
  const Scale scale{*low, *high, losses.size()};
  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 360\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"640\" height=\"360\" fill=\"white\"/>\n";
  svg += line(losses, scale, "#b9cde5");
  svg += line(smoothed(losses, std::max<size_t>(1, losses.size() / 50)), scale, "#1f4e8c");
  svg += label(4, kMargin, rounded(*high)) + label(4, kHeight - kMargin, rounded(*low));
  svg += label(kMargin, kHeight - 16, "step 1") +
         label(kWidth - 2 * kMargin, kHeight - 16, "step " + std::to_string(losses.size()));
  svg += label(kMargin, 24, "loss, nats a digit") + "</svg>\n";
  std::ofstream stream(file, std::ios::binary);
  stream << svg;
  stream.close();
  if (!stream) throw std::runtime_error(file.string() + " cannot be written");
}

}  // namespace vae
