// The reference page of the IR, made from the op records: docs/ir.md is its output.
#pragma once

#include <string>

namespace tg::opt {

/// Every op as Markdown: sources, stages, meaning, argument, what passes may assume, gradient.
std::string ops_page();

}  // namespace tg::opt
