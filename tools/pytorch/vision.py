# SPDX-License-Identifier: MIT
"""Networks of torchvision and timm: classification, detection, segmentation, video, flow."""

import torch
from torch import nn

from pytorch.wrap import Output

IMAGE = (1, 3, 224, 224)
CLIP = (1, 3, 16, 112, 112)  # frames of a video


def torchvision_model(name, inputs=IMAGE, **options):
    import torchvision
    options.setdefault("weights", None)
    return torchvision.models.get_model(name, **options), (torch.randn(*inputs),)


def timm_model(name):
    import timm
    model = timm.create_model(name, pretrained=False)
    return model, (torch.randn(1, *model.pretrained_cfg["input_size"]),)


def segmentation(name):
    model, inputs = torchvision_model(name, (1, 3, 128, 128), weights_backbone=None)
    return Output(model, lambda found: found["out"]), inputs


def pyramid(backbone):
    """A detector's backbone with its feature pyramid."""
    from torchvision.models.detection import backbone_utils as utilities
    if backbone.startswith("mobilenet"):
        model = utilities.mobilenet_backbone(backbone_name=backbone, weights=None, fpn=True)
    else:
        model = utilities.resnet_fpn_backbone(backbone_name=backbone, weights=None)
    return Output(model, lambda found: tuple(found.values())), (torch.randn(1, 3, 256, 256),)


class OneStage(nn.Module):
    """Backbone and heads of a one-stage detector, without the search for boxes after them."""

    def __init__(self, detector):
        super().__init__()
        self.backbone, self.head = detector.backbone, detector.head

    def forward(self, image):
        found = self.head(list(self.backbone(image).values()))
        return tuple(found.values())


def one_stage(name, extent):
    detector, _ = torchvision_model(name, weights_backbone=None)
    return OneStage(detector), (torch.randn(1, 3, extent, extent),)


def detector(name, extent):
    """The whole detector, from image to boxes."""
    model, _ = torchvision_model(name, weights_backbone=None)
    pick = lambda found: tuple(found[0].values())
    return Output(model, pick), ([torch.randn(3, extent, extent)],)


def flow(name):
    model, _ = torchvision_model(name)
    image = torch.randn(1, 3, 128, 128)
    return Output(model, lambda found: found[-1]), (image, torch.randn_like(image))


CLASSIFIERS = ["alexnet", "vgg11_bn", "resnet18", "resnet50", "resnext50_32x4d", "wide_resnet50_2",
               "densenet121", "mobilenet_v2", "mobilenet_v3_small", "mobilenet_v3_large",
               "mnasnet1_0", "shufflenet_v2_x1_0", "squeezenet1_1", "efficientnet_b0",
               "efficientnet_v2_s", "regnet_y_400mf", "convnext_tiny", "vit_b_16", "swin_t",
               "swin_v2_t", "maxvit_t", "regnet_x_400mf", "squeezenet1_0"]

SEGMENTATION = ["fcn_resnet50", "deeplabv3_resnet50", "deeplabv3_mobilenet_v3_large",
                "lraspp_mobilenet_v3_large"]

VIDEO = ["r3d_18", "mc3_18", "r2plus1d_18"]

# One of each design that timm has and torchvision lacks.
TIMM = ["mixer_s32_224", "vit_tiny_patch16_224", "deit_tiny_distilled_patch16_224",
        "cait_xxs24_224", "xcit_nano_12_p16_224", "levit_128s", "pit_ti_224", "pvt_v2_b0",
        "poolformer_s12", "efficientformer_l1", "mobilevit_xxs", "mobilenetv4_conv_small",
        "ghostnet_050", "hrnet_w18_small", "res2net50_14w_8s", "skresnet18", "resnest14d",
        "nf_regnet_b0", "dpn48b", "inception_v4", "inception_next_atto", "gmlp_ti16_224",
        "resmlp_12_224", "convmixer_768_32", "coat_lite_tiny", "coatnet_pico_rw_224",
        "crossvit_tiny_240", "davit_tiny", "edgenext_xx_small", "eva02_tiny_patch14_224",
        "beit_base_patch16_224", "fastvit_t8", "mobileone_s0", "focalnet_tiny_srf", "halonet26t",
        "lambda_resnet26t", "botnet26t_256", "maxvit_rmlp_pico_rw_256", "mvitv2_tiny", "nest_tiny",
        "repvgg_a0", "sequencer2d_s", "swinv2_cr_tiny_224", "tinynet_e", "tiny_vit_5m_224",
        "tnt_s_patch16_224", "twins_svt_small", "visformer_tiny", "volo_d1_224", "caformer_s18",
        "hiera_tiny_224", "tresnet_m", "starnet_s1", "repghostnet_050", "selecsls42", "vovnet39a"]

NETWORKS = {
    **{name: lambda name=name: torchvision_model(name) for name in CLASSIFIERS},
    "googlenet": lambda: torchvision_model("googlenet", aux_logits=False, init_weights=True),
    "inception_v3": lambda: torchvision_model("inception_v3", (1, 3, 299, 299), aux_logits=False,
                                              init_weights=True),
    **{name: lambda name=name: segmentation(name) for name in SEGMENTATION},
    "resnet50_fpn": lambda: pyramid("resnet50"),
    "mobilenet_v3_fpn": lambda: pyramid("mobilenet_v3_large"),
    "retinanet_heads": lambda: one_stage("retinanet_resnet50_fpn", 256),
    "fcos_heads": lambda: one_stage("fcos_resnet50_fpn", 256),
    "ssd300_heads": lambda: one_stage("ssd300_vgg16", 300),
    "ssdlite_heads": lambda: one_stage("ssdlite320_mobilenet_v3_large", 320),
    "faster_rcnn": lambda: detector("fasterrcnn_mobilenet_v3_large_320_fpn", 320),
    "mask_rcnn": lambda: detector("maskrcnn_resnet50_fpn", 256),
    "keypoint_rcnn": lambda: detector("keypointrcnn_resnet50_fpn", 256),
    "retinanet": lambda: detector("retinanet_resnet50_fpn", 256),
    "fcos": lambda: detector("fcos_resnet50_fpn", 256),
    "ssd300": lambda: detector("ssd300_vgg16", 300),
    "ssdlite": lambda: detector("ssdlite320_mobilenet_v3_large", 320),
    **{name: lambda name=name: torchvision_model(name, CLIP) for name in VIDEO},
    "s3d": lambda: torchvision_model("s3d", (1, 3, 14, 224, 224)),
    "swin3d_t": lambda: torchvision_model("swin3d_t", (1, 3, 8, 112, 112)),
    "raft_small": lambda: flow("raft_small"),
    **{name: lambda name=name: timm_model(name) for name in TIMM},
}
