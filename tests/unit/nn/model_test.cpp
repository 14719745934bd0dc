// Models: what follows from one list of members.
#include <gtest/gtest.h>

#include "tg/error.h"
#include "tg/nn.h"

namespace tg::nn {
namespace {

struct Block {
  Linear linear{3, 3};
  BatchNorm norm{3};
  Tensor operator()(const Tensor& x) const { return norm(linear(x)).relu(); }
  template <typename F>
  void visit(F&& f) {
    f("linear", linear);
    f("norm", norm);
  }
};

struct BlocksNet {
  std::vector<Block> blocks = std::vector<Block>(2);
  Tensor scale = Tensor::ones({3});
  std::optional<Tensor> shift;
  template <typename F>
  void visit(F&& f) {
    f("blocks", blocks);
    f("scale", scale);
    f("shift", shift);
  }
};

struct Tied {
  Linear a{2, 2};
  Linear b = a;
  template <typename F>
  void visit(F&& f) {
    f("a", a);
    f("b", b);
  }
};

struct Doubled {
  Tensor t = Tensor::ones({1});
  template <typename F>
  void visit(F&& f) {
    f("t", t);
    f("t", t);
  }
};

struct NoModel {};

static_assert(Model<Linear> && Model<Conv2d> && Model<BatchNorm> && Model<BlocksNet> &&
              Model<Adam>);
static_assert(!Model<NoModel> && !Model<Tensor> && !Model<int>);

std::vector<std::string> names_of(const StateDict& dict) {
  std::vector<std::string> names;
  for (const auto& [name, t] : dict) names.push_back(name);
  return names;
}

TEST(ModelVisit, NamesOfALinearLayer) {
  Linear l(2, 3);
  EXPECT_EQ(names_of(state_dict(l)), (std::vector<std::string>{"bias", "weight"}));
}

TEST(ModelVisit, AnAbsentOptionalTensorIsNotListed) {
  Linear l(2, 3, {.bias = false});
  EXPECT_EQ(names_of(state_dict(l)), (std::vector<std::string>{"weight"}));
}

TEST(ModelVisit, NestedNamesAreJoinedByDots) {
  BlocksNet net;
  const StateDict dict = state_dict(net);
  EXPECT_EQ(dict.size(), 13U);
  EXPECT_TRUE(dict.contains("blocks.0.linear.weight"));
  EXPECT_TRUE(dict.contains("blocks.1.norm.running_var"));
  EXPECT_TRUE(dict.contains("scale"));
  EXPECT_FALSE(dict.contains("shift"));
}

TEST(ModelVisit, TensorsComeInTheOrderOfTheList) {
  Block block;
  std::vector<std::string> names;
  visit_tensors(block, [&](const std::string& name, Tensor&) { names.push_back(name); });
  EXPECT_EQ(names,
            (std::vector<std::string>{"linear.weight", "linear.bias", "norm.weight", "norm.bias",
                                      "norm.running_mean", "norm.running_var"}));
}

TEST(ModelVisit, RunningStatisticsAreNoParameters) {
  Block block;
  EXPECT_EQ(parameters(block).size(), 4U);
}

TEST(ModelVisit, UnmarkedTensorsAreStateButNoParameters) {
  BlocksNet net;
  EXPECT_EQ(parameters(net).size(), 8U);
  net.scale.is_param_();
  EXPECT_EQ(parameters(net).size(), 9U);
}

TEST(ModelVisit, SharedTensorsAreParametersOnce) {
  Tied tied;
  EXPECT_EQ(parameters(tied).size(), 2U);
  EXPECT_EQ(state_dict(tied).size(), 4U);
}

TEST(ModelVisit, TwoMembersOfOneNameAreAnError) {
  Doubled m;
  try {
    state_dict(m);
    FAIL() << "no error";
  } catch (const ArgumentError& e) {
    EXPECT_STREQ(e.what(), "state_dict: two members are named \"t\".");
  }
}

TEST(ModelVisit, TheStateDictNamesTheModelsOwnTensors) {
  Linear l(2, 3);
  EXPECT_EQ(state_dict(l).at("weight").state(), l.weight.state());
}

}  // namespace
}  // namespace tg::nn
