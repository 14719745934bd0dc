// Programs of views, slices and assignments as text, and what they mean for any kind of array. The
// language, and programs with NumPy's results: tests/reference/make_assignments.py.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "support/eager_array.h"
#include "tg/tensor.h"

namespace tg::test {

inline std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> out;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, by);) out.push_back(part);
  return out;
}

inline std::vector<int64_t> integers(const std::string& text) {
  std::vector<int64_t> out;
  for (const std::string& part : split(text, ',')) out.push_back(std::stoll(part));
  return out;
}

/// start:stop:step, `count` elements; no stop: to the end.
struct Cut {
  size_t axis;
  int64_t start, step, count;
  std::optional<int64_t> stop;
};

/// FNV-1a over shape and values.
inline std::string checksum(const Shape& shape, const std::vector<int32_t>& values) {
  uint32_t h = 2166136261u;
  const auto add = [&h](uint32_t v) { h = (h ^ v) * 16777619u; };
  for (int64_t d : shape) add(static_cast<uint32_t>(d));
  for (int32_t v : values) add(static_cast<uint32_t>(v));
  char text[9];
  std::snprintf(text, sizeof text, "%08x", h);
  return text;
}

/// The elements of a new array.
inline std::vector<int32_t> fresh_values(const Shape& shape, int64_t seed) {
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  std::vector<int32_t> data;
  for (int64_t i = seed; i < seed + n; ++i) {
    const int64_t random = ((i * 1103515245 + 12345) % (int64_t{1} << 31)) >> 8;
    data.push_back(static_cast<int32_t>(random % 19 - 9));
  }
  return data;
}

/// Statements on lazy tensors. Expressions are computed at once, as NumPy does, and assignments
/// wait; expressions that wait are the subject of assign_fuzz_test.cpp.
struct LazyArrays {
  using Array = Tensor;
  static Shape shape(const Tensor& t) { return t.shape(); }
  static Tensor reshape(const Tensor& t, const Shape& s) { return t.reshape(s); }
  static Tensor permute(const Tensor& t, const std::vector<int64_t>& order) {
    return t.permute(order);
  }
  static Tensor flip(const Tensor& t, size_t axis) { return t.flip({static_cast<int64_t>(axis)}); }
  static Tensor slice(const Tensor& t, const Cut& c) {
    std::vector<IndexItem> items(t.shape().size(), Slice());
    items[c.axis] = Slice(c.start, c.stop, c.step);
    return t[items];
  }
  static Tensor value(char kind, const Tensor& a, const Tensor& b) {
    return (kind == '+' ? a + b : kind == '*' ? a * 3 - b : a.maximum(b)).realize();
  }
  static void assign(const Tensor& t, const Tensor& v) { t.assign(v); }
  static void add(const Tensor& t, const Tensor& v) { t.assign(t + v); }
  static void fill(const Tensor& t, int32_t c) { t.assign(t * 0 + c); }
};

/// The same on the eager model.
struct EagerArrays {
  using Array = EagerArray;
  static Shape shape(const EagerArray& a) { return a.shape; }
  static EagerArray reshape(const EagerArray& a, const Shape& s) { return a.reshape(s); }
  static EagerArray permute(const EagerArray& a, const std::vector<int64_t>& order) {
    Shape to;
    for (int64_t o : order) to.push_back(a.shape[static_cast<size_t>(o)]);
    return a.view(to, [&](const auto& i) {
      std::vector<int64_t> from(i.size());
      for (size_t k = 0; k < i.size(); ++k) from[static_cast<size_t>(order[k])] = i[k];
      return from;
    });
  }
  static EagerArray flip(const EagerArray& a, size_t axis) {
    return a.view(a.shape, [&](auto i) {
      i[axis] = a.shape[axis] - 1 - i[axis];
      return i;
    });
  }
  static EagerArray slice(const EagerArray& a, const Cut& c) {
    Shape to = a.shape;
    to[c.axis] = c.count;
    return a.view(to, [&](auto i) {
      i[c.axis] = c.start + c.step * i[c.axis];
      return i;
    });
  }
  static EagerArray value(char kind, const EagerArray& a, const EagerArray& b) {
    return EagerArray::of(a.shape, combined(kind, a, b));
  }
  static void assign(const EagerArray& a, const EagerArray& v) { a.assign(v.values()); }
  static void add(const EagerArray& a, const EagerArray& v) { a.assign(combined('+', a, v)); }
  static void fill(const EagerArray& a, int32_t c) {
    a.assign(std::vector<int32_t>(a.places.size(), c));
  }

 private:
  static std::vector<int32_t> combined(char kind, const EagerArray& a, const EagerArray& b) {
    std::vector<int32_t> x = a.values();
    const std::vector<int32_t> y = b.values();
    for (size_t i = 0; i < x.size(); ++i) {
      const int64_t p = x[i], q = y[i];
      const int64_t v = kind == '+' ? p + q : kind == '*' ? p * 3 - q : std::max(p, q);
      x[i] = static_cast<int32_t>(static_cast<uint32_t>(v));
    }
    return x;
  }
};

/// Runs the statements; all variables at the end. `fresh(shape, seed)` makes the new ones.
template <typename Ops>
std::vector<typename Ops::Array> run_program(
    const std::vector<std::string>& statements,
    const std::function<typename Ops::Array(const Shape&, int64_t seed)>& fresh) {
  std::vector<typename Ops::Array> vars;
  for (const std::string& statement : statements) {
    const std::vector<std::string> w = split(statement, ' ');
    const char kind = w.at(0).at(0);
    if (kind == 'n') {
      vars.push_back(fresh(integers(w.at(1)), std::stoll(w.at(2))));
      continue;
    }
    const typename Ops::Array v = vars.at(std::stoul(w.at(1)));
    const auto other = [&] { return vars.at(std::stoul(w.at(2))); };
    if (kind == 'r') {
      vars.push_back(Ops::reshape(v, integers(w.at(2))));
    } else if (kind == 'p') {
      vars.push_back(Ops::permute(v, integers(w.at(2))));
    } else if (kind == 'f') {
      vars.push_back(Ops::flip(v, std::stoul(w.at(2))));
    } else if (kind == 's') {
      Cut c{std::stoul(w.at(2)), std::stoll(w.at(3)), std::stoll(w.at(5)), 0, {}};
      if (w.at(4) != "-") c.stop = std::stoll(w.at(4));
      const int64_t end = c.stop.value_or(c.step > 0 ? Ops::shape(v)[c.axis] : -1);
      c.count = (end - c.start + c.step - (c.step > 0 ? 1 : -1)) / c.step;
      vars.push_back(Ops::slice(v, c));
    } else if (kind == 'a') {
      Ops::assign(v, other());
    } else if (kind == 'i') {
      Ops::add(v, other());
    } else if (kind == 'k') {
      Ops::fill(v, std::stoi(w.at(2)));
    } else {
      vars.push_back(Ops::value(kind, v, other()));
    }
  }
  return vars;
}

}  // namespace tg::test
