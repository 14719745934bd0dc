// The parser of text.h. Text comes from outside: every form is checked before a node is made,
// because type rules rely on the number of arguments and sources that the builders give them.
#include <charconv>
#include <optional>
#include <unordered_map>

#include "support/check.h"
#include "support/symbol.h"
#include "tg/ir/text.h"
#include "uop/devices.h"

namespace tg {
namespace {

constexpr int kAny = 1 << 20;

/// How many argument words and sources an op takes, beyond what its record says.
struct Form {
  int min_args = 0;
  int max_args = 0;
  int min_src = 0;
};

Form form_of(Op op) {
  switch (op) {
    case Op::Const:
      return {1, 1};
    case Op::Var:
      return {3, 3};
    case Op::Iota:
    case Op::Buffer:
    case Op::Param:
      return {1, kAny};
    case Op::Range:
      return {1, 2};
    case Op::Threefry:
      return {1, 1};
    case Op::Reshape:
    case Op::Permute:
    case Op::Expand:
    case Op::Pad:
    case Op::Shrink:
    case Op::Flip:
      return {0, kAny};
    case Op::Shear:
      return {6, 6};
    case Op::Gather:
    case Op::Limit:
    case Op::Bind:
    case Op::Mma:
      return {1, 1};
    case Op::Offset:
      return {2, 2};
    case Op::Scatter:
    case Op::Scan:
      return {2, 2};
    case Op::Reduce:
      return {1, kAny, 1};
    case Op::Stage:
      return {2, 2, 1};
    case Op::Load:
      return {0, 2, 1};
    case Op::Store:
      return {0, 2, 2};
    case Op::After:
      return {0, 0, 1};
    case Op::WithGradient:
      return {1, 1, 1};
    case Op::Copy:
      return {0, 1};
    case Op::Contiguous:
    case Op::Sink:
      return {0, kAny};
    case Op::End:
      return {0, 1, 1};
    case Op::Carry:
    case Op::Out:
    case Op::Splat:
    case Op::Extract:
    case Op::VReduce:
    case Op::If:
    case Op::Barrier:
    case Op::SubgroupShuffle:
      return {1, 1};
    case Op::AsyncCopy:
      return {2, 2, 4};
    case Op::AsyncWait:
    case Op::MmaWait:
      return {2, 2};
    case Op::MmaAsync:
    case Op::LoadRows:
      return {3, 3};
    case Op::Alloc:
      return {2, kAny};
    case Op::Ramp:
      return {2, 2};
    case Op::Stack:
      return {0, 0, 1};
    case Op::Shuffle:
      return {1, kAny};
    default:
      return {};
  }
}

struct TypeText {
  std::optional<DType> dtype;
  std::string text;  // as written, without spaces doubled
  DeviceId device = 0;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::vector<UOp> run() {
    std::vector<UOp> nodes;
    while (true) {
      skip_blank_lines();
      if (at_ == text_.size()) return nodes;
      nodes.push_back(line());
    }
  }

  [[noreturn]] void fail(std::string_view problem) const { fail_at(at_, problem); }

 private:
  [[noreturn]] void fail_at(size_t where, std::string_view problem) const {
    size_t line = 1, column = 1;
    for (size_t i = 0; i < where && i < text_.size(); ++i) {
      column = text_[i] == '\n' ? 1 : column + 1;
      line += text_[i] == '\n' ? 1 : 0;
    }
    if (problem.ends_with('.')) problem.remove_suffix(1);
    user_error<ArgumentError>("parse",
                              fmt::format("line {}, column {}: {}", line, column, problem));
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\n'; }
  void skip_spaces() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\r') ++at_;
    if (peek() == ';') {
      while (peek() != '\n') ++at_;
    }
  }
  void skip_blank_lines() {
    skip_spaces();
    while (at_ < text_.size() && text_[at_] == '\n') {
      ++at_;
      skip_spaces();
    }
  }
  bool accept(char c) {
    skip_spaces();
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("expected '{}'", c));
  }

  std::string_view word() {
    skip_spaces();
    const size_t begin = at_;
    auto in_word = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_' || c == '.' || c == ':' || c == '-' || c == '+';
    };
    while (in_word(peek())) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  int64_t integer() {
    skip_spaces();
    const size_t begin = at_;
    const std::string_view w = word();
    int64_t v = 0;
    auto [end, error] = std::from_chars(w.data(), w.data() + w.size(), v);
    if (w.empty() || error != std::errc() || end != w.data() + w.size())
      fail_at(begin, "expected an integer");
    return v;
  }

  std::string name() {
    if (!accept('"')) {
      const std::string_view w = word();
      if (w.empty()) fail("expected a name");
      return std::string(w);
    }
    std::string out;
    while (peek() != '"') {
      const bool escaped = peek() == '\\';
      if (escaped) ++at_;
      if (peek() == '\n') fail("the name is not closed");
      out += escaped && peek() == 'n' ? '\n' : peek();
      ++at_;
    }
    ++at_;
    return out;
  }

  int64_t serial() {
    expect('%');
    return integer();
  }

  UOp line() {
    skip_spaces();
    const size_t begin = at_;
    const int64_t id = serial();
    if (nodes_.contains(id)) fail_at(begin, fmt::format("%{} is defined twice", id));
    expect('=');
    UOp n = definition();
    skip_spaces();
    if (peek() != '\n') fail("expected the end of the line");
    nodes_.emplace(id, n);
    return n;
  }

  UOp definition() {
    skip_spaces();
    const size_t begin = at_;
    const std::string_view op_word = word();
    const int found = find_op(op_word);
    if (found < 0) fail_at(begin, fmt::format("there is no op named \"{}\"", op_word));
    const Op op = static_cast<Op>(found);
    const size_t args_at = at_;
    std::string literal;
    std::vector<int64_t> args = arguments(op, literal);
    std::vector<UOp> src = sources();
    const bool derived = !accept(':');
    if (derived && (src.empty() || in_group(op, kStatesType) || op == Op::Copy)) expect(':');
    skip_spaces();
    const size_t type_at = at_;
    TypeText type;
    type.dtype = DType::Void;
    if (!derived) type = read_type();
    if (record(op).arg == ArgKind::Scalar) args = {scalar_word(literal, *type.dtype, args_at)};
    check_form(op, args, src, begin);
    const bool own_device = src.empty() || op == Op::Copy;
    try {
      UOp n = op == Op::Buffer
                  ? storage(args, type)
                  : make(op, src, args, *type.dtype, own_device ? type.device : DeviceId{0});
      if (!derived) check_type(n, type, type_at);
      return n;
    } catch (const ArgumentError& e) {
      if (std::string_view(e.what()).starts_with("parse: ")) throw;
      fail_at(begin, e.what());
    } catch (const Error& e) {
      fail_at(begin, e.what());
    }
  }

  std::vector<int64_t> arguments(Op op, std::string& literal) {
    std::vector<int64_t> args;
    if (!accept('{')) return args;
    const ArgKind kind = record(op).arg;
    if (accept('}')) return args;
    do {
      if (kind == ArgKind::Scalar) {
        literal = std::string(word());
        args.push_back(0);
      } else if (kind == ArgKind::Symbol && args.empty()) {
        args.push_back(intern_symbol(name()));
      } else {
        args.push_back(integer());
      }
    } while (accept(','));
    expect('}');
    return args;
  }

  std::vector<UOp> sources() {
    std::vector<UOp> src;
    skip_spaces();
    if (peek() != '%') return src;
    do {
      skip_spaces();
      const size_t begin = at_;
      const auto it = nodes_.find(serial());
      if (it == nodes_.end()) fail_at(begin, "a source must be defined on a line above");
      src.push_back(it->second);
    } while (accept(','));
    return src;
  }

  TypeText read_type() {
    TypeText type;
    skip_spaces();
    const size_t begin = at_;
    const std::string_view w = word();
    type.dtype = parse_dtype(w);
    if (!type.dtype) fail_at(begin, fmt::format("there is no dtype named \"{}\"", w));
    type.text = std::string(dtype_name(*type.dtype));
    if (accept('<')) {
      type.text += fmt::format("<{}>", integer());
      expect('>');
    }
    if (accept('[')) {
      type.text += '[';
      do type.text += fmt::format("{}{}", type.text.back() == '[' ? "" : ",", integer());
      while (accept(','));
      expect(']');
      type.text += ']';
    }
    skip_spaces();
    if (const std::string_view space = word(); !space.empty())
      type.text += fmt::format(" {}", space);
    if (accept('@')) {
      type.device = device_id(name());
    }
    return type;
  }

  int64_t scalar_word(const std::string& literal, DType t, size_t where) const {
    try {
      return static_cast<int64_t>(Scalar::parse(literal, t).bits());
    } catch (const Error& e) {
      fail_at(where, e.what());
    }
  }

  void check_form(Op op, IntSpan args, std::span<const UOp> src, size_t where) const {
    const Form f = form_of(op);
    const OpRecord& r = record(op);
    const int n_args = static_cast<int>(args.size()), n_src = static_cast<int>(src.size());
    if (n_args < f.min_args || n_args > f.max_args) {
      fail_at(where, fmt::format("{} does not take {} arguments", r.name, n_args));
    }
    if (r.arity >= 0 ? n_src != r.arity : n_src < f.min_src) {
      fail_at(where, fmt::format("{} does not take {} sources", r.name, n_src));
    }
    if (n_args > 0xfff0) fail_at(where, "too many arguments");
    check_rest(op, args, src, where);
  }

  // What the type rules of memory and lowered ops take for granted.
  void check_rest(Op op, IntSpan args, std::span<const UOp> src, size_t where) const {
    auto require = [&](bool holds, std::string_view problem) {
      if (!holds) fail_at(where, fmt::format("{}: {}", op_name(op), problem));
    };
    auto is_space = [](int64_t s) { return s >= 0 && s <= static_cast<int64_t>(Space::Host); };
    auto is_lanes = [](int64_t n) { return n >= 1 && n <= 0xffff; };
    switch (op) {
      case Op::Stage:
      case Op::Alloc:
        require(is_space(args[1]), "there is no such space");
        break;
      case Op::Store: {
        const size_t n_idx = args.empty() ? 0 : args.size() == 1 ? src[0].shape().size() : 1;
        require(src.size() == n_idx + 2 || (!args.empty() && src.size() == n_idx + 3),
                "sources are pointer, indices, value and perhaps a gate");
        break;
      }
      case Op::Out:
        require(src[0].is(Op::End) && args[0] >= 0 && args[0] + 1 < src[0].n_src(),
                "no such carried value");
        break;
      case Op::Load:
      case Op::Splat:
      case Op::Ramp:
        require(args.empty() || is_lanes(args[0]), "lanes must be 1 to 65535");
        break;
      case Op::Extract:
        require(args[0] >= 0 && args[0] < src[0].lanes(), "no such lane");
        break;
      case Op::Shuffle:
        for (int64_t a : args)
          require(a >= 0 && a < src[0].lanes() + src[1].lanes(), "no such lane");
        break;
      case Op::Reduce:
      case Op::Scan:
      case Op::VReduce:
        require(args[0] >= 0 && args[0] <= 2, "there is no such reduction");
        require(args.size() != 2 || src.size() == 1 ||
                    (args[1] > 0 && args[1] < static_cast<int64_t>(src.size())),
                "a running reduction goes along ranges among its sources");
        break;
      case Op::Threefry:
        require(args[0] == 0 || args[0] == 1, "the output word is 0 or 1");
        break;
      case Op::Limit:
      case Op::Offset:
        require(src[1].dtype() == DType::Index && src[1].ndim() == 0,
                "the second source is an index");
        require(args[0] >= 0 && args[0] < src[0].ndim() && args.back() >= 0,
                "there is no such axis");
        break;
      case Op::Bind:
        require(src[0].is(Op::Var) && args[0] >= src[0].arg(1) && args[0] <= src[0].arg(2),
                "the source is a variable, the value within its bounds");
        break;
      case Op::Var:
        require(args[1] <= args[2], "the lowest value must not exceed the highest");
        break;
      default:
        break;
    }
  }

  // The live buffer with this id, else one with the negative id; see text.h.
  static UOp storage(std::vector<int64_t>& args, const TypeText& type) {
    UOp n = make(Op::Buffer, {}, args, *type.dtype, type.device);
    const bool ours = args[0] > 0 && n.node()->refs.load(std::memory_order_relaxed) == 1;
    if (!ours) return n;
    args[0] = -args[0];
    return make(Op::Buffer, {}, args, *type.dtype, type.device);
  }

  void check_type(const UOp& n, const TypeText& type, size_t where) const {
    std::string is = print_type(n.node());
    std::string is_device = is.substr(std::min(is.find(" @"), is.size()));
    is.resize(is.size() - is_device.size());
    if (is != type.text) fail_at(where, fmt::format("the type is {}, not {}", is, type.text));
    if (type.device != n.device())
      fail_at(where, fmt::format("the device is not {}", symbol_name(type.device)));
  }

  std::string_view text_;
  size_t at_ = 0;
  std::unordered_map<int64_t, UOp> nodes_;
};

}  // namespace

std::vector<UOp> parse_list(std::string_view text) { return Parser(text).run(); }

UOp parse(std::string_view text) {
  std::vector<UOp> nodes = parse_list(text);
  if (nodes.empty()) Parser(text).fail("there is no node");
  return nodes.back();
}

}  // namespace tg
