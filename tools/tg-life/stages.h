// The stages of one expression, relu(x @ w + b), as text: what docs/life-of-an-expression.md shows.
// The pipeline is the engine's own (src/engine/compile.cpp), run for a fixed target instead of this
// machine, so that the text is the same everywhere.
#pragma once

#include <string>
#include <vector>

namespace tg::life {

struct Dump {
  std::string name;      ///< as the document's marker names it
  std::string language;  ///< of the Markdown code block
  std::string text;      ///< lines, each ended
};

/// Every dump, in the order of the pipeline.
std::vector<Dump> dumps();

}  // namespace tg::life
