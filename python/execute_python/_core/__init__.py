"""What both clients share: the protocol, what can be asked, host tools, and the engine on this machine."""
