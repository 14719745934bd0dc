// What the decoder refuses, what it accepts, and the listing.
#include "interp_run.h"
#include "runtime/device.h"
#include "support/symbol.h"
#include "target/matrix_unit.h"

namespace tg {
namespace {

using test::internal_error;
using test::LinearBuilder;

std::string refusal(LinearBuilder& k) {
  return internal_error([&] { interp::decode(k.kernel()); });
}

TEST(InterpDecode, UseBeforeDefinitionIsRefused) {
  LinearBuilder k("k1");
  UOp a = index_const(1), b = index_const(2);
  k.add(a + b);
  EXPECT_EQ(refusal(k), "interp: add uses a const that is not defined yet: kernel k1, op 0.");
}

TEST(InterpDecode, ValueOfAClosedLoopIsRefused) {
  LinearBuilder k;
  UOp one = k.c(1), i = k.loop(3, 1);
  UOp v = k.add(i + one);
  k.end(i);
  k.add(v * v);
  EXPECT_NE(refusal(k).find("mul uses a add outside the loop or if that made it"),
            std::string::npos);
}

TEST(InterpDecode, RangeAfterItsEndIsRefused) {
  LinearBuilder k;
  UOp one = k.c(1), i = k.loop(3, 1);
  k.end(i);
  k.add(i + one);
  EXPECT_NE(refusal(k).find("outside the loop"), std::string::npos);
}

TEST(InterpDecode, CarryAfterItsEndIsRefused) {
  LinearBuilder k;
  UOp zero = k.c(0), i = k.loop(3, 1);
  UOp acc = k.carry(i, zero, 2);
  k.end(i, {acc});
  k.add(acc + zero);
  EXPECT_NE(refusal(k).find("outside the loop"), std::string::npos);
}

TEST(InterpDecode, ValueOfAClosedIfIsRefused) {
  LinearBuilder k;
  UOp one = k.c(1), yes = k.c(Scalar::of_int(1, DType::Bool));
  UOp branch = k.add(make(Op::If, {yes}, {{1}}));
  UOp v = k.add(one + one);
  k.add(make(Op::EndIf, {branch}));
  k.add(v * one);
  EXPECT_NE(refusal(k).find("outside the loop or if"), std::string::npos);
}

TEST(InterpDecode, LoopsThatCrossAreRefused) {
  LinearBuilder k;
  UOp i = k.loop(3, 1), j = k.loop(3, 2);
  k.end(i);
  EXPECT_NE(refusal(k).find("not innermost"), std::string::npos);
}

TEST(InterpDecode, OpenLoopIsRefused) {
  LinearBuilder k;
  k.loop(3, 1);
  EXPECT_NE(refusal(k).find("not closed"), std::string::npos);
}

TEST(InterpDecode, EndIfOfALoopIsRefused) {
  LinearBuilder k;
  UOp i = k.loop(3, 1);
  k.add(make(Op::EndIf, {i}));
  EXPECT_NE(refusal(k).find("endif of an if that is not innermost"), std::string::npos);
}

TEST(InterpDecode, CarryAwayFromItsRangeIsRefused) {
  LinearBuilder k;
  UOp zero = k.c(0), i = k.loop(3, 1);
  k.add(i * i);
  k.carry(i, zero, 2);
  EXPECT_NE(refusal(k).find("a carry does not follow its range directly"), std::string::npos);
}

TEST(InterpDecode, CarryStartingFromItsOwnLoopIsRefused) {
  LinearBuilder k;
  UOp i = k.loop(3, 1);
  k.carry(i, i, 2);
  EXPECT_NE(refusal(k).find("made inside its loop"), std::string::npos);
}

TEST(InterpDecode, MissingNextValueIsRefused) {
  LinearBuilder k;
  UOp zero = k.c(0), i = k.loop(3, 1);
  k.carry(i, zero, 2);
  k.end(i);
  EXPECT_NE(refusal(k).find("too few next values"), std::string::npos);
}

TEST(InterpDecode, ExtraNextValueIsRefused) {
  LinearBuilder k;
  UOp zero = k.c(0), i = k.loop(3, 1);
  k.end(i, {zero});
  EXPECT_NE(refusal(k).find("more next values"), std::string::npos);
}

TEST(InterpDecode, NodeMadeTwiceIsRefused) {
  LinearBuilder k;
  k.add(index_const(1));
  k.add(index_const(1));
  EXPECT_NE(refusal(k).find("made twice"), std::string::npos);
}

TEST(InterpDecode, NodeMayBeMadeAgainInALaterLoop) {
  LinearBuilder k;
  UOp one = k.c(1), i = k.loop(3, 1);
  k.add(one + one);
  k.end(i);
  UOp j = k.loop(3, 2);
  k.add(one + one);
  k.end(j);
  EXPECT_NO_THROW(interp::decode(k.kernel()));
}

TEST(InterpDecode, GraphOpsAreRefused) {
  LinearBuilder k;
  k.add(iota({3}, 0, DType::Int32));
  EXPECT_NE(refusal(k).find("iota does not belong into linear code"), std::string::npos);
}

TEST(InterpDecode, RangedLoadIsRefused) {
  LinearBuilder k;
  UOp from = k.in(DType::Float32, 4), zero = k.c(0);
  const std::vector<UOp> index = {zero};
  k.add(load(from, index));
  EXPECT_NE(refusal(k).find("load in ranged form"), std::string::npos);
}

TEST(InterpDecode, StoreToAReadOnlyParameterIsRefused) {
  LinearBuilder k;
  UOp from = k.in(DType::Float32, 4);
  k.store(from, k.c(0), k.c(Scalar::of_int(1, DType::Float32)));
  EXPECT_NE(refusal(k).find("not declared as written"), std::string::npos);
}

TEST(InterpDecode, LoadFromAWriteOnlyParameterIsRefused) {
  LinearBuilder k;
  UOp to = k.out(DType::Float32, 4);
  k.load(to, k.c(0));
  EXPECT_NE(refusal(k).find("not declared as read"), std::string::npos);
}

TEST(InterpDecode, ParameterWithoutASlotIsRefused) {
  LinearBuilder k;
  k.add(param(0, {4}, DType::Float32));
  EXPECT_NE(refusal(k).find("without a slot"), std::string::npos);
}

TEST(InterpDecode, UnlistedVariableIsRefused) {
  LinearBuilder k;
  k.add(variable("interp_unlisted", 0, 3));
  EXPECT_NE(refusal(k).find("not in the kernel's list"), std::string::npos);
}

TEST(InterpDecode, TooLittleScratchIsRefused) {
  LinearBuilder k;
  k.scratch(0, DType::Float32, 100);
  k.kernel().scratch_bytes -= 1;
  EXPECT_NE(refusal(k).find("scratch_bytes"), std::string::npos);
}

TEST(InterpDecode, FloatIndexIsRefused) {
  LinearBuilder k;
  UOp from = k.in(DType::Float32, 4);
  k.load(from, k.c(Scalar::of_int(0, DType::Float32)));
  EXPECT_NE(refusal(k).find("an index that is no integer"), std::string::npos);
}

TEST(InterpDecode, IntegerGateIsRefused) {
  LinearBuilder k;
  UOp from = k.in(DType::Float32, 4);
  k.load(from, k.c(0), k.c(1));
  EXPECT_NE(refusal(k).find("a gate that is no bool"), std::string::npos);
}

TEST(InterpDecode, ShuffleLaneOutsideIsRefused) {
  LinearBuilder k;
  UOp v = k.splat(k.c(1), 4);
  k.add(make(Op::Shuffle, {v, v}, {{0, 1, 2, 8}}));
  EXPECT_NE(refusal(k).find("a lane outside the vector"), std::string::npos);
}

TEST(InterpDecode, ExtractLaneOutsideIsRefused) {
  LinearBuilder k;
  UOp v = k.splat(k.c(1), 4);
  k.add(make(Op::Extract, {v}, {{4}}));
  EXPECT_NE(refusal(k).find("a lane outside the vector"), std::string::npos);
}

TEST(InterpDecode, UnitOfASubgroupWithoutWorkItemsIsRefused) {
  const auto product = [](const MatrixUnit& unit) {
    LinearBuilder k;
    const auto fragment = [&](const FragmentMap& map, DType t, int64_t value) {
      return k.splat(k.c(Scalar::of_int(value, t)), map.registers());
    };
    const UOp a = fragment(unit.a, unit.input, 1), b = fragment(unit.b, unit.second, 2),
              c = fragment(unit.c, unit.sum, 3);
    k.add(make(Op::Mma, {a, b, c}, {{intern_symbol(unit.name)}}));
    return k;
  };
  for (const MatrixUnit& unit : matrix_units()) {
    LinearBuilder k = product(unit);
    if (unit.is_of_one()) {
      EXPECT_NO_THROW(interp::decode(k.kernel())) << unit.name;
    } else {
      EXPECT_NE(refusal(k).find("an mma outside the work-item ranges"), std::string::npos)
          << unit.name;
    }
  }
}

TEST(InterpDecode, EmptyKernelIsFine) {
  LinearBuilder k;
  EXPECT_NO_THROW(interp::execute(interp::decode(k.kernel()), {}, {}));
}

TEST(InterpDecode, ListingShowsEveryOp) {
  LinearBuilder k("tiny");
  UOp to = k.out(DType::Float32, 4), half = k.c(Scalar::of_double(0.5, DType::Float32));
  UOp both = k.splat(half, 2), at = k.c(2);
  k.store(to, at, both);
  EXPECT_EQ(interp::listing(k.kernel()),
            "// tiny: 1 chunks, 0 bytes of scratch\n"
            "%0 = param float32 {0, 4}\n"
            "%1 = const float32 0.5\n"
            "%2 = splat.2 float32 %1 {2}\n"
            "%3 = const index 2\n"
            "%4 = store void %0 %3 %2 {0, 1}\n");
}

TEST(InterpDevice, CompilesAndLaunches) {
  LinearBuilder k("copy");
  UOp from = k.in(DType::Int32, 3), to = k.out(DType::Int32, 3);
  UOp i = k.loop(3, 1);
  k.store(to, i, k.load(from, i));
  k.end(i);
  Device& d = device("INTERP");
  const std::vector<LinearKernel> kernels = {k.kernel()};
  std::vector<CompiledKernel> compiled = d.compile(kernels);
  ASSERT_EQ(compiled.size(), 1u);
  EXPECT_TRUE(compiled[0].source.starts_with("// copy"));
  std::vector<int32_t> in = {3, 1, 2}, out(3);
  const std::vector<void*> buffers = {in.data(), out.data()};
  compiled[0].program->launch(buffers, {});
  EXPECT_EQ(in, out);
}

TEST(InterpDevice, SupportsEverything) {
  const Target& t = device("INTERP").target();
  EXPECT_TRUE(t.ops.all());
  EXPECT_TRUE(t.dtypes.all());
  EXPECT_EQ(t.lanes_of(DType::Float32), 4);
}

}  // namespace
}  // namespace tg
