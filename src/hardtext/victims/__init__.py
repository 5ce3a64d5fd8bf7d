"""Models that can be attacked: their settings, training, export and loading."""

from hardtext.victims.loading import load_victim
from hardtext.victims.settings import BiLSTM, CallableModel, Encoder, ModelSettings, Pretrained, TrainingPlan

MODELS: dict[str, type[ModelSettings]] = {
    "bilstm": BiLSTM,
    "encoder": Encoder,
    "pretrained": Pretrained,
    "callable": CallableModel,
}

__all__ = ["MODELS", "BiLSTM", "CallableModel", "Encoder", "ModelSettings", "Pretrained", "TrainingPlan", "load_victim"]
