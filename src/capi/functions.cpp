// Functions by name: see functions.h.
#include "capi/functions.h"

#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include "capi/guard.h"
#include "capi/handles.h"
#include "capi/values.h"
#include "engine/recorder.h"
#include "nn/records.h"
#include "support/options.h"
#include "tensor/state.h"

namespace tg::capi {
namespace {

std::vector<tg_function_record> collect() {
  std::vector<tg_function_record> out;
  const auto add = [&](std::string_view prefix, const std::vector<FnFamily>& families) {
    for (const FnFamily& family : families) {
      for (const FnRecord& r : family.functions) {
        if (r.call.invoke == nullptr) continue;
        out.push_back({std::string(prefix) + std::string(r.name), family.title, &r});
      }
    }
  };
  add("", fn_families());
  add("nn.", nn::families());
  add("", nn::library_families());
  return out;
}

const std::unordered_map<std::string_view, tg_function>& by_name() {
  static const auto map = [] {
    std::unordered_map<std::string_view, tg_function> m;
    for (const tg_function_record& f : functions()) m.emplace(f.name, &f);
    return m;
  }();
  return map;
}

// The record, if the pointer is one of ours.
const FnRecord& checked(tg_function function) {
  const auto all = functions();
  const std::less<> before;
  const bool inside = !before(function, all.data()) && before(function, all.data() + all.size());
  const auto offset = static_cast<size_t>(reinterpret_cast<const char*>(function) -
                                          reinterpret_cast<const char*>(all.data()));
  if (!inside || offset % sizeof(tg_function_record) != 0)
    throw HandleError("tg_call: the function is none that tg_find_function gave.");
  return *function->record;
}

constexpr size_t kFew = 8;
constexpr size_t kMostArguments = 64;

// Converts exactly so many arguments, without memory from the heap.
template <size_t... kPlaces>
FnValue call_few(const FnRecord& record, const tg_value* arguments,
                 std::index_sequence<kPlaces...>) {
  [[maybe_unused]] std::array<Pin, sizeof...(kPlaces)> pins;
  const std::array<FnValue, sizeof...(kPlaces)> values = {
      lent_from_c(arguments[kPlaces], record.name.data(), pins[kPlaces])...};
  return call_fn(record, values);
}

template <size_t kCount>
FnValue call_exactly(const FnRecord& record, const tg_value* arguments) {
  return call_few(record, arguments, std::make_index_sequence<kCount>());
}

// call_exactly by number of arguments.
template <size_t... kCounts>
constexpr auto calls_of_few(std::index_sequence<kCounts...>) {
  return std::array{call_exactly<kCounts>...};
}
constexpr auto kCallsOfFew = calls_of_few(std::make_index_sequence<kFew + 1>());

FnValue call(const FnRecord& record, const tg_value* arguments, size_t count) {
  if (count > kMostArguments || (arguments == nullptr && count > 0))
    user_error<ArgumentError>("tg_call",
                              fmt::format("{} arguments at {}", count, fmt::ptr(arguments)));
  if (count <= kFew) return kCallsOfFew[count](record, arguments);
  std::vector<Pin> pins(count);
  std::vector<FnValue> values;
  for (size_t i = 0; i < count; ++i)
    values.push_back(lent_from_c(arguments[i], record.name.data(), pins[i]));
  return call_fn(record, values);
}

// Under CHECK_NAN: results are computed where they are asked for, so a kernel that writes a NaN
// fails in the call, and the line, that wanted it. Their graphs stay as they are, for gradients;
// calls that are recorded are looked at when they are replayed.
void compute_now(const FnValue& result) {
  if (Recorder::current() != nullptr) return;
  if (const auto* one = std::get_if<Tensor>(&result)) read_value(one->state());
  if (const auto* all = std::get_if<std::vector<Tensor>>(&result)) {
    for (const Tensor& t : *all) read_value(t.state());
  }
}

}  // namespace

std::span<const tg_function_record> functions() {
  static const std::vector<tg_function_record> all = collect();
  return all;
}

}  // namespace tg::capi

using namespace tg::capi;

tg_status tg_find_function(const char* name, tg_function* function) {
  return guarded([&] {
    given(name, "tg_find_function", "name");
    given(function, "tg_find_function", "function");
    const auto it = by_name().find(name);
    if (it == by_name().end())
      tg::user_error<tg::ArgumentError>("tg_find_function",
                                        fmt::format("there is no function '{}'", name),
                                        "Hint: manifest.json lists all.");
    *function = it->second;
  });
}

tg_status tg_call(tg_function function, const tg_value* arguments, size_t count, tg_value* result) {
  return guarded([&] {
    const tg::FnRecord& record = checked(function);
    tg::FnValue out = call(record, arguments, count);
    if (tg::options().check_nan > 0) compute_now(out);
    if (result != nullptr) *result = to_c(std::move(out), record.call.result.kind);
  });
}
