"""``voicebench serve realtime``: a local server of OpenAI's realtime protocol, in a process of its own.

It is made of our recognizer, a chat model (the local agent endpoint unless an address is given) and our voices.
"""
