// Options come from one table: names, values, help.
#include "options.h"

#include <charconv>
#include <cmath>
#include <functional>
#include <string_view>
#include <vector>

namespace mnist {
namespace {

struct Row {
  std::string_view name;
  std::string_view value;  // for people; empty for a flag
  std::string_view help;
  std::function<bool(Options&, std::string_view)> set;  // false: malformed
};

template <typename T>
bool read(std::string_view text, T& out, T low, T high) {
  T value{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return false;
  if (!(value >= low && value <= high)) return false;
  out = value;
  return true;
}

using Text = std::string_view;

bool set_text(std::string& out, Text v) {
  out = v;
  return !v.empty();
}

const std::vector<Row>& table() {
  static const std::vector<Row> rows = {
      {"--steps", "N", "training steps, 1 to 1000000 (default 250)",
       [](Options& o, Text v) { return read<int64_t>(v, o.steps, 1, 1'000'000); }},
      {"--batch", "N", "images a step, 2 to 10000 (default 512)",
       [](Options& o, Text v) { return read<int64_t>(v, o.batch, 2, 10'000); }},
      {"--seed", "N", "seed of weights, order and shifts (default 1)",
       [](Options& o, Text v) { return read<uint64_t>(v, o.seed, 0, UINT64_MAX); }},
      {"--lr", "X", "learning rate at the start, above 0 to 1 (default 0.001)",
       [](Options& o, Text v) { return read<double>(v, o.lr, 1e-12, 1.0); }},
      {"--shift", "N", "move images at random by up to N pixels, 0 to 8 (default 2)",
       [](Options& o, Text v) { return read<int64_t>(v, o.shift, 0, 8); }},
      {"--out", "FILE", "where the model goes (default mnist.safetensors)",
       [](Options& o, Text v) { return set_text(o.out, v); }},
      {"--eval", "FILE", "only evaluate the model in FILE",
       [](Options& o, Text v) { return set_text(o.eval, v); }},
      {"--drawn", "", "use digits that the library draws itself instead of MNIST",
       [](Options& o, Text) { return o.drawn = true; }},
      {"--uncaptured", "", "rebuild and reschedule every step: slower, the same model",
       [](Options& o, Text) { return o.uncaptured = true; }},
      {"--help", "", "this text", [](Options& o, Text) { return o.help = true; }},
  };
  return rows;
}

const Row* find(Text name) {
  for (const Row& row : table()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace

std::string help_text() {
  std::string text =
      "usage: mnist [options]\n\n"
      "Trains a convolutional network on MNIST and prints its accuracy on the test images.\n\n";
  for (const Row& row : table()) {
    std::string left = "  " + std::string(row.name) + " " + std::string(row.value);
    left.resize(16, ' ');
    text += left + std::string(row.help) + "\n";
  }
  return text +
         "\nMNIST is looked for in $TG_DATASETS, in ../shared/datasets/mnist and in the cache, "
         "else "
         "it is downloaded.\nThe device is chosen by DEV, the number of threads by THREADS.\n";
}

std::optional<Options> parse_options(int argc, char** argv, std::string& error) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    Text name = argv[i], value;
    const size_t equals = name.find('=');
    const bool attached = equals != Text::npos;
    if (attached) {
      value = name.substr(equals + 1);
      name = name.substr(0, equals);
    }
    if (name == "-h") name = "--help";
    const Row* row = find(name);
    if (row == nullptr) {
      error = "unknown option " + std::string(name);
      return {};
    }
    const bool takes_value = !row->value.empty();
    if (takes_value && !attached) {
      if (i + 1 == argc) {
        error = std::string(name) + " needs a value";
        return {};
      }
      value = argv[++i];
    }
    if (!takes_value && attached) {
      error = std::string(name) + " takes no value";
      return {};
    }
    if (!row->set(options, value)) {
      error = std::string(name) + ": \"" + std::string(value) + "\" is not allowed; " +
              std::string(row->help);
      return {};
    }
  }
  return options;
}

}  // namespace mnist
