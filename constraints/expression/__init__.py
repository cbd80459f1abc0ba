"""The rule language: one module a task, and nothing loaded until one of them is imported."""
