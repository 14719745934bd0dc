// Options come from one table: names, values, help.
#include "options.h"

#include <charconv>
#include <functional>
#include <string_view>
#include <vector>

namespace vae {
namespace {

using Text = std::string_view;

struct Row {
  Text name, value, help;                   // no value: a flag
  std::function<bool(Options&, Text)> set;  // false: malformed
};

template <typename T>
bool read(Text text, T& out, T low, T high) {
  T value{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return false;
  if (!(value >= low && value <= high)) return false;
  out = value;
  return true;
}

const std::vector<Row>& table() {
  static const std::vector<Row> rows = {
      {"--steps", "N", "training steps, 1 to 1000000 (default 2000)",
       [](Options& o, Text v) { return read<int64_t>(v, o.steps, 1, 1'000'000); }},
      {"--batch", "N", "images a step, 1 to 10000 (default 128)",
       [](Options& o, Text v) { return read<int64_t>(v, o.batch, 1, 10'000); }},
      {"--codes", "N", "numbers that a digit is squeezed into, 1 to 1000 (default 20)",
       [](Options& o, Text v) { return read<int64_t>(v, o.codes, 1, 1000); }},
      {"--seed", "N", "seed of weights, order and codes (default 1)",
       [](Options& o, Text v) { return read<uint64_t>(v, o.seed, 0, UINT64_MAX); }},
      {"--lr", "X", "learning rate, above 0 to 1 (default 0.001)",
       [](Options& o, Text v) { return read<double>(v, o.lr, 1e-12, 1.0); }},
      {"--out", "FOLDER", "where pictures, curve and weights go (default vae)",
       [](Options& o, Text v) {
         o.out = v;
         return !v.empty();
       }},
      {"--drawn", "", "use digits that the library draws itself instead of MNIST",
       [](Options& o, Text) { return o.drawn = true; }},
      {"--help", "", "this text", [](Options& o, Text) { return o.help = true; }},
  };
  return rows;
}

const Row* find(Text name) {
  for (const Row& row : table())
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace

std::string help_text() {
  constexpr size_t kColumn = 18;
  std::string text =
      "usage: vae [options]\n\nTrains a variational autoencoder on MNIST, and draws what it has "
      "learned.\n\n";
  for (const Row& row : table()) {
    std::string left = "  " + std::string(row.name) + " " + std::string(row.value);
    left.resize(kColumn, ' ');
    text += left + std::string(row.help) + "\n";
  }
  return text;
}

std::optional<Options> parse_options(int argc, char** argv, std::string& mistake) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const Row* row = find(name);
    if (row == nullptr) {
      mistake = "unknown option " + name;
      return {};
    }
    const bool takes_value = !row->value.empty();
    if (takes_value && i + 1 == argc) {
      mistake = name + " needs a value";
      return {};
    }
    const Text value = takes_value ? Text(argv[++i]) : Text();
    if (!row->set(options, value)) {
      mistake = name + ": \"" + std::string(value) + "\" is not allowed; " + std::string(row->help);
      return {};
    }
  }
  return options;
}

}  // namespace vae
