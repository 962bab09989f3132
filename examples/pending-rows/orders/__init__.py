"""A team's shop: orders wait in a table until they are shipped."""
