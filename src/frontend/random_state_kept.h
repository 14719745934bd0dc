// Making a network draws its first weights, which loading throws away: within the scope of this the
// program's random numbers stay as if it had not. The random numbers: tg/random.h.
#pragma once

#include "tg/random.h"

namespace tg::models {

class RandomStateKept {
 public:
  RandomStateKept() : state_(random_state()) {}
  ~RandomStateKept() { set_random_state(state_); }
  RandomStateKept(const RandomStateKept&) = delete;
  RandomStateKept& operator=(const RandomStateKept&) = delete;

 private:
  RandomState state_;
};

}  // namespace tg::models
