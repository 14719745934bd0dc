"""ViT-Ti/16 of tinygrad's extra/models: loaded from its authors' file, asked about a picture."""
from tinygrad import Tensor
from extra.models.vit import ViT

Tensor.manual_seed(1)
model = ViT()
model.load_from_pretrained()
print("logits", model.forward(Tensor.rand(2, 3, 224, 224)).numpy().shape)
