// Programs that once computed something else than they should, as random_run.cpp found and
// shortened them, or as people wrote them. They never go.
#include "maker.h"
#include "suite.h"

namespace tg::conformance {
namespace {

constexpr int64_t kMostElements = 1 << 16;

using Ints = std::vector<int64_t>;
using Items = std::vector<Item>;

Item at(Operand index) {
  Item i{.kind = IndexItem::Kind::Gather};
  i.tensor = index;
  return i;
}
Items last_axis(int64_t before, Operand index) {
  Items items(static_cast<size_t>(before), Item{.kind = IndexItem::Kind::Range});
  items.push_back(at(index));
  return items;
}

// Places in storage that several iterations add to, named by an index computed without data.
Operand nearest(Maker& m, Operand x, int64_t count) {
  const Operand places =
      m.call("mul", {m.call("arange", {static_cast<double>(count)}), m.size(x, -1)});
  return m.call("index", {x, last_axis(m.ndim(x) - 1, m.call("floordiv", {places, count}))});
}
Operand resampled(Maker& m) { return nearest(m, m.input({2, 3, 5}, DType::Float32), 9); }
Operand resampled_between_others(Maker& m) {
  const Operand turned = m.call("flip", {m.input({1, 5, 8}, DType::Float32), Ints{2}});
  const Operand wide = m.call("pad", {nearest(m, turned, 20), Ints{0, 0, 0, 0, 1, 2}});
  return m.call("cat", {std::vector<Operand>{wide, wide}, int64_t{1}});
}
Operand windows(Maker& m) {
  const Operand x = m.input({3, 11}, DType::Float32);
  const Operand starts = m.call("mul", {m.call("arange", {5.0}), int64_t{2}});
  const Operand places =
      m.call("add", {m.call("unsqueeze", {starts, int64_t{1}}), m.call("arange", {3.0})});
  return m.call("square", {m.call("index", {x, last_axis(1, places)})});
}
// (i·i) mod 23: no place tells which elements it gets. Among few places each looks at all elements
// where there are work-items for that; among many the elements are added in turn on every device.
Operand squares(Maker& m, const Shape& shape) {
  const Operand x = m.input(shape, DType::Float32), i = m.call("arange", {70.0});
  const Operand places = m.call("mod", {m.call("mul", {i, i}), int64_t{23}});
  return m.call("square", {m.call("index", {x, last_axis(m.ndim(x) - 1, places)})});
}
Operand squares_among_few(Maker& m) { return squares(m, {3, 23}); }
Operand squares_among_many(Maker& m) { return squares(m, {kMostElements}); }
Operand one_place(Maker& m) {
  const Operand x = m.input({7, 5, 1}, DType::Float32);
  const Operand places = m.call("floordiv", {m.call("arange", {13.0}), int64_t{0}});
  const Operand picked = m.call("index", {x, last_axis(2, places)});
  return m.call("hardswish", {m.call("cat", {std::vector<Operand>{picked, picked}, int64_t{0}})});
}

// Maxima and minima of half precision.
Operand half_celu(Maker& m) { return m.call("celu", {m.input({1, 1, 1}, DType::Float16)}); }
Operand half_logaddexp(Maker& m) {
  return m.call("logaddexp", {m.input({1}, DType::Float16), 0.0});
}
Operand half_limit(Maker& m) {
  const Operand zero = m.call("zeros_like", {m.input({}, DType::Float16)});
  return m.call("softsign", {m.call("clamp_min", {zero, m.input({}, DType::Float16, 0, 1)})});
}

// A value that stands in a kernel twice, where one of the two is known in advance.
Operand equal_to_itself(Maker& m) {
  const Operand v = m.call("linspace", {-1.625, 1.25, int64_t{7}});
  return m.call("lt", {v, m.call("unsqueeze", {v, int64_t{1}})});
}

// Rows that are no multiple of a tile are added to at places that are data.
Operand rows_behind_a_tile(Maker& m) {
  const Operand x = m.input({2, 3, 5, 7}, DType::Float32);
  const Operand i = m.input({2}, DType::Int32, 0, 2), j = m.input({2, 1}, DType::Int32, 0, 2);
  return m.call("index", {x, Items{at(i), at(j)}});
}

// Rows that are no multiple of a tile: each adds to its own place, and no tile to another's rows.
Operand labels_behind_a_tile(Maker& m) {
  const Operand x = m.call("reshape", {m.input({5, 9, 9, 1}, DType::Float32), Ints{405, 1}});
  const Operand labels = m.input({405}, DType::Int32, 0, 5);
  return m.call("sin",
                {m.call("cross_entropy", {x, labels, static_cast<int64_t>(Reduction::None), 0.0})});
}

// Terms of a sum that exist for one residue only: behind the last of them 1/0 must not meet the 0
// of the other factor.
Operand quotients_of_a_transposed_convolution(Maker& m) {
  const Operand x = m.input({1, 2, 3}, DType::Float32), w = m.input({2, 1, 3}, DType::Float32);
  const Operand y = m.call(
      "conv_transpose2d", {x, w, std::monostate(), int64_t{1}, Ints{3}, Ints{1}, Ints{1}, Ints{1}});
  return m.call("div", {y, m.input({1, 1, 8}, DType::Float32, 0.5, 3)});
}

// Masks that are spilled between the value and its gradient, in whole vectors and in the last one.
Operand half_masks(Maker& m) {
  const Operand x = m.call("clip", {m.input({57}, DType::Float16), -0.875, 0.875});
  return m.call("square", {m.call("erf", {m.call("tanh", {x})})});
}

void add(Suite& suite, std::string_view name, Operand (*make)(Maker&)) {
  suite.drawn.push_back({"regression." + std::string(name), [make] {
                           Maker m(1, kMostElements);
                           const Operand y = make(m);
                           m.program.outputs = {y.value};
                           for (int i = 0; i < y.value; ++i) {
                             const auto* input =
                                 std::get_if<Input>(&m.program.values[static_cast<size_t>(i)]);
                             if (input != nullptr && is_float(input->dtype))
                               m.program.targets.push_back(i);
                           }
                           m.program.loss = append_loss(m, {y}).value;
                           return DrawnProgram{without_unused(m.program), {}, {}};
                         }});
}

}  // namespace

void add_regressions(Suite& suite) {
  add(suite, "gradient_of_resampling", resampled);
  add(suite, "gradient_of_resampling_between_others", resampled_between_others);
  add(suite, "gradient_of_overlapping_windows", windows);
  add(suite, "gradient_of_squares", squares_among_few);
  add(suite, "gradient_of_squares_among_many_places", squares_among_many);
  add(suite, "gradient_of_one_place", one_place);
  add(suite, "gradient_of_rows_behind_a_tile", rows_behind_a_tile);
  add(suite, "gradient_of_labels_behind_a_tile", labels_behind_a_tile);
  add(suite, "gradient_of_quotients_of_a_transposed_convolution",
      quotients_of_a_transposed_convolution);
  add(suite, "equal_to_itself", equal_to_itself);
  add(suite, "celu_of_half", half_celu);
  add(suite, "logaddexp_of_half", half_logaddexp);
  add(suite, "limit_of_half", half_limit);
  add(suite, "masks_of_half", half_masks);
}

}  // namespace tg::conformance
