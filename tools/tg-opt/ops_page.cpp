// Tables of ops, a section a family. Nothing is known here of a single op: the words come from its
// record (src/uop/ops) and its stages from src/uop/grammar.h.
#include "ops_page.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "support/text.h"
#include "tg/ir/op.h"
#include "uop/grammar.h"

namespace tg::opt {
namespace {

constexpr std::string_view kHead = R"(# The operations of the IR

Made by `tg-opt --ops > docs/ir.md` from the records in `src/uop/ops`; a test compares. One graph serves every stage of the
compiler, and a stage is a set of ops with rules of its own (`src/rewrite/verify.h`): **T** the tensor graph that the API
builds, **R** ranged kernels that the scheduler makes, **N** linear code that is rendered. The text form of a node is
`%3 = add %1, %2 : float32`: the op, its argument in braces where it has one, the sources, the dtype
(`include/tg/ir/text.h`). How a program passes through the stages: [life-of-an-expression.md](life-of-an-expression.md).

Sources: their number, or `n` where it varies. Gradient: how `backward` goes on from it, `0` where the slope is zero
by mathematics, `–` where it never stands in a graph that is differentiated.
)";

// The first op of each section, in the order of TG_OP_LIST.
constexpr std::array kSections = {
    std::pair{Op::Const, "Leaves"},          std::pair{Op::Add, "Elementwise"},
    std::pair{Op::Reshape, "Movement"},      std::pair{Op::Reduce, "Reduction"},
    std::pair{Op::Stage, "Memory, effects"}, std::pair{Op::Copy, "Scheduling marks"},
    std::pair{Op::Carry, "Lowered"}};

std::string stages(Op op) {
  const uint8_t bits = stages_of(op);
  std::string text;
  if ((bits & kTensorStage) != 0) text += " T";
  if ((bits & kRangedStage) != 0) text += " R";
  if ((bits & kLinearStage) != 0) text += " N";
  return text.empty() ? text : text.substr(1);
}

std::string properties(const OpRecord& r) {
  constexpr std::array kNames = {
      std::pair{kCommutative, "commutative"}, std::pair{kAssociative, "associative"},
      std::pair{kFloatOnly, "floats"},        std::pair{kIntOnly, "integers, bool"},
      std::pair{kEffect, "effect"},           std::pair{kStatesType, "states its dtype"}};
  std::string text;
  for (const auto& [group, name] : kNames) {
    if ((r.groups & group) != 0) text += (text.empty() ? "" : ", ") + std::string(name);
  }
  return text;
}

std::string_view gradient(const GradRule& rule) {
  switch (rule.kind) {
    case GradRule::Kind::Rule:
      return "rule";
    case GradRule::Kind::Zero:
      return "0";
    case GradRule::Kind::NotDifferentiable:
      return "–";
  }
  return "–";
}

// Markdown's table bars.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string row(Op op) {
  const OpRecord& r = record(op);
  const std::string sources = r.arity < 0 ? "n" : fmt::format("{}", r.arity);
  return fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", r.name, sources, stages(op),
                     cell(r.doc), properties(r), gradient(r.grad));
}

}  // namespace

std::string ops_page() {
  std::string page(kHead);
  for (int i = 0; i < kNumOps; ++i) {
    const Op op = static_cast<Op>(i);
    for (const auto& [first, title] : kSections) {
      if (first != op) continue;
      page += fmt::format(
          "\n## {}\n\n| op | sources | stages | meaning | properties | gradient |\n"
          "|---|---|---|---|---|---|\n",
          title);
    }
    page += row(op);
  }
  return page;
}

}  // namespace tg::opt
