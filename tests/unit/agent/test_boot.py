"""The text that identifies a boot."""

from pathlib import Path

from minutehand.agent.boot import this_boot


def proc(folder: Path, *, boot: str = "b1", started: int = 24, name: str = "init") -> Path:
    kernel = folder / "sys" / "kernel" / "random"
    kernel.mkdir(parents=True, exist_ok=True)
    (kernel / "boot_id").write_text(f"{boot}\n", encoding="ascii")
    (folder / "1").mkdir(exist_ok=True)
    fields = " ".join(map(str, range(4, 22)))
    (folder / "1" / "stat").write_text(f"1 ({name}) S {fields} {started} 99\n", encoding="utf-8")
    return folder


def test_a_boot_is_that_of_the_kernel_and_of_the_first_process(tmp_path: Path) -> None:
    assert this_boot(proc(tmp_path)) == "b1 24"
    assert this_boot(proc(tmp_path, name="a) S 1 (b")) == "b1 24", "the name of the process may be anything"
    assert this_boot(proc(tmp_path, started=25)) == "b1 25", "another container of one kernel"
    assert this_boot(proc(tmp_path, boot="b2")) == "b2 24"


def test_a_system_that_does_not_tell_has_no_boot(tmp_path: Path) -> None:
    assert this_boot(tmp_path) == ""
    assert this_boot() == this_boot() != ""
