// The interpreter of PTX finds what kernels do wrong: each detector on a kernel that was broken on
// purpose.
#include <gtest/gtest.h>

#include "../../unit/renderer/kernels.h"
#include "ptx/arithmetic.h"
#include "ptx/launch.h"

namespace tg::emulator::ptx {
namespace {

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  const size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what << " in\n" << text;
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

// What the kernel that turns rows of eight around does wrong after the change.
std::string broken(std::string_view what, std::string_view by, size_t elements = 37 * 8) {
  const LinearKernel k = testing::reversed_by_work_items();
  std::vector<float> from(elements), to(37 * 8);
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i);
  const std::vector<std::span<std::byte>> arrays = {std::as_writable_bytes(std::span(to)),
                                                    std::as_writable_bytes(std::span(from))};
  const std::string text = text_of(k);
  std::string wrong = run_bytes(k, what.empty() ? text : replaced(text, what, by), arrays);
  if (wrong.empty()) {
    for (size_t i = 0; i < to.size(); ++i)
      EXPECT_EQ(to[i], static_cast<float>(i / 8 * 8 + 7 - i % 8)) << i;
  }
  return wrong;
}
::testing::AssertionResult says(const std::string& wrong, std::string_view part) {
  if (wrong.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "\"" << wrong << "\"";
}

// The same of the kernel with asynchronous copies.
std::string broken_async_copy(std::string_view what, std::string_view by) {
  const LinearKernel k = testing::async_copied_rows();
  std::vector<float> from(37 * 128), to(37 * 32);
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i);
  const std::vector<std::span<std::byte>> arrays = {std::as_writable_bytes(std::span(to)),
                                                    std::as_writable_bytes(std::span(from))};
  const std::string text = text_of(k);
  return run_bytes(k, what.empty() ? text : replaced(text, what, by), arrays);
}

TEST(PtxMachine, LetsCopiesArriveWhenTheyAreWaitedFor) {
  EXPECT_EQ(broken_async_copy("", ""), "");
  EXPECT_TRUE(says(broken_async_copy("wait_group 0", "wait_group 1"), "reads what nobody wrote"));
  EXPECT_TRUE(says(broken_async_copy("  bar.sync 0;\n", ""), "reads what nobody wrote"));
  EXPECT_TRUE(says(broken_async_copy(", 16;", ", 12;"), "copies 4, 8 or 16 bytes"));
  EXPECT_TRUE(says(broken_async_copy(", 16;", ", 8;"), "copies 16 bytes past the first cache"));
}

TEST(PtxMachine, FindsAShuffleThatNotAllReach) {
  EXPECT_TRUE(says(broken_async_copy("0x1f, 0xffffffff", "0x1f, 0xffff"), "not of all lanes"));
  EXPECT_TRUE(says(broken_async_copy("  shfl.sync",
                                     "  setp.lt.s32 %m0, %r1, 3;\n  @%m0 bra done0;\n  shfl.sync"),
                   "lanes part ways before line"));
}

TEST(PtxMachine, TurnsRowsAround) { EXPECT_EQ(broken("", ""), ""); }

TEST(PtxMachine, FindsReadsBeforeOthersWroteWithoutTheBarrier) {
  EXPECT_TRUE(says(broken("  bar.sync 0;\n", ""), "reads what nobody wrote"));
}

TEST(PtxMachine, FindsARaceBetweenRounds) {
  EXPECT_TRUE(says(broken("  bar.sync 0;\n  add.s64 %r0", "  add.s64 %r0"), "a race"));
}

TEST(PtxMachine, FindsABarrierThatNotAllReach) {
  EXPECT_TRUE(says(broken("cvt.u32.u64 %at0, %r0;\n",
                          "cvt.u32.u64 %at0, %r0;\n"
                          "  setp.lt.s32 %m0, %work_item, 4;\n  @%m0 bar.sync 0;\n"),
                   "part ways"));
}

TEST(PtxMachine, FindsReadsBehindAnArray) {
  EXPECT_TRUE(says(broken("", "", 36 * 8), "reads 4 bytes outside of all arrays"));
}

TEST(PtxMachine, FindsAccessesBesideSharedArrays) {
  EXPECT_TRUE(says(broken("+28]", "+32]"), "outside of the group's arrays"));
}

TEST(PtxMachine, FindsReadsOfWhatNobodyWrote) {
  EXPECT_TRUE(says(broken("st.shared.f32 [%to1], %x0", "mov.u32 %work_item, 0"),
                   "reads what nobody wrote"));
}

TEST(PtxMachine, FindsUnalignedAccesses) {
  EXPECT_TRUE(says(broken("ld.global.nc.f32 %x0, [%to0]", "ld.global.nc.f32 %x0, [%to0+2]"),
                   "no multiple of them"));
}

TEST(PtxMachine, FindsWritesToWhatIsOnlyRead) {
  EXPECT_TRUE(says(broken("mad.wide.s32 %to3, %at4, 4, %p0", "mad.wide.s32 %to3, %at4, 4, %p1"),
                   "only read"));
}

TEST(PtxMachine, FindsConstantReadsOfWhatIsWritten) {
  EXPECT_TRUE(says(broken("mad.wide.s32 %to0, %at4, 4, %p1", "mad.wide.s32 %to0, %at4, 4, %p0"),
                   "reads as constant"));
}

TEST(PtxMachine, FindsRegistersThatNobodyWrote) {
  EXPECT_TRUE(says(broken("  mov.u32 %work_item, %tid.x;\n", ""), "a register that nobody wrote"));
}

TEST(PtxMachine, SaysWhichLineAndWhichWorkItem) {
  const std::string wrong = broken("+28]", "+32]");
  EXPECT_TRUE(says(wrong, "line ")) << wrong;
  EXPECT_TRUE(says(wrong, "work-item 0 of group 0")) << wrong;
  EXPECT_TRUE(says(wrong, "(ld.shared.f32 %x1, [%to2+32])")) << wrong;
}

TEST(PtxMachine, RefusesArithmeticThatDoesNotSayHowItRounds) {
  const LinearKernel k = testing::wrapping_sums();
  Instruction i{.name = Name::Add, .text = "add.f32", .parts = {"f32"}, .type = {'f', 32}};
  EXPECT_THROW(evaluate(i, std::array<uint64_t, 2>{}), Wrong);
}

TEST(PtxMachine, StopsAKernelThatDoesNotEnd) {
  const Kernel k = parse(
      ".visible .entry k(\n  .param .u64 end\n)\n.maxntid 1\n{\nloop0:\n  bra loop0;\n  ret;\n}\n");
  const std::vector<Argument> end = {Argument::value(1)};
  EXPECT_TRUE(says(run(k, end, {.limit = std::chrono::milliseconds(50)}), "does not end"));
}

class NoPtx : public ::testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(NoPtx, IsRefusedWithItsLine) {
  const auto& [code, part] = GetParam();
  try {
    parse(".visible .entry k(\n  .param .u64 end\n)\n.maxntid 1\n{\n  .reg .b32 %t0;\n" + code +
          "\n}\n");
    FAIL() << "nothing was thrown";
  } catch (const Wrong& w) {
    EXPECT_NE(std::string(w.what()).find(part), std::string::npos) << w.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, NoPtx,
    ::testing::Values(std::pair("  frob.b32 %t0, 1;", "line 7: unknown instruction: frob"),
                      std::pair("  mov.b32 %t1, 1;", "line 7: no register %t1"),
                      std::pair("  mov.q32 %t0, 1;", "no type: q32"),
                      std::pair("  bra nowhere;", "no label nowhere"),
                      std::pair("  .reg .f32 %t0;", "line 7: the register %t0 twice"),
                      std::pair("  ld.global.b32 %t0, [%t0-4];", "offsets are added"),
                      std::pair("  .weird;", "line 7: unknown: .weird"),
                      std::pair("a:\na:", "line 8: a label twice")),
    [](const auto& info) { return "n" + std::to_string(info.index); });

}  // namespace
}  // namespace tg::emulator::ptx
