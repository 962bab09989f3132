"""What ``aws cloudformation package`` does, as far as our template needs it: code and nested templates go to S3.

The template is deployed unbuilt: MiniStack runs functions under its own interpreter, where every dependency is installed,
so the bundle holds nothing but our own code. That copy, and not the checkout, is what a function imports.
"""

import hashlib
import io
import re
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from infra.bundle import in_bundle

from localstack.errors import LocalStackError
from localstack.place import Place

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

BUCKET = "minutehand-deployments"
STORE = "https://s3.amazonaws.com"  # MiniStack looks at the path alone; a port here would make every restart an update
CODE_URI = re.compile(r"^(\s*CodeUri:\s*)functions/[ \t]*$", re.MULTILINE)
TEMPLATE_URL = re.compile(r"^(\s*TemplateURL:\s*)(\./\S+\.yaml)[ \t]*$", re.MULTILINE)


def upload(place: Place, s3: "S3Client", *, store: str = STORE) -> str:
    """Store bundle and templates under names made of their content; returns the URL of the rewritten main template.

    ``store`` is where CloudFormation is told to read them: the address of S3, without the bucket. The same content gives the same names, so a stack that did not change is seen not to have changed.
    """
    s3.create_bucket(Bucket=BUCKET)
    bundle = _put(s3, zip_folder(place.functions), ".zip")

    def nested(match: re.Match[str]) -> str:
        body = (place.checkout / match[2]).read_bytes()
        return f"{match[1]}{store}/{BUCKET}/{_put(s3, body, '.yaml')}"

    template = (place.checkout / "template.yaml").read_text(encoding="utf-8")
    template, code_uris = CODE_URI.subn(rf"\g<1>s3://{BUCKET}/{bundle}", template)
    template = TEMPLATE_URL.sub(nested, template)
    if code_uris == 0:
        raise LocalStackError("template.yaml has no line 'CodeUri: functions/' to put the bundle's address into.")
    return f"{store}/{BUCKET}/{_put(s3, template.encode(), '.yaml')}"


def zip_folder(folder: Path) -> bytes:
    """A zip of what the bundle carries of the folder, the same bytes for the same content whenever it is made."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as bundle:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and in_bundle(path.relative_to(folder)):
                entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), date_time=(1980, 1, 1, 0, 0, 0))
                entry.external_attr = 0o644 << 16
                bundle.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _put(s3: "S3Client", body: bytes, suffix: str) -> str:
    key = hashlib.sha256(body).hexdigest()[:32] + suffix
    s3.put_object(Bucket=BUCKET, Key=key, Body=body)
    return key
