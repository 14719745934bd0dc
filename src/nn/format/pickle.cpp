// The machine of pickles: a stack of values with marks, and a memo. An instruction is a byte with
// arguments behind it; each makes at most one value, so the table is no longer than the input. How
// texts and numbers are written: pickle_text.cpp.
#include "nn/format/pickle.h"

#include <bit>
#include <unordered_map>
#include <utility>

#include "nn/format/little_endian.h"
#include "nn/format/pickle_text.h"
#include "nn/format/utf8.h"
#include "support/check.h"

namespace tg::nn {
namespace {

constexpr size_t kMostNodes = 1 << 22;

class Machine {
 public:
  Machine(std::string_view bytes, std::string_view name, uint64_t begin)
      : bytes_(bytes), name_(name), begin_(begin) {}

  Pickle run() {
    while (!stopped_) {
      start_ = at_;
      const auto op = static_cast<uint8_t>(take(1)[0]);
      if (!run_literal(op) && !run_container(op) && !run_stack(op) && !run_object(op))
        fail(fmt::format("there is no instruction {:#04x}", op));
    }
    pickle_.root = pop();
    pickle_.size = at_;
    return std::move(pickle_);
  }

 private:
  // ---- input

  [[noreturn]] void fail(std::string_view problem) const {
    user_error<FileError>("read_pickle", fmt::format("\"{}\" has a bad pickle at byte {}: {}",
                                                     name_, begin_ + start_, problem));
  }
  std::string_view take(uint64_t count) {
    if (count > bytes_.size() - at_)
      fail(fmt::format("{} bytes are needed, {} are left", count, bytes_.size() - at_));
    const std::string_view taken = bytes_.substr(at_, count);
    at_ += count;
    return taken;
  }
  uint64_t number(size_t bytes) { return little_endian(take(bytes), 0, bytes); }
  std::string_view line() {
    const size_t end = bytes_.find('\n', at_);
    if (end == bytes_.npos) fail("a line does not end");
    const std::string_view taken = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return taken;
  }

  // ---- the table and the stack

  PickleNode& make(PickleKind kind) {
    if (pickle_.nodes.size() == kMostNodes)
      fail(fmt::format("it holds more than {} values", kMostNodes));
    stack_.push_back(static_cast<uint32_t>(pickle_.nodes.size()));
    PickleNode& node = pickle_.nodes.emplace_back();
    node.kind = kind;
    return node;
  }
  void make_number(PickleKind kind, int64_t value) { make(kind).number = value; }
  void make_text(PickleKind kind, std::string text) { make(kind).text = std::move(text); }
  void make_int(std::string_view digits) {
    const std::optional<int64_t> value = decimal_int(digits);
    if (!value) fail(fmt::format("\"{}\" is no whole number of 64 bits", printable(digits)));
    make_number(PickleKind::Int, *value);
  }
  void make_long(std::string_view bytes) {
    if (bytes.size() > 8) return make_text(PickleKind::LargeInt, std::string(bytes));
    uint64_t value = little_endian(bytes, 0, bytes.size());
    const bool negative = !bytes.empty() && (static_cast<uint8_t>(bytes.back()) & 0x80) != 0;
    if (negative && bytes.size() < 8) value |= ~uint64_t{0} << (8 * bytes.size());
    make_number(PickleKind::Int, static_cast<int64_t>(value));
  }

  uint32_t pop() {
    const size_t bottom = marks_.empty() ? 0 : marks_.back();
    if (stack_.size() <= bottom) fail("the stack is empty");
    const uint32_t top = stack_.back();
    stack_.pop_back();
    return top;
  }
  uint32_t top() {
    const uint32_t t = pop();
    stack_.push_back(t);
    return t;
  }
  std::vector<uint32_t> pop_to_mark() {
    if (marks_.empty()) fail("there is no mark");
    const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<uint32_t> items(first, stack_.end());
    stack_.erase(first, stack_.end());
    marks_.pop_back();
    return items;
  }
  std::vector<uint32_t> pop_some(size_t count) {
    std::vector<uint32_t> items(count);
    for (size_t i = count; i-- > 0;) items[i] = pop();
    return items;
  }
  void make_items(PickleKind kind, std::vector<uint32_t> items) {
    make(kind).items = std::move(items);
  }
  void make_dict(std::vector<uint32_t> entries) {
    if (entries.size() % 2 != 0) fail("a key has no value");
    make(PickleKind::Dict).entries = std::move(entries);
  }
  void remember(uint64_t place) { memo_[place] = top(); }
  void recall(uint64_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) fail(fmt::format("nothing was remembered as {}", place));
    stack_.push_back(found->second);
  }

  void append(uint32_t to, const std::vector<uint32_t>& items) {
    PickleNode& node = pickle_.nodes[to];
    if (node.kind != PickleKind::List && node.kind != PickleKind::Set &&
        node.kind != PickleKind::Call)
      fail("items are appended to what is no list");
    node.items.insert(node.items.end(), items.begin(), items.end());
  }
  void set_entries(uint32_t to, const std::vector<uint32_t>& entries) {
    PickleNode& node = pickle_.nodes[to];
    if (node.kind != PickleKind::Dict && node.kind != PickleKind::Call)
      fail("entries are set in what is no dict");
    if (entries.size() % 2 != 0) fail("a key has no value");
    node.entries.insert(node.entries.end(), entries.begin(), entries.end());
  }
  void call(uint32_t function, uint32_t arguments) {
    make_items(PickleKind::Call, {function, arguments});
  }
  void make_global(std::string_view module, std::string_view name) {
    make_text(PickleKind::Global, fmt::format("{} {}", printable(module), printable(name)));
  }

  // ---- instructions: each function knows some, and tells whether `op` was one of them

  bool run_literal(uint8_t op) {
    switch (op) {
      case 'N':
        return make(PickleKind::None), true;
      case 0x88:
        return make_number(PickleKind::Bool, 1), true;
      case 0x89:
        return make_number(PickleKind::Bool, 0), true;
      case 'J':
        return make_number(PickleKind::Int, static_cast<int32_t>(number(4))), true;
      case 'K':
        return make_number(PickleKind::Int, static_cast<int64_t>(number(1))), true;
      case 'M':
        return make_number(PickleKind::Int, static_cast<int64_t>(number(2))), true;
      case 'I': {
        const std::string_view digits = line();
        if (digits == "00" || digits == "01")
          return make_number(PickleKind::Bool, digits == "01" ? 1 : 0), true;
        return make_int(digits), true;
      }
      case 'L': {
        std::string_view digits = line();
        if (digits.ends_with('L')) digits.remove_suffix(1);
        return make_int(digits), true;
      }
      case 0x8a:
        return make_long(take(number(1))), true;
      case 0x8b:
        return make_long(take(number(4))), true;
      case 'F':
        return make_float(line()), true;
      case 'G':
        return make_big_endian_float(), true;
      default:
        return run_text(op);
    }
  }
  bool run_text(uint8_t op) {
    switch (op) {
      case 'S':
        return make_quoted(line()), true;
      case 'T':
        return make_text(PickleKind::Text, std::string(take(number(4)))), true;
      case 'U':
        return make_text(PickleKind::Text, std::string(take(number(1)))), true;
      case 'V':
        return make_text(PickleKind::Text, unescaped_unicode(line())), true;
      case 'X':
        return make_text(PickleKind::Text, std::string(take(number(4)))), true;
      case 0x8c:
        return make_text(PickleKind::Text, std::string(take(number(1)))), true;
      case 0x8d:
        return make_text(PickleKind::Text, std::string(take(number(8)))), true;
      case 'B':
        return make_text(PickleKind::Bytes, std::string(take(number(4)))), true;
      case 'C':
        return make_text(PickleKind::Bytes, std::string(take(number(1)))), true;
      case 0x8e:
      case 0x96:
        return make_text(PickleKind::Bytes, std::string(take(number(8)))), true;
      default:
        return false;
    }
  }
  bool run_container(uint8_t op) {
    switch (op) {
      case ']':
        return make(PickleKind::List), true;
      case '}':
        return make(PickleKind::Dict), true;
      case ')':
        return make(PickleKind::Tuple), true;
      case 0x8f:
        return make(PickleKind::Set), true;
      case 'l':
        return make_items(PickleKind::List, pop_to_mark()), true;
      case 'd':
        return make_dict(pop_to_mark()), true;
      case 't':
        return make_items(PickleKind::Tuple, pop_to_mark()), true;
      case 0x91:
        return make_items(PickleKind::Set, pop_to_mark()), true;
      case 0x85:
      case 0x86:
      case 0x87:
        return make_items(PickleKind::Tuple, pop_some(op - 0x84u)), true;
      case 'a': {
        const auto item = pop_some(1);
        return append(top(), item), true;
      }
      case 'e':
      case 0x90: {
        const auto items = pop_to_mark();
        return append(top(), items), true;
      }
      case 's': {
        const auto entry = pop_some(2);
        return set_entries(top(), entry), true;
      }
      case 'u': {
        const auto entries = pop_to_mark();
        return set_entries(top(), entries), true;
      }
      default:
        return false;
    }
  }
  bool run_stack(uint8_t op) {
    switch (op) {
      case 0x80:
        if (number(1) > 5) fail("its protocol is newer than 5");
        return true;
      case 0x95:
        return number(8), true;  // how much to read at once
      case '.':
        return stopped_ = true;
      case '(':
        return marks_.push_back(stack_.size()), true;
      case '0':
        if (!marks_.empty() && marks_.back() == stack_.size())
          marks_.pop_back();
        else
          pop();
        return true;
      case '1':
        return pop_to_mark(), true;
      case '2':
        return stack_.push_back(top()), true;
      case 'g':
        return recall(memo_name(line())), true;
      case 'h':
        return recall(number(1)), true;
      case 'j':
        return recall(number(4)), true;
      case 'p':
        return remember(memo_name(line())), true;
      case 'q':
        return remember(number(1)), true;
      case 'r':
        return remember(number(4)), true;
      case 0x94:
        return remember(memo_.size()), true;
      default:
        return false;
    }
  }
  bool run_object(uint8_t op) {
    switch (op) {
      case 'c': {
        const std::string_view module = line();
        return make_global(module, line()), true;
      }
      case 0x93: {
        const auto names = pop_some(2);
        const PickleNode &module = pickle_[names[0]], &name = pickle_[names[1]];
        if (module.kind != PickleKind::Text || name.kind != PickleKind::Text)
          fail("a class has a name that is no text");
        return make_global(module.text, name.text), true;
      }
      case 'R':
      case 0x81: {
        const auto parts = pop_some(2);
        return call(parts[0], parts[1]), true;
      }
      case 0x92: {
        const auto parts = pop_some(3);
        call(parts[0], parts[1]);
        return append(top(), {parts[2]}), true;
      }
      case 'i': {
        const std::string_view module = line(), name = line();
        make_items(PickleKind::Tuple, pop_to_mark());
        const uint32_t arguments = pop();
        make_global(module, name);
        return call(pop(), arguments), true;
      }
      case 'o': {
        auto items = pop_to_mark();
        if (items.empty()) fail("an object has no class");
        const uint32_t function = items.front();
        items.erase(items.begin());
        make_items(PickleKind::Tuple, std::move(items));
        return call(function, pop()), true;
      }
      case 'b': {
        const uint32_t state = pop();
        PickleNode& object = pickle_.nodes[top()];
        if (object.kind != PickleKind::Call)
          fail("a state is given to what is no object of a class");
        object.state = state;
        return true;
      }
      case 'P':
        return make_text(PickleKind::Text, std::string(line())), name_stored(), true;
      case 'Q':
        return name_stored(), true;
      case 0x82:
      case 0x83:
      case 0x84:
        fail("it needs codes of extensions");
      case 0x97:
      case 0x98:
        fail("it needs buffers that are not in the file");
      default:
        return false;
    }
  }

  void name_stored() { make_items(PickleKind::Persistent, {pop()}); }
  uint64_t memo_name(std::string_view digits) const {
    const std::optional<int64_t> value = decimal_int(digits);
    if (!value || *value < 0) fail(fmt::format("\"{}\" is no place", printable(digits)));
    return static_cast<uint64_t>(*value);
  }
  void make_float(std::string_view digits) {
    const std::optional<double> value = decimal_float(digits);
    if (!value) fail(fmt::format("\"{}\" is no number", printable(digits)));
    make(PickleKind::Float).real = *value;
  }
  void make_big_endian_float() {
    uint64_t bits = 0;
    for (const char c : take(8)) bits = bits << 8 | static_cast<uint8_t>(c);
    make(PickleKind::Float).real = std::bit_cast<double>(bits);
  }
  void make_quoted(std::string_view text) {
    std::optional<std::string> plain = unquoted(text);
    if (!plain) fail("a text has no quotes around it");
    make_text(PickleKind::Text, std::move(*plain));
  }

  std::string_view bytes_, name_;
  uint64_t begin_;
  size_t at_ = 0, start_ = 0;
  bool stopped_ = false;
  Pickle pickle_;
  std::vector<uint32_t> stack_;
  std::vector<size_t> marks_;
  std::unordered_map<uint64_t, uint32_t> memo_;
};

}  // namespace

Pickle parse_pickle(std::string_view bytes, std::string_view name, uint64_t at) {
  return Machine(bytes, name, at).run();
}

}  // namespace tg::nn
