// Recurrent layers: cells that make one step, and layers of them over the steps of a sequence. The
// part of the gates that depends on x alone is one product for all steps. Each state is stored:
// otherwise the state of a step would be computed again from the first on by every later one.
#include <limits>

#include "nn/parameters.h"
#include "support/check.h"
#include "uop/shape.h"

namespace tg::nn {
namespace {

// The parameters of a cell with so many gates.
template <typename Cell>
void fill_cell(Cell& cell, std::string_view name, int64_t gates, int64_t in, int64_t hidden,
               const LinearOptions& o) {
  check_size(name, "in", in);
  check_size(name, "hidden", hidden);
  const int64_t most = std::numeric_limits<int64_t>::max() / gates;
  if (hidden > most) {
    user_error<ArgumentError>(name, fmt::format("hidden must be at most {}, got {}", most, hidden));
  }
  const auto fan = static_cast<double>(hidden);
  cell.weight_ih = parameter({gates * hidden, in}, fan, o.placement);
  cell.weight_hh = parameter({gates * hidden, hidden}, fan, o.placement);
  if (o.bias) cell.bias_ih = parameter({gates * hidden}, fan, o.placement);
  if (o.bias) cell.bias_hh = parameter({gates * hidden}, fan, o.placement);
}

// What x contributes to the gates: [..., in] → [..., gates · hidden].
template <typename Cell>
Tensor input_gates(const Cell& cell, const Tensor& x) {
  return x.linear(cell.weight_ih.transpose(), pointer_to(cell.bias_ih));
}
template <typename Cell>
Tensor state_gates(const Cell& cell, const Tensor& state) {
  return state.linear(cell.weight_hh.transpose(), pointer_to(cell.bias_hh));
}

// The state before the first step, for x [..., in].
template <typename Cell>
Tensor zero_state(std::string_view name, const Cell& cell, const Tensor& x) {
  std::vector<SymInt> sizes = x.sizes();
  if (sizes.empty()) user_error<ShapeError>(name, "needs x [..., in], got shape []");
  sizes.back() = cell.weight_hh.size(1);
  return Tensor::full(Sizes(sizes), 0, {.dtype = x.dtype(), .device = x.device(), .buffer = false});
}

LSTMCell::State next_state(const Tensor& of_input, const LSTMCell& cell,
                           const LSTMCell::State& state) {
  const auto part = (of_input + state_gates(cell, state.first)).chunk(4, -1);
  const Tensor next = part[1].sigmoid() * state.second + part[0].sigmoid() * part[2].tanh();
  return {part[3].sigmoid() * next.tanh(), next};
}

Tensor next_state(const Tensor& of_input, const GRUCell& cell, const Tensor& state) {
  const auto x = of_input.chunk(3, -1), h = state_gates(cell, state).chunk(3, -1);
  const Tensor reset = (x[0] + h[0]).sigmoid(), update = (x[1] + h[1]).sigmoid();
  const Tensor fresh = (x[2] + reset * h[2]).tanh();
  return (1 - update) * fresh + update * state;
}

Tensor stored(const Tensor& state) { return state.contiguous(); }
LSTMCell::State stored(const LSTMCell::State& state) {
  return {state.first.contiguous(), state.second.contiguous()};
}
const Tensor& output_of(const Tensor& state) { return state; }
const Tensor& output_of(const LSTMCell::State& state) { return state.first; }

// More is a mistake that would take a long time to show.
constexpr int64_t kMostLayers = 1024;

template <typename Cell>
std::vector<Cell> stacked_cells(std::string_view name, int64_t in, int64_t hidden,
                                const RecurrentOptions& o) {
  check_size(name, "in", in);
  check_size(name, "hidden", hidden);
  check_size(name, "layers", o.layers);
  if (o.layers > kMostLayers) {
    user_error<ArgumentError>(name,
                              fmt::format("at most {} layers, got {}", kMostLayers, o.layers));
  }
  check_share(name, o.dropout);
  std::vector<Cell> cells;
  for (int64_t i = 0; i < o.layers; ++i)
    cells.emplace_back(i == 0 ? in : hidden, hidden,
                       LinearOptions{.bias = o.bias, .placement = o.placement});
  return cells;
}

// x with the steps in front, for a layer whose cells take `in` features.
Tensor steps_in_front(std::string_view name, const Tensor& x, int64_t in, bool batch_first) {
  const bool fits = x.ndim() == 3 || (x.ndim() == 2 && !batch_first);
  if (!fits || x.size(-1) != in) {
    user_error<ShapeError>(
        name, fmt::format("needs x {} with {} features, got shape {}",
                          batch_first ? "[batch, steps, in]" : "[steps, batch, in] or [steps, in]",
                          in, format_shape(x.shape())));
  }
  const Tensor steps = batch_first ? x.transpose(0, 1) : x;
  if (!steps.sizes()[0].is_number())
    user_error<ArgumentError>(name, "the number of steps must not be variable");
  if (steps.size(0) == 0) user_error<ShapeError>(name, "needs at least one step, got none");
  return steps;
}

void check_state(std::string_view name, const Tensor& state, const Tensor& steps, int64_t layers,
                 int64_t hidden) {
  Shape want = steps.shape();
  want.front() = layers, want.back() = hidden;
  if (state.shape() == want) return;
  user_error<ShapeError>(name, fmt::format("the state must have shape {}, got {}",
                                           format_shape(want), format_shape(state.shape())));
}

// The outputs of the highest layer, steps in front; `states`, one a layer, become the last ones.
template <typename Cell, typename State>
Tensor run_layers(const std::vector<Cell>& cells, double dropout, const Tensor& x,
                  std::vector<State>& states) {
  Tensor sequence = x;
  for (size_t layer = 0; layer < cells.size(); ++layer) {
    if (layer > 0) sequence = sequence.dropout(dropout);
    const Tensor of_input = input_gates(cells[layer], sequence).contiguous();
    std::vector<Tensor> outputs;
    for (int64_t t = 0; t < x.size(0); ++t) {
      states[layer] = stored(next_state(of_input[t], cells[layer], states[layer]));
      outputs.push_back(output_of(states[layer]));
    }
    sequence = Tensor::stack(outputs);
  }
  return sequence;
}

}  // namespace

LSTMCell::LSTMCell(int64_t in, int64_t hidden, const LinearOptions& o) {
  fill_cell(*this, "LSTMCell", 4, in, hidden, o);
}

LSTMCell::State LSTMCell::operator()(const Tensor& x) const {
  const Tensor zero = zero_state("LSTMCell", *this, x);
  return (*this)(x, {zero, zero});
}

LSTMCell::State LSTMCell::operator()(const Tensor& x, const State& state) const {
  return next_state(input_gates(*this, x), *this, state);
}

GRUCell::GRUCell(int64_t in, int64_t hidden, const LinearOptions& o) {
  fill_cell(*this, "GRUCell", 3, in, hidden, o);
}

Tensor GRUCell::operator()(const Tensor& x) const {
  return (*this)(x, zero_state("GRUCell", *this, x));
}

Tensor GRUCell::operator()(const Tensor& x, const Tensor& state) const {
  return next_state(input_gates(*this, x), *this, state);
}

GRU::GRU(int64_t in, int64_t hidden, const RecurrentOptions& o)
    : cells(stacked_cells<GRUCell>("GRU", in, hidden, o)),
      batch_first(o.batch_first),
      dropout(o.dropout) {}

GRU::Result GRU::operator()(const Tensor& x) const {
  const Tensor steps = steps_in_front("GRU", x, cells[0].weight_ih.size(1), batch_first);
  std::vector<Tensor> states(cells.size(), zero_state("GRU", cells[0], steps[0]));
  const Tensor out = run_layers(cells, dropout, steps, states);
  return {batch_first ? out.transpose(0, 1) : out, Tensor::stack(states)};
}

GRU::Result GRU::operator()(const Tensor& x, const Tensor& state) const {
  const Tensor steps = steps_in_front("GRU", x, cells[0].weight_ih.size(1), batch_first);
  const auto layers = static_cast<int64_t>(cells.size());
  check_state("GRU", state, steps, layers, cells[0].weight_hh.size(1));
  std::vector<Tensor> states;
  for (int64_t i = 0; i < layers; ++i) states.push_back(state[i]);
  const Tensor out = run_layers(cells, dropout, steps, states);
  return {batch_first ? out.transpose(0, 1) : out, Tensor::stack(states)};
}

LSTM::LSTM(int64_t in, int64_t hidden, const RecurrentOptions& o)
    : cells(stacked_cells<LSTMCell>("LSTM", in, hidden, o)),
      batch_first(o.batch_first),
      dropout(o.dropout) {}

LSTM::Result LSTM::operator()(const Tensor& x) const {
  const Tensor steps = steps_in_front("LSTM", x, cells[0].weight_ih.size(1), batch_first);
  const Tensor zero = zero_state("LSTM", cells[0], steps[0]);
  const Tensor zeros = Tensor::stack(std::vector<Tensor>(cells.size(), zero));
  return (*this)(x, {zeros, zeros});
}

LSTM::Result LSTM::operator()(const Tensor& x, const State& state) const {
  const Tensor steps = steps_in_front("LSTM", x, cells[0].weight_ih.size(1), batch_first);
  const auto layers = static_cast<int64_t>(cells.size());
  for (const Tensor* t : {&state.first, &state.second})
    check_state("LSTM", *t, steps, layers, cells[0].weight_hh.size(1));
  std::vector<State> states;
  for (int64_t i = 0; i < layers; ++i) states.emplace_back(state.first[i], state.second[i]);
  const Tensor out = run_layers(cells, dropout, steps, states);
  std::vector<Tensor> outputs, inner;
  for (const auto& [h, c] : states) outputs.push_back(h), inner.push_back(c);
  return {batch_first ? out.transpose(0, 1) : out, {Tensor::stack(outputs), Tensor::stack(inner)}};
}

}  // namespace tg::nn
