// Reads ONNX models: protobuf to graphs that are checked, so that running them need not look again.
// Tensors: read_tensor.cpp. What a node means: the table and the functions that it lists.
#include "frontend/onnx/read.h"

#include <fmt/format.h>

#include <limits>
#include <set>

#include "frontend/onnx/onnx_subset.pb.h"
#include "frontend/onnx/table.h"
#include "support/check.h"

namespace tg::onnx {
namespace {

namespace file = tg_onnx_file;

// Subgraphs in subgraphs: protobuf itself allows 100 messages in each other.
constexpr int kMaxNesting = 16;

class Reader {
 public:
  explicit Reader(const Source& source) : source_(source), external_(source) {}

  Parsed read(const file::Model& model);

 private:
  using Versions = std::map<std::string, int64_t>;
  using Names = std::set<std::string, std::less<>>;

  [[noreturn]] void bad(const std::string& place, const std::string& problem) const {
    user_error<FileError>("onnx::load",
                          fmt::format("\"{}\", {}: {}", source_.name, place, problem));
  }
  template <typename Sets>
  Versions versions(const Sets& sets, const std::string& place) const;
  ValueInfo info(const file::Value& value) const;
  void set_type(const file::Type& type, ValueInfo& out) const;
  Graph graph(const file::Graph& graph, const Versions& versions, const Names& outer, int depth);
  Graph function(const file::Function& function);
  NodeDef node(const file::Node& node, size_t place, const Versions& versions, const Names& names,
               int depth);
  Attribute attribute(const file::Attribute& a, const std::string& node, const Versions& versions,
                      const Names& names, int depth);
  void resolve(NodeDef& node, const Versions& versions);
  void refuse(const NodeDef& node, std::string reason) {
    parsed_.unsupported.push_back({node.name, node.op, std::move(reason)});
  }
  void add_outputs(const NodeDef& node, Names& names) const;
  void check_calls() const;

  const Source& source_;
  ExternalData external_;
  Parsed parsed_;
};

std::string plain_domain(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }
std::string full_name(const std::string& domain, const std::string& op) {
  return domain.empty() ? op : domain + "." + op;
}

template <typename Sets>
Reader::Versions Reader::versions(const Sets& sets, const std::string& place) const {
  Versions out;
  for (const auto& set : sets) {
    if (set.version() < 1)
      bad(place, fmt::format("version {} of \"{}\"", set.version(), set.domain()));
    out[plain_domain(set.domain())] = set.version();
  }
  return out;
}

// The kind is that of the outermost type, dtype and shape those of the tensors in it.
void Reader::set_type(const file::Type& type, ValueInfo& out) const {
  const file::Type* inner = &type;
  for (; inner->has_sequence_type() || inner->has_optional_type();
       inner = inner->has_sequence_type() ? &inner->sequence_type().elem_type()
                                          : &inner->optional_type().elem_type())
    if (inner == &type) out.kind = inner->has_sequence_type() ? "sequence" : "optional";
  if (!inner->has_tensor_type()) return;
  const auto& tensor = inner->tensor_type();
  out.dtype = dtype_of_onnx(tensor.elem_type()).value_or(DType::Void);
  if (tensor.elem_type() == 8 && inner == &type) out.kind = "text";
  out.has_shape = tensor.has_shape();
  for (const auto& d : tensor.shape().dim()) {
    if (d.has_dim_value() && d.dim_value() < 0)
      bad(fmt::format("value \"{}\"", out.name), fmt::format("an axis of size {}", d.dim_value()));
    // 0 is written for "unknown" by some exporters.
    const bool known = d.has_dim_value() && (d.dim_value() > 0 || !d.has_dim_param());
    out.shape.push_back({known ? d.dim_value() : -1, d.dim_param()});
  }
}

ValueInfo Reader::info(const file::Value& value) const {
  ValueInfo out{.name = value.name()};
  set_type(value.type(), out);
  return out;
}

Attribute Reader::attribute(const file::Attribute& a, const std::string& node,
                            const Versions& versions, const Names& names, int depth) {
  Attribute out;
  out.refers_to = a.ref_attr_name();
  const std::string place = fmt::format("node \"{}\", attribute \"{}\"", node, a.name());
  // Files of the first versions have no type.
  int type = a.type();
  if (type == 0)
    type = a.has_f()          ? 1
           : a.has_i()        ? 2
           : a.has_s()        ? 3
           : a.has_t()        ? 4
           : a.has_g()        ? 5
           : a.floats_size()  ? 6
           : a.ints_size()    ? 7
           : a.strings_size() ? 8
                              : 0;
  switch (type) {
    case 1:
      out.kind = Attribute::Kind::Real;
      out.real = static_cast<double>(a.f());
      break;
    case 2:
      out.kind = Attribute::Kind::Integer;
      out.integer = a.i();
      break;
    case 3:
      out.kind = Attribute::Kind::Text;
      out.text = a.s();
      break;
    case 4:
      out.kind = Attribute::Kind::Array;
      out.array = read_tensor(a.t(), place, source_, external_);
      break;
    case 5:
      out.kind = Attribute::Kind::Graph;
      out.graph = std::make_shared<const Graph>(graph(a.g(), versions, names, depth + 1));
      break;
    case 6:
      out.kind = Attribute::Kind::Reals;
      out.reals.assign(a.floats().begin(), a.floats().end());
      break;
    case 7:
      out.kind = Attribute::Kind::Integers;
      out.integers.assign(a.ints().begin(), a.ints().end());
      break;
    case 8:
      out.kind = Attribute::Kind::Texts;
      out.texts.assign(a.strings().begin(), a.strings().end());
      break;
    case 13:
      out.kind = Attribute::Kind::Type;
      break;
    default:
      break;
  }
  return out;
}

// Which function of the table, or of the model, a node calls; what is missing is noted.
void Reader::resolve(NodeDef& node, const Versions& versions) {
  if (parsed_.functions.contains(full_name(node.domain, node.op))) {
    node.called = full_name(node.domain, node.op);
    return;
  }
  const auto version = versions.find(node.domain);
  node.version = version == versions.end() ? 1 : version->second;
  const std::string op = node.op;
  node.op = full_name(node.domain, op);
  const Lookup found = look_up(node.domain, op, node.version);
  node.function = found.function;
  if (found.function == nullptr) {
    refuse(node, found.reason);
    return;
  }
  for (const auto& [name, a] : node.attributes) {
    if (!takes_attribute(*found.function, name))
      refuse(node, fmt::format("attribute \"{}\"", name));
    else if (a.kind == Attribute::Kind::Other && a.refers_to.empty())
      refuse(node, fmt::format("the type of attribute \"{}\"", name));
    else if (a.kind == Attribute::Kind::Array && a.array.is_absent() && a.refers_to.empty())
      refuse(node, fmt::format("the element type of attribute \"{}\"", name));
    else
      continue;
    node.function = nullptr;
    return;
  }
}

NodeDef Reader::node(const file::Node& n, size_t place, const Versions& versions,
                     const Names& names, int depth) {
  NodeDef out;
  out.op = n.op_type();
  out.name = n.name().empty() ? fmt::format("{}#{}", n.op_type(), place) : n.name();
  out.domain = plain_domain(n.domain());
  for (const std::string& input : n.input()) {
    if (!input.empty() && !names.contains(input))
      bad(fmt::format("node \"{}\"", out.name),
          fmt::format("its input \"{}\" is neither an input, an initialiser nor the output of an "
                      "earlier node",
                      input));
    out.inputs.push_back(input);
  }
  out.outputs.assign(n.output().begin(), n.output().end());
  for (const auto& a : n.attribute()) {
    if (!out.attributes.emplace(a.name(), attribute(a, out.name, versions, names, depth)).second)
      bad(fmt::format("node \"{}\"", out.name), fmt::format("attribute \"{}\" twice", a.name()));
  }
  resolve(out, versions);
  return out;
}

void Reader::add_outputs(const NodeDef& node, Names& names) const {
  for (const std::string& output : node.outputs)
    if (!output.empty() && !names.insert(output).second)
      bad(fmt::format("node \"{}\"", node.name),
          fmt::format("its output \"{}\" has the name of another value", output));
}

Graph Reader::graph(const file::Graph& g, const Versions& versions, const Names& outer, int depth) {
  const std::string where = fmt::format("graph \"{}\"", g.name());
  if (depth > kMaxNesting)
    bad(where, fmt::format("more than {} graphs inside each other", kMaxNesting));
  if (g.sparse_initializer_size() > 0) bad(where, "sparse initialisers, which are not read");
  Graph out{.name = g.name()};
  Names names = outer, inputs;
  for (const auto& t : g.initializer()) {
    const std::string place = fmt::format("initialiser \"{}\"", t.name());
    Value value = read_tensor(t, place, source_, external_);
    if (value.is_absent())
      bad(place,
          fmt::format("elements of {}, which are not supported", onnx_type_name(t.data_type())));
    if (!out.constants.emplace(t.name(), std::move(value)).second)
      bad(place, "the name is there twice");
    names.insert(t.name());
  }
  for (const auto& input : g.input()) {
    if (!inputs.insert(input.name()).second)
      bad(where, fmt::format("two inputs \"{}\"", input.name()));
    names.insert(input.name());
    if (!out.constants.contains(input.name())) out.inputs.push_back(input.name());
  }
  for (int i = 0; i < g.node_size(); ++i) {
    out.nodes.push_back(node(g.node(i), static_cast<size_t>(i), versions, names, depth));
    add_outputs(out.nodes.back(), names);
  }
  for (const auto& output : g.output()) {
    if (!names.contains(output.name()))
      bad(where, fmt::format("its output \"{}\" is computed by no node", output.name()));
    out.outputs.push_back(output.name());
  }
  return out;
}

Graph Reader::function(const file::Function& f) {
  const std::string where = fmt::format("function \"{}\"", f.name());
  const Versions sets = versions(f.opset_import(), where);
  Graph out{.name = f.name()};
  out.inputs.assign(f.input().begin(), f.input().end());
  out.attributes.assign(f.attribute().begin(), f.attribute().end());
  for (const auto& a : f.attribute_proto()) {
    out.attributes.push_back(a.name());
    out.defaults.emplace(a.name(), attribute(a, f.name(), sets, {}, 0));
  }
  Names names;
  for (const std::string& input : out.inputs)
    if (!names.insert(input).second) bad(where, fmt::format("two inputs \"{}\"", input));
  for (int i = 0; i < f.node_size(); ++i) {
    out.nodes.push_back(node(f.node(i), static_cast<size_t>(i), sets, names, 0));
    add_outputs(out.nodes.back(), names);
  }
  for (const std::string& output : f.output())
    if (!names.contains(output))
      bad(where, fmt::format("its output \"{}\" is computed by no node", output));
  out.outputs.assign(f.output().begin(), f.output().end());
  return out;
}

void collect_calls(const Graph& graph, std::set<std::string>& out) {
  std::vector<const Graph*> todo = {&graph};
  while (!todo.empty()) {
    const Graph* g = todo.back();
    todo.pop_back();
    for (const NodeDef& n : g->nodes) {
      if (!n.called.empty()) out.insert(n.called);
      for (const auto& [name, a] : n.attributes)
        if (a.graph) todo.push_back(a.graph.get());
    }
  }
}

// Functions that call each other in a circle would never end: all whose calls are known to end are
// taken away, round after round, until none is left.
void Reader::check_calls() const {
  std::map<std::string, std::set<std::string>> waiting;
  for (const auto& [name, f] : parsed_.functions) collect_calls(f, waiting[name]);
  while (!waiting.empty()) {
    const size_t before = waiting.size();
    for (auto it = waiting.begin(); it != waiting.end();) {
      bool ends = true;
      for (const std::string& callee : it->second) ends = ends && !waiting.contains(callee);
      it = ends ? waiting.erase(it) : std::next(it);
    }
    if (waiting.size() == before)
      bad(fmt::format("function \"{}\"", waiting.begin()->first),
          "it calls itself, directly or through others");
  }
}

Parsed Reader::read(const file::Model& model) {
  if (!model.has_graph()) bad("the file", "there is no graph: it is no ONNX model");
  const Versions sets = versions(model.opset_import(), "the list of operator sets");
  // All names first, since functions may call later ones.
  for (const auto& f : model.functions())
    if (!parsed_.functions.emplace(full_name(plain_domain(f.domain()), f.name()), Graph{}).second)
      bad(fmt::format("function \"{}\"", f.name()), "the name is there twice");
  for (const auto& f : model.functions())
    parsed_.functions[full_name(plain_domain(f.domain()), f.name())] = function(f);
  check_calls();
  parsed_.main = graph(model.graph(), sets, {}, 0);
  for (const auto& input : model.graph().input())
    if (!parsed_.main.constants.contains(input.name())) parsed_.inputs.push_back(info(input));
  for (const auto& output : model.graph().output()) parsed_.outputs.push_back(info(output));
  return std::move(parsed_);
}

template <typename Message>
Message decode_message(std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max()))
    user_error<FileError>(
        "onnx::load",
        fmt::format("\"{}\" has {} bytes: files have at most 2 GiB", name, bytes.size()),
        "Larger models keep their tensors as external data.");
  Message message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    user_error<FileError>(
        "onnx::load",
        fmt::format("\"{}\" is damaged or no ONNX file: protobuf cannot read it", name));
  return message;
}

Value sequence_of(const file::Sequence& s, const Source& source, ExternalData& external) {
  std::vector<Value> items;
  for (const auto& t : s.tensor_values())
    items.push_back(read_tensor(t, fmt::format("item {}", items.size()), source, external));
  return Value::sequence(std::move(items));
}

}  // namespace

Parsed read_model(std::span<const std::byte> bytes, const Source& source) {
  return Reader(source).read(decode_message<file::Model>(bytes, source.name));
}

Value read_value(std::span<const std::byte> bytes, FileKind kind, const std::string& name) {
  const Source source{.name = name};
  ExternalData external(source);
  if (kind == FileKind::Tensor)
    return read_tensor(decode_message<file::Tensor>(bytes, name), "the tensor", source, external);
  if (kind == FileKind::Sequence)
    return sequence_of(decode_message<file::Sequence>(bytes, name), source, external);
  const auto optional = decode_message<file::Optional>(bytes, name);
  if (optional.has_tensor_value())
    return read_tensor(optional.tensor_value(), "the tensor", source, external);
  if (optional.has_sequence_value())
    return sequence_of(optional.sequence_value(), source, external);
  return Value::none();
}

}  // namespace tg::onnx
