// Values of JSON's text, built as it is read: the order of keys counts, and a tree of nlohmann's
// that keeps it looks through all keys for each. See print.h.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "frontend/template/print.h"
#include "support/check.h"

namespace tg::models::jinja {
namespace {

// Called by nlohmann's parser for each part of a text, in order.
class ValueReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit ValueReader(const std::string& name) : name_(name) {}
  Value take() { return std::move(result_); }

  bool null() override { return add(None{}); }
  bool boolean(bool v) override { return add(v); }
  bool number_integer(int64_t v) override { return add(v); }
  bool number_unsigned(uint64_t v) override {
    if (v > static_cast<uint64_t>(INT64_MAX)) fail("has a whole number of more than 64 bits");
    return add(static_cast<int64_t>(v));
  }
  bool number_float(double v, const std::string&) override { return add(v); }
  bool string(std::string& v) override { return add(std::move(v)); }
  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool start_object(size_t) override { return open(); }
  bool start_array(size_t) override { return open(); }
  bool key(std::string& v) override {
    open_.back().key = std::move(v);
    return true;
  }
  bool end_object() override {
    Dict dict = std::move(open_.back().dict);
    open_.pop_back();
    return add(make_dict(std::move(dict)));
  }
  bool end_array() override {
    std::vector<Value> items = std::move(open_.back().items);
    open_.pop_back();
    return add(make_list(std::move(items)));
  }
  bool parse_error(size_t byte, const std::string&,
                   const nlohmann::json::exception& error) override {
    if (dynamic_cast<const nlohmann::json::out_of_range*>(&error) != nullptr)
      fail("has a number that is out of range");
    fail(fmt::format("is not JSON at byte {}", byte));
  }

 private:
  struct Open {
    std::vector<Value> items;
    Dict dict;
    std::optional<std::string> key;
  };

  [[noreturn]] void fail(std::string_view problem) const {
    user_error<ArgumentError>(name_, problem);
  }

  bool open() {
    if (std::ssize(open_) >= kMostNesting / 2) fail("is nested too deeply");
    open_.emplace_back();
    return true;
  }

  bool add(Value v) {
    if (open_.empty()) {
      result_ = std::move(v);
    } else if (Open& inner = open_.back(); inner.key) {
      inner.dict.set(std::move(*inner.key), std::move(v));
    } else {
      inner.items.push_back(std::move(v));
    }
    return true;
  }

  const std::string& name_;
  std::vector<Open> open_;
  Value result_;
};

}  // namespace

Value value_of_json(std::string_view text, const std::string& name) {
  ValueReader reader(name);
  try {
    nlohmann::json::sax_parse(text.begin(), text.end(), &reader);
  } catch (const Refusal& e) {
    user_error<ArgumentError>(name, e.what());
  }
  return reader.take();
}

}  // namespace tg::models::jinja
