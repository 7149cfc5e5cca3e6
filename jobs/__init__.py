"""What is done: RQ jobs that understand a message, run an attempt, and the scheduler that starts them."""
