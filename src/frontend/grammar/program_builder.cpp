// See program_builder.h. What is checked of the whole: program_check.cpp.
#include "frontend/grammar/program_builder.h"

#include <fmt/format.h>

#include <bitset>

#include "frontend/grammar/program_check.h"
#include "support/check.h"

namespace tg::models::grammar {
namespace {

constexpr size_t kMostNodes = 1 << 20;

}  // namespace

uint32_t ProgramBuilder::add(Node node) {
  if (program_.nodes.size() >= kMostNodes)
    user_error<ArgumentError>("grammar", fmt::format("it has more than {} nodes", kMostNodes));
  program_.nodes.push_back(node);
  return static_cast<uint32_t>(program_.nodes.size() - 1);
}

// A node that leads to an end of its own.
ProgramBuilder::Part ProgramBuilder::single(Node node) {
  const uint32_t end = add({});
  node.next = end;
  return {add(node), end};
}

ProgramBuilder::Part ProgramBuilder::nothing() {
  const uint32_t both = add({});
  return {both, both};
}

ProgramBuilder::Part ProgramBuilder::literal(std::string_view bytes) {
  Part out = nothing();
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    const uint32_t end = add({});
    const auto edge = static_cast<uint32_t>(program_.edges.size());
    program_.edges.push_back({byte, byte, end});
    program_.nodes[out.end].next = add({.kind = NodeKind::Bytes, .first_edge = edge, .edges = 1});
    out.end = end;
  }
  return out;
}

ProgramBuilder::Part ProgramBuilder::one_of(const std::vector<CodePoints>& set) {
  const uint32_t end = add({});
  std::vector<Edge> edges;
  for (const ByteSequence& s : byte_sequences(set)) {
    uint32_t target = end;
    for (uint32_t i = s.length - 1; i > 0; --i) {  // from the last byte to the second
      const auto edge = static_cast<uint32_t>(program_.edges.size());
      program_.edges.push_back({s.bytes[i].low, s.bytes[i].high, target});
      target = add({.kind = NodeKind::Bytes, .first_edge = edge, .edges = 1});
    }
    edges.push_back({s.bytes[0].low, s.bytes[0].high, target});
  }
  const auto first = static_cast<uint32_t>(program_.edges.size());
  program_.edges.insert(program_.edges.end(), edges.begin(), edges.end());
  const auto count = static_cast<uint32_t>(edges.size());
  return {add({.kind = NodeKind::Bytes, .first_edge = first, .edges = count}), end};
}

// The callee is the rule's number until all are defined.
ProgramBuilder::Part ProgramBuilder::call(uint32_t rule) {
  return single({.kind = NodeKind::Call, .callee = rule});
}

ProgramBuilder::Part ProgramBuilder::sequence(Part a, Part b) {
  program_.nodes[a.end].next = b.start;
  return {a.start, b.end};
}

ProgramBuilder::Part ProgramBuilder::either(Part a, Part b) {
  const uint32_t end = add({});
  program_.nodes[a.end].next = end;
  program_.nodes[b.end].next = end;
  return {add({.next = a.start, .other = b.start}), end};
}

ProgramBuilder::Part ProgramBuilder::repeated(Part part, uint32_t min, uint32_t max) {
  if (max == 0) return nothing();
  if (min == 1 && max == 1) return part;
  if (min == 0 && max == 1) return either(part, nothing());
  if (min <= 1 && max == kUnbounded) {
    const uint32_t end = add({});
    const uint32_t again = add({.next = part.start, .other = end});
    program_.nodes[part.end].next = again;
    return {min == 0 ? again : part.start, end};
  }
  program_.nodes[part.end].next = add({.kind = NodeKind::End});
  return single({.kind = NodeKind::Repeat, .callee = part.start, .min = min, .max = max});
}

void ProgramBuilder::define(uint32_t rule, Part text) {
  program_.nodes[text.end].next = add({.kind = NodeKind::End});
  if (rule >= entries_.size()) entries_.resize(rule + 1, kNone);
  entries_[rule] = text.start;
}

uint32_t ProgramBuilder::past_joins(uint32_t node) const {
  const auto is_join = [](const Node& n) {
    return n.kind == NodeKind::Split && n.other == kNone && n.next != kNone;
  };
  while (node != kNone && is_join(program_.nodes[node])) node = program_.nodes[node].next;
  return node;
}

void ProgramBuilder::link_calls() {
  for (Node& n : program_.nodes)
    if (n.kind == NodeKind::Call) n.callee = entries_.at(n.callee);
}

// No way leads through a join any more, and a call that nothing follows keeps no place to return
// to: lists that are rules which end with themselves need no stack.
void ProgramBuilder::shorten() {
  for (Node& n : program_.nodes) {
    n.next = past_joins(n.next);
    n.other = past_joins(n.other);
    if (n.kind == NodeKind::Call || n.kind == NodeKind::Repeat) n.callee = past_joins(n.callee);
    if (n.kind == NodeKind::Call && program_.nodes[n.next].kind == NodeKind::End) n.next = kNone;
  }
  for (Edge& e : program_.edges) e.target = past_joins(e.target);
  program_.root = past_joins(program_.root);
}

void ProgramBuilder::find_classes() {
  std::bitset<257> begins;
  begins[0] = true;
  for (const Edge& e : program_.edges) begins[e.low] = begins[e.high + 1U] = true;
  for (unsigned byte = 0; byte < 256; ++byte) {
    if (begins[byte]) program_.byte_of_class.push_back(static_cast<uint8_t>(byte));
    program_.class_of[byte] = static_cast<uint8_t>(program_.byte_of_class.size() - 1);
  }
}

Program ProgramBuilder::finish(uint32_t root_rule, std::span<const std::string> names) && {
  program_.root = entries_.at(root_rule);
  link_calls();
  for (uint32_t& entry : entries_) entry = past_joins(entry);
  shorten();
  check_program(program_, entries_, names);
  find_classes();
  return std::move(program_);
}

}  // namespace tg::models::grammar
