// Losses of scores that serve several labels. Their values and gradients: reference_test.cpp;
// labels outside the classes: check_index_test.cpp.
#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

TEST(SparseCrossEntropy, OfScoresWithoutABatchServesEveryLabel) {
  const Tensor scores = Tensor(Doubles{0.5, -1, 2}), labels{2, 0, 2, 1};
  const Tensor batch = scores.unsqueeze(0).expand({4, 3});
  expect_close(scores.sparse_categorical_crossentropy(labels),
               batch.sparse_categorical_crossentropy(labels));
  const LossOptions each = {.reduction = Reduction::None, .label_smoothing = 0.25};
  expect_close(scores.sparse_categorical_crossentropy(labels.reshape({2, 2}), each),
               batch.sparse_categorical_crossentropy(labels, each).reshape({2, 2}));
}

TEST(SparseCrossEntropy, OfScoresWithoutABatchAddsUpTheirGradients) {
  const Tensor labels{2, 0, 2, 1};
  const auto loss = [&](const std::vector<Tensor>& x) {
    return x[0].sparse_categorical_crossentropy(labels);
  };
  const GradcheckReport report = gradcheck(loss, {Tensor(Doubles{0.5, -1, 2})});
  EXPECT_TRUE(report) << report.message;
}

TEST(SparseCrossEntropy, OfABatchNeedsALabelForEachOfIt) {
  EXPECT_EQ(error_of<ShapeError>([] {
              Tensor::ones({2, 3}).sparse_categorical_crossentropy(Tensor{1, 1, 1});
            }),
            "sparse_categorical_crossentropy: labels must have shape [2] for an input of shape "
            "[2,3], got [3].");
}

}  // namespace
}  // namespace tg
