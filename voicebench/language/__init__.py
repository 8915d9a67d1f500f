"""Spoken English: numbers and spellings in one form, values of slots, names, read-backs, intents and dialogue acts."""
