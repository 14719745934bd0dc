// Layers, optimisers and state through the C interface: a small network learns.
#include <array>
#include <cstdio>

#include "unit/capi/capi_test_util.h"

namespace tg::capi::testing {
namespace {

TEST_F(CApi, NetworkLearnsAndItsStateIsSaved) {
  EXPECT_OK(tg_manual_seed(1));
  tg_value layer = {};
  ASSERT_OK(call("nn.Linear", {int_value(3), int_value(1)}, &layer));
  ASSERT_EQ(layer.kind, TG_LAYER);
  tg_state state = nullptr;
  ASSERT_OK(tg_layer_get_state(layer.as.layer, &state));
  size_t tensors = 0;
  EXPECT_OK(tg_state_count(state, &tensors));
  ASSERT_EQ(tensors, 2u);
  std::vector<tg_tensor> parameters(2);
  for (size_t i = 0; i < 2; ++i) {
    tg_value name = {};
    EXPECT_OK(tg_state_at(state, i, &name, &parameters[i]));
    EXPECT_STREQ(name.as.text, i == 0 ? "bias" : "weight");
    EXPECT_OK(tg_value_clear(&name));
  }
  EXPECT_EQ(tg_state_at(state, 2, nullptr, nullptr), TG_ERROR_INDEX);
  tg_value list = {};
  list.kind = TG_TENSORS;
  list.count = parameters.size();
  list.as.tensors = parameters.data();
  tg_value optimizer = {};
  ASSERT_OK(call("nn.SGD", {list, float_value(0.1)}, &optimizer));
  ASSERT_EQ(optimizer.kind, TG_OPTIMIZER);
  const tg_tensor x = vector_of({1, 2, 3});
  float loss = 0;
  for (int step = 0; step < 20; ++step) {
    tg_tensor y = nullptr;
    ASSERT_OK(tg_layer_call(layer.as.layer, x, &y));
    const tg_tensor away = tensor_from("sub", {tensor_value(y), int_value(5)});
    const tg_tensor squared = tensor_from("square", {tensor_value(away)});
    const tg_tensor sum = tensor_from("sum", {tensor_value(squared)});
    ASSERT_OK(tg_optimizer_step(optimizer.as.optimizer, sum));
    loss = floats_of(sum)[0];
    for (tg_tensor t : {y, away, squared, sum}) EXPECT_OK(tg_release(t));
    if (step == 0) {
      EXPECT_OK(tg_optimizer_set_lr(optimizer.as.optimizer, 0.01));
    }
  }
  EXPECT_LT(loss, 1.f);
  double rate = 0;
  EXPECT_OK(tg_optimizer_lr(optimizer.as.optimizer, &rate));
  EXPECT_EQ(rate, 0.01);

  const std::string path = ::testing::TempDir() + "/capi_state.safetensors";
  ASSERT_OK(tg_state_save(state, path.c_str()));
  tg_state loaded = nullptr;
  ASSERT_OK(tg_state_load(path.c_str(), nullptr, &loaded));
  EXPECT_OK(tg_state_assign(state, loaded));
  tg_tensor weight = nullptr;
  EXPECT_OK(tg_state_get(loaded, "weight", &weight));
  EXPECT_EQ(floats_of(weight), floats_of(parameters[1]));
  tg_tensor missing = nullptr;
  EXPECT_EQ(tg_state_get(loaded, "none", &missing), TG_ERROR_ARGUMENT);
  EXPECT_OK(tg_state_set(loaded, "extra", weight));
  EXPECT_EQ(tg_state_assign(state, loaded), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_state_load("/no/such/file", nullptr, &loaded), TG_ERROR_FILE);
  tg_state with_facts = nullptr;
  tg_value facts{};
  ASSERT_OK(tg_state_load_with_facts(path.c_str(), nullptr, &with_facts, &facts));
  ASSERT_EQ(facts.kind, TG_STRING);
  EXPECT_STREQ(facts.as.text, "{}");
  tg_value_clear(&facts);
  tg_release(with_facts);
  EXPECT_EQ(tg_state_load_with_facts(path.c_str(), nullptr, &with_facts, nullptr),
            TG_ERROR_ARGUMENT);
  std::remove(path.c_str());

  for (tg_tensor t : {x, weight, parameters[0], parameters[1]}) EXPECT_OK(tg_release(t));
  EXPECT_OK(tg_release(state));
  EXPECT_OK(tg_release(loaded));
  EXPECT_OK(tg_value_clear(&layer));
  EXPECT_OK(tg_value_clear(&optimizer));
}

TEST_F(CApi, BlocksOfGgmlBecomeFloats) {
  std::array<uint8_t, 34> block{};
  block[1] = 0x3c;  // the scale, 1.0
  block[2] = 5;
  block[33] = 0xff;
  const int64_t size = 34;
  tg_tensor bytes = nullptr, floats = nullptr;
  ASSERT_OK(
      tg_tensor_from_data(block.data(), block.size(), TG_DTYPE_UINT8, &size, 1, nullptr, &bytes));
  ASSERT_OK(tg_ggml_tensor(bytes, 32, 8, &floats));
  std::vector<float> expected(32, 0.0F);
  expected.front() = 5;
  expected.back() = -1;
  EXPECT_EQ(floats_of(floats), expected);
  EXPECT_EQ(tg_ggml_tensor(bytes, 64, 8, &floats), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_ggml_tensor(bytes, 32, 8, nullptr), TG_ERROR_ARGUMENT);
  EXPECT_OK(tg_release(bytes));
  EXPECT_OK(tg_release(floats));
}

TEST_F(CApi, GradientsAreClipped) {
  const std::array<tg_tensor, 2> parameters = {vector_of({1}), vector_of({1})};
  const std::array<tg_tensor, 2> slopes = {vector_of({3}), vector_of({-4})};
  for (size_t i = 0; i < 2; ++i)
    EXPECT_OK(tg_release(
        tensor_from("set_grad", {tensor_value(parameters[i]), tensor_value(slopes[i])})));
  tg_value all = {};
  all.kind = TG_TENSORS;
  all.count = parameters.size();
  all.as.tensors = parameters.data();
  tg_tensor norm = tensor_from("nn.clip_grad_norm", {all, float_value(1)});
  EXPECT_FLOAT_EQ(floats_of(norm)[0], 5);
  tg_tensor slope = tensor_from("grad", {tensor_value(parameters[1])});
  EXPECT_NEAR(floats_of(slope)[0], -0.8, 1e-5);
  EXPECT_OK(tg_release(slope));
  tg_value none = {};
  ASSERT_OK(call("nn.clip_grad_value", {all, float_value(0.25)}, &none));
  slope = tensor_from("grad", {tensor_value(parameters[1])});
  EXPECT_EQ(floats_of(slope)[0], -0.25);
  EXPECT_EQ(call("nn.clip_grad_value", {all, float_value(-1)}, &none), TG_ERROR_ARGUMENT);
  for (tg_tensor t : {parameters[0], parameters[1], slopes[0], slopes[1], norm, slope})
    EXPECT_OK(tg_release(t));
}

TEST_F(CApi, LstmCellGivesItsStateAndTakesItAgain) {
  tg_value cell = {};
  ASSERT_OK(call("nn.LSTMCell", {int_value(3), int_value(2)}, &cell));
  const tg_layer layer = cell.as.layer;
  const std::vector<int64_t> sizes = {1, 3};
  const tg_tensor row = vector_of({1, 2, 3});
  const tg_tensor x = tensor_from("reshape", {tensor_value(row), ints_value(sizes)});
  std::array<tg_tensor, 2> first = {}, second = {};
  size_t count = 0;
  ASSERT_OK(tg_layer_apply(layer, &x, 1, first.data(), first.size(), &count));
  EXPECT_EQ(count, 2u);
  const std::array<tg_tensor, 3> inputs = {x, first[0], first[1]};
  ASSERT_OK(tg_layer_apply(layer, inputs.data(), 3, second.data(), second.size(), &count));
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(floats_of(first[0]).size(), 2u);
  EXPECT_NE(floats_of(first[0]), floats_of(second[0]));
  EXPECT_NE(floats_of(first[1]), floats_of(second[1]));

  std::array<tg_tensor, 2> untouched = {};
  EXPECT_EQ(tg_layer_apply(layer, &x, 1, untouched.data(), 1, &count), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_layer_apply(layer, inputs.data(), 2, untouched.data(), 2, &count),
            TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_layer_apply(layer, nullptr, 1, untouched.data(), 2, &count), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_layer_apply(layer, nullptr, 0, untouched.data(), 2, &count), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_layer_apply(layer, &x, 1, nullptr, 2, &count), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_layer_apply(layer, &x, 1, untouched.data(), 2, nullptr), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_layer_apply(nullptr, &x, 1, untouched.data(), 2, &count), TG_ERROR_HANDLE);
  EXPECT_EQ(tg_layer_call(layer, x, untouched.data()), TG_ERROR_ARGUMENT);
  EXPECT_NE(std::string(tg_error_message()).find("tg_layer_apply"), std::string::npos);
  EXPECT_EQ(untouched, (std::array<tg_tensor, 2>{}));
  for (tg_tensor t : {row, x, first[0], first[1], second[0], second[1]}) EXPECT_OK(tg_release(t));
  EXPECT_OK(tg_value_clear(&cell));
}

TEST_F(CApi, LayersTakeStatesAndMasksBehindX) {
  const tg_tensor numbers = vector_of({1, -2, 3, 0.5F, 2, -1});
  const std::vector<int64_t> steps = {3, 1, 2}, rows = {3, 2};
  const tg_tensor x = tensor_from("reshape", {tensor_value(numbers), ints_value(steps)});
  std::array<tg_tensor, 2> first = {}, second = {};
  size_t count = 0;
  tg_value gru = {}, attention = {};
  ASSERT_OK(call("nn.GRU", {int_value(2), int_value(2)}, &gru));
  ASSERT_OK(tg_layer_apply(gru.as.layer, &x, 1, first.data(), 2, &count));
  EXPECT_EQ(count, 2u);
  const std::array<tg_tensor, 2> with_state = {x, first[1]};
  ASSERT_OK(tg_layer_apply(gru.as.layer, with_state.data(), 2, second.data(), 2, &count));
  EXPECT_EQ(floats_of(first[0]).size(), 6u);
  EXPECT_NE(floats_of(first[1]), floats_of(second[1]));

  ASSERT_OK(call("nn.MultiHeadAttention", {int_value(2), int_value(1)}, &attention));
  const tg_tensor y = tensor_from("reshape", {tensor_value(numbers), ints_value(rows)});
  const tg_tensor column = vector_of({1, 0, 0});
  const tg_tensor mask = tensor_from("ne", {tensor_value(column), float_value(0)});
  const std::array<tg_tensor, 2> with_mask = {y, mask};
  std::array<tg_tensor, 2> seen = {};
  ASSERT_OK(tg_layer_apply(attention.as.layer, with_mask.data(), 2, seen.data(), 1, &count));
  EXPECT_EQ(count, 1u);
  const std::vector<float> out = floats_of(seen[0]);  // all rows are that of the one key
  ASSERT_EQ(out.size(), 6u);
  EXPECT_NEAR(out[0], out[2], 1e-6);
  EXPECT_NEAR(out[1], out[5], 1e-6);
  for (tg_tensor t :
       {numbers, x, first[0], first[1], second[0], second[1], y, column, mask, seen[0]})
    EXPECT_OK(tg_release(t));
  EXPECT_OK(tg_value_clear(&gru));
  EXPECT_OK(tg_value_clear(&attention));
}

TEST_F(CApi, AMaskIsAnItemOfAnIndex) {
  const tg_tensor x = vector_of({1, 2, 3});
  const tg_tensor mask = tensor_from("ne", {tensor_value(x), float_value(2)});
  tg_index_item item = {};
  item.kind = TG_INDEX_GATHER;
  item.at = tensor_value(mask);
  tg_value index = {};
  index.kind = TG_INDEX;
  index.count = 1;
  index.as.items = &item;
  const tg_tensor picked = tensor_from("index", {tensor_value(x), index});
  EXPECT_EQ(floats_of(picked), (std::vector<float>{1, 3}));
  const tg_tensor same = tensor_from("set", {tensor_value(x), index, float_value(7)});
  EXPECT_EQ(floats_of(x), (std::vector<float>{7, 2, 7}));
  for (tg_tensor t : {x, mask, picked, same}) EXPECT_OK(tg_release(t));
}

TEST_F(CApi, SeveralOptimisersTakeOneStep) {
  std::array<tg_tensor, 2> parameters = {vector_of({1}), vector_of({2})};
  std::array<tg_value, 2> made = {};
  std::array<tg_optimizer, 2> optimizers = {};
  for (size_t i = 0; i < 2; ++i) {
    tg_value list = {};
    list.kind = TG_TENSORS;
    list.count = 1;
    list.as.tensors = &parameters[i];
    ASSERT_OK(call("nn.SGD", {list, float_value(i == 0 ? 0.5 : 0.25)}, &made[i]));
    optimizers[i] = made[i].as.optimizer;
  }
  const tg_tensor product =
      tensor_from("mul", {tensor_value(parameters[0]), tensor_value(parameters[1])});
  const tg_tensor loss = tensor_from("sum", {tensor_value(product)});
  ASSERT_OK(tg_optimizer_step_together(optimizers.data(), 2, loss));
  EXPECT_EQ(floats_of(parameters[0]), std::vector<float>{0});
  EXPECT_EQ(floats_of(parameters[1]), std::vector<float>{1.75});
  EXPECT_EQ(tg_optimizer_step_together(optimizers.data(), 0, loss), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_optimizer_step_together(nullptr, 1, loss), TG_ERROR_ARGUMENT);
  const std::array<tg_optimizer, 2> twice = {optimizers[0], optimizers[0]};
  EXPECT_EQ(tg_optimizer_step_together(twice.data(), 2, loss), TG_ERROR_ARGUMENT);
  for (tg_tensor t : {parameters[0], parameters[1], product, loss}) EXPECT_OK(tg_release(t));
  for (tg_value& v : made) EXPECT_OK(tg_value_clear(&v));
}

TEST_F(CApi, TrainingAndGradientsAreSwitchedByThread) {
  bool before = true;
  EXPECT_OK(tg_set_training(true, &before));
  EXPECT_FALSE(before);
  EXPECT_OK(tg_set_training(false, &before));
  EXPECT_TRUE(before);
  EXPECT_OK(tg_set_grad_enabled(false, &before));
  EXPECT_TRUE(before);
  EXPECT_OK(tg_set_grad_enabled(true, &before));
  EXPECT_FALSE(before);
}

}  // namespace
}  // namespace tg::capi::testing
