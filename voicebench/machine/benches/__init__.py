"""How fast calls, recognition, run folders and pages are on this machine, and how well a line carries tones."""
