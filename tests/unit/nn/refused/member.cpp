// Must not compile: a model may list tensors, models and vectors of these only.
#include "tg/nn.h"

struct Net {
  int steps = 0;
  template <typename F>
  void visit(F&& f) {
    f("steps", steps);
  }
};

size_t parameters_of(Net& net) { return tg::nn::parameters(net).size(); }
