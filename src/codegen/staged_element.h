// What a copy of a staged operand holds (stage.h): elements of the operand's array with what lies
// around it, values of an expression, or a factor of products as a matrix unit takes it. Where they
// lie in the copy, and the loops that put them there: stage.cpp.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "codegen/scheduled_kernel.h"

namespace tg {

class StagedElement {
 public:
  /// `operand`, `load`: what became of the staged operand and of its staged_load() in `k.sink`.
  /// Throws ArgumentError for an operand that no copy can hold.
  StagedElement(const ScheduledKernel& k, const UOp& operand, const UOp& load,
                const Staging& staging);

  /// What the operand is read at, a value for each dimension that its copy may have: the indices of
  /// the array, or of a factor those of its ranges on which it depends, the nearest in memory last.
  const std::vector<UOp>& indices() const { return indices_; }
  DType dtype() const { return dtype_; }
  /// Whether it is a factor: the copy then has zeros for the terms behind the last.
  bool is_factor() const { return !bases_.empty(); }
  /// The element for a value of each of indices().
  UOp at(std::span<const UOp> idx) const;
  /// The operand's value, of an element of its dtype in the copy.
  UOp value_of(const UOp& element) const;

 private:
  bool begin_factor(const UOp& operand, const Staging& staging);
  void check_results(const Staging& staging) const;
  UOp factor_at(std::span<const UOp> idx) const;
  UOp computed_at(std::span<const UOp> idx) const;
  UOp with_border(std::span<const UOp> idx) const;

  const ScheduledKernel& k_;
  UOp load_;
  UOp border_;      // empty for zeros
  UOp expression_;  // of the kernel's own ranges; empty if just a load is copied
  DType dtype_;
  DType sum_ = DType::Float32;  // of a factor's products
  std::vector<int> bases_;      // of a factor, by dimension
  std::vector<UOp> indices_;
};

}  // namespace tg
