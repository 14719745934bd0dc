"""The public names of tinygrad's Tensor, as of its version 0.14."""

NAMES = """
T abs acos acosh add all allclose alu any arange argmax argmin argsort as_param asin asinh
assign atan atanh avg_pool2d backward batchnorm bfloat16 binary_crossentropy
binary_crossentropy_logits bitcast bitwise_and bitwise_not bitwise_or bitwise_xor bool call
callify cast cat ceil celu chunk clamp clip clone const const_like contiguous
contiguous_backward conv2d conv_transpose2d copysign cos cosh cross_entropy cummax cummin
cumprod cumsum custom_kernel data decode_hevc_frame detach device diag diagonal div dot
double dropout dtype einsum element_size elu empty empty_like eq erf exp exp2 expand eye
flatten flip float floor fmod from_blob from_url full full_like gather gelu glorot_uniform
grad gradient half hardsigmoid hardswish hardtanh hash image_conv2d image_dot int
interpolate invalids is_floating_point is_param is_param_ isclose isfinite isinf isnan item
kaiming_normal kaiming_uniform keccak layernorm leaky_relu lerp linear linear_with_vars
linspace log log10 log2 log_softmax logaddexp logcumsumexp logical_not logsigmoid logsumexp
long lshift manual_seed masked_fill masked_select matmul max max_numel max_pool2d max_shape
max_unpool2d maximum mean meshgrid min minimum mish mod mul multinomial nbytes ndim ne neg
newton_schulz nll_loss nonzero normal normalize numel numpy one_hot ones ones_like pad
pad_to permute pow prod qr quick_gelu rand rand_like randint randn randn_like random_bits
randperm realize rearrange reciprocal relu relu6 repeat repeat_interleave replace reshape
roll round rshift rsqrt scaled_dot_product_attention scaled_uniform scatter scatter_reduce
schedule_linear selu sequential shape shard shard_ shard_like short shrink shrink_to
sigmoid sign silu sin sinh size softmax softmin softplus softsign sort
sparse_categorical_crossentropy split sqrt square squeeze stack std std_mean sub sum svd
swish tan tanh threefry to to_ tolist topk transpose tril triu trunc ufix unflatten unfold
uniform unsqueeze uop uprod usum var var_mean view where zeros zeros_like
""".split()
