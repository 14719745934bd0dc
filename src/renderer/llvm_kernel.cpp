// See llvm_kernel.h. A loop is written turned round: its test stands at its end, and a block before
// it skips a loop that would not run. Values carried from round to round are phis, so that LLVM
// finds nothing in memory that belongs into registers.
#include "renderer/llvm_kernel.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <unordered_map>

#include "renderer/c_ahead.h"
#include "renderer/c_bounds.h"
#include "renderer/c_usage.h"
#include "renderer/llvm_ops.h"
#include "support/check.h"
#include "support/symbol.h"
#include "uop/shape.h"

namespace tg {
namespace {

/// Allocations up to this size, and all in registers, are on the stack.
constexpr int64_t kLocalBytes = 4096;
/// A loop without loops is written out round by round if that gives at most so many ops: short ones
/// cost a mispredicted branch each, and neighbouring rounds often read the same values.
constexpr int64_t kUnrolledRounds = 8;
constexpr int64_t kUnrolledOps = 320;
/// Values that rounds share stay in registers from one to the next. So there are to be some beside
/// those of the loop's sums: sums that are spilled instead wait for memory in every round.
constexpr int64_t kFreeRegisters = 6;
constexpr int64_t kTileRow = 64;  // bytes of a tile register's row

class LlvmKernelWriter {
 public:
  LlvmKernelWriter(const LinearKernel& kernel, const LlvmMachine& machine)
      : kernel_(kernel),
        block_(machine),
        usage_(c_usage(kernel.ops)),
        bounds_(c_bounds(kernel.ops)),
        ahead_(c_ahead(kernel)),
        streams_(std::ranges::any_of(kernel.params, &ParamUse::stream_bytes)) {}

  std::string write() {
    for (size_t i = 0; i < kernel_.ops.size(); ++i) {
      const UOp& u = kernel_.ops[i];
      if (!usage_.at(u.node()).live) continue;
      if (ends_streams(u.op())) store_streams();
      emit(u, i);
    }
    store_streams();
    TG_CHECK(open_.empty(), "{}: {} loops left open", kernel_.name, open_.size());
    if (streams_) llvm_streams_end(block_);
    std::string declarations;
    for (const std::string& d : block_.declarations()) declarations += d;
    return header() + body_function() + entry_function() +
           (declarations.empty() ? "" : "\n" + declarations) + footer();
  }

 private:
  struct Argument {
    std::string declaration;  // in the body
    std::string value;        // what the entry passes
  };
  struct Carried {
    const Node* node;
    LlvmValue start;
    size_t phi;  // the reserved line
  };
  struct Loop {
    std::string before, head, done;
    std::vector<Carried> carried;
    std::vector<LlvmValue> results;
    LlvmValue index, first, end;
    size_t phi = 0;
    size_t at = 0;  // the op that opens it
    bool guarded = false;
    bool innermost = true;
  };

  const LlvmValue& value(const Node* n) const {
    const auto it = values_.find(n);
    TG_CHECK(it != values_.end(), "{}: {} is used before it is computed", kernel_.name,
             op_name(n->op));
    return it->second;
  }
  const LlvmValue& source(const UOp& u, int i) const { return value(u.src_node(i)); }
  std::vector<LlvmValue> sources(const UOp& u) const {
    std::vector<LlvmValue> src;
    for (const Node* s : u.node()->src()) src.push_back(value(s));
    return src;
  }
  void define(const UOp& u, LlvmValue v) { values_[u.node()] = std::move(v); }

  void emit(const UOp& u, size_t at) {
    switch (u.op()) {
      case Op::Const:
        return define(u, llvm_constant(u.scalar(), 1));
      case Op::Param:
        return param(u);
      case Op::Var:
        return variable(u);
      case Op::Alloc:
        return allocation(u);
      case Op::After:
        if (u.dtype() != DType::Void) define(u, source(u, 0));
        return;
      case Op::Range:
        return open_loop(u, at);
      case Op::Carry:
      case Op::Sink:
        return;
      case Op::End:
        return close_loop(u, at);
      case Op::Out:
        return define(u,
                      loops_.at(u.src_node(0)->src()[0]).results.at(static_cast<size_t>(u.arg(0))));
      case Op::If:
        return open_if(u);
      case Op::EndIf:
        return block_.fall_into(ifs_.at(u.src_node(0)));
      case Op::LoadRows:
        return define(u, llvm_load_tile(block_, tile(u, u.arg(2)), u.lanes()));
      case Op::Load: {
        if (fills_tile(u.dtype(), u.lanes()))
          return define(
              u, llvm_load_tile(block_, tile(u, kTileRow / llvm_bytes(u.dtype())), u.lanes()));
        LlvmAccess at_place = access(u, 1, 2, u.lanes());
        if (const auto found = ahead_.find(u.node()); found != ahead_.end())
          at_place.ahead = found->second;
        return define(u, llvm_load(block_, at_place));
      }
      case Op::Store: {
        if (const LlvmValue v = first_sum(source(u, 2)); fills_tile(v.dtype, v.lanes))
          return llvm_store_tile(block_, tile(u, kTileRow / llvm_bytes(v.dtype)), v);
        LlvmAccess at_place = access(u, 1, 3, source(u, 2).lanes);
        at_place.streamed = is_streamed(kernel_, u);
        const auto combine = static_cast<Combine>(u.arg(0));
        if (auto stream = llvm_stream(block_, at_place, source(u, 2), combine))
          return put_stream(*std::move(stream));
        store_streams();
        return llvm_store(block_, at_place, source(u, 2), combine);
      }
      case Op::Mma:
        return define(u, product(u));
      case Op::Splat:
        return define(u, splat(u));
      case Op::Ramp:
      case Op::Stack:
      case Op::Shuffle:
      case Op::Extract:
      case Op::VReduce:
        return define(u, llvm_move_lanes(block_, u, sources(u)));
      default:
        break;
    }
    TG_CHECK(in_group(u.op(), kElementwise), "{}: {} cannot be rendered", kernel_.name,
             op_name(u.op()));
    define(u, llvm_elementwise(block_, u.op(), u.dtype(), sources(u), is_plain(u)));
  }

  // Stores with no more than arithmetic between them are written together.
  static bool ends_streams(Op op) {
    return op == Op::Load || op == Op::LoadRows || op == Op::Range || op == Op::End ||
           op == Op::If || op == Op::EndIf;
  }
  void put_stream(LlvmStream stream) {
    constexpr size_t kMost = 16;
    pending_.push_back(std::move(stream));
    if (pending_.size() == kMost) store_streams();
  }
  void store_streams() {
    if (!pending_.empty()) llvm_store_streams(block_, pending_);
    pending_.clear();
  }

  // Of -x: the negation of x in every lane. LLVM 19 combines a fused product of vectors that reads
  // a negated scalar in every lane twice, frees the scalar at the first, and ends the process.
  LlvmValue splat(const UOp& u) {
    if (fills_tile(u.dtype(), u.lanes())) {
      const LlvmValue& zero = source(u, 0);
      TG_CHECK(zero.constant && zero.constant->f64() == 0, "a tile that is not zero");
      return {.text = {},
              .dtype = u.dtype(),
              .lanes = u.lanes(),
              .constant = zero.constant,
              .known = {}};
    }
    const Node& x = *u.src_node(0);
    if (x.op != Op::Mul || !is_float(u.dtype()) ||
        value(x.src()[1]).constant != Scalar::of_int(-1, u.dtype()))
      return llvm_splat(block_, source(u, 0), u.lanes());
    const std::array<LlvmValue, 2> all = {llvm_splat(block_, value(x.src()[0]), u.lanes()),
                                          llvm_splat(block_, value(x.src()[1]), u.lanes())};
    return llvm_elementwise(block_, Op::Mul, u.dtype(), all, false);
  }

  // See llvm_elementwise.
  bool is_plain(const UOp& u) const {
    if (u.n_src() != 2) return false;
    const auto a = bounds_.find(u.src_node(0)), b = bounds_.find(u.src_node(1));
    if (a == bounds_.end() || b == bounds_.end()) return false;
    const Interval by = b->second;
    if (u.is(Op::Shl) || u.is(Op::Shr)) return by.lo >= 0 && by.hi < 8 * llvm_bytes(u.dtype());
    if (!u.is(Op::IDiv) && !u.is(Op::Mod)) return false;
    return (a->second.lo >= 0 || is_unsigned(u.dtype())) && by.lo > 0;
  }

  LlvmValue product(const UOp& u) {
    const std::string_view unit = symbol_name(u.arg(0));
    std::vector<LlvmValue> src = sources(u);
    if (!fills_tile(u.dtype(), u.lanes())) return llvm_dot(block_, unit, src);
    src[2] = first_sum(src[2]);
    return llvm_tile_product(block_, unit, src);
  }

  // What sums start with. Each tile of zeros is loaded by itself: LLVM would clear one register and
  // copy it through memory, row by row, for every other.
  LlvmValue first_sum(const LlvmValue& v) {
    if (!fills_tile(v.dtype, v.lanes) || !v.constant) return v;
    if (!has_zeros_) {
      arrays_ +=
          "  %zeros = alloca [64 x i8], align 64\n"
          "  store <64 x i8> zeroinitializer, ptr %zeros, align 64\n";
    }
    has_zeros_ = true;
    return llvm_zero_tile(block_, "%zeros", v.dtype, v.lanes);
  }

  // ---- arguments and memory
  void param(const UOp& u) {
    const int slot = static_cast<int>(u.arg(0));
    const auto at = static_cast<size_t>(slot);
    const bool written = at >= kernel_.params.size() || kernel_.params[at].written;
    const std::string name = fmt::format("%p{}", slot);
    define(u, {.text = name, .dtype = u.dtype(), .lanes = 1, .constant = {}, .known = {}});
    const std::string_view use = written ? "" : " readonly";
    const std::string load = slot == 0 ? fmt::format("  {} = load ptr, ptr %bufs, align 8\n", name)
                                       : fmt::format(
                                             "  %slot{0} = getelementptr ptr, ptr %bufs, i64 {0}\n"
                                             "  {1} = load ptr, ptr %slot{0}, align 8\n",
                                             slot, name);
    if (!params_.emplace(slot, Argument{fmt::format("ptr noalias{} {}", use, name), load}).second)
      return;
    comment_ += fmt::format("; {}: {}{}{}\n", name, dtype_name(u.dtype()), format_shape(u.shape()),
                            written ? ", written" : "");
  }

  void variable(const UOp& u) {
    size_t k = 0;
    while (k < kernel_.vars.size() && kernel_.vars[k] != u) ++k;
    TG_CHECK(k < kernel_.vars.size(), "{}: variable {} is not listed", kernel_.name,
             symbol_name(u.arg(0)));
    std::string name = "%n_";
    for (char c : symbol_name(u.arg(0)))
      name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    name += fmt::format("_{}", k);
    const std::string load = fmt::format(
        "  {0}.at = getelementptr i64, ptr %vars, i64 {1}\n  {0} = load i64, ptr {0}.at, align 8\n",
        name, k);
    vars_[static_cast<int>(k)] = {"i64 " + name, load};
    define(u, {.text = name, .dtype = u.dtype(), .lanes = 1, .constant = {}, .known = {}});
  }

  void allocation(const UOp& u) {
    const std::string name = fmt::format("%a{}", u.arg(0));
    const int64_t bytes = (u.numel() * llvm_bytes(u.dtype()) + 63) / 64 * 64;
    define(u, {.text = name, .dtype = u.dtype(), .lanes = 1, .constant = {}, .known = {}});
    if (u.space() == Space::Reg || bytes <= kLocalBytes) {
      arrays_ += fmt::format("  {} = alloca [{} x {}], align 64\n", name,
                             std::max<int64_t>(u.numel(), 1), llvm_storage(u.dtype()));
    } else {
      scratch_.push_back(
          {"ptr noalias " + name,
           fmt::format("  {} = getelementptr i8, ptr %scratch, i64 {}\n", name, scratch_bytes_)});
    }
    if (u.space() != Space::Reg) scratch_bytes_ += bytes;
  }

  LlvmAccess access(const UOp& u, int index, int gate, int lanes) const {
    LlvmAccess at{.pointer = source(u, 0).text,
                  .index = source(u, index),
                  .dtype = u.src_node(0)->dtype,
                  .lanes = lanes,
                  .gate = {}};
    if (u.arg().size() > 1) at.align = std::max<int64_t>(u.arg(1), 1);
    if (u.n_src() > gate) at.gate = source(u, gate);
    return at;
  }

  // `pitch`: elements from row to row.
  LlvmTileAccess tile(const UOp& u, int64_t pitch) const {
    const DType t = u.src_node(0)->dtype;
    return {source(u, 0).text, source(u, 1), t, pitch * llvm_bytes(t)};
  }

  // ---- control
  void open_if(const UOp& u) {
    const std::string then = block_.fresh_label("then"), rest = block_.fresh_label("rest");
    ifs_[u.node()] = rest;
    block_.branch(source(u, 0).text, then, rest);
    block_.open(then);
  }

  LlvmValue index_value(std::string text) const {
    return {
        .text = std::move(text), .dtype = DType::Index, .lanes = 1, .constant = {}, .known = {}};
  }

  void open_loop(const UOp& u, size_t at) {
    for (const Node* outer : open_) loops_.at(outer).innermost = false;
    open_.push_back(u.node());
    Loop& loop = loops_[u.node()];
    loop.at = at;
    const bool chunk = u.arg().size() > 1 && u.arg(1) == 1;
    chunked_ = chunked_ || chunk;
    loop.first = chunk ? index_value("%begin") : llvm_int(0, u.dtype(), 1);
    loop.end = chunk ? index_value("%end") : source(u, 0);
    loop.head = block_.fresh_label("loop");
    loop.done = block_.fresh_label("done");
    loop.guarded = !loop.end.constant || loop.end.constant->i64() <= 0;
    for (size_t k = at + 1; k < kernel_.ops.size() && kernel_.ops[k].is(Op::Carry) &&
                            kernel_.ops[k].src_node(0) == u.node();
         ++k) {
      loop.carried.push_back({kernel_.ops[k].node(), first_sum(source(kernel_.ops[k], 1)), 0});
    }
    if (loop.guarded) {
      const LlvmValue some = block_.compare("icmp slt", loop.first, loop.end);
      loop.before = block_.label();
      block_.branch(some.text, loop.head, loop.done);
      block_.open(loop.head);
    } else {
      loop.before = block_.label();
      block_.fall_into(loop.head);
    }
    loop.index = {
        .text = block_.fresh("r"), .dtype = u.dtype(), .lanes = 1, .constant = {}, .known = {}};
    define(u, loop.index);
    loop.phi = block_.reserve_line();
    for (Carried& c : loop.carried) {
      LlvmValue v = c.start;
      v.text = block_.fresh("acc");
      v.constant.reset();
      values_[c.node] = v;
      c.phi = block_.reserve_line();
    }
  }

  // "%acc0 = phi float [ 0x0, %entry ], [ %v3, %loop1 ]"
  void write_phi(const Loop& loop, size_t line, const LlvmValue& v, const std::string& start,
                 const std::string& next) {
    block_.fill_line(
        line, fmt::format("{} = phi {} [ {}, %{} ], [ {}, %{} ]", v.text,
                          llvm_type(v.dtype, v.lanes), start, loop.before, next, block_.label()));
  }

  bool is_unrolled(const Loop& loop, size_t end) const {
    if (!loop.innermost || !loop.end.constant || loop.guarded) return false;
    const int64_t rounds = loop.end.constant->i64();
    return rounds <= kUnrolledRounds &&
           rounds * static_cast<int64_t>(end - loop.at) <= kUnrolledOps &&
           registers_of_sums(loop) + kFreeRegisters <= block_.machine().vector_registers;
  }

  int64_t registers_of_sums(const Loop& loop) const {
    int64_t registers = 0;
    for (const Carried& c : loop.carried) {
      const int64_t bits = 8 * dtype_size(c.start.dtype) * c.start.lanes;
      registers += (bits + block_.machine().vector_bits - 1) / block_.machine().vector_bits;
    }
    return registers;
  }

  void close_loop(const UOp& u, size_t at) {
    Loop& loop = loops_.at(u.src_node(0));
    TG_CHECK(u.n_src() == 1 + static_cast<int>(loop.carried.size()),
             "{}: a loop with {} carries ends with {} values", kernel_.name, loop.carried.size(),
             u.n_src() - 1);
    const std::string next = loop.index.text + ".next", more = loop.index.text + ".more";
    const std::string type = llvm_type(loop.index.dtype, 1);
    block_.line(fmt::format("{} = add nuw nsw {}, 1", next, typed(loop.index)));
    block_.line(fmt::format("{} = icmp slt {} {}, {}", more, type, next, loop.end.text));
    write_phi(loop, loop.phi, loop.index, loop.first.text, next);
    for (size_t k = 0; k < loop.carried.size(); ++k) {
      const Carried& c = loop.carried[k];
      write_phi(loop, c.phi, values_.at(c.node), c.start.text,
                source(u, static_cast<int>(k) + 1).text);
    }
    const std::string last = block_.label();
    block_.line(fmt::format("br i1 {}, label %{}, label %{}, !llvm.loop !{}", more, loop.head,
                            loop.done, unrolled_.size() + streams_));
    unrolled_.push_back(is_unrolled(loop, at));
    block_.open(loop.done);
    for (size_t k = 0; k < loop.carried.size(); ++k) {
      const LlvmValue& final = source(u, static_cast<int>(k) + 1);
      loop.results.push_back(loop.guarded ? either(loop.carried[k].start, loop.before, final, last)
                                          : final);
    }
    open_.pop_back();
  }

  LlvmValue either(const LlvmValue& start, const std::string& before, const LlvmValue& final,
                   const std::string& last) {
    return block_.make(start.dtype, start.lanes, "phi {} [ {}, %{} ], [ {}, %{} ]",
                       llvm_type(start.dtype, start.lanes), start.text, before, final.text, last);
  }

  // ---- the module
  std::string header() const {
    return fmt::format(
        "; {}: {}{} chunk{}, {:.6g} flops, {:.6g} bytes\n{}target triple = \"{}\"\n\n",
        kernel_.name, kernel_.chunk_limit ? "up to " : "", kernel_.chunks,
        kernel_.chunks == 1 ? "" : "s", kernel_.flops, kernel_.bytes, comment_,
        block_.machine().triple);
  }

  std::vector<Argument> arguments() const {
    std::vector<Argument> all;
    for (const auto& [slot, a] : params_) all.push_back(a);
    for (const auto& [k, a] : vars_) all.push_back(a);
    if (chunked_) {
      all.push_back({"i64 %begin", ""});
      all.push_back({"i64 %end", ""});
    }
    all.insert(all.end(), scratch_.begin(), scratch_.end());
    return all;
  }

  std::string body_function() const {
    std::string list;
    for (const Argument& a : arguments()) list += (list.empty() ? "" : ", ") + a.declaration;
    return fmt::format("define internal void @{}_body({}) #0 {{\nentry:\n{}{}  ret void\n}}\n\n",
                       kernel_.name, list, arrays_, block_.text());
  }

  // The body has its pointers as arguments, because only arguments can promise not to overlap.
  std::string entry_function() const {
    std::string list, loads;
    for (const Argument& a : arguments()) {
      const size_t name = a.declaration.rfind('%');
      const std::string type = a.declaration.substr(0, a.declaration.find(' '));
      list += fmt::format("{}{} {}", list.empty() ? "" : ", ", type, a.declaration.substr(name));
      loads += a.value;
    }
    return fmt::format(
        "define void @{0}(ptr %bufs, ptr %vars, i64 %begin, i64 %end, ptr %scratch) #0 {{\n"
        "entry:\n{1}  call void @{0}_body({2})\n  ret void\n}}\n",
        kernel_.name, loads, list);
  }

  std::string footer() const {
    std::string out = fmt::format(
        "\nattributes #0 = {{ nounwind \"no-builtins\" \"prefer-vector-width\"=\"{}\" }}\n",
        block_.machine().vector_bits);
    if (streams_) out += "\n!0 = !{i32 1}\n";
    if (unrolled_.empty()) return out;
    const size_t scalar = unrolled_.size() + streams_, once = scalar + 1, often = scalar + 2;
    out += "\n";
    for (size_t i = 0; i < unrolled_.size(); ++i)
      out += fmt::format("!{0} = distinct !{{!{0}, !{1}, !{2}}}\n", i + streams_, scalar,
                         unrolled_[i] ? often : once);
    return out + fmt::format(
                     "!{} = !{{!\"llvm.loop.vectorize.enable\", i1 false}}\n"
                     "!{} = !{{!\"llvm.loop.unroll.disable\"}}\n"
                     "!{} = !{{!\"llvm.loop.unroll.full\"}}\n",
                     scalar, once, often);
  }

  const LinearKernel& kernel_;
  LlvmBlock block_;
  std::unordered_map<const Node*, CUsage> usage_;
  std::unordered_map<const Node*, Interval> bounds_;
  std::unordered_map<const Node*, int64_t> ahead_;
  std::unordered_map<const Node*, LlvmValue> values_;
  std::unordered_map<const Node*, Loop> loops_;
  std::unordered_map<const Node*, std::string> ifs_;
  std::map<int, Argument> params_;
  std::map<int, Argument> vars_;
  std::vector<Argument> scratch_;
  std::string arrays_, comment_;
  bool has_zeros_ = false;  // arrays_ has a row of them
  int64_t scratch_bytes_ = 0;
  std::vector<const Node*> open_;  // loops, outermost first
  std::vector<bool> unrolled_;     // by number of the loop's metadata
  bool chunked_ = false;
  const bool streams_;  // has streamed stores; their metadata is !0
  std::vector<LlvmStream> pending_;
};

}  // namespace

std::string llvm_kernel(const LinearKernel& kernel, const LlvmMachine& machine) {
  return LlvmKernelWriter(kernel, machine).write();
}

}  // namespace tg
