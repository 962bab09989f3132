"""What runs do: one module for each type of target."""
