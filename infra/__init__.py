"""CloudFormation templates of the stack's parts, and the program that deploys the stack to an AWS account."""
