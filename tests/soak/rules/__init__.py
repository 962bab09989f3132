"""The rules by which the checker judges, one module for each part of what is promised."""
