// Records of storage, execution and gradients.
#include "tensor/records/call.h"

namespace tg {
namespace {

using namespace phrases;
constexpr std::string_view kNoTensor = "not a tensor";
constexpr std::string_view kLost =
    "ArgumentError for a value that was overwritten in place before it was computed; "
    "DeviceError if the device fails";
constexpr std::string_view kShardErrors =
    "DeviceError for an unknown device, one that is named twice, or a value that is on several "
    "already; ShapeError if the axis cannot be split into equal parts; IndexError for one outside "
    "the shape";
const FnParam kSeed = {"seed", "Tensor", "1, for a scalar",
                       "gradient that reaches this value, of its shape"};
constexpr std::string_view kScalarOrSeed =
    "ShapeError unless this is a scalar or the seed has its shape; DTypeError unless "
    "it is a float; ArgumentError if a realised value depends on nothing";

}  // namespace

FnFamily storage_records() {
  return {
      "Storage and execution",
      {
          {.name = "realize",
           .doc = "Computes the value, or several values together, and keeps them as plain storage: "
                  "gradients no longer flow through it. Reading a value leaves them be.",
           .params = {{"tensors", "std::vector<Tensor>", "this one", "what to compute"}},
           .errors = kLost,
           .example = "(Tensor{1, 2} + 1).realize().is_realized()",
           .result = "true",
           .call = call<[](const Tensor& t, const std::optional<std::vector<Tensor>>& tensors) {
             std::vector<Tensor> all = tensors.value_or(std::vector<Tensor>());
             all.push_back(t);
             Tensor::realize(all);
             return t;
           }>()},
          {.name = "is_realized",
           .doc = "Whether the value is storage, without a graph behind it.",
           .shapes = kNoTensor,
           .dtype = kNoTensor,
           .example = "(Tensor{1, 2} + 1).is_realized()",
           .result = "false",
           .call = call<&Tensor::is_realized>()},
          {.name = "has_storage",
           .doc = "Whether the value is storage, or will be once what was assigned to it, or to a "
                  "view of it, has run.",
           .shapes = kNoTensor,
           .dtype = kNoTensor,
           .example = "(Tensor{1, 2} + 1).has_storage()",
           .result = "false",
           .call = call<&Tensor::has_storage>()},
          {.name = "contiguous",
           .doc = "The same values in storage, row-major; the tensor itself if it is whole "
                  "storage.",
           .gradient = kFlows,
           .example = "Tensor({{1, 2}, {3, 4}}).T().contiguous()",
           .result = "[[1 3]\n [2 4]] int32[2,2]",
           .call = call<&Tensor::contiguous>()},
          {.name = "contiguous_unrolled",
           .doc =
               "The same values in storage, by a kernel whose loops are unrolled as asked, where "
               "it allows that, and not as the library would choose.",
           .params = {{"upcast", "std::vector<std::pair<int64_t, int64_t>>", "",
                       "(axis, points that are computed together) of the kernel's axes, those of "
                       "the result first, then those that are reduced"},
                      {"unroll", "std::vector<std::pair<int64_t, int64_t>>", "none",
                       "the same of those that are reduced"}},
           .errors = "ArgumentError for a negative axis, or less than one point",
           .gradient = kFlows,
           .example =
               "Tensor({{1, 2}, {3, 4}}).matmul(Tensor({1, 1})).contiguous_unrolled({{0, 2}})",
           .result = "[3 7] int32[2]",
           .call = call<[](const Tensor& t, const PairList& upcast,
                           const std::optional<PairList>& unroll) {
             return t.contiguous_unrolled(upcast, unroll.value_or(PairList()));
           }>()},
          {.name = "contiguous_backward",
           .doc = "The same values; the gradient gets storage of its own on its way back.",
           .gradient = "passed through as storage",
           .example = "Tensor{1, 2}.contiguous_backward()",
           .result = "[1 2] int32[2]",
           .call = call<&Tensor::contiguous_backward>()},
          {.name = "clone",
           .doc = "A copy: the same values in storage of its own, in any case.",
           .gradient = kFlows,
           .example = "Tensor{1, 2}.clone()",
           .result = "[1 2] int32[2]",
           .call = call<&Tensor::clone>()},
          {.name = "detach",
           .doc = "The same values; gradients stop here.",
           .example = "Tensor{1, 2}.detach()",
           .result = "[1 2] int32[2]",
           .call = call<&Tensor::detach>()},
          {.name = "to",
           .doc = "The same values on another device; on several, all of them on each.",
           .params = {{"device", "std::string", "",
                       "its name, as in DEV, or several with commas between them"}},
           .errors = "DeviceError for an unknown or unusable device",
           .gradient = "copied back",
           .example = "Tensor{1, 2}.to(Tensor{0}.device())",
           .result = "[1 2] int32[2]",
           .call = call<&Tensor::to>()},
          {.name = "shard",
           .doc = "The same values on several devices: an equal part on each along an axis, or all "
                  "on each without one.",
           .params = {{"devices", "std::string", "", "their names with commas between them"},
                      {"axis", "int64_t", "none", "which is split"}},
           .errors = kShardErrors,
           .gradient = "copied back",
           .example = "Tensor{1, 2}.shard(Tensor{0}.device(), 0)",
           .result = "[1 2] int32[2]",
           .call = call<&Tensor::shard>()},
          {.name = "shard_",
           .doc = "The same in place: the tensor and its copies are the value there from now on. A "
                  "parameter stays one.",
           .params = {{"devices", "std::string", "", "their names with commas between them"},
                      {"axis", "int64_t", "none", "which is split"}},
           .errors = kShardErrors,
           .example = "Tensor{1, 2}.shard_(Tensor{0}.device(), 0)",
           .result = "[1 2] int32[2]",
           .call = call<&Tensor::shard_>()},
          {.name = "shard_like",
           .doc = "The same values where another tensor is, split as it is; the tensor itself if "
                  "that lives nowhere.",
           .params = {{"like", "Tensor", "", "whose devices and axis"}},
           .errors = kShardErrors,
           .gradient = "copied back",
           .example = "Tensor{1, 2}.shard_like(Tensor{3})",
           .result = "[1 2] int32[2]",
           .call = call<&Tensor::shard_like>()},
          {.name = "shard_axis",
           .doc = "The axis along which several devices have a part each; none, -1 outside of C++, where "
                  "each has the whole value.",
           .shapes = kNoTensor,
           .dtype = kNoTensor,
           .example = "Tensor{1, 2}.shard_axis().has_value()",
           .result = "false",
           .call = call<[](const Tensor& t) { return t.shard_axis().value_or(-1); }>()},
          {.name = "assign",
           .doc = "Replaces the stored value in place, when it is next needed; copies and "
                  "views see it. Without "
                  "storage it gets some.",
           .params = {{"value", "Tensor", "", "broadcast to this shape; of this dtype"}},
           .errors = "DTypeError if the dtypes differ; ShapeError if the value does not fit; "
                     "ArgumentError for a view of an "
                     "expression, or one that names no memory",
           .example = "Tensor{1, 2}.assign(7)",
           .result = "[7 7] int32[2]",
           .call = call<&Tensor::assign>()},
          {.name = "to_vector",
           .doc = "The elements in row-major order, converted to T.",
           .params = {{"T", "type", "", "bool, an integer type, float or double"}},
           .shapes = kNoTensor,
           .dtype = kNoTensor,
           .errors = kLost,
           .example = "Tensor{1.5, 2.5}.to_vector<int>()",
           .result = "[1,2]"},
          {.name = "item",
           .doc = "The only element, converted to T.",
           .params = {{"T", "type", "", "bool, an integer type, float or double"}},
           .shapes = kNoTensor,
           .dtype = kNoTensor,
           .errors = "ShapeError unless there is exactly one element",
           .example = "Tensor{3, 4}.sum().item<int>()",
           .result = "7"},
          {.name = "to_bytes",
           .doc = "The elements' bytes in row-major order, little endian.",
           .shapes = kNoTensor,
           .dtype = kNoTensor,
           .errors = kLost,
           .example = "Tensor{1, 2}.to_bytes().size()",
           .result = "8",
           .call = call<&Tensor::to_bytes>()},
          {.name = "graph",
           .doc = "The operations that it is made of as text, a node a line, sources before "
                  "users, the tensor last. Computes nothing.",
           .shapes = kNoTensor,
           .dtype = kNoTensor,
           .errors = "ArgumentError for a value that was overwritten before it was computed",
           .example = "(Tensor(2) * Variable(\"n\", 1, 4).bind(3)).graph().substr(0, 5)",
           .result = "%0 = ",
           .call = call<&Tensor::graph>()},
          {.name = "copy_bytes",
           .doc = "The elements' bytes in row-major order, little endian, put into `out`.",
           .params = {{"out", "std::span<std::byte>", "", "as many bytes as there are", "bytes"}},
           .shapes = kNoTensor,
           .dtype = kNoTensor,
           .errors = "ShapeError if the sizes differ",
           .example = "[] { std::byte b[2]; Tensor{1, 2}.cast(DType::Int8).copy_bytes(b); "
                      "return static_cast<int>(b[1]); }()",
           .result = "2"},
          {.name = "host_data",
           .doc = "The address of the elements, row-major, after computing them; null if the "
                  "host cannot reach them so: on another device, in another order, or of a "
                  "constant.",
           .shapes = kNoTensor,
           .dtype = kNoTensor,
           .errors = kLost,
           .example = "Tensor({{1, 2}, {3, 4}}).T().host_data() == nullptr",
           .result = "true"},
          {.name = "str",
           .doc = "NumPy-like text of the values, then dtype and shape; more than 1000 "
                  "elements are summarised.",
           .shapes = kNoTensor,
           .dtype = kNoTensor,
           .errors = kLost,
           .example = "Tensor{1, 2}.str()",
           .result = "[1 2] int32[2]",
           .call = call<&Tensor::str>()},
      }};
}

FnFamily gradient_records() {
  return {"Gradients",
          {
              {.name = "backward",
               .doc = "Adds d(this)/d(leaf) to the grad() of every live leaf: float tensors with "
                      "storage, and those "
                      "marked by is_param_(), unless marked is_param_(false).",
               .params = {kSeed,
                          {"inner", "bool", "false",
                           "whether live tensors on the way to the leaves get theirs too"}},
               .shapes = kNoTensor,
               .dtype = kNoTensor,
               .errors = kScalarOrSeed,
               .example = "[] { Tensor w{2., 3.}; (w * w).sum().backward(); return w.grad(); }()",
               .result = "[4. 6.] float32[2]",
               .call = call<[](const Tensor& t, const std::optional<Tensor>& seed, bool inner) {
                 if (seed || t.ndim() == 0)
                   t.backward(seed.value_or(Tensor(1)), inner);
                 else
                   t.backward();
               }>()},
              {.name = "has_grad",
               .doc = "Whether backward has reached it.",
               .shapes = kNoTensor,
               .dtype = kNoTensor,
               .example = "Tensor{1.}.has_grad()",
               .result = "false",
               .call = call<&Tensor::has_grad>()},
              {.name = "grad",
               .doc = "The gradient that backward has filled.",
               .errors = "ArgumentError if there is none",
               .example = "[] { Tensor w{2.}; (w * 3).sum().backward(); return w.grad(); }()",
               .result = "[3.] float32[1]",
               .call = call<&Tensor::grad>()},
              {.name = "set_grad",
               .doc = "Replaces the gradient.",
               .params = {{"gradient", "Tensor", "", "of this shape"}},
               .errors = "ShapeError if the shapes differ",
               .example = "Tensor{1.}.set_grad(Tensor{5.}).grad()",
               .result = "[5.] float32[1]",
               .call = call<&Tensor::set_grad>()},
              {.name = "zero_grad",
               .doc = "Forgets the gradient.",
               .example = "Tensor{1.}.set_grad(Tensor{5.}).zero_grad().has_grad()",
               .result = "false",
               .call = call<&Tensor::zero_grad>()},
              {.name = "gradient",
               .doc = "d(this)/d(target) for each target; zeros where this does not depend on it. "
                      "The results are "
                      "graph and can be differentiated again.",
               .params = {{"targets", "std::vector<Tensor>", "", "floats"}, kSeed},
               .shapes = "those of the targets",
               .dtype = "those of the targets",
               .errors = "as backward; DTypeError for a target that is no float, or an op without "
                         "gradient on the way; "
                         "ArgumentError for a target that is a constant",
               .gradient = kSmooth,
               .example = "[] { Tensor x{3.}; Tensor y = x.pow(3).sum().gradient({x})[0]; return "
                          "y.sum().gradient({x})[0]; }()",
               .result = "[18.] float32[1]",
               .call = call<[](const Tensor& t, const std::vector<Tensor>& targets,
                               const std::optional<Tensor>& seed) {
                 return seed ? t.gradient(targets, *seed) : t.gradient(targets);
               }>()},
              {.name = "is_param",
               .doc = "Whether it was marked as a parameter.",
               .shapes = kNoTensor,
               .dtype = kNoTensor,
               .example = "Tensor{1.}.is_param_().is_param()",
               .result = "true",
               .call = call<&Tensor::is_param>()},
              {.name = "is_param_",
               .doc = "Marks it as a parameter, or as none. A parameter that is an expression gets "
                      "storage of its "
                      "own, filled when first needed.",
               .params = {{"flag", "bool", "true", "whether it is one"}},
               .example = "(Tensor{1.} * 2).is_param_()",
               .result = "[2.] float32[1]",
               .call = call<&Tensor::is_param_>()},
          }};
}

}  // namespace tg
