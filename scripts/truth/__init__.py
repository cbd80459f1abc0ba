"""What real SGLang answers, recorded: asking it, choosing what to keep, and commands that break each rule."""
