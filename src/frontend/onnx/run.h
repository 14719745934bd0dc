// Evaluates a model's graphs: each node's function in turn, with subgraphs and functions of the
// model. Nothing is computed here except numbers that decide shapes (host.h).
#pragma once

#include <map>
#include <string>

#include "frontend/onnx/node.h"

namespace tg::onnx {

/// The outputs of the main graph. `parameters` stand for its initialisers where they were replaced.
Values run_model(const Parsed& model, Values inputs,
                 const std::map<std::string, Tensor>& parameters, const std::string& device);

}  // namespace tg::onnx
