// One file a device. A file that was copied from another machine, cut off or scribbled over counts
// as none: the defaults of Target are safe, and a wrong fact only makes kernels slower.
#include "target/calibration.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "support/file.h"
#include "support/text.h"

namespace tg {
namespace {

struct Fact {
  std::string_view name;
  double Calibration::* value;
  double low, high;  // what machines have
};

constexpr std::array kFacts = {Fact{"flops_per_second", &Calibration::flops_per_second, 1e7, 1e15},
                               Fact{"bytes_per_second", &Calibration::bytes_per_second, 1e7, 1e15},
                               Fact{"launch_seconds", &Calibration::launch_seconds, 1e-9, 1}};

constexpr std::string_view kHead = "tinygrad.cpp calibration 1";

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

// The value of the line "name value"; empty if the line says something else.
std::optional<double> fact_in(std::string_view line, const Fact& fact) {
  if (!line.starts_with(fact.name)) return {};
  const auto value = parse_number(trim(line.substr(fact.name.size())));
  return value && *value >= fact.low && *value <= fact.high ? value : std::nullopt;
}

std::optional<std::filesystem::path> file_of(std::string_view device) {
  const auto folder = cache_folder("calibration");
  if (!folder) return {};
  return *folder / (to_lower(device) + ".txt");
}

}  // namespace

std::string calibration_text(const Calibration& calibration, std::string_view machine) {
  std::string text = fmt::format("{}\nmachine {}\n", kHead, machine);
  for (const Fact& f : kFacts) text += fmt::format("{} {:.6g}\n", f.name, calibration.*f.value);
  return text;
}

std::optional<Calibration> parse_calibration(std::string_view text, std::string_view machine) {
  const auto lines = split(text, '\n');
  if (lines.size() != kFacts.size() + 3 || !lines.back().empty()) return {};
  if (lines[0] != kHead || lines[1] != fmt::format("machine {}", machine)) return {};
  Calibration out;
  for (size_t i = 0; i < kFacts.size(); ++i) {
    const auto value = fact_in(lines[i + 2], kFacts[i]);
    if (!value) return {};
    out.*kFacts[i].value = *value;
  }
  return out;
}

std::optional<Calibration> load_calibration(std::string_view device, std::string_view machine) {
  const auto file = file_of(device);
  const auto text = file ? try_read_file(*file) : std::nullopt;
  return text ? parse_calibration(*text, machine) : std::nullopt;
}

bool save_calibration(std::string_view device, std::string_view machine, const Calibration& c) {
  const auto file = file_of(device);
  return file && try_write_file(*file, calibration_text(c, machine));
}

void apply_calibration(Target& target, const Calibration& calibration) {
  target.flops_per_second = calibration.flops_per_second;
  target.bytes_per_second = calibration.bytes_per_second;
  target.launch_seconds = calibration.launch_seconds;
}

}  // namespace tg
