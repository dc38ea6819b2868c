"""Whether the rules of a game keep what the engine relies on."""
