// Programs of views, slices and assignments whose results NumPy wrote into
// tests/reference/assignments.txt (the language stands in make_assignments.py beside it). The eager
// model that assign_fuzz_test.cpp compares with, and lazy tensors, must come to the same values; so
// must captured programs that keep some of their arrays from call to call.
#include <gtest/gtest.h>
#include <tg/jit.h>
#include <tg/tg.h>

#include <fstream>

#include "support/assign_program.h"
#include "support/effort.h"
#include "support/options.h"
#include "support/source_dir.h"

namespace tg {
namespace {

using namespace test;

constexpr size_t kPrograms = 3000, kBlock = 100;

// One line of the file.
struct Reference {
  std::string text;
  std::vector<std::string> statements, checksums;
};

std::vector<Reference> references(size_t block) {
  std::ifstream file(test::source_dir().string() + "/tests/reference/assignments.txt");
  std::vector<Reference> out;
  size_t line = 0;
  for (std::string text; std::getline(file, text); ++line) {
    if (line / kBlock != block) continue;
    const std::vector<std::string> halves = split(text, '=');
    out.push_back({text, split(halves.at(0), ';'), split(halves.at(1), ' ')});
  }
  EXPECT_EQ(line, kPrograms);
  EXPECT_EQ(out.size(), kBlock);
  if (out.size() > trials(kBlock)) out.resize(trials(kBlock));
  return out;
}

Tensor lazy_array(const Shape& shape, int64_t seed) {
  return Tensor(fresh_values(shape, seed), shape);
}
EagerArray eager_array(const Shape& shape, int64_t seed) {
  return EagerArray::of(shape, fresh_values(shape, seed));
}

class NumPyPrograms : public testing::TestWithParam<size_t> {
 protected:
  NumPyPrograms() : scope_(on_interpreter()) {}

 private:
  static Options on_interpreter() {
    Options o = options();
    o.device = "INTERP";
    return o;
  }
  const OptionsScope scope_;
};

TEST_P(NumPyPrograms, GiveWhatNumPyGave) {
  for (const Reference& r : references(GetParam())) {
    SCOPED_TRACE(r.text);
    const std::vector<EagerArray> eager = run_program<EagerArrays>(r.statements, eager_array);
    const std::vector<Tensor> lazy = run_program<LazyArrays>(r.statements, lazy_array);
    ASSERT_EQ(r.checksums.size(), lazy.size());
    ASSERT_EQ(r.checksums.size(), eager.size());
    for (size_t i = 0; i < lazy.size(); ++i) {
      EXPECT_EQ(checksum(eager[i].shape, eager[i].values()), r.checksums[i])
          << "the model, variable " << i;
      EXPECT_EQ(checksum(lazy[i].shape(), lazy[i].to_vector<int32_t>()), r.checksums[i])
          << "variable " << i;
    }
    if (HasFailure()) return;
  }
}

// The first array is state, which lives from call to call; the others are arguments, new ones in
// each call.
template <typename Array>
std::vector<Array> arguments_of(const Reference& r, int64_t call,
                                const std::function<Array(const Shape&, int64_t)>& make) {
  std::vector<Array> out;
  for (const std::string& statement : r.statements) {
    const std::vector<std::string> w = split(statement, ' ');
    if (w.at(0) == "n") out.push_back(make(integers(w.at(1)), std::stoll(w.at(2)) + 7 * call));
  }
  return out;
}

template <typename Ops>
std::vector<typename Ops::Array> one_call(const Reference& r, const typename Ops::Array& state,
                                          const std::vector<typename Ops::Array>& arguments) {
  size_t next = 0;
  return run_program<Ops>(r.statements, [&](const Shape&, int64_t) {
    const size_t i = next++;
    return i == 0 ? state : arguments.at(i);
  });
}

TEST_P(NumPyPrograms, CapturedGiveWhatTheModelGivesInEveryCall) {
  for (const Reference& r : references(GetParam())) {
    SCOPED_TRACE(r.text);
    const EagerArray state = arguments_of<EagerArray>(r, 0, eager_array).at(0);
    const Tensor lazy_state = arguments_of<Tensor>(r, 0, lazy_array).at(0).realize();
    TinyJit jit([&](const std::vector<Tensor>& arguments) {
      return one_call<LazyArrays>(r, lazy_state, arguments);
    });
    for (int64_t call = 0; call < 4 && !HasFailure(); ++call) {
      SCOPED_TRACE("call " + std::to_string(call));
      const auto given = arguments_of<EagerArray>(r, call, eager_array);
      const auto lazily_given = arguments_of<Tensor>(r, call, lazy_array);
      const std::vector<EagerArray> want = one_call<EagerArrays>(r, state, given);
      const std::vector<Tensor> got = jit(lazily_given);
      ASSERT_EQ(got.size(), want.size());
      for (size_t i = 0; i < got.size(); ++i)
        EXPECT_EQ(got[i].to_vector<int32_t>(), want[i].values()) << "variable " << i;
      for (size_t i = 1; i < given.size(); ++i)
        EXPECT_EQ(lazily_given[i].to_vector<int32_t>(), given[i].values()) << "argument " << i;
      EXPECT_EQ(lazy_state.to_vector<int32_t>(), state.values()) << "the state";
    }
    if (HasFailure()) return;
    EXPECT_TRUE(jit.stats().captured);
  }
}

INSTANTIATE_TEST_SUITE_P(Interp, NumPyPrograms, testing::Range<size_t>(0, kPrograms / kBlock),
                         [](const auto& info) { return "Block" + std::to_string(info.param); });

}  // namespace
}  // namespace tg
