// See call.h: which argument goes to which parameter.
#include "tensor/records/call.h"

#include "support/check.h"

namespace tg {

FnParam operand(std::string_view name, std::string_view default_value, std::string_view meaning) {
  FnParam p = {name, "Tensor", default_value, meaning};
  p.number = true;
  return p;
}

FnValue call_fn(const FnRecord& record, std::span<const FnValue> arguments) {
  if (record.call.invoke == nullptr)
    user_error<ArgumentError>(record.name, "this function exists in C++ only");
  return record.call.invoke(record, arguments);
}

namespace detail {

FnReader::FnReader(const FnRecord& record, std::span<const FnValue> arguments)
    : record_(record), arguments_(arguments), self_(record.call.method) {
  const size_t most = record.params.size() + (self_ ? 1 : 0);
  if (arguments.size() > most)
    user_error<ArgumentError>(
        record.name,
        fmt::format("takes at most {} arguments, but {} are given", most, arguments.size()));
}

const FnValue FnReader::kNotGiven;

void FnReader::missing() const {
  user_error<ArgumentError>(record_.name, fmt::format("{} is missing", place().parameter));
}

void FnReader::set_field(void* options) {
  const FnParam& p = record_.params[param_];
  const FnPlace place = this->place();
  if (const FnValue& v = take(); is_given(v)) p.set(options, v, place);
}

}  // namespace detail
}  // namespace tg
