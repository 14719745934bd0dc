// BEAM: what a search on the device finds has the values of what it began with, is kept on disk and
// found there again, and what a file says wrong is not believed.
#include "engine/search.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tg/interrupt.h>
#include <tg/tg.h>
#include <unistd.h>

#include <filesystem>

#include "codegen/heuristics.h"
#include "codegen/lower.h"
#include "engine/plan.h"
#include "engine/trial.h"
#include "kernel/saved_opts.h"
#include "runtime/disk_cache.h"
#include "support/file.h"
#include "support/kernel_values.h"
#include "support/options.h"
#include "tg/ir/graph.h"

namespace tg {
namespace {

namespace fs = std::filesystem;

// Columns of a matrix summed as the maximum of sums: no kernel whose schedule is well known.
Tensor max_plus(const Tensor& a, const Tensor& b) {
  return (a.unsqueeze(2) + b.unsqueeze(0)).max({.axis = {1}});
}

// Made without kernels, which would be searched for, too.
Tensor stored_matrix(int64_t rows, int64_t columns) {
  std::vector<float> values;
  for (int64_t i = 0; i < rows * columns; ++i)
    values.push_back(static_cast<float>(i * 37 % 101) / 50 - 1);
  return Tensor(values, {rows, columns});
}

class Searches : public testing::Test {
 protected:
  Searches() : options_(searching()), scope_(options_) { clear_caches(); }
  ~Searches() override {
    clear_caches();
    fs::remove_all(options_.cache_dir);
  }

  static Options searching() {
    Options o = options();
    o.device = "CPU";
    o.beam = 2;
    o.beam_seconds = 1;
    o.cache_dir = (fs::path(o.temp_dir) / fmt::format("tg-search-{}", ::getpid())).string();
    return o;
  }
  static UOp kernel() {
    return kernels_of(max_plus(stored_matrix(64, 96), stored_matrix(96, 80))).front();
  }
  static CacheUsage files() { return DiskCache(kFoundSchedules).usage(); }

  const Options options_;
  const OptionsScope scope_;
};

TEST_F(Searches, FindWhatTheFileOfAnEarlierOneHolds) {
  const UOp k = kernel();
  Device& cpu = device("CPU");
  const FoundSchedule first = search_schedule(cpu, k, variables_of(k));
  EXPECT_GT(first.tried, 1);
  EXPECT_LE(first.after, first.before);
  EXPECT_EQ(files().entries, 1);
  const FoundSchedule again = search_schedule(cpu, k, variables_of(k));
  EXPECT_EQ(again.tried, 0) << "searched again";
  EXPECT_TRUE(again.schedule.opts == first.schedule.opts);
}

TEST_F(Searches, GiveTheValuesOfTheHeuristics) {
  const Tensor a = stored_matrix(70, 90), b = stored_matrix(90, 50);
  std::vector<float> found = max_plus(a, b).to_vector<float>(), expected;
  EXPECT_GT(files().entries, 0);
  {
    Options without = options_;
    without.beam = 0;
    const OptionsScope scope(without);
    expected = max_plus(a, b).to_vector<float>();
  }
  EXPECT_EQ(found, expected);
}

// As a build with other rules would leave them, under the key of this one.
TEST_F(Searches, DoNotBelieveFilesThatAreDamagedOrIllegal) {
  const UOp k = kernel();
  Device& cpu = device("CPU");
  const FoundSchedule found = search_schedule(cpu, k, variables_of(k));
  const fs::path folder = DiskCache(kFoundSchedules).folder();
  const fs::path file = fs::directory_iterator(folder)->path();
  const auto entry = try_read_file(file);
  ASSERT_TRUE(entry);
  // The key is the entry without header and bytes, which begin with the seconds.
  constexpr size_t kHeader = 64;
  const std::string bytes =
      entry->substr(entry->rfind("\n", entry->find(save_opts(k, found.schedule)) - 2) + 1);
  const std::string key = entry->substr(kHeader, entry->size() - kHeader - bytes.size());
  for (const char* lines : {"", "no seconds", "1 2\nturn 0 0 0 0 none - -\n",
                            "1 2\nthread - 1 0 0 none - -\nstage - 1 0 99 none - 0\n",
                            "1 2\nvector 0 16 0 0 peel - -\nvector 1 16 0 0 peel - -\n"}) {
    DiskCache(kFoundSchedules).store(key, lines);
    const FoundSchedule again = search_schedule(cpu, k, variables_of(k));
    EXPECT_GT(again.tried, 0) << "believed: " << lines;
  }
}

TEST_F(Searches, WithoutSecondsTakeWhatThereIs) {
  Options none = options_;
  none.beam_seconds = 0;
  const OptionsScope scope(none);
  const UOp k = kernel();
  const FoundSchedule found = search_schedule(device("CPU"), k, variables_of(k));
  EXPECT_TRUE(found.schedule.opts == choose_schedule(k, device("CPU").target()).opts);
  EXPECT_EQ(files().entries, 0) << "a search that did not take place was kept";
}

TEST_F(Searches, ThatAreStoppedLeaveNothingBehind) {
  const Tensor a = stored_matrix(70, 90), b = stored_matrix(90, 50);
  int asked = 0;
  set_interrupt_hook([&] { return ++asked > 1; });
  EXPECT_THROW(max_plus(a, b).to_vector<float>(), CancelledError);
  set_interrupt_hook({});
  EXPECT_EQ(files().entries, 0);
  EXPECT_EQ(max_plus(a, b).to_vector<float>().size(), 70u * 50u);
}

// A program of one kernel is not one of another: it is seen.
TEST_F(Searches, OtherResultsAreSeen) {
  Device& cpu = device("CPU");
  const Tensor x = stored_matrix(30, 10);
  const UOp twice = kernels_of(x * 2.0).front(), thrice = kernels_of(x * 3.0).front();
  const auto program = [&](const UOp& k) {
    const LinearKernel linear[] = {lower(k, plain_schedule(k), cpu.target())};
    return cpu.compile(linear)[0].program;
  };
  std::optional<Trial> trial = Trial::of(cpu, twice, {});
  ASSERT_TRUE(trial);
  trial->set_reference(*program(twice));
  EXPECT_TRUE(trial->agrees(*program(twice)));
  EXPECT_FALSE(trial->agrees(*program(thrice)));
}

TEST_F(Searches, ArraysBeyondAnyReasonAreNotMade) {
  const UOp i = range(int64_t{1} << 40, 0);
  const UOp x = load(param(1, {int64_t{1} << 40}, DType::Float32), {{i}});
  const UOp root = end(store_at(param(0, {int64_t{1} << 40}, DType::Float32), {{i}}, x), {{i}});
  EXPECT_FALSE(Trial::of(device("CPU"), sink(std::span(&root, 1)), {}));
}

}  // namespace
}  // namespace tg
