"""What is true: the domain, its log, and the one door to both."""
