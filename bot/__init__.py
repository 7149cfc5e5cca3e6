"""What is seen: surfaces people use, and the command line."""
