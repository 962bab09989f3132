"""What is legal and may surprise: warnings. Nothing that only decodes loads this."""
