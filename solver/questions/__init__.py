"""One question a module: each takes a launch and what is known of its world, and answers with a record."""
