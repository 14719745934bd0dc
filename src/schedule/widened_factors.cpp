// See widened_factors.h.
#include "schedule/widened_factors.h"

#include "dtype/convert.h"
#include "target/matrix_unit.h"

namespace tg {
namespace {

// The node that movement alone makes the factor of.
const Node* moved_from(const Node* factor) {
  while (in_group(factor->op, kMovement)) factor = factor->src()[0];
  return factor;
}

// The product that a sum adds up; null if there is none.
const Node* product_of(const Node* reduce) {
  if (reduce->op != Op::Reduce || static_cast<ReduceOp>(reduce->arg()[0]) != ReduceOp::Add)
    return nullptr;
  const Node* v = moved_from(reduce->src()[0]);
  return v->op == Op::Mul ? v : nullptr;
}

bool is_widened_from(const Node* factor, DType held, DType sum) {
  if (factor->op != Op::Cast || factor->dtype != sum || !is_float(held)) return false;
  const DType from = factor->src()[0]->dtype;
  return from != DType::Index && from != DType::Bool && holds_values_of(held, from);
}

}  // namespace

std::unordered_set<const Node*> widened_factors(std::span<const Node* const> order,
                                                const Target& target) {
  std::unordered_set<const Node*> out;
  for (const Node* n : order) {
    const Node* product = product_of(n);
    if (product == nullptr) continue;
    const Node *a = moved_from(product->src()[0]), *b = moved_from(product->src()[1]);
    for (const MatrixUnit* unit : target.matrix_units) {
      const auto fits = [&](const Node* first, const Node* second) {
        return is_widened_from(first, unit->input, unit->sum) &&
               is_widened_from(second, unit->second, unit->sum);
      };
      if (unit->is_of_one() && (fits(a, b) || fits(b, a))) out.insert({a, b});
    }
  }
  return out;
}

}  // namespace tg
