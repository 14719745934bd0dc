// A node as the function of its operator sees it: inputs, attributes, version, and how it says that
// something is not supported. The functions are in ops/, listed by table.h; run.cpp makes the
// nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/onnx/graph.h"

namespace tg::onnx {

using Values = std::vector<Value>;

/// What evaluates subgraphs, with the values that are visible to them.
class GraphRunner {
 public:
  virtual ~GraphRunner() = default;
  virtual Values run(const Graph& graph, Values inputs) = 0;
};

class Node {
 public:
  Node(const NodeDef& def, std::span<const Value> inputs, const std::string& device,
       GraphRunner& runner)
      : def_(def), inputs_(inputs), device_(device), runner_(runner) {}

  const std::string& name() const { return def_.name; }
  const std::string& op() const { return def_.op; }
  int64_t version() const { return def_.version; }
  const std::string& device() const { return device_; }

  // ---- inputs
  size_t inputs() const { return inputs_.size(); }
  bool has(size_t i) const { return i < inputs_.size() && !inputs_[i].is_absent(); }
  /// The value; an error if it is left out.
  const Value& value(size_t i) const;
  /// The array as a tensor; an error if it is none.
  Tensor tensor(size_t i) const;
  std::optional<Tensor> optional_tensor(size_t i) const;
  Shape shape(size_t i) const { return array(i).shape(); }
  int64_t rank(size_t i) const { return static_cast<int64_t>(shape(i).size()); }
  DType dtype(size_t i) const { return array(i).dtype(); }
  /// The numbers, which are computed now if they are not known.
  HostArray numbers(size_t i) const;
  std::vector<int64_t> integers(size_t i) const;
  std::vector<double> reals(size_t i) const;
  /// The only number.
  int64_t integer(size_t i) const;
  double real(size_t i) const;

  // ---- outputs
  size_t outputs() const { return def_.outputs.size(); }
  bool wants(size_t i) const { return i < def_.outputs.size() && !def_.outputs[i].empty(); }

  // ---- attributes
  bool has_attribute(std::string_view name) const { return find(name) != nullptr; }
  int64_t integer(std::string_view name, int64_t otherwise) const;
  int64_t required_integer(std::string_view name) const;
  bool flag(std::string_view name, bool otherwise = false) const;
  double real(std::string_view name, double otherwise) const;
  std::string text(std::string_view name, const std::string& otherwise) const;
  std::optional<std::vector<int64_t>> integers(std::string_view name) const;
  std::optional<std::vector<double>> reals(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name) const;
  const Value* array(std::string_view name) const;
  const Graph& graph(std::string_view name) const;
  Values run(const Graph& graph, Values inputs) const {
    return runner_.run(graph, std::move(inputs));
  }

  // ---- errors
  /// It is right, but not supported.
  [[noreturn]] void unsupported(std::string_view reason) const;
  /// It breaks the standard's rules.
  [[noreturn]] void wrong(std::string_view problem) const;
  void require(bool fine, std::string_view problem) const {
    if (!fine) wrong(problem);
  }
  /// The axis, counted from the beginning: −rank ≤ axis < rank.
  int64_t axis(int64_t axis, int64_t rank) const;
  std::vector<int64_t> axes(const std::vector<int64_t>& axes, int64_t rank) const;

 private:
  const Value& array(size_t i) const;
  const Attribute* find(std::string_view name) const;
  const Attribute* find(std::string_view name, Attribute::Kind kind) const;

  const NodeDef& def_;
  std::span<const Value> inputs_;
  const std::string& device_;
  GraphRunner& runner_;
};

}  // namespace tg::onnx
