// What a copy of a staged operand holds (stage.h): elements of the operand's array with what lies
// around it, values of an expression, or a factor of products as a matrix unit takes it. Where they
// lie in the copy, and the loops that put them there: stage.cpp.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "codegen/scheduled_kernel.h"
#include "kernel/affine.h"

namespace tg {

class StagedElement {
 public:
  /// `operand`, `load`: what became of the staged operand and of its staged_load() in `k.sink`.
  /// Throws ArgumentError for an operand that no copy can hold.
  StagedElement(const ScheduledKernel& k, const UOp& operand, const UOp& load,
                const Staging& staging);

  /// What the operand is read at, a value for each dimension that its copy may have: the indices of
  /// the array; or of a factor that is made of several arrays those of its ranges on which it
  /// depends, the nearest in memory last.
  const std::vector<UOp>& indices() const { return indices_; }
  bool is_of_array() const { return bases_.empty(); }
  DType dtype() const { return dtype_; }
  /// Whether it is a factor: the copy then has zeros for the terms behind the last.
  bool is_factor() const { return is_factor_; }
  /// The element for a value of each of indices().
  UOp at(std::span<const UOp> idx) const;
  /// The operand's value, of an element of its dtype in the copy.
  UOp value_of(const UOp& element) const;

 private:
  bool begin_factor(const UOp& operand, const Staging& staging);
  bool begin_factor_of_array(const Staging& staging);
  const Leaf* leaf_of(const Affine::Term& t) const;
  int base_of_terms(const Affine& index) const;
  std::optional<Affine> start_of_terms(const Affine& index, int base, int level) const;
  void check_results(const Staging& staging) const;
  UOp factor_at(std::span<const UOp> idx) const;
  UOp computed_at(std::span<const UOp> idx) const;
  UOp with_border(std::span<const UOp> idx) const;

  const ScheduledKernel& k_;
  UOp load_;
  UOp border_;      // empty for zeros
  UOp expression_;  // of the kernel's own ranges; empty if just a load is copied
  DType dtype_;
  bool is_factor_ = false;
  DType sum_ = DType::Float32;  // of a factor's products
  std::vector<int> bases_;      // of a factor that is made of several arrays, by dimension
  std::vector<UOp> indices_;
  // Of a factor: which indices count terms, from where on in the array, and how many there are.
  struct Terms {
    size_t dim;
    UOp from;
    int64_t count;
  };
  std::vector<Terms> terms_;
};

}  // namespace tg
