// The printer of text.h.
#include <fmt/format.h>

#include <unordered_map>

#include "support/symbol.h"
#include "tg/ir/text.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

using Serials = std::unordered_map<const Node*, size_t>;

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == ':' || c == '-';
}

std::string quoted_name(const std::string& name) {
  bool plain = !name.empty() && !(name[0] >= '0' && name[0] <= '9') && name[0] != '-';
  for (char c : name) plain = plain && is_name_char(c);
  if (plain) return name;
  std::string out = "\"";
  for (char c : name) {
    if (c == '"' || c == '\\' || c == '\n') out += '\\';
    out += c == '\n' ? 'n' : c;
  }
  return out + '"';
}

std::string_view space_name(Space s) {
  switch (s) {
    case Space::Value:
      return "";
    case Space::Global:
      return " global";
    case Space::Scratch:
      return " scratch";
    case Space::Reg:
      return " reg";
    case Space::Host:
      return " host";
  }
  return "";
}

void append_args(std::string& out, const Node* n) {
  if (n->n_arg == 0) return;
  const ArgKind kind = record(n->op).arg;
  out += '{';
  for (size_t i = 0; i < n->n_arg; ++i) {
    if (i > 0) out += ", ";
    if (kind == ArgKind::Scalar) {
      out += Scalar::of_bits(static_cast<uint64_t>(n->arg()[0]), n->dtype).str();
    } else if (kind == ArgKind::Symbol && i == 0) {
      out += quoted_name(symbol_name(n->arg()[0]));
    } else {
      fmt::format_to(std::back_inserter(out), "{}", n->arg()[i]);
    }
  }
  out += '}';
}

void append_line(std::string& out, const Node* n, const Serials& serials) {
  fmt::format_to(std::back_inserter(out), "%{} = {}", serials.at(n), op_name(n->op));
  append_args(out, n);
  for (size_t i = 0; i < n->n_src; ++i) {
    fmt::format_to(std::back_inserter(out), "{} %{}", i == 0 ? "" : ",", serials.at(n->src()[i]));
  }
  out += " : " + print_type(n) + '\n';
}

}  // namespace

std::string print_type(const Node* n) {
  std::string out(dtype_name(n->dtype));
  if (n->lanes != 1) out += fmt::format("<{}>", n->lanes);
  if (n->n_dim != 0) out += format_shape(n->shape());
  out += space_name(n->space);
  if (n->device != 0) out += " @" + quoted_name(symbol_name(n->device));
  return out;
}

std::string print(std::span<const UOp> list) {
  std::string out;
  Serials serials;
  for (const Node* n : toposort(list)) {
    serials.emplace(n, serials.size());
    append_line(out, n, serials);
  }
  return out;
}

std::string print(const UOp& root) { return print(std::span(&root, 1)); }

std::string print_node(const Node* n) {
  std::string out(op_name(n->op));
  append_args(out, n);
  for (size_t i = 0; i < n->n_src; ++i) out += (i == 0 ? " " : ", ") + print_expr(n->src()[i]);
  return out + " : " + print_type(n);
}

}  // namespace tg
