// Schedules that a kernel does not allow are refused with the Opt's name and the reason, before
// anything is lowered.
#include <gtest/gtest.h>

#include "codegen/heuristics.h"
#include "codegen/legality.h"
#include "codegen/lower.h"
#include "tg/error.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

const Dim kLegalRows = 6, kLegalColumns = 8;

struct Arrays {
  UOp i = range(kLegalRows, 0), j = range(kLegalColumns, 1);
  UOp out = param(0, {kLegalRows, kLegalColumns}, DType::Float32);
  UOp x = param(1, {kLegalRows, kLegalColumns}, DType::Float32);
  UOp places = param(2, {kLegalRows, kLegalColumns}, DType::Int32);
  std::vector<UOp> ij = {i, j};

  UOp value() const { return load(x, ij); }
  UOp place() const { return cast(load(places, ij), DType::Index); }
  UOp kernel(const UOp& store) const { return sink_of({end(store, ij)}); }
  static UOp sink_of(const std::vector<UOp>& effects) { return sink(effects); }
  /// out[i, places[i, j]] = x[i, j]
  UOp scatter() const { return kernel(store_at(out, std::vector<UOp>{i, place()}, value())); }
  UOp in_place() const { return kernel(store_at(out, ij, load(out, ij) + value())); }
};

// The reason, or "" if the schedule is legal.
std::string refusal(const UOp& kernel, const KernelSchedule& s) {
  Target t;
  t.ops.set();
  t.dtypes.set();
  try {
    lower(kernel, s, t);
    return "";
  } catch (const ArgumentError& e) {
    return e.what();
  }
}

void expect_refused(const UOp& kernel, const KernelSchedule& s, std::string_view opt,
                    std::string_view reason) {
  const std::string got = refusal(kernel, s);
  EXPECT_EQ(got.rfind(opt, 0), 0u) << got;
  EXPECT_NE(got.find(reason), std::string::npos) << got;
}

TEST(Legality, RangesShareElementsWhereTheIndexIsData) {
  const Arrays a;
  const UOp k = a.scatter();
  EXPECT_EQ(bases_sharing_elements(k, plain_schedule(k)).with_others,
            (std::vector<bool>{false, true}));
}

TEST(Legality, RangesShareElementsWhereTheIndexLacksThem) {
  const Arrays a;
  const UOp k = a.kernel(store_at(a.out, std::vector<UOp>{a.i, index_const(0)}, a.value()));
  EXPECT_EQ(bases_sharing_elements(k, plain_schedule(k)).with_others,
            (std::vector<bool>{false, true}));
}

TEST(Legality, PlainStoresShareNoElement) {
  const Arrays a;
  const UOp k = a.in_place();
  EXPECT_EQ(bases_sharing_elements(k, plain_schedule(k)).with_others,
            (std::vector<bool>{false, false}));
  EXPECT_TRUE(arrays_updated_in_turn(k).empty());
}

// out[2·i + j] += x[i, j]: rows overlap, the elements of a row do not.
UOp overlapping_rows(const Arrays& a) {
  const UOp out = param(0, {2 * kLegalRows + kLegalColumns}, DType::Float32);
  const std::vector<UOp> at = {a.i * 2 + a.j};
  return a.kernel(store_at(out, at, load(out, at) + a.value()));
}

TEST(Legality, OverlappingWindowsShareElements) {
  const UOp k = overlapping_rows(Arrays());
  const SharingBases sharing = bases_sharing_elements(k, plain_schedule(k));
  EXPECT_EQ(sharing.with_others, (std::vector<bool>{true, true}));
  EXPECT_EQ(sharing.alone, (std::vector<bool>{false, false}));
}

TEST(Legality, AWindowMayBeLanesButNoThreads) {
  const UOp k = overlapping_rows(Arrays());
  KernelSchedule lanes = plain_schedule(k), threads = lanes, across = lanes;
  opt_vector(lanes, 1, 4);
  EXPECT_EQ(refusal(k, lanes), "");
  opt_thread(threads, 1);
  expect_refused(k, threads, "THREAD", "iterations of r0 may store to one element");
  opt_vector(across, 0, 2);
  expect_refused(k, across, "MOVE", "stored last");
}

TEST(Legality, ADividedRangeIsNoLanes) {
  const Arrays a;
  const UOp out = param(0, {kLegalRows, kLegalColumns}, DType::Float32);
  const std::vector<UOp> at = {a.i, idiv(a.j * 5, index_const(9))};
  const UOp k = a.kernel(store_at(out, at, load(out, at) + a.value()));
  KernelSchedule s = plain_schedule(k);
  opt_vector(s, 1, 4);
  expect_refused(k, s, "VECTOR", "iterations of r1 may store to one element");
}

TEST(Legality, ArraysAreUpdatedInTurnWhereReadAndShared) {
  const Arrays a;
  const std::vector<UOp> at = {a.i, a.place()};
  const UOp k = a.kernel(store_at(a.out, at, load(a.out, at) + a.value()));
  EXPECT_EQ(arrays_updated_in_turn(k), std::vector<const Node*>{a.out.node()});
}

TEST(Legality, ArraysThatAreOnlyWrittenAreNotUpdatedInTurn) {
  const UOp scatter = Arrays().scatter();
  EXPECT_EQ(bases_sharing_elements(scatter, plain_schedule(scatter)).with_others,
            (std::vector<bool>{false, true}));
  EXPECT_TRUE(arrays_updated_in_turn(scatter).empty()) << "it reads others, and itself never";
}

TEST(Legality, RowsOfAScatterAreThreads) {
  const UOp k = Arrays().scatter();
  KernelSchedule s = plain_schedule(k);
  opt_thread(s, 1);
  EXPECT_EQ(refusal(k, s), "");
}

TEST(Legality, ScatteredItemsAreNoThreads) {
  const UOp k = Arrays().scatter();
  KernelSchedule s = plain_schedule(k);
  opt_thread(s, 2);
  expect_refused(k, s, "THREAD", "iterations of r1 may store to one element");
}

TEST(Legality, ScatteredItemsAreNoLanes) {
  const UOp k = Arrays().scatter();
  KernelSchedule s = plain_schedule(k);
  opt_vector(s, 1, 4);
  expect_refused(k, s, "VECTOR", "iterations of r1 may store to one element");
}

TEST(Legality, ScatteredItemsKeepTheirOrder) {
  const UOp k = Arrays().scatter();
  KernelSchedule s = plain_schedule(k);
  opt_tile(s, 1, 4, 1);
  opt_move(s, 2, 1);
  expect_refused(k, s, "MOVE", "stored last");
}

TEST(Legality, AScatterMovesInsideItsRows) {
  const UOp k = Arrays().scatter();
  KernelSchedule s = plain_schedule(k);
  opt_move(s, 0, 1);
  EXPECT_EQ(refusal(k, s), "");
}

TEST(Legality, UpdatesInPlaceDoNotShift) {
  const UOp k = Arrays().in_place();
  KernelSchedule s = plain_schedule(k);
  opt_unroll(s, 0, 4, Tail::Shift);
  expect_refused(k, s, "shift", "items of r0 would be stored twice");
}

TEST(Legality, CombiningStoresDoNotShift) {
  const Arrays a;
  const UOp k = a.kernel(store_at(a.out, a.ij, a.value(), {}, Combine::Add));
  KernelSchedule s = plain_schedule(k);
  opt_unroll(s, 0, 4, Tail::Shift);
  expect_refused(k, s, "shift", "stored twice");
}

TEST(Legality, ThreadsNeedEveryStore) {
  const Arrays a;
  const UOp k = range(3, 2), short_out = param(3, {3}, DType::Float32);
  const std::vector<UOp> at = {k};
  const UOp both = Arrays::sink_of({end(store_at(a.out, a.ij, a.value()), a.ij),
                                    end(store_at(short_out, at, cast(k, DType::Float32)), at)});
  KernelSchedule s = plain_schedule(both);
  opt_thread(s, 1);
  expect_refused(both, s, "THREAD", "a store does not run over");
}

TEST(Legality, OverwrittenArraysAreNotStaged) {
  const Arrays a;
  const UOp k = a.in_place();
  KernelSchedule s = plain_schedule(k);
  opt_stage(s, {load(a.out, a.ij), 0});
  expect_refused(k, s, "STAGE", "overwrites");
}

TEST(Legality, LoadsOfOtherKernelsAreNotStaged) {
  const Arrays a;
  const UOp k = a.in_place();
  KernelSchedule s = plain_schedule(k);
  opt_stage(s, {load(a.x, std::vector<UOp>{a.i, index_const(0)}), 0});
  expect_refused(k, s, "STAGE", "not in the kernel");
}

TEST(Legality, CopiesAreLimited) {
  const UOp i = range(1 << 13, 0), j = range(1 << 13, 1);
  const UOp out = param(0, {1 << 13, 1 << 13}, DType::Float32);
  const UOp x = param(1, {1 << 13, 1 << 13}, DType::Float32);
  const std::vector<UOp> ij = {i, j};
  const UOp k = Arrays::sink_of({end(store_at(out, ij, load(x, ij)), ij)});
  KernelSchedule s = plain_schedule(k);
  opt_stage(s, {load(x, ij), 0});
  expect_refused(k, s, "STAGE", "bytes");
}

TEST(Legality, TwoAxesOfLanesInOneValueAreRefused) {
  const UOp k = Arrays().in_place();
  KernelSchedule s = plain_schedule(k);
  opt_vector(s, 0, 2);
  opt_vector(s, 1, 2);
  expect_refused(k, s, "VECTOR", "two axes of lanes");
}

TEST(Legality, LanesOfAReducedAxisMeetThoseOfTheValue) {
  const UOp i = range(8, 0), r = range(8, 1);
  const UOp out = param(0, {8}, DType::Float32), x = param(1, {8}, DType::Float32);
  const std::vector<UOp> at = {i}, red = {r};
  const UOp sum = reduce_ranges(load(x, at), ReduceOp::Add, red);  // eight times x[i]
  const UOp k = Arrays::sink_of({end(store_at(out, at, sum), at)});
  KernelSchedule s = plain_schedule(k);
  opt_vector(s, 0, 4);
  opt_vector(s, 1, 4);
  expect_refused(k, s, "VECTOR", "two axes of lanes");
  EXPECT_EQ(refusal(k, choose_schedule(k, Target{})), "");
}

TEST(Legality, AxesAreLimited) {
  std::vector<UOp> ranges;
  for (int r = 0; r < 65; ++r) ranges.push_back(range(2, r));
  const UOp out = param(0, {1}, DType::Float32);
  const std::vector<UOp> at = {index_const(0)};
  const UOp k = Arrays::sink_of({end(store_at(out, at, const_like(load(out, at), 1.0)), ranges)});
  expect_refused(k, plain_schedule(k), "schedule", "more than 64 axes");
}

}  // namespace
}  // namespace tg
