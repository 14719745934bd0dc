// The maps of matrix units: each element lies in one place, and that is the one which the vendors'
// manuals name.
#include "target/matrix_unit.h"

#include <gtest/gtest.h>

#include <set>

namespace tg {
namespace {

using enum MatrixAxis;

class Units : public testing::TestWithParam<std::string> {
 protected:
  const MatrixUnit& unit() const { return *find_matrix_unit(GetParam()); }
};

// Units that the work-items bring fragments to; of the others only the result is one.
class UnitsOfFragments : public Units {};

std::vector<std::string> names(bool of_fragments) {
  std::vector<std::string> out;
  for (const MatrixUnit& u : matrix_units()) {
    if (!of_fragments || !u.reads_scratch) out.push_back(u.name);
  }
  return out;
}

void expect_bijection(const FragmentMap& map, MatrixAxis rows, int64_t n_rows, MatrixAxis columns,
                      int64_t n_columns) {
  EXPECT_EQ(map.lanes() * map.registers(), n_rows * n_columns);
  std::set<std::pair<int64_t, int64_t>> places;
  for (int64_t l = 0; l < map.lanes(); ++l) {
    for (int64_t r = 0; r < map.registers(); ++r) {
      const int64_t row = map.index(rows, l, r), column = map.index(columns, l, r);
      EXPECT_LT(row, n_rows);
      EXPECT_LT(column, n_columns);
      EXPECT_TRUE(places.emplace(row, column).second) << row << " " << column;
    }
  }
}

TEST_P(UnitsOfFragments, HoldEachElementOfAOnce) {
  expect_bijection(unit().a, M, unit().m, K, unit().k);
}
TEST_P(UnitsOfFragments, HoldEachElementOfBOnce) {
  expect_bijection(unit().b, K, unit().k, N, unit().n);
}
TEST_P(Units, HoldEachElementOfCOnce) { expect_bijection(unit().c, M, unit().m, N, unit().n); }
TEST_P(UnitsOfFragments, HaveOneNumberOfLanes) {
  EXPECT_EQ(unit().a.lanes(), unit().lanes());
  EXPECT_EQ(unit().b.lanes(), unit().lanes());
}
TEST_P(Units, SayTheirShapeAndDtypeInTheirName) {
  const MatrixUnit& u = unit();
  const auto text = [&](DType t) -> std::string {
    if (u.rounds_input) return "tf32";
    if (is_int(t))
      return std::string(is_unsigned(t) ? "u" : "i") + std::to_string(8 * dtype_size(t));
    return t == DType::Float16 ? "f16" : t == DType::BFloat16 ? "bf16" : "f32";
  };
  const std::string types =
      u.tells_factors_apart() ? text(u.input) + text(u.second) : text(u.input);
  EXPECT_EQ(u.name, "m" + std::to_string(u.m) + "n" + std::to_string(u.n) + "k" +
                        std::to_string(u.k) + "_" + types);
}
TEST_P(UnitsOfFragments, MultiplyAsMatricesDo) {
  const MatrixUnit& u = unit();
  std::vector<int> a(static_cast<size_t>(u.m * u.k)), b(static_cast<size_t>(u.k * u.n));
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<int>(i * 7 % 11) - 5;
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<int>(i * 5 % 13) - 6;
  // Each work-item of k in turn, as if lanes shuffled what they hold.
  std::vector<int> got(static_cast<size_t>(u.m * u.n));
  for (int64_t l = 0; l < u.lanes(); ++l) {
    for (int64_t r = 0; r < u.a.registers(); ++r) {
      const int64_t row = u.a.index(M, l, r), k = u.a.index(K, l, r);
      for (int64_t l2 = 0; l2 < u.lanes(); ++l2) {
        for (int64_t r2 = 0; r2 < u.b.registers(); ++r2) {
          if (u.b.index(K, l2, r2) != k) continue;
          const int64_t column = u.b.index(N, l2, r2);
          got[static_cast<size_t>(row * u.n + column)] +=
              a[static_cast<size_t>(row * u.k + k)] * b[static_cast<size_t>(k * u.n + column)];
        }
      }
    }
  }
  for (int i = 0; i < u.m; ++i) {
    for (int j = 0; j < u.n; ++j) {
      int want = 0;
      for (int k = 0; k < u.k; ++k)
        want += a[static_cast<size_t>(i * u.k + k)] * b[static_cast<size_t>(k * u.n + j)];
      EXPECT_EQ(got[static_cast<size_t>(i * u.n + j)], want) << i << " " << j;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Units, testing::ValuesIn(names(false)),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(All, UnitsOfFragments, testing::ValuesIn(names(true)),
                         [](const auto& info) { return info.param; });

// PTX: groupID = lane >> 2, threadID_in_group = lane % 4.
TEST(PtxLayouts, OfHalvesByPairsOfColumns) {
  for (const char* name : {"m16n8k16_f16", "m16n8k16_bf16"}) {
    const MatrixUnit& u = *find_matrix_unit(name);
    for (int lane = 0; lane < 32; ++lane) {
      const int group = lane >> 2, t = lane % 4;
      for (int i = 0; i < 8; ++i) {
        const bool upper = (0 <= i && i < 2) || (4 <= i && i < 6);
        EXPECT_EQ(u.a.index(M, lane, i), upper ? group : group + 8);
        EXPECT_EQ(u.a.index(K, lane, i), i < 4 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8);
      }
      for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(u.b.index(K, lane, i), i < 2 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8);
        EXPECT_EQ(u.b.index(N, lane, i), group);
      }
    }
  }
}

TEST(PtxLayouts, OfHalvesWithEightTerms) {
  const MatrixUnit& u = *find_matrix_unit("m16n8k8_f16");
  for (int lane = 0; lane < 32; ++lane) {
    const int group = lane >> 2, t = lane % 4;
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(u.a.index(M, lane, i), i < 2 ? group : group + 8);
      EXPECT_EQ(u.a.index(K, lane, i), t * 2 + (i & 1));
    }
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(u.b.index(K, lane, i), t * 2 + i);
      EXPECT_EQ(u.b.index(N, lane, i), group);
    }
  }
}

TEST(PtxLayouts, OfTf32) {
  const MatrixUnit& u = *find_matrix_unit("m16n8k8_tf32");
  for (int lane = 0; lane < 32; ++lane) {
    const int group = lane >> 2, t = lane % 4;
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(u.a.index(M, lane, i), i == 0 || i == 2 ? group : group + 8);
      EXPECT_EQ(u.a.index(K, lane, i), i < 2 ? t : t + 4);
    }
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(u.b.index(K, lane, i), i == 0 ? t : t + 4);
      EXPECT_EQ(u.b.index(N, lane, i), group);
    }
  }
}

TEST(PtxLayouts, OfTheSums) {
  for (const MatrixUnit& u : matrix_units()) {
    if (u.m != 16 || u.is_of_one()) continue;
    for (int lane = 0; lane < 32; ++lane) {
      for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(u.c.index(M, lane, i), i < 2 ? lane >> 2 : (lane >> 2) + 8);
        EXPECT_EQ(u.c.index(N, lane, i), lane % 4 * 2 + (i & 1));
      }
    }
  }
}

// As kernels for Metal compute it: quadrants of eight work-items.
TEST(SimdgroupLayouts, AreAlikeForAllThreeMatrices) {
  for (const char* name : {"m8n8k8_f16", "m8n8k8_f32"}) {
    const MatrixUnit& u = *find_matrix_unit(name);
    for (int lane = 0; lane < 32; ++lane) {
      const int quad = lane / 4;
      const int row = (quad & 4) + lane / 2 % 4, column = (quad & 2) * 2 + lane % 2 * 2;
      for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(u.a.index(M, lane, i), row);
        EXPECT_EQ(u.a.index(K, lane, i), column + i);
        EXPECT_EQ(u.b.index(K, lane, i), row);
        EXPECT_EQ(u.b.index(N, lane, i), column + i);
        EXPECT_EQ(u.c.index(M, lane, i), row);
        EXPECT_EQ(u.c.index(N, lane, i), column + i);
      }
    }
  }
}

// PTX: "the 128B swizzle" exchanges address bits 4 to 6 with their sum with bits 7 to 9.
TEST(SwizzledRows, ChangePlacesAsTheManualSays) {
  for (const int64_t bytes : {1, 2, 4}) {
    const SwizzledRows rows{bytes};
    for (int64_t index = 0; index < 4 * rows.repeats(); ++index) {
      const int64_t address = index * bytes;
      EXPECT_EQ(rows.place(index) * bytes, address ^ ((address >> 7 & 7) << 4));
      EXPECT_EQ(rows.place(rows.place(index)), index);
    }
  }
}

// PTX: a work-item of m64nNk16 has rows lane / 4 (+ 8) of its warp's sixteen, and of every eight
// columns two.
TEST(WgmmaLayouts, AreThoseOfTheManual) {
  const MatrixUnit& u = *find_matrix_unit("m64n256k16_bf16");
  for (int work_item = 0; work_item < 128; ++work_item) {
    for (int i = 0; i < 128; ++i) {
      EXPECT_EQ(u.c.index(M, work_item, i),
                work_item / 32 * 16 + work_item % 32 / 4 + i / 2 % 2 * 8);
      EXPECT_EQ(u.c.index(N, work_item, i), i / 4 * 8 + work_item % 4 * 2 + i % 2);
    }
  }
}

TEST(MatrixUnits, AreFoundByName) {
  for (const MatrixUnit& u : matrix_units()) EXPECT_EQ(find_matrix_unit(u.name), &u);
  EXPECT_EQ(find_matrix_unit("m3n3k3_f16"), nullptr);
  EXPECT_EQ(find_matrix_unit(""), nullptr);
}

}  // namespace
}  // namespace tg
