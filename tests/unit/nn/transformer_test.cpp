// Attention in several heads and the layers of a transformer against PyTorch, whose numbers stand
// here; masks, heads that share keys, gradients, dropout, messages. The attention of one head:
// tests/unit/tensor/attention_test.cpp.
#include <limits>

#include "nn/objects.h"
#include "nn_test_util.h"
#include "tg/autograd.h"
#include "tg/error.h"
#include "tg/random.h"
#include "tg/symbolic.h"
#include "torch_models.h"

namespace tg::nn {
namespace {

Tensor x_of_torch() { return torch_numbers({2, 3, 4}, 10); }
Tensor memory_of_torch() { return torch_numbers({2, 2, 4}, 11); }
Tensor lower_triangle(int64_t n) { return Tensor::ones({n, n}, DType::Bool).tril(); }

const Floats kCausal = {0.2336632F,  0.6376146F,  0.1451562F,   -0.5900229F, 0.3460314F,
                        0.5352358F,  0.0142223F,  -0.5113882F,  0.604061F,   0.2087194F,
                        -0.3030188F, -0.2424012F, 0.702809F,    0.2689596F,  -0.3908426F,
                        -0.3185677F, 0.3228218F,  0.4307641F,   0.01848671F, -0.4061431F,
                        0.3659541F,  0.4560372F,  -0.02006248F, -0.4384068F};

const Floats kNumbersAdded = {0.4303225F,  0.4191007F,  -0.09112903F, -0.4143578F,  0.5078372F,
                              0.3254971F,  -0.1856182F, -0.3378892F,  0.6770183F,   0.2486596F,
                              -0.3687332F, -0.2942583F, 0.5675571F,   0.229588F,    -0.2627305F,
                              -0.2559638F, 0.4191128F,  0.3634877F,   -0.09000445F, -0.3585408F,
                              0.4308473F,  0.3471268F,  -0.1047059F,  -0.3448459F};

TEST(MultiHeadAttentionLayer, GivesPyTorchsNumbers) {
  MultiHeadAttention attention(4, 2);
  fill_as_torch(attention);
  const Tensor x = x_of_torch(), y = memory_of_torch();
  expect_floats(attention(x), {2, 3, 4},
                {0.3263902F,    0.4484505F,  0.01812564F, -0.423895F,  0.4020768F,   0.3431105F,
                 -0.07666367F,  -0.3357444F, 0.604061F,   0.2087194F,  -0.3030188F,  -0.2424012F,
                 0.4216186F,    0.3886167F,  -0.0879533F, -0.3832979F, 0.3533216F,   0.4701498F,
                 -0.004870763F, -0.4497645F, 0.3659541F,  0.4560372F,  -0.02006248F, -0.4384068F});
  expect_floats(attention(x, y, y * 2), {2, 3, 4},
                {0.2764543F,   0.4381011F,  0.06618475F, -0.4048303F,  0.3942753F,   0.2911516F,
                 -0.07828461F, -0.2840794F, 0.6953397F,  0.1264425F,   -0.4092178F,  -0.1793828F,
                 0.5345524F,   0.07432731F, -0.2578813F, -0.09982378F, 0.2675081F,   0.3044295F,
                 0.05089042F,  -0.2739323F, 0.3125746F,  0.2461289F,   -0.00474847F, -0.2257215F});
}
TEST(MultiHeadAttentionLayer, TakesMasks) {
  MultiHeadAttention attention(4, 2);
  fill_as_torch(attention);
  const Tensor x = x_of_torch(), y = memory_of_torch(), seen = lower_triangle(3);
  expect_floats(attention(x, &seen), {2, 3, 4}, kCausal);
  const Tensor scores = torch_numbers({3, 2}, 4);
  expect_floats(attention(x, y, y, &scores), {2, 3, 4}, kNumbersAdded);
}
TEST(MultiHeadAttentionLayer, SeesUpToItsPlace) {
  MultiHeadAttention attention(4, 2, {.is_causal = true});
  fill_as_torch(attention);
  const Tensor x = x_of_torch();
  expect_floats(attention(x), {2, 3, 4}, kCausal);
  // With a mask both count: the last key of the second element is not there.
  const Tensor there = Tensor({{true, true, true}, {true, true, false}}).reshape({2, 1, 1, 3});
  const Tensor added = there.where(0.0, -std::numeric_limits<double>::infinity());
  const Tensor both = there & lower_triangle(3);
  MultiHeadAttention open = attention;
  open.is_causal = false;
  const auto want = open(x, &both).to_vector<float>();
  expect_floats(attention(x, &there), {2, 3, 4}, want);
  expect_floats(attention(x, &added), {2, 3, 4}, want);
}
TEST(MultiHeadAttentionLayer, SharesKeysBetweenHeads) {
  manual_seed(1);
  MultiHeadAttention grouped(8, 4, {.kv_heads = 2}), whole(8, 4);
  EXPECT_EQ(grouped.in_proj_weight.shape(), (Shape{16, 8}));
  EXPECT_EQ(whole.in_proj_weight.shape(), (Shape{24, 8}));
  // The rows of keys and values, each head twice.
  const auto widened = [](const Tensor& t) {
    const Tensor rest = t[{Slice(8)}].unflatten(0, {2, 2, 2});  // keys and values, heads, width
    return Tensor::cat({t[{Slice(0, 8)}], rest.repeat_interleave(2, 1).flatten(0, 2)});
  };
  grouped.in_proj_bias->assign(torch_numbers({16}, 2));
  whole.in_proj_weight.assign(widened(grouped.in_proj_weight));
  whole.in_proj_bias->assign(widened(*grouped.in_proj_bias));
  whole.out_proj.weight.assign(grouped.out_proj.weight);
  const Tensor x = Tensor::randn({2, 5, 8}).realize();
  expect_floats(grouped(x), {2, 5, 8}, whole(x).to_vector<float>());
}
TEST(MultiHeadAttentionLayer, TakesAnyNumberOfLeadingAxes) {
  const MultiHeadAttention attention(4, 2, {.bias = false});
  EXPECT_EQ(attention(Tensor::ones({3, 4})).shape(), (Shape{3, 4}));
  EXPECT_EQ(attention(Tensor::ones({2, 5, 3, 4})).shape(), (Shape{2, 5, 3, 4}));
}
TEST(MultiHeadAttentionLayer, TakesKeysWhoseNumberVaries) {
  manual_seed(2);
  const MultiHeadAttention attention(4, 2);
  const Tensor query = Tensor::randn({1, 4}).realize(), all = Tensor::randn({5, 4}).realize();
  const SymInt n = Variable("n", 1, 5).bind(3);
  const Tensor few = all[{Slice(0, n)}], three = all[{Slice(0, 3)}];
  expect_floats(attention(query, few, few), {1, 4},
                attention(query, three, three).to_vector<float>());
}
TEST(MultiHeadAttentionLayer, StartsAsPyTorchs) {
  manual_seed(3);
  MultiHeadAttention attention(16, 4);
  const float most = attention.in_proj_weight.abs().max().item<float>();
  EXPECT_LE(most, std::sqrt(6.F / 64));
  EXPECT_GT(most, std::sqrt(6.F / 64) / 2);
  EXPECT_LE(attention.out_proj.weight.abs().max().item<float>(), 0.25F);
  EXPECT_EQ(attention.in_proj_bias->abs().max().item<float>(), 0);
  EXPECT_EQ(attention.out_proj.bias->abs().max().item<float>(), 0);
  EXPECT_EQ(parameters(attention).size(), 4u);
  MultiHeadAttention plain(16, 4, {.bias = false});
  EXPECT_EQ(parameters(plain).size(), 2u);
}
TEST(MultiHeadAttentionLayer, HasGradients) {
  manual_seed(4);
  MultiHeadAttention attention(4, 2, {.kv_heads = 1, .is_causal = true});
  std::vector<Tensor> inputs = {Tensor::randn({1, 2, 4}), Tensor::randn({1, 3, 4}),
                                Tensor::randn({2, 3})};
  for (const Tensor& p : parameters(attention)) inputs.push_back(p.detach());
  const auto report = gradcheck(
      [&](const std::vector<Tensor>& x) {
        MultiHeadAttention same = attention;
        size_t i = 3;
        visit_tensors(same, [&](const std::string&, Tensor& t) { t = x[i++]; });
        return same(x[0], x[1], x[1].sin(), &x[2]) + same(x[0]);
      },
      inputs);
  EXPECT_TRUE(report.ok) << report.message;
}
TEST(MultiHeadAttentionLayer, DropsWeightsWhileTraining) {
  manual_seed(5);
  const MultiHeadAttention attention(4, 2, {.dropout = 1});
  const Tensor x = Tensor::randn({3, 4}).realize();
  EXPECT_NE(attention(x).abs().max().item<float>(), 0);
  const TrainingScope training;
  EXPECT_EQ(attention(x).abs().max().item<float>(), 0);
}
TEST(MultiHeadAttentionLayer, SaysWhatItCannotTake) {
  EXPECT_EQ(argument_error_of([] { MultiHeadAttention(6, 4); }),
            "MultiHeadAttention: heads must divide the size: 4 heads, size 6.");
  EXPECT_EQ(argument_error_of([] { MultiHeadAttention(8, 4, {.kv_heads = 3}); }),
            "MultiHeadAttention: kv_heads must divide the heads: 3 and 4.");
  EXPECT_EQ(argument_error_of([] { MultiHeadAttention(8, 0); }),
            "MultiHeadAttention: heads must be at least 1, got 0.");
  EXPECT_EQ(argument_error_of([] { MultiHeadAttention(8, 4, {.dropout = -1}); }),
            "MultiHeadAttention: the probability must lie between 0 and 1, got -1.");
  const MultiHeadAttention attention(4, 2);
  const Tensor x = Tensor::ones({3, 4});
  EXPECT_EQ(message_of<ShapeError>([&] {
              attention(Tensor::ones({3, 5}));
            }),
            "MultiHeadAttention: x must be [..., n, 4], got shape [3,5].");
  EXPECT_EQ(message_of<ShapeError>([&] { attention(x, x, Tensor::ones({4})); }),
            "MultiHeadAttention: values must be [..., n, 4], got shape [4].");
}

struct LayerCase {
  bool norm_first;
  Activation activation;
  Floats encoded, decoded;
};
const LayerCase kLayers[] = {
    {false,
     Activation::Relu,
     {-0.4343845F, 0.2733054F, 0.8496856F,  0.2575571F, -0.2538596F, 0.1661929F,
      0.9294221F,  0.1128584F, -0.4184542F, 0.2210534F, 0.8735658F,  0.2655888F,
      -0.4168845F, 0.2074306F, 0.8774921F,  0.2719743F, -0.4386807F, 0.2616682F,
      0.8506553F,  0.27017F,   -0.2595201F, 0.1905454F, 0.9214611F,  0.1048461F},
     {-0.4272511F, 0.04024852F, 0.8325306F,  0.2135789F,  -0.4052789F, -0.01317493F,
      0.8510698F,  0.2219279F,  -0.4358599F, 0.05948435F, 0.8237619F,  0.2134576F,
      -0.4419671F, 0.1325901F,  0.8020717F,  0.1672198F,  -0.4451559F, 0.1108504F,
      0.8063808F,  0.1895346F,  -0.4222307F, 0.02277005F, 0.8377784F,  0.2199174F}},
    {false,
     Activation::Gelu,
     {-0.4514516F, 0.380556F,    0.7936226F,  0.2326646F, -0.153009F,  0.3075493F,
      0.8513882F,  -0.02940382F, -0.4368482F, 0.3086557F, 0.835481F,   0.2428775F,
      -0.4346549F, 0.2752759F,   0.8488758F,  0.2568757F, -0.4581609F, 0.3526801F,
      0.8033889F,  0.2533633F,   -0.1574467F, 0.346588F,  0.8294021F,  -0.03876633F},
     {-0.4386449F, 0.08100196F, 0.8179705F,  0.2005814F,  -0.4113293F, 0.0106811F,
      0.8460532F,  0.2102057F,  -0.4492451F, 0.1070182F,  0.8043599F,  0.2007023F,
      -0.4513036F, 0.2013722F,  0.7685353F,  0.1407835F,  -0.4573754F, 0.1723465F,
      0.7772693F,  0.1701425F,  -0.4332476F, 0.05940485F, 0.8256633F,  0.2083297F}},
    {true,
     Activation::Relu,
     {-1.071707F,  -1.279331F,  -0.7996271F, -1.27616F,   -1.00123F,   -0.7133729F,
      0.03121584F, -0.3345111F, 0.1077134F,  0.2603496F,  0.7925979F,  0.1547572F,
      0.2041268F,  -0.1402362F, 0.1545757F,  -0.6971099F, -0.872338F,  -1.167305F,
      -0.7508439F, -1.3482F,    -1.200301F,  -0.9446026F, -0.2312559F, -0.6289161F},
     {-0.1421851F, -1.026601F,  -1.294392F,  -1.105944F,  -0.07139804F, -0.5039841F,
      -0.4541062F, -0.1072945F, 1.014938F,   0.4692885F,  0.338571F,    0.3756837F,
      1.15386F,    0.069327F,   -0.3976436F, -0.4899648F, 0.07987895F,  -0.9812417F,
      -1.298994F,  -1.119499F,  -0.2450226F, -0.8350277F, -0.7603008F,  -0.3120182F}},
    {true,
     Activation::Gelu,
     {-0.901932F,  -1.239162F,   -0.9915423F,  -1.210549F,  -0.833369F,  -0.6897878F,
      -0.1496446F, -0.2584094F,  0.2743118F,   0.2862349F,  0.611732F,   0.2285616F,
      0.3632333F,  -0.08560855F, -0.03464046F, -0.6474452F, -0.7052928F, -1.118676F,
      -0.9446923F, -1.289984F,   -1.033237F,   -0.9218557F, -0.4108579F, -0.5526699F},
     {0.03698214F, -0.9806724F,  -1.498874F,   -1.039165F,  0.1069362F,  -0.4708959F,
      -0.650678F,  -0.03203618F, 1.194313F,    0.5135546F,  0.1347975F,  0.4437335F,
      1.331521F,   0.1203247F,   -0.6034134F,  -0.4275461F, 0.2587843F,  -0.933983F,
      -1.503947F,  -1.053792F,   -0.06661016F, -0.8017947F, -0.9570306F, -0.2368175F}}};
TEST(TransformerLayers, GivePyTorchsNumbers) {
  const Tensor x = x_of_torch(), memory = memory_of_torch();
  for (const LayerCase& c : kLayers) {
    SCOPED_TRACE(std::string(c.norm_first ? "norm first" : "norm last") +
                 (c.activation == Activation::Relu ? ", relu" : ", gelu"));
    TransformerLayerOptions options = {
        .feedforward = 5, .dropout = 0, .activation = c.activation, .norm_first = c.norm_first};
    TransformerEncoderLayer encoder(4, 2, options);
    fill_as_torch(encoder);
    expect_floats(encoder(x), {2, 3, 4}, c.encoded, 4e-6F);
    options.is_causal = true;
    TransformerDecoderLayer decoder(4, 2, options);
    fill_as_torch(decoder);
    expect_floats(decoder(x, memory), {2, 3, 4}, c.decoded, 4e-6F);
    options.is_causal = false;
    TransformerDecoderLayer open(4, 2, options);
    fill_as_torch(open);
    const Tensor seen = lower_triangle(3);
    expect_floats(open(x, memory, &seen), {2, 3, 4}, c.decoded, 4e-6F);
  }
}
TEST(TransformerLayers, TakeMasksOfXAndOfTheMemory) {
  manual_seed(6);
  const TransformerEncoderLayer encoder(4, 2, {.feedforward = 5});
  const TransformerDecoderLayer decoder(4, 2, {.feedforward = 5});
  const Tensor x = Tensor::randn({3, 4}).realize(), memory = Tensor::randn({5, 4}).realize();
  const Tensor first{true, true, false}, few{true, true, true, false, false};
  const Tensor two = x[{Slice(0, 2)}], three = memory[{Slice(0, 3)}];
  expect_floats(encoder(x, &first)[{Slice(0, 2)}], {2, 4}, encoder(two).to_vector<float>(), 1e-5F);
  expect_floats(decoder(x, memory, &first, &few)[{Slice(0, 2)}], {2, 4},
                decoder(two, three).to_vector<float>(), 1e-5F);
}
TEST(TransformerLayers, DropWhileTraining) {
  manual_seed(7);
  const TransformerEncoderLayer encoder(4, 2, {.feedforward = 5, .dropout = 1, .norm_first = true});
  const TransformerDecoderLayer decoder(4, 2, {.feedforward = 5, .dropout = 1, .norm_first = true});
  const Tensor x = Tensor::randn({3, 4}).realize();
  EXPECT_NE(encoder(x).to_vector<float>(), x.to_vector<float>());
  const TrainingScope training;  // of all parts nothing is left
  EXPECT_EQ(encoder(x).to_vector<float>(), x.to_vector<float>());
  EXPECT_EQ(decoder(x, x).to_vector<float>(), x.to_vector<float>());
}
TEST(TransformerLayers, WithoutBiasHaveNone) {
  TransformerEncoderLayer encoder(4, 2, {.feedforward = 5, .bias = false});
  TransformerDecoderLayer decoder(4, 2, {.feedforward = 5, .bias = false});
  EXPECT_EQ(parameters(encoder).size(), 6u);
  EXPECT_EQ(parameters(decoder).size(), 9u);
  for (const auto& [name, t] : state_dict(decoder)) EXPECT_EQ(name.find("bias"), name.npos) << name;
}
TEST(TransformerLayers, CanBeTrained) {
  manual_seed(8);
  TransformerEncoderLayer encoder(4, 2, {.feedforward = 8, .dropout = 0, .norm_first = true});
  Adam adam(encoder, {.lr = 0.01});
  const Tensor x = Tensor::randn({2, 3, 4}).realize(), y = x.flip(1).realize();
  const TrainingScope training;
  float first = 0, last = 0;
  for (int i = 0; i < 60; ++i) {
    const Tensor loss = (encoder(x) - y).square().mean();
    adam.step(loss);
    last = loss.item<float>();
    if (i == 0) first = last;
  }
  EXPECT_LT(last, first / 4);
}
TEST(TransformerLayers, SayWhatTheyCannotBe) {
  EXPECT_EQ(argument_error_of([] { TransformerEncoderLayer(4, 3); }),
            "MultiHeadAttention: heads must divide the size: 3 heads, size 4.");
  EXPECT_EQ(argument_error_of([] { TransformerDecoderLayer(4, 2, {.feedforward = 0}); }),
            "Linear: out must be at least 1, got 0.");
}

// By number of tensors, as other languages call layers.
TEST(LayerObjects, TakeMasksBehindWhatTheyAttendTo) {
  const Tensor x = Tensor::ones({3, 4}), mask = lower_triangle(3);
  const auto apply = [](const LayerObject& l, const std::vector<Tensor>& in) {
    return l.apply(in)[0].to_vector<float>();
  };
  const MultiHeadAttention attention(4, 2);
  const LayerOf<MultiHeadAttention> a(attention);
  EXPECT_EQ(apply(a, {x}), attention(x).to_vector<float>());
  EXPECT_EQ(apply(a, {x, mask}), attention(x, &mask).to_vector<float>());
  EXPECT_EQ(apply(a, {x, x * 2, x * 3}), attention(x, x * 2, x * 3).to_vector<float>());
  EXPECT_EQ(apply(a, {x, x, x, mask}), attention(x, x, x, &mask).to_vector<float>());
  EXPECT_EQ(argument_error_of([&] { apply(a, {}); }),
            "layer: it takes x or queries, keys and values, and perhaps a mask, got 0 tensors.");
  const LayerOf<TransformerEncoderLayer> encoder(TransformerEncoderLayer(4, 2));
  EXPECT_EQ(apply(encoder, {x, mask}).size(), 12u);
  EXPECT_EQ(argument_error_of([&] {
              apply(encoder, {x, x, x});
            }),
            "layer: it takes x, or x and a mask, got 3 tensors.");
  const LayerOf<TransformerDecoderLayer> decoder(TransformerDecoderLayer(4, 2));
  EXPECT_EQ(apply(decoder, {x, x, mask, mask}).size(), 12u);
  EXPECT_EQ(argument_error_of([&] { apply(decoder, {x}); }),
            "layer: it takes x and a memory, and perhaps a mask of x and one of the memory, got 1 "
            "tensors.");
}

}  // namespace
}  // namespace tg::nn
