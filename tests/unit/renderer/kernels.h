// Hand-written linear kernels that between them use every construct of codegen/linear.h: the
// renderer's golden texts and the comparison of devices share them. Each is small enough to see its
// result by hand.
#pragma once

#include <cmath>
#include <unordered_set>

#include "linear_build.h"
#include "support/symbol.h"
#include "target/matrix_unit.h"

namespace tg::testing {

/// Appends nodes in order, with what they need before them.
class Lines {
 public:
  UOp operator()(const UOp& u) {
    for (const Node* n : toposort(u)) {
      if (seen_.insert(n).second) kernel_.ops.push_back(UOp::share(n));
    }
    return u;
  }
  LinearKernel finish(std::string name, std::vector<ParamUse> params, int64_t chunks = 1,
                      std::vector<UOp> vars = {}) {
    kernel_.name = std::move(name);
    kernel_.params = std::move(params);
    kernel_.vars = std::move(vars);
    kernel_.chunks = chunks;
    return kernel_;
  }
  LinearKernel& kernel() { return kernel_; }

 private:
  LinearKernel kernel_;
  std::unordered_set<const Node*> seen_;
};

inline constexpr ParamUse kRead{true, false}, kWrite{false, true}, kBoth{true, true};

inline UOp carry(const UOp& range, const UOp& init, int64_t id) {
  return make(Op::Carry, {range, init}, {{id}});
}
inline UOp out(const UOp& end, int64_t k) { return make(Op::Out, {end}, {{k}}); }
inline UOp index_of(int64_t v) { return index_const(v); }
inline UOp fill_lanes(const Scalar& v, int lanes) { return splat(constant(v), lanes); }
inline UOp f32(double v, int lanes = 1) {
  return fill_lanes(Scalar::of_double(v, dtypes::float32), lanes);
}

/// p0[i] = p1[i] + 2·p2[i] for 21 elements, `lanes` at a time with a masked tail.
inline LinearKernel masked_axpy(int lanes = 8) {
  Lines add;
  const int64_t chunks = (21 + lanes - 1) / lanes;
  const UOp r = add(chunk_loop(chunks, 0));
  const UOp at = r * index_of(lanes);
  const UOp inside = lt(ramp(at, lanes), splat(index_of(21), lanes));
  const UOp x = load_lanes(param(1, {21}, dtypes::float32), at, lanes, inside);
  const UOp y = load_lanes(param(2, {21}, dtypes::float32), at, lanes, inside);
  add(store_lanes(param(0, {21}, dtypes::float32), at, x + y * f32(2, lanes), inside));
  add(close_loop(r));
  return add.finish("masked_axpy", {kWrite, kRead, kRead}, chunks);
}

/// p0[i] = sum of row i of p1 [4, 64], `lanes` columns at a time.
inline LinearKernel row_sum(int lanes = 8) {
  Lines add;
  const UOp i = add(chunk_loop(4, 0));
  const UOp zero = add(f32(0, lanes));
  const UOp j = add(loop(64 / lanes, 1));
  const UOp acc = add(carry(j, zero, 0));
  const UOp x = load_lanes(param(1, {4, 64}, dtypes::float32),
                           i * index_of(64) + j * index_of(lanes), lanes, {}, 4 * lanes);
  const UOp total = add(out(add(close_loop(j, {acc + x})), 0));
  add(store_lanes(param(0, {4}, dtypes::float32), i, make(Op::VReduce, {total}, {{0}})));
  add(close_loop(i));
  return add.finish("row_sum", {kWrite, kRead}, 4);
}

/// p0 [4, lanes] = p1 [4, 16] · p2 [16, lanes]: two rows at a time.
inline LinearKernel small_matmul(int lanes = 8) {
  Lines add;
  const UOp i = add(chunk_loop(2, 0));
  const UOp zero = add(f32(0, lanes)), row_start = add(i * index_of(2 * lanes)),
            width = add(index_of(lanes));
  const UOp k = add(loop(16, 1));
  const UOp acc0 = add(carry(k, zero, 0)), acc1 = add(carry(k, zero, 1));
  const UOp a = param(1, {4, 16}, dtypes::float32), b = param(2, {16, lanes}, dtypes::float32);
  const UOp row = load_lanes(b, k * width, lanes);
  const UOp a0 = load_lanes(a, i * index_of(32) + k, 1),
            a1 = load_lanes(a, i * index_of(32) + k + index_of(16), 1);
  const UOp next0 = acc0 + splat(a0, lanes) * row, next1 = fma(splat(a1, lanes), row, acc1);
  const UOp end = add(close_loop(k, {next0, next1}));
  const UOp c = param(0, {4, lanes}, dtypes::float32);
  add(store_lanes(c, row_start, add(out(end, 0))));
  add(store_lanes(c, row_start + width, add(out(end, 1))));
  add(close_loop(i));
  return add.finish("small_matmul", {kWrite, kRead, kRead}, 2);
}

/// p0[0] = the n-th Fibonacci number, n a variable: carries that read each other.
inline LinearKernel fibonacci() {
  Lines add;
  const UOp n = add(variable("steps", 0, 50));
  const UOp zero = add(constant(0, dtypes::int64)), one = add(constant(1, dtypes::int64));
  const UOp r = add(make(Op::Range, {n}, {{1}}));
  const UOp a = add(carry(r, zero, 0)), b = add(carry(r, one, 1));
  const UOp end = add(close_loop(r, {b, a + b}));
  add(store_lanes(param(0, {1}, dtypes::int64), index_of(0), add(out(end, 0))));
  return add.finish("fibonacci", {kWrite}, 1, {n});
}

/// p0[i] = index of the largest of row i of p1 [3, 20]: nested loops, where, a float and an integer
/// carried.
inline LinearKernel row_argmax() {
  Lines add;
  const UOp i = add(chunk_loop(3, 0));
  const UOp low = add(f32(-INFINITY)), none = add(constant(-1, dtypes::int32));
  const UOp j = add(loop(20, 1));
  const UOp best = add(carry(j, low, 0)), where_best = add(carry(j, none, 1));
  const UOp x = load_lanes(param(1, {3, 20}, dtypes::float32), i * index_of(20) + j, 1);
  const UOp better = lt(best, x);
  const UOp end = add(
      close_loop(j, {where(better, x, best), where(better, cast(j, dtypes::int32), where_best)}));
  add(store_lanes(param(0, {3}, dtypes::int32), i, add(out(end, 1))));
  add(close_loop(i));
  return add.finish("row_argmax", {kWrite, kRead}, 3);
}

/// p0[i] = p1[p2[i]] where p2[i] ≥ 0 else 0, then p3[p2[i]] += p0[i] in lane order, in a part of p3
/// for each chunk. 16 elements, `lanes` at a time.
inline LinearKernel gather_scatter(int lanes = 8) {
  Lines add;
  const UOp r = add(chunk_loop(16 / lanes, 0));
  const UOp at = r * index_of(lanes);
  const UOp index = load_lanes(param(2, {16}, dtypes::int32), at, lanes);
  const UOp valid = lt(splat(constant(-1, dtypes::int32), lanes), index);
  const UOp wide = cast(index, DType::Index);
  const UOp x = load_lanes(param(1, {10}, dtypes::float32), wide, lanes, valid);
  add(store_lanes(param(0, {16}, dtypes::float32), at, x));
  const UOp to = wide + splat(r * index_of(10), lanes);
  add(store_lanes(param(3, {160 / lanes}, dtypes::float32), to, x, valid, Combine::Add));
  add(close_loop(r));
  return add.finish("gather_scatter", {kWrite, kRead, kRead, kBoth}, 16 / lanes);
}

/// p0 [2, 12] = rows of p1 [2, 12] reversed, through an array of `space` with `pad` unused elements
/// behind it.
inline LinearKernel staged_reverse(Space space, int64_t pad) {
  Lines add;
  const UOp i = add(chunk_loop(2, 0));
  const std::vector<int64_t> arg = {5, static_cast<int64_t>(space), 12 + pad};
  const UOp array = add(make(Op::Alloc, {}, arg, dtypes::float32));
  const UOp start = add(i * index_of(12));
  const UOp j = add(loop(3, 1));
  const UOp x = load_lanes(param(1, {2, 12}, dtypes::float32), start + j * index_of(4), 4);
  const UOp stored = add(store_lanes(array, j * index_of(4), x, {}, Combine::Set, 16));
  const UOp ready = add(make(Op::After, {array, stored, add(close_loop(j))}));
  const UOp k = add(loop(12, 2));
  const UOp y = load_lanes(ready, k * index_of(-1) + index_of(11), 1);
  add(store_lanes(param(0, {2, 12}, dtypes::float32), start + k, y));
  add(close_loop(k));
  add(close_loop(i));
  LinearKernel kernel = add.finish(pad > 0               ? "big_reverse"
                                   : space == Space::Reg ? "register_reverse"
                                                         : "small_reverse",
                                   {kWrite, kRead}, 2);
  kernel.scratch_bytes = (4 * (12 + pad) + 63) / 64 * 64;
  return kernel;
}

/// p0[i] = p1[i] + 1 only where i is odd: an if around a store.
inline LinearKernel odd_only() {
  Lines add;
  const UOp i = add(chunk_loop(9, 0));
  const UOp odd = add(ne(mod(i, index_of(2)), index_of(0)));
  const UOp branch = add(make(Op::If, {odd}, {{0}}));
  add(store_lanes(param(0, {9}, dtypes::int32), i,
                  load_lanes(param(1, {9}, dtypes::int32), i, 1) + constant(1, dtypes::int32)));
  add(make(Op::EndIf, {branch}));
  add(close_loop(i));
  return add.finish("odd_only", {kWrite, kRead}, 9);
}

/// p0 bool [16] = (p1 < p2) != p3, p4 float64 [16] = p0 ? p1 : 1; masks of three widths meet.
inline LinearKernel masks() {
  Lines add;
  const UOp r = add(chunk_loop(2, 0));
  const UOp at = r * index_of(8);
  const UOp x = load_lanes(param(1, {16}, dtypes::float32), at, 8),
            y = load_lanes(param(2, {16}, dtypes::float32), at, 8);
  const UOp m = ne(lt(x, y), load_lanes(param(3, {16}, dtypes::bool_), at, 8));
  add(store_lanes(param(0, {16}, dtypes::bool_), at, m));
  const UOp one = fill_lanes(Scalar::of_double(1, dtypes::float64), 8);
  add(store_lanes(param(4, {16}, dtypes::float64), at,
                  where(m, cast(x, dtypes::float64), one) + cast(m, dtypes::float64)));
  add(close_loop(r));
  return add.finish("masks", {kWrite, kRead, kRead, kRead, kWrite}, 2);
}

/// p0[8]: lanes moved by shuffle, extract, stack; every third element gathered by a ramp.
inline LinearKernel lane_moves() {
  Lines add;
  const UOp x = load_lanes(param(1, {24}, dtypes::float32), index_of(0), 4);
  const UOp y = load_lanes(param(1, {24}, dtypes::float32), ramp(index_of(2), 4, 3), 4);
  const std::vector<int64_t> zip = {0, 4, 1, 5, 2, 6, 3, 7};
  const UOp both = make(Op::Shuffle, {x, y}, zip);
  const UOp last = make(Op::Extract, {both}, {{7}});
  const UOp stacked = make(Op::Stack, {last, make(Op::Extract, {x}, {{2}}), f32(5), last + f32(1)});
  add(store_lanes(param(0, {12}, dtypes::float32), index_of(0), both));
  add(store_lanes(param(0, {12}, dtypes::float32), index_of(8), stacked));
  return add.finish("lane_moves", {kWrite, kRead});
}

/// p0[i] for i in 0…19: floor division and remainder of i − 10 by 4, and of i by 4, in one number.
inline LinearKernel floor_division() {
  Lines add;
  const UOp i = add(chunk_loop(20, 0));
  const UOp low = i + index_of(-10), four = index_of(4);
  const UOp a = idiv(low, four) * index_of(1000) + mod(low, four) * index_of(100);
  const UOp b = idiv(i, four) * index_of(10) + mod(i, four);
  add(store_lanes(param(0, {20}, dtypes::int64), i, cast(a + b, dtypes::int64)));
  add(close_loop(i));
  return add.finish("floor_division", {kWrite}, 20);
}

/// p0[i] = p1[i − 2] where that is inside, else 0; p2[4i …] the maximum with p1[i − 4 …], four at a
/// time with one gate.
inline LinearKernel shifted() {
  Lines add;
  const UOp i = add(chunk_loop(12, 0));
  const UOp inside = lt(index_of(1), i);
  const UOp p1 = param(1, {12}, dtypes::float32);
  add(store_lanes(param(0, {12}, dtypes::float32), i, load_lanes(p1, i + index_of(-2), 1, inside)));
  const UOp four = load_lanes(p1, i + index_of(-4), 4, lt(index_of(3), i));
  const UOp to =
      param(2, {48}, dtypes::float32);  // each chunk has its own part: they run in any order
  add(store_lanes(to, i * index_of(4), four, lt(i, index_of(9)), Combine::Max));
  add(close_loop(i));
  return add.finish("shifted", {kWrite, kRead, kBoth}, 12);
}

/// p0[0] = any(p1 > 1), p0[1] = all(p1 > 1), p2[0] = max p1, p2[1] = product of p1; `lanes` floats.
inline LinearKernel lane_reductions(int lanes = 8) {
  Lines add;
  const UOp x = load_lanes(param(1, {lanes}, dtypes::float32), index_of(0), lanes);
  const UOp m = lt(f32(1, lanes), x);
  auto reduced = [](const UOp& v, ReduceOp op) {
    return make(Op::VReduce, {v}, {{static_cast<int64_t>(op)}});
  };
  add(store_lanes(param(0, {2}, dtypes::bool_), index_of(0), reduced(m, ReduceOp::Add)));
  add(store_lanes(param(0, {2}, dtypes::bool_), index_of(1), reduced(m, ReduceOp::Mul)));
  add(store_lanes(param(2, {2}, dtypes::float32), index_of(0), reduced(x, ReduceOp::Max)));
  add(store_lanes(param(2, {2}, dtypes::float32), index_of(1), reduced(x, ReduceOp::Mul)));
  return add.finish("lane_reductions", {kWrite, kRead, kWrite});
}

/// p0 half [lanes] = p1 half [lanes] + 1, computed in float32; a bool vector carried over three
/// rounds.
inline LinearKernel half_increment(int lanes = 16) {
  Lines add;
  const UOp seen = add(splat(constant(0, dtypes::bool_), lanes));
  const UOp x = add(
      cast(load_lanes(param(1, {lanes}, dtypes::float16), index_of(0), lanes), dtypes::float32));
  const UOp r = add(loop(3, 0));
  const UOp c = add(carry(r, seen, 0));
  const UOp large = lt(splat(cast(r, dtypes::float32), lanes), x);
  const UOp end = add(close_loop(r, {c | large}));
  const UOp any = add(out(end, 0));
  const UOp y = where(any, x + f32(1, lanes), f32(0, lanes));
  add(store_lanes(param(0, {lanes}, dtypes::float16), index_of(0), cast(y, dtypes::float16)));
  return add.finish("half_increment", {kWrite, kRead});
}

/// p0 [5, width] = p1 + 1 in the first columns, `bytes` of them, stored past the caches where a row
/// starts at a multiple of `bytes`: with 24 columns and 64 bytes rows 0, 2 and 4 if the buffer
/// does.
inline LinearKernel streamed_rows(int64_t bytes = 64, int64_t width = 24) {
  Lines add;
  const int lanes = static_cast<int>(bytes / 4);
  const UOp r = add(chunk_loop(5, 0));
  const UOp at = r * index_of(width);
  const UOp x = load_lanes(param(1, {5, width}, dtypes::float32), at, lanes);
  add(store_lanes(param(0, {5, width}, dtypes::float32), at, x + f32(1, lanes)));
  add(close_loop(r));
  return add.finish("streamed_rows", {{.written = true, .stream_bytes = bytes}, kRead}, 5);
}

/// p0 [3, width] = p1 after `ops` multiplications by 2 (at most as many as a float holds) plus the
/// sums of every 16th column: two loops over each row, of which the second prefetches the next row
/// if it has enough to do. `read` of the columns are looped over.
inline LinearKernel row_twice(int ops, int64_t width = 256, int64_t read = 256) {
  Lines add;
  const UOp i = add(chunk_loop(3, 0));
  const UOp row = add(i * index_of(width));
  // Both loops use these, so neither may make them.
  const UOp x = add(param(1, {3, width}, dtypes::float32));
  const UOp zero = add(f32(0, 16)), lanes = add(index_of(16));
  const UOp j = add(loop(read / 16, 1));
  const UOp acc = add(carry(j, zero, 0));
  const UOp first = load_lanes(x, row + j * lanes, 16);
  const UOp sums = add(out(add(close_loop(j, {acc + first})), 0));
  const UOp k = add(loop(read / 16, 2));
  const UOp at = row + k * lanes;
  UOp y = load_lanes(x, at, 16);
  for (int n = 0; n < ops; ++n) y = y * f32(2, 16);
  add(store_lanes(param(0, {3, width}, dtypes::float32), at, y + sums));
  add(close_loop(k));
  add(close_loop(i));
  return add.finish("row_twice", {kWrite, kRead}, 3);
}

/// p0 [37, 8] = rows of p1 reversed by 2 × 4 work-items that hand their elements to each other
/// through scratch memory. Not among all_kernels(): not every renderer has work-items.
inline LinearKernel reversed_by_work_items() {
  Lines add;
  const UOp g = add(chunk_loop(37, 0));
  const UOp i = add(make(Op::Range, {index_of(2)}, {{1, 2}}));
  const UOp j = add(make(Op::Range, {index_of(4)}, {{2, 2}}));
  const std::vector<int64_t> arg = {5, static_cast<int64_t>(Space::Scratch), 8};
  const UOp array = add(make(Op::Alloc, {}, arg, dtypes::float32));
  const UOp work_item = add(i * index_of(4) + j), at = add(g * index_of(8) + work_item);
  const UOp stored =
      add(store_lanes(array, work_item, load_lanes(param(1, {37, 8}, dtypes::float32), at, 1)));
  const UOp barrier = add(make(Op::Barrier, {stored}, {{0}}));
  const UOp ready = add(make(Op::After, {array, barrier}));
  add(store_lanes(param(0, {37, 8}, dtypes::float32), at,
                  load_lanes(ready, work_item * index_of(-1) + index_of(7), 1)));
  add(close_loop(j));
  add(close_loop(i));
  add(close_loop(g));
  LinearKernel kernel = add.finish("reversed_by_work_items", {kWrite, kRead}, 37);
  kernel.group_size = 8;
  kernel.scratch_bytes = 64;
  return kernel;
}

/// Of each row of 128 in p1, which is copied asynchronously:
/// p0[i] = row[124 − i] + 2·row[124 − (i xor 1)], the second from the neighbour.
inline LinearKernel async_copied_rows() {
  Lines add;
  const UOp g = add(chunk_loop(37, 0));
  const UOp work_item = add(make(Op::Range, {index_of(32)}, {{1, 2}}));
  const std::vector<int64_t> arg = {5, static_cast<int64_t>(Space::Scratch), 128};
  const UOp array = add(make(Op::Alloc, {}, arg, dtypes::float32));
  const UOp place = add(work_item * index_of(4)), from = add(g * index_of(128) + place);
  add(make(Op::AsyncCopy, {array, place, param(1, {37, 128}, dtypes::float32), from}, {{4, 0}}));
  const UOp arrived = add(make(Op::AsyncWait, {}, {{0, 0}}));
  const UOp barrier = add(make(Op::Barrier, {arrived}, {{0}}));
  const UOp ready = add(make(Op::After, {array, barrier}));
  const UOp mine = add(load_lanes(ready, work_item * index_of(-1) + index_of(124), 1));
  const UOp theirs = add(make(Op::SubgroupShuffle, {mine}, {{1}}));
  add(store_lanes(param(0, {37, 32}, dtypes::float32), g * index_of(32) + work_item,
                  mine + theirs * f32(2)));
  add(close_loop(work_item));
  add(close_loop(g));
  LinearKernel kernel = add.finish("async_copied_rows", {kWrite, kRead}, 37);
  kernel.group_size = 32;
  kernel.scratch_bytes = 512;
  return kernel;
}

/// The products of three chunks by a matrix unit, added to 1: each work-item's part of the operands
/// lies together in p1 and p2, and so does its part of the result in p0.
inline LinearKernel unit_product(const MatrixUnit& unit) {
  Lines add;
  const UOp g = add(chunk_loop(3, 0));
  const UOp work_item = add(make(Op::Range, {index_of(32)}, {{1, 2}}));
  const UOp place = add(g * index_of(32) + work_item);
  const auto array = [&](int slot, DType t, const FragmentMap& map) {
    return param(slot, {3, 32, map.registers()}, t);
  };
  const auto fragment = [&](int slot, const FragmentMap& map) {
    return load_lanes(array(slot, unit.input, map), place * index_of(map.registers()),
                      static_cast<int>(map.registers()));
  };
  const UOp one = splat(constant(1.0, unit.sum), static_cast<int>(unit.c.registers()));
  const UOp sum = add(
      make(Op::Mma, {fragment(1, unit.a), fragment(2, unit.b), one}, {{intern_symbol(unit.name)}}));
  add(store_lanes(array(0, unit.sum, unit.c), place * index_of(unit.c.registers()), sum));
  add(close_loop(work_item));
  add(close_loop(g));
  LinearKernel kernel = add.finish("product_" + unit.name, {kWrite, kRead, kRead}, 3);
  kernel.group_size = 32;
  return kernel;
}
/// That of every unit of subgroups whose tiles have `rows` rows.
inline std::vector<LinearKernel> unit_products(int rows) {
  std::vector<LinearKernel> out;
  for (const MatrixUnit& u : matrix_units()) {
    if (u.m == rows && !u.is_of_one()) out.push_back(unit_product(u));
  }
  return out;
}

/// p0[0] = p1[0] + p1[1], which wraps, and p0[1] = their product.
inline LinearKernel wrapping_sums() {
  Lines add;
  const UOp p = param(1, {8}, dtypes::int32), out = param(0, {8}, dtypes::int32);
  const UOp a = load_lanes(p, index_of(0), 1), b = load_lanes(p, index_of(1), 1);
  add(store_lanes(out, index_of(0), a + b));
  add(store_lanes(out, index_of(1), a * b));
  const UOp v = load_lanes(p, index_of(4), 4);
  add(store_lanes(out, index_of(4), v * v + v));
  return add.finish("wrapping_sums", {kWrite, kRead});
}

inline std::vector<LinearKernel> all_kernels() {
  return {masked_axpy(),
          row_sum(),
          small_matmul(),
          fibonacci(),
          row_argmax(),
          gather_scatter(),
          staged_reverse(Space::Scratch, 0),
          staged_reverse(Space::Scratch, 5000),
          staged_reverse(Space::Reg, 0),
          odd_only(),
          masks(),
          lane_moves(),
          floor_division(),
          shifted(),
          lane_reductions(),
          half_increment(),
          streamed_rows(),
          row_twice(16)};
}

}  // namespace tg::testing
