"""Tables and bucket keep their data, and are encrypted and private."""

from __future__ import annotations

import json

import pytest

from tests.architecture.templates.loaded import (
    BUCKET,
    FUNCTIONS,
    MAIN,
    NESTED,
    QUEUE_NAMES,
    STORAGE,
    TABLES,
    intrinsics,
)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.thorough
def test_no_parameter_can_replace_a_table(name: str) -> None:
    from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER  # noqa: PLC0415 - takes a second, and collecting waits for it

    schema = PROVIDER_SCHEMA_MANAGER.get_resource_schema("us-east-1", "AWS::DynamoDB::Table").schema
    replacing = {
        path.rpartition("/")[2]
        for path in [*schema["createOnlyProperties"], *schema["conditionalCreateOnlyProperties"]]
    }
    assert "KeySchema" in replacing
    table = TABLES[name]
    # Indexes and their attributes do not replace the table, but a change rebuilds the index: they are fixed too.
    for fixed in replacing | {"AttributeDefinitions", "GlobalSecondaryIndexes", "LocalSecondaryIndexes"}:
        assert not list(intrinsics(table["Properties"].get(fixed))), fixed
    assert not {"TableName", "ImportSourceSpecification"} & table["Properties"].keys()
    assert "Condition" not in table
    assert "Condition" not in MAIN["Resources"]["Storage"]


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_retained_and_protected_from_deletion(name: str) -> None:
    table = TABLES[name]
    assert (table["DeletionPolicy"], table["UpdateReplacePolicy"]) == ("RetainExceptOnCreate", "Retain")
    assert table["Properties"]["DeletionProtectionEnabled"] == {"Fn::If": ["Protected", True, False]}
    assert MAIN["Parameters"]["DeletionProtection"]["Default"] == "true"
    assert MAIN["Parameters"]["PointInTimeRecovery"]["Default"] == "true"


def test_the_output_bucket_is_retained_and_no_parameter_can_replace_it() -> None:
    assert (BUCKET["DeletionPolicy"], BUCKET["UpdateReplacePolicy"]) == ("RetainExceptOnCreate", "Retain")
    assert "BucketName" not in BUCKET["Properties"]
    assert "Condition" not in BUCKET


def test_the_output_bucket_is_private_and_encrypted_with_the_kms_key_if_given() -> None:
    properties = BUCKET["Properties"]
    assert set(properties["PublicAccessBlockConfiguration"].values()) == {True}
    assert len(properties["PublicAccessBlockConfiguration"]) == 4
    assert properties["OwnershipControls"] == {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]}
    [rule] = properties["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert rule["ServerSideEncryptionByDefault"] == {
        "SSEAlgorithm": {"Fn::If": ["HasKey", "aws:kms", "AES256"]},
        "KMSMasterKeyID": {"Fn::If": ["HasKey", {"Ref": "KmsKeyArn"}, {"Ref": "AWS::NoValue"}]},
    }


def test_the_output_bucket_refuses_requests_without_tls() -> None:
    [statement] = STORAGE["OutputBucketPolicy"]["Properties"]["PolicyDocument"]["Statement"]
    assert (statement["Effect"], statement["Principal"], statement["Action"]) == ("Deny", "*", "s3:*")
    assert len(statement["Resource"]) == 2
    # Loopback addresses are those of the emulators; no request reaches AWS from them.
    assert statement["Condition"] == {
        "Bool": {"aws:SecureTransport": "false"},
        "NotIpAddress": {"aws:SourceIp": "127.0.0.0/8"},
    }


def test_the_kms_key_encrypts_all_data_at_rest() -> None:
    encrypted = {
        "AWS::DynamoDB::Table": "SSESpecification",
        "AWS::S3::Bucket": "BucketEncryption",
        "AWS::SQS::Queue": "KmsMasterKeyId",
        "AWS::Logs::LogGroup": "KmsKeyId",
        "AWS::SNS::Topic": "KmsMasterKeyId",
    }
    found = 0
    for template in NESTED.values():
        for name, one in template["Resources"].items():
            if one["Type"] in encrypted:
                assert "KmsKeyArn" in json.dumps(one["Properties"][encrypted[one["Type"]]]), name
                found += 1
    seed = MAIN["Resources"]["SeedFunction"]["Properties"]["Environment"]["Variables"]
    assert seed["ADMIN_TOKEN_KEY"] == {"Ref": "KmsKeyArn"}
    # Of queues, one set of http and one of others; of logs, one group for each function, but one for all such workers, and one of requests.
    assert found == 2 + 1 + 2 * len(QUEUE_NAMES) + len(FUNCTIONS) + 1
    for name in ("Storage", "Messaging", "AwsWorker", "AgentsWorker", "Logs", "Access", "Monitoring"):
        assert MAIN["Resources"][name]["Properties"]["Parameters"]["KmsKeyArn"] == {"Ref": "KmsKeyArn"}


@pytest.mark.parametrize("name", TABLES)
def test_without_a_key_a_table_is_encrypted_with_dynamodbs_own_for_free(name: str) -> None:
    """`SSEType: KMS` without a key is AWS's key in KMS, whose requests are charged."""
    condition, with_key, without = TABLES[name]["Properties"]["SSESpecification"]["Fn::If"]
    assert (condition, without) == ("HasKey", {"SSEEnabled": False}), "an update that removes the property fails"
    assert with_key == {"SSEEnabled": True, "SSEType": "KMS", "KMSMasterKeyId": {"Ref": "KmsKeyArn"}}
