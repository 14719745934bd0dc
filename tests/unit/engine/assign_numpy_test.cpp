// Programs of views, slices and assignments whose results NumPy wrote into
// tests/reference/assignments.txt (the language stands in make_assignments.py beside it). Both the
// eager model that assign_fuzz_test.cpp compares with and lazy tensors must come to the same
// values.
#include <gtest/gtest.h>
#include <tg/tg.h>

#include <fstream>
#include <sstream>

#include "support/eager_array.h"
#include "support/options.h"

namespace tg {
namespace {

using test::EagerArray;

struct Variable {
  Tensor lazy;
  EagerArray eager;
};

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> out;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, by);) out.push_back(part);
  return out;
}

std::vector<int64_t> numbers(const std::string& text) {
  std::vector<int64_t> out;
  for (const std::string& part : split(text, ',')) out.push_back(std::stoll(part));
  return out;
}

std::string checksum(const Shape& shape, const std::vector<int32_t>& values) {
  uint32_t h = 2166136261u;
  const auto add = [&h](uint32_t v) { h = (h ^ v) * 16777619u; };
  for (int64_t d : shape) add(static_cast<uint32_t>(d));
  for (int32_t v : values) add(static_cast<uint32_t>(v));
  char text[9];
  std::snprintf(text, sizeof text, "%08x", h);
  return text;
}

int32_t wrapped(int64_t v) { return static_cast<int32_t>(static_cast<uint32_t>(v)); }

class Replay {
 public:
  void run(const std::string& statement) {
    const std::vector<std::string> w = split(statement, ' ');
    const char kind = w.at(0).at(0);
    if (kind == 'n') return fresh(numbers(w.at(1)), std::stoll(w.at(2)));
    const Variable v = variables_.at(std::stoul(w.at(1)));
    switch (kind) {
      case 'r':
        return reshape(v, numbers(w.at(2)));
      case 'p':
        return permute(v, numbers(w.at(2)));
      case 'f':
        return flip(v, std::stoul(w.at(2)));
      case 's':
        return slice(v, std::stoul(w.at(2)), w);
      case 'k':
        return assign(v, v.lazy * 0 + std::stoi(w.at(2)),
                      std::vector<int32_t>(v.eager.places.size(), std::stoi(w.at(2))));
      default:
        return combine(kind, v, variables_.at(std::stoul(w.at(2))));
    }
  }

  const std::vector<Variable>& variables() const { return variables_; }

 private:
  void add(const Tensor& lazy, const EagerArray& eager) { variables_.push_back({lazy, eager}); }

  void fresh(const Shape& shape, int64_t seed) {
    std::vector<int32_t> data;
    int64_t n = 1;
    for (int64_t d : shape) n *= d;
    for (int64_t i = seed; i < seed + n; ++i) {
      const int64_t random = ((i * 1103515245 + 12345) % (int64_t{1} << 31)) >> 8;
      data.push_back(static_cast<int32_t>(random % 19 - 9));
    }
    add(Tensor(data, shape), EagerArray::of(shape, data));
  }

  void reshape(const Variable& v, const Shape& shape) {
    add(v.lazy.reshape(shape), v.eager.reshape(shape));
  }

  void permute(const Variable& v, const std::vector<int64_t>& order) {
    Shape to;
    for (int64_t o : order) to.push_back(v.eager.shape[static_cast<size_t>(o)]);
    add(v.lazy.permute(order), v.eager.view(to, [&](const auto& i) {
      std::vector<int64_t> from(i.size());
      for (size_t k = 0; k < i.size(); ++k) from[static_cast<size_t>(order[k])] = i[k];
      return from;
    }));
  }

  void flip(const Variable& v, size_t axis) {
    const Shape shape = v.eager.shape;
    add(v.lazy.flip({static_cast<int64_t>(axis)}), v.eager.view(shape, [&](auto i) {
      i[axis] = shape[axis] - 1 - i[axis];
      return i;
    }));
  }

  void slice(const Variable& v, size_t axis, const std::vector<std::string>& w) {
    const int64_t begin = std::stoll(w.at(3)), step = std::stoll(w.at(5));
    const bool open = w.at(4) == "-";
    const int64_t end = open ? (step > 0 ? v.eager.shape[axis] : -1) : std::stoll(w.at(4));
    Shape to = v.eager.shape;
    to[axis] = (end - begin + step - (step > 0 ? 1 : -1)) / step;
    std::vector<IndexItem> items(to.size(), Slice());
    items[axis] = Slice(begin, open ? std::optional<int64_t>() : end, step);
    add(v.lazy[items], v.eager.view(to, [&](auto i) {
      i[axis] = begin + step * i[axis];
      return i;
    }));
  }

  void assign(const Variable& v, const Tensor& lazy, const std::vector<int32_t>& values) {
    v.lazy.assign(lazy);
    v.eager.assign(values);
  }

  // Expressions are computed at once, as NumPy does: what happens to those that wait is the subject
  // of assign_fuzz_test.cpp. Assignments wait.
  void combine(char kind, const Variable& a, const Variable& b) {
    std::vector<int32_t> x = a.eager.values();
    const std::vector<int32_t> y = b.eager.values();
    if (kind == 'a') return assign(a, b.lazy, y);
    const auto each = [&](auto f) {
      for (size_t i = 0; i < x.size(); ++i) x[i] = wrapped(f(int64_t{x[i]}, int64_t{y[i]}));
    };
    Tensor lazy = a.lazy;
    if (kind == '*') {
      each([](int64_t p, int64_t q) { return p * 3 - q; });
      lazy = a.lazy * 3 - b.lazy;
    } else if (kind == 'm') {
      each([](int64_t p, int64_t q) { return std::max(p, q); });
      lazy = a.lazy.maximum(b.lazy);
    } else {
      each([](int64_t p, int64_t q) { return p + q; });
      lazy = a.lazy + b.lazy;
    }
    if (kind == 'i') return assign(a, lazy, x);
    add(lazy.realize(), EagerArray::of(a.eager.shape, x));
  }

  std::vector<Variable> variables_;
};

constexpr size_t kPrograms = 3000, kBlock = 100;

class NumPyPrograms : public testing::TestWithParam<size_t> {};

TEST_P(NumPyPrograms, GiveWhatNumPyGave) {
  Options o = options();
  o.device = "INTERP";
  const OptionsScope scope(o);
  std::ifstream file(std::string(TG_SOURCE_DIR) + "/tests/reference/assignments.txt");
  size_t line = 0, run = 0;
  for (std::string text; std::getline(file, text); ++line) {
    if (line / kBlock != GetParam()) continue;
    SCOPED_TRACE(text);
    const std::vector<std::string> halves = split(text, '=');
    Replay replay;
    for (const std::string& statement : split(halves.at(0), ';')) replay.run(statement);
    const std::vector<std::string> want = split(halves.at(1), ' ');
    ASSERT_EQ(want.size(), replay.variables().size());
    for (size_t i = 0; i < want.size(); ++i) {
      const auto& [lazy, eager] = replay.variables()[i];
      EXPECT_EQ(checksum(eager.shape, eager.values()), want[i]) << "the model, variable " << i;
      EXPECT_EQ(checksum(lazy.shape(), lazy.to_vector<int32_t>()), want[i]) << "variable " << i;
    }
    if (HasFailure()) return;
    ++run;
  }
  EXPECT_EQ(line, kPrograms);
  EXPECT_EQ(run, kBlock);
}

INSTANTIATE_TEST_SUITE_P(Interp, NumPyPrograms, testing::Range<size_t>(0, kPrograms / kBlock),
                         [](const auto& info) { return "Block" + std::to_string(info.param); });

}  // namespace
}  // namespace tg
