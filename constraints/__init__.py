"""What is known about an engine's flags. Importing the package itself loads nothing."""
