"""EfficientNet-B0 of tinygrad's extra/models: loaded from its authors' file, asked about a picture."""
from tinygrad import Tensor
from extra.models.efficientnet import EfficientNet

Tensor.manual_seed(1)
model = EfficientNet(0)
model.load_from_pretrained()
print("logits", model.forward(Tensor.rand(1, 3, 224, 224)).numpy().shape)
