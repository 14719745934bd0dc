// Records of what stands in include/tg/training.h; see records.h. Schedulers, averages and scalers
// hold on to an optimiser or to parameters of the program and are for C++ only; clipping is a
// function of tensors, which all languages call.
#include "nn/records.h"
#include "tensor/records/call.h"
#include "tg/training.h"

namespace tg {

template <>
inline constexpr std::string_view kOptionsOf<nn::ClipOptions> = "field of the options";

}  // namespace tg

namespace tg::nn {
namespace {

constexpr std::string_view kField = "field of the options";

const FnParam kOptimizer = {"optimizer", "Optimizer", "", "whose learning rate is set"};
const FnParam kParameters = {"parameters", "a model, or std::vector<Tensor>", "",
                             "whose gradients are changed"};
const FnParam kEtaMin = {"eta_min", "double", "0", "least rate"};

FnRecord tool(std::string_view name, std::string_view doc, std::vector<FnParam> params,
              std::string_view errors, std::string_view example, std::string_view result) {
  return {.name = name,
          .doc = doc,
          .params = std::move(params),
          .shapes = kNotATensor,
          .dtype = kNotATensor,
          .errors = errors,
          .example = example,
          .result = result};
}

}  // namespace

FnFamily scheduler_records() {
  constexpr std::string_view kBelowOne = "ArgumentError for a number of epochs below 1";
  constexpr std::string_view kRate = "ArgumentError when a rate is negative or not finite";
  return {
      "Schedulers of the learning rate",
      {
          tool("StepLR", "Times gamma after every step_size epochs.",
               {kOptimizer,
                {"step_size", "int64_t", "", "epochs between two changes"},
                {"gamma", "double", "0.1", "factor"}},
               kBelowOne,
               "nn::SGD sgd({Tensor{1.0}.is_param_()}, {.lr = 0.5});\n"
               "nn::StepLR scheduler(sgd, 2, 0.5);\n"
               "for (int epoch = 0; epoch < 4; ++epoch) scheduler.step();\n"
               "sgd.lr()",
               "0.125"),
          tool("MultiStepLR", "Times gamma at each of some epochs.",
               {kOptimizer,
                {"milestones", "std::vector<int64_t>", "", "the epochs"},
                {"gamma", "double", "0.1", "factor"}},
               kRate,
               "nn::SGD sgd({Tensor{1.0}.is_param_()}, {.lr = 0.5});\n"
               "nn::MultiStepLR scheduler(sgd, {1, 3}, 0.5);\n"
               "for (int epoch = 0; epoch < 2; ++epoch) scheduler.step();\n"
               "sgd.lr()",
               "0.25"),
          tool("ExponentialLR", "Times gamma every epoch.",
               {kOptimizer, {"gamma", "double", "", "factor"}}, kRate,
               "nn::SGD sgd({Tensor{1.0}.is_param_()}, {.lr = 0.5});\n"
               "nn::ExponentialLR scheduler(sgd, 0.5);\n"
               "scheduler.step();\n"
               "sgd.lr()",
               "0.25"),
          tool("LinearLR",
               "A warm-up: the first rate times a factor that goes straight from one value to "
               "another.",
               {kOptimizer,
                {"start_factor", kField, "1/3", "of epoch 0"},
                {"end_factor", kField, "1", "from epoch total_iters on"},
                {"total_iters", kField, "5", "epochs from one to the other"}},
               "ArgumentError for a start_factor outside (0, 1], an end_factor outside [0, 1], and "
               "a number of epochs below 1",
               "nn::SGD sgd({Tensor{1.0}.is_param_()}, {.lr = 0.5});\n"
               "nn::LinearLR scheduler(sgd, {.start_factor = 0.25, .total_iters = 3});\n"
               "scheduler.step();\n"
               "sgd.lr()",
               "0.25"),
          tool("CosineAnnealingLR",
               "From the first rate to eta_min along half a cosine, and back in as many epochs "
               "(Loshchilov and Hutter, 2017).",
               {kOptimizer, {"t_max", "int64_t", "", "epochs of the way down"}, kEtaMin}, kBelowOne,
               "nn::SGD sgd({Tensor{1.0}.is_param_()}, {.lr = 0.5});\n"
               "nn::CosineAnnealingLR scheduler(sgd, 2, 0.25);\n"
               "scheduler.resume(2);\n"
               "sgd.lr()",
               "0.25"),
          tool("CosineAnnealingWarmRestarts",
               "Half a cosine from the first rate to eta_min again and again.",
               {kOptimizer,
                {"t_0", "int64_t", "", "epochs of the first cycle"},
                {"t_mult", kField, "1", "times the length of the cycle before"},
                {"eta_min", kField, "0", "least rate"}},
               kBelowOne,
               "nn::SGD sgd({Tensor{1.0}.is_param_()}, {.lr = 0.5});\n"
               "nn::CosineAnnealingWarmRestarts scheduler(sgd, 2);\n"
               "scheduler.resume(2);\n"
               "sgd.lr()",
               "0.5"),
          tool("OneCycleLR",
               "One rise to max_lr and a fall far below the first rate, a step for each batch "
               "(Smith and Topin, 2018). The momentum stays.",
               {kOptimizer,
                {"max_lr", "double", "", "the highest rate"},
                {"total_steps", "int64_t", "", "of the whole training"},
                {"pct_start", kField, "0.3", "share of the steps in which the rate rises"},
                {"anneal", kField, "Anneal::Cos", "how it rises and falls: Cos or Linear"},
                {"div_factor", kField, "25", "the first rate is max_lr / div_factor"},
                {"final_div_factor", kField, "1e4", "the last one is the first / this"},
                {"three_phase", kField, "false", "fall to the first rate as slowly as it rose"}},
               "ArgumentError for less than one step, a share outside [0, 1], factors that are not "
               "above 0, and a step after the last",
               "nn::SGD sgd({Tensor{1.0}.is_param_()});\n"
               "nn::OneCycleLR scheduler(sgd, 0.5, 10);\n"
               "scheduler.resume(2);\n"
               "sgd.lr()",
               "0.5"),
          tool("LambdaLR", "The first rate times what a function says of the epoch.",
               {kOptimizer,
                {"factor", "std::function<double(int64_t epoch)>", "", "gives the factor"}},
               kRate,
               "nn::SGD sgd({Tensor{1.0}.is_param_()}, {.lr = 0.5});\n"
               "nn::LambdaLR scheduler(sgd, [](int64_t epoch) { return epoch + 1.0; });\n"
               "scheduler.step();\n"
               "sgd.lr()",
               "1"),
          tool("SequentialLR",
               "One scheduler after another, each from the first rate. Only this one is stepped.",
               {kOptimizer,
                {"schedulers", "std::vector<LRScheduler*>", "", "of this optimizer"},
                {"milestones", "std::vector<int64_t>", "", "where all but the first begin"}},
               "ArgumentError for none, for one of another optimizer, and unless there is one "
               "milestone less than there are schedulers, in ascending order",
               "nn::SGD sgd({Tensor{1.0}.is_param_()}, {.lr = 0.5});\n"
               "nn::LinearLR up(sgd, {.start_factor = 0.5, .total_iters = 2});\n"
               "nn::ExponentialLR down(sgd, 0.5);\n"
               "nn::SequentialLR scheduler(sgd, {&up, &down}, {2});\n"
               "for (int epoch = 0; epoch < 3; ++epoch) scheduler.step();\n"
               "sgd.lr()",
               "0.25"),
          tool("ChainedScheduler",
               "Schedulers of one optimizer that step together, each from the rate of the one "
               "before it.",
               {{"schedulers", "std::vector<LRScheduler*>", "", "of one optimizer"}},
               "ArgumentError for none, and for different optimizers",
               "nn::SGD sgd({Tensor{1.0}.is_param_()}, {.lr = 0.5});\n"
               "nn::StepLR a(sgd, 1, 0.5);\n"
               "nn::ExponentialLR b(sgd, 0.5);\n"
               "nn::ChainedScheduler scheduler({&a, &b});\n"
               "scheduler.step();\n"
               "sgd.lr()",
               "0.125"),
          tool("ReduceLROnPlateau",
               "Lowers the learning rate when a number that the program measures gets no better.",
               {kOptimizer,
                {"maximize", kField, "false", "larger numbers are better ones"},
                {"factor", kField, "0.1", "times the rate"},
                {"patience", kField, "10", "epochs without a better number that are put up with"},
                {"threshold", kField, "1e-4", "how much better a number has to be"},
                {"relative", kField, "true", "as a share of the best one; else a difference"},
                {"cooldown", kField, "0", "epochs after a change that do not count"},
                {"min_lr", kField, "0", "least rate"},
                {"eps", kField, "1e-8", "smaller changes are not made"}},
               "ArgumentError for a factor outside [0, 1)",
               "nn::SGD sgd({Tensor{1.0}.is_param_()}, {.lr = 0.5});\n"
               "nn::ReduceLROnPlateau scheduler(sgd, {.factor = 0.5, .patience = 1});\n"
               "for (double loss : {2.0, 3.0, 3.0}) scheduler.step(loss);\n"
               "sgd.lr()",
               "0.25"),
      }};
}

FnFamily training_records() {
  constexpr std::string_view kGradients = "each gradient keeps its own";
  return {
      "Training",
      {
          {.name = "clip_grad_norm",
           .doc = "Multiplies gradients by max_norm / (norm + 1e-6), or by 1 where that is more; "
                  "gives the norm before, of all as one vector. Between backward and step.",
           .params = {kParameters,
                      {"max_norm", "double", "", "what the norm is to be at most"},
                      field<&ClipOptions::norm_type>(
                          "norm_type", "2", "p of the norm; infinity: the largest element")},
           .shapes = "[]",
           .dtype = "float32, or float64 if a gradient is",
           .errors = "ArgumentError for no parameters, a negative max_norm, and a norm_type that "
                     "is not above 0",
           .example = "const Tensor p = Tensor{0.0, 0.0}.is_param_();\n"
                      "p.set_grad(Tensor{3.0, 4.0});\n"
                      "nn::clip_grad_norm({p}, 1.0)",
           .result = "5. float32[]",
           .call = call<[](const std::vector<Tensor>& parameters, double max_norm,
                           const ClipOptions& options) {
             return clip_grad_norm(parameters, max_norm, options);
           }>()},
          {.name = "clip_grad_value",
           .doc = "Moves every element of the gradients into +-clip_value. Between backward and "
                  "step.",
           .params = {kParameters, {"clip_value", "double", "", "largest magnitude"}},
           .shapes = kGradients,
           .dtype = kGradients,
           .errors = "ArgumentError for no parameters, and a negative value",
           .example = "const Tensor p = Tensor{0.0, 0.0}.is_param_();\n"
                      "p.set_grad(Tensor{3.0, -0.5});\n"
                      "nn::clip_grad_value({p}, 1.0);\n"
                      "p.grad()",
           .result = "[ 1.0000 -0.5000] float32[2]",
           .call = call<[](const std::vector<Tensor>& parameters, double clip_value) {
             clip_grad_value(parameters, clip_value);
           }>()},
          tool("ExponentialMovingAverage",
               "average = decay * average + (1 - decay) * parameter at each update(); swap() puts "
               "the averages into the parameters and back, copy_to() into another model.",
               {{"parameters", "a model, or std::vector<Tensor>", "", "what is averaged"},
                {"decay", "double", "0.999", "share of the average that stays"}},
               "ArgumentError for no parameters, and a decay outside [0, 1]; DTypeError for "
               "parameters that are no floats",
               "const Tensor p = Tensor{1.0}.is_param_();\n"
               "nn::ExponentialMovingAverage average({p}, 0.5);\n"
               "p.assign(Tensor{3.0});\n"
               "average.update();\n"
               "average.averages()[0]",
               "[2.] float32[1]"),
          tool("GradScaler",
               "Keeps gradients of small floats away from 0: scale(loss), then unscale, step and "
               "update. A step with gradients that are not finite changes nothing.",
               {{"init_scale", kField, "65536", "the first scale"},
                {"growth_factor", kField, "2", "times the scale after growth_interval good steps"},
                {"backoff_factor", kField, "0.5", "times the scale after a step that was skipped"},
                {"growth_interval", kField, "2000", "steps"},
                {"device", kField, "the default device", "of the parameters"}},
               "ArgumentError for numbers outside their range, and for calls in another order",
               "const Tensor p = Tensor{1.0}.is_param_();\n"
               "nn::SGD sgd({p}, {.lr = 0.25});\n"
               "nn::GradScaler scaler;\n"
               "scaler.scale((p * 2).sum()).backward();\n"
               "scaler.step(sgd);\n"
               "scaler.update();\n"
               "p",
               "[0.5000] float32[1]"),
      }};
}

}  // namespace tg::nn
