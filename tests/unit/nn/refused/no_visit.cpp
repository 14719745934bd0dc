// Must not compile: a model lists its members.
#include "tg/nn.h"

struct Net {
  tg::nn::Linear l{2, 2};
};

size_t parameters_of(Net& net) { return tg::nn::parameters(net).size(); }
