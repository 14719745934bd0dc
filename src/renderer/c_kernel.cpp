// See c_kernel.h.
#include "renderer/c_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "renderer/c_ahead.h"
#include "renderer/c_bounds.h"
#include "renderer/c_helpers.h"
#include "renderer/c_lanes.h"
#include "renderer/c_memory.h"
#include "renderer/c_usage.h"
#include "renderer/c_value.h"
#include "support/check.h"
#include "support/symbol.h"
#include "uop/shape.h"

namespace tg {
namespace {

/// Allocations up to this size, and all in registers, are arrays on the stack.
constexpr int64_t kLocalBytes = 4096;
constexpr size_t kInlineText = 72;

class KernelWriter {
 public:
  KernelWriter(CUnit& unit, const LinearKernel& kernel)
      : unit_(unit),
        kernel_(kernel),
        usage_(c_usage(kernel.ops)),
        bounds_(c_bounds(kernel.ops)),
        ahead_(c_ahead(kernel)) {}

  std::string write() {
    for (size_t i = 0; i < kernel_.ops.size(); ++i) {
      const UOp& u = kernel_.ops[i];
      if (usage_.at(u.node()).live) emit(u, i);
    }
    TG_CHECK(indent_ == 1, "{}: {} loops left open", kernel_.name, indent_ - 1);
    if (std::ranges::any_of(kernel_.params, &ParamUse::streamed))
      line(fmt::format("{}();\n", helpers::streams_end(unit_)));
    return header() + body_function() + entry_function();
  }

 private:
  struct Argument {
    std::string declaration;
    std::string value;  // what the entry passes
  };

  const CValue& value(const Node* n) const {
    const auto it = values_.find(n);
    TG_CHECK(it != values_.end(), "{}: {} is used before it is computed", kernel_.name,
             op_name(n->op));
    return it->second;
  }
  const CValue& source(const UOp& u, int i) const { return value(u.src_node(i)); }

  void line(std::string_view text) {
    text_.append(static_cast<size_t>(2 * indent_), ' ');
    text_ += text;
  }
  std::string fresh(std::string_view prefix) {
    return fmt::format("{}{}", prefix, counters_[std::string(prefix)]++);
  }
  std::string type_of(const CValue& v) {
    if (is_bool(v.dtype) && v.lanes > 1) return unit_.vector(c_mask_dtype(v.mask), v.lanes);
    return unit_.type(v.dtype, v.lanes);
  }

  // A variable for the value.
  void define(const UOp& u, CValue v, std::string_view prefix) {
    const std::string name = fresh(prefix);
    line(fmt::format("const {} {} = {};\n", type_of(v), name, v.text));
    v.text = name;
    v.prec = Prec::Atom;
    v.uniform.clear();
    values_[u.node()] = std::move(v);
  }
  void alias(const UOp& u, CValue v) {
    inlined_.insert(u.node());
    values_[u.node()] = std::move(v);
  }

  // Single uses in the same body are written in place, short ones for reading, products of sums so
  // that they fuse.
  bool written_in_place(const UOp& u, const CValue& v) const {
    const CUsage& use = usage_.at(u.node());
    if (use.uses != 1 || use.nest != usage_.at(use.user).nest) return false;
    switch (use.user->op) {
      case Op::Extract:
      case Op::Stack:
      case Op::Shuffle:
        return false;
      case Op::Store: {
        const bool scatters = use.user->src()[1]->lanes > 1;
        if (scatters && u.lanes() > 1) return false;
        break;
      }
      case Op::Add:
        if (u.is(Op::Mul) && is_float(u.dtype())) return v.text.size() < 4 * kInlineText;
        break;
      default:
        break;
    }
    return v.text.size() <= kInlineText;
  }

  std::string_view prefix_of(const UOp& u) const {
    if (is_bool(u.dtype())) return "m";
    return u.dtype() == DType::Index ? "at" : "v";
  }
  void define_or_place(const UOp& u, CValue v) {
    if (written_in_place(u, v)) {
      alias(u, std::move(v));
    } else {
      define(u, std::move(v), prefix_of(u));
    }
  }

  void emit(const UOp& u, size_t at) {
    switch (u.op()) {
      case Op::Const:
        return alias(u, c_literal(u.scalar()));
      case Op::Param:
        return param(u);
      case Op::Var:
        return variable(u);
      case Op::Alloc:
        return allocation(u);
      case Op::After:
        if (u.dtype() != DType::Void) alias(u, source(u, 0));
        return;
      case Op::Range:
        return open_loop(u, at);
      case Op::Carry:
        return;  // declared by its loop
      case Op::End:
        return close_loop(u);
      case Op::Out:
        return alias(u,
                     value(carries_.at(u.src_node(0)->src()[0]).at(static_cast<size_t>(u.arg(0)))));
      case Op::If:
        line(fmt::format("if ({}) {{\n", source(u, 0).text));
        ++indent_;
        return;
      case Op::EndIf:
        --indent_;
        return line("}\n");
      case Op::Load:
        fetch_ahead(u);
        return define(u, c_load(unit_, access(u, 1, 2)), "x");
      case Op::Store: {
        CAccess at_place = access(u, 1, 3);
        const CValue& stored = source(u, 2);
        at_place.lanes = stored.lanes;
        at_place.streamed = is_streamed(kernel_, u);
        return line(c_store(unit_, at_place, stored, static_cast<Combine>(u.arg(0))));
      }
      case Op::Splat:
        return alias(u, c_splat(unit_, source(u, 0), u.lanes(), 4));
      case Op::Ramp:
      case Op::Stack:
      case Op::Shuffle:
      case Op::Extract:
      case Op::VReduce:
        return define_or_place(u, c_lanes(unit_, u, sources(u)));
      case Op::Sink:
        return;
      default:
        break;
    }
    TG_CHECK(in_group(u.op(), kElementwise), "{}: {} cannot be rendered", kernel_.name,
             op_name(u.op()));
    define_or_place(u, c_elementwise(unit_, u.op(), u.dtype(), sources(u), is_plain(u)));
  }

  std::vector<CValue> sources(const UOp& u) const {
    std::vector<CValue> src;
    for (const Node* s : u.node()->src()) src.push_back(value(s));
    return src;
  }

  // See c_elementwise.
  bool is_plain(const UOp& u) const {
    if (u.n_src() != 2) return false;
    const auto a = bounds_.find(u.src_node(0)), b = bounds_.find(u.src_node(1));
    if (a == bounds_.end() || b == bounds_.end()) return false;
    const Interval by = b->second;
    if (u.is(Op::Shl) || u.is(Op::Shr)) return by.lo >= 0 && by.hi < 8 * c_bytes(u.dtype());
    if (!u.is(Op::IDiv) && !u.is(Op::Mod)) return false;
    return (a->second.lo >= 0 || is_unsigned(u.dtype())) && by.lo > 0;
  }

  // ---- arguments and memory
  void param(const UOp& u) {
    const int slot = static_cast<int>(u.arg(0));
    const bool written = static_cast<size_t>(slot) >= kernel_.params.size() ||
                         kernel_.params[static_cast<size_t>(slot)].written;
    const std::string name = fmt::format("p{}", slot);
    const CValue pointer{.text = name, .dtype = u.dtype()};
    values_[u.node()] = pointer;
    if (params_.contains(slot)) return;
    params_[slot] = {
        fmt::format("{}{}* restrict {}", written ? "" : "const ", c_storage(u.dtype()), name),
        fmt::format("bufs[{}]", slot)};
    comment_ += fmt::format("//   {}: {}{}{}\n", name, dtype_name(u.dtype()),
                            format_shape(u.shape()), written ? ", written" : "");
  }

  void variable(const UOp& u) {
    size_t k = 0;
    while (k < kernel_.vars.size() && kernel_.vars[k] != u) ++k;
    TG_CHECK(k < kernel_.vars.size(), "{}: variable {} is not listed", kernel_.name,
             symbol_name(u.arg(0)));
    std::string name = "n_";
    for (char c : symbol_name(u.arg(0)))
      name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    name += fmt::format("_{}", k);
    vars_[static_cast<int>(k)] = {"i64 " + name, fmt::format("vars[{}]", k)};
    values_[u.node()] = {.text = name, .dtype = u.dtype()};
  }

  void allocation(const UOp& u) {
    const std::string name = fmt::format("a{}", u.arg(0));
    const int64_t bytes = (u.numel() * c_bytes(u.dtype()) + 63) / 64 * 64;
    values_[u.node()] = {.text = name, .dtype = u.dtype()};
    if (u.space() == Space::Reg || bytes <= kLocalBytes) {
      arrays_ += fmt::format("  {} {}[{}] __attribute__((aligned(64)));\n", c_storage(u.dtype()),
                             name, std::max<int64_t>(u.numel(), 1));
    } else {
      scratch_.push_back(
          {fmt::format("{}* restrict {}", c_storage(u.dtype()), name),
           fmt::format("({}*)(scratch + {})", c_storage(u.dtype()), scratch_bytes_)});
    }
    if (u.space() != Space::Reg) scratch_bytes_ += bytes;
  }

  CAccess access(const UOp& u, int index, int gate) const {
    CAccess at{.pointer = source(u, 0),
               .index = source(u, index),
               .dtype = u.src_node(0)->dtype,
               .lanes = u.lanes()};
    if (u.arg().size() > 1) at.align = u.arg(1);
    if (u.n_src() > gate) at.gate = source(u, gate);
    return at;
  }

  void fetch_ahead(const UOp& load) {
    const auto found = ahead_.find(load.node());
    if (found == ahead_.end()) return;
    const CAccess at = access(load, 1, 2);
    line(fmt::format("__builtin_prefetch({} + {} + {});\n", at.pointer.text,
                     at_least(at.index, Prec::Sum), found->second));
  }

  // ---- loops
  void open_loop(const UOp& u, size_t at) {
    std::vector<const Node*>& carried = carries_[u.node()];
    for (size_t k = at + 1; k < kernel_.ops.size() && kernel_.ops[k].is(Op::Carry) &&
                            kernel_.ops[k].src_node(0) == u.node();
         ++k) {
      carried.push_back(kernel_.ops[k].node());
      declare_carry(kernel_.ops[k]);
    }
    const bool chunk = u.arg().size() > 1 && u.arg(1) == 1;
    const std::string name = fmt::format("r{}", u.arg(0)), type(c_scalar(u.dtype()));
    chunked_ = chunked_ || chunk;
    line(fmt::format("for ({0} {1} = {2}; {1} < {3}; ++{1}) {{\n", type, name,
                     chunk ? "begin" : "0", chunk ? "end" : at_least(source(u, 0), Prec::Sum)));
    ++indent_;
    values_[u.node()] = {.text = name, .dtype = u.dtype()};
  }

  void declare_carry(const UOp& u) {
    CValue v = source(u, 1);
    const std::string name = fmt::format("acc{}", u.arg(0));
    line(fmt::format("{} {} = {};\n", type_of(v), name, v.text));
    values_[u.node()] = {.text = name, .dtype = v.dtype, .lanes = v.lanes, .mask = v.mask};
  }

  // Whether the text of `root` reads the variable of `carry`.
  bool reads(const Node* root, const Node* carry) const {
    std::vector<const Node*> pending = {root};
    while (!pending.empty()) {
      const Node* n = pending.back();
      pending.pop_back();
      if (n == carry) return true;
      const auto it = inlined_.find(n);
      if (it == inlined_.end() || n->op == Op::Out) continue;
      pending.insert(pending.end(), n->src().begin(), n->src().end());
    }
    return false;
  }

  // All next values are computed from the present ones, so a value that reads an already assigned
  // carry needs a copy.
  void close_loop(const UOp& u) {
    const std::vector<const Node*>& carried = carries_[u.src_node(0)];
    TG_CHECK(u.n_src() == 1 + static_cast<int>(carried.size()),
             "{}: a loop with {} carries ends with {} values", kernel_.name, carried.size(),
             u.n_src() - 1);
    bool conflict = false;
    for (size_t k = 1; k < carried.size(); ++k) {
      for (size_t j = 0; j < k; ++j)
        conflict = conflict || reads(u.src_node(static_cast<int>(k) + 1), carried[j]);
    }
    std::vector<std::string> next;
    for (size_t k = 0; k < carried.size(); ++k) {
      const CValue& v = source(u, static_cast<int>(k) + 1);
      const CValue& carry = value(carried[k]);
      std::string text = carry.mask != 0 ? as_mask(unit_, v, carry.mask) : v.text;
      if (conflict) {
        const std::string name = fresh("next");
        line(fmt::format("const {} {} = {};\n", type_of(carry), name, text));
        text = name;
      }
      next.push_back(std::move(text));
    }
    for (size_t k = 0; k < carried.size(); ++k) {
      if (u.src_node(static_cast<int>(k) + 1) != carried[k])
        line(fmt::format("{} = {};\n", value(carried[k]).text, next[k]));
    }
    --indent_;
    line("}\n");
  }

  // ---- functions
  std::string header() const {
    std::string out = fmt::format("\n// {}: {}{} chunk{}, {:.6g} flops, {:.6g} bytes\n",
                                  kernel_.name, kernel_.chunk_limit ? "up to " : "", kernel_.chunks,
                                  kernel_.chunks == 1 ? "" : "s", kernel_.flops, kernel_.bytes);
    return out + comment_;
  }

  std::vector<Argument> arguments() const {
    std::vector<Argument> all;
    for (const auto& [slot, a] : params_) all.push_back(a);
    for (const auto& [k, a] : vars_) all.push_back(a);
    if (chunked_) {
      all.push_back({"i64 begin", "begin"});
      all.push_back({"i64 end", "end"});
    }
    all.insert(all.end(), scratch_.begin(), scratch_.end());
    return all;
  }

  std::string body_function() const {
    std::string list;
    for (const Argument& a : arguments()) list += (list.empty() ? "" : ", ") + a.declaration;
    return fmt::format("static void {}_body({}) {{\n{}{}}}\n\n", kernel_.name,
                       list.empty() ? "void" : list, arrays_, text_);
  }

  std::string entry_function() const {
    std::string list, unused;
    for (const Argument& a : arguments()) list += (list.empty() ? "" : ", ") + a.value;
    if (params_.empty()) unused += "  (void)bufs;\n";
    if (vars_.empty()) unused += "  (void)vars;\n";
    if (!chunked_) unused += "  (void)begin;\n  (void)end;\n";
    if (scratch_.empty()) unused += "  (void)scratch;\n";
    return fmt::format(
        "void {0}(void* const* bufs, const i64* vars, i64 begin, i64 end, char* scratch);\n"
        "void {0}(void* const* bufs, const i64* vars, i64 begin, i64 end, char* scratch) {{\n{1}  "
        "{0}_body({2});\n}}\n",
        kernel_.name, unused, list);
  }

  CUnit& unit_;
  const LinearKernel& kernel_;
  std::unordered_map<const Node*, CUsage> usage_;
  std::unordered_map<const Node*, Interval> bounds_;
  std::unordered_map<const Node*, int64_t> ahead_;
  std::unordered_map<const Node*, CValue> values_;
  std::unordered_set<const Node*> inlined_;
  std::unordered_map<const Node*, std::vector<const Node*>> carries_;
  std::map<std::string, int> counters_;
  std::map<int, Argument> params_;
  std::map<int, Argument> vars_;
  std::vector<Argument> scratch_;
  std::string arrays_, text_, comment_;
  int64_t scratch_bytes_ = 0;
  int indent_ = 1;
  bool chunked_ = false;
};

}  // namespace

std::string c_kernel(CUnit& unit, const LinearKernel& kernel) {
  return KernelWriter(unit, kernel).write();
}

}  // namespace tg
