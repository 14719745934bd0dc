// Trains a classifier on a CSV file and writes it as a safetensors file, which --eval reads again.
// The file's format is in table.h; a captured step and images are in examples/mnist.
#include <tg/tg.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "table.h"

namespace {

using tg::Tensor;

struct Net {
  tg::nn::Linear hidden, out;

  Net(int64_t columns, int64_t classes) : hidden(columns, 16), out(16, classes) {}

  /// [batch, columns] → [batch, classes], logits
  Tensor operator()(const Tensor& x) const { return out(hidden(x).relu()); }

  template <typename F>
  void visit(F&& f) {
    f("hidden", hidden), f("out", out);
  }
};

struct Options {
  std::string file, model = "csv.safetensors";
  bool eval = false;
  int64_t epochs = 20, batch = 20;
};

void train(Net& net, const Tensor& x, const Tensor& y, const Options& o) {
  tg::nn::Adam adam(net, {.lr = 0.02});
  // An order of its own for every epoch; rows that fill no whole batch wait for the next one.
  tg::datasets::Batches batches(x.size(0), o.batch, 1);
  tg::TrainingScope training;
  for (int64_t epoch = 1; epoch <= o.epochs; ++epoch) {
    double sum = 0;
    const int64_t steps = x.size(0) / o.batch;
    for (int64_t i = 0; i < steps; ++i) {
      const Tensor rows = batches.next();
      const Tensor loss = net(x[rows]).cross_entropy(y[rows]);
      adam.step(loss);
      sum += loss.item<double>();
    }
    std::printf("epoch %2d  loss %.4f\n", static_cast<int>(epoch),
                sum / static_cast<double>(steps));
  }
}

void run(const Options& o) {
  const Table table = read_table(o.file);
  const int64_t rows = static_cast<int64_t>(table.classes.size());
  const int64_t classes = 1 + *std::max_element(table.classes.begin(), table.classes.end());
  const Tensor x(table.features, {rows, table.columns}), y(table.classes);

  tg::manual_seed(1);
  Net net(table.columns, classes);
  if (o.eval) {
    tg::nn::load(net, o.model);
  } else {
    train(net, x, y, o);
    tg::nn::save(net, o.model);
  }
  const Tensor right = net(x).argmax({.axis = 1}) == y;
  std::printf("%.1f %% of %d rows\n", 100 * right.mean().item<double>(), static_cast<int>(rows));
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  CLI::App app("Trains a classifier on a CSV file whose last column is the class.", "csv");
  app.add_option("file", o.file, "numbers, after a line of column names")->required();
  app.add_option("--model", o.model, "where the model is written, or read")->capture_default_str();
  app.add_flag("--eval", o.eval, "only evaluate the model");
  app.add_option("--epochs", o.epochs)->capture_default_str()->check(CLI::Range(1, 100'000));
  app.add_option("--batch", o.batch, "rows a step")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    run(o);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "csv: %s\n", e.what());
    return 1;
  }
}
