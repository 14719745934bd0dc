// One kernel as PTX: parameters, arrays, loops and the order of everything; the ops themselves are
// ptx_ops.h. A loop is written turned round: its test stands at its end, and one before it
// skips a loop that would not run. What is carried from round to round is a register of its own
// that the end of the loop assigns.
#include "renderer/ptx.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "renderer/c_align.h"
#include "renderer/c_bounds.h"
#include "renderer/c_usage.h"
#include "renderer/ptx_ops.h"
#include "renderer/ptx_target.h"
#include "renderer/ptx_usage.h"
#include "renderer/render.h"
#include "support/check.h"
#include "support/symbol.h"
#include "target/matrix_unit.h"
#include "uop/shape.h"

namespace tg {
namespace {

constexpr int64_t kArrayAlign = 64;
constexpr int kAsyncCopyVersion = 70;  // of PTX, which sm_80 came with

class PtxKernelWriter {
 public:
  PtxKernelWriter(const LinearKernel& kernel, const PtxMachine& machine)
      : kernel_(kernel),
        machine_(machine),
        usage_(c_usage(kernel.ops)),
        bounds_(c_bounds(kernel.ops)),
        zero_bits_(c_zero_bits(kernel.ops)),
        address_sums_(ptx_address_sums(kernel.ops)),
        register_arrays_(ptx_register_arrays(kernel.ops)),
        narrow_(indices_are_narrow(kernel.ops, bounds_)),
        block_(narrow_ ? DType::Int32 : DType::Int64) {}

  std::string write() {
    for (size_t i = 0; i < kernel_.ops.size(); ++i) {
      const UOp& u = kernel_.ops[i];
      if (usage_.at(u.node()).live) emit(u, i);
    }
    TG_CHECK(open_ == 0, "{}: {} loops left open", kernel_.name, open_);
    return module();
  }

 private:
  struct Loop {
    std::vector<const Node*> carried;
    std::string counter, end, step;  // the step is "1", or the number of groups
    DType dtype = DType::Void;       // of the counter
    int label = 0;
    bool guarded = false;
    bool launch = false;
  };

  const PtxValue& value(const Node* n) const {
    const auto it = values_.find(n);
    TG_CHECK(it != values_.end(), "{}: {} is used before it is computed", kernel_.name,
             op_name(n->op));
    return it->second;
  }
  const PtxValue& source(const UOp& u, int i) const { return value(u.src_node(i)); }
  std::vector<PtxValue> sources(const UOp& u) const {
    std::vector<PtxValue> src;
    for (const Node* s : u.node()->src()) src.push_back(value(s));
    return src;
  }
  void define(const UOp& u, PtxValue v) { values_[u.node()] = std::move(v); }

  void emit(const UOp& u, size_t at) {
    switch (u.op()) {
      case Op::Const:
        return define(u, constant(u));
      case Op::Param:
        return param(u);
      case Op::Var:
        return variable(u);
      case Op::Alloc:
        return allocation(u);
      case Op::After:
        return same_after(u);
      case Op::Range:
        return open_range(u, at);
      case Op::Carry:
      case Op::Sink:
        return;
      case Op::End:
        return close_range(u);
      case Op::Out: {
        const Loop& loop = loops_.at(u.src_node(0)->src()[0]);
        return define(u, value(loop.carried.at(static_cast<size_t>(u.arg(0)))));
      }
      case Op::If:
        return open_if(u);
      case Op::EndIf:
        block_.close_scope();
        return block_.label(fmt::format("endif{}", ifs_.at(u.src_node(0))));
      case Op::Barrier:
        return block_.line("bar.sync 0");
      case Op::Load:
        return define(u, ptx_load(block_, access(u, 0, u.lanes(), 2)));
      case Op::Store:
        return ptx_store(block_, access(u, 0, source(u, 2).count(), 3), source(u, 2),
                         static_cast<Combine>(u.arg(0)));
      case Op::AsyncCopy:
        return async_copy(u);
      case Op::AsyncWait:
        return async_wait(u.arg(0));
      case Op::SubgroupShuffle:
        return subgroup_shuffle(u);
      case Op::Mma:
        return multiply(u);
      case Op::Splat:
      case Op::Ramp:
      case Op::Stack:
      case Op::Shuffle:
      case Op::Extract:
      case Op::VReduce:
        return define(u, ptx_move_lanes(block_, u, sources(u), address_sums_.contains(u.node())));
      default:
        break;
    }
    elementwise(u);
  }

  PtxValue constant(const UOp& u) const {
    if (u.dtype() != DType::Index) return ptx_constant(u.scalar(), 1);
    return ptx_constant(Scalar::of_int(u.arg(0), block_.spelled(DType::Index)), 1);
  }

  void elementwise(const UOp& u) {
    TG_CHECK(in_group(u.op(), kElementwise), "{}: {} cannot be rendered", kernel_.name,
             op_name(u.op()));
    if (address_sums_.contains(u.node()) && !source(u, 0).constant) {
      PtxValue v = source(u, 0);
      v.offsets.assign(v.lanes.size(), source(u, 1).constant->i64());
      return define(u, std::move(v));
    }
    define(u, ptx_elementwise(block_, u.op(), block_.spelled(u.dtype()), sources(u), is_plain(u),
                              u.dtype() == DType::Index ? "at" : "v"));
  }

  void multiply(const UOp& u) {
    const MatrixUnit* unit = find_matrix_unit(symbol_name(u.arg(0)));
    TG_CHECK(unit != nullptr, "{}: no matrix unit {}", kernel_.name, symbol_name(u.arg(0)));
    version_ = std::max(version_, ptx_version_of(*unit));
    define(u, ptx_multiply(block_, *unit, sources(u)));
  }

  // ---- asynchronous copies, and shuffles between work-items
  bool has_async_copy() const { return ptx_version_of(machine_.arch) >= kAsyncCopyVersion; }

  void async_copy(const UOp& u) {
    const int lanes = static_cast<int>(u.arg(0));
    const PtxAccess to = access(u, 0, lanes), from = access(u, 2, lanes, 4);
    constexpr int64_t kFewestBytes = 4;
    if (has_async_copy() && ptx_async_copy_bytes(to, from) >= kFewestBytes) {
      ptx_async_copy(block_, to, from);
    } else {
      ptx_store(block_, to, ptx_load(block_, from), Combine::Set);
    }
  }

  void async_wait(int64_t on_their_way) {
    if (!has_async_copy()) return;
    block_.line("cp.async.commit_group");
    block_.line(fmt::format("cp.async.wait_group {}", on_their_way));
  }

  void subgroup_shuffle(const UOp& u) {
    const DType t = block_.spelled(u.dtype());
    const std::string mine = block_.reg(t, source(u, 0).lanes[0]);
    const std::string theirs = block_.fresh("v", t);
    block_.line(
        fmt::format("shfl.sync.bfly.b32 {}, {}, {}, 0x1f, 0xffffffff", theirs, mine, u.arg(0)));
    define(u, {.dtype = t, .lanes = {theirs}});
  }

  // See ptx_elementwise.
  bool is_plain(const UOp& u) const {
    if (u.n_src() != 2) return false;
    const auto a = bounds_.find(u.src_node(0)), b = bounds_.find(u.src_node(1));
    if (a == bounds_.end() || b == bounds_.end()) return false;
    const Interval by = b->second;
    if (u.is(Op::Shl) || u.is(Op::Shr))
      return by.lo >= 0 && by.hi < 8 * ptx_bytes(block_.spelled(u.dtype()));
    if (!u.is(Op::IDiv) && !u.is(Op::Mod)) return false;
    return (a->second.lo >= 0 || is_unsigned(u.dtype())) && by.lo > 0;
  }

  // ---- arguments and memory
  const PtxPointer& pointer(const Node* n) const {
    const auto it = pointers_.find(n);
    TG_CHECK(it != pointers_.end(), "{}: {} is no pointer", kernel_.name, op_name(n->op));
    return it->second;
  }

  // A pointer or a value that waits for effects.
  void same_after(const UOp& u) {
    if (u.dtype() == DType::Void) return;
    if (const auto p = pointers_.find(u.src_node(0)); p != pointers_.end()) {
      const PtxPointer same = p->second;
      pointers_[u.node()] = same;
    } else {
      define(u, PtxValue(source(u, 0)));
    }
  }

  void param(const UOp& u) {
    const auto slot = static_cast<size_t>(u.arg(0));
    const bool written = slot >= kernel_.params.size() || kernel_.params[slot].written;
    const std::string name = fmt::format("p{}", slot);
    pointers_[u.node()] = {fmt::format("%{}", name), PtxSpace::Global, u.dtype(), !written};
    if (!loaded_.insert(name).second) return;
    block_.named(name, DType::UInt64);
    prologue_ +=
        fmt::format("  ld.param.u64 %{0}, [{0}];\n  cvta.to.global.u64 %{0}, %{0};\n", name);
    comment_ += fmt::format("//   {}: {}{}{}\n", name, dtype_name(u.dtype()),
                            format_shape(u.shape()), written ? ", written" : "");
  }

  static std::string variable_name(const UOp& u, size_t k) {
    std::string name = "n_";
    for (char c : symbol_name(u.arg(0)))
      name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return name + fmt::format("_{}", k);
  }

  void variable(const UOp& u) {
    const auto found = std::ranges::find(kernel_.vars, u);
    TG_CHECK(found != kernel_.vars.end(), "{}: variable {} is not listed", kernel_.name,
             symbol_name(u.arg(0)));
    const std::string name = variable_name(u, static_cast<size_t>(found - kernel_.vars.begin()));
    const DType t = block_.spelled(u.dtype());
    const std::string all = block_.named(name, DType::Int64);
    prologue_ += fmt::format("  ld.param.u64 {}, [{}];\n", all, name);
    std::string low = all;
    if (ptx_bytes(t) < 8) {
      low = block_.fresh("at", t);
      prologue_ += fmt::format("  cvt.u32.u64 {}, {};\n", low, all);
    }
    define(u, {.dtype = t, .lanes = {low}});
  }

  void allocation(const UOp& u) {
    const std::string name = fmt::format("a{}", u.arg(0));
    const int64_t elements = std::max<int64_t>(u.numel(), 1);
    if (register_arrays_.contains(u.node())) {
      const auto all = block_.fresh_lanes(name + "r", u.dtype(), static_cast<int>(elements));
      const std::string prefix = elements == 1 ? all[0] : all[0].substr(0, all[0].size() - 1);
      pointers_[u.node()] = {prefix, PtxSpace::Registers, u.dtype()};
      return;
    }
    const int64_t bytes = (elements * ptx_bytes(u.dtype()) + 63) / 64 * 64;
    const bool fits = kernel_.scratch_bytes <= machine_.local_bytes;
    TG_CHECK(fits || kernel_.group_size == 1, "{} wants {} bytes of shared memory, of {}",
             kernel_.name, kernel_.scratch_bytes, machine_.local_bytes);
    const bool shared = u.space() == Space::Scratch && fits;
    const PtxSpace space = shared ? PtxSpace::Shared : PtxSpace::Local;
    const std::string base = block_.named(name, shared ? DType::UInt32 : DType::UInt64);
    pointers_[u.node()] = {base, space, u.dtype()};
    const std::string_view move = shared ? "mov.u32" : "mov.u64";
    if (shared && dynamic()) {
      prologue_ += shared_bytes_ == 0
                       ? fmt::format("  {} {}, scratch;\n", move, base)
                       : fmt::format("  {} {}, scratch+{};\n", move, base, shared_bytes_);
      shared_bytes_ += bytes;
      return;
    }
    arrays_ += fmt::format("  .{} .align {} .b8 {}[{}];\n", shared ? "shared" : "local",
                           kArrayAlign, name, elements * ptx_bytes(u.dtype()));
    prologue_ += fmt::format("  {} {}, {};\n", move, base, name);
  }

  bool dynamic() const { return cuda_dynamic_bytes(kernel_, {machine_.local_bytes}) > 0; }

  // By source `p`, a pointer, and the index behind it; no gate if there is no such source.
  PtxAccess access(const UOp& u, int p, int lanes, int gate = 1 << 10) const {
    PtxAccess at{.pointer = pointer(u.src_node(p)), .index = source(u, p + 1), .lanes = lanes};
    if (u.arg().size() > 1) at.align = u.arg(1);
    if (const auto low = zero_bits_.find(u.src_node(p + 1)); low != zero_bits_.end()) {
      const int64_t proven = ptx_bytes(at.pointer.dtype) * (int64_t{1} << std::min(low->second, 6));
      at.align = std::max(at.align, std::min(kArrayAlign, proven));
    }
    if (u.n_src() > gate) at.gate = source(u, gate);
    return at;
  }

  // ---- control
  void open_if(const UOp& u) {
    const int label = block_.fresh_label();
    ifs_[u.node()] = label;
    const std::string m = block_.reg(DType::Bool, source(u, 0).lanes[0]);
    block_.line(fmt::format("@!{} bra endif{}", m, label));
    block_.open_scope();
  }

  static bool is_launch_range(const UOp& u) { return u.arg().size() > 1 && u.arg(1) == 1; }
  static bool is_work_item_range(const UOp& u) { return u.arg().size() > 1 && u.arg(1) == 2; }

  // No loop: the work-items of a group are all its points, the fastest range last.
  void work_item_place(const UOp& u, size_t at) {
    int64_t inner = 1;
    for (size_t k = at + 1; k < kernel_.ops.size(); ++k) {
      const UOp& other = kernel_.ops[k];
      if (other.is(Op::Range) && is_work_item_range(other)) inner *= other.src(0).arg(0);
    }
    if (loaded_.insert("work_item").second) {
      block_.named("work_item", DType::UInt32);
      prologue_ += "  mov.u32 %work_item, %tid.x;\n";
    }
    const int64_t extent = u.src(0).arg(0);
    const DType t = block_.spelled(u.dtype());
    const std::string name = block_.named(fmt::format("r{}", u.arg(0)), t);
    const bool wide = ptx_bytes(t) == 8, wraps = inner * extent < kernel_.group_size;
    const std::string low = wide ? block_.fresh("t", DType::UInt32) : name;
    std::string place = "%work_item";
    if (inner > 1) {
      const std::string all = wraps ? block_.fresh("t", DType::UInt32) : low;
      place = ptx_divide_index(block_, all, true, place, inner);
    }
    if (wraps) place = ptx_divide_index(block_, low, false, place, extent);
    if (wide || place != name) block_.emit(wide ? "cvt.u64.u32" : "mov.b32", name, {place});
    define(u, {.dtype = t, .lanes = {name}});
  }

  void declare_carry(const UOp& u) {
    const PtxValue& start = source(u, 1);
    PtxValue v{.dtype = start.dtype,
               .lanes = block_.fresh_lanes("acc", start.dtype, start.count())};
    assign(v, start);
    define(u, std::move(v));
  }
  void assign(const PtxValue& to, const PtxValue& from) {
    const std::string move = fmt::format("mov.{}", ptx_bits(ptx_kind(to.dtype)));
    for (size_t k = 0; k < to.lanes.size(); ++k) {
      if (to.lanes[k] != from.lanes[k]) block_.emit(move, to.lanes[k], {from.lanes[k]});
    }
  }

  void open_range(const UOp& u, size_t at) {
    Loop& loop = loops_[u.node()];
    ++open_;
    for (size_t k = at + 1; k < kernel_.ops.size() && kernel_.ops[k].is(Op::Carry) &&
                            kernel_.ops[k].src_node(0) == u.node();
         ++k) {
      loop.carried.push_back(kernel_.ops[k].node());
      declare_carry(kernel_.ops[k]);
    }
    if (is_work_item_range(u)) return work_item_place(u, at);
    loop.launch = is_launch_range(u);
    loop.dtype = loop.launch ? DType::Int64 : block_.spelled(u.dtype());
    loop.counter = block_.named(fmt::format("r{}", u.arg(0)), loop.dtype);
    loop.label = block_.fresh_label();
    if (loop.launch) {
      start_launch(loop);
    } else {
      loop.end = source(u, 0).lanes[0];
      loop.step = "1";
      const std::optional<Scalar>& extent = source(u, 0).constant;
      loop.guarded = !extent || extent->i64() <= 0;
      block_.emit(fmt::format("mov.{}", ptx_bits(ptx_kind(loop.dtype))), loop.counter, {"0"});
    }
    if (loop.guarded) {
      const std::string none = block_.temp(fmt::format("setp.ge.{}", ptx_type(loop.dtype)),
                                           DType::Bool, {loop.counter, loop.end});
      block_.line(fmt::format("@{} bra done{}", none, loop.label));
    }
    block_.label(fmt::format("loop{}", loop.label),
                 fmt::format("while {} < {}", loop.counter, loop.end));
    // The schedule has unrolled what is worth it; left alone, assemblers unroll fifty rounds, and
    // spill.
    if (!loop.launch) block_.line(".pragma \"nounroll\"");
    block_.open_scope();
    std::string index = loop.counter;
    if (loop.launch && narrow_)
      block_.emit("cvt.u32.u64", index = block_.fresh("at", DType::Int32), {loop.counter});
    define(u, {.dtype = block_.spelled(u.dtype()), .lanes = {index}});
  }

  // Groups share out the chunks: each begins with its own and goes on by their number.
  void start_launch(Loop& loop) {
    loop.guarded = true;
    loop.end = block_.named("end", DType::Int64);
    loop.step = block_.named("groups", DType::Int64);
    block_.line("ld.param.u64 %end, [end]");
    block_.emit("cvt.u64.u32", loop.step, {block_.temp("mov.u32", DType::UInt32, {"%nctaid.x"})});
    block_.emit("cvt.u64.u32", loop.counter, {block_.temp("mov.u32", DType::UInt32, {"%ctaid.x"})});
  }

  // All next values are computed from the present ones, so one that reads an already assigned
  // carry needs a copy.
  void assign_carries(const UOp& u, const Loop& loop) {
    TG_CHECK(u.n_src() == 1 + static_cast<int>(loop.carried.size()),
             "{}: a loop with {} carries ends with {} values", kernel_.name, loop.carried.size(),
             u.n_src() - 1);
    std::unordered_set<std::string> assigned;
    std::vector<PtxValue> next;
    for (size_t k = 0; k < loop.carried.size(); ++k) {
      PtxValue v = source(u, static_cast<int>(k) + 1);
      for (std::string& x : v.lanes) {
        if (assigned.contains(x))
          x = block_.temp(fmt::format("mov.{}", ptx_bits(ptx_kind(v.dtype))), v.dtype, {x});
      }
      next.push_back(std::move(v));
      const std::vector<std::string>& lanes = value(loop.carried[k]).lanes;
      assigned.insert(lanes.begin(), lanes.end());
    }
    for (size_t k = 0; k < next.size(); ++k) assign(value(loop.carried[k]), next[k]);
  }

  void close_range(const UOp& u) {
    const Loop& loop = loops_.at(u.src_node(0));
    assign_carries(u, loop);
    --open_;
    if (loop.counter.empty()) return;
    if (loop.launch) wait_before_next_round();
    const std::string_view type = ptx_type(loop.dtype);
    block_.emit(fmt::format("add.{}", type), loop.counter, {loop.counter, loop.step});
    const std::string more =
        block_.temp(fmt::format("setp.lt.{}", type), DType::Bool, {loop.counter, loop.end});
    block_.line(fmt::format("@{} bra loop{}", more, loop.label));
    block_.close_scope();
    if (loop.guarded) block_.label(fmt::format("done{}", loop.label));
  }

  // What work-items of this round still read in Scratch, none may overwrite in the next.
  void wait_before_next_round() {
    const auto shared = [](const UOp& u) { return u.is(Op::Alloc) && u.space() == Space::Scratch; };
    if (kernel_.group_size > 1 && std::ranges::any_of(kernel_.ops, shared))
      block_.line("bar.sync 0");
  }

  // ---- the module
  std::string parameters() const {
    std::string out;
    for (size_t slot = 0; slot < kernel_.params.size(); ++slot)
      out += fmt::format("  .param .u64 .ptr .global .align {} p{},\n", kArrayAlign, slot);
    for (size_t k = 0; k < kernel_.vars.size(); ++k)
      out += fmt::format("  .param .u64 {},\n", variable_name(kernel_.vars[k], k));
    return out + "  .param .u64 end\n";
  }

  std::string module() const {
    const int version = std::max(version_, ptx_version_of(machine_.arch));
    std::string out = fmt::format(".version {}.{}\n.target {}\n.address_size 64\n\n", version / 10,
                                  version % 10, machine_.arch);
    if (dynamic()) out += fmt::format(".extern .shared .align {} .b8 scratch[];\n\n", kArrayAlign);
    out += fmt::format("// {}: {}{} chunk{}, {:.6g} flops, {:.6g} bytes\n{}", kernel_.name,
                       kernel_.chunk_limit ? "up to " : "", kernel_.chunks,
                       kernel_.chunks == 1 ? "" : "s", kernel_.flops, kernel_.bytes, comment_);
    const int at_once = cuda_groups_at_once(kernel_);
    const std::string bounds = at_once == 1 ? "" : fmt::format(".minnctapersm {}\n", at_once);
    return out + fmt::format(".visible .entry {}(\n{})\n.maxntid {}\n{}{{\n{}{}{}{}  ret;\n}}\n",
                             kernel_.name, parameters(), kernel_.group_size, bounds, arrays_,
                             block_.declarations(), prologue_, block_.text());
  }

  const LinearKernel& kernel_;
  const PtxMachine& machine_;
  std::unordered_map<const Node*, CUsage> usage_;
  std::unordered_map<const Node*, Interval> bounds_;
  std::unordered_map<const Node*, int> zero_bits_;
  std::unordered_set<const Node*> address_sums_, register_arrays_;
  const bool narrow_;  // indices have 32 bits
  PtxBlock block_;
  std::unordered_map<const Node*, PtxValue> values_;
  std::unordered_map<const Node*, PtxPointer> pointers_;
  std::unordered_map<const Node*, Loop> loops_;
  std::unordered_map<const Node*, int> ifs_;  // by number of their label
  std::unordered_set<std::string> loaded_;    // parameters, and the work-item's number
  std::string prologue_, arrays_, comment_;
  int64_t shared_bytes_ = 0;  // of arrays so far
  int open_ = 0;              // loops
  int version_ = 0;
};

}  // namespace

std::string render_ptx(const LinearKernel& kernel, const PtxMachine& machine) {
  return PtxKernelWriter(kernel, machine).write();
}

}  // namespace tg
