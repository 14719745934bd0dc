// See table.h. Fields are not quoted: this is a format of numbers.
#include "table.h"

#include <charconv>
#include <cmath>
#include <fstream>
#include <stdexcept>
#include <string_view>

namespace {

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> out;
  for (size_t begin = 0; begin <= line.size();) {
    const size_t end = std::min(line.find(',', begin), line.size());
    out.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

template <typename T>
bool read(std::string_view text, T& value) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failure == std::errc{} && end == text.data() + text.size();
}

}  // namespace

Table read_table(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  if (!in || !std::getline(in, line)) throw std::runtime_error(file + ": cannot be read");
  const size_t width = fields_of(line).size();
  if (width < 2) throw std::runtime_error(file + ":1: needs a feature and a class");
  Table table;
  table.columns = static_cast<int64_t>(width) - 1;
  for (int64_t number = 2; std::getline(in, line); ++number) {
    const std::string where = file + ":" + std::to_string(number) + ": ";
    if (line.ends_with('\r')) line.pop_back();
    const auto fields = fields_of(line);
    if (fields.size() != width) {
      throw std::runtime_error(where + std::to_string(fields.size()) + " fields instead of " +
                               std::to_string(width));
    }
    for (size_t i = 0; i + 1 < width; ++i) {
      float value = 0;
      if (!read(fields[i], value) || !std::isfinite(value)) {
        throw std::runtime_error(where + "\"" + std::string(fields[i]) + "\" is no number");
      }
      table.features.push_back(value);
    }
    int32_t label = 0;
    if (!read(fields.back(), label) || label < 0) {
      throw std::runtime_error(where + "\"" + std::string(fields.back()) + "\" is no class");
    }
    table.classes.push_back(label);
  }
  if (table.classes.empty()) throw std::runtime_error(file + ": has no rows");
  return table;
}
