"""Run one attempt on a worker: claim it, prepare the place, drive the agent, bring back what it did."""
