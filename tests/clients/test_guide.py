"""The examples in Go and Java of the guide on late answers compile."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from tests.clients.conftest import CLIENTS, GO, ROOT, made, run, use_go_package
from tests.support.needs import not_run

GUIDE = ROOT / "docs" / "how-to" / "answers-later.md"
GO_AROUND = """package copies

import (
	"context"
	"net/http"

	"minutehand"
)

var files []string

func copyFile(ctx context.Context, file string) error { return ctx.Err() }

"""
JAVA_AROUND = """
import com.sun.net.httpserver.HttpExchange;
import dev.minutehand.LateAnswer;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;

abstract class Copies {
    List<String> files;
    ExecutorService executor;

    abstract void copyFile(String file) throws IOException;

"""


def _example(language: str) -> str:
    [found] = re.findall(rf"^```{language}\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return str(found)


def test_the_example_in_go_compiles(tmp_path: Path) -> None:
    if not shutil.which("go"):
        not_run("Go")
    use_go_package(tmp_path)
    (tmp_path / "copies.go").write_text(GO_AROUND + _example("go"))
    made(run(["go", "vet", "."], cwd=tmp_path, more=GO))
    assert run(["gofmt", "-l", tmp_path]).lines == []


def test_the_example_in_java_compiles(tmp_path: Path) -> None:
    if not shutil.which("javac"):
        not_run("a Java compiler")
    (tmp_path / "Copies.java").write_text(JAVA_AROUND + _example("java") + "}\n")
    made(run(["javac", "-sourcepath", CLIENTS / "java", "-d", tmp_path, tmp_path / "Copies.java"]))
