// The reader: header, facts, the list of tensors, and at last where each tensor lies.
#include "nn/format/gguf.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <set>

#include "nn/format/ggml_type.h"
#include "nn/format/little_endian.h"
#include "nn/format/utf8.h"
#include "support/check.h"

namespace tg::nn {
namespace {

constexpr std::string_view kGgufMagic = "GGUF";
constexpr uint32_t kText = 8, kArray = 9;
constexpr int kMostListDepth = 8;
constexpr uint32_t kMostAxes = 8;
constexpr uint64_t kMostFacts = 1 << 23;  // elements of lists among them
constexpr uint64_t kWindow = 1 << 20;
constexpr int64_t kMostAlignment = 1 << 20;

// Bytes of a number of this type; 0 for what is none.
size_t number_size(uint32_t type) {
  constexpr size_t kSizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  return type < std::size(kSizes) ? kSizes[type] : 0;
}

class GgufReader {
 public:
  explicit GgufReader(const ByteSource& source) : source_(source) {}

  GgufFile read() {
    if (text_of(4) != kGgufMagic) fail("is no GGUF file: it does not begin as one");
    if (const uint64_t version = number(4); version != 2 && version != 3)
      fail(fmt::format("has version {:#x} of GGUF, only 2 and 3 are read", version));
    const uint64_t tensors = number(8), facts = number(8);
    for (uint64_t i = 0; i < facts; ++i) add_fact();
    for (uint64_t i = 0; i < tensors; ++i) add_tensor();
    place_tensors();
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(std::string_view problem) const {
    user_error<FileError>("read_gguf", fmt::format("\"{}\" {}", source_.name(), problem));
  }

  // ---- bytes, read ahead a window at a time

  std::string_view take(uint64_t count) {
    if (count > source_.size() - at_)
      fail(fmt::format("is truncated: {} bytes are needed at {}, {} are left", count, at_,
                       source_.size() - at_));
    if (at_ < window_begin_ || at_ + count > window_begin_ + window_.size()) {
      window_begin_ = at_;
      window_ = source_.read(at_, std::min(std::max(count, kWindow), source_.size() - at_));
    }
    const auto taken = std::string_view(window_).substr(at_ - window_begin_, count);
    at_ += count;
    return taken;
  }
  uint64_t number(size_t bytes) { return little_endian(take(bytes), 0, bytes); }
  std::string text_of(uint64_t size) { return std::string(take(size)); }
  std::string text() { return text_of(number(8)); }
  std::string name(std::string_view what) {
    std::string n = text();
    if (const size_t valid = valid_utf8_prefix(n); valid != n.size())
      fail(fmt::format("has the name of a {} that is not UTF-8 before byte {}", what, at_));
    return n;
  }

  // ---- facts

  void add_fact() {
    std::string key = name("fact");
    const auto type = static_cast<uint32_t>(number(4));
    Fact fact = value(type, 0);
    if (!out_.facts.emplace(key, std::move(fact)).second)
      fail(fmt::format("has the fact \"{}\" twice", key));
  }
  void count_fact(uint64_t more) {
    if (more > kMostFacts - facts_) fail(fmt::format("has more than {} facts", kMostFacts));
    facts_ += more;
  }
  Fact value(uint32_t type, int depth) {
    count_fact(1);
    if (type == kText) return {text()};
    if (type == kArray) return array(depth);
    if (number_size(type) == 0)
      fail(fmt::format("has a fact of type {} before byte {}", type, at_));
    return number_fact(type);
  }
  Fact array(int depth) {
    const auto type = static_cast<uint32_t>(number(4));
    const uint64_t count = number(8);
    const uint64_t least = type == kText ? 8 : type == kArray ? 12 : number_size(type);
    if (depth == kMostListDepth) fail(fmt::format("has lists more than {} deep", kMostListDepth));
    if (least == 0) fail(fmt::format("has a list of type {} before byte {}", type, at_));
    if (count > (source_.size() - at_) / least)
      fail(fmt::format("is truncated: a list of {} elements begins at {} of {}", count, at_,
                       source_.size()));
    count_fact(count);
    facts_ -= count;  // each counts itself
    Fact::List list;
    list.reserve(count);
    for (uint64_t i = 0; i < count; ++i) list.push_back(value(type, depth + 1));
    return {std::move(list)};
  }
  Fact number_fact(uint32_t type) {
    const uint64_t bits = number(number_size(type));
    switch (type) {
      case 1:
        return {int64_t{static_cast<int8_t>(bits)}};
      case 3:
        return {int64_t{static_cast<int16_t>(bits)}};
      case 5:
        return {int64_t{static_cast<int32_t>(bits)}};
      case 6:
        return {double{std::bit_cast<float>(static_cast<uint32_t>(bits))}};
      case 7:
        return {bits != 0};
      case 10:
        if (bits > INT64_MAX) return {bits};
        return {static_cast<int64_t>(bits)};
      case 12:
        return {std::bit_cast<double>(bits)};
      default:
        return {static_cast<int64_t>(bits)};
    }
  }

  // ---- tensors

  void add_tensor() {
    GgufTensor t;
    t.name = name("tensor");
    const auto axes = static_cast<uint32_t>(number(4));
    if (axes > kMostAxes) fail(fmt::format("has a tensor \"{}\" of {} axes", t.name, axes));
    for (uint32_t i = 0; i < axes; ++i) {
      const uint64_t size = number(8);
      if (size > INT64_MAX) fail(fmt::format("has a tensor \"{}\" whose size overflows", t.name));
      t.shape.insert(t.shape.begin(), static_cast<int64_t>(size));
    }
    t.type = static_cast<uint32_t>(number(4));
    t.begin = number(8);
    measure(t);
    if (!names_.insert(t.name).second) fail(fmt::format("has the tensor \"{}\" twice", t.name));
    out_.tensors.push_back(std::move(t));
  }
  void measure(GgufTensor& t) const {
    const auto layout = ggml_layout(t.type);
    if (!layout)
      fail(
          fmt::format("has a bad tensor \"{}\": GGML type '{}' is not supported!", t.name, t.type));
    int64_t count = 1;
    bool overflow = false;
    for (const int64_t size : t.shape) overflow |= __builtin_mul_overflow(count, size, &count);
    // Rows are whole blocks.
    const int64_t row = t.shape.empty() ? 1 : t.shape.back();
    if (!overflow && row % layout->elements != 0)
      fail(
          fmt::format("has a tensor \"{}\" of shape [{}], whose rows are no whole blocks of {} "
                      "elements of {}",
                      t.name, fmt::join(t.shape, ", "), layout->elements, layout->name));
    int64_t bytes = 0;
    overflow |= __builtin_mul_overflow(count / layout->elements, layout->bytes, &bytes);
    if (overflow) fail(fmt::format("has a tensor \"{}\" whose size overflows", t.name));
    t.bytes = static_cast<uint64_t>(bytes);
  }
  uint64_t alignment() const {
    const auto found = out_.facts.find("general.alignment");
    if (found == out_.facts.end()) return 32;
    const auto* step = std::get_if<int64_t>(&found->second.value);
    if (step == nullptr || *step < 1 || *step > kMostAlignment)
      fail("has an alignment that is no number from 1 on");
    return static_cast<uint64_t>(*step);
  }
  // Tensors lie behind the list of them, and no two share a byte.
  void place_tensors() {
    const uint64_t step = alignment(), begin = (at_ + step - 1) / step * step;
    std::vector<const GgufTensor*> order;
    for (GgufTensor& t : out_.tensors) {
      const bool overflow = __builtin_add_overflow(t.begin, begin, &t.begin);
      if (overflow || t.begin > source_.size() || t.bytes > source_.size() - t.begin)
        fail(fmt::format("is truncated: the tensor \"{}\" of {} bytes begins at {} of {}", t.name,
                         t.bytes, t.begin, source_.size()));
      if (t.bytes != 0) order.push_back(&t);
    }
    std::sort(order.begin(), order.end(),
              [](const GgufTensor* a, const GgufTensor* b) { return a->begin < b->begin; });
    for (size_t i = 1; i < order.size(); ++i)
      if (order[i]->begin - order[i - 1]->begin < order[i - 1]->bytes)
        fail(fmt::format("has a tensor \"{}\" that begins at {} within \"{}\"", order[i]->name,
                         order[i]->begin, order[i - 1]->name));
  }

  const ByteSource& source_;
  uint64_t at_ = 0;
  uint64_t window_begin_ = 0;
  std::string window_;
  uint64_t facts_ = 0;
  std::set<std::string> names_;
  GgufFile out_;
};

}  // namespace

GgufFile parse_gguf(const ByteSource& source) { return GgufReader(source).read(); }

bool is_gguf(const ByteSource& source) {
  return source.size() >= 4 && source.read(0, 4) == kGgufMagic;
}

}  // namespace tg::nn
