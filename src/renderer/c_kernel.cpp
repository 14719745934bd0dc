// See c_kernel.h.
#include "renderer/c_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "renderer/c_ahead.h"
#include "renderer/c_align.h"
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

constexpr size_t kInlineText = 72;
constexpr int64_t kProvenAlign = 64;

class CKernelWriter {
 public:
  CKernelWriter(CUnit& unit, const LinearKernel& kernel)
      : unit_(unit),
        kernel_(kernel),
        usage_(c_usage(kernel.ops)),
        bounds_(c_bounds(kernel.ops)),
        ahead_(c_ahead(kernel)) {}

  std::string write() {
    if (unit_.dialect().proves_alignment()) zero_bits_ = c_zero_bits(kernel_.ops);
    narrow_ = unit_.dialect().narrows_index() && indices_are_narrow(kernel_.ops, bounds_);
    unit_.spell_index(narrow_ ? DType::Int32 : DType::Int64);
    for (size_t i = 0; i < kernel_.ops.size(); ++i) {
      const UOp& u = kernel_.ops[i];
      if (usage_.at(u.node()).live) emit(u, i);
    }
    TG_CHECK(indent_ == 1, "{}: {} loops left open", kernel_.name, indent_ - 1);
    end_streams();
    parts_.kernel = &kernel_;
    parts_.text = std::move(text_);
    return header() + unit_.dialect().function(unit_, parts_);
  }

 private:
  const CValue& value(const Node* n) const {
    const auto it = values_.find(n);
    TG_CHECK(it != values_.end(), "{}: {} is used before it is computed", kernel_.name,
             op_name(n->op));
    return it->second;
  }
  const CValue& source(const UOp& u, int i) const { return value(u.src_node(i)); }

  // One line or several, each with its end.
  void line(std::string_view text) {
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
      text_.append(static_cast<size_t>(2 * indent_), ' ');
      text_ += text.substr(0, end);
      text.remove_prefix(end);
    }
  }
  void end_streams() {
    if (!std::ranges::any_of(kernel_.params, &ParamUse::stream_bytes)) return;
    const std::string end = unit_.dialect().streams_end(unit_);
    if (!end.empty()) line(end + "();\n");
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
        return alias(u, c_literal(unit_, u.scalar()));
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
      case Op::Barrier:
        return line(unit_.dialect().barrier(kernel_));
      case Op::Load:
        prefetch_ahead(u);
        return define(u, c_load(unit_, access(u, 0, 1, 2)), "x");
      case Op::Store: {
        CAccess at_place = access(u, 0, 1, 3);
        const CValue& stored = source(u, 2);
        at_place.lanes = stored.lanes;
        at_place.streamed = is_streamed(kernel_, u);
        return line(c_store(unit_, at_place, stored, static_cast<Combine>(u.arg(0))));
      }
      case Op::AsyncCopy: {
        const CAccess to = access(u, 0, 1), from = access(u, 2, 3, 4);
        for (const std::string& statement : c_async_copy(unit_, to, from)) line(statement);
        return;
      }
      case Op::AsyncWait:
        if (const std::string waits = unit_.dialect().async_wait(unit_, u.arg(0)); !waits.empty())
          line(waits);
        return;
      case Op::SubgroupShuffle:
        return define(u, shuffled(u), "v");
      case Op::Mma:
        return define(u, multiplied(u), "v");
      case Op::MmaAsync:
        return begin_product(u);
      case Op::MmaWait:
        return wait_for_products(u.arg(0));
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

  CValue shuffled(const UOp& u) const {
    const std::string text = unit_.dialect().subgroup_shuffle(source(u, 0).text, u.arg(0));
    TG_CHECK(!text.empty(), "{}: work-items cannot shuffle values in this language", kernel_.name);
    return {.text = text, .dtype = u.dtype()};
  }

  CValue multiplied(const UOp& u) {
    const MatrixUnit* unit = find_matrix_unit(symbol_name(u.arg(0)));
    const std::string name = unit ? unit_.dialect().multiply(unit_, *unit) : std::string();
    TG_CHECK(!name.empty(), "{}: no matrix unit {} in this language", kernel_.name,
             symbol_name(u.arg(0)));
    return {.text = fmt::format("{}({}, {}, {})", name, source(u, 0).text, source(u, 1).text,
                                source(u, 2).text),
            .dtype = u.dtype(),
            .lanes = u.lanes()};
  }

  // ---- products that a unit makes by itself
  void begin_product(const UOp& u) {
    const MatrixUnit* unit = find_matrix_unit(symbol_name(u.arg(0)));
    const std::string function =
        unit ? unit_.dialect().multiply_async(unit_, *unit, u.arg(1) != 0, u.arg(2) != 0) : "";
    TG_CHECK(!function.empty(), "{}: no matrix unit {} that reads scratch in this language",
             kernel_.name, symbol_name(u.arg(0)));
    const auto block = [&](int pointer) {
      const std::span<const Dim> extents = u.src_node(pointer)->shape();
      return extents[extents.size() - 2] * SwizzledRows::kRowBytes;
    };
    if (!products_begun_) line(unit_.dialect().mma_begin());
    products_begun_ = true;
    const CValue sum{.text = fresh("v"), .dtype = u.dtype(), .lanes = u.lanes()};
    line(fmt::format("{} {} = {}({}, {}, {}, {}, {});\n", type_of(sum), sum.text, function,
                     c_address(access(u, 0, 1)), block(0), c_address(access(u, 2, 3)), block(2),
                     source(u, 4).text));
    std::erase(under_way_, u.src_node(4));
    under_way_.push_back(u.node());
    values_[u.node()] = sum;
  }

  // The sums that are complete behind the wait are said to be changed by it: nothing that reads
  // them is moved before it then.
  void wait_for_products(int64_t batches) {
    if (std::exchange(products_begun_, false)) line(unit_.dialect().mma_commit());
    std::vector<std::string> sums;
    if (batches == 0) {
      for (const Node* n : std::exchange(under_way_, {})) sums.push_back(value(n).text);
    }
    line(unit_.dialect().mma_wait(batches, sums));
  }

  // What is under way when a step ends is so in the variables that the loop carries.
  void carry_products(const UOp& end, std::span<const Node* const> carried) {
    std::vector<const Node*> sums;
    for (size_t k = 0; k < carried.size(); ++k) {
      const UOp next = end.src(static_cast<int>(k) + 1);
      if (next.is(Op::Extract) &&
          std::ranges::find(under_way_, next.src_node(0)) != under_way_.end())
        sums.push_back(carried[k]);
    }
    under_way_ = std::move(sums);
  }

  std::vector<CValue> sources(const UOp& u) const {
    std::vector<CValue> src;
    for (const Node* s : u.node()->src()) src.push_back(value(s));
    return src;
  }

  // See c_elementwise.
  bool is_plain(const UOp& u) const {
    if (u.n_src() != 2) return false;
    if (u.is(Op::Add) || u.is(Op::Mul)) return stays_inside(u);
    const auto a = bounds_.find(u.src_node(0)), b = bounds_.find(u.src_node(1));
    if (a == bounds_.end() || b == bounds_.end()) return false;
    const Interval by = b->second;
    if (u.is(Op::Shl) || u.is(Op::Shr)) return by.lo >= 0 && by.hi < 8 * unit_.bytes(u.dtype());
    if (!u.is(Op::IDiv) && !u.is(Op::Mod)) return false;
    return (a->second.lo >= 0 || is_unsigned(u.dtype())) && by.lo > 0;
  }

  // A value next to the limits of its type may have come there by wrapping.
  bool stays_inside(const UOp& u) const {
    if (u.dtype() == DType::Index) return true;
    const auto found = bounds_.find(u.node());
    if (found == bounds_.end() || is_float(u.dtype()) || is_bool(u.dtype())) return false;
    const int bits = std::min(8 * unit_.bytes(u.dtype()), 63);
    const int64_t last = (int64_t{1} << (bits - 1)) - 1;
    return found->second.lo > -last && found->second.hi < last;
  }

  // ---- arguments and memory
  void param(const UOp& u) {
    const int slot = static_cast<int>(u.arg(0));
    const bool written = static_cast<size_t>(slot) >= kernel_.params.size() ||
                         kernel_.params[static_cast<size_t>(slot)].written;
    const std::string name = fmt::format("p{}", slot);
    values_[u.node()] = {.text = name, .dtype = u.dtype(), .space = Space::Global};
    if (!parts_.params.emplace(slot, CParam{name, u.dtype(), written}).second) return;
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
    parts_.vars[static_cast<int>(k)] = {name, u.dtype()};
    values_[u.node()] = {.text = u.dtype() == DType::Index ? narrowed(name) : name,
                         .dtype = u.dtype()};
  }

  // A variable or chunk number that arrives with 64 bits, as an index of this kernel.
  std::string narrowed(const std::string& wide) {
    if (!narrow_) return wide;
    const std::string name = fresh("at");
    const std::string_view type = unit_.scalar(DType::Index);
    line(fmt::format("const {0} {1} = ({0}){2};\n", type, name, wide));
    return name;
  }

  void allocation(const UOp& u) {
    const std::string name = fmt::format("a{}", u.arg(0));
    const Space space = unit_.dialect().place_of(kernel_, u.space());
    values_[u.node()] = {.text = name, .dtype = u.dtype(), .space = space};
    parts_.arrays.push_back({name, u.dtype(), space, u.numel()});
  }

  // By the sources that say where; no gate if there is no such source.
  CAccess access(const UOp& u, int pointer, int index, int gate = 1 << 10) const {
    CAccess at{.pointer = source(u, pointer),
               .index = source(u, index),
               .dtype = u.src_node(pointer)->dtype,
               .lanes = u.is(Op::AsyncCopy) ? static_cast<int>(u.arg(0)) : u.lanes()};
    if (u.arg().size() > 1) at.align = u.arg(1);
    if (const auto low = zero_bits_.find(u.src_node(index)); low != zero_bits_.end())
      at.align = std::max(
          at.align,
          std::min(kProvenAlign, c_bytes(at.dtype) * (int64_t{1} << std::min(low->second, 6))));
    if (u.n_src() > gate) at.gate = source(u, gate);
    return at;
  }

  void prefetch_ahead(const UOp& load) {
    const auto found = ahead_.find(load.node());
    if (found == ahead_.end()) return;
    const CAccess at = access(load, 0, 1, 2);
    line(unit_.dialect().prefetch(fmt::format("{} + {} + {}", at.pointer.text,
                                              at_least(at.index, Prec::Sum), found->second)));
  }

  // ---- loops
  static bool is_launch_range(const UOp& u) { return u.arg().size() > 1 && u.arg(1) == 1; }
  static bool is_work_item_range(const UOp& u) { return u.arg().size() > 1 && u.arg(1) == 2; }

  // No loop: the work-items of a group are all its points, the fastest range last.
  void work_item_place(const UOp& u, size_t at) {
    int64_t inner = 1;
    for (size_t k = at + 1; k < kernel_.ops.size(); ++k) {
      const UOp& other = kernel_.ops[k];
      if (other.is(Op::Range) && is_work_item_range(other)) inner *= other.src(0).arg(0);
    }
    const int64_t extent = u.src(0).arg(0);
    std::string place = unit_.dialect().work_item();
    if (inner > 1) place += fmt::format(" / {}", inner);
    if (inner * extent < kernel_.group_size) place += fmt::format(" % {}", extent);
    const std::string name = fmt::format("r{}", u.arg(0));
    line(fmt::format("const {} {} = {};\n", unit_.scalar(u.dtype()), name, place));
    values_[u.node()] = {.text = name, .dtype = u.dtype()};
  }

  // What work-items of this round still read in Scratch, none may overwrite in the next.
  void wait_before_next_round() {
    const auto shared = [](const UOp& u) { return u.is(Op::Alloc) && u.space() == Space::Scratch; };
    if (kernel_.group_size > 1 && std::ranges::any_of(kernel_.ops, shared))
      line(unit_.dialect().barrier(kernel_));
  }

  void open_loop(const UOp& u, size_t at) {
    std::vector<const Node*>& carried = carries_[u.node()];
    for (size_t k = at + 1; k < kernel_.ops.size() && kernel_.ops[k].is(Op::Carry) &&
                            kernel_.ops[k].src_node(0) == u.node();
         ++k) {
      carried.push_back(kernel_.ops[k].node());
      declare_carry(kernel_.ops[k]);
    }
    if (is_work_item_range(u)) return work_item_place(u, at);
    const bool launch = is_launch_range(u);
    const std::string name = fmt::format("r{}", u.arg(0));
    parts_.has_launch_loop = parts_.has_launch_loop || launch;
    line(launch ? unit_.dialect().launch_loop(name)
                : fmt::format("for ({0} {1} = 0; {1} < {2}; ++{1}) {{\n", unit_.scalar(u.dtype()),
                              name, at_least(source(u, 0), Prec::Sum)));
    ++indent_;
    values_[u.node()] = {.text = launch ? narrowed(name) : name, .dtype = u.dtype()};
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
    carry_products(u, carried);
    if (is_work_item_range(u.src(0))) return;
    if (is_launch_range(u.src(0))) wait_before_next_round();
    --indent_;
    line("}\n");
  }

  // ---- the whole
  std::string header() const {
    std::string out = fmt::format("\n// {}: {}{} chunk{}, {:.6g} flops, {:.6g} bytes\n",
                                  kernel_.name, kernel_.chunk_limit ? "up to " : "", kernel_.chunks,
                                  kernel_.chunks == 1 ? "" : "s", kernel_.flops, kernel_.bytes);
    return out + comment_;
  }

  CUnit& unit_;
  const LinearKernel& kernel_;
  std::unordered_map<const Node*, CUsage> usage_;
  std::unordered_map<const Node*, Interval> bounds_;
  std::unordered_map<const Node*, int64_t> ahead_;
  std::unordered_map<const Node*, int> zero_bits_;  // empty where nobody asks
  std::unordered_map<const Node*, CValue> values_;
  std::unordered_set<const Node*> inlined_;
  std::unordered_map<const Node*, std::vector<const Node*>> carries_;
  std::map<std::string, int> counters_;
  CFunction parts_;
  std::string text_, comment_;
  int indent_ = 1;
  bool narrow_ = false;                 // indices have 32 bits
  bool products_begun_ = false;         // a batch of those that a unit makes by itself is open
  std::vector<const Node*> under_way_;  // their results, and the carries that hold them
};

}  // namespace

std::string c_kernel(CUnit& unit, const LinearKernel& kernel) {
  return CKernelWriter(unit, kernel).write();
}

}  // namespace tg
