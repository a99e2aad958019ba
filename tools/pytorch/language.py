# SPDX-License-Identifier: MIT
"""Networks of the transformers package with small configurations: text, images, speech."""

import torch

from pytorch.wrap import Masked, Named, Output, tokens

# Parameters of a configuration's size; each is used if the configuration has it.
TEXT = {"vocab_size": 2000, "hidden_size": 128, "num_hidden_layers": 2, "num_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 256,
        "max_position_embeddings": 64, "head_dim": 32, "decoder_layers": 2, "encoder_layers": 2,
        "d_model": 128, "encoder_ffn_dim": 256, "decoder_ffn_dim": 256, "d_kv": 32, "d_ff": 256,
        "encoder_attention_heads": 4, "decoder_attention_heads": 4, "num_heads": 4,
        "use_cache": False, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
        "embedding_size": 64, "word_embed_proj_dim": 128, "ffn_dim": 256, "n_layer": 2}


def configuration(kind, attention, **changes):
    """A small `kind`Config of transformers with this `attention` implementation."""
    import transformers
    config = getattr(transformers, kind + "Config")()
    for name, value in {**TEXT, **changes}.items():
        if hasattr(config, name) and (name in changes or getattr(config, name) is not None):
            try:
                setattr(config, name, value)
            except (AttributeError, NotImplementedError):
                pass  # follows from others
    config._attn_implementation = attention
    return config


def model_of(kind, head, attention, **changes):
    import transformers
    return getattr(transformers, kind + head)(configuration(kind, attention, **changes))


def encoder(kind, attention, **changes):
    """From words to a state for each."""
    model = model_of(kind, "Model", attention, **changes)
    return Named(model, ["input_ids"], ["last_hidden_state"]), (tokens(),)


def decoder(kind, attention, head="ForCausalLM", **changes):
    """From words to scores of the next one."""
    return Masked(model_of(kind, head, attention, **changes)), (tokens(),)


def pair(kind, attention, **changes):
    """Encoder and decoder: from two rows of words to a state for each of the second."""
    model = model_of(kind, "Model", attention, **changes)
    return (Named(model, ["input_ids", "decoder_input_ids"], ["last_hidden_state"]),
            (tokens(), tokens(12)))


def image(kind, attention, extent=224):
    model = model_of(kind, "Model", attention, image_size=extent)
    return (Named(model, ["pixel_values"], ["last_hidden_state"]),
            (torch.randn(1, 3, extent, extent),))


def pyramid(kind, attention, extent=224, **changes):
    """From an image through stages of growing width, in the configuration's sizes."""
    import transformers
    config = getattr(transformers, kind + "Config")(**changes)
    config._attn_implementation = attention
    model = getattr(transformers, kind + "Model")(config)
    return (Named(model, ["pixel_values"], ["last_hidden_state"]),
            (torch.randn(1, 3, extent, extent),))


def clip(attention):
    config = configuration("CLIP", attention)
    for part in (config.text_config, config.vision_config):
        part.hidden_size, part.intermediate_size, part.num_hidden_layers = 128, 256, 2
        part.num_attention_heads, part._attn_implementation = 4, attention
    config.text_config.vocab_size = 2000
    config.text_config.eos_token_id = 1999
    import transformers
    model = transformers.CLIPModel(config)
    return (Named(model, ["input_ids", "pixel_values"], ["logits_per_image", "text_embeds"]),
            (tokens(16, 1999), torch.randn(1, 3, 224, 224)))


def whisper_encoder(attention):
    model = model_of("Whisper", "Model", attention, d_model=384, encoder_layers=4,
                     encoder_attention_heads=6, encoder_ffn_dim=1536, decoder_layers=1,
                     decoder_attention_heads=6)
    return Output(model.encoder, lambda found: found[0]), (torch.randn(1, 80, 3000),)


def whisper(attention):
    model = model_of("Whisper", "Model", attention)
    words = tokens(12)
    return (Named(model, ["input_features", "decoder_input_ids", "decoder_attention_mask"],
                  ["last_hidden_state"]),
            (torch.randn(1, 80, 3000), words, torch.ones_like(words)))


def speech(kind, attention):
    model = model_of(kind, "Model", attention, conv_dim=(32,) * 7, mask_time_prob=0.0,
                     num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4)
    return Named(model, ["input_values"], ["last_hidden_state"]), (torch.randn(1, 8000),)


ENCODERS = {"bert": "Bert", "distilbert": "DistilBert", "roberta": "Roberta", "albert": "Albert",
            "electra": "Electra", "deberta": "Deberta", "deberta_v2": "DebertaV2",
            "mpnet": "MPNet", "camembert": "Camembert", "mobilebert": "MobileBert",
            "modernbert": "ModernBert", "xlnet": "XLNet", "fnet": "FNet", "layoutlm": "LayoutLM",
            "roformer": "RoFormer", "funnel": "Funnel", "squeezebert": "SqueezeBert",
            "convbert": "ConvBert", "longformer": "Longformer", "nystromformer": "Nystromformer"}

DECODERS = {"llama": "Llama", "mistral": "Mistral", "qwen2": "Qwen2", "qwen3": "Qwen3",
            "phi": "Phi", "phi3": "Phi3", "opt": "OPT", "bloom": "Bloom", "gpt_neo_x": "GPTNeoX",
            "falcon": "Falcon", "gpt_j": "GPTJ", "gpt_neo": "GPTNeo", "olmo": "Olmo",
            "stablelm": "StableLm", "cohere": "Cohere", "granite": "Granite",
            "starcoder2": "Starcoder2", "gpt_oss": "GptOss", "mixtral": "Mixtral",
            "mamba": "Mamba", "codegen": "CodeGen"}

CHANGES = {
    "deberta_v2": {"relative_attention": True, "pos_att_type": ["p2c", "c2p"]},
    "mobilebert": {"hidden_size": 512, "embedding_size": 128, "intermediate_size": 512},
    "gpt_j": {"n_embd": 128, "n_head": 4, "rotary_dim": 16},
    "codegen": {"n_embd": 128, "n_head": 4, "rotary_dim": 16, "n_ctx": 64},
    "gpt_neo": {"attention_types": [[["global", "local"], 1]],
                "attention_layers": ["global", "local"]},
    "bloom": {"n_head": 4},
    "phi": {"num_key_value_heads": 4},
    "xlnet": {"n_head": 4, "d_head": 32, "d_inner": 256},
    "modernbert": {"num_hidden_layers": 4},
    "longformer": {"attention_window": [16, 16]},
    "squeezebert": {"embedding_size": 128},
    "gpt_oss": {"num_local_experts": 4},
}


def gpt2(attention):
    import transformers
    config = transformers.GPT2Config(vocab_size=2000, n_embd=128, n_layer=3, n_head=4,
                                     n_positions=64, use_cache=False, attn_implementation=attention)
    return Masked(transformers.GPT2LMHeadModel(config)), (tokens(),)


def networks(attention):
    """name: builder, of networks that compute attention in this way: eager or sdpa."""
    return {
        **{name: lambda name=name, kind=kind: encoder(kind, attention, **CHANGES.get(name, {}))
           for name, kind in ENCODERS.items()},
        **{name: lambda name=name, kind=kind: decoder(kind, attention, **CHANGES.get(name, {}))
           for name, kind in DECODERS.items()},
        "gpt2": lambda: gpt2(attention),
        "t5": lambda: pair("T5", attention),
        "bart": lambda: pair("Bart", attention),
        "whisper_encoder": lambda: whisper_encoder(attention),
        "whisper": lambda: whisper(attention),
        "wav2vec2": lambda: speech("Wav2Vec2", attention),
        "hubert": lambda: speech("Hubert", attention),
        "clip": lambda: clip(attention),
        "hf_vit": lambda: image("ViT", attention),
        "hf_deit": lambda: image("DeiT", attention),
        "hf_beit": lambda: image("Beit", attention),
        "hf_dinov2": lambda: image("Dinov2", attention),
        "hf_swin": lambda: pyramid("Swin", attention),
        "hf_swinv2": lambda: pyramid("Swinv2", "eager", 256, image_size=256, window_size=8),
        "hf_convnext": lambda: pyramid("ConvNext", "eager"),
        "hf_segformer": lambda: pyramid("Segformer", "eager"),
        "hf_mobilevit": lambda: pyramid("MobileViT", "eager", 256),
        "hf_resnet": lambda: pyramid("ResNet", "eager"),
    }


# Exporters write attention computed by one function (sdpa) differently from attention composed of
# its parts.
NETWORKS = {**networks("eager"),
            **{name + "_sdpa": build for name, build in networks("sdpa").items()}}
