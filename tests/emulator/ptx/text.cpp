// See text.h.
#include "ptx/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace tg::emulator::ptx {
namespace {

constexpr std::array<std::pair<std::string_view, Name>, 30> kNames = {
    {{"add", Name::Add}, {"and", Name::And},   {"bar", Name::Bar},   {"bra", Name::Bra},
     {"cp", Name::Cp},   {"shfl", Name::Shfl}, {"cvt", Name::Cvt},   {"cvta", Name::Cvta},
     {"div", Name::Div}, {"fma", Name::Fma},   {"ld", Name::Ld},     {"mad", Name::Mad},
     {"max", Name::Max}, {"min", Name::Min},   {"mma", Name::Mma},   {"mov", Name::Mov},
     {"mul", Name::Mul}, {"neg", Name::Neg},   {"not", Name::Not},   {"or", Name::Or},
     {"rem", Name::Rem}, {"ret", Name::Ret},   {"selp", Name::Selp}, {"setp", Name::Setp},
     {"shl", Name::Shl}, {"shr", Name::Shr},   {"sqrt", Name::Sqrt}, {"st", Name::St},
     {"sub", Name::Sub}, {"xor", Name::Xor}}};

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == ';')) s.remove_suffix(1);
  return s;
}

// The parts between commas that stand in no brackets.
std::vector<std::string_view> listed(std::string_view s) {
  std::vector<std::string_view> out;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= s.size(); ++i) {
    if (i == s.size() || (s[i] == ',' && depth == 0)) {
      if (const std::string_view part = trimmed(s.substr(start, i - start)); !part.empty())
        out.push_back(part);
      start = i + 1;
    } else if (s[i] == '{' || s[i] == '[') {
      ++depth;
    } else if (s[i] == '}' || s[i] == ']') {
      --depth;
    }
  }
  return out;
}

std::vector<std::string> split_at(std::string_view s, char sign) {
  std::vector<std::string> out(1);
  for (char c : s) {
    if (c == sign)
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

class Parser {
 public:
  Kernel parse(std::string_view text) {
    for (const std::string& line : split_at(text, '\n')) {
      ++line_;
      const std::string_view code = trimmed(std::string_view(line).substr(0, line.find("//")));
      if (!code.empty()) statement(code);
    }
    for (auto& [at, label] : branches_) {
      const auto found = labels_.find(label);
      if (found == labels_.end()) throw Wrong("no label " + label);
      kernel_.code[at].target = found->second;
    }
    if (kernel_.name.empty() || !closed_) throw Wrong("no kernel, or one without an end");
    return std::move(kernel_);
  }

 private:
  [[noreturn]] void wrong(const std::string& what) const {
    throw Wrong(fmt::format("line {}: {}", line_, what));
  }

  void statement(std::string_view s) {
    if (s.front() == '.') return directive(s);
    if (s == "{" || s == ")") return;
    if (s == "}") {
      closed_ = true;
      return;
    }
    if (s.back() == ':') {
      if (!labels_.emplace(s.substr(0, s.size() - 1), kernel_.code.size()).second)
        wrong("a label twice");
      return;
    }
    instruction(s);
  }

  void directive(std::string_view s) {
    const std::vector<std::string> words = split_at(s, ' ');
    const std::string last = words.back();
    if (words[0] == ".visible") {
      kernel_.name = last.substr(0, last.find('('));
    } else if (words[0] == ".param") {
      kernel_.parameters.push_back(last.substr(0, last.find(',')));
    } else if (words[0] == ".maxntid") {
      kernel_.max_group_size = std::stoll(last);
    } else if (words[0] == ".reg") {
      const Type t = type_of(std::string_view(words[1]).substr(1));
      for (std::string_view r : listed(s.substr(s.find('%')))) declare(r, t);
    } else if (words[0] == ".shared" || words[0] == ".local" || words[0] == ".extern") {
      array(words);
    } else if (words[0] != ".version" && words[0] != ".target" && words[0] != ".address_size" &&
               words[0] != ".pragma" && words[0] != ".minnctapersm") {
      wrong("unknown: " + std::string(s));
    }
  }

  void array(const std::vector<std::string>& words) {
    const std::string& last = words.back();
    const size_t open = last.find('[');
    if (open == std::string::npos) wrong("an array without a size");
    const std::string size = last.substr(open + 1, last.find(']') - open - 1);
    const bool local = words[0] == ".local";
    kernel_.arrays.push_back({last.substr(0, open), local ? Space::Local : Space::Shared,
                              size.empty() ? 0 : std::stoll(size)});
  }

  // "%x0", or "%x0_<4>" for four.
  void declare(std::string_view r, Type t) {
    const size_t open = r.find('<');
    if (open == std::string_view::npos) return add_register(std::string(r), t);
    const int count = std::stoi(std::string(r.substr(open + 1)));
    for (int k = 0; k < count; ++k) add_register(fmt::format("{}{}", r.substr(0, open), k), t);
  }
  void add_register(std::string name, Type t) {
    if (!registers_.emplace(name, static_cast<int>(kernel_.registers.size())).second)
      wrong("the register " + name + " twice");
    kernel_.registers.push_back({std::move(name), t});
  }
  int reg(std::string_view name) const {
    const auto found = registers_.find(std::string(name));
    if (found == registers_.end()) wrong("no register " + std::string(name));
    return found->second;
  }

  void instruction(std::string_view s) {
    Instruction i{.line = line_, .text = std::string(s)};
    if (s.front() == '@') {
      const size_t end = s.find(' ');
      std::string_view guard = s.substr(1, end - 1);
      i.negated = guard.front() == '!';
      if (i.negated) guard.remove_prefix(1);
      i.guard = reg(guard);
      s = trimmed(s.substr(end));
    }
    const size_t end = std::min(s.find(' '), s.size());
    i.parts = split_at(s.substr(0, end), '.');
    const auto known = std::ranges::find(kNames, i.parts[0], &decltype(kNames)::value_type::first);
    if (known == kNames.end()) wrong("unknown instruction: " + i.parts[0]);
    i.name = known->second;
    i.parts.erase(i.parts.begin());
    operands(i, s.substr(end));
    types(i);
    kernel_.code.push_back(std::move(i));
  }

  void operands(Instruction& i, std::string_view s) {
    if (i.name == Name::Bra) {
      branches_.emplace_back(kernel_.code.size(), std::string(trimmed(s)));
      return;
    }
    for (std::string_view o : listed(s)) i.operands.push_back(operand(o));
  }

  void types(Instruction& i) {
    const Name untyped[] = {Name::Bra, Name::Ret, Name::Bar, Name::Cp};
    if (std::ranges::find(untyped, i.name) != std::end(untyped)) return;
    i.type = type_of(i.parts.back());
    if (i.name == Name::Cvt) {
      i.from = i.type;
      i.type = type_of(i.parts.at(i.parts.size() - 2));
    }
    i.is_param = i.has("param");
    i.space = i.has("shared") ? Space::Shared : i.has("local") ? Space::Local : Space::Global;
  }

  Operand operand(std::string_view s) {
    Operand o;
    if (s.front() == '{') {
      o.kind = Operand::Kind::List;
      for (std::string_view each : listed(s.substr(1, s.size() - 2)))
        o.list.push_back(operand(each));
    } else if (s.front() == '[') {
      address(o, s.substr(1, s.size() - 2));
    } else if (s.front() == '%' && s.find('.') != std::string_view::npos) {
      o.kind = Operand::Kind::Special;
      o.name = s;
    } else if (s.front() == '%') {
      o.kind = Operand::Kind::Register;
      o.reg = reg(s);
    } else if (s.front() == '-' || std::isdigit(static_cast<unsigned char>(s.front())) != 0) {
      o.bits = literal(std::string(s));
    } else {
      o.kind = Operand::Kind::Symbol;
      offset(o, s);
      o.name = s;
    }
    return o;
  }

  // Takes "+4" or "+-4" off the end.
  static void offset(Operand& o, std::string_view& s) {
    const size_t plus = s.find('+');
    if (s.substr(0, plus).find('-') != std::string_view::npos)
      throw Wrong("offsets are added: " + std::string(s));
    if (plus == std::string_view::npos) return;
    o.offset = std::stoll(std::string(s.substr(plus + 1)));
    s = s.substr(0, plus);
  }
  void address(Operand& o, std::string_view s) {
    o.kind = Operand::Kind::Address;
    offset(o, s);
    if (s.front() == '%')
      o.reg = reg(s);
    else
      o.name = s;
  }
  static uint64_t literal(const std::string& s) {
    if (s.starts_with("0f") || s.starts_with("0d")) return std::stoull(s.substr(2), nullptr, 16);
    if (s.front() == '-') return static_cast<uint64_t>(std::stoll(s));
    return std::stoull(s, nullptr, 0);
  }

  Kernel kernel_;
  std::map<std::string, int> registers_;
  std::map<std::string, size_t, std::less<>> labels_;
  std::vector<std::pair<size_t, std::string>> branches_;
  int line_ = 0;
  bool closed_ = false;
};

}  // namespace

bool Instruction::has(std::string_view part) const {
  return std::ranges::find(parts, part) != parts.end();
}

Type type_of(std::string_view text) {
  if (text == "pred") return {'p', 1};
  if (text == "tf32") return {'t', 32};
  for (int bits : {8, 16, 32, 64}) {
    for (char kind : {'s', 'u', 'b', 'f'}) {
      if (text == fmt::format("{}{}", kind, bits)) return {kind, bits};
    }
  }
  throw Wrong("no type: " + std::string(text));
}

Kernel parse(std::string_view text) { return Parser().parse(text); }

}  // namespace tg::emulator::ptx
