// Writes linear kernels by hand for tests: add() appends a node to the list and returns it; the
// rest are short names for what kernels consist of. See codegen/linear.h for the rules of the list.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "codegen/linear.h"

namespace tg::test {

class LinearBuilder {
 public:
  explicit LinearBuilder(std::string name = "test") { k_.name = std::move(name); }

  UOp add(const UOp& u) {
    k_.ops.push_back(u);
    return u;
  }
  /// A constant; listed once however often it is asked for.
  UOp c(const Scalar& v) { return once(constant(v)); }
  UOp c(int64_t v) { return c(Scalar::of_int(v, DType::Index)); }
  UOp param(DType t, const Shape& extents, bool read, bool written) {
    k_.params.push_back({.read = read, .written = written});
    return add(tg::param(static_cast<int>(k_.params.size()) - 1, extents, t));
  }
  UOp in(DType t, int64_t n) { return param(t, {n}, true, false); }
  UOp out(DType t, int64_t n) { return param(t, {n}, false, true); }
  UOp scratch(int64_t id, DType t, int64_t n) {
    const std::vector<int64_t> arg = {id, static_cast<int64_t>(Space::Scratch), n};
    k_.scratch_bytes += (n * dtype_size(t) + 63) / 64 * 64;
    return add(make(Op::Alloc, {}, arg, t));
  }
  /// Memory that each work-item has for itself.
  UOp own(int64_t id, DType t, int64_t n) {
    return add(make(Op::Alloc, {}, {{id, static_cast<int64_t>(Space::Reg), n}}, t));
  }
  UOp var(const std::string& name, int64_t lo, int64_t hi) {
    UOp v = variable(name, lo, hi);
    k_.vars.push_back(v);
    return add(v);
  }
  UOp loop(const UOp& extent, int64_t id) { return add(tg::range(extent, id)); }
  UOp loop(int64_t extent, int64_t id) { return loop(c(extent), id); }
  /// The range over the launch's chunks.
  UOp chunk_loop(int64_t chunks, int64_t id) {
    k_.chunks = chunks;
    const std::vector<int64_t> arg = {id, 1};
    return add(make(Op::Range, {c(chunks)}, arg));
  }
  /// A range of the group's work-items.
  UOp work_item_range(int64_t group_size, int64_t id) {
    k_.group_size *= group_size;
    return add(make(Op::Range, {c(group_size)}, {{id, 2}}));
  }
  UOp barrier(int64_t id, const std::vector<UOp>& effects = {}) {
    return add(make(Op::Barrier, effects, {{id}}));
  }
  UOp carry(const UOp& range, const UOp& init, int64_t id) {
    return add(make(Op::Carry, {range, init}, {{id}}));
  }
  UOp end(const UOp& range, std::vector<UOp> next = {}) {
    next.insert(next.begin(), range);
    const std::vector<int64_t> arg = {1};
    return add(make(Op::End, std::span<const UOp>(next), arg));
  }
  UOp carried(const UOp& end, int64_t k) { return add(make(Op::Out, {end}, {{k}})); }
  UOp load(const UOp& ptr, const UOp& index, const UOp& gate = {}, int lanes = 1,
           int64_t align = 1) {
    const std::vector<int64_t> arg = {lanes, align};
    return add(gate ? make(Op::Load, {ptr, index, gate}, arg) : make(Op::Load, {ptr, index}, arg));
  }
  UOp store(const UOp& ptr, const UOp& index, const UOp& v, const UOp& gate = {},
            Combine combine = Combine::Set, int64_t align = 1) {
    const std::vector<int64_t> arg = {static_cast<int64_t>(combine), align};
    return add(gate ? make(Op::Store, {ptr, index, v, gate}, arg)
                    : make(Op::Store, {ptr, index, v}, arg));
  }
  UOp splat(const UOp& v, int64_t lanes) { return add(make(Op::Splat, {v}, {{lanes}})); }
  UOp ramp(const UOp& base, int64_t lanes, int64_t step = 1) {
    const std::vector<int64_t> arg = {lanes, step};
    return add(make(Op::Ramp, {base}, arg));
  }

  LinearKernel& kernel() { return k_; }

 private:
  UOp once(const UOp& u) { return std::ranges::find(k_.ops, u) == k_.ops.end() ? add(u) : u; }

  LinearKernel k_;
};

}  // namespace tg::test
