"""How tinygrad's functions are called and which function of the library each is.

A line is `name[=c_name] [parameters]`; a parameter is `name[=library's name][:=value]`, where the
value stands in when none is given and the library's default is another. `*name` takes all further
positional arguments; `~name` is accepted and not used; `^reverse` swaps the operands. Kinds,
defaults and documentation of the parameters come from the manifest. Names with an underscore are
used by the functions written in Python. Where to look next: generate.py.
"""

# Called on a tensor.
METHODS = """
_numel=numel
element_size
nbytes
is_floating_point

_zeros_like=zeros_like
_ones_like=ones_like
_empty_like=empty_like
_rand_like=rand_like
_randn_like=randn_like
dropout p

reshape *shape=sizes
view=reshape *shape=sizes
expand *shape=sizes
permute *order
transpose dim0=axis0:=1 dim1=axis1:=0
_flip=flip *axis=axes
_shrink=shrink ranges
_pad=pad padding value mode
squeeze dim=axis
unsqueeze dim=axis
flatten start_dim=first end_dim=last
unflatten dim=axis sizes
repeat *repeats
_roll=roll shift axis
pad_to *shape=sizes value
_pad_to=pad_to *shape=sizes value
shrink_to *shape=sizes
_shrink_to=shrink_to *shape=sizes
repeat_interleave repeats dim=axis
diag
unfold dim=axis size step
_rearrange=rearrange formula
interpolate size mode align_corners
grid_sample grid mode padding_mode=padding align_corners
affine_grid size align_corners
_tril=tril diagonal
_triu=triu diagonal
chunk chunks dim=axis

_index=index items
_set=set items value
gather dim=axis index
_scatter=scatter axis index src
_scatter_add=scatter_add axis index src
_scatter_reduce=scatter_reduce axis index src reduction include_self
one_hot num_classes=classes
masked_select mask size fill_value
nonzero size fill_value
multinomial num_samples replacement
_random_bits=random_bits counter num

sort dim=axis descending
argsort dim=axis descending
_topk=topk k dim=axis largest
unique size fill_value

add x=other ^reverse
sub x=other ^reverse
mul x=other ^reverse
_div=div x=other ^reverse
_div_rounded=div x=other rounding
_floordiv=floordiv x=other ^reverse
mod x=other ^reverse
pow x=exponent ^reverse
_matmul=matmul x=other ^reverse
bitwise_and x=other ^reverse
bitwise_or x=other ^reverse
bitwise_xor x=other ^reverse
lshift x=count ^reverse
rshift x=count ^reverse
fmod x=other
maximum x=other
minimum x=other
eq x=other
ne x=other
_lt=lt x=other
_le=le x=other
_gt=gt x=other
_ge=ge x=other
copysign other
logaddexp other
isclose other rtol atol equal_nan
allclose other rtol atol equal_nan
where x=a y=b
masked_fill mask value
lerp end weight
threefry seed
_clip=clip low high
_clamp_min=clamp_min low
_clamp_max=clamp_max high

neg
logical_not
bitwise_not
reciprocal
sqrt
rsqrt
square
exp
exp2
log
log2
log10
sin
cos
tan
asin
acos
atan
sinh
cosh
tanh
asinh
acosh
atanh
erf
abs
sign
trunc
ceil
floor
round
isnan
isinf detect_positive=positive detect_negative=negative
isfinite
cast dtype
bitcast dtype

relu
relu6
leaky_relu neg_slope=slope
elu alpha
celu alpha
selu alpha:=1.67326 gamma:=1.0507
_gelu=gelu form
quick_gelu
sigmoid
logsigmoid
hardsigmoid alpha beta
hardswish
hardtanh min_val=low max_val=high
swish
silu
mish
softplus beta
softsign

sum axis keepdim dtype
prod axis keepdim dtype
max axis keepdim
min axis keepdim
any axis keepdim
all axis keepdim
mean axis keepdim
var axis keepdim correction
std axis keepdim correction
var_mean axis keepdim correction
std_mean axis keepdim correction
logsumexp axis keepdim
softmax axis dtype
log_softmax axis dtype
softmin axis dtype
argmax axis keepdim
argmin axis keepdim
normalize p dim=axis eps
cumsum axis
cumprod axis
cummax axis
cummin axis
logcumsumexp axis

_conv2d=conv2d weight bias groups stride dilation padding
_conv_transpose2d=conv_transpose2d weight bias groups stride dilation padding output_padding
_max_pool2d=max_pool2d kernel_size stride dilation padding ceil_mode
_avg_pool2d=avg_pool2d kernel_size stride dilation padding ceil_mode count_include_pad
_max_pool2d_with_indices=max_pool2d_with_indices kernel_size stride dilation padding ceil_mode
_max_unpool2d=max_unpool2d indices kernel_size stride dilation padding output_size
scaled_dot_product_attention key value attn_mask dropout_p is_causal enable_gqa
_linear=linear weight bias
qr
svd full_matrices
cholesky upper
solve_triangular b upper left unitriangular
fft dim=axis
ifft dim=axis
rfft dim=axis
irfft n=size dim=axis
_keccak=keccak variant capacity size
hash
layernorm=layer_norm axis eps
_layer_norm=layer_norm axis weight bias eps
_rms_norm=rms_norm axis weight eps
_group_norm=group_norm groups weight bias eps
_batch_norm=batch_norm weight bias running_mean running_var training momentum eps axis

cross_entropy Y=target reduction label_smoothing
_sparse_crossentropy=sparse_categorical_crossentropy Y=target reduction label_smoothing ignore_index
nll_loss Y=target weight ignore_index reduction
_bce=binary_crossentropy Y=target reduction
_bce_logits=binary_crossentropy_logits Y=target reduction

contiguous
_contiguous_unrolled=contiguous_unrolled upcast unroll
contiguous_backward
_clone=clone
detach
_to=to device
_shard=shard devices axis
_shard_=shard_ devices axis
_shard_like=shard_like like
_shard_axis=shard_axis
_assign=assign value
_has_storage=has_storage
_realize=realize tensors
_str=str
_graph=graph
_backward=backward seed inner
_has_grad=has_grad
_grad=grad
_set_grad=set_grad gradient
_zero_grad=zero_grad
_gradient=gradient targets seed
_mark=is_param_ flag
"""

# Called on the class.
STATICS = """
_empty=empty *shape dtype device ~requires_grad
full shape=sizes fill_value=value dtype device buffer ~requires_grad
_zeros=zeros *shape=sizes dtype device ~requires_grad
_ones=ones *shape=sizes dtype device ~requires_grad
_arange=arange stop start step dtype device
_linspace=linspace start stop steps dtype device
_eye=eye n m dtype device
rand *shape device dtype ~contiguous ~requires_grad
randn *shape dtype device ~requires_grad
randint *shape low high dtype device ~requires_grad
_randperm=randperm n dtype device
uniform *shape low high dtype device ~requires_grad
normal *shape mean std dtype device ~requires_grad
scaled_uniform *shape dtype device ~requires_grad
glorot_uniform *shape dtype device ~requires_grad
kaiming_uniform *shape a dtype device ~requires_grad
kaiming_normal *shape a dtype device ~requires_grad
einsum formula *operands ~dtype
stack *tensors dim=axis
cat *tensors dim=axis
meshgrid *tensors indexing
_of_text=tensor_of_text graph
_kernels=kernels_text tensors
usum *tensors
uprod *tensors
"""

# Functions that run kernels: called without the GIL.
COMPUTES = {"_index", "_set", "masked_select", "nonzero", "unique", "hash", "_realize", "_str"}
# Functions whose result is the tensor that they were called on.
RETURNS_SELF = {"_realize", "_assign", "_set", "_backward", "_set_grad", "_zero_grad", "_mark", "_shard_"}
# Functions that give a list.
RETURNS_LIST = {"chunk", "_gradient"}
# New tensors that backward gives a gradient, as it does for all of tinygrad's.
LEAVES = {"rand", "randn", "uniform", "normal", "scaled_uniform", "glorot_uniform",
          "kaiming_uniform", "kaiming_normal", "_rand_like", "_randn_like"}
# Methods that are also called on the class with all operands (Tensor.stack(a, b)).
OPERANDS_AS_METHODS = {"stack", "cat", "meshgrid", "usum", "uprod"}

# ---- weak dtypes (native/weak.cpp)

# The result gives way to what it meets if the tensor does.
AS_SELF = set("""
reshape view expand permute transpose _flip _shrink _pad squeeze unsqueeze flatten unflatten repeat _roll
pad_to _pad_to shrink_to _shrink_to repeat_interleave diag unfold _rearrange _tril _triu chunk _index gather
neg bitwise_not reciprocal sqrt rsqrt square exp exp2 log log2 log10 sin cos tan asin acos atan sinh cosh
tanh asinh acosh atanh erf abs sign trunc ceil floor round relu relu6 leaky_relu elu celu selu _gelu
quick_gelu sigmoid logsigmoid hardsigmoid hardswish hardtanh swish silu mish softplus softsign
lshift rshift contiguous _contiguous_unrolled contiguous_backward detach _to
""".split())
# Operands are promoted to one dtype; the result gives way if that does.
PROMOTES = set("""
add sub mul _div _div_rounded _floordiv mod pow bitwise_and bitwise_or bitwise_xor fmod maximum minimum
copysign logaddexp where masked_fill lerp _clip _clamp_min _clamp_max _matmul _linear
""".split())
# Operands are promoted to one dtype; the result does not give way.
PROMOTES_ONLY = set("_conv2d _conv_transpose2d eq ne _lt _le _gt _ge isclose allclose".split())
# Called on a condition, which is no operand.
CONDITIONS = {"where"}

# New tensors of dtypes.default_float, or what `full` is given a number of, where no dtype is named.
CREATES = set("""
_empty full _zeros _ones _linspace _eye rand randn uniform normal scaled_uniform glorot_uniform
kaiming_uniform kaiming_normal
""".split())
