"""The stores in DynamoDB, over two tables. Import each from its own module, so that a function loads only what it runs."""
