// The text of the LLVM renderer: five kernels kept as files, and the promises that LLVM relies on.
// What the text computes: tests/unit/backends/cpu.
#include <gtest/gtest.h>

#include "kernels.h"
#include "support/check.h"
#include "support/source_dir.h"
#include "tg/error.h"

namespace tg::testing {
namespace {

namespace fs = std::filesystem;

const LlvmMachine kWide{.triple = "x86_64-unknown-linux-gnu",
                        .vector_bits = 256,
                        .has_half_casts = true,
                        .has_rounding = true,
                        .has_masked_access = true};

// "NAME", or "NAME_branching" for a machine whose masks cost.
std::string named(const std::string& name) {
  LlvmMachine machine = kWide;
  const size_t ending = name.rfind("_branching");
  machine.has_masked_access = ending == std::string::npos;
  for (const LinearKernel& k : all_kernels()) {
    if (k.name == name.substr(0, ending)) return render_llvm(k, machine);
  }
  return "";
}

class LlvmGolden : public ::testing::TestWithParam<const char*> {};

TEST_P(LlvmGolden, TextIsUnchanged) {
  const std::string name = GetParam(), text = named(name);
  const fs::path path = test::source_dir() / "tests/unit/renderer/golden" / (name + ".ll");
  const auto kept = try_read_file(path);
  if (kept && *kept == text) return;
  const fs::path actual = fs::temp_directory_path() / (name + ".ll");
  write_file(actual, text);
  ADD_FAILURE() << "the text of " << name << " differs from " << path << "; it is now in "
                << actual;
}

INSTANTIATE_TEST_SUITE_P(All, LlvmGolden,
                         ::testing::Values("masked_axpy", "masked_axpy_branching", "row_sum",
                                           "gather_scatter", "streamed_rows"),
                         [](const auto& info) { return std::string(info.param); });

// The page for newcomers shows a kernel: it is the one that the renderer writes.
TEST(RenderLlvm, IsShownInTheDocumentation) {
  const std::string page = read_file(test::source_dir() / "docs/llvm.md");
  EXPECT_NE(page.find("```llvm\n" + named("row_sum") + "```\n"), std::string::npos);
}

TEST(RenderLlvm, GivesEqualTextForEqualKernels) {
  for (const LinearKernel& k : all_kernels()) {
    const LinearKernel copy = k;
    EXPECT_EQ(render_llvm(k, kWide), render_llvm(copy, kWide)) << k.name;
  }
}

TEST(RenderLlvm, CallsNothingButIntrinsicsAndItsOwnBody) {
  for (const LlvmMachine& machine : {kWide, LlvmMachine{}}) {
    for (const LinearKernel& k : all_kernels()) {
      const std::string text = render_llvm(k, machine);
      for (size_t at = text.find("call "); at != std::string::npos;
           at = text.find("call ", at + 1)) {
        const std::string name = text.substr(text.find('@', at) + 1, 5);
        EXPECT_TRUE(name == "llvm." || k.name.starts_with(name)) << k.name << ": " << name;
      }
    }
  }
}

TEST(RenderLlvm, CarriesValuesInPhis) {
  const std::string text = named("row_sum");
  EXPECT_NE(text.find("= phi <8 x float> [ zeroinitializer, %"), std::string::npos) << text;
  EXPECT_EQ(text.find("alloca"), std::string::npos) << text;
}

TEST(RenderLlvm, StatesTheAlignmentOfEveryAccess) {
  for (const LinearKernel& k : all_kernels()) {
    const std::string text = render_llvm(k, kWide);
    for (const char* access : {" = load ", "  store "}) {
      for (size_t at = text.find(access); at != std::string::npos; at = text.find(access, at + 1)) {
        const std::string line = text.substr(at, text.find('\n', at) - at);
        EXPECT_NE(line.find(", align "), std::string::npos) << line;
      }
    }
  }
  EXPECT_NE(named("row_sum").find("load <8 x float>, ptr %to0, align 32"), std::string::npos);
}

TEST(RenderLlvm, PromisesThatArgumentsDoNotOverlapAndWhichAreOnlyRead) {
  EXPECT_NE(named("masked_axpy").find("ptr noalias %p0, ptr noalias readonly %p1"),
            std::string::npos);
}

TEST(RenderLlvm, LoosensNoArithmetic) {
  for (const LinearKernel& k : all_kernels()) {
    const std::string any = render_llvm(k, kWide);
    for (const char* flag :
         {" fast ", " contract ", " reassoc ", " nnan ", " ninf ", " nsz ", " arcp ", " afn "})
      EXPECT_EQ(any.find(flag), std::string::npos) << k.name << flag;
  }
}

TEST(RenderLlvm, MarksLoopsAsDoneAndShortOnesToBeWrittenOut) {
  const std::string text = named("small_matmul");
  EXPECT_NE(text.find("llvm.loop.vectorize.enable"), std::string::npos);
  EXPECT_NE(text.find("llvm.loop.unroll.disable"), std::string::npos);
  EXPECT_NE(named("small_reverse").find("llvm.loop.unroll.full"), std::string::npos);
}

// How many loops are to be written out round by round.
size_t loops_written_out(const LinearKernel& kernel, const LlvmMachine& machine) {
  const std::string text = render_llvm(kernel, machine);
  const size_t mark = text.find(" = !{!\"llvm.loop.unroll.full\"}"), at = text.rfind('!', mark);
  const std::string use = ", " + text.substr(at, mark - at) + "}\n";
  size_t found = 0;
  for (size_t i = text.find(use); i != std::string::npos; i = text.find(use, i + 1)) ++found;
  return found;
}

// A sum of 16 lanes takes two registers here, and six more are for what the rounds share.
TEST(RenderLlvm, LeavesLoopsAloneWhoseSumsFillTheRegisters) {
  const LinearKernel kernel = row_twice(1, 64, 64);
  LlvmMachine machine = kWide;
  machine.vector_registers = 8;
  const size_t both = loops_written_out(kernel, machine);
  machine.vector_registers = 7;
  EXPECT_EQ(loops_written_out(kernel, machine), both - 1);
  machine.vector_bits = 512;
  EXPECT_EQ(loops_written_out(kernel, machine), both);
  machine.vector_registers = 6;
  EXPECT_EQ(loops_written_out(kernel, machine), both - 1);
}

TEST(RenderLlvm, PutsAGuardBeforeLoopsThatMayNotRun) {
  const std::string text = named("fibonacci");
  EXPECT_NE(text.find("icmp slt i64 0, %n_steps_0"), std::string::npos) << text;
}

TEST(RenderLlvm, SharesOnePointerAmongLanesAKnownDistanceApart) {
  const std::string text = named("lane_moves");  // every third element
  EXPECT_EQ(text.find("extractelement <4 x i64>"), std::string::npos) << text;
}

TEST(RenderLlvm, ConvertsHalfByArithmeticWhereThereIsNoInstruction) {
  for (const LinearKernel& k : all_kernels()) {
    const std::string text = render_llvm(k, LlvmMachine{});
    EXPECT_EQ(text.find(" half>"), std::string::npos) << k.name;
    EXPECT_EQ(text.find("@llvm.trunc"), std::string::npos) << k.name;
  }
  EXPECT_NE(named("half_increment").find("<16 x half>"), std::string::npos);
}

TEST(RenderLlvm, StreamsNothingButWholeLines) {
  LinearKernel k = masked_axpy();
  k.params[0].stream_bytes = 64;
  EXPECT_EQ(render_llvm(k, kWide).find("!nontemporal"), std::string::npos);
}
// With a question for each of them LLVM would move what one store needs into its branch.
TEST(RenderLlvm, AsksOnceWhereNeighboursMayBeStreamed) {
  Lines add;
  const UOp r = add(chunk_loop(4, 0));
  const UOp from = param(1, {4, 48}, dtypes::float32), to = param(0, {4, 48}, dtypes::float32);
  std::vector<UOp> at, x;
  for (int64_t i = 0; i < 3; ++i) {
    at.push_back(r * index_of(48) + index_of(16 * i));
    x.push_back(add(load_lanes(from, at.back(), 16)));
  }
  for (size_t i = 0; i < 3; ++i) add(store_lanes(to, at[i], x[i]));
  add(close_loop(r));
  const LinearKernel k = add.finish("rows", {{.written = true, .stream_bytes = 64}, kRead}, 4);
  const std::string text = render_llvm(k, kWide);
  size_t streams = 0, questions = 0;
  for (size_t i = 0; (i = text.find("!nontemporal !0", i)) != std::string::npos; ++i) ++streams;
  for (size_t i = 0; (i = text.find("\nstream", i)) != std::string::npos; ++i) ++questions;
  EXPECT_EQ(streams, 3);
  EXPECT_EQ(questions, 1);
}
TEST(RenderLlvm, StreamsPartsOfLinesByTheirOwnAlignment) {
  Lines add;
  const UOp r = add(chunk_loop(4, 0));
  const UOp from = param(1, {4, 8}, dtypes::float32), to = param(0, {4, 8}, dtypes::float32);
  const UOp x = add(load_lanes(from, r * index_of(8), 8));
  add(store_lanes(to, r * index_of(8), x));
  add(close_loop(r));
  const auto text = [&](int64_t bytes) {
    return render_llvm(add.finish("parts", {{.written = true, .stream_bytes = bytes}, kRead}, 4),
                       kWide);
  };
  EXPECT_NE(text(32).find(", align 32, !nontemporal !0"), std::string::npos);
  EXPECT_NE(text(32).find(", 31\n"), std::string::npos) << "the question for addresses";
  EXPECT_EQ(text(64).find("!nontemporal"), std::string::npos);
}
TEST(RenderLlvm, EndsStreamsBeforeItReturns) {
  const std::string text = named("streamed_rows");
  EXPECT_NE(text.find("  call void @llvm.x86.sse.sfence()\n  ret void\n"), std::string::npos);
  EXPECT_EQ(named("row_sum").find("fence"), std::string::npos);
  const LlvmMachine arm{.triple = "aarch64-unknown-linux-gnu"};
  EXPECT_NE(render_llvm(streamed_rows(), arm).find("  fence release\n  ret void\n"),
            std::string::npos);
}

TEST(RenderLlvm, LeavesOutWhatNoEffectNeeds) {
  Lines add;
  const UOp r = add(chunk_loop(4, 0));
  const UOp x = add(load_lanes(param(1, {4}, dtypes::float32), r, 1));
  add(x * f32(0.5));
  add(store_lanes(param(0, {4}, dtypes::float32), r, x));
  add(close_loop(r));
  EXPECT_EQ(render_llvm(add.finish("unused", {kWrite, kRead}, 4), kWide).find("fmul"),
            std::string::npos);
}

class UndecomposedLlvm : public ::testing::TestWithParam<Op> {};

TEST_P(UndecomposedLlvm, IsRefusedByName) {
  Lines add;
  const UOp x = load_lanes(param(1, {4}, dtypes::float32), index_of(0), 4);
  add(store_lanes(param(0, {4}, dtypes::float32), index_of(0), make(GetParam(), {x})));
  const LinearKernel k = add.finish("undecomposed", {kWrite, kRead});
  try {
    render_llvm(k, kWide);
    FAIL() << "nothing was thrown";
  } catch (const InternalError& e) {
    EXPECT_NE(std::string(e.what()).find(op_name(GetParam())), std::string::npos) << e.what();
  }
}

INSTANTIATE_TEST_SUITE_P(All, UndecomposedLlvm, ::testing::Values(Op::Exp2, Op::Log2, Op::Sin),
                         [](const auto& info) { return std::string(op_name(info.param)); });

TEST(RenderLlvm, RefusesArithmeticOnSmallFloats) {
  Lines add;
  const UOp x = load_lanes(param(1, {4}, dtypes::bfloat16), index_of(0), 4);
  add(store_lanes(param(0, {4}, dtypes::bfloat16), index_of(0), x + x));
  EXPECT_THROW(render_llvm(add.finish("small_float", {kWrite, kRead}), kWide), InternalError);
}

}  // namespace
}  // namespace tg::testing
