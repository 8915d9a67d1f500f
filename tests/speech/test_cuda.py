"""Recognition on a GPU, with a fake in its place: what is loaded, in which order, and what is said if it cannot be."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from tests.fake_cuda import fake_cuda
from voicebench.errors import ConfigError
from voicebench.speech import asr
from voicebench.speech.asr import load_recognizer

pytestmark = pytest.mark.audio


def test_auto_goes_to_the_gpu_with_cublas_loaded_first_and_the_compute_type_set() -> None:
    with fake_cuda() as fake:
        recognizer = load_recognizer("tiny.en", compute_type="float16")
        assert (recognizer.device, recognizer.compute_type) == ("cuda", "float16")
        assert load_recognizer("tiny.en", device="cuda", compute_type="float16") is recognizer
        assert fake.loaded == [("cuda", "float16")]


@pytest.mark.parametrize(("devices", "cublas"), [(0, True), (1, False)])
def test_auto_does_without_a_gpu_or_without_cublas(devices: int, cublas: bool) -> None:
    with fake_cuda(devices=devices, cublas=cublas) as fake:
        assert load_recognizer("tiny.en").device == "cpu"
        assert fake.loaded == []


def test_a_gpu_that_was_asked_for_and_is_not_there_is_explained() -> None:
    with fake_cuda(devices=0), pytest.raises(ConfigError, match=r"no NVIDIA GPU.*--gpus all.*agent\.asr\.device=cpu"):
        load_recognizer("tiny.en", device="cuda")
    with fake_cuda(cublas=False), pytest.raises(ConfigError, match=r"pip install 'nvidia-cublas-cu12>=12\.4,<13'"):
        load_recognizer("tiny.en", device="cuda")
    with fake_cuda(), pytest.raises(ConfigError, match="compute_type 'int16' does not work on cuda; it can do float16"):
        load_recognizer("tiny.en", device="cuda", compute_type="int16")


def test_cublas_comes_from_its_package_with_what_it_needs_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "nvidia" / "cublas" / "lib"
    folder.mkdir(parents=True)
    (folder / asr.CUBLAS).touch()
    monkeypatch.syspath_prepend(tmp_path)
    loaded = []
    monkeypatch.setattr(ctypes, "CDLL", lambda name, mode: loaded.append((name, mode)))
    assert asr.cublas_folder() == folder
    assert asr.preload_cublas()
    names = ["libcublasLt.so.12", "libcublas.so.12"]
    assert loaded == [(str(folder / name), ctypes.RTLD_GLOBAL) for name in names]


def test_no_cublas_is_no_error_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asr, "cublas_folder", lambda: None)
    monkeypatch.setattr(asr, "_NEEDED_FIRST", "libnothing.so.12")
    assert not asr.preload_cublas()
