// Saturating and floor arithmetic of interval ends.
#include "tg/ir/interval.h"

namespace tg {

int64_t saturating_add(int64_t a, int64_t b) {
  int64_t r;
  if (!__builtin_add_overflow(a, b, &r)) return r;
  return a < 0 ? Interval::kMin : Interval::kMax;
}

int64_t saturating_mul(int64_t a, int64_t b) {
  int64_t r;
  if (!__builtin_mul_overflow(a, b, &r)) return r;
  return (a < 0) != (b < 0) ? Interval::kMin : Interval::kMax;
}

int64_t floor_div(int64_t a, int64_t b) {
  if (b == -1) return a == Interval::kMin ? Interval::kMax : -a;
  int64_t q = a / b;
  return (a % b != 0 && (a % b < 0) != (b < 0)) ? q - 1 : q;
}

int64_t floor_mod(int64_t a, int64_t b) {
  if (b == -1) return 0;
  int64_t m = a % b;
  return (m != 0 && (m < 0) != (b < 0)) ? m + b : m;
}

}  // namespace tg
