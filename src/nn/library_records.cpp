// Records of what is public beside tensors, layers and optimisers; see records.h. Programs of other
// languages reach most of it by functions of tg/c/tg.h, for it is about the process, threads or
// functions that are handed over; only what is plain has an implementation here.
#include "nn/records.h"
#include "tensor/records/call.h"
#include "tg/dtype.h"
#include "tg/ir/graph.h"

namespace tg::nn {
namespace {

// A record of what is no tensor.
FnRecord plain(std::string_view name, std::string_view doc, std::vector<FnParam> params,
               std::string_view errors, std::string_view example, std::string_view result,
               FnCall call = {}) {
  return {.name = name,
          .doc = doc,
          .params = std::move(params),
          .shapes = kNotATensor,
          .dtype = kNotATensor,
          .errors = errors,
          .example = example,
          .result = result,
          .call = std::move(call)};
}

const FnParam kType = {"t", "DType", "", "the dtype"};

FnFamily dtype_records() {
  return {
      "Dtypes",
      {
          plain("dtype_size", "Bytes of one element.", {kType}, "", "dtype_size(DType::Float16)",
                "2", call<&dtype_size>()),
          plain("dtype_name", "Its name, \"float32\".", {kType}, "", "dtype_name(DType::Int8)",
                "int8", call<[](DType t) { return std::string(dtype_name(t)); }>()),
          plain("parse_dtype", "The dtype of this name, if there is one.",
                {{"name", "std::string_view", "", "as dtype_name gives it"}}, "",
                "parse_dtype(\"int8\") == DType::Int8", "true"),
          plain("is_float", "Whether it is one of the eight floats.", {kType}, "",
                "is_float(DType::BFloat16)", "true", call<&is_float>()),
          plain("is_int", "Whether it is one of the integers; bool is none.", {kType}, "",
                "is_int(DType::Bool)", "false", call<&is_int>()),
          plain("is_unsigned", "Whether it is an integer without sign.", {kType}, "",
                "is_unsigned(DType::UInt8)", "true", call<&is_unsigned>()),
          plain("is_bool", "Whether it is bool.", {kType}, "", "is_bool(DType::Bool)", "true",
                call<&is_bool>()),
          plain("promote", "The dtype in which values of both are computed.",
                {{"a", "DType", "", "one"}, {"b", "DType", "", "the other"}}, "",
                "dtype_name(promote(DType::Int64, DType::Float16))", "float16", call<&promote>()),
          plain("promote_weak", "The dtype of a tensor with a plain number.",
                {{"tensor", "DType", "", "the tensor's"},
                 {"scalar_is_float", "bool", "", "whether the number is a float"}},
                "", "dtype_name(promote_weak(DType::Int8, true))", "float32",
                call<&promote_weak>()),
          plain("default_float", "The dtype of floats that name none.", {}, "",
                "dtype_name(default_float())", "float32", call<&default_float>()),
          plain("set_default_float",
                "Sets the dtype of floats that name none; gives the one before.", {kType},
                "DTypeError for a dtype that is no float",
                "[] { DType before = set_default_float(DType::Float16); return "
                "dtype_name(set_default_float(before)); }()",
                "float16", call<&set_default_float>()),
          plain("least_float", "Itself for floats, else default_float().", {kType}, "",
                "dtype_name(least_float(DType::Int64))", "float32", call<&least_float>()),
          plain("sum_dtype", "The dtype in which sums of it are given.", {kType}, "",
                "dtype_name(sum_dtype(DType::Int8))", "int32", call<&sum_dtype>()),
      }};
}

FnFamily source_records() {
  return {"Random source",
          {
              plain("manual_seed", "Starts the sequence of a seed from its beginning.",
                    {{"seed", "uint64_t", "", "which sequence"}}, "",
                    "[] { manual_seed(7); auto a = Tensor::rand({2}); manual_seed(7); return "
                    "(a == Tensor::rand({2})).all(); }()",
                    "true bool[]"),
              plain("random_state", "Where the sequence stands: what a checkpoint must keep.", {},
                    "", "[] { manual_seed(7); return random_state().seed; }()", "7"),
              plain("set_random_state", "Goes on from there.",
                    {{"state", "RandomState", "", "as random_state gave it"}}, "",
                    "[] { set_random_state({.seed = 3}); return random_state().seed; }()", "3"),
          }};
}

FnFamily scope_records() {
  const FnParam f = {"f", "function of std::vector<Tensor>", "", "gives a tensor"};
  const FnParam inputs = {"inputs", "std::vector<Tensor>", "", "what it is called with"};
  return {
      "Scopes and gradients",
      {
          plain("TrainingScope",
                "While it lives, this thread trains: dropout and batch_norm go by it.",
                {{"training", "bool", "true", "or does not"}}, "",
                "[] { TrainingScope scope; return is_training(); }()", "true"),
          plain("is_training", "Whether this thread is in a TrainingScope.", {}, "",
                "is_training()", "false"),
          plain("set_training", "Switches training of this thread; tells what it was.",
                {{"training", "bool", "", "on or off"}}, "",
                "[] { set_training(true); return set_training(false); }()", "true"),
          plain("NoGradScope",
                "While it lives, results of this thread's operations carry no gradients.",
                {{"no_grad", "bool", "true", "or do"}}, "",
                "[] { NoGradScope scope; return is_grad_enabled(); }()", "false"),
          plain("is_grad_enabled", "Whether operations of this thread record gradients.", {}, "",
                "is_grad_enabled()", "true"),
          plain("set_grad_enabled", "Switches that; tells what it was.",
                {{"enabled", "bool", "", "on or off"}}, "",
                "[] { set_grad_enabled(false); return set_grad_enabled(true); }()", "false"),
          {.name = "custom_gradient",
           .doc = "forward(inputs), differentiated by what backward says.",
           .params = {{"forward", "CustomForward", "", "gives the value"},
                      {"backward", "CustomBackward", "", "gives the inputs' gradients"},
                      inputs},
           .shapes = "that of the value",
           .dtype = "that of the value",
           .errors = "when differentiating: ShapeError or DTypeError for a gradient that does not "
                     "fit its input, ArgumentError unless there is one an input",
           .gradient = "as backward says",
           .example = "[] { Tensor x{1.5}; Tensor y = custom_gradient([](const auto& in) { return "
                      "in[0].round(); }, [](const auto&, const Tensor&, const Tensor& dy) { return "
                      "std::vector<std::optional<Tensor>>{dy * 2}; }, {x}); return "
                      "y.sum().gradient({x})[0]; }()",
           .result = "[2.] float32[1]"},
          {.name = "checkpoint",
           .doc =
               "f(inputs), of which only the inputs stay in memory for the gradient: what stands "
               "between is computed a second time.",
           .params = {{"f", "CustomForward", "", "gives the value"}, inputs},
           .shapes = "that of the value",
           .dtype = "that of the value",
           .errors = "ArgumentError without inputs",
           .gradient = "that of f",
           .example = "[] { Tensor x{1.5}; Tensor y = checkpoint([](const auto& in) { return "
                      "in[0].square(); }, {x}); return y.sum().gradient({x})[0]; }()",
           .result = "[3.] float32[1]"},
          plain("gradcheck", "Compares gradients of f with finite differences, in float64.",
                {f,
                 inputs,
                 {"eps", "field of GradcheckOptions", "1e-6", "step of the difference"},
                 {"atol", "field of GradcheckOptions", "1e-5", "absolute tolerance"},
                 {"rtol", "field of GradcheckOptions", "1e-3", "relative tolerance"}},
                "as f", "gradcheck([](const auto& in) { return in[0].sin(); }, {Tensor{1.}}).ok",
                "true"),
          plain("GradcheckReport", "What gradcheck found: the worst disagreement and its place.",
                {}, "", "GradcheckReport{}.ok", "true"),
      }};
}

FnFamily capture_records() {
  return {
      "Captured functions and variables",
      {
          plain(
              "TinyJit", "A function whose calls are recorded once and then replayed.",
              {{"f", "a function object", "", "of tensors, lists of them, sizes and numbers"},
               {"alias_outputs", "field of JitOptions", "false",
                "results of every call are the same tensors"}},
              "ArgumentError for a call unlike the recorded one",
              "[] { TinyJit f([](const Tensor& x) { return x + 1; }); Tensor y; for (int i = 0; i "
              "< 3; ++i) y = f(Tensor{1, i}); return y; }()",
              "[2 3] int32[2]"),
          plain("jit", "A TinyJit of a function.",
                {{"f", "a function object", "", "as of TinyJit"}}, "as TinyJit",
                "jit([](const Tensor& x) { return x * 2; })(Tensor{4})", "[8] int32[1]"),
          plain("Variable",
                "A named whole number with bounds: kernels are made for all its values.",
                {{"name", "std::string", "", "of letters"},
                 {"min", "int64_t", "", "least value, not negative"},
                 {"max", "int64_t", "", "largest value"}},
                "ArgumentError for an empty name or wrong bounds",
                "Variable(\"n\", 1, 8).bind(3).value()", "3"),
          plain("SymInt", "A whole number, or an expression of bound variables.",
                {{"value", "int64_t", "", "a number; expressions come of Variable::bind"}},
                "ArgumentError for a division by 0", "(Variable(\"n\", 1, 8).bind(3) + 1).str()",
                "n + 1"),
      }};
}

FnFamily graph_records() {
  return {
      "Graphs as text",
      {
          {.name = "tensor_of_text",
           .doc = "A tensor with the value of a graph, as graph() gives it.",
           .params = {{"graph", "std::string", "", "a node a line, the value last"}},
           .shapes = "that of the last node",
           .dtype = "that of the last node",
           .errors = "ArgumentError for text that is no graph of tensors",
           .gradient = "flows as through any other",
           .example = "tensor_of_text((Tensor{1, 2} + 1).graph())",
           .result = "[2 3] int32[2]",
           .call = call<&tensor_of_text>()},
          plain("kernels_text",
                "The kernels and copies between devices that evaluating the tensors together would "
                "run, an empty line between two. Computes nothing.",
                {{"tensors", "std::vector<Tensor>", "", "what would be evaluated"}},
                "ArgumentError for a value that was overwritten before it was computed",
                "kernels_text({Tensor(2)}).empty()", "true", call<&kernels_text>()),
      }};
}

FnFamily model_records() {
  const FnParam model = {"model", "a struct with visit", "", "lists its members once"};
  const FnParam file = {"file", "std::filesystem::path", "", "a safetensors file"};
  return {
      "Models and state",
      {
          plain("nn.visit_tensors", "Calls f(name, tensor) for every tensor of the model.",
                {model, {"f", "a function object", "", "of a name and a tensor"}}, "",
                "[] { int n = 0; nn::Linear l(2, 3); nn::visit_tensors(l, [&](auto&&, auto&&) { "
                "++n; }); return n; }()",
                "2"),
          plain("nn.parameters", "The tensors marked by is_param_(), each once.", {model}, "",
                "[] { nn::Linear l(2, 3); return nn::parameters(l).size(); }()", "2"),
          plain("nn.state_dict", "All tensors of the model by name; its own, not copies.", {model},
                "ArgumentError if two members have one name",
                "[] { nn::Linear l(2, 3); return nn::state_dict(l).contains(\"weight\"); }()",
                "true"),
          plain("nn.load_state_dict",
                "Assigns values to the model's tensors of the same names and computes them.",
                {model, {"from", "StateDict", "", "values by name"}},
                "ArgumentError for a missing name, ShapeError and DTypeError for a value that does "
                "not fit; the model is unchanged then",
                "[] { nn::Linear a(1, 1), b(1, 1); nn::load_state_dict(a, nn::state_dict(b)); "
                "return (a.weight == b.weight).all(); }()",
                "true bool[]"),
          plain("nn.save", "Writes a state dict, or a model's, as a safetensors file.",
                {{"dict", "StateDict, or a model", "", "what to write"}, file}, "FileError",
                "[] { nn::save({{\"x\", Tensor{1, 2}}}, \"example.safetensors\"); return "
                "nn::load(\"example.safetensors\").at(\"x\"); }()",
                "[1 2] int32[2]"),
          plain("nn.load", "The tensors of a file, or those of a model from one; as nn.load_file.",
                {{"file", "std::filesystem::path", "", "the file"},
                 {"device", "std::string", "the default device", "where they live"}},
                "FileError for a file that is missing, damaged or no such file",
                "[] { nn::save({{\"y\", Tensor{3}}}, \"example_2.safetensors\"); return "
                "nn::load(\"example_2.safetensors\").size(); }()",
                "1"),
      }};
}

FnFamily file_records() {
  const FnParam file = {"file", "std::filesystem::path", "", "the file"};
  const FnParam device = {"device", "std::string", "the default device", "where tensors live"};
  const FnParam limits = {"limits", "ArchiveLimits", "", "what the archive may cost"};
  constexpr std::string_view kDamaged =
      "FileError naming file and fault, if it is missing, damaged or of another format";
  return {
      "Files of tensors",
      {
          plain("nn.load_file",
                "Tensors and facts of a file, by its content: safetensors, PyTorch, GGUF, .npz.",
                {file, device}, kDamaged,
                "[] { nn::save({{\"x\", Tensor{1, 2}}}, \"example_3.safetensors\", "
                "{{\"format\", \"pt\"}}); return "
                "nn::load_file(\"example_3.safetensors\").facts.at(\"format\").as_text(); }()",
                "pt"),
          plain("nn.Fact", "A value that a file states beside its tensors.", {},
                "ArgumentError when it is asked for as another type",
                "nn::Fact{int64_t{3}}.as_int()", "3"),
          plain("nn.torch_load",
                "The tensors of a file of PyTorch, by names with dots. Nothing in it is run.",
                {file,
                 {"device", "field of TorchOptions", "the default device", "where they live"},
                 {"skip_unknown", "field of TorchOptions", "false",
                  "leave out objects of classes that no tensor is made of"}},
                "FileError, also naming a class or function that no tensor is made of",
                "[] { try { nn::torch_load(\"/no/such.pt\"); } catch (const FileError&) { return "
                "std::string(\"refused\"); } return std::string(); }()",
                "refused"),
          plain(
              "nn.gguf_load",
              "Metadata and tensors of a GGUF file; quantised ones are unpacked as they are read.",
              {file, device}, kDamaged,
              "[] { try { nn::gguf_load(\"/no/such.gguf\"); } catch (const FileError&) { return "
              "std::string(\"refused\"); } return std::string(); }()",
              "refused"),
          plain("nn.gguf_info",
                "What a GGUF file says of itself: metadata, and the shapes of its tensors.", {file},
                kDamaged,
                "[] { try { nn::gguf_info(\"/no/such.gguf\"); } catch (const FileError&) { return "
                "std::string(\"refused\"); } return std::string(); }()",
                "refused"),
          plain("nn.ggml_tensor", "Elements of one of ggml's types, unpacked.",
                {{"bytes", "Tensor", "", "uint8 [n]"},
                 {"count", "int64_t", "", "elements"},
                 {"type", "int64_t", "", "ggml's number of the type"}},
                "ArgumentError for an unknown type, or bytes that do not suffice",
                "nn::ggml_tensor(Tensor(std::vector<uint8_t>{1, 0, 2, 0}), 2, 25)",
                "[1 2] int16[2]"),
          plain("nn.npy_load", "The array of a .npy file.", {file, device}, kDamaged,
                "[] { nn::npy_save(Tensor{1, 2}, \"example.npy\"); return "
                "nn::npy_load(\"example.npy\"); }()",
                "[1 2] int32[2]"),
          plain("nn.npy_save", "Writes a .npy file.",
                {{"tensor", "Tensor", "", "what to write"}, file},
                "DTypeError for dtypes that NumPy lacks, FileError",
                "[] { nn::npy_save(Tensor{3}, \"example_2.npy\"); return "
                "nn::npy_load(\"example_2.npy\"); }()",
                "[3] int32[1]"),
          plain("nn.npz_load", "The arrays of a .npz file by name.", {file, device}, kDamaged,
                "[] { nn::npz_save({{\"a\", Tensor{1}}}, \"example.npz\"); return "
                "nn::npz_load(\"example.npz\").at(\"a\"); }()",
                "[1] int32[1]"),
          plain("nn.npz_save", "Writes a .npz file.",
                {{"dict", "StateDict", "", "what to write"}, file},
                "DTypeError for dtypes that NumPy lacks, FileError",
                "[] { nn::npz_save({{\"a\", Tensor{2}}}, \"example_2.npz\"); return "
                "nn::load(\"example_2.npz\").at(\"a\"); }()",
                "[2] int32[1]"),
          plain("nn.load_metadata", "The texts in a safetensors file; no tensor is read.", {file},
                kDamaged,
                "[] { nn::save({{\"x\", Tensor{1}}}, \"example_4.safetensors\", {{\"who\", "
                "\"me\"}}); return nn::load_metadata(\"example_4.safetensors\").at(\"who\"); }()",
                "me"),
          plain("nn.load_sharded", "A model in several safetensors files, by its index.",
                {{"index", "std::filesystem::path", "", "model.safetensors.index.json"}, device},
                "FileError, also if a file lacks a tensor that the index says is there",
                "[] { try { nn::load_sharded(\"/no/such.json\"); } catch (const FileError&) { "
                "return std::string(\"refused\"); } return std::string(); }()",
                "refused"),
          plain("nn.zip_extract", "The files in a zip archive by name, as their bytes.",
                {file, limits, device},
                "FileError, also for more than the limits, and for names outside the archive's "
                "folder",
                "[] { nn::npz_save({{\"a\", Tensor{1}}}, \"example_3.npz\"); return "
                "nn::zip_extract(\"example_3.npz\").contains(\"a.npy\"); }()",
                "true"),
          plain("nn.tar_extract", "The files in a tar archive, gzipped or not, as their bytes.",
                {file, limits, device}, "as zip_extract",
                "[] { try { nn::tar_extract(\"/no/such.tar\"); } catch (const FileError&) { return "
                "std::string(\"refused\"); } return std::string(); }()",
                "refused"),
      }};
}

FnFamily data_records() {
  return {
      "Data sets",
      {
          plain("datasets.mnist",
                "Hand-written digits: from a folder, the cache or the net, else drawn.",
                {{"download", "field of MnistOptions", "true", "fetch them if no folder has any"},
                 {"drawn_train", "field of MnistOptions", "10000", "images to draw"},
                 {"drawn_test", "field of MnistOptions", "2000", "test images to draw"},
                 {"device", "field of MnistOptions", "the default device", "where they live"},
                 {"on_progress", "field of MnistOptions", "none", "called while downloading"}},
                "FileError for files that are damaged",
                "datasets::mnist({.download = false}).train.images.size(1)", "28"),
          plain("datasets.drawn_digits", "Digits that the library draws itself.",
                {{"drawn_train", "field of MnistOptions", "10000", "images"},
                 {"drawn_test", "field of MnistOptions", "2000", "test images"}},
                "", "datasets::drawn_digits({.drawn_train = 20, .drawn_test = 10}).train.count",
                "20"),
          plain("datasets.fashion_mnist",
                "Clothes of ten kinds: from a folder, the cache or the net.",
                {{"download", "field of PictureOptions", "true", "fetch them if no folder has any"},
                 {"device", "field of PictureOptions", "the default device", "where they live"},
                 {"on_progress", "field of PictureOptions", "none", "called while downloading"}},
                "FileError with every place if there are none, or if they are damaged",
                "datasets::PictureOptions{}.download", "true"),
          plain("datasets.cifar10", "Pictures of ten kinds: from a folder, the cache or the net.",
                {{"download", "field of PictureOptions", "true", "fetch them if no folder has any"},
                 {"device", "field of PictureOptions", "the default device", "where they live"},
                 {"on_progress", "field of PictureOptions", "none", "called while downloading"}},
                "FileError if there are none, or if they are damaged",
                "datasets::PictureOptions{}.device.empty()", "true"),
          plain("datasets.Batches", "Indices of shuffled batches, without end.",
                {{"count", "int64_t", "", "samples"},
                 {"batch", "int64_t", "", "samples of a batch"},
                 {"seed", "uint64_t", "", "of the order"}},
                "ArgumentError unless the batch is in 1...count",
                "datasets::Batches(10, 4, 1).next().shape()", "[4]"),
      }};
}

FnFamily process_records() {
  const FnParam option = {"name", "std::string_view", "", "as in docs/options.md"};
  return {
      "Process",
      {
          plain("set_option", "Sets an option for the whole process, as the environment would.",
                {option,
                 {"value", "std::optional<std::string>", "", "none: as the environment says"}},
                "ArgumentError for an unknown name or a value that it does not take",
                "[] { set_option(\"SEED\", \"5\"); std::string s = get_option(\"SEED\"); "
                "set_option(\"SEED\", std::nullopt); return s; }()",
                "5"),
          plain("get_option", "The value in force on this thread, as text.", {option},
                "ArgumentError for an unknown name", "get_option(\"DEBUG\")", "0"),
          plain("load_backend", "Loads a backend's shared object; gives the name of its device.",
                {{"path", "std::string", "", "of the shared object"}},
                "DeviceError naming the file and what is wrong",
                "[] { try { return load_backend(\"/no/such.so\"); } catch (const DeviceError&) { "
                "return std::string(\"refused\"); } }()",
                "refused"),
          plain("GlobalCounters", "Totals of the process: read(), kernels_on(device), reset().", {},
                "",
                "[] { (Tensor{1, 2} + 1).realize(); GlobalCounters::reset(); "
                "(Tensor{1, 2} * 3).realize(); return GlobalCounters::read().kernels; }()",
                "1"),
          plain("set_interrupt_hook", "What may stop long work; returns the former hook.",
                {{"hook", "InterruptHook", "", "asked now and then: true stops the work"}}, "",
                "[] { const InterruptHook before = set_interrupt_hook([] { return true; }); "
                "std::string s = \"done\"; try { (Tensor{1, 2} + 1).realize(); } "
                "catch (const CancelledError&) { s = \"stopped\"; } "
                "set_interrupt_hook(before); return s; }()",
                "stopped"),
          plain("set_log_sink", "Where lines for people go; returns the former sink.",
                {{"sink", "LogSink", "", "receives a line; empty: standard error"}}, "",
                "[] { std::string s; const LogSink before = set_log_sink("
                "[&](std::string_view line) { s += line; }); set_option(\"DEBUG\", \"1\"); "
                "(Tensor{1, 2} + 1).realize(); set_option(\"DEBUG\", std::nullopt); "
                "set_log_sink(before); return s.find(\"1 kernel\") != s.npos; }()",
                "true"),
          plain("version", "The version of the library that is linked.", {}, "",
                "version().empty()", "false"),
      }};
}

}  // namespace

const std::vector<FnFamily>& library_families() {
  static const std::vector<FnFamily> all = {dtype_records(),   source_records(), scope_records(),
                                            capture_records(), graph_records(),  model_records(),
                                            file_records(),    data_records(),   process_records()};
  return all;
}

}  // namespace tg::nn
