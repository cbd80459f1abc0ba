"""What is known about SGLang: its flags, environment, machines and models, and how to read them from its source."""
