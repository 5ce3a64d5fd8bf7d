"""Where victims and attacks meet: training that makes a victim hard to fool."""
