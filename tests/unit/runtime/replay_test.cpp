// Captured sequences on devices that prepare nothing, and what has changed since the last run.
#include <gtest/gtest.h>

#include <deque>
#include <stdexcept>

#include "runtime/changed_calls.h"

namespace tg {
namespace {

// Notes what is launched: its first variable.
struct Noted final : Program {
  explicit Noted(std::vector<std::vector<int64_t>>& l) : log(l) {}
  void launch(std::span<void* const>, std::span<const int64_t> vars) override {
    log.push_back({vars[0]});
  }
  std::vector<std::vector<int64_t>>& log;
};

// Notes batches as one entry.
class NotingDevice final : public Device {
 public:
  const std::string& name() const override { return device("NULL").name(); }
  const Target& target() const override { return device("NULL").target(); }
  Allocator& allocator() override { return device("NULL").allocator(); }
  std::vector<CompiledKernel> compile(std::span<const LinearKernel>) override { return {}; }
  void launch(std::span<const Call> calls) override {
    std::vector<int64_t> batch;
    for (const Call& c : calls) batch.push_back(c.vars[0]);
    log.push_back(batch);
  }
  std::vector<std::vector<int64_t>> log;
};

class Sequence : public testing::Test {
 protected:
  void add(int64_t number, bool varies) {
    if (varies) varying.push_back(calls.size());
    pointers.push_back({&pointers});
    numbers.push_back({number, 7});
    calls.push_back({program.get(), pointers.back(), numbers.back()});
  }
  CallSequence view() const { return {calls, ends, varying}; }
  // The varying calls that were set, by their first variable.
  std::vector<std::pair<size_t, int64_t>> updated(ChangedCalls& changed) {
    std::vector<std::pair<size_t, int64_t>> out;
    changed.update([&](size_t k, const Call& c) { out.emplace_back(k, c.vars[0]); });
    return out;
  }

  NotingDevice on;
  Ref<Program> program = Ref<Program>::adopt(new Noted(on.log));
  std::vector<Call> calls;
  std::vector<size_t> ends, varying;
  std::deque<std::array<void*, 1>> pointers;
  std::deque<std::array<int64_t, 2>> numbers;
};

using IntegerLog = std::vector<std::vector<int64_t>>;
using Updates = std::vector<std::pair<size_t, int64_t>>;

TEST_F(Sequence, IsLaunchedInTurnWithTheArgumentsOfTheMoment) {
  for (int64_t n : {1, 2, 3, 4}) add(n, true);
  ends = {1, 3, 4};
  const auto replay = on.prepare(view());
  EXPECT_EQ(on.log, IntegerLog());
  replay->run();
  EXPECT_EQ(on.log, (IntegerLog{{1}, {2, 3}, {4}}));
  on.log.clear();
  numbers[2][0] = 30;
  replay->run();
  EXPECT_EQ(on.log, (IntegerLog{{1}, {2, 30}, {4}}));
}

TEST_F(Sequence, OfNothingRunsNothing) {
  on.prepare(view())->run();
  EXPECT_EQ(on.log, IntegerLog());
}

TEST_F(Sequence, HasChangedWhereArgumentsAreOthersThanBefore) {
  add(1, false), add(2, true), add(3, false), add(4, true), add(5, true);
  ends = {5};
  ChangedCalls changed(view());
  EXPECT_EQ(updated(changed), Updates()) << "the first arguments are known";
  numbers[3][0] = 40;
  numbers[2][0] = 30;  // which never changes, so nobody looks
  EXPECT_EQ(updated(changed), (Updates{{1, 40}}));
  EXPECT_EQ(updated(changed), Updates());
  pointers[1][0] = nullptr;
  numbers[4][1] = 8;
  EXPECT_EQ(updated(changed), (Updates{{0, 2}, {2, 5}}));
  EXPECT_EQ(updated(changed), Updates());
  numbers[3][0] = 4;
  EXPECT_EQ(updated(changed), (Updates{{1, 4}}));
}

TEST_F(Sequence, StaysChangedWhereItCouldNotBeSet) {
  add(1, true), add(2, true), add(3, true);
  ends = {3};
  ChangedCalls changed(view());
  for (auto& n : numbers) n[0] *= 10;
  EXPECT_THROW(changed.update([](size_t k, const Call&) {
    if (k == 1) throw std::runtime_error("not now");
  }),
               std::runtime_error);
  EXPECT_EQ(updated(changed), (Updates{{1, 20}, {2, 30}}));
}

}  // namespace
}  // namespace tg
