"""The business rules as pure code: entities, state tables, events, commands, ``decide`` and ``apply``.

Nothing here reads a clock, makes an id, opens a socket or knows Redis; time and ids come in as arguments.
"""
