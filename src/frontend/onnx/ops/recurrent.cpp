// RNN, GRU and LSTM, unrolled over time: each step's product is one of [batch, hidden].
#include <functional>

#include "frontend/onnx/ops/common.h"
#include "frontend/onnx/table.h"

namespace tg::onnx {
namespace {

using Activation = std::function<Tensor(const Tensor&)>;

Activation activation_of(const Node& n, const std::string& name, std::optional<double> alpha,
                         std::optional<double> beta) {
  const double a = alpha.value_or(0), b = beta.value_or(0);
  if (name == "Sigmoid") return [](const Tensor& x) { return x.sigmoid(); };
  if (name == "Tanh") return [](const Tensor& x) { return x.tanh(); };
  if (name == "Relu") return [](const Tensor& x) { return x.relu(); };
  if (name == "Softsign") return [](const Tensor& x) { return x.softsign(); };
  if (name == "Softplus") return [](const Tensor& x) { return x.softplus(); };
  if (name == "Affine") return [a = alpha.value_or(1), b](const Tensor& x) { return x * a + b; };
  if (name == "LeakyRelu")
    return [a = alpha.value_or(0.01)](const Tensor& x) { return x.leaky_relu(a); };
  if (name == "ThresholdedRelu")
    return [a = alpha.value_or(1)](const Tensor& x) { return (x > a).where(x, x.zeros_like()); };
  if (name == "ScaledTanh") return [a, b](const Tensor& x) { return (x * b).tanh() * a; };
  if (name == "HardSigmoid")
    return [a = alpha.value_or(0.2), b = beta.value_or(0.5)](const Tensor& x) {
      return x.hardsigmoid(a, b);
    };
  if (name == "Elu") return [a = alpha.value_or(1)](const Tensor& x) { return x.elu(a); };
  n.unsupported("the activation \"" + name + "\"");
}

// What the three layers have in common: sizes, weights of one direction, and how time runs.
class Recurrent {
 public:
  Recurrent(const Node& n, int64_t gates, const std::vector<std::string>& defaults);

  struct Step {
    Tensor w, r, wb, rb;  // [gates · hidden, in], [gates · hidden, hidden], [gates · hidden]
    std::vector<Activation> f;
    Tensor h, c;
    std::optional<Tensor> peephole;
  };
  using Advance = std::function<void(Step&, const Tensor& x)>;
  Values run(const Advance& advance, bool has_cell, size_t peepholes);

  Tensor limited(const Tensor& x) const { return clip_ > 0 ? x.clip(-clip_, clip_) : x; }
  int64_t hidden() const { return hidden_; }

 private:
  Step start(int64_t direction, bool has_cell, size_t peepholes) const;

  const Node& n_;
  bool batch_first_;
  Tensor x_;  // [time, batch, in]
  int64_t gates_, hidden_, directions_, time_, batch_;
  double clip_;
  std::string direction_;
  std::vector<Activation> activations_;
};

Recurrent::Recurrent(const Node& n, int64_t gates, const std::vector<std::string>& defaults)
    : n_(n),
      batch_first_(n.flag("layout")),
      x_(n.tensor(0)),
      gates_(gates),
      clip_(n.real("clip", 0)),
      direction_(n.text("direction", "forward")) {
  n.require(x_.ndim() == 3, "the input has other than three axes");
  if (batch_first_) x_ = x_.permute({1, 0, 2});
  time_ = x_.size(0);
  batch_ = x_.size(1);
  n.require(direction_ == "forward" || direction_ == "reverse" || direction_ == "bidirectional",
            "unknown direction \"" + direction_ + "\"");
  directions_ = direction_ == "bidirectional" ? 2 : 1;
  const Shape r = n.shape(2);
  n.require(r.size() == 3 && r[0] == directions_ && r[1] == gates * r[2],
            "the recurrent weights have another shape than [directions, gates · hidden, hidden]");
  hidden_ = r[2];
  n.require(n.integer("hidden_size", hidden_) == hidden_, "hidden_size is not that of the weights");
  n.require(time_ > 0 && time_ < 100000, "no time steps, or too many");
  const std::vector<std::string> names = n.texts("activations");
  const auto alphas = n.reals("activation_alpha").value_or(std::vector<double>{});
  const auto betas = n.reals("activation_beta").value_or(std::vector<double>{});
  const size_t wanted = defaults.size() * static_cast<size_t>(directions_);
  n.require(names.empty() || names.size() == wanted, "another number of activations than gates");
  for (size_t i = 0; i < wanted; ++i) {
    const auto at = [&](const std::vector<double>& v) {
      return i < v.size() ? std::optional(v[i]) : std::nullopt;
    };
    activations_.push_back(activation_of(
        n, names.empty() ? defaults[i % defaults.size()] : names[i], at(alphas), at(betas)));
  }
}

Recurrent::Step Recurrent::start(int64_t d, bool has_cell, size_t peepholes) const {
  const TensorOptions options{.dtype = x_.dtype(), .device = n_.device()};
  const int64_t rows = gates_ * hidden_;
  Step s{.w = n_.tensor(1)[d], .r = n_.tensor(2)[d]};
  const Tensor bias = n_.has(3) ? n_.tensor(3)[d] : Tensor::zeros({2 * rows}, options);
  s.wb = bias[Slice(0, rows)];
  s.rb = bias[Slice(rows, 2 * rows)];
  const auto initial = [&](size_t i) {
    if (!n_.has(i)) return Tensor::zeros({batch_, hidden_}, options);
    const Tensor all = n_.tensor(i);
    return batch_first_ ? all.permute({1, 0, 2})[d] : all[d];
  };
  s.h = initial(5);
  if (has_cell) s.c = initial(6);
  if (peepholes > 0 && n_.has(7)) s.peephole = n_.tensor(7)[d];
  const size_t each = activations_.size() / static_cast<size_t>(directions_);
  const auto first = activations_.begin() + static_cast<int64_t>(each) * d;
  s.f.assign(first, first + static_cast<int64_t>(each));
  return s;
}

Values Recurrent::run(const Advance& advance, bool has_cell, size_t peepholes) {
  std::vector<Tensor> outputs, last_h, last_c;
  const std::optional<Tensor> lengths =
      n_.has(4) ? std::optional(n_.tensor(4).reshape({batch_, 1})) : std::nullopt;
  for (int64_t d = 0; d < directions_; ++d) {
    const bool back = direction_ == "reverse" || d == 1;
    Step s = start(d, has_cell, peepholes);
    std::vector<Tensor> steps(static_cast<size_t>(time_));
    for (int64_t i = 0; i < time_; ++i) {
      const int64_t t = back ? time_ - 1 - i : i;
      const Tensor h = s.h, c = s.c;
      advance(s, x_[t]);
      Tensor y = s.h;
      if (lengths) {  // what is behind a sequence's end changes nothing and gives 0
        const Tensor inside = *lengths > t;
        y = inside.where(s.h, s.h.zeros_like());
        s.h = inside.where(s.h, h);
        if (has_cell) s.c = inside.where(s.c, c);
      }
      steps[static_cast<size_t>(t)] = y;
    }
    outputs.push_back(Tensor::stack(steps, 0));  // [time, batch, hidden]
    last_h.push_back(s.h);
    last_c.push_back(s.c);
  }
  Tensor y = Tensor::stack(outputs, 1), h = Tensor::stack(last_h, 0);
  if (batch_first_) {
    y = y.permute({2, 0, 1, 3});
    h = h.permute({1, 0, 2});
  }
  Values out{y, h};
  if (has_cell) {
    const Tensor c = Tensor::stack(last_c, 0);
    out.push_back(batch_first_ ? c.permute({1, 0, 2}) : c);
  }
  return out;
}

Tensor gate(const Tensor& all, int64_t i, int64_t hidden) {
  return all[{Ellipsis, Slice(i * hidden, (i + 1) * hidden)}];
}

Values rnn(const Node& n) {
  Recurrent layer(n, 1, {"Tanh"});
  return layer.run(
      [&](Recurrent::Step& s, const Tensor& x) {
        s.h = s.f[0](layer.limited(x.matmul(s.w.T()) + s.h.matmul(s.r.T()) + s.wb + s.rb));
      },
      false, 0);
}

Values gru(const Node& n) {
  Recurrent layer(n, 3, {"Sigmoid", "Tanh"});
  const int64_t size = layer.hidden();
  const bool linear_first = n.flag("linear_before_reset");
  return layer.run(
      [&](Recurrent::Step& s, const Tensor& x) {
        const Tensor a = x.matmul(s.w.T()) + s.wb;
        const Tensor zr = s.h.matmul(s.r[Slice(0, 2 * size)].T()) + s.rb[Slice(0, 2 * size)];
        const Tensor z = s.f[0](layer.limited(gate(a, 0, size) + gate(zr, 0, size)));
        const Tensor r = s.f[0](layer.limited(gate(a, 1, size) + gate(zr, 1, size)));
        const Tensor rh = s.r[Slice(2 * size, 3 * size)].T(), rbh = s.rb[Slice(2 * size, 3 * size)];
        const Tensor past = linear_first ? r * (s.h.matmul(rh) + rbh) : (r * s.h).matmul(rh) + rbh;
        const Tensor next = s.f[1](layer.limited(gate(a, 2, size) + past));
        s.h = (1 - z) * next + z * s.h;
      },
      false, 0);
}

Values lstm(const Node& n) {
  Recurrent layer(n, 4, {"Sigmoid", "Tanh", "Tanh"});
  const int64_t size = layer.hidden();
  const bool coupled = n.flag("input_forget");
  return layer.run(
      [&](Recurrent::Step& s, const Tensor& x) {
        const Tensor a = x.matmul(s.w.T()) + s.h.matmul(s.r.T()) + s.wb + s.rb;
        const auto with_cell = [&](int64_t g, int64_t p, const Tensor& c) {
          const Tensor own = gate(a, g, size);
          return layer.limited(s.peephole ? own + gate(*s.peephole, p, size) * c : own);
        };
        const Tensor i = s.f[0](with_cell(0, 0, s.c));
        const Tensor f = coupled ? 1 - i : s.f[0](with_cell(2, 2, s.c));
        const Tensor next = s.f[1](layer.limited(gate(a, 3, size)));
        s.c = f * s.c + i * next;
        const Tensor o = s.f[0](with_cell(1, 1, s.c));
        s.h = o * s.f[2](s.c);
      },
      true, 3);
}

}  // namespace

std::span<const Operator> recurrent_operators() {
  constexpr std::string_view kCommon =
      "activation_alpha activation_beta activations clip direction hidden_size layout";
  static const std::string with_reset =
      std::string(kCommon) + " linear_before_reset output_sequence";
  static const std::string with_coupling = std::string(kCommon) + " input_forget output_sequence";
  static const std::vector<Operator> rows = {
      {"GRU", {3, 7, 14, 22}, with_reset, gru},
      {"LSTM", {1, 7, 14, 22}, with_coupling, lstm},
      {"RNN", {7, 14, 22}, kCommon, rnn},
  };
  return rows;
}

}  // namespace tg::onnx
