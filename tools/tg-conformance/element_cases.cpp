// Every elementwise operation in every dtype that it takes, and every cast and bitcast. The numbers
// are ordinary ones, with signs, fractions, zeros, and for floats infinities and NaN.
#include <fmt/format.h>

#include "suite.h"
#include "support/spacing.h"
#include "tg/error.h"

namespace tg::conformance {
namespace {

constexpr int kElements = 75;  // no multiple of any vector

bool small(DType t) { return is_float(t) && dtype_size(t) == 1; }

// What an operation is fed with, by operand.
struct Feed {
  double low = -20, high = 20;
};

Feed feed_of(Op op, DType t, int operand) {
  const double bits = 8.0 * static_cast<double>(dtype_size(t));
  if (is_bool(t)) return {0, 2};
  if (op == Op::Shl || op == Op::Shr) {
    if (operand == 1) return {0, bits};
  }
  if (op == Op::Log2 || op == Op::Sqrt || op == Op::Fma) return {0.01, small(t) ? 3.0 : 20.0};
  if (op == Op::Exp2) return {-6, 6};
  if (small(t)) return {-3, 3};
  return is_unsigned(t) ? Feed{0, 40} : Feed{};
}

TensorValue operand(Op op, DType t, int i, uint64_t seed) {
  const Feed feed = feed_of(op, t, i);
  TensorValue v =
      random_value({kElements}, t, feed.low, feed.high, seed + static_cast<uint64_t>(i));
  if (!is_float(t) || small(t)) return v;
  const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN};
  for (int k = 0; k < 5; ++k) v.set((k * 7 + i * 3) % kElements, Scalar::of_double(special[k], t));
  return v;
}

double error_of(Op op, DType t) {
  switch (op) {
    case Op::Exp2:
    case Op::Log2:
    case Op::Sin:
      return 4 * test::spacing(t);
    case Op::Fma:
      return 2 * test::spacing(t);
    default:
      return 0;
  }
}

// Which of two zeros is the larger is left to the device; else zeros have the sign that IEEE 754
// gives them.
Tolerance tolerance_of(Op op, DType t) {
  return {error_of(op, t), is_float(t) ? error_of(op, t) : 0, op != Op::Max};
}

// The operation's dtypes are what its type rule takes.
bool takes(Op op, const std::vector<DType>& types) {
  std::vector<UOp> sources;
  for (const DType t : types) sources.push_back(constant(Scalar::of_int(1, t)));
  try {
    make(op, sources);
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::vector<DType> sources_of(Op op, DType t) {
  if (op == Op::Where) return {DType::Bool, t, t};
  return std::vector<DType>(static_cast<size_t>(record(op).arity), t);
}

void add_op(Suite& suite, const Settings& s, const Target& target, Op op, DType t) {
  const std::vector<DType> types = sources_of(op, t);
  if (op == Op::Fma && !is_float(t)) return;  // the compiler makes it of floats only
  if (!takes(op, types)) return;
  const auto make_graph = [=, seed = s.seed](Device& d) {
    Graph g;
    std::vector<UOp> sources;
    for (size_t i = 0; i < types.size(); ++i)
      sources.push_back(leaf(g, d, operand(op, types[i], static_cast<int>(i), seed)));
    g.roots = {make(op, sources)};
    return g;
  };
  suite.graphs.push_back({fmt::format("op.{}.{}", op_name(op), dtype_name(t)), tolerance_of(op, t),
                          make_graph, lacks(target, t)});
}

// With zeros of both signs and what may be rounded to them.
TensorValue cast_operand(DType from, double low, double high, uint64_t seed) {
  TensorValue v = random_value({kElements}, from, low, high, seed);
  if (!is_float(from)) return v;
  const double special[] = {0.0, -0.0, 1e-30, low < 0 ? -1e-30 : 0};
  for (int k = 0; k < 4; ++k) v.set(k * 11 + 2, Scalar::of_double(special[k], from));
  return v;
}

void add_cast(Suite& suite, const Settings& s, const Target& target, DType from, DType to) {
  const bool negative = !is_unsigned(from) && !is_unsigned(to) && !is_bool(to) && !is_bool(from);
  const double most = is_bool(from) ? 2 : 100;
  const auto make_graph = [=, seed = s.seed](Device& d) {
    Graph g;
    const double low = negative ? -most : 0;
    g.roots = {cast(leaf(g, d, cast_operand(from, low, most, seed)), to)};
    return g;
  };
  const std::string reason = lacks(target, from);
  suite.graphs.push_back({fmt::format("cast.{}.{}", dtype_name(from), dtype_name(to)),
                          {.zero_signs = true},
                          make_graph,
                          reason.empty() ? lacks(target, to) : reason});
}

void add_bitcast(Suite& suite, const Settings& s, const Target& target, DType from, DType to) {
  if (from == to || dtype_size(from) != dtype_size(to) || is_bool(from) || is_bool(to)) return;
  const auto make_graph = [=, seed = s.seed](Device& d) {
    Graph g;
    g.roots = {bitcast(leaf(g, d, random_value({kElements}, from, 1, 100, seed)), to)};
    return g;
  };
  const std::string reason = lacks(target, from);
  suite.graphs.push_back({fmt::format("bitcast.{}.{}", dtype_name(from), dtype_name(to)),
                          {.zero_signs = true},
                          make_graph,
                          reason.empty() ? lacks(target, to) : reason});
}

void add_threefry(Suite& suite, const Settings& s) {
  for (const int word : {0, 1}) {
    suite.graphs.push_back(
        {fmt::format("op.threefry.word{}", word), {}, [word, seed = s.seed](Device& d) {
           Graph g;
           std::vector<UOp> in;
           for (uint64_t i = 0; i < 4; ++i)
             in.push_back(leaf(g, d, random_value({kElements}, DType::UInt32, 0, 4e9, seed + i)));
           g.roots = {threefry(in[0], in[1], in[2], in[3], word)};
           return g;
         }});
  }
}

}  // namespace

void add_element_cases(Suite& suite, const Settings& s) {
  const Target& target = device(s.device).target();
  std::vector<DType> types;
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto t = static_cast<DType>(i);
    if (t != DType::Void && t != DType::Index) types.push_back(t);
  }
  for (int i = 0; i < kNumOps; ++i) {
    const auto op = static_cast<Op>(i);
    const bool own = op == Op::Cast || op == Op::Bitcast || op == Op::Threefry;
    if (!in_group(op, kElementwise) || own) continue;
    for (const DType t : types) add_op(suite, s, target, op, t);
  }
  add_threefry(suite, s);
  for (const DType from : types) {
    for (const DType to : types) {
      if (from != to) add_cast(suite, s, target, from, to);
      add_bitcast(suite, s, target, from, to);
    }
  }
}

}  // namespace tg::conformance
