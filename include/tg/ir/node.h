// The node of the IR and its interner. A node is immutable and hash-consed: equal structure is the
// same pointer in every thread, so common subexpressions, comparison and caching are free. A node
// is freed when nothing refers to it; no traversal and no destructor here recurses. User code holds
// nodes through UOp (uop.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "tg/export.h"
#include "tg/ir/op.h"
#include "tg/ir/resource.h"

namespace tg {

/// Where a value lives: in the graph, in device memory, in a thread's or workgroup's scratch, in
/// registers.
enum class Space : uint8_t { Value, Global, Scratch, Reg, Host };

/// A size along one axis, elements.
using Dim = int64_t;

/// Interned device name; 0 is "none" (constants live nowhere). See support/symbol.h.
using DeviceId = uint16_t;

/// Header, then n_src source pointers, n_limit limits, n_arg argument words and n_dim extents, all
/// in one allocation.
struct Node {
  std::atomic<uint32_t> refs;
  Op op;
  DType dtype;
  Space space;
  std::atomic<bool> noted;  ///< something hangs on it: see set_note
  uint64_t hash;            ///< structural: the same in every process, never an address
  uint32_t n_src;
  uint16_t n_arg;
  uint8_t n_dim;
  bool owns_resource;
  uint16_t lanes;
  DeviceId device;
  uint32_t n_limit;  ///< 0, or n_dim if the size of some axis is an expression
  Node* bucket_next;
  Resource* resource;  ///< the storage of a BUFFER, else null

  std::span<Node* const> src() const { return {src_begin(), n_src}; }
  std::span<const int64_t> arg() const { return {arg_begin(), n_arg}; }
  /// Extents. Where the size of an axis is an expression of variables, the largest that it can be.
  std::span<const Dim> shape() const { return {arg_begin() + n_arg, n_dim}; }
  /// By axis: the scalar (dtype Index) that says how many elements exist along it, or null where
  /// all do. Empty if no axis has one. See uop/limits.h.
  std::span<Node* const> limits() const { return {src_begin() + n_src, n_limit}; }
  const Node* limit(size_t axis) const { return n_limit == 0 ? nullptr : limits()[axis]; }

  Node* const* src_begin() const { return reinterpret_cast<Node* const*>(this + 1); }
  const int64_t* arg_begin() const {
    return reinterpret_cast<const int64_t*>(src_begin() + n_src + n_limit);
  }
};

/// The specification for `make`; the dtype counts only for ops that state it.
struct NodeSpec {
  Op op;
  DType dtype = DType::Void;
  std::span<Node* const> src;
  std::span<const int64_t> arg;
  DeviceId device = 0;
  Resource* resource = nullptr;
};

/// What a type rule derives.
struct DerivedType {
  DType dtype = DType::Void;
  Space space = Space::Value;
  uint16_t lanes = 1;
  DeviceId device = 0;
  std::vector<Dim>* shape = nullptr;     ///< scratch vector, empty on entry
  std::vector<Node*>* limits = nullptr;  ///< the same; empty: no axis has one
};

/// The node for `spec`, with one reference added for the caller. Type rules run only when the node
/// is new. Thread-safe. Throws what the type rule throws; then nothing was changed.
TG_API Node* intern(const NodeSpec& spec);

inline void retain(Node* n) { n->refs.fetch_add(1, std::memory_order_relaxed); }
/// The same unless the node is already dying: then false, and nothing was changed.
TG_API bool try_retain(Node* n);
/// Drops one reference; frees the node and, by a work list, every source that dies with it.
TG_API void release(Node* n);

/// Attaches `note` to a node: it is not part of the structure, and is released when the node dies
/// or gets another note (empty: none). Thread-safe.
TG_API void set_note(const Node* n, Ref<Resource> note);
/// The attached note, empty if there is none. One load if there never was one.
TG_API Ref<Resource> note_of(const Node* n);

/// Counters over the whole process, for tests and statistics.
struct InternerStats {
  int64_t live_nodes;
  int64_t live_bytes;
};
TG_API InternerStats interner_stats();

}  // namespace tg
