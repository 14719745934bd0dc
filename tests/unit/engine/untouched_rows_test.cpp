// Rows that nobody asked for are not read: they lie on pages whose first touch ends the program.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <tg/tg.h>

#include <csignal>
#include <cstdlib>
#include <memory>

#include "runtime/buffer.h"
#include "support/guarded_memory.h"
#include "support/options.h"
#include "tensor/ops.h"

namespace tg {
namespace {

constexpr int64_t kRows = 24, kColumns = 4096;  // a row is four pages
const std::vector<int32_t> kAsked = {5, 17, 5, 23, 0};

// Row r holds r, r + 1, r, r + 1, …
double element(int64_t row, int64_t column) { return static_cast<double>(row + column % 2); }

struct Reading {
  const char* name;
  Tensor (*read)(const Tensor& x, const Tensor& asked);
  double (*value)(int64_t i, int64_t column);  // of the i-th row asked for
  bool whole_rows;
};

double asked_element(int64_t i, int64_t column) {
  return element(kAsked[static_cast<size_t>(i)], column);
}

const Reading kReadings[] = {
    {"RowsByIndex", [](const Tensor& x, const Tensor& asked) { return x[asked]; }, asked_element,
     true},
    {"RowsInAnExpression",
     [](const Tensor& x, const Tensor& asked) { return (x[asked] * 2 + 1).relu(); },
     [](int64_t i, int64_t c) { return 2 * asked_element(i, c) + 1; }, true},
    {"SumsOfRows", [](const Tensor& x, const Tensor& asked) { return x[asked].sum({.axis = {1}}); },
     [](int64_t i, int64_t) {
       return static_cast<double>(kColumns) * (kAsked[static_cast<size_t>(i)] + 0.5);
     },
     false},
    {"Gather",
     [](const Tensor& x, const Tensor& asked) {
       return x.gather(0, asked.reshape({static_cast<int64_t>(kAsked.size()), 1})
                              .expand({static_cast<int64_t>(kAsked.size()), kColumns}));
     },
     asked_element, true},
};

class UntouchedRows : public testing::TestWithParam<std::tuple<const char*, size_t>> {
 protected:
  UntouchedRows() : scope_(on(std::get<0>(GetParam()))) {}

  static Options on(const char* device) {
    Options o = options();
    o.device = device;
    return o;
  }
  static Tensor data() {
    std::vector<float> v(kRows * kColumns);
    for (int64_t i = 0; i < kRows * kColumns; ++i)
      v[static_cast<size_t>(i)] = static_cast<float>(element(i / kColumns, i % kColumns));
    return Tensor(v, {kRows, kColumns}).realize();
  }
  static char* storage(const Tensor& x) {
    const UOp u = ops_detail::node_of(x, "test");
    const Node* n = u.node();
    while (n->op != Op::Buffer) n = n->src()[0];
    return static_cast<char*>(static_cast<Buffer*>(n->resource)->data());
  }
  using Pages = std::vector<std::unique_ptr<test::ForbiddenPages>>;
  static Pages forbid_all_but(const Tensor& x, const std::vector<int32_t>& asked) {
    Pages pages;
    constexpr size_t kRowBytes = kColumns * sizeof(float);
    for (int64_t r = 0; r < kRows; ++r) {
      if (std::ranges::find(asked, r) != asked.end()) continue;
      pages.push_back(std::make_unique<test::ForbiddenPages>(
          storage(x) + static_cast<size_t>(r) * kRowBytes, kRowBytes));
      EXPECT_GT(pages.back()->bytes(), 0u);
    }
    return pages;
  }
  static const Reading& reading() { return kReadings[std::get<1>(GetParam())]; }

  const OptionsScope scope_;
};

TEST_P(UntouchedRows, AreNotRead) {
  const Tensor x = data();
  const Tensor asked = Tensor(kAsked).realize();
  Tensor y = reading().read(x, asked);
  {
    const Pages pages = forbid_all_but(x, kAsked);
    y.realize();
  }
  const std::vector<double> got = y.to_vector<double>();
  const int64_t width = reading().whole_rows ? kColumns : 1;
  ASSERT_EQ(static_cast<int64_t>(got.size()), static_cast<int64_t>(kAsked.size()) * width);
  for (size_t k = 0; k < got.size(); ++k) {
    const auto at = static_cast<int64_t>(k);
    ASSERT_EQ(got[k], reading().value(at / width, at % width)) << "element " << k;
  }
}

// A sanitizer turns the signal into an exit with its own status.
bool ended_by_touch(int status) {
  return (WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) ||
         (WIFEXITED(status) && WEXITSTATUS(status) != 0);
}

TEST_P(UntouchedRows, WouldBeNoticedIfTheyWereRead) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const Tensor x = data();
  const Tensor asked = Tensor(kAsked).realize();
  Tensor y = reading().read(x, asked);
  EXPECT_EXIT(
      {
        const Pages pages = forbid_all_but(x, {5, 17, 0});
        y.realize();
        std::exit(0);
      },
      ended_by_touch, "");
}

INSTANTIATE_TEST_SUITE_P(Devices, UntouchedRows,
                         testing::Combine(testing::Values("INTERP", "CPU"),
                                          testing::Range<size_t>(0, std::size(kReadings))),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param)) +
                                  kReadings[std::get<1>(info.param)].name;
                         });

}  // namespace
}  // namespace tg
