// Building blocks of networks: layers, models, optimisers, state. A model is any struct that lists
// its members once, in a template `visit`; its parameters, its state dict and its file follow from
// that list:
//
//   struct Net {
//     tg::nn::Linear l1{784, 128}, l2{128, 10};
//     tg::Tensor operator()(const tg::Tensor& x) const { return l2(l1(x).relu()); }
//     template <typename F> void visit(F&& f) { f("l1", l1); f("l2", l2); }
//   };
//   Net net;
//   tg::nn::Adam adam(net);
//   tg::TrainingScope training;
//   adam.step(net(x).cross_entropy(y));
//
// Layers are values whose copies name the same tensors, as copies of Tensor do. What they compute
// is in tensor.h; data sets are in datasets.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tg/export.h"
#include "tg/options.h"
#include "tg/tensor.h"

namespace tg::nn {

// ---- models

namespace detail {
/// Stands for any visitor when a type is checked for being a model.
struct ProbeVisitor {
  template <typename T>
  void operator()(std::string_view, T&) const {}
};
}  // namespace detail

/// A struct with `template <typename F> void visit(F&& f)` that calls `f("name", member)` for each
/// member: a Tensor, an optional<Tensor>, another model, or a vector of those.
template <typename M>
concept Model = requires(M& model, const detail::ProbeVisitor& f) { model.visit(f); };

namespace detail {

using TensorVisitor = std::function<void(const std::string& name, Tensor& tensor)>;

template <typename T>
inline constexpr bool is_vector = false;
template <typename T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <typename T>
inline constexpr bool always_false = false;

template <typename T>
void visit_member(const std::string& name, T& member, const TensorVisitor& f) {
  if constexpr (std::is_same_v<T, Tensor>) {
    f(name, member);
  } else if constexpr (std::is_same_v<T, std::optional<Tensor>>) {
    if (member) f(name, *member);
  } else if constexpr (is_vector<T>) {
    for (size_t i = 0; i < member.size(); ++i) {
      visit_member(name + "." + std::to_string(i), member[i], f);
    }
  } else if constexpr (Model<T>) {
    member.visit([&](std::string_view inner, auto& m) {
      visit_member(name.empty() ? std::string(inner) : name + "." + std::string(inner), m, f);
    });
  } else {
    static_assert(always_false<T>,
                  "visit(f) may name Tensor, std::optional<Tensor>, models and vectors of these: "
                  "this member is none of them, or is const");
  }
}

}  // namespace detail

/// Calls f(name, tensor) for every tensor of the model, in the order of its list; names of nested
/// members are joined by dots ("conv1.weight", "blocks.0.bias").
template <typename M>
void visit_tensors(M& model, const detail::TensorVisitor& f) {
  static_assert(Model<M>,
                "a model lists its members once: give it `template <typename F> void visit(F&& f) "
                "{ f(\"name\", member); … }`");
  detail::visit_member(std::string(), model, f);
}

/// The tensors marked by is_param_(), each once however often it is listed, in the order of the
/// list: what optimisers change.
template <typename M>
std::vector<Tensor> parameters(M& model) {
  std::vector<Tensor> out;
  visit_tensors(model, [&](const std::string&, Tensor& t) {
    bool known = !t.is_param();
    for (const Tensor& p : out) known = known || p.state() == t.state();
    if (!known) out.push_back(t);
  });
  return out;
}

// ---- state

/// Tensors by name.
using StateDict = std::map<std::string, Tensor, std::less<>>;

namespace detail {
TG_API void add_state(StateDict& dict, const std::string& name, const Tensor& tensor);
TG_API void load_state(std::string_view function, const StateDict& model, const StateDict& from);
TG_API std::string load_name(const std::filesystem::path& file);
}  // namespace detail

/// All tensors of the model by name: parameters and running statistics. The tensors are the
/// model's own, not copies. Throws ArgumentError if two members have one name.
template <typename M>
StateDict state_dict(M& model) {
  StateDict dict;
  visit_tensors(model,
                [&](const std::string& name, Tensor& t) { detail::add_state(dict, name, t); });
  return dict;
}

/// Assigns the values of `from` to the model's tensors of the same names and computes them. Throws
/// ArgumentError if a name is missing on either side, ShapeError and DTypeError if a value does not
/// fit; the model is unchanged then.
template <typename M>
void load_state_dict(M& model, const StateDict& from) {
  detail::load_state("load_state_dict", state_dict(model), from);
}

/// Writes tensors as a safetensors file, through a temporary file beside it. Throws FileError.
TG_API void save(const StateDict& dict, const std::filesystem::path& file);
/// The tensors of a safetensors file, on `device` (empty: the default one). Throws FileError if it
/// is missing, damaged or no such file.
TG_API StateDict load(const std::filesystem::path& file, const std::string& device = {});

/// Writes the model's state dict as a safetensors file.
template <typename M>
  requires(!std::is_same_v<std::remove_const_t<M>, StateDict>)
void save(M& model, const std::filesystem::path& file) {
  const StateDict dict = state_dict(model);
  save(dict, file);
}
/// load_state_dict from a safetensors file; messages name the file.
template <typename M>
  requires(!std::is_convertible_v<M&, std::filesystem::path>)
void load(M& model, const std::filesystem::path& file) {
  detail::load_state(detail::load_name(file), state_dict(model), load(file));
}

// ---- layers

/// Of Linear.
struct LinearOptions {
  bool bias = true;              ///< add a learned shift
  TensorOptions placement = {};  ///< dtype (float32) and device of the parameters
};

/// x · weightᵀ + bias: [..., in] → [..., out]. Parameters start uniform in ±1/√in. Throws
/// ArgumentError for sizes below 1.
struct TG_API Linear {
  Linear(int64_t in, int64_t out, const LinearOptions& options = {});
  Tensor operator()(const Tensor& x) const;
  template <typename F>
  void visit(F&& f) {
    f("weight", weight);
    f("bias", bias);
  }

  Tensor weight;               ///< [out, in]
  std::optional<Tensor> bias;  ///< [out]
};

/// Of Conv2d; the numbers as in ConvOptions.
struct Conv2dOptions {
  int64_t groups = 1;
  PerAxis stride = {1};
  PerAxis dilation = {1};
  PerAxis padding = {0};
  bool bias = true;              ///< add a learned shift to each channel
  TensorOptions placement = {};  ///< dtype (float32) and device of the parameters
};

/// Cross-correlation of [batch, in, height, width] with a learned kernel: [batch, out, …].
/// Parameters start uniform in ±1/√(in / groups · kernel area). Throws ArgumentError for sizes
/// below 1, or groups that do not divide both channel numbers.
struct TG_API Conv2d {
  /// `kernel`: one number for both axes or {height, width}.
  Conv2d(int64_t in, int64_t out, const PerAxis& kernel, const Conv2dOptions& options = {});
  Tensor operator()(const Tensor& x) const;
  template <typename F>
  void visit(F&& f) {
    f("weight", weight);
    f("bias", bias);
  }

  Tensor weight;               ///< [out, in / groups, height, width]
  std::optional<Tensor> bias;  ///< [out]
  int64_t groups;
  PerAxis stride, dilation, padding;
};

/// Of BatchNorm.
struct BatchNormLayerOptions {
  double eps = 1e-5;             ///< added to the variance
  double momentum = 0.1;         ///< share of each batch in the running statistics
  bool affine = true;            ///< learn a scale and a shift for each channel
  TensorOptions placement = {};  ///< dtype (float32) and device
};

/// Normalises each channel (axis 1) of [batch, channels, …]: by this batch inside a TrainingScope,
/// which also moves the running statistics, else by the running statistics.
struct TG_API BatchNorm {
  explicit BatchNorm(int64_t channels, const BatchNormLayerOptions& options = {});
  Tensor operator()(const Tensor& x) const;
  template <typename F>
  void visit(F&& f) {
    f("weight", weight);
    f("bias", bias);
    f("running_mean", running_mean);
    f("running_var", running_var);
  }

  std::optional<Tensor> weight;      ///< scale, [channels], starts at 1
  std::optional<Tensor> bias;        ///< shift, [channels], starts at 0
  Tensor running_mean, running_var;  ///< [channels], start at 0 and 1; no parameters
  double eps, momentum;
};

// ---- optimisers

/// What all optimisers share. The learning rate and all that changes from step to step are data on
/// the device, never constants of the graph: from the second step on nothing is scheduled or
/// compiled.
class TG_API Optimizer {
 public:
  virtual ~Optimizer();
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// One whole step: gradients of `loss` (shape []) for the parameters, their update, and both
  /// computed together with every assignment that waits (running statistics). `grad()` of the
  /// parameters is neither read nor changed.
  void step(const Tensor& loss);
  /// The same from the gradients that backward() left in the parameters; one without a gradient
  /// stays as it is. Throws ArgumentError if none has one.
  void step();
  /// Forgets the parameters' gradients.
  void zero_grad();

  const std::vector<Tensor>& parameters() const { return parameters_; }
  double learning_rate() const { return rate_; }
  /// For the steps from here on. Throws ArgumentError if it is negative or not finite.
  void set_learning_rate(double rate);

 protected:
  /// Throws ArgumentError if there are no parameters, DTypeError if one is no float.
  Optimizer(std::vector<Tensor> parameters, double rate);
  /// Assigns the next value of parameter `i`, given its gradient; no computation yet.
  virtual void update(size_t i, const Tensor& gradient) = 0;
  /// What comes before the updates of one step.
  virtual void begin_step() {}
  /// Zeros like each parameter, with storage.
  std::vector<Tensor> zeros_like_parameters() const;
  /// The learning rate as data, float32 [].
  const Tensor& rate() const { return rate_tensor_; }
  /// All of this optimiser's own tensors.
  virtual std::vector<Tensor> state() const = 0;
  /// Computes initial values, so that the first step is like all others.
  void start(std::vector<Tensor> more);

 private:
  void run(const std::vector<Tensor>& gradients, const std::vector<bool>& reached,
           std::vector<Tensor> wanted);

  std::vector<Tensor> parameters_;
  double rate_;
  Tensor rate_tensor_;
};

namespace detail {
/// Every tensor of the model, with repetitions.
template <typename M>
std::vector<Tensor> all_tensors(M& model) {
  std::vector<Tensor> out;
  visit_tensors(model, [&](const std::string&, Tensor& t) { out.push_back(t); });
  return out;
}
}  // namespace detail

/// Of SGD.
struct SgdOptions {
  double learning_rate = 0.001;
  double momentum = 0;      ///< share of the last direction that is kept
  double weight_decay = 0;  ///< times the parameter, added to the gradient
  bool nesterov = false;    ///< look ahead along the momentum
};

/// Stochastic gradient descent: g += decay · p; b = momentum · b + g; p −= rate · b (nesterov: rate
/// · (g + momentum · b)).
class TG_API SGD : public Optimizer {
 public:
  explicit SGD(std::vector<Tensor> parameters, const SgdOptions& options = {});
  template <Model M>
    requires(!std::is_base_of_v<Optimizer, M>)
  explicit SGD(M& model, const SgdOptions& options = {}) : SGD(nn::parameters(model), options) {
    start(detail::all_tensors(model));
  }
  /// The momentum; so that state_dict, save and load work on the optimiser.
  template <typename F>
  void visit(F&& f) {
    f("momentum", momentum_);
  }

 protected:
  void update(size_t i, const Tensor& gradient) override;
  std::vector<Tensor> state() const override { return momentum_; }

 private:
  SgdOptions options_;
  std::vector<Tensor> momentum_;
};

/// Of Adam.
struct AdamOptions {
  double learning_rate = 0.001;
  double beta1 = 0.9;       ///< decay of the mean of gradients
  double beta2 = 0.999;     ///< decay of the mean of their squares
  double eps = 1e-8;        ///< added to the root of that mean
  double weight_decay = 0;  ///< decoupled from the gradient (AdamW): p −= rate · decay · p
};

/// Adam (Kingma and Ba, 2015), with decoupled weight decay (Loshchilov and Hutter, 2019). The step
/// count lives on the device, where the bias corrections are computed from it.
class TG_API Adam : public Optimizer {
 public:
  explicit Adam(std::vector<Tensor> parameters, const AdamOptions& options = {});
  template <Model M>
    requires(!std::is_base_of_v<Optimizer, M>)
  explicit Adam(M& model, const AdamOptions& options = {}) : Adam(nn::parameters(model), options) {
    start(detail::all_tensors(model));
  }
  /// Means and step count; so that state_dict, save and load work on the optimiser.
  template <typename F>
  void visit(F&& f) {
    f("m", m_);
    f("v", v_);
    f("step", step_);
  }

 protected:
  void begin_step() override;
  void update(size_t i, const Tensor& gradient) override;
  std::vector<Tensor> state() const override;

 private:
  AdamOptions options_;
  std::vector<Tensor> m_, v_;
  Tensor step_;                       ///< steps so far, float32 []
  Tensor mean_factor_, root_factor_;  ///< of the step being built: rate / (1 − β₁ᵗ), 1 / (1 − β₂ᵗ)
};

}  // namespace tg::nn
