// Captured functions whose body is a callback. What is recorded: tg/jit.h.
#include "tg/jit.h"

#include <array>

#include "capi/guard.h"
#include "capi/handles.h"
#include "capi/values.h"

namespace tg::capi {

/// A captured function and its callback.
struct Jit {
  Jit(tg_jit_body body, void* user, tg_free_callback release, const JitOptions& options)
      : body(body), user(user), release(release), core(options) {}
  ~Jit() {
    if (release != nullptr) release(user);
  }
  Jit(const Jit&) = delete;
  Jit& operator=(const Jit&) = delete;

  tg_jit_body body;
  void* user;
  tg_free_callback release;
  detail::JitCore core;
};

namespace {

constexpr const char* kCall = "tg_jit_call";
constexpr size_t kMostResults = 4096;

// Values that are cleared at the end.
class OwnedValues {
 public:
  explicit OwnedValues(size_t count) : values(count) {}
  ~OwnedValues() {
    for (tg_value& v : values) clear(v);
  }
  OwnedValues(const OwnedValues&) = delete;
  OwnedValues& operator=(const OwnedValues&) = delete;
  std::vector<tg_value> values;
};

// The callback on arguments whose tensors are those that the recording gives.
class CallbackBody final : public detail::JitBody {
 public:
  CallbackBody(const Jit& jit, std::span<const FnValue> arguments)
      : jit_(jit), arguments_(arguments) {}

  std::vector<Tensor> run(const std::vector<Tensor>& bound) override {
    OwnedValues given(arguments_.size());
    size_t next = 0;
    for (size_t i = 0; i < arguments_.size(); ++i) given.values[i] = bound_again(i, bound, next);
    OwnedValues results(kMostResults);
    size_t count = 0;
    run_callback(kCall, [&] {
      return jit_.body(jit_.user, given.values.data(), given.values.size(), results.values.data(),
                       kMostResults, &count);
    });
    return tensors_of(results.values, count);
  }

 private:
  tg_value bound_again(size_t i, const std::vector<Tensor>& bound, size_t& next) const {
    const FnValue& v = arguments_[i];
    if (std::holds_alternative<Tensor>(v)) return to_c(bound[next++]);
    if (const auto* list = std::get_if<std::vector<Tensor>>(&v)) {
      const auto first = bound.begin() + static_cast<std::ptrdiff_t>(next);
      next += list->size();
      return to_c(std::vector<Tensor>(first, first + static_cast<std::ptrdiff_t>(list->size())));
    }
    return to_c(FnValue(v));
  }

  static std::vector<Tensor> tensors_of(std::span<const tg_value> values, size_t count) {
    if (count > values.size())
      user_error<ArgumentError>(
          kCall, fmt::format("the callback gave {} results, more than {}", count, values.size()));
    std::vector<Tensor> out;
    for (const tg_value& v : values.first(count)) {
      if (v.kind != TG_TENSOR)
        user_error<ArgumentError>(kCall, "the results of a captured function must be tensors");
      out.push_back(object<Tensor>(v.as.tensor, kCall));
    }
    return out;
  }

  const Jit& jit_;
  std::span<const FnValue> arguments_;
};

void add(detail::JitArguments& to, const FnValue& v) {
  if (const Tensor* t = std::get_if<Tensor>(&v)) return to.add(*t);
  if (const auto* list = std::get_if<std::vector<Tensor>>(&v)) return to.add(*list);
  if (const SymInt* s = std::get_if<SymInt>(&v)) return to.add(*s);
  if (const bool* b = std::get_if<bool>(&v)) return to.add(*b);
  if (const int64_t* i = std::get_if<int64_t>(&v)) return to.add(*i);
  if (const double* d = std::get_if<double>(&v)) return to.add(*d);
  user_error<ArgumentError>(kCall,
                            fmt::format("an argument is of kind {}", fn_kind_name(kind_of(v))),
                            "Hint: a captured function takes tensors, lists of tensors, sizes and "
                            "numbers.");
}

std::vector<Tensor> call(Jit& jit, const tg_value* arguments, size_t count) {
  std::vector<FnValue> values;
  detail::JitArguments recorded;
  for (size_t i = 0; i < count; ++i) {
    values.push_back(from_c(arguments[i], kCall));
    add(recorded, values.back());
  }
  CallbackBody body(jit, values);
  return jit.core.call(recorded, body);
}

}  // namespace
}  // namespace tg::capi

using namespace tg;
using namespace tg::capi;

tg_status tg_jit_create(tg_jit_body body, void* user, tg_free_callback release,
                        const tg_jit_options* options, tg_jit* result) {
  return guarded([&] {
    constexpr const char* kName = "tg_jit_create";
    if (body == nullptr) user_error<ArgumentError>(kName, "body must not be null");
    given(result, kName, "result");
    constexpr size_t kHas = offsetof(tg_jit_options, alias_outputs) + sizeof(bool);
    const bool alias = options != nullptr && options->struct_size >= kHas && options->alias_outputs;
    const auto jit = std::make_shared<Jit>(body, user, nullptr, JitOptions{.alias_outputs = alias});
    *result = make_handle<tg_jit>(jit);
    jit->release = release;  // from here on: a call that fails leaves `user` to its caller
  });
}

tg_status tg_jit_call(tg_jit jit, const tg_value* arguments, size_t count, tg_tensor* results,
                      size_t capacity, size_t* result_count) {
  return guarded([&] {
    const auto j = object<std::shared_ptr<Jit>>(jit, kCall);
    if (count > 0) given(arguments, kCall, "arguments");
    std::vector<Tensor> out = call(*j, arguments, count);
    if (result_count != nullptr) *result_count = out.size();
    if (out.size() > capacity)
      user_error<ArgumentError>(
          kCall, fmt::format("there are {} results and room for {}", out.size(), capacity));
    if (!out.empty()) given(results, kCall, "results");
    TensorHandles handles(out);
    std::ranges::copy(handles.list, results);
    handles.list.clear();
  });
}

tg_status tg_jit_reset(tg_jit jit) {
  return guarded([&] { object<std::shared_ptr<Jit>>(jit, "tg_jit_reset")->core.reset(); });
}

tg_status tg_jit_get_stats(tg_jit jit, tg_jit_stats* stats) {
  return guarded([&] {
    const JitStats s = object<std::shared_ptr<Jit>>(jit, "tg_jit_get_stats")->core.stats();
    tg_jit_stats out = {};
    out.captured = s.captured;
    out.launches = s.launches;
    out.kernels = s.kernels;
    out.arena_bytes = s.arena_bytes;
    fill(stats, out, "tg_jit_get_stats");
  });
}
