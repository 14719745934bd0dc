// The grammars: a well-formed example of each stage passes, and every rule has a graph that breaks
// it and nothing else.
#include "rewrite/verify.h"

#include <gtest/gtest.h>

#include "support/symbol.h"
#include "tg/error.h"
#include "tg/ir/text.h"
#include "uop/grammar.h"

namespace tg {
namespace {

UOp k(int64_t v) { return index_const(v); }
UOp fc(double v) { return constant(v, DType::Float32); }

std::string message_of(auto&& verify) {
  try {
    verify();
  } catch (const InternalError& e) {
    return e.what();
  }
  return "accepted";
}

// ---- T
UOp tensor_buffer() {
  return buffer({4, 6}, DType::Float32, static_cast<DeviceId>(intern_symbol("CPU")), nullptr);
}

TEST(VerifyTensor, AcceptsAStepThatAssigns) {
  const UOp b = tensor_buffer();
  const UOp v = reduce(permute(b, {{1, 0}}) * full({6, 4}, Scalar::of_double(2, DType::Float32)),
                       ReduceOp::Add, {{0}});
  const UOp row = shrink(b, {{0, 1, 0, 4}});
  const UOp next = after(b, {{store(row, reshape(v, {1, 4}))}});
  EXPECT_NO_THROW(verify_tensor(sink({{next, iota({3}, 0, DType::Int32)}})));
}

struct BadGraph {
  const char* name;
  UOp root;
  const char* rule;
};

class TensorRule : public testing::TestWithParam<BadGraph> {};
TEST_P(TensorRule, IsEnforced) {
  const std::string m = message_of([] { verify_tensor(GetParam().root); });
  EXPECT_TRUE(m.starts_with(std::string("verify_tensor: ") + GetParam().rule + ": ")) << m;
}

std::vector<BadGraph> bad_tensors() {
  const UOp r = range(4, 0), p = param(0, {4}, DType::Float32);
  const UOp effect = store(tensor_buffer(), full({4, 6}, Scalar::of_double(2, DType::Float32)));
  return {
      {"OpOfAnotherStage", r, "only ops of the tensor stage"},
      {"Load", load(p, {{k(0)}}), "only ops of the tensor stage"},
      {"RangedReduce", reduce_ranges(fc(1), ReduceOp::Add, {{k(3)}}),
       "reduce names axes, not ranges"},
      {"RangedStore", store_at(p, {{k(0)}}, fc(1)),
       "store writes to a movement chain over storage"},
      {"EffectAsValue", after(effect, {{effect}}), "effects are used by after and sink only"},
      {"ValueAsEffect", after(p, {{fc(1)}}), "effects are used by after and sink only"},
      {"IndexStorage", contiguous(k(1)), "storage has a storable dtype"},
  };
}
INSTANTIATE_TEST_SUITE_P(Table, TensorRule, testing::ValuesIn(bad_tensors()),
                         [](const auto& i) { return std::string(i.param.name); });

// ---- R
TEST(VerifyRanged, AcceptsAMatrixProductWithAStagedOperand) {
  const UOp a = param(0, {4, 8}, DType::Float32), b = param(1, {8, 6}, DType::Float32),
            c = param(2, {4, 6}, DType::Float32);
  const UOp i = range(4, 0), j = range(6, 1), r = range(8, 2), copy = range(8, 3);
  const UOp packed = stage(load(b, {{copy, j}}), {{copy}}, 0, Space::Scratch);
  const UOp dot = reduce_ranges(load(a, {{i, r}}) * load(packed, {{r}}), ReduceOp::Add, {{r}});
  const UOp effect = end(store_at(c, {{i, j}}, dot, lt(i, k(3))), {{i, j}});
  EXPECT_NO_THROW(verify_ranged(sink({{effect}})));
}

TEST(VerifyRanged, AcceptsTwoReductionsThatShareALoop) {
  const UOp p = param(0, {8}, DType::Float32), r = range(8, 0), v = load(p, {{r}});
  const UOp sum = reduce_ranges(v, ReduceOp::Add, {{r}}),
            most = reduce_ranges(v, ReduceOp::Max, {{r}});
  EXPECT_NO_THROW(verify_ranged(sum + most));
}

class RangedRule : public testing::TestWithParam<BadGraph> {};
TEST_P(RangedRule, IsEnforced) {
  const std::string m = message_of([] { verify_ranged(GetParam().root); });
  EXPECT_TRUE(m.starts_with(std::string("verify_ranged: ") + GetParam().rule + ": ")) << m;
}

std::vector<BadGraph> bad_ranged() {
  const UOp p = param(0, {8}, DType::Float32), r = range(8, 0), twin = range(9, 0),
            v = load(p, {{r}});
  const UOp sum = reduce_ranges(v, ReduceOp::Add, {{r}}), store = store_at(p, {{r}}, v);
  return {
      {"OpOfAnotherStage", reshape(fc(1), {1}), "only ops of the ranged stage"},
      {"Splat", make(Op::Splat, {fc(1)}, {{4}}), "only ops of the ranged stage"},
      {"Lanes", make(Op::Load, {p, k(0)}, {{4, 4}}), "values are scalars"},
      {"LinearLoad", make(Op::Load, {p, k(0)}, {{1, 4}}),
       "load, store, reduce and end have the ranged form"},
      {"IndexOfInt32", load(p, {{constant(0, DType::Int32)}}),
       "indices have dtype index and gates bool"},
      {"GateOfIndex", load(p, {{r}}, r), "indices have dtype index and gates bool"},
      {"ClosesAConstant", reduce_ranges(fc(1), ReduceOp::Add, {{k(4)}}),
       "reduce, stage and end close ranges"},
      {"ValueAsEffect", end(v, {{r}}), "effects are used by after, end and sink only"},
      {"RangeOfInt32", range(constant(4, DType::Int32), 3), "a range counts index"},
      {"TwoRangesWithOneId", r + twin, "range ids are unique"},
      {"DependentPassOverTheSameRange", reduce_ranges(v * sum, ReduceOp::Add, {{r}}),
       "no node closes a range that was closed below it"},
      {"OpenAtTheSink", sink({{store}}), "nothing is open at a sink"},
  };
}
INSTANTIATE_TEST_SUITE_P(Table, RangedRule, testing::ValuesIn(bad_ranged()),
                         [](const auto& i) { return std::string(i.param.name); });

// ---- N
struct Linear {
  UOp p = param(0, {64}, DType::Float32), q = param(1, {64}, DType::Float32);
  UOp extent = k(8), zero = k(0), init = fc(0), yes = constant(1, DType::Bool);
  UOp loop = range(extent, 0);
  UOp carry = make(Op::Carry, {loop, init}, {{0}});
  UOp value = make(Op::Load, {p, loop}, {{1, 4}});
  UOp next = carry + value;
  UOp end = make(Op::End, {loop, next}, {{1}});
  UOp out = make(Op::Out, {end}, {{0}});
  UOp store = make(Op::Store, {q, zero, out}, {{0, 4}});
  UOp cond = make(Op::If, {yes}, {{0}}), endif = make(Op::EndIf, {cond});

  std::vector<UOp> head() const { return {p, q, extent, zero, init, yes}; }
};

std::vector<UOp> list(const Linear& l, std::initializer_list<UOp> rest) {
  std::vector<UOp> all = l.head();
  all.insert(all.end(), rest);
  return all;
}

TEST(VerifyLinear, AcceptsASum) {
  const Linear l;
  EXPECT_NO_THROW(
      verify_linear(list(l, {l.loop, l.carry, l.value, l.next, l.end, l.out, l.store})));
}
TEST(VerifyLinear, AcceptsIfsAndVectors) {
  const Linear l;
  const UOp splat = make(Op::Splat, {l.init}, {{4}}), ramp = make(Op::Ramp, {l.zero}, {{4, 2}});
  const UOp mask = make(Op::Splat, {l.yes}, {{4}});
  const UOp put = make(Op::Store, {l.q, ramp, splat, mask}, {{0, 4}});
  EXPECT_NO_THROW(verify_linear(list(l, {splat, ramp, mask, l.cond, put, l.endif})));
}
TEST(VerifyLinear, AfterMayNameEffectsOfAFinishedLoop) {
  const Linear l;
  const UOp put = make(Op::Store, {l.q, l.loop, l.init}, {{0, 4}}),
            done = make(Op::End, {l.loop}, {{1}});
  const UOp again = after(l.q, {{put}});
  const UOp get = make(Op::Load, {again, l.zero}, {{1, 4}});
  EXPECT_NO_THROW(verify_linear(list(l, {l.loop, put, done, again, get})));
}

struct BadList {
  const char* name;
  std::vector<UOp> ops;
  const char* rule;
};

class LinearRule : public testing::TestWithParam<BadList> {};
TEST_P(LinearRule, IsEnforced) {
  const std::string m = message_of([] { verify_linear(GetParam().ops); });
  EXPECT_TRUE(m.starts_with(std::string("verify_linear: ") + GetParam().rule + ": ")) << m;
}

std::vector<BadList> bad_lists() {
  const Linear l;
  const UOp other = range(l.extent, 1), twin = range(l.zero, 0);
  const UOp launch = make(Op::Range, {l.extent}, {{7, 1}}),
            launch2 = make(Op::Range, {l.extent}, {{8, 1}});
  const UOp end_without_next = make(Op::End, {l.loop}, {{1}});
  const UOp end_bool = make(Op::End, {l.loop, l.yes}, {{1}});
  const UOp ranged_load = load(l.p, {{l.zero}});
  const UOp wide = make(Op::Splat, {l.zero}, {{4}}), wide_yes = make(Op::Splat, {l.yes}, {{4}});
  // The effect after the range is no next value, so there is nothing to be handed out.
  const UOp put = make(Op::Store, {l.q, l.zero, l.init}, {{0, 4}});
  const UOp ended_once = make(Op::End, {l.loop, put}, {{1}}),
            out_of_none = make(Op::Out, {ended_once}, {{0}});
  return {
      {"OpOfAnotherStage", {sink(std::span<const UOp>{})}, "only ops of linear code"},
      {"UseBeforeDefinition",
       {l.extent, l.loop, l.carry},
       "a node stands before every node that uses it"},
      {"DefinedTwice", {l.extent, l.extent}, "each node stands once"},
      {"RangedLoad", list(l, {ranged_load}),
       "load and store have a pointer, a flat index, lanes and alignment"},
      {"FloatIndex", list(l, {make(Op::Load, {l.p, l.init}, {{1, 4}})}),
       "an index is an integer of one lane or as many as the value"},
      {"IndexLanesDiffer", list(l, {wide, make(Op::Load, {l.p, wide}, {{8, 4}})}),
       "an index is an integer of one lane or as many as the value"},
      {"GateOfIndex", list(l, {make(Op::Load, {l.p, l.zero, l.zero}, {{1, 4}})}),
       "a gate is a bool of one lane or as many as the value"},
      {"GateLanesDiffer", list(l, {wide_yes, make(Op::Load, {l.p, l.zero, wide_yes}, {{8, 4}})}),
       "a gate is a bool of one lane or as many as the value"},
      {"IfOfFloat", list(l, {make(Op::If, {l.init}, {{0}})}),
       "the condition of an if is a scalar bool"},
      {"ShapedValue", {fc(1), reshape(fc(1), {1})}, "only ops of linear code"},
      {"LoopLeftOpen", list(l, {l.loop}), "every loop and if is closed"},
      {"IfLeftOpen", list(l, {l.cond}), "every loop and if is closed"},
      {"EndOfAnotherLoop", list(l, {l.loop, other, end_without_next}),
       "end closes the innermost loop"},
      {"EndifAcrossALoop", list(l, {l.cond, l.loop, l.endif}), "endif closes the innermost if"},
      {"UseAfterTheLoop", list(l, {l.loop, l.value, end_without_next, l.value + l.init}),
       "what is made inside a loop or if is used inside it"},
      {"UseOfTheRangeAfterTheLoop", list(l, {l.loop, end_without_next, l.value}),
       "what is made inside a loop or if is used inside it"},
      {"CarryLate", list(l, {l.loop, l.value, l.carry}), "a carry follows its range directly"},
      {"CarryWithoutNext", list(l, {l.loop, l.carry, end_without_next}),
       "end has a next value for each carry"},
      {"NextOfAnotherType", list(l, {l.loop, l.carry, end_bool}),
       "a next value has the type of its carry"},
      {"OutOfNoCarry", list(l, {put, l.loop, ended_once, out_of_none}),
       "out names a carry of an end"},
      {"LaunchInsideALoop", list(l, {l.loop, launch}),
       "the range of the launch is outermost and one"},
      {"TwoLaunches", list(l, {launch, make(Op::End, {launch}, {{1}}), launch2}),
       "the range of the launch is outermost and one"},
      {"TwoLoopsWithOneId", list(l, {l.loop, end_without_next, twin}), "range ids are unique"},
  };
}
INSTANTIATE_TEST_SUITE_P(Table, LinearRule, testing::ValuesIn(bad_lists()),
                         [](const auto& i) { return std::string(i.param.name); });

TEST(Grammar, EveryOpHasAStage) {
  for (int i = 0; i < kNumOps; ++i)
    EXPECT_NE(stages_of(static_cast<Op>(i)), 0) << op_name(static_cast<Op>(i));
}
TEST(Grammar, MovementAndMarksStayInTheTensorGraph) {
  for (int i = 0; i < kNumOps; ++i) {
    const Op op = static_cast<Op>(i);
    if (in_group(op, kMovement)) {
      EXPECT_EQ(stages_of(op), kTensorStage) << op_name(op);
    }
    if (in_group(op, kLowered)) {
      EXPECT_EQ(stages_of(op), kLinearStage) << op_name(op);
    }
    if (in_group(op, kElementwise)) {
      EXPECT_EQ(stages_of(op), kTensorStage | kRangedStage | kLinearStage) << op_name(op);
    }
  }
}

}  // namespace
}  // namespace tg
