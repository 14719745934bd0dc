// Programs as data: drawn the same everywhere, printed as both languages write them, made short.
#include "tg-conformance/program.h"

#include <gtest/gtest.h>

#include "tg-conformance/random_programs.h"
#include "tg-conformance/shrink.h"

namespace tg::conformance {
namespace {

Program windowed() {
  Program p;
  Item rest{.kind = IndexItem::Kind::Range, .start = 1, .step = 2},
      at{.kind = IndexItem::Kind::Gather};
  at.tensor = {1};
  p.values = {
      Input{.shape = {2, 2}, .low = 1, .high = 1.00390625},
      Step{"arange", {2.0, 0.0, 1.0, DType::Int32}},
      Step{"index", {Operand{0}, std::vector<Item>{rest, at}}},
      Step{"max", {Operand{2}, std::vector<int64_t>{0}, true}},
      Step{"pad", {Operand{3}, std::vector<int64_t>{0, 0, 1, 1}, std::monostate(), int64_t{0}}},
      Step{"sum", {Operand{4}}}};
  p.outputs = {4}, p.loss = 5, p.targets = {0};
  return p;
}

TEST(Program, IsPrintedAsCpp) {
  EXPECT_EQ(as_cpp(windowed()), R"(#include <tg/tg.h>

#include <iostream>

using namespace tg;

int main() {
  Tensor v0 = Tensor(std::vector<float>{1, 1, 1, 1}, Shape{2, 2}, {.dtype = dtypes::float32}).realize();
  Tensor v1 = Tensor::arange(2.0, {.start = 0.0, .step = 1.0, .dtype = dtypes::int32});
  Tensor v2 = v0.index({Slice(1, std::nullopt, 2), v1});
  Tensor v3 = v2.max({.axis = {0}, .keepdim = true});
  Tensor v4 = v3.pad({{0, 0}, {1, 1}}, PadMode::Reflect);
  Tensor v5 = v4.sum();
  std::vector<Tensor> results = {v4};
  const std::vector<Tensor> targets = {v0};
  const std::vector<Tensor> gradients = v5.gradient(targets);
  results.insert(results.end(), gradients.begin(), gradients.end());
  Tensor::realize(results);
  for (const Tensor& r : results) std::cout << r.str() << "\n";
}
)");
}

TEST(Program, IsPrintedAsPython) {
  const std::string text = as_python(windowed());
  EXPECT_NE(text.find("from tinygrad_cpp import Tensor, TinyJit, dtypes\n"), std::string::npos);
  EXPECT_NE(text.find("v1 = call(\"arange\", \"fffd\", 2, 0, 1, dtypes.int32)\n"
                      "v2 = v0[1::2, v1]\n"
                      "v3 = v2.max([0], True)\n"
                      "v4 = call(\"pad\", \"tPtc\", v3, [(0, 0), (1, 1)], None, \"Reflect\")\n"
                      "v5 = v4.sum()\n"
                      "results = [v4]\n"
                      "gradients = v5.gradient(v0)\n"),
            std::string::npos)
      << text;
}

TEST(Program, RepeatsLongDataInsteadOfPrintingAll) {
  Program p = windowed();
  auto& data = std::get<Input>(p.values[0]);
  data.shape = {35000, 2};
  const std::vector<double> drawn = drawn_elements(data), all = elements_of(data);
  ASSERT_LT(drawn.size(), 300u);
  ASSERT_EQ(all.size(), 70000u);
  for (size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], drawn[i % drawn.size()]);
  const std::string cpp = as_cpp(p), python = as_python(p);
  EXPECT_NE(cpp.find("std::vector<T> repeated("), std::string::npos) << cpp;
  EXPECT_NE(cpp.find("}, 70000), Shape{35000, 2}"), std::string::npos) << cpp;
  EXPECT_NE(python.find("] * 279)[:70000], dtype=dtypes.float32).reshape([35000, 2])"),
            std::string::npos)
      << python;
  EXPECT_LT(cpp.size() + python.size(), 10000u);
}

TEST(Program, OfOneSeedIsTheSameEveryTime) {
  for (const uint64_t seed : {1, 2, 3, 77}) {
    const auto text = [&] { return as_cpp(random_program(seed, {DType::Float32}).program); };
    EXPECT_EQ(text(), text());
  }
}

TEST(Program, LosesWhatNothingUses) {
  Program p = windowed();
  p.outputs = {1}, p.loss = -1, p.targets.clear();
  const Program kept = without_unused(p);
  ASSERT_EQ(kept.values.size(), 1u);
  EXPECT_EQ(std::get<Step>(kept.values[0]).function, "arange");
  EXPECT_EQ(kept.outputs, std::vector<int>{0});
}

// Something that fails whenever a tensor is flipped along an axis of more than two elements.
Outcome flips(const Program& p) {
  try {
    const std::vector<Tensor> values = build_values(p, make_inputs(p));
    for (size_t i = 0; i < p.values.size(); ++i) {
      const auto* s = std::get_if<Step>(&p.values[i]);
      if (s != nullptr && s->function == "flip" && values[i].numel() > 2)
        return {Outcome::Kind::Differs, "flipped"};
    }
    return {};
  } catch (const std::exception& e) {
    return {Outcome::Kind::Illegal, e.what()};
  }
}

TEST(Program, IsMadeShortWhileItFails) {
  Program p;
  p.values = {Input{.shape = {5, 7}},
              Input{.shape = {5, 7}},
              Step{"add", {Operand{0}, Operand{1}}},
              Step{"exp", {Operand{2}}},
              Step{"flip", {Operand{3}, std::vector<int64_t>{1}}},
              Step{"square", {Operand{4}}},
              Step{"sum", {Operand{5}}}};
  p.outputs = {3, 5}, p.loss = 6, p.targets = {0, 1};
  const Program shorter = shrunk(p, flips(p), flips, 500);
  ASSERT_EQ(shorter.values.size(), 2u) << as_cpp(shorter);
  EXPECT_EQ(std::get<Input>(shorter.values[0]).shape, (Shape{1, 3}));
  EXPECT_EQ(std::get<Step>(shorter.values[1]).function, "flip");
  EXPECT_EQ(shorter.loss, -1);
}

}  // namespace
}  // namespace tg::conformance
