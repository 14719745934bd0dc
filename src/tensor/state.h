// What stands behind a Tensor: the node it names now, its gradient, its mark; and the registry of
// all live ones, through which a realised or overwritten value becomes visible to every tensor that
// refers to it. Tensor functions use tensor/ops.h.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tg/ir/function_ref.h"
#include "tg/ir/uop.h"
#include "tg/tensor.h"

namespace tg {

class Buffer;

struct BitSource;

/// Tensors that are views of one value, whether it has storage yet or not. Equal expressions are
/// one node, but each is a value of its own: what aliases what cannot be told from nodes.
struct AliasGroup {
  std::mutex mutex;
  UOp root;  ///< the value, as long as it has no storage; every member is a chain of movement over
             ///< it
  /// The value is the bits of others under another dtype, where assignments go; else null.
  std::shared_ptr<const BitSource> bits_of = {};
};

/// Of which aliases a tensor is the bits, and how it sees their value.
struct BitSource {
  std::shared_ptr<AliasGroup> group;
  UOp view;  ///< a chain of movement over a PARAM that stands for the value
};

/// Shared by all copies of a Tensor, which may belong to several threads. `node` may be exchanged
/// by another thread that realises a shared value, the gradient by one that runs backward(); hence
/// the lock.
struct TensorState {
  enum class Param : uint8_t { Unset, Yes, No };

  explicit TensorState(UOp node);
  ~TensorState();
  TensorState(const TensorState&) = delete;
  TensorState& operator=(const TensorState&) = delete;

  UOp node() const;
  void set_node(UOp node);
  /// The same unless another thread exchanged `before` in the meantime.
  void replace_node(const UOp& before, UOp node);
  /// The value that `before` names was overwritten in place before it was computed: any use raises.
  void poison(const UOp& before);
  bool poisoned() const;

  /// Becomes an alias of `base`.
  void join_aliases(TensorState& base);
  /// The aliases of this, a group of one if nothing was ever an alias of it.
  std::shared_ptr<AliasGroup> shared_aliases();
  /// Begins a group of its own, whose value is the bits of another.
  void begin_bits(BitSource source);
  /// Null if nothing was ever an alias of it.
  std::shared_ptr<AliasGroup> aliases() const;
  /// Are writes to `other` seen here?
  bool is_alias_of(const TensorState& other) const;
  /// It stops being an alias: its value is its own.
  void leave_aliases();
  /// It is an alias of a value without storage, but was computed alone: writes can no longer be
  /// seen on both sides, and are refused as long as both live.
  void set_apart() { apart_ = true; }
  bool apart() const { return apart_; }
  /// This thread assigned to it; the thread that made it, at first.
  void set_assigned_here();
  bool assigned_here() const;

  /// The number it was made from (Int64 or Float64): takes its partner's dtype.
  std::optional<Scalar> number() const;
  void set_number(std::optional<Scalar> number);
  bool is_number() const { return is_number_.load(std::memory_order_acquire); }

  /// Null before the first backward() and after zero_grad().
  std::shared_ptr<TensorState> grad() const;
  void set_grad(std::shared_ptr<TensorState> grad);
  /// Adds `grad` to the gradient that is there, or begins with it. To one that is poisoned nothing
  /// can be added: that of a parameter stays so, for a step would be wrong without it; of anything
  /// else, such as a data set that every step reads, nobody looked at it, and `grad` takes its
  /// place.
  void add_grad(const UOp& grad);

  /// It is the gradient of another tensor.
  bool is_gradient() const { return is_gradient_; }

  Param param() const { return param_.load(std::memory_order_relaxed); }
  void set_param(Param p) { param_.store(p, std::memory_order_relaxed); }

 private:
  friend std::shared_ptr<TensorState> make_grad_state(UOp node);

  mutable std::mutex mutex_;
  UOp node_;
  std::shared_ptr<TensorState> grad_;
  Scalar number_{};
  std::atomic<bool> is_number_ = false;
  std::atomic<Param> param_ = Param::Unset;
  std::shared_ptr<AliasGroup> aliases_;
  bool poisoned_ = false;
  bool is_gradient_ = false;  // since it was made
  std::atomic<bool> apart_ = false;
  std::atomic<uint64_t> thread_;  // that assigned last
};

/// Every live state, in order of creation.
std::vector<std::shared_ptr<TensorState>> live_states();
/// Registers and owns.
std::shared_ptr<TensorState> make_state(UOp node);
/// The same for the gradient of another tensor: no parameter, whatever it is.
std::shared_ptr<TensorState> make_grad_state(UOp node);

/// Live states that name the result of an assignment which has not run yet: what this thread
/// assigned, and what others assigned to storage that `uses` knows. An assignment of another thread
/// is that thread's to run; it may be in the middle of an expression over the contents before.
std::vector<std::shared_ptr<TensorState>> pending_assignments(FunctionRef<bool(Buffer*)> uses);
/// How many assignments all threads have made so far. Costs nothing.
uint64_t assignments_made();
void note_assignment();

/// All live states that are aliases of `state`, itself included.
std::vector<std::shared_ptr<TensorState>> live_aliases(const TensorState& state);
/// Lets the value that `state` is, or is a view of, and with it all aliases, be `next` (of equal
/// shape) from now on. Only for values without storage.
void replace_root(TensorState& state, const UOp& next);
/// The value without storage that `state` is, or is a view of.
UOp root_of(const TensorState& state);
/// Raises ArgumentError in `fn` if writes to `state` could not be seen by all its aliases.
void check_aliases(const TensorState& state, std::string_view fn);

/// Computes the states' nodes, then points every live tensor at the results (see compute.cpp for
/// what that takes).
void realize_states(const std::vector<std::shared_ptr<TensorState>>& states);
/// The value of `state`, computed if it has to be: a BUFFER, a view of one, or a constant. The
/// state goes on naming its graph if a gradient may be asked of it (kept.h).
UOp read_value(const std::shared_ptr<TensorState>& state);

/// Views are chains of such ops.
inline bool is_view(Op op) { return in_group(op, kMovement) || op == Op::Detach; }
/// The BUFFER or AFTER of which the view names elements (schedule/window.h); empty if it names
/// none.
UOp storage_under(const UOp& view);
/// The same chain over another base of equal shape; the chain ends at `from`, or, without, where
/// movement does.
UOp rebase(const UOp& view, const UOp& base, const Node* from = nullptr);

}  // namespace tg
