"""The data that everything hangs on, typed: spans and events, exchanges, a call, a run, a row of a board."""
