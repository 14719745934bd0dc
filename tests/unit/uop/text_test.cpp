// The text form: what is printed reads back to the same node for every op and argument kind; bad
// text names line and column.
#include "tg/ir/text.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <set>

#include "support/symbol.h"
#include "tg/error.h"
#include "tg/ir/walk.h"
#include "unit/uop/support/nodes.h"

namespace tg {
namespace {

using test::f32;
using test::i32;

UOp filled(const Shape& s) { return full(s, Scalar::of_double(1.5, DType::Float32)); }
DeviceId cpu() { return static_cast<DeviceId>(intern_symbol("CPU")); }

struct Sample {
  std::string name;
  UOp u;
};

// At least one node of every op.
std::vector<Sample> samples() {
  const UOp r = range(8, 0), r1 = range(4, 1);
  const UOp x = f32(1.5), y = f32(-2), p = param(0, {8}, DType::Float32),
            t = constant(1, DType::Bool);
  const UOp buf = buffer({4, 6}, DType::Float32, cpu(), nullptr);
  const UOp m = filled({4, 6}), u32 = constant(7, DType::UInt32);
  const UOp idx = full({4, 2}, Scalar::of_int(1, DType::Int64)), picked = filled({4, 2});
  const UOp carry = make(Op::Carry, {r, x}, {{0}});
  const UOp loop_end = make(Op::End, {r, carry + x}, {{1}});
  const UOp v4 = make(Op::Splat, {x}, {{4}});
  const UOp cond = make(Op::If, {t}, {{0}});
  const UOp effect = store_at(p, {{r}}, x);
  return {
      {"Const", x},
      {"Var", variable("n", 1, 64)},
      {"Iota", iota({2, 3}, 1, DType::Int32)},
      {"Buffer", buf},
      {"Param", p},
      {"Range", r},
      {"LaunchRange", make(Op::Range, {index_const(4)}, {{3, 1}})},
      {"Add", x + y},
      {"Mul", x * y},
      {"Max", maximum(x, y)},
      {"CmpLt", lt(x, y)},
      {"CmpNe", ne(x, y)},
      {"Xor", i32(3) ^ i32(5)},
      {"And", i32(3) & i32(5)},
      {"Or", i32(3) | i32(5)},
      {"Shl", shl(i32(3), i32(5))},
      {"Shr", shr(i32(3), i32(5))},
      {"IDiv", idiv(i32(3), i32(5))},
      {"Mod", mod(i32(3), i32(5))},
      {"FDiv", x / y},
      {"Sqrt", sqrt(x)},
      {"Exp2", exp2(x)},
      {"Log2", log2(x)},
      {"Sin", sin(x)},
      {"Trunc", trunc(x)},
      {"Where", where(t, x, y)},
      {"Cast", cast(x, DType::BFloat16)},
      {"Bitcast", bitcast(x, DType::Int32)},
      {"Threefry", threefry(u32, u32, u32, u32, 1)},
      {"Fma", fma(x, y, x)},
      {"Reshape", reshape(m, {24})},
      {"Permute", permute(m, {{1, 0}})},
      {"Expand", expand(reshape(x, {1, 1}), {2, 3})},
      {"Pad", pad(m, {{0, 1, 2, 0}}, Scalar::of_double(-1.5, DType::Float32))},
      {"Shrink", shrink(m, {{1, 2, 0, 3}})},
      {"Flip", flip(m, {{1}})},
      {"Shear", shear(m, 0, 1, -2, 3, 9, Scalar::of_double(0, DType::Float32))},
      {"Bind", bind(variable("n", 1, 4), 3)},
      {"Offset", offset(m, 1, bind(variable("n", 1, 4), 3), 2)},
      {"Limit", make(Op::Limit, {m, bind(variable("n", 1, 4), 3)}, {{0}})},
      {"Gather", gather(m, idx, 1)},
      {"Scatter", scatter(m, idx, picked, 1, Combine::Add)},
      {"Reduce", reduce(m, ReduceOp::Max, {{0, 1}})},
      {"RangedReduce", reduce_ranges(cast(r, DType::Float32), ReduceOp::Add, {{r}})},
      {"RunningReduce", running_reduce(cast(r, DType::Float32), ReduceOp::Mul, r)},
      {"RunningReduceOfSums",
       running_reduce(cast(r + r1, DType::Float32), ReduceOp::Add, r, {{r1}})},
      {"Scan", scan(m, ReduceOp::Add, 1)},
      {"Stage", stage(x, {{r, r1}}, 5, Space::Scratch)},
      {"Load", load(p, {{r}}, lt(r, index_const(3)))},
      {"VectorLoad", make(Op::Load, {p, r}, {{4, 16}})},
      {"Store", store(buf, m)},
      {"RangedStore", effect},
      {"LinearStore", make(Op::Store, {p, r, v4, t}, {{0, 16}})},
      {"After", after(buf, {{store(buf, m)}})},
      {"End", end(effect, {{r}})},
      {"Sink", sink({{end(effect, {{r}})}})},
      {"Copy", copy_to(buf, static_cast<DeviceId>(intern_symbol("DISK:a b\"c")))},
      {"Contiguous", contiguous(m)},
      {"Detach", detach(m)},
      {"WithGradient", make(Op::WithGradient, {m, buf}, {{7}})},
      {"Carry", carry},
      {"Out", make(Op::Out, {loop_end}, {{0}})},
      {"Alloc", make(Op::Alloc, {}, {{2, 2, 16, 4}}, DType::Float32)},
      {"Splat", v4},
      {"Ramp", make(Op::Ramp, {r}, {{8, 1}})},
      {"Stack", make(Op::Stack, {x, y, x, y})},
      {"Shuffle", make(Op::Shuffle, {v4, v4}, {{0, 5, 2, 7}})},
      {"Extract", make(Op::Extract, {v4}, {{2}})},
      {"VReduce", make(Op::VReduce, {v4}, {{2}})},
      {"If", cond},
      {"EndIf", make(Op::EndIf, {cond})},
      {"Barrier", make(Op::Barrier, {make(Op::EndIf, {cond})}, {{3}})},
      {"Mma", make(Op::Mma, {v4, v4, v4}, {{intern_symbol("m16n8k8_tf32")}})},
      {"SubgroupShuffle", make(Op::SubgroupShuffle, {x}, {{16}})},
      {"AsyncCopy",
       make(Op::AsyncCopy, {make(Op::Alloc, {}, {{2, 2, 16}}, DType::Float32), r, p, r, t},
            {{4, 16}})},
      {"AsyncWait", make(Op::AsyncWait, {make(Op::EndIf, {cond})}, {{1, 2}})},
      {"MmaAsync", make(Op::MmaAsync,
                        {make(Op::Alloc, {}, {{2, 2, 16}}, DType::Float32), r,
                         make(Op::Alloc, {}, {{3, 2, 16}}, DType::Float32), r, v4},
                        {{intern_symbol("m64n64k16_f16"), 0, 1}})},
      {"LoadRows", make(Op::LoadRows, {p, r}, {{8, 4, 100}})},
      {"MmaWait", make(Op::MmaWait, {make(Op::EndIf, {cond})}, {{1, 2}})},
  };
}

class EveryOp : public testing::TestWithParam<Sample> {};

TEST_P(EveryOp, ReadsBackToTheSameNode) {
  const UOp& u = GetParam().u;
  EXPECT_EQ(parse(print(u)), u) << print(u);
}

TEST_P(EveryOp, HasAOneLineForm) {
  EXPECT_FALSE(print_expr(GetParam().u).empty());
  EXPECT_EQ(print_expr(GetParam().u).find('\n'), std::string::npos);
  EXPECT_TRUE(print_node(GetParam().u.node()).starts_with(op_name(GetParam().u.op())));
}

INSTANTIATE_TEST_SUITE_P(Samples, EveryOp, testing::ValuesIn(samples()),
                         [](const auto& info) { return info.param.name; });

TEST(Text, SamplesCoverEveryOp) {
  std::set<Op> seen;
  for (const Sample& s : samples()) seen.insert(s.u.op());
  for (int i = 0; i < kNumOps; ++i)
    EXPECT_TRUE(seen.contains(static_cast<Op>(i))) << op_name(static_cast<Op>(i));
}

class EveryLiteral : public testing::TestWithParam<int> {};

TEST_P(EveryLiteral, ReadsBackExactly) {
  const auto t = static_cast<DType>(GetParam());
  std::vector<double> interesting = {0,
                                     1,
                                     -1,
                                     2,
                                     0.1,
                                     1e-3,
                                     100,
                                     -0.0,
                                     std::numeric_limits<double>::infinity(),
                                     std::numeric_limits<double>::quiet_NaN()};
  for (double v : interesting) {
    const UOp c = constant(v, t);
    EXPECT_EQ(parse(print(c)), c) << print(c);
  }
  std::mt19937_64 rng(7);
  for (int i = 0; i < 50; ++i) {
    const UOp c =
        constant(is_float(t) ? Scalar::of_double(std::normal_distribution<double>(0, 50)(rng), t)
                             : Scalar::of_uint(rng(), t));
    EXPECT_EQ(parse(print(c)), c) << print(c);
  }
}

INSTANTIATE_TEST_SUITE_P(DTypes, EveryLiteral,
                         testing::Range(static_cast<int>(DType::Index), kNumDTypes),
                         [](const auto& info) {
                           return std::string(dtype_name(static_cast<DType>(info.param)));
                         });

TEST(Text, PrintsNumberedLinesWithTypes) {
  const UOp m = reshape(param(0, {4, 6}, DType::Float32), {24});
  EXPECT_EQ(print(m),
            "%0 = param{0, 4, 6} : float32[4,6] global\n"
            "%1 = reshape{24} %0 : float32[24] global\n");
}

TEST(Text, PrintsSharedNodesOnce) {
  const UOp x = sqrt(f32(2));
  EXPECT_EQ(print(x + x),
            "%0 = const{2} : float32\n%1 = sqrt %0 : float32\n%2 = add %1, %1 : float32\n");
}

TEST(Text, PrintsLanesSpaceAndDevice) {
  EXPECT_EQ(print_type(make(Op::Splat, {f32(1)}, {{8}}).node()), "float32<8>");
  EXPECT_EQ(print_type(buffer({2}, DType::Bool, cpu(), nullptr).node()), "bool[2] global @CPU");
  EXPECT_EQ(print_type(make(Op::Alloc, {}, {{0, 3, 4}}, DType::Float64).node()), "float64[4] reg");
}

TEST(Text, ATypeThatFollowsNeedNotBeWritten) {
  EXPECT_EQ(parse("%0 = const{2} : int32\n%1 = const{3} : int32\n%2 = add %0, %1"),
            constant(2, DType::Int32) + constant(3, DType::Int32));
}

TEST(Text, ReadsCommentsBlankLinesAndAnySpacing) {
  EXPECT_EQ(parse("; a comment\n\n  %7=const{ 3 }:int32 ; three\r\n%9 = add %7,%7 : int32"),
            i32(3) + i32(3));
}

TEST(Text, AnyNameReadsBack) {
  for (const char* name :
       {"n", "a b", "\"q\"", "back\\slash", "new\nline", "9lives", "-x", "\\n", "größe"}) {
    const UOp v = variable(name, 0, 3);
    EXPECT_EQ(parse(print(v)), v) << print(v);
  }
}

TEST(Text, ListsKeepTheirOrder) {
  const UOp a = i32(1), b = i32(2), c = a + b;
  const std::vector<UOp> list = {b, a, c};
  EXPECT_EQ(parse_list(print(list)), list);
}

TEST(Text, ALiveBufferIsFoundByItsId) {
  const UOp b = buffer({3}, DType::Float32, cpu(), nullptr);
  EXPECT_EQ(parse(print(b)), b);
}

TEST(Text, AForeignBufferGetsANegativeId) {
  const UOp b = parse("%0 = buffer{1000000007, 3} : float32[3] global @CPU");
  EXPECT_EQ(b.arg(0), -1000000007);
  EXPECT_EQ(parse(print(b)), b);
}

TEST(Text, PrintingAMillionNodesNeedsNoStack) {
  UOp x = f32(1);
  for (int i = 0; i < 1000000; ++i) x = sqrt(x);
  const std::string text = print(x);
  EXPECT_EQ(parse(text), x);
  EXPECT_FALSE(print_expr(x).empty());
}

struct BadText {
  const char* name;
  const char* text;
  const char* message;
};

class BadInput : public testing::TestWithParam<BadText> {};

TEST_P(BadInput, IsRefusedWithItsPlace) {
  try {
    parse(GetParam().text);
    FAIL() << "accepted";
  } catch (const ArgumentError& e) {
    EXPECT_EQ(std::string(e.what()), GetParam().message);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, BadInput,
    testing::Values(
        BadText{"Empty", "", "parse: line 1, column 1: there is no node."},
        BadText{"OnlyComment", "; nothing\n", "parse: line 1, column 1: there is no node."},
        BadText{"NoSerial", "add", "parse: line 1, column 1: expected '%'."},
        BadText{"SerialIsNoNumber", "%x = const{1} : int32",
                "parse: line 1, column 2: expected an integer."},
        BadText{"NoEquals", "%0 const{1} : int32", "parse: line 1, column 4: expected '='."},
        BadText{"UnknownOp", "%0 = frob : int32",
                "parse: line 1, column 6: there is no op named \"frob\"."},
        BadText{"UnknownDType", "%0 = const{1} : int33",
                "parse: line 1, column 17: there is no dtype named \"int33\"."},
        BadText{"MissingType", "%0 = const{1}", "parse: line 1, column 14: expected ':'."},
        BadText{"MissingTypeOfACast", "%0 = const{1} : int32\n%1 = cast %0",
                "parse: line 2, column 13: expected ':'."},
        BadText{"BadLiteral", "%0 = const{x} : int32",
                "parse: line 1, column 11: Scalar::parse: \"x\" is not a value of int32."},
        BadText{"MissingArgument", "%0 = const : int32",
                "parse: line 1, column 11: Scalar::parse: \"\" is not a value of int32."},
        BadText{"UndefinedSource", "%0 = const{1} : int32\n%1 = add %0, %7 : int32",
                "parse: line 2, column 14: a source must be defined on a line above."},
        BadText{"DefinedTwice", "%0 = const{1} : int32\n%0 = const{2} : int32",
                "parse: line 2, column 1: %0 is defined twice."},
        BadText{"WrongSourceCount", "%0 = const{1} : int32\n%1 = add %0 : int32",
                "parse: line 2, column 6: add does not take 1 sources."},
        BadText{"WrongArgumentCount", "%0 = const{1} : int32\n%1 = gather{0, 1} %0, %0 : int32",
                "parse: line 2, column 6: gather does not take 2 arguments."},
        BadText{"TypeDoesNotFollow", "%0 = const{1} : int32\n%1 = add %0, %0 : float32",
                "parse: line 2, column 19: the type is int32, not float32."},
        BadText{"ShapeDoesNotFollow", "%0 = param{0, 4} : int32[5] global",
                "parse: line 1, column 20: the type is int32[4] global, not int32[5] global."},
        BadText{"TypeRuleRefuses", "%0 = const{1} : int32\n%1 = sqrt %0 : int32",
                "parse: line 2, column 6: sqrt: needs a float dtype, got int32. Hint: cast to "
                "float32 first."},
        BadText{"TrailingText", "%0 = const{1} : int32 %",
                "parse: line 1, column 23: expected the end of the line."},
        BadText{"OpenName", "%0 = var{\"n", "parse: line 1, column 12: the name is not closed."},
        BadText{"BadSpaceOfStage", "%0 = const{1} : int32\n%1 = stage{0, 9} %0 : int32",
                "parse: line 2, column 6: stage: there is no such space."},
        BadText{"LaneOutside", "%0 = const{1} : int32\n%1 = extract{3} %0 : int32",
                "parse: line 2, column 6: extract: no such lane."},
        BadText{"OutOfNoEnd", "%0 = const{1} : int32\n%1 = out{0} %0 : int32",
                "parse: line 2, column 6: out: no such carried value."},
        BadText{"StoreWithoutValue",
                "%0 = param{0, 4} : int32[4] global\n%1 = store{0} %0, %0 : void",
                "parse: line 2, column 6: store: sources are pointer, indices, value and perhaps a "
                "gate."},
        BadText{"AsyncCopyOfNothing", "%0 = async_copy{4, 16} : void",
                "parse: line 1, column 6: async_copy does not take 0 sources."},
        BadText{"ReversedVariable", "%0 = var{n, 5, 2} : index",
                "parse: line 1, column 6: var: the lowest value must not exceed the highest."}),
    [](const auto& info) { return std::string(info.param.name); });

// Whatever bytes come in: a node or an ArgumentError, nothing else.
TEST(Text, MutilatedTextIsReadOrRefused) {
  const uint64_t seed = 20240607;
  std::mt19937_64 rng(seed);
  for (const Sample& s : samples()) {
    const std::string text = print(s.u);
    for (int i = 0; i < 200; ++i) {
      std::string bad = text;
      for (int cuts = 1 + static_cast<int>(rng() % 3); cuts > 0 && !bad.empty(); --cuts) {
        const size_t at = rng() % bad.size();
        switch (rng() % 3) {
          case 0:
            bad.erase(at, 1 + rng() % 4);
            break;
          case 1:
            bad[at] = "%={}:,0123456789abcdefx[]<>@ \n-"[rng() % 31];
            break;
          default:
            bad.insert(at, 1, "%={}:,019-"[rng() % 10]);
        }
      }
      try {
        parse(bad);
      } catch (const ArgumentError&) {
      }
    }
  }
}

struct Expression {
  const char* name;
  UOp u;
  const char* text;
};

class OneLine : public testing::TestWithParam<Expression> {};

TEST_P(OneLine, HasOnlyNeededParentheses) { EXPECT_EQ(print_expr(GetParam().u), GetParam().text); }

INSTANTIATE_TEST_SUITE_P(Table, OneLine, testing::ValuesIn([] {
                           const UOp a = range(8, 0), b = range(8, 1), two = index_const(2);
                           return std::vector<Expression>{
                               {"SumOfProducts", a * two + b, "r0*2 + r1"},
                               {"ProductOfSums", (a + b) * two, "(r0 + r1)*2"},
                               {"LeftAssociative", mod(idiv(a, two), two), "r0/2%2"},
                               {"RightNested", idiv(a, idiv(b, two)), "r0/(r1/2)"},
                               {"Subtraction", a + index_const(-3), "r0 - 3"},
                               {"NegativeFactor", a * index_const(-3), "r0*-3"},
                               {"Negation", logical_not(lt(a, b)), "!(r0 < r1)"},
                               {"Logic", lt(a, b) & ne(a, b), "r0 < r1 & r0 != r1"},
                               {"Select", where(lt(a, b), a, b), "r0 < r1 ? r0 : r1"},
                               {"Call", maximum(a, b), "max(r0, r1)"},
                               {"Cast", cast(a, DType::Float32), "float32(r0)"},
                               {"Variable", variable("n", 1, 4) + a, "n + r0"},
                               {"Load", load(param(2, {8}, DType::Float32), {{a}}), "load(p2, r0)"},
                           };
                         }()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tg
