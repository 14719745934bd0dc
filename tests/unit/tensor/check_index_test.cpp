// CHECK_INDEX: an index outside its axis is an error where it is used, and nothing changes without
// the option or for indices inside.
#include "support/options.h"
#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

class CheckIndex : public ::testing::Test {
 protected:
  static Options checked() {
    Options o = options();
    o.check_index = true;
    return o;
  }
  const Tensor x = Tensor::arange(12).reshape({3, 4});
  const Tensor logits = Tensor::zeros({2, 3});
  const OptionsScope scope{checked()};
};

TEST_F(CheckIndex, NamesFunctionPlaceAndValue) {
  EXPECT_EQ(
      error_of<IndexError>([&] {
        x[Tensor{{0, 2}, {3, 1}}];
      }),
      "index: index 3 at [1,0] is outside [-3, 2]. Hint: without CHECK_INDEX it reads 0, or is "
      "left out of what is written.");
  EXPECT_EQ(error_of<IndexError>([&] {
              x.gather(1, Tensor{{0}, {1}, {-5}});
            }),
            "gather: index -5 at [2,0] is outside [-4, 3]. Hint: without CHECK_INDEX it reads 0, or "
            "is left out of what is written.");
}
TEST_F(CheckIndex, LooksAtWhatIsWritten) {
  EXPECT_NE(error_of<IndexError>([&] {
              x.scatter(0, Tensor{{4, 0, 0, 0}}, Tensor::zeros({1, 4}, DType::Int32));
            }).find("scatter: index 4 at [0,0]"),
            std::string::npos);
  Tensor rows = Tensor::zeros({3, 2});
  EXPECT_NE(error_of<IndexError>([&] {
              rows.set({Tensor{0, 7}}, 1.0);
            }).find("set: index 7 at [1]"),
            std::string::npos);
}
TEST_F(CheckIndex, KnowsLabelsOfLosses) {
  EXPECT_NE(error_of<IndexError>([&] {
              logits.cross_entropy(Tensor{1, 7});
            }).find("cross_entropy: label 7 at [1] is outside [0, 2]"),
            std::string::npos);
  EXPECT_NE(error_of<IndexError>([&] {
              logits.sparse_categorical_crossentropy(Tensor{-1, 0});
            }).find("sparse_categorical_crossentropy: label -1 at [0]"),
            std::string::npos);
}
TEST_F(CheckIndex, LetsLabelsThatAreIgnoredBeAnything) {
  const float loss = logits.cross_entropy(Tensor{-100, 1}, {.ignore_index = -100}).item<float>();
  EXPECT_FLOAT_EQ(loss, std::log(3.f));
}
TEST_F(CheckIndex, LetsIndicesInsidePass) {
  EXPECT_EQ(x[(Tensor{-3, 2})].to_vector<int>(), (std::vector<int>{0, 1, 2, 3, 8, 9, 10, 11}));
  EXPECT_EQ(x[Tensor::zeros({0}, DType::Int32)].shape(), (Shape{0, 4}));
}
TEST_F(CheckIndex, IsOffWithoutTheOption) {
  Options off = options();
  off.check_index = false;
  const OptionsScope scope(off);
  EXPECT_EQ(x[Tensor{9}].to_vector<int>(), (std::vector<int>{0, 0, 0, 0}));
}

}  // namespace
}  // namespace tg
