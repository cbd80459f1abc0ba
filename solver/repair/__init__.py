"""The smallest repair of a configuration: which fewest flags to change, and to what, so that no rule is broken.

Knows nothing of any engine, of how rules are written or evaluated: see `protocol.Constraints`.
"""
