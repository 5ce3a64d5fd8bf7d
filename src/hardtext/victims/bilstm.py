"""The recurrent victim of BODEGA (Przybyła et al. 2023), as a Hugging Face model so that it is saved and loaded as one."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence
from transformers import AutoConfig, AutoModelForSequenceClassification, PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import SequenceClassifierOutput


class BiLSTMConfig(PretrainedConfig):
    model_type = "hardtext-bilstm"

    def __init__(self, vocab_size: int = 30522, embedding_size: int = 32, hidden_size: int = 128,
                 padding: str = "packed", pad_token_id: int = 0, **kwargs) -> None:
        self.vocab_size, self.embedding_size, self.hidden_size = vocab_size, embedding_size, hidden_size
        self.padding = padding
        super().__init__(pad_token_id=pad_token_id, **kwargs)


class BiLSTMForSequenceClassification(PreTrainedModel):
    """Embedding → one bidirectional LSTM → both last hidden states → one dense layer.

    ``padding="packed"``: each direction ends at the text's own end, so pads and neighbours in the batch change nothing.
    ``padding="legacy"``: pads run through the LSTM, as published.
    """

    config_class = BiLSTMConfig
    base_model_prefix = ""

    def __init__(self, config: BiLSTMConfig) -> None:
        super().__init__(config)
        self.embedding = nn.Embedding(config.vocab_size, config.embedding_size, padding_idx=config.pad_token_id)
        self.lstm = nn.LSTM(config.embedding_size, config.hidden_size, batch_first=True, bidirectional=True)
        self.classifier = nn.Linear(2 * config.hidden_size, config.num_labels)
        self.post_init()

    def _init_weights(self, module: nn.Module) -> None:
        """PyTorch's own initial weights stay, as published."""

    def get_input_embeddings(self) -> nn.Embedding:
        return self.embedding

    def forward(self, input_ids: Tensor | None = None, attention_mask: Tensor | None = None,
                inputs_embeds: Tensor | None = None) -> SequenceClassifierOutput:
        """``input_ids``, ``attention_mask``: (batch, width); ``inputs_embeds``: (batch, width, embedding) in place of
        the ids. Logits: (batch, classes)."""
        vectors = self.embedding(input_ids) if inputs_embeds is None else inputs_embeds
        # Without pads both ways of padding are one, and the unpacked LSTM is faster.
        if self.config.padding == "packed" and attention_mask is not None and not attention_mask.all():
            lengths = attention_mask.sum(dim=1).cpu()
            vectors = pack_padded_sequence(vectors, lengths, batch_first=True, enforce_sorted=False)
        _, (hidden, _) = self.lstm(vectors)  # (2, batch, hidden): forwards, backwards
        return SequenceClassifierOutput(logits=self.classifier(torch.cat([hidden[0], hidden[1]], dim=1)))


AutoConfig.register(BiLSTMConfig.model_type, BiLSTMConfig, exist_ok=True)
AutoModelForSequenceClassification.register(BiLSTMConfig, BiLSTMForSequenceClassification, exist_ok=True)
