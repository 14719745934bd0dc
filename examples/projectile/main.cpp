// A gradient through a simulation: a ball is thrown against the drag of the air, and the launch
// speed that hits a target is found by Newton's method on the landing point. Every time step is a
// few operations on tensors, so the derivative through all of them comes from the library.
#include <tg/tg.h>

#include <cmath>
#include <cstdio>

namespace {

constexpr double kGravity = 9.81;  // m/s²
constexpr double kDrag = 0.02;     // 1/m
constexpr double kStep = 0.02;     // s
constexpr int kSteps = 50;         // 1 s of flight

/// How far the ball has come after the flight, in m: [1] → [1]. Thrown at 45°.
tg::Tensor distance(const tg::Tensor& speed) {
  tg::Tensor vx = speed * std::sqrt(0.5), vy = vx;
  tg::Tensor x = speed * 0.0;
  for (int i = 0; i < kSteps; ++i) {
    const tg::Tensor drag = (vx.square() + vy.square()).sqrt() * (kDrag * kStep);
    x = x + vx * kStep;
    // One pair: both components slow down by the speed of the same moment.
    vx = vx - vx * drag, vy = vy - vy * drag - kGravity * kStep;
  }
  return x;
}

}  // namespace

int main() {
  constexpr double kTarget = 8.0;  // m
  tg::Tensor speed = tg::Tensor{5.0}.is_param_();
  for (int i = 0; i < 5; ++i) {
    const tg::Tensor reached = distance(speed);
    const tg::Tensor slope = reached.sum().gradient({speed})[0];
    std::printf("speed %.4f m/s reaches %.4f m\n", speed.item<double>(), reached.item<double>());
    speed.assign(speed - (reached - kTarget) / slope);
    speed.realize();
  }
  std::printf("launch speed %.3f m/s\n", speed.item<double>());
}
