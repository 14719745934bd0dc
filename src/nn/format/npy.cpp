// The header of a .npy file is the text of a Python dict with three keys. It is read as such a
// text, not searched: keys may stand in any order, and nothing else may stand there.
#include "nn/format/npy.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "dtype/convert.h"
#include "nn/format/little_endian.h"
#include "nn/format/utf8.h"
#include "support/check.h"

namespace tg::nn {
namespace {

constexpr std::string_view kNpyMagic = "\x93NUMPY";
constexpr uint64_t kMaxNpyHeader = 1 << 20;

constexpr std::pair<DType, std::string_view> kNpyNames[] = {
    {DType::Bool, "|b1"},    {DType::Int8, "|i1"},    {DType::UInt8, "|u1"},
    {DType::Int16, "<i2"},   {DType::UInt16, "<u2"},  {DType::Int32, "<i4"},
    {DType::UInt32, "<u4"},  {DType::Int64, "<i8"},   {DType::UInt64, "<u8"},
    {DType::Float16, "<f2"}, {DType::Float32, "<f4"}, {DType::Float64, "<f8"},
};

[[noreturn]] void fail_npy(const ByteSource& source, std::string_view problem) {
  user_error<FileError>("read_npy", fmt::format("\"{}\" {}", source.name(), problem));
}

// The text of the header, from a brace to a brace.
class HeaderReader {
 public:
  HeaderReader(const ByteSource& source, std::string_view text) : source_(source), text_(text) {}

  NpyArray read() {
    expect('{');
    while (!accept('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr")
        read_type();
      else if (key == "fortran_order")
        array_.fortran = read_flag();
      else if (key == "shape")
        read_shape();
      else
        refuse(fmt::format("an unknown key at {}", at_));
      seen_ += key == "descr" ? 1 : key == "shape" ? 100 : 10;
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_spaces();
    if (at_ != text_.size()) refuse(fmt::format("more text at {}", at_));
    if (seen_ != 111) refuse("not each of descr, fortran_order and shape once");
    return array_;
  }

 private:
  [[noreturn]] void refuse(std::string_view problem) const {
    fail_npy(source_, fmt::format("has a bad header: {}", problem));
  }
  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool accept(char c) {
    skip_spaces();
    const bool found = at_ < text_.size() && text_[at_] == c;
    at_ += found ? 1 : 0;
    return found;
  }
  void expect(char c) {
    if (!accept(c)) refuse(fmt::format("no {} at {}", c, at_));
  }
  std::string_view quoted() {
    skip_spaces();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') refuse(fmt::format("no text at {}", at_));
    const size_t end = text_.find(quote, at_ + 1);
    if (end == text_.npos) refuse(fmt::format("a text without an end at {}", at_));
    const std::string_view text = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return text;
  }
  void read_type() {
    skip_spaces();
    if (at_ < text_.size() && text_[at_] == '[')
      fail_npy(source_, "has elements of several fields, which are not read");
    const std::string_view name = quoted();
    const std::optional<NpyType> type = npy_type(name);
    if (!type)
      fail_npy(source_,
               fmt::format("has elements of type \"{}\", which are not read", printable(name)));
    array_.dtype = type->dtype;
    array_.swapped = type->swapped;
  }
  bool read_flag() {
    skip_spaces();
    for (const std::string_view word : {"True", "False"}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return word == "True";
    }
    refuse(fmt::format("neither True nor False at {}", at_));
  }
  void read_shape() {
    expect('(');
    while (!accept(')')) {
      array_.shape.push_back(read_size());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
  }
  int64_t read_size() {
    skip_spaces();
    int64_t size = 0;
    const size_t first = at_;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_)
      if (__builtin_mul_overflow(size, 10, &size) ||
          __builtin_add_overflow(size, text_[at_] - '0', &size))
        refuse(fmt::format("a size that overflows at {}", first));
    if (at_ == first) refuse(fmt::format("no size at {}", at_));
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // of Python 2
    return size;
  }

  const ByteSource& source_;
  std::string_view text_;
  size_t at_ = 0;
  int seen_ = 0;
  NpyArray array_;
};

}  // namespace

std::optional<NpyType> npy_type(std::string_view name) {
  if (name.size() < 2) return std::nullopt;
  const char order = name.front();
  std::string_view kind = name;
  if (std::string_view("<>|=").find(order) != name.npos) kind.remove_prefix(1);
  for (const auto& [dtype, known] : kNpyNames) {
    if (known.substr(1) != kind) continue;
    return NpyType{dtype, order == '>' && dtype_size(dtype) > 1};
  }
  return std::nullopt;
}

std::string_view npy_type_name(DType t) {
  for (const auto& [dtype, name] : kNpyNames)
    if (dtype == t) return name;
  return {};
}

NpyArray read_npy(const ByteSource& source) {
  if (source.size() < 10 || source.read(0, kNpyMagic.size()) != kNpyMagic)
    fail_npy(source, "is no file of NumPy: it does not begin as one");
  const std::string version = source.read(6, 2);
  const size_t wide = version[0] == 1 ? 2 : 4;
  if (version[0] < 1 || version[0] > 3)
    fail_npy(source, fmt::format("has version {}, which is not read", int{version[0]}));
  const uint64_t length = little_endian(source.read(8, wide), 0, wide);
  if (length > kMaxNpyHeader) fail_npy(source, fmt::format("has a header of {} bytes", length));
  NpyArray array = HeaderReader(source, source.read(8 + wide, length)).read();
  array.begin = 8 + wide + length;
  array.bytes = static_cast<uint64_t>(dtype_size(array.dtype));
  bool overflow = false;
  for (const int64_t size : array.shape)
    overflow |= __builtin_mul_overflow(array.bytes, static_cast<uint64_t>(size), &array.bytes);
  const uint64_t follow = source.size() - array.begin;
  if (overflow || array.bytes != follow)
    fail_npy(source, fmt::format("{}: {} [{}] does not take the {} bytes behind its header",
                                 overflow || array.bytes > follow ? "is truncated" : "is too long",
                                 dtype_name(array.dtype), fmt::join(array.shape, ", "), follow));
  return array;
}

std::string read_npy_data(const ByteSource& source, const NpyArray& array) {
  std::string bytes = source.read(array.begin, array.bytes);
  if (array.swapped) swap_bytes(bytes, static_cast<size_t>(dtype_size(array.dtype)));
  return bytes;
}

std::string npy_bytes(std::string_view elements, DType dtype, const std::vector<int64_t>& shape) {
  const std::string_view type = npy_type_name(dtype);
  if (type.empty())
    user_error<DTypeError>("write_npy", fmt::format("NumPy has no type for {}", dtype_name(dtype)),
                           "Hint: cast to float32, or write safetensors.");
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                   type, fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  header.append(63 - (kNpyMagic.size() + 4 + header.size()) % 64, ' ');
  header.push_back('\n');
  std::string file(kNpyMagic);
  file += std::string_view("\x01\x00", 2);
  append_little_endian(file, header.size(), 2);
  file += header;
  file += elements;
  return file;
}

void swap_bytes(std::string& bytes, size_t element) {
  for (size_t i = 0; i + element <= bytes.size(); i += element)
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                 bytes.begin() + static_cast<std::ptrdiff_t>(i + element));
}

std::pair<int64_t, double> number_of(std::string_view element, DType dtype) {
  const uint64_t bits = little_endian(element, 0, element.size());
  if (is_float(dtype)) return {0, float_from_bits(bits, dtype)};
  const auto shift = static_cast<int>(64 - 8 * element.size());
  const auto signed_value = static_cast<int64_t>(bits << shift) >> shift;
  return {is_unsigned(dtype) || is_bool(dtype) ? static_cast<int64_t>(bits) : signed_value, 0};
}

}  // namespace tg::nn
