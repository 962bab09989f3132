"""What the stack is made of, as templates, and the program that puts it into an account."""
