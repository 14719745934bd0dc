// Functions with gradients of the user's making, as callbacks.
#include <memory>

#include "capi/guard.h"
#include "capi/handles.h"
#include "tg/autograd.h"

using namespace tg;
using namespace tg::capi;

namespace {

constexpr const char* kName = "tg_custom";

// Both callbacks; released with the last gradient function that needs them.
struct Callbacks {
  tg_custom_body forward, backward;
  void* user;
  tg_free_callback release;

  Callbacks(tg_custom_body forward, tg_custom_body backward, void* user, tg_free_callback release)
      : forward(forward), backward(backward), user(user), release(release) {}
  ~Callbacks() {
    if (release != nullptr) release(user);
  }
  Callbacks(const Callbacks&) = delete;
  Callbacks& operator=(const Callbacks&) = delete;

  std::vector<std::optional<Tensor>> run(tg_custom_body body, const std::vector<Tensor>& arguments,
                                         size_t count) const {
    const TensorHandles given(arguments);
    TensorHandles results(count);
    run_callback(kName, [&] {
      return body(user, given.list.data(), given.list.size(), results.list.data(), count);
    });
    std::vector<std::optional<Tensor>> out;
    for (tg_tensor t : results.list)
      out.push_back(t == nullptr ? std::nullopt : std::optional(object<Tensor>(t, kName)));
    return out;
  }
};

}  // namespace

tg_status tg_custom(tg_custom_body forward, tg_custom_body backward, void* user,
                    tg_free_callback release, const tg_tensor* inputs, size_t count,
                    tg_tensor* result) {
  return guarded([&] {
    const auto callbacks = std::make_shared<Callbacks>(forward, backward, user, release);
    given(result, kName, "result");
    if (forward == nullptr || backward == nullptr)
      user_error<ArgumentError>(kName, "forward and backward must not be null");
    if (count > 0) given(inputs, kName, "inputs");
    std::vector<Tensor> tensors;
    for (size_t i = 0; i < count; ++i) tensors.push_back(object<Tensor>(inputs[i], kName));
    const auto value = [&](const std::vector<Tensor>& x) {
      const auto out = callbacks->run(callbacks->forward, x, 1);
      if (!out[0]) user_error<ArgumentError>(kName, "forward gave no result");
      return *out[0];
    };
    const auto gradients = [callbacks](const std::vector<Tensor>& x, const Tensor& y,
                                       const Tensor& dy) {
      std::vector<Tensor> all = x;
      all.insert(all.end(), {y, dy});
      return callbacks->run(callbacks->backward, all, x.size());
    };
    *result = make_handle<tg_tensor>(custom_gradient(value, gradients, tensors));
  });
}
