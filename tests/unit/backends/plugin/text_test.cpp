// Kernels as lists of operations: a plug-in that has only the text computes what it should.
#include <gtest/gtest.h>

#include "plugin_test_util.h"
#include "support/options.h"
#include "tg/symbolic.h"

namespace tg {
namespace {

TEST(TextPlugin, ComputesFromTheTextAlone) {
  const std::string name = load_backend(test::plugin_path("text_plugin"));
  EXPECT_EQ(test::small_program(name), (std::vector<float>{3, 5, 7, 9, 11, 13}));
}

TEST(TextPlugin, GetsReductionsAndProducts) {
  const std::string name = load_backend(test::plugin_path("text_plugin"));
  Options o = options();
  o.device = name;
  const OptionsScope scope(o);
  const Tensor x = Tensor::arange(12, {.dtype = dtypes::float32}).reshape({3, 4});
  const Tensor y = x.contiguous().realize();
  EXPECT_EQ(y.device(), "TEXT");
  EXPECT_EQ(y.matmul(y.T()).to_vector<float>(),
            (std::vector<float>{14, 38, 62, 38, 126, 214, 62, 214, 366}));
}

TEST(TextPlugin, GetsVariablesByName) {
  const std::string name = load_backend(test::plugin_path("text_plugin"));
  const Tensor x(std::vector<float>{1, 2, 3, 4, 5, 6}, {.device = name});
  const Variable n("n", 1, 6);
  for (const int64_t size : {2, 5}) {
    const SymInt count = n.bind(size);
    const Tensor part = x[Slice(0, count)];
    EXPECT_EQ(part.sum().item<float>(), static_cast<float>(size * (size + 1) / 2));
  }
}

}  // namespace
}  // namespace tg
