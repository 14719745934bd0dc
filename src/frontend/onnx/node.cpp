// Nodes as their operators see them: see node.h.
#include "frontend/onnx/node.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/check.h"

namespace tg::onnx {

void Node::unsupported(std::string_view reason) const {
  user_error<ArgumentError>(
      "onnx::Model", fmt::format("node \"{}\" ({}, version {}): {} is not supported", def_.name,
                                 def_.op, def_.version, reason));
}

void Node::wrong(std::string_view problem) const {
  user_error<ArgumentError>("onnx::Model", fmt::format("node \"{}\" ({}, version {}): {}",
                                                       def_.name, def_.op, def_.version, problem));
}

const Value& Node::value(size_t i) const {
  if (!has(i)) wrong(fmt::format("input {} is left out", i));
  return inputs_[i];
}

const Value& Node::array(size_t i) const {
  const Value& v = value(i);
  if (!v.is_array()) wrong(fmt::format("input {} is no tensor", i));
  return v;
}

Tensor Node::tensor(size_t i) const { return array(i).tensor(device_); }

std::optional<Tensor> Node::optional_tensor(size_t i) const {
  if (!has(i)) return {};
  return tensor(i);
}

HostArray Node::numbers(size_t i) const {
  const Value& v = array(i);
  return v.host() != nullptr ? *v.host() : read_back(v.tensor(device_));
}

std::vector<int64_t> Node::integers(size_t i) const {
  HostArray n = numbers(i);
  if (n.is_real())
    wrong(fmt::format("input {} must be integers, it is {}", i, dtype_name(n.dtype)));
  return std::move(n.integers);
}

std::vector<double> Node::reals(size_t i) const {
  const HostArray n = numbers(i);
  std::vector<double> out;
  for (int64_t k = 0; k < n.size(); ++k) out.push_back(n.real(k));
  return out;
}

int64_t Node::integer(size_t i) const {
  const std::vector<int64_t> all = integers(i);
  if (all.size() != 1) wrong(fmt::format("input {} must be one number, it has {}", i, all.size()));
  return all[0];
}

double Node::real(size_t i) const {
  const std::vector<double> all = reals(i);
  if (all.size() != 1) wrong(fmt::format("input {} must be one number, it has {}", i, all.size()));
  return all[0];
}

const Attribute* Node::find(std::string_view name) const {
  const auto found = def_.attributes.find(name);
  return found == def_.attributes.end() ? nullptr : &found->second;
}

const Attribute* Node::find(std::string_view name, Attribute::Kind kind) const {
  const Attribute* a = find(name);
  if (a != nullptr && a->kind != kind)
    wrong(fmt::format("attribute \"{}\" has another type than the standard says", name));
  return a;
}

int64_t Node::integer(std::string_view name, int64_t otherwise) const {
  const Attribute* a = find(name, Attribute::Kind::Integer);
  return a == nullptr ? otherwise : a->integer;
}

int64_t Node::required_integer(std::string_view name) const {
  const Attribute* a = find(name, Attribute::Kind::Integer);
  if (a == nullptr) wrong(fmt::format("attribute \"{}\" is missing", name));
  return a->integer;
}

bool Node::flag(std::string_view name, bool otherwise) const {
  return integer(name, otherwise ? 1 : 0) != 0;
}

double Node::real(std::string_view name, double otherwise) const {
  const Attribute* a = find(name, Attribute::Kind::Real);
  return a == nullptr ? otherwise : a->real;
}

std::string Node::text(std::string_view name, const std::string& otherwise) const {
  const Attribute* a = find(name, Attribute::Kind::Text);
  return a == nullptr ? otherwise : a->text;
}

std::optional<std::vector<int64_t>> Node::integers(std::string_view name) const {
  const Attribute* a = find(name);
  if (a == nullptr) return {};
  // A list of nothing has the type of no element in files without types.
  if (a->kind == Attribute::Kind::Other) return std::vector<int64_t>{};
  return find(name, Attribute::Kind::Integers)->integers;
}

std::optional<std::vector<double>> Node::reals(std::string_view name) const {
  const Attribute* a = find(name, Attribute::Kind::Reals);
  if (a == nullptr) return {};
  return a->reals;
}

std::vector<std::string> Node::texts(std::string_view name) const {
  const Attribute* a = find(name, Attribute::Kind::Texts);
  return a == nullptr ? std::vector<std::string>{} : a->texts;
}

const Value* Node::array(std::string_view name) const {
  const Attribute* a = find(name, Attribute::Kind::Array);
  return a == nullptr ? nullptr : &a->array;
}

const Graph& Node::graph(std::string_view name) const {
  const Attribute* a = find(name, Attribute::Kind::Graph);
  if (a == nullptr) wrong(fmt::format("attribute \"{}\" is missing", name));
  return *a->graph;
}

int64_t Node::axis(int64_t axis, int64_t rank) const {
  if (axis < -rank || axis >= rank)
    wrong(fmt::format("axis {} of a tensor with {} axes", axis, rank));
  return axis < 0 ? axis + rank : axis;
}

std::vector<int64_t> Node::axes(const std::vector<int64_t>& list, int64_t rank) const {
  std::vector<int64_t> out;
  for (const int64_t a : list) {
    out.push_back(axis(a, rank));
    if (std::count(out.begin(), out.end(), out.back()) > 1) wrong(fmt::format("axis {} twice", a));
  }
  return out;
}

}  // namespace tg::onnx
