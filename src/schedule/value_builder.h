// The values of a kernel: indices flow from its store down to the loads of what is in memory when
// it runs, movement vanishes into index expressions, everything between is inlined. Which kernels
// there are for a node is said in kernel_builder.h and scatter_kernels.cpp. Internal to
// src/schedule.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "rules/index.h"
#include "schedule/index_map.h"
#include "schedule/kernel_builder.h"

namespace tg {

/// Builds one kernel. Not thread-safe.
class ValueBuilder {
 public:
  explicit ValueBuilder(const InMemory& in_memory) : in_memory_(in_memory) {}
  /// One fresh range for each axis of `shape` longer than 1.
  std::vector<UOp> fresh_indices(std::span<const Dim> shape);
  UOp fresh_index(Dim extent);  ///< of one axis
  /// Value of `x` at `idx`; `x` itself is computed even if it is in memory elsewhere.
  UOp compute(const Node* x, const std::vector<UOp>& idx);
  /// Value of `x` at `idx`, wanted where `gate` holds (empty: always).
  UOp read(const Node* x, const std::vector<UOp>& idx, const UOp& gate = {});
  /// PARAM for the storage of `x`, numbered later.
  UOp storage(const Node* x);
  IndexSimplifier& simplify() { return simplify_; }
  /// The id of the next range that is made; for those who make some themselves.
  int64_t& next_range() { return next_range_; }
  /// The condition under which the element of `x` at `idx` exists; empty if it always does.
  UOp exists(const Node* x, const std::vector<UOp>& idx);
  /// SINK of the store over its ranges, slots numbered by first use.
  BuiltKernel finish(const UOp& ptr, const std::vector<UOp>& at, const UOp& v,
                     const std::vector<UOp>& loops, const UOp& gate, Combine combine);

 private:
  struct Request {
    const Node* node;
    IndexedRead at;
    friend bool operator==(const Request& a, const Request& b) {
      return a.node == b.node && a.at.idx == b.at.idx && a.at.gate == b.at.gate;
    }
  };
  struct RequestHash {
    size_t operator()(const Request& r) const {
      uint64_t h = r.node->hash;
      for (const UOp& i : r.at.idx) h = h * 0x9e3779b97f4a7c15ull + i.hash();
      return h ^ (r.at.gate ? r.at.gate.hash() : 0);
    }
  };

  bool ends_here(const Node* x) const { return is_storage(x) || (x != root_ && in_memory_(x)); }
  UOp value_of(const Request& request);
  const UOp* known(const Request& r, std::vector<Request>& missing) const;
  // The value, or empty with the requests that must be answered first.
  UOp try_build(const Request& r, std::vector<Request>& missing);
  // The gate stays only if an index could leave the array without it.
  UOp load_from(const Node* x, const IndexedRead& at);
  UOp build_movement(const Request& r, std::vector<Request>& missing);
  UOp build_reduce(const Request& r, std::vector<Request>& missing);
  UOp build_scan(const Request& r, std::vector<Request>& missing);
  UOp build_gather(const Request& r, std::vector<Request>& missing);

  const InMemory& in_memory_;
  const Node* root_ = nullptr;
  IndexSimplifier simplify_;
  std::unordered_map<Request, UOp, RequestHash> memo_;
  std::unordered_map<const Node*, std::vector<UOp>> red_ranges_;
  std::vector<const Node*> storage_;
  int64_t next_range_ = 0;
};

}  // namespace tg
