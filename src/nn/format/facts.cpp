// Facts as values of the types that programs ask for.
#include "support/check.h"
#include "tg/files.h"

namespace tg::nn {
namespace {

template <typename T>
const T& get(const Fact& fact, std::string_view function, std::string_view what) {
  if (const T* value = std::get_if<T>(&fact.value)) return *value;
  constexpr std::string_view kKinds[] = {"a bool",  "a whole number", "a large whole number",
                                         "a float", "a text",         "a list"};
  user_error<ArgumentError>(
      function, fmt::format("the fact is {}, not {}", kKinds[fact.value.index()], what));
}

}  // namespace

bool Fact::as_bool() const { return get<bool>(*this, "as_bool", "a bool"); }
int64_t Fact::as_int() const { return get<int64_t>(*this, "as_int", "a whole number"); }
double Fact::as_float() const {
  if (const auto* whole = std::get_if<int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* large = std::get_if<uint64_t>(&value)) return static_cast<double>(*large);
  return get<double>(*this, "as_float", "a number");
}
const std::string& Fact::as_text() const { return get<std::string>(*this, "as_text", "a text"); }
const Fact::List& Fact::as_list() const { return get<List>(*this, "as_list", "a list"); }

}  // namespace tg::nn
