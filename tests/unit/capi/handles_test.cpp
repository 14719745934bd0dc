// Handles: counted, found out when they are null, stale or foreign, safe in many threads.
#include "capi/handles.h"

#include <atomic>
#include <random>
#include <set>
#include <thread>

#include "unit/capi/capi_test_util.h"

namespace tg::capi::testing {
namespace {

TEST_F(CApi, HandleIsAliveUntilItsLastOwnerReleasesIt) {
  const tg_tensor t = vector_of({1, 2});
  EXPECT_OK(tg_retain(t));
  EXPECT_OK(tg_release(t));
  EXPECT_EQ(floats_of(t), (std::vector<float>{1, 2}));
  EXPECT_OK(tg_release(t));
  EXPECT_EQ(tg_release(t), TG_ERROR_HANDLE);
  EXPECT_EQ(tg_retain(t), TG_ERROR_HANDLE);
}

TEST_F(CApi, HandleOfAReusedSlotIsStale) {
  const tg_tensor first = vector_of({1});
  EXPECT_OK(tg_release(first));
  const tg_tensor second = vector_of({2});
  EXPECT_NE(first, second);
  float out = 0;
  EXPECT_EQ(tg_tensor_read(first, &out, sizeof out), TG_ERROR_HANDLE);
  EXPECT_OK(tg_release(second));
}

TEST_F(CApi, ForeignHandlesAreFoundOut) {
  int local = 0;
  const auto at = [](uint64_t bits) { return reinterpret_cast<const void*>(uintptr_t{bits}); };
  for (const void* handle :
       {static_cast<const void*>(nullptr), static_cast<const void*>(&local), at(1), at(0xffffffff),
        at(uint64_t{1} << 32 | 0xfffff), at(~uint64_t{0}), at(uint64_t{0xffffff} << 32)}) {
    EXPECT_EQ(tg_release(handle), TG_ERROR_HANDLE) << handle;
    EXPECT_EQ(tg_retain(handle), TG_ERROR_HANDLE) << handle;
  }
}

TEST_F(CApi, HandleOfAnotherKindIsFoundOut) {
  const tg_tensor t = vector_of({1});
  tg_state s = nullptr;
  ASSERT_OK(tg_state_create(&s));
  size_t n = 0;
  EXPECT_EQ(tg_state_count(reinterpret_cast<tg_state>(t), &n), TG_ERROR_HANDLE);
  EXPECT_NE(std::string(tg_error_message()).find("must be a state, not a tensor"),
            std::string::npos);
  EXPECT_EQ(tg_optimizer_zero_grad(reinterpret_cast<tg_optimizer>(s)), TG_ERROR_HANDLE);
  EXPECT_OK(tg_release(t));
  EXPECT_OK(tg_release(s));
}

TEST_F(CApi, MessageStaysUntilTheNextFailureOfTheThread) {
  EXPECT_EQ(tg_release(nullptr), TG_ERROR_HANDLE);
  const std::string message = tg_error_message();
  EXPECT_NE(message.find("tg_release"), std::string::npos);
  const tg_tensor t = vector_of({1});
  EXPECT_OK(tg_release(t));
  EXPECT_EQ(tg_error_message(), message);
  std::thread([] { EXPECT_STREQ(tg_error_message(), ""); }).join();
}

// Threads retain, use and release the same handles, some of which go meanwhile.
TEST_F(CApi, ManyThreadsShareHandles) {
  constexpr int kThreads = 4, kRounds = 2000;
  std::vector<std::atomic<tg_tensor>> shared(8);
  for (auto& s : shared) s = vector_of({3});
  std::atomic<int64_t> used{0}, gone{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      for (int i = 0; i < kRounds; ++i) {
        std::atomic<tg_tensor>& slot = shared[random() % shared.size()];
        const tg_tensor seen = slot.load();
        tg_tensor_info info = {};
        info.struct_size = sizeof info;
        const tg_status s = tg_tensor_get_info(seen, &info);
        if (s == TG_OK) {
          EXPECT_EQ(info.numel, 1);
          ++used;
        } else {
          EXPECT_EQ(s, TG_ERROR_HANDLE);
          ++gone;
        }
        if (tg_retain(seen) == TG_OK) {
          EXPECT_OK(tg_release(seen));
        }
        if (random() % 16 == 0) {
          const float x = 3;
          const int64_t shape[] = {1};
          tg_tensor fresh = nullptr;
          EXPECT_OK(tg_tensor_from_data(&x, sizeof x, TG_DTYPE_FLOAT32, shape, 1, nullptr, &fresh));
          EXPECT_OK(tg_release(slot.exchange(fresh)));
        }
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_GT(used, 0);
  for (auto& s : shared) EXPECT_OK(tg_release(s));
}

// Threads compute with handles that others release meanwhile: a call uses what it has found to its
// end.
TEST_F(CApi, CallsKeepWhatOthersRelease) {
  constexpr int kThreads = 4, kRounds = 500;
  std::atomic<tg_tensor> shared = vector_of({3});
  std::atomic<int64_t> computed{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kRounds; ++i) {
        const tg_tensor seen = shared.load();
        tg_value sum = {};
        const tg_status s = call("add", {tensor_value(seen), tensor_value(seen)}, &sum);
        if (s == TG_OK) {
          ++computed;
          if (i % 50 == 0) {
            EXPECT_EQ(floats_of(sum.as.tensor), std::vector<float>{6});
          }
          EXPECT_OK(tg_value_clear(&sum));
        } else {
          EXPECT_EQ(s, TG_ERROR_HANDLE) << tg_error_message();
        }
        if (i % 4 == 0) {
          EXPECT_OK(tg_release(shared.exchange(vector_of({3}))));
        }
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_GT(computed, 0);
  EXPECT_OK(tg_release(shared));
}

TEST_F(CApi, FailedCallLetsItsArgumentsGo) {
  const int64_t before = tg_live_handles();
  const tg_tensor t = vector_of({1, 2}), stale = vector_of({3, 4});
  EXPECT_OK(tg_release(stale));
  tg_value sum = {};
  EXPECT_EQ(call("add", {tensor_value(t), tensor_value(stale)}, &sum), TG_ERROR_HANDLE);
  std::vector<tg_value> nine(9, tensor_value(t));
  nine.back() = tensor_value(stale);
  EXPECT_EQ(call("stack", nine, &sum), TG_ERROR_HANDLE);
  EXPECT_EQ(tg_live_handles(), before + 1);
  EXPECT_OK(tg_release(t));
  EXPECT_EQ(tg_live_handles(), before);
}

// More than a thread keeps for itself, made by one and released by another that ends afterwards.
TEST_F(CApi, SlotsOfAThreadThatEndsAreUsedAgain) {
  const int64_t before = tg_live_handles();
  std::vector<void*> handles(1000);
  const auto make = [&] {
    for (void*& h : handles) h = HandleTable::instance().add(SymInt(1));
  };
  const auto release = [&] {
    for (void* h : handles) EXPECT_OK(tg_release(h));
  };
  const auto numbers = [&] {
    std::set<uint64_t> out;
    for (void* h : handles) out.insert(reinterpret_cast<uintptr_t>(h) & 0xffffffff);
    return out;
  };
  std::set<uint64_t> used;
  for (int round = 0; round < 20; ++round) {
    std::thread(make).join();
    EXPECT_EQ(tg_live_handles(), before + 1000);
    EXPECT_EQ(numbers().size(), 1000u) << "one handle a slot";
    used.merge(numbers());
    std::thread(release).join();
    EXPECT_EQ(tg_live_handles(), before);
  }
  EXPECT_LT(used.size(), 6000u) << "slots got lost";
}

// Releases a handle when its thread ends.
struct LastOwner {
  ~LastOwner() { EXPECT_OK(tg_release(handle)); }
  void* handle = nullptr;
};

TEST_F(CApi, HandlesCanBeMadeAndReleasedWhileAThreadEnds) {
  std::thread([] {
    static thread_local LastOwner first;  // made before the thread's first handle: destroyed after
    static thread_local struct Maker {    // all that the table keeps for the thread
      ~Maker() { first.handle = HandleTable::instance().add(SymInt(2)); }
    } maker;
    (void)maker;
    EXPECT_OK(tg_release(HandleTable::instance().add(SymInt(1))));
  }).join();
}

TEST_F(CApi, ManyHandlesAreFoundAgain) {
  std::vector<void*> handles;
  for (int64_t i = 0; i < 20'000; ++i) handles.push_back(HandleTable::instance().add(SymInt(i)));
  for (int64_t i = 0; i < 20'000; ++i)
    ASSERT_EQ(object<SymInt>(handles[static_cast<size_t>(i)], "test").number(), i);
  for (void* h : handles) EXPECT_OK(tg_release(h));
}

}  // namespace
}  // namespace tg::capi::testing
