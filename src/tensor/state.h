// What stands behind a Tensor: the node it names now, its gradient, its mark; and the registry of
// all live ones, through which a realised or overwritten value becomes visible to every tensor that
// refers to it. Tensor functions use tensor/ops.h.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tg/tensor.h"
#include "uop/uop.h"

namespace tg {

/// Shared by all copies of a Tensor. `node` may be exchanged by another thread that realises a
/// shared value, hence the lock.
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

  std::optional<Scalar>
      weak;  ///< the number it was made from (Int64 or Float64): takes its partner's dtype
  std::shared_ptr<TensorState> grad;
  Param param = Param::Unset;

 private:
  friend std::vector<std::shared_ptr<TensorState>> live_states();
  mutable std::mutex mutex_;
  UOp node_;
  bool poisoned_ = false;
};

/// Every live state, in order of creation.
std::vector<std::shared_ptr<TensorState>> live_states();
/// Registers and owns.
std::shared_ptr<TensorState> make_state(UOp node);

/// Computes the states' nodes, then points every live tensor at the results (see state.cpp for what
/// that takes).
void realize_states(const std::vector<std::shared_ptr<TensorState>>& states);

/// The BUFFER or AFTER at the end of a chain of movement ops and DETACH; empty if the chain ends
/// elsewhere.
UOp storage_under(const UOp& view);
/// The same chain over another base of equal shape.
UOp rebase(const UOp& view, const UOp& base);

}  // namespace tg
