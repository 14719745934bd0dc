// ONNX models: `load` reads a file, and a call of the model builds a graph of this library's own
// operations, so that the result is lazy, differentiable, and can be captured by TinyJit or moved
// to any device. Link `tinygrad::models`; the core library knows nothing of it.
//
//   const tg::onnx::Model model = tg::onnx::load("mobilenet.onnx");
//   const auto out = model({{"input", image}});
//   std::cout << out.at("output").argmax();
//
// Which operators there are, and what is not supported: docs/onnx.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tg/dtype.h"
#include "tg/tensor.h"

#if !defined(_WIN32) || !defined(TG_BUILDING_MODELS)
#define TG_MODELS_API TG_API
#else
#define TG_MODELS_API __declspec(dllexport)
#endif

namespace tg::onnx {

/// The size of an axis: a number, or −1 where it is known at the call; axes of one name have one
/// size.
struct Dimension {
  int64_t size = -1;
  std::string name = {};
};

/// An input or output: what the file says of it; of a sequence or optional, dtype and shape are those
/// of the tensors in it.
struct ValueInfo {
  std::string name;
  DType dtype = DType::Void;     ///< Void: not said, or no tensor of numbers
  std::vector<Dimension> shape;  ///< meaningful if has_shape
  bool has_shape = false;
  std::string kind = "tensor";  ///< or "sequence", "optional"; "text" for tensors of strings
};

/// Why a node cannot run.
struct Unsupported {
  std::string node;    ///< its name, or its op and place, "Relu#7"
  std::string op;      ///< "Relu", "com.microsoft.Attention"
  std::string reason;  ///< "no such operator in version 13", "attribute \"to\": STRING"
};

/// Of `load` and `parse`.
struct LoadOptions {
  std::string device = {};  ///< where the initialisers live; empty: the default device
  /// Beside which external data is looked for, by `parse`. Empty: external data is an error.
  std::filesystem::path folder = {};
};

struct ModelState;

/// A model. Copies are names for one model, as copies of a Tensor are. Calls may come from several
/// threads.
class TG_MODELS_API Model {
 public:
  /// What a call must give: the graph's inputs that are no initialisers.
  const std::vector<ValueInfo>& inputs() const;
  /// What a call returns.
  const std::vector<ValueInfo>& outputs() const;
  /// The initialisers by name. They may be replaced by tensors of the same shape and dtype, marked
  /// by is_param_() and trained. Numbers that decide shapes are read from them when the model is
  /// called.
  std::map<std::string, Tensor>& parameters();
  const std::map<std::string, Tensor>& parameters() const;
  /// The nodes that cannot run; a call that reaches one throws ArgumentError with its name.
  const std::vector<Unsupported>& unsupported() const;
  /// How many nodes of each operator there are, those of subgraphs and functions included.
  std::map<std::string, int64_t> operators() const;

  /// The outputs by name, lazily; of sequences the items, "name.0", "name.1", …; an empty optional
  /// is left out. ArgumentError for an input that is missing or unknown, DTypeError and ShapeError
  /// for one that is not as inputs() say, ArgumentError naming the node for what is not supported.
  /// A value that decides shapes (the condition of an If, the shape for a Reshape, the boxes that
  /// NonMaxSuppression selects) is computed during the call if it depends on an input's elements.
  std::map<std::string, Tensor> operator()(const std::map<std::string, Tensor>& inputs) const;

  explicit Model(std::shared_ptr<ModelState> state) : state_(std::move(state)) {}
  const std::shared_ptr<ModelState>& state() const { return state_; }

 private:
  std::shared_ptr<ModelState> state_;
};

/// Reads an .onnx file. External data is read from beside it, never from outside its folder. Throws
/// FileError with file and place for a file that is missing, damaged or breaks the format's rules.
TG_MODELS_API Model load(const std::filesystem::path& file, const LoadOptions& options = {});
/// The same of bytes in memory; `name` stands for them in messages.
TG_MODELS_API Model parse(std::span<const std::byte> bytes, const LoadOptions& options = {},
                          std::string_view name = "model");

}  // namespace tg::onnx
