"""The data that everything hangs on, typed: spans and events, exchanges, a call, a run, a row of a board.

Records are frozen. What writes them builds them, what reads them takes them, and only :mod:`voicebench.store` turns
them into JSON and back.
"""
