// Building blocks of networks: layers, models, optimisers, state. A model is any struct that lists
// its members once, in a template `visit`; parameters, state dict and file follow from that list:
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
// Layers (layers.h) are values whose copies name the same tensors, as copies of Tensor do. Their
// computations are in tensor.h; data sets are in datasets.h.
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
#include "tg/layers.h"
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

/// The tensors marked by is_param_(), each once even if it is listed several times, in the order of
/// the list: optimisers change these.
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
/// The tensors of a file, on `device` (empty: the default one): safetensors, or by its content one of
/// the formats of state.h (PyTorch, GGUF, .npz, an index of sharded safetensors). Throws FileError if
/// it is missing, damaged or no such file.
TG_API StateDict load(const std::filesystem::path& file, const std::string& device = {});

/// Writes the model's state dict as a safetensors file.
template <typename M>
  requires(!std::is_same_v<std::remove_const_t<M>, StateDict>)
void save(M& model, const std::filesystem::path& file) {
  const StateDict dict = state_dict(model);
  save(dict, file);
}
/// load_state_dict from a file; messages name the file.
template <typename M>
  requires(!std::is_convertible_v<M&, std::filesystem::path>)
void load(M& model, const std::filesystem::path& file) {
  detail::load_state(detail::load_name(file), state_dict(model), load(file));
}

// ---- optimisers

/// Base of all optimisers. The learning rate and everything else that changes from step to step are
/// data on the device, never constants of the graph: from the second step on nothing is scheduled
/// or compiled.
class TG_API Optimizer {
 public:
  virtual ~Optimizer();
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// One whole step: the gradients of `loss` (shape []) for the parameters, and their update, both
  /// computed together with every pending assignment (running statistics). `grad()` of the
  /// parameters is neither read nor changed.
  void step(const Tensor& loss);
  /// The same from the gradients that backward() left in the parameters; one without a gradient
  /// stays as it is. Throws ArgumentError if none has one.
  void step();
  /// Forgets the parameters' gradients.
  void zero_grad();

  const std::vector<Tensor>& parameters() const { return parameters_; }
  /// The learning rate of the next step.
  double lr() const { return rate_; }
  /// Sets it for later steps. Throws ArgumentError if it is negative or not finite.
  void set_lr(double rate);

 protected:
  /// Throws ArgumentError if there are no parameters, DTypeError if one is no float.
  Optimizer(std::vector<Tensor> parameters, double rate);
  /// Assigns the next value of parameter `i`, given its gradient, by set(); no computation yet.
  virtual void update(size_t i, const Tensor& gradient) = 0;
  /// Assigns a new value of a parameter or of state: nothing in a skipped step.
  void set(const Tensor& target, const Tensor& value) const;
  /// Runs before the updates of one step.
  virtual void begin_step() {}
  /// Zeros like each parameter, with storage.
  std::vector<Tensor> zeros_like_parameters() const;
  /// The learning rate as data, float32 [].
  const Tensor& rate() const { return rate_tensor_; }
  /// All tensors that belong to this optimiser.
  virtual std::vector<Tensor> state() const = 0;
  /// Computes initial values, so that the first step is like all others.
  void start(std::vector<Tensor> more);

 private:
  friend class GradScaler;
  friend class LRScheduler;
  friend class OptimizerGroup;
  // step() that changes nothing if `skip` (bool []) is true.
  void step_unless(const std::optional<Tensor>& skip);
  // Builds the step; `wanted` gets what is to be computed.
  void stage(const std::vector<Tensor>& gradients, const std::vector<bool>& reached,
             std::vector<Tensor>& wanted, const std::optional<Tensor>& skip = {});

  std::vector<Tensor> parameters_;
  double rate_;
  std::optional<double> initial_rate_;  // what rate_ was when the first scheduler took over
  Tensor rate_tensor_;
  std::optional<Tensor> skip_;  // of the step being built
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
  double lr = 0.001;
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
  /// The momentum, for state_dict, save and load.
  template <typename F>
  void visit(F&& f) {
    f("momentum", momentum_);
  }

 protected:
  void update(size_t i, const Tensor& gradient) override;
  std::vector<Tensor> state() const override { return momentum_; }
  /// The term that momentum accumulates: the gradient with the decay.
  virtual Tensor direction(const Tensor& p, const Tensor& gradient);
  /// The next value of `p`, given the momentum's direction.
  virtual Tensor next(const Tensor& p, const Tensor& step);
  SGD(std::vector<Tensor> parameters, const SgdOptions& options, std::string_view name);

 private:
  SgdOptions options_;
  std::vector<Tensor> momentum_;
};

/// Of Adam.
struct AdamOptions {
  double lr = 0.001;
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
  /// Means and step count, for state_dict, save and load.
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
  /// The next value of `p`, given rate · mean / (root + eps) with both corrected.
  virtual Tensor next(const Tensor& p, const Tensor& step);
  Adam(std::vector<Tensor> parameters, const AdamOptions& options, std::string_view name);
  const AdamOptions& options() const { return options_; }

 private:
  AdamOptions options_;
  std::vector<Tensor> m_, v_;
  Tensor step_;                       ///< steps so far, float32 []
  Tensor mean_factor_, root_factor_;  ///< of the step being built: rate / (1 − β₁ᵗ), 1 / (1 − β₂ᵗ)
};

/// Of AdamW.
struct AdamWOptions {
  double lr = 0.001;
  double beta1 = 0.9;          ///< decay of the mean of gradients
  double beta2 = 0.999;        ///< decay of the mean of their squares
  double eps = 1e-8;           ///< added to the root of that mean
  double weight_decay = 0.01;  ///< times rate and parameter, subtracted from it
};

/// Adam whose weight decay is on unless it is set to 0.
class TG_API AdamW : public Adam {
 public:
  explicit AdamW(std::vector<Tensor> parameters, const AdamWOptions& options = {});
  template <Model M>
    requires(!std::is_base_of_v<Optimizer, M>)
  explicit AdamW(M& model, const AdamWOptions& options = {})
      : AdamW(nn::parameters(model), options) {
    start(detail::all_tensors(model));
  }
};

/// Of LAMB.
struct LambOptions {
  double lr = 0.001;
  double beta1 = 0.9;       ///< decay of the mean of gradients
  double beta2 = 0.999;     ///< decay of the mean of their squares
  double eps = 1e-6;        ///< added to the root of that mean
  double weight_decay = 0;  ///< times the parameter, added to the direction
};

/// LAMB (You et al., 2020): Adam's direction d plus decay · p, scaled for each parameter to the
/// length of the parameter: p −= rate · |p|/|d| · d (rate · d where either is 0).
class TG_API LAMB : public Adam {
 public:
  explicit LAMB(std::vector<Tensor> parameters, const LambOptions& options = {});
  template <Model M>
    requires(!std::is_base_of_v<Optimizer, M>)
  explicit LAMB(M& model, const LambOptions& options = {}) : LAMB(nn::parameters(model), options) {
    start(detail::all_tensors(model));
  }

 protected:
  Tensor next(const Tensor& p, const Tensor& step) override;
};

/// Of LARS.
struct LarsOptions {
  double lr = 0.001;
  double momentum = 0.9;
  double weight_decay = 1e-4;  ///< times the parameter, added to the gradient
  bool nesterov = false;       ///< look ahead along the momentum
  double trust = 0.001;        ///< share of the parameter's length that a step may take
};

/// LARS (You, Gitman and Ginsburg, 2017): momentum with the gradient g of each parameter scaled by
/// trust · |p| / (|g| + decay · |p|) (1 where either is 0).
class TG_API LARS : public SGD {
 public:
  explicit LARS(std::vector<Tensor> parameters, const LarsOptions& options = {});
  template <Model M>
    requires(!std::is_base_of_v<Optimizer, M>)
  explicit LARS(M& model, const LarsOptions& options = {}) : LARS(nn::parameters(model), options) {
    start(detail::all_tensors(model));
  }

 protected:
  Tensor direction(const Tensor& p, const Tensor& gradient) override;

 private:
  double trust_, decay_;
};

/// Of Muon.
struct MuonOptions {
  double lr = 0.001;
  double momentum = 0.95;
  double weight_decay = 0.1;  ///< decoupled: p −= rate · decay · p
  bool nesterov = true;       ///< look ahead along the momentum
  int steps = 5;              ///< iterations that orthogonalise the direction
};

/// Muon (Jordan et al., 2024): the momentum of each matrix is replaced by the nearest orthogonal
/// one, found by a quintic Newton–Schulz iteration with coefficients 3.4445, −4.775, 2.0315. A
/// parameter of more than two axes is a matrix of its first against the rest; one of fewer follows
/// its momentum.
class TG_API Muon : public SGD {
 public:
  explicit Muon(std::vector<Tensor> parameters, const MuonOptions& options = {});
  template <Model M>
    requires(!std::is_base_of_v<Optimizer, M>)
  explicit Muon(M& model, const MuonOptions& options = {}) : Muon(nn::parameters(model), options) {
    start(detail::all_tensors(model));
  }

 protected:
  Tensor next(const Tensor& p, const Tensor& step) override;

 private:
  double decay_;
  int steps_;
};

/// Several optimisers, each with its own parameters, that take one step together. They must outlive
/// the group.
class TG_API OptimizerGroup {
 public:
  /// Throws ArgumentError for none, or for a parameter that two of them hold.
  explicit OptimizerGroup(std::vector<Optimizer*> optimizers);
  /// As Optimizer::step, for all parameters at once.
  void step(const Tensor& loss);
  void zero_grad();

 private:
  std::vector<Optimizer*> optimizers_;
};

}  // namespace tg::nn
