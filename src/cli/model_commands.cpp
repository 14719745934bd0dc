// tg inspect and tg run: what a model of ONNX is made of and what of it is not supported; and its
// outputs for arrays of NumPy. The importer: src/frontend/onnx.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <memory>
#include <ostream>

#include "cli/cli.h"
#include "support/check.h"
#include "support/text.h"
#include "tg/models/onnx.h"
#include "tg/state.h"

namespace tg::cli {
namespace {

std::string described(const onnx::ValueInfo& info) {
  if (info.kind != "tensor") return info.kind;
  std::string sizes;
  for (const onnx::Dimension& d : info.shape)
    sizes += fmt::format("{}{}", sizes.empty() ? "" : ", ",
                         d.size >= 0      ? fmt::to_string(d.size)
                         : d.name.empty() ? "?"
                                          : d.name);
  const std::string_view dtype = info.dtype == DType::Void ? "any" : dtype_name(info.dtype);
  return info.has_shape ? fmt::format("{} [{}]", dtype, sizes) : std::string(dtype);
}

void inspect(const std::string& file, bool list_parameters, std::ostream& out) {
  const onnx::Model model = onnx::load(file);
  for (const auto& input : model.inputs())
    out << fmt::format("input {}: {}\n", input.name, described(input));
  for (const auto& output : model.outputs())
    out << fmt::format("output {}: {}\n", output.name, described(output));
  int64_t numbers = 0, bytes = 0;
  for (const auto& [name, tensor] : model.parameters()) {
    numbers += tensor.numel();
    bytes += tensor.nbytes();
    if (list_parameters)
      out << fmt::format("parameter {}: {} [{}]\n", name, dtype_name(tensor.dtype()),
                         fmt::join(tensor.shape(), ", "));
  }
  out << fmt::format("parameters: {} tensors, {} numbers, {}\n", model.parameters().size(), numbers,
                     human_bytes(static_cast<uint64_t>(bytes)));
  for (const auto& [op, count] : model.operators()) out << fmt::format("{:>6} {}\n", count, op);
  for (const auto& u : model.unsupported())
    out << fmt::format("not supported: node \"{}\" ({}): {}\n", u.node, u.op, u.reason);
  if (model.unsupported().empty()) out << "all operators are supported\n";
}

std::map<std::string, Tensor> read_inputs(const std::vector<std::string>& inputs,
                                          const std::string& device) {
  std::map<std::string, Tensor> out;
  for (const std::string& input : inputs) {
    const size_t equals = input.find('=');
    if (equals == std::string::npos || equals == 0)
      user_error<ArgumentError>("run", fmt::format("--input \"{}\" is not name=file.npy", input));
    const std::string name = input.substr(0, equals);
    if (!out.emplace(name, nn::npy_load(input.substr(equals + 1), device)).second)
      user_error<ArgumentError>("run", fmt::format("--input \"{}\" is there twice", name));
  }
  return out;
}

constexpr size_t kShown = 8;

std::string first_values(const Tensor& t) {
  const auto values = t.flatten()
                          .cast(DType::Float64)
                          .shrink({{0, std::min<int64_t>(t.numel(), kShown)}})
                          .to_vector<double>();
  std::string out;
  for (const double v : values) out += fmt::format("{}{:.6g}", out.empty() ? "" : ", ", v);
  return t.numel() > static_cast<int64_t>(values.size()) ? out + ", …" : out;
}

// Names of values may be paths; a file's name has no slash.
std::string file_name(std::string name) {
  for (char& c : name)
    if (c == '/' || c == '\\' || c == ':') c = '_';
  return name + ".npy";
}

struct RunArguments {
  std::string model, folder, device;
  std::vector<std::string> inputs;
};

void run_model_file(const RunArguments& args, std::ostream& out) {
  const onnx::Model model = onnx::load(args.model, {.device = args.device});
  const auto results = model(read_inputs(args.inputs, args.device));
  for (const auto& [name, tensor] : results) {
    out << fmt::format("{}: {} [{}]: {}\n", name, dtype_name(tensor.dtype()),
                       fmt::join(tensor.shape(), ", "), first_values(tensor));
    if (!args.folder.empty())
      nn::npy_save(tensor, std::filesystem::path(args.folder) / file_name(name));
  }
}

}  // namespace

void add_model_commands(CLI::App& app, std::ostream& out) {
  CLI::App* look = app.add_subcommand(
      "inspect", "Print what an ONNX model is made of, and what is not supported");
  const auto file = std::make_shared<std::string>();
  const auto list = std::make_shared<bool>(false);
  look->add_option("model", *file, "The .onnx file")->required();
  look->add_flag("--parameters", *list, "Print each parameter");
  look->callback([&out, file, list] { inspect(*file, *list, out); });

  CLI::App* run = app.add_subcommand("run", "Run an ONNX model on arrays of NumPy (.npy)");
  const auto args = std::make_shared<RunArguments>();
  run->add_option("model", args->model, "The .onnx file")->required();
  run->add_option("--input", args->inputs, "An input: name=file.npy");
  run->add_option("--output-dir", args->folder, "An existing folder for the outputs, name.npy");
  run->add_option("--device", args->device, "Where it runs; the default device if left out");
  run->callback([&out, args] { run_model_file(*args, out); });

  add_tokenize_command(app, out);
  add_llm_command(app, out);
  add_embed_command(app, out);
  add_classify_command(app, out);
  add_detect_command(app, out);
  add_transcribe_command(app, out);
  add_rewrite_command(app, out);
  add_imagine_command(app, out);
}

}  // namespace tg::cli
