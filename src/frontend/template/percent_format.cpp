// Python's `format % values`. See operators.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "frontend/template/operators.h"
#include "frontend/template/print.h"
#include "frontend/template/python_text.h"
#include "frontend/tokenizer/unicode.h"

namespace tg::models::jinja {
namespace {

constexpr int64_t kWidest = 1000;  // of a field, and digits behind a point

// One %… of a format.
struct Field {
  bool left = false, zeros = false, plus = false, space = false;
  int64_t width = 0, precision = -1;
  char kind = 's';
};

class Filler {
 public:
  Filler(const std::string& format, const Value& values) : format_(format), values_(values) {
    if (const List* list = values.list(); list != nullptr && list->kind == ListKind::Tuple)
      tuple_ = list;
  }

  std::string filled() {
    while (at_ < format_.size()) {
      const size_t next = std::min(format_.find('%', at_), format_.size());
      out_.add(std::string_view(format_).substr(at_, next - at_));
      at_ = next;
      if (at_ < format_.size()) fill_one();
    }
    // What has items may have more than are asked for.
    const bool has_items = values_.dict() != nullptr || values_.is<Undefined>() ||
                           (values_.list() != nullptr && tuple_ == nullptr);
    if (!has_items && used_ < (tuple_ != nullptr ? tuple_->items.size() : 1))
      throw Refusal("a format has fewer places than there are values");
    return out_.take();
  }

 private:
  char take() {
    if (at_ >= format_.size()) throw Refusal("a format ends within a place");
    return format_[at_++];
  }

  Value next_value() {
    const size_t count = tuple_ != nullptr ? tuple_->items.size() : 1;
    if (used_ >= count) throw Refusal("a format has more places than there are values");
    return tuple_ != nullptr ? tuple_->items[used_++] : (++used_, values_);
  }

  int64_t number() {
    int64_t out = 0;
    while (at_ < format_.size() && format_[at_] >= '0' && format_[at_] <= '9')
      out = std::min<int64_t>(out * 10 + (format_[at_++] - '0'), kWidest + 1);
    if (out > kWidest) throw Refusal("a format asks for too wide a field");
    return out;
  }

  void fill_one() {
    take();
    std::optional<Value> named;
    if (at_ < format_.size() && format_[at_] == '(') {
      const size_t end = format_.find(')', at_);
      const Dict* dict = values_.dict();
      if (end == std::string::npos || dict == nullptr)
        throw Refusal("a format with names needs a dict");
      const Value* found = dict->find(std::string_view(format_).substr(at_ + 1, end - at_ - 1));
      if (found == nullptr) throw Refusal("a format names what is not there");
      named = *found;
      at_ = end + 1;
    }
    Field f;
    for (char c = take(); true; c = take()) {
      if (c == '-')
        f.left = true;
      else if (c == '0')
        f.zeros = true;
      else if (c == '+')
        f.plus = true;
      else if (c == ' ')
        f.space = true;
      else if (c != '#')
        break;
    }
    --at_;
    f.width = number();
    if (at_ < format_.size() && format_[at_] == '.') {
      ++at_;
      f.precision = number();
    }
    f.kind = take();
    if (f.kind == '%') return out_.add("%");
    add_field(f, named ? *named : next_value());
  }

  void add_field(const Field& f, const Value& v) {
    const bool is_number = f.kind != 's' && f.kind != 'r' && f.kind != 'c' && f.kind != 'a';
    std::string text = is_number ? number_text(f, v) : plain_text(f, v);
    const auto size = static_cast<int64_t>(count_letters(text));
    const size_t missing = static_cast<size_t>(std::max<int64_t>(f.width - size, 0));
    if (f.left) {
      text.append(missing, ' ');
    } else if (f.zeros && is_number) {
      text.insert(text.find_first_not_of("+- "), missing, '0');
    } else {
      text.insert(0, missing, ' ');
    }
    out_.add(text);
  }

  static std::string plain_text(const Field& f, const Value& v) {
    if (f.kind == 'c' && v.text() == nullptr) {
      const int64_t* code = v.whole();
      if (code == nullptr || *code < 0 || *code > 0x10FFFF)
        throw Refusal("%c needs a letter or its number");
      std::string out;
      append_code_point(out, static_cast<char32_t>(*code));
      return out;
    }
    std::string out = f.kind == 's' || f.kind == 'c' ? text_of(v) : repr_of(v);
    if (f.precision >= 0) out.resize(byte_of_letter(out, static_cast<size_t>(f.precision)));
    return out;
  }

  static std::string number_text(const Field& f, const Value& v) {
    if (!v.is_number()) throw Refusal(fmt::format("%{} needs a number", f.kind));
    const std::string_view sign = f.plus ? "+" : f.space ? " " : "";
    const auto with_sign = [&](bool is_negative, const std::string& digits) {
      return fmt::format("{}{}", is_negative ? "-" : sign, digits);
    };
    const double d = v.number();
    switch (f.kind) {
      case 'd':
      case 'i':
      case 'u':
      case 'x':
      case 'X':
      case 'o': {
        const bool is_whole = v.whole() != nullptr;
        const bool is_decimal = f.kind != 'x' && f.kind != 'X' && f.kind != 'o';
        if (!is_whole && (!is_decimal || !(std::abs(d) < 0x1p63)))
          throw Refusal(fmt::format("%{} needs a whole number", f.kind));
        const int64_t n = is_whole ? *v.whole() : static_cast<int64_t>(d);
        const uint64_t size = n < 0 ? 0 - static_cast<uint64_t>(n) : static_cast<uint64_t>(n);
        std::string digits = f.kind == 'x'   ? fmt::format("{:x}", size)
                             : f.kind == 'X' ? fmt::format("{:X}", size)
                             : f.kind == 'o' ? fmt::format("{:o}", size)
                                             : fmt::format("{}", size);
        const auto missing = f.precision - std::ssize(digits);
        if (missing > 0) digits.insert(0, static_cast<size_t>(missing), '0');
        return with_sign(n < 0, digits);
      }
      case 'f':
      case 'F':
      case 'e':
      case 'g': {
        const int precision = static_cast<int>(f.precision < 0 ? 6 : f.precision);
        const double size = std::abs(d);
        return with_sign(std::signbit(d) && !std::isnan(d),
                         f.kind == 'e'   ? fmt::format("{:.{}e}", size, precision)
                         : f.kind == 'g' ? fmt::format("{:.{}g}", size, precision)
                                         : fmt::format("{:.{}f}", size, precision));
      }
      default:
        throw Refusal(fmt::format("a format has the unknown kind %{}", f.kind));
    }
  }

  const std::string& format_;
  const Value& values_;
  const List* tuple_ = nullptr;
  size_t at_ = 0, used_ = 0;
  TextBuilder out_;
};

}  // namespace

std::string filled_in(const std::string& format, const Value& values) {
  return Filler(format, values).filled();
}

}  // namespace tg::models::jinja
