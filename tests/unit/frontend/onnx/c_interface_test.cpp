// ONNX models through the C interface (tg/c/tg_models.h): what goes in and comes out, what a model
// says of itself, and handles that are no models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "builders.h"
#include "tg/c/tg_models.h"
#include "tg/interop.h"

namespace tg::onnx {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// y = x + w, x of any length, w the parameter [1].
std::string sum_file() {
  file::Model model = empty_model();
  file::Graph& g = *model.mutable_graph();
  set_value(*g.add_input(), "x", {-1});
  set_value(*g.add_output(), "y", {-1});
  add_node(g, "Add", {"x", "w"}, {"y"});
  add_floats(g, "w", {1}, {3});
  return model.SerializeAsString();
}

struct CInterface : testing::Test {
  void SetUp() override {
    const std::string bytes = sum_file();
    ASSERT_EQ(tg_onnx_parse(bytes.data(), bytes.size(), nullptr, nullptr, &model), TG_OK)
        << tg_error_message();
  }
  void TearDown() override {
    EXPECT_EQ(tg_release(model), TG_OK);
    EXPECT_EQ(tg_live_handles(), before);
  }
  static tg_state state_of(const std::string& name, const Tensor& tensor) {
    return interop::handle_of(nn::StateDict{{name, tensor}});
  }
  // y for this x; releases what it makes.
  std::vector<float> call(const Tensor& x) const {
    const tg_state inputs = state_of("x", x);
    tg_state outputs = nullptr;
    EXPECT_EQ(tg_onnx_call(model, inputs, &outputs), TG_OK) << tg_error_message();
    const Tensor y = interop::tensors_of(outputs, "test").at("y");
    tg_release(inputs);
    tg_release(outputs);
    return y.to_vector<float>();
  }

  int64_t before = tg_live_handles();
  tg_onnx model = nullptr;
};

TEST_F(CInterface, AModelIsCalledWithTensorsByName) {
  EXPECT_EQ(call(Tensor({1.0F, 2.0F})), (std::vector<float>{4, 5}));
}

TEST_F(CInterface, AModelDescribesItself) {
  tg_value text{};
  ASSERT_EQ(tg_onnx_describe(model, &text), TG_OK);
  const json all = json::parse(text.as.text);
  tg_value_clear(&text);
  const json x = {{"name", "x"}, {"kind", "tensor"}, {"dtype", "float32"}, {"shape", {"d0"}}};
  EXPECT_EQ(all.at("inputs"), json::array({x}));
  EXPECT_EQ(all.at("outputs").at(0).at("name"), "y");
  EXPECT_EQ(all.at("operators"), (json{{"Add", 1}}));
  EXPECT_EQ(all.at("unsupported"), json::array());
}

TEST_F(CInterface, ParametersAreReplacedAllOrNone) {
  tg_state own = nullptr;
  ASSERT_EQ(tg_onnx_get_parameters(model, &own), TG_OK);
  EXPECT_EQ(interop::tensors_of(own, "test").at("w").to_vector<float>(), std::vector<float>{3});
  tg_release(own);
  const tg_state wrong =
      interop::handle_of(nn::StateDict{{"v", Tensor({1.0F})}, {"w", Tensor({7.0F})}});
  EXPECT_EQ(tg_onnx_set_parameters(model, wrong), TG_ERROR_ARGUMENT);
  EXPECT_THAT(tg_error_message(), HasSubstr("there is no parameter \"v\""));
  EXPECT_EQ(call(Tensor({1.0F})), std::vector<float>{4});
  const tg_state right = state_of("w", Tensor({7.0F})),
                 long_one = state_of("w", Tensor({1.0F, 2.0F})), whole = state_of("w", Tensor({1}));
  EXPECT_EQ(tg_onnx_set_parameters(model, long_one), TG_ERROR_SHAPE);
  EXPECT_EQ(tg_onnx_set_parameters(model, whole), TG_ERROR_DTYPE);
  EXPECT_EQ(tg_onnx_set_parameters(model, right), TG_OK);
  EXPECT_EQ(call(Tensor({1.0F})), std::vector<float>{8});
  for (const tg_state s : {wrong, right, long_one, whole}) tg_release(s);
}

TEST_F(CInterface, MistakesAreStatuses) {
  const tg_state inputs = state_of("z", Tensor({1.0F}));
  tg_state outputs = nullptr;
  EXPECT_EQ(tg_onnx_call(model, inputs, &outputs), TG_ERROR_ARGUMENT);
  EXPECT_THAT(tg_error_message(), HasSubstr("input \"x\" is missing"));
  EXPECT_EQ(tg_onnx_call(model, inputs, nullptr), TG_ERROR_ARGUMENT);
  EXPECT_EQ(outputs, nullptr);
  tg_onnx other = nullptr;
  EXPECT_EQ(tg_onnx_load("/nowhere.onnx", nullptr, &other), TG_ERROR_FILE);
  EXPECT_EQ(tg_onnx_parse("no model", 8, nullptr, nullptr, &other), TG_ERROR_FILE);
  EXPECT_EQ(tg_onnx_load(nullptr, nullptr, &other), TG_ERROR_ARGUMENT);
  EXPECT_EQ(other, nullptr);
  tg_release(inputs);
}

TEST_F(CInterface, HandlesOfOtherKindsAreNoModels) {
  tg_value text{};
  EXPECT_EQ(tg_onnx_describe(nullptr, &text), TG_ERROR_HANDLE);
  const tg_tensor tensor = interop::handle_of(Tensor({1.0F}));
  EXPECT_EQ(tg_onnx_describe(reinterpret_cast<tg_onnx>(tensor), &text), TG_ERROR_HANDLE);
  EXPECT_THAT(tg_error_message(), HasSubstr("must be an object of another library, not a tensor"));
  const void* stranger = interop::handle_of(std::make_shared<int>(1), "a lamp");
  EXPECT_EQ(tg_onnx_describe(static_cast<tg_onnx>(stranger), &text), TG_ERROR_HANDLE);
  EXPECT_THAT(tg_error_message(), HasSubstr("must be an ONNX model, not a lamp"));
  EXPECT_EQ(tg_tensor_get_info(reinterpret_cast<tg_tensor>(const_cast<void*>(stranger)), nullptr),
            TG_ERROR_HANDLE);
  EXPECT_THAT(tg_error_message(), HasSubstr("must be a tensor, not an object of another library"));
  tg_release(tensor);
  tg_release(stranger);
}

}  // namespace
}  // namespace tg::onnx
