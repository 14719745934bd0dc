// Layers, optimisers, tensors by name, and the switches of a thread that they go by.
#include <iterator>

#include "capi/guard.h"
#include "capi/handles.h"
#include "capi/values.h"
#include "nn/facts_json.h"
#include "nn/objects.h"
#include "tg/autograd.h"
#include "tg/datasets.h"
#include "tg/state.h"

using namespace tg;
using namespace tg::capi;

namespace {

// The object as the class that its kind says.
template <typename T>
std::shared_ptr<T> as(const void* handle, const char* function) {
  auto o = object<std::shared_ptr<FnObject>>(handle, function);
  if (o->kind() != T::kFnType.kind)
    throw HandleError(fmt::format("{}: the handle must be of kind {}, not {}.", function,
                                  fn_kind_name(T::kFnType.kind), fn_kind_name(o->kind())));
  return std::static_pointer_cast<T>(std::move(o));
}

std::vector<Tensor> apply(tg_layer layer, std::span<const Tensor> inputs, const char* function) {
  const auto l = as<nn::LayerObject>(layer, function);
  return l->apply(inputs);
}

nn::Optimizer& optimizer_of(const std::shared_ptr<nn::OptimizerObject>& o) { return o->get(); }

tg_state new_state(nn::StateDict tensors) {
  return make_handle<tg_state>(std::make_shared<State>(State{std::move(tensors)}));
}

nn::StateDict& tensors_of(const std::shared_ptr<State>& state) { return state->tensors; }

}  // namespace

tg_status tg_set_training(bool training, bool* before) {
  const bool was = set_training(training);
  if (before != nullptr) *before = was;
  return TG_OK;
}

tg_status tg_set_grad_enabled(bool enabled, bool* before) {
  const bool was = set_grad_enabled(enabled);
  if (before != nullptr) *before = was;
  return TG_OK;
}

tg_status tg_layer_call(tg_layer layer, tg_tensor x, tg_tensor* result) {
  return guarded([&] {
    constexpr const char* kName = "tg_layer_call";
    given(result, kName, "result");
    const Tensor input = object<Tensor>(x, kName);
    const std::vector<Tensor> results = apply(layer, {&input, 1}, kName);
    if (results.size() != 1)
      user_error<ArgumentError>(kName, fmt::format("the layer gives {} tensors", results.size()),
                                "Hint: use tg_layer_apply.");
    *result = make_handle<tg_tensor>(results[0]);
  });
}

tg_status tg_layer_apply(tg_layer layer, const tg_tensor* inputs, size_t count, tg_tensor* results,
                         size_t capacity, size_t* result_count) {
  return guarded([&] {
    constexpr const char* kName = "tg_layer_apply";
    given(result_count, kName, "result_count");
    if (count > 0) given(inputs, kName, "inputs");
    std::vector<Tensor> tensors;
    for (size_t i = 0; i < count; ++i) tensors.push_back(object<Tensor>(inputs[i], kName));
    const std::vector<Tensor> all = apply(layer, tensors, kName);
    if (all.size() > capacity)
      user_error<ArgumentError>(kName,
                                fmt::format("{} results do not fit into {}", all.size(), capacity));
    given(results, kName, "results");
    TensorHandles handles(all);
    std::copy(handles.list.begin(), handles.list.end(), results);
    *result_count = all.size();
    handles.list.clear();
  });
}

tg_status tg_layer_get_state(tg_layer layer, tg_state* result) {
  return guarded([&] {
    const auto l = as<nn::LayerObject>(layer, "tg_layer_get_state");
    given(result, "tg_layer_get_state", "result");
    *result = new_state(l->state());
  });
}

tg_status tg_optimizer_step(tg_optimizer optimizer, tg_tensor loss) {
  return guarded([&] {
    const auto o = as<nn::OptimizerObject>(optimizer, "tg_optimizer_step");
    if (loss == nullptr)
      optimizer_of(o).step();
    else
      optimizer_of(o).step(object<Tensor>(loss, "tg_optimizer_step"));
  });
}

tg_status tg_optimizer_step_together(const tg_optimizer* optimizers, size_t count, tg_tensor loss) {
  return guarded([&] {
    constexpr const char* kName = "tg_optimizer_step_together";
    if (count > 0) given(optimizers, kName, "optimizers");
    std::vector<std::shared_ptr<nn::OptimizerObject>> held;
    std::vector<nn::Optimizer*> all;
    for (size_t i = 0; i < count; ++i) {
      held.push_back(as<nn::OptimizerObject>(optimizers[i], kName));
      all.push_back(&optimizer_of(held.back()));
    }
    nn::OptimizerGroup(all).step(object<Tensor>(loss, kName));
  });
}

tg_status tg_optimizer_zero_grad(tg_optimizer optimizer) {
  return guarded(
      [&] { as<nn::OptimizerObject>(optimizer, "tg_optimizer_zero_grad")->get().zero_grad(); });
}

tg_status tg_optimizer_lr(tg_optimizer optimizer, double* rate) {
  return guarded([&] {
    const auto o = as<nn::OptimizerObject>(optimizer, "tg_optimizer_lr");
    given(rate, "tg_optimizer_lr", "rate");
    *rate = optimizer_of(o).lr();
  });
}

tg_status tg_optimizer_set_lr(tg_optimizer optimizer, double rate) {
  return guarded([&] {
    const auto o = as<nn::OptimizerObject>(optimizer, "tg_optimizer_set_lr");
    optimizer_of(o).set_lr(rate);
  });
}

tg_status tg_optimizer_get_state(tg_optimizer optimizer, tg_state* result) {
  return guarded([&] {
    const auto o = as<nn::OptimizerObject>(optimizer, "tg_optimizer_get_state");
    given(result, "tg_optimizer_get_state", "result");
    *result = new_state(o->state());
  });
}

tg_status tg_state_create(tg_state* result) {
  return guarded([&] {
    given(result, "tg_state_create", "result");
    *result = new_state({});
  });
}

tg_status tg_state_set(tg_state state, const char* name, tg_tensor tensor) {
  return guarded([&] {
    constexpr const char* kName = "tg_state_set";
    const auto s = object<std::shared_ptr<State>>(state, kName);
    tensors_of(s).insert_or_assign(given(name, kName, "name"), object<Tensor>(tensor, kName));
  });
}

tg_status tg_state_get(tg_state state, const char* name, tg_tensor* result) {
  return guarded([&] {
    constexpr const char* kName = "tg_state_get";
    const auto s = object<std::shared_ptr<State>>(state, kName);
    const auto it = tensors_of(s).find(given(name, kName, "name"));
    if (it == tensors_of(s).end())
      user_error<ArgumentError>(kName, fmt::format("there is no tensor \"{}\"", name));
    given(result, kName, "result");
    *result = make_handle<tg_tensor>(it->second);
  });
}

tg_status tg_state_merge(tg_state state, const char* prefix, tg_state from) {
  return guarded([&] {
    constexpr const char* kName = "tg_state_merge";
    const auto into = object<std::shared_ptr<State>>(state, kName);
    const nn::StateDict more = tensors_of(object<std::shared_ptr<State>>(from, kName));
    for (const auto& [name, tensor] : more)
      tensors_of(into).insert_or_assign(text_or_empty(prefix) + name, tensor);
  });
}

tg_status tg_state_count(tg_state state, size_t* count) {
  return guarded([&] {
    const auto s = object<std::shared_ptr<State>>(state, "tg_state_count");
    given(count, "tg_state_count", "count");
    *count = tensors_of(s).size();
  });
}

tg_status tg_state_at(tg_state state, size_t i, tg_value* name, tg_tensor* tensor) {
  return guarded([&] {
    const auto s = object<std::shared_ptr<State>>(state, "tg_state_at");
    if (i >= tensors_of(s).size())
      user_error<IndexError>("tg_state_at",
                             fmt::format("tensor {} of {}", i, tensors_of(s).size()));
    const auto it = std::next(tensors_of(s).begin(), static_cast<std::ptrdiff_t>(i));
    OwnedValue text(to_c(it->first));
    if (tensor != nullptr) *tensor = make_handle<tg_tensor>(it->second);
    text.hand_on_to(name);
  });
}

tg_status tg_state_save(tg_state state, const char* path) {
  return guarded([&] {
    const auto s = object<std::shared_ptr<State>>(state, "tg_state_save");
    nn::save(tensors_of(s), given(path, "tg_state_save", "path"));
  });
}

tg_status tg_state_load(const char* path, const char* device, tg_state* result) {
  return guarded([&] {
    given(path, "tg_state_load", "path");
    given(result, "tg_state_load", "result");
    *result = new_state(nn::load(std::filesystem::path(path), text_or_empty(device)));
  });
}

tg_status tg_state_load_with_facts(const char* path, const char* device, tg_state* result,
                                   tg_value* facts) {
  return guarded([&] {
    constexpr const char* kName = "tg_state_load_with_facts";
    given(path, kName, "path");
    given(result, kName, "result");
    given(facts, kName, "facts");
    nn::StateFile file = nn::load_file(std::filesystem::path(path), text_or_empty(device));
    OwnedValue text(to_c(nn::facts_json(file.facts)));
    *result = new_state(std::move(file.tensors));
    text.hand_on_to(facts);
  });
}

tg_status tg_ggml_tensor(tg_tensor bytes, int64_t count, int64_t type, tg_tensor* result) {
  return guarded([&] {
    constexpr const char* kName = "tg_ggml_tensor";
    given(result, kName, "result");
    *result = make_handle<tg_tensor>(nn::ggml_tensor(object<Tensor>(bytes, kName), count, type));
  });
}

tg_status tg_dataset_mnist(const char* device, tg_state* result, tg_value* name) {
  return guarded([&] {
    given(result, "tg_dataset_mnist", "result");
    const datasets::Digits digits = datasets::mnist({.device = text_or_empty(device)});
    OwnedValue text(to_c(digits.name));
    *result = new_state({{"train.images", digits.train.images},
                         {"train.labels", digits.train.labels},
                         {"test.images", digits.test.images},
                         {"test.labels", digits.test.labels}});
    text.hand_on_to(name);
  });
}

tg_status tg_state_assign(tg_state into, tg_state from) {
  return guarded([&] {
    constexpr const char* kName = "tg_state_assign";
    const auto to = object<std::shared_ptr<State>>(into, kName);
    const auto values = object<std::shared_ptr<State>>(from, kName);
    nn::detail::load_state(kName, tensors_of(to), tensors_of(values));
  });
}
