// Einstein summation. Operands are combined from left to right: aligned, multiplied, and summed
// over what neither the result nor a later operand names, which is the graph of a matrix product.
#include <algorithm>
#include <map>

#include "tensor/ops.h"

namespace tg {
namespace {

using namespace ops_detail;

// A letter, or −1, −2, … for the last, last but one, … axis that an ellipsis stands for.
using Label = int;
using Labels = std::vector<Label>;

struct Term {
  UOp u;
  Labels labels;
};

constexpr std::string_view kEinsum = "einsum";

bool holds(const Labels& list, Label l) { return std::ranges::find(list, l) != list.end(); }

[[noreturn]] void bad_formula(const std::string& formula, const std::string& what) {
  user_error<ArgumentError>(kEinsum, fmt::format("{} in \"{}\"", what, formula),
                            "Hint: letters name axes, as in \"ij,jk->ik\".");
}

// "a...b" with `rest` axes for the ellipsis.
Labels read_labels(const std::string& formula, std::string_view part, int64_t rest) {
  Labels out;
  for (size_t i = 0; i < part.size(); ++i) {
    if (part.substr(i, 3) == "...") {
      for (int64_t r = rest; r > 0; --r) out.push_back(static_cast<Label>(-r));
      i += 2;
    } else if ((part[i] >= 'a' && part[i] <= 'z') || (part[i] >= 'A' && part[i] <= 'Z')) {
      out.push_back(part[i]);
    } else {
      bad_formula(formula, fmt::format("'{}' is no letter", part[i]));
    }
  }
  return out;
}

struct Formula {
  std::vector<std::string> inputs;
  std::optional<std::string> output;
};

Formula split_formula(std::string text) {
  std::erase(text, ' ');
  Formula f;
  if (const size_t arrow = text.find("->"); arrow != std::string::npos) {
    f.output = text.substr(arrow + 2);
    text.resize(arrow);
  }
  for (size_t begin = 0;;) {
    const size_t comma = text.find(',', begin);
    f.inputs.push_back(text.substr(begin, comma - begin));
    if (comma == std::string::npos) return f;
    begin = comma + 1;
  }
}

// Axes i < j of equal size n become one, at the end: rows of n + 1 after a border of n start on the
// diagonal.
UOp diagonal_of(const UOp& x, int i, int j) {
  const Dim n = x.dim(i);
  std::vector<int64_t> order;
  Shape flat, rows, first;
  for (int a = 0; a < x.ndim(); ++a) {
    if (a == i || a == j) continue;
    order.push_back(a);
    flat.push_back(x.dim(a));
  }
  order.insert(order.end(), {i, j});
  const Shape lead = flat;
  flat.push_back(n * n);
  std::vector<int64_t> border(2 * flat.size(), 0), window;
  border.back() = n;
  rows = lead;
  rows.insert(rows.end(), {n, n + 1});
  for (Dim d : lead) window.insert(window.end(), {0, d});
  window.insert(window.end(), {0, n, 0, 1});
  first = lead;
  first.push_back(n);
  UOp padded = pad(reshape(permute(x, order), flat), border);
  return reshape(shrink(reshape(padded, rows), window), first);
}

Term without_repeats(const std::string& formula, Term t) {
  for (size_t i = 0; i < t.labels.size(); ++i) {
    for (size_t j = i + 1; j < t.labels.size(); ++j) {
      if (t.labels[i] != t.labels[j]) continue;
      const int a = static_cast<int>(i), b = static_cast<int>(j);
      if (t.u.dim(a) != t.u.dim(b)) {
        bad_formula(formula, fmt::format("'{}' names axes of sizes {} and {}",
                                         static_cast<char>(t.labels[i]), t.u.dim(a), t.u.dim(b)));
      }
      const Label l = t.labels[i];
      t.u = diagonal_of(t.u, a, b);
      t.labels.erase(t.labels.begin() + b);
      t.labels.erase(t.labels.begin() + a);
      t.labels.push_back(l);
      return without_repeats(formula, std::move(t));
    }
  }
  return t;
}

// Axes in the order of `all`, of size 1 where the term has none.
UOp aligned(const Term& t, const Labels& all) {
  std::vector<int64_t> order;
  Shape shape;
  for (Label l : all) {
    const auto at = std::ranges::find(t.labels, l);
    shape.push_back(1);
    if (at == t.labels.end()) continue;
    order.push_back(at - t.labels.begin());
    shape.back() = t.u.dim(static_cast<int>(order.back()));
  }
  return reshape(permute(t.u, order), shape);
}

// Sums over the labels that are not kept.
Term summed(const UOp& u, const Labels& all, const Labels& kept) {
  std::vector<int64_t> axes;
  Term out;
  for (size_t i = 0; i < all.size(); ++i) {
    if (holds(kept, all[i])) {
      out.labels.push_back(all[i]);
    } else {
      axes.push_back(static_cast<int64_t>(i));
    }
  }
  out.u = axes.empty() ? u : reshape(reduce(u, ReduceOp::Add, axes), without_axes(u.shape(), axes));
  return out;
}

Term product(const Term& a, const Term& b, const Labels& kept) {
  Labels all;
  for (const bool stays : {true, false}) {  // what is summed stands last
    for (const Labels* list : {&a.labels, &b.labels}) {
      for (Label l : *list) {
        if (holds(kept, l) == stays && !holds(all, l)) all.push_back(l);
      }
    }
  }
  UOp x = aligned(a, all), y = aligned(b, all);
  const Shape shape = broadcast_shape(kEinsum, x.shape(), y.shape());
  return summed(broadcast_to(x, shape) * broadcast_to(y, shape), all, kept);
}

// Axes that an ellipsis of this operand stands for.
int64_t rest_of(const std::string& formula, const std::string& part, const Tensor& t) {
  const bool open = part.find("...") != std::string::npos;
  const int64_t named = static_cast<int64_t>(part.size()) - (open ? 3 : 0);
  if (open ? named <= t.ndim() : named == t.ndim()) return t.ndim() - named;
  bad_formula(formula, fmt::format("\"{}\" names {} axes of an operand of shape {}", part, named,
                                   text(t.shape())));
}

// Without "->": what the ellipses stand for, then the letters that stand once, in their order.
Labels result_labels(const std::string& formula, const Formula& f,
                     const std::vector<Labels>& inputs, int64_t rest) {
  std::map<Label, int> seen;
  for (const Labels& list : inputs) {
    for (Label l : list) ++seen[l];
  }
  if (!f.output) {
    Labels out;
    for (const auto& [l, count] : seen) {
      if (l < 0 || count == 1) out.push_back(l);
    }
    return out;
  }
  const Labels out = read_labels(formula, *f.output, rest);
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] >= 0 && !seen.contains(out[i])) {
      bad_formula(formula, fmt::format("no operand has '{}'", static_cast<char>(out[i])));
    }
    if (std::ranges::count(out, out[i]) > 1) {
      bad_formula(formula,
                  fmt::format("'{}' stands twice in the result", static_cast<char>(out[i])));
    }
  }
  return out;
}

}  // namespace

Tensor Tensor::einsum(const std::string& formula, const std::vector<Tensor>& operands) {
  const Formula f = split_formula(formula);
  if (operands.empty() || operands.size() != f.inputs.size()) {
    bad_formula(formula, fmt::format("{} operands for {} terms", operands.size(), f.inputs.size()));
  }
  DType t = operands[0].dtype();
  int64_t rest = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    t = promote(t, operands[i].dtype());
    rest = std::max(rest, rest_of(formula, f.inputs[i], operands[i]));
  }
  std::vector<Labels> labels;
  for (size_t i = 0; i < operands.size(); ++i) {
    labels.push_back(read_labels(formula, f.inputs[i], rest_of(formula, f.inputs[i], operands[i])));
  }
  const Labels out = result_labels(formula, f, labels, rest);
  const DType c = is_bool(t) ? DType::Int32 : compute_float(t);
  Term done;
  for (size_t i = 0; i < operands.size(); ++i) {
    Labels kept = out;
    for (size_t later = i + 1; later < operands.size(); ++later) {
      kept.insert(kept.end(), labels[later].begin(), labels[later].end());
    }
    Term next =
        without_repeats(formula, {tg::cast(node_as(operands[i], c, kEinsum), c), labels[i]});
    if (i == 0) {
      done = summed(next.u, next.labels, kept);
      continue;
    }
    kept.insert(kept.end(), done.labels.begin(), done.labels.end());
    Term lone = summed(next.u, next.labels, kept);
    kept.resize(kept.size() - done.labels.size());
    done = product(done, lone, kept);
  }
  UOp y = aligned(done, out);
  return wrap(is_bool(t) ? tg::ne(y, const_like(y, int64_t{0})) : tg::cast(y, t));
}

}  // namespace tg
