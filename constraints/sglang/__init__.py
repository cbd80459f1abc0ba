"""What is known about SGLang: flags, environment, machines, models, and how to read them from its source."""
