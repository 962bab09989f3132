"""Upload code and nested templates to S3, as ``aws cloudformation package`` does.

The template is deployed without `sam build`: MiniStack runs functions under its own interpreter, where every dependency is
installed. So the bundle holds only Minutehand's code. Functions import the bundle, not the checkout.
"""

import hashlib
import io
import re
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from infra.bundle import in_bundle

from localstack.errors import LocalStackError
from localstack.workspace import Workspace

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

BUCKET = "minutehand-deployments"
S3_URL = "https://s3.amazonaws.com"  # MiniStack reads the path alone; a port here would make every restart an update
CODE_URI = re.compile(r"^(\s*CodeUri:\s*)functions/[ \t]*$", re.MULTILINE)
TEMPLATE_URL = re.compile(r"^(\s*TemplateURL:\s*)(\./\S+\.yaml)[ \t]*$", re.MULTILINE)


def upload(workspace: Workspace, s3: "S3Client", *, s3_url: str = S3_URL) -> str:
    """Store bundle and templates under the hashes of their content; returns the URL of the rewritten main template.

    The same content gets the same URL, so CloudFormation sees that nothing changed.

    Args:
        s3_url: the address from which CloudFormation reads the bucket, without the bucket's name.
    """
    s3.create_bucket(Bucket=BUCKET)
    bundle = _put(s3, zip_folder(workspace.functions), ".zip")

    def nested(match: re.Match[str]) -> str:
        body = (workspace.checkout / match[2]).read_bytes()
        return f"{match[1]}{s3_url}/{BUCKET}/{_put(s3, body, '.yaml')}"

    template = (workspace.checkout / "template.yaml").read_text(encoding="utf-8")
    template, code_uris = CODE_URI.subn(rf"\g<1>s3://{BUCKET}/{bundle}", template)
    template = TEMPLATE_URL.sub(nested, template)
    if code_uris == 0:
        raise LocalStackError("template.yaml has no line 'CodeUri: functions/' to put the bundle's address into.")
    return f"{s3_url}/{BUCKET}/{_put(s3, template.encode(), '.yaml')}"


def zip_folder(folder: Path) -> bytes:
    """Zip what the bundle carries of a folder, reproducibly: the same content gives the same bytes."""
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
