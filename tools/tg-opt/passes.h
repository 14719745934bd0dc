// The passes that tg-opt can run, by name. Adding one is a line in passes.cpp.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tg/ir/rewrite.h"

namespace tg::opt {

/// What passes work on: a list of nodes. Graph passes take the last node for the root; passes on
/// linear code take all.
struct Program {
  std::vector<UOp> list;
  UOp root() const { return list.back(); }
  void set_root(UOp u) { list.assign(1, std::move(u)); }
};

struct NamedPass {
  std::string_view name;
  std::string_view doc;
  void (*run)(Program& program, const RewriteOptions& options);
};

std::span<const NamedPass> passes();
/// The pass with this name, or null.
const NamedPass* find_pass(std::string_view name);

}  // namespace tg::opt
