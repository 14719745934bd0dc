// Networks that people compare, made of the library's layers as a user would: a language model, a
// recurrent one, and that of tinygrad's beautiful_mnist. Their weights are random: only the time
// counts. Those for images: vision.cpp.
#include <array>
#include <memory>
#include <vector>

#include "kinds.h"

namespace tg::peers {
namespace {

// ---- GPT-2

constexpr int64_t kWidth = 768, kHeads = 12, kBlocks = 12, kWords = 50257, kPlaces = 1024;

struct LayerNorm {
  Tensor operator()(const Tensor& x) const {
    return x.layer_norm({.weight = &weight, .bias = &bias});
  }
  template <typename F>
  void visit(F&& f) {
    f("weight", weight), f("bias", bias);
  }

  Tensor weight = Tensor::ones({kWidth}), bias = Tensor::zeros({kWidth});
};

struct Block {
  // [tokens, width]; the mask is added to the attention of each word to each.
  Tensor operator()(const Tensor& x, const Tensor& mask) const {
    const int64_t n = x.size(0), depth = kWidth / kHeads;
    const Tensor qkv = in(norm1(x)).reshape({n, 3, kHeads, depth}).permute({1, 2, 0, 3});
    const Tensor scores = qkv[0].matmul(qkv[1].transpose(1, 2)) * (1 / 8.0) + mask;
    const Tensor mixed = scores.softmax().matmul(qkv[2]).permute({1, 0, 2}).reshape({n, kWidth});
    const Tensor y = x + out(mixed);
    return (y + down(up(norm2(y)).gelu())).contiguous();
  }
  template <typename F>
  void visit(F&& f) {
    f("norm1", norm1), f("in", in), f("out", out), f("norm2", norm2), f("up", up), f("down", down);
  }

  LayerNorm norm1, norm2;
  nn::Linear in{kWidth, 3 * kWidth}, out{kWidth, kWidth};
  nn::Linear up{kWidth, 4 * kWidth}, down{4 * kWidth, kWidth};
};

struct Gpt2 {
  Tensor operator()(const Tensor& text) const {
    const int64_t n = text.size(0);
    const Tensor mask = Tensor::full({n, n}, -1e30, {.buffer = false}).triu(1);
    Tensor x = words[text] + places[Slice(0, n)];
    for (const Block& block : blocks) x = block(x, mask);
    return last(x[Slice(n - 1, n)]).matmul(words.transpose()).argmax();
  }
  // Of each word but the first, by those before it.
  Tensor loss(const Tensor& text) const {
    const int64_t n = text.size(0);
    const Tensor mask = Tensor::full({n, n}, -1e30, {.buffer = false}).triu(1);
    Tensor x = words[text] + places[Slice(0, n)];
    for (const Block& block : blocks) x = block(x, mask);
    return last(x[Slice(0, n - 1)]).matmul(words.transpose()).cross_entropy(text[Slice(1, n)]);
  }
  template <typename F>
  void visit(F&& f) {
    f("words", words), f("places", places), f("blocks", blocks), f("last", last);
  }

  Tensor words = Tensor::uniform({kWords, kWidth}, {.low = -0.02, .high = 0.02});
  Tensor places = Tensor::uniform({kPlaces, kWidth}, {.low = -0.02, .high = 0.02});
  std::vector<Block> blocks = std::vector<Block>(kBlocks);
  LayerNorm last;
};

// ---- MNIST

struct Mnist {
  Tensor operator()(const Tensor& images) const {
    Tensor x = norm1(conv2(conv1(images).relu()).relu()).max_pool2d();
    x = norm2(conv4(conv3(x).relu()).relu()).max_pool2d();
    return out(x.flatten(1));
  }
  template <typename F>
  void visit(F&& f) {
    f("conv1", conv1), f("conv2", conv2), f("norm1", norm1);
    f("conv3", conv3), f("conv4", conv4), f("norm2", norm2), f("out", out);
  }

  nn::Conv2d conv1{1, 32, 5}, conv2{32, 32, 5};
  nn::BatchNorm norm1{32};
  nn::Conv2d conv3{32, 64, 3}, conv4{64, 64, 3};
  nn::BatchNorm norm2{64};
  nn::Linear out{576, 10};
};

struct Training {
  explicit Training(int64_t batch)
      : images(data({batch, 1, 28, 28})),
        labels(Tensor::randint({batch}, {.low = 0, .high = 10}).realize()) {}
  // The loss; the parameters are updated when it is computed.
  Tensor step(const Tensor& x) {
    const TrainingScope training;
    const Tensor loss = net(x).cross_entropy(labels);
    adam.step(loss);
    return loss;
  }
  Mnist net;
  nn::Adam adam{net};
  Tensor images, labels;
};

// ---- a long short-term memory over many steps

// Batch, width, steps; captured, for a user would not build 200 steps each time.
Call lstm(Sizes n) {
  const auto net = computed(std::make_shared<nn::LSTM>(n[1], n[1]));
  auto run = [net](const Tensor& x) { return (*net)(x).output; };
  const auto call = std::make_shared<TinyJit<decltype(run)>>(run);
  return [call, x = data({n[2], n[0], n[1]})] { finish((*call)(x)); };
}

Tensor some_text(int64_t words) {
  return Tensor::randint({words}, {.low = 0, .high = kWords}).realize();
}

// 124M parameters, the next word.
Call gpt2_prefill(Sizes n) {
  return [net = computed(std::make_shared<Gpt2>()), text = some_text(n[0])] {
    (*net)(text).item<int64_t>();
  };
}

// Its loss on as many words, and all gradients; captured.
Call gpt2_step(Sizes n) {
  const auto net = computed(std::make_shared<Gpt2>());
  std::vector<Tensor> parameters;
  nn::visit_tensors(*net, [&](const std::string&, Tensor& t) { parameters.push_back(t); });
  auto run = [net, parameters](const Tensor& words) {
    return net->loss(words).gradient(parameters);
  };
  const auto step = std::make_shared<TinyJit<decltype(run)>>(run);
  return [step, text = some_text(n[0])] { finish((*step)(text).front()); };
}

// Forward, backward and Adam on one batch.
Call mnist_step(Sizes n) {
  return [t = std::make_shared<Training>(n[0])] { t->step(t->images).item<double>(); };
}

Call captured_mnist_step(Sizes n) {
  const auto t = std::make_shared<Training>(n[0]);
  auto run = [t](const Tensor& images) { return t->step(images); };
  const auto step = std::make_shared<TinyJit<decltype(run)>>(run);
  return [t, step] { (*step)(t->images).item<double>(); };
}

Call called_twice(Call call) {
  call();
  call();
  return call;
}

}  // namespace

Kinds networks() {
  return {{"lstm", call(3, lstm)},
          {"gpt2_prefill", call(1, gpt2_prefill)},
          {"gpt2_step", call(1, gpt2_step)},
          {"mnist_step", call(1, mnist_step)},
          {"mnist_captured", call(1, captured_mnist_step)},
          // On the NULL device a first step is graph, schedule and lowering, and nothing else.
          {"mnist_compile", call(1, mnist_step)},
          {"mnist_later_step", call(1, [](Sizes n) { return called_twice(mnist_step(n)); })},
          {"mnist_first_step", call(1, mnist_step)}};
}

}  // namespace tg::peers
