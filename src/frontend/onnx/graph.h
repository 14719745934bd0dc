// A model as it was read: graphs of nodes with attributes, checked and without protobuf. Made by
// read.cpp, evaluated by run.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/onnx/value.h"
#include "tg/models/onnx.h"

namespace tg::onnx {

struct Graph;
struct Operator;

/// An attribute of a node; `kind` says which member holds it.
struct Attribute {
  enum class Kind { Real, Integer, Text, Array, Graph, Reals, Integers, Texts, Type, Other };
  Kind kind = Kind::Other;
  double real = 0;
  int64_t integer = 0;
  std::string text;
  std::vector<double> reals;
  std::vector<int64_t> integers;
  std::vector<std::string> texts;
  Value array;                         ///< absent if its type is not supported
  std::shared_ptr<const Graph> graph;  ///< of If, Loop, Scan, SequenceMap
  std::string refers_to;               ///< in a function: the caller's attribute that it stands for
};

/// A node: its function, from the table (table.h), once the version of its domain is known.
struct NodeDef {
  std::string name;    ///< as in the file; if that has none, "Relu#7": the op and its place
  std::string op;      ///< "Relu", or with a domain that is not ai.onnx "com.microsoft.Gelu"
  std::string domain;  ///< "" for ai.onnx
  int64_t version = 0;
  std::vector<std::string> inputs;  ///< "": left out
  std::vector<std::string> outputs;
  std::map<std::string, Attribute, std::less<>> attributes;
  const Operator* function = nullptr;  ///< null: not supported, or a function of the model
  std::string called;                  ///< the function of the model that it calls; or empty
};

/// Nodes in an order in which they can run, with the values they start from.
struct Graph {
  std::string name;
  std::vector<std::string> inputs;  ///< names; of the main graph without initialisers
  std::vector<std::string> outputs;
  std::vector<NodeDef> nodes;
  std::map<std::string, Value, std::less<>> constants;     ///< initialisers
  std::vector<std::string> attributes;                     ///< of a function: the names it takes
  std::map<std::string, Attribute, std::less<>> defaults;  ///< of a function: their defaults
};

/// Everything that a file says.
struct Parsed {
  Graph main;
  std::map<std::string, Graph, std::less<>> functions;  ///< by "domain.name"
  std::vector<ValueInfo> inputs, outputs;
  std::vector<Unsupported> unsupported;
};

}  // namespace tg::onnx
