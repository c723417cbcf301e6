#: title: terminal control sequences
#: breaks: CLI must neutralise C0, C1, CSI, OSC (52 writes the clipboard) unless asked for raw; AutoGPT CVE-2023-37275 class
#: severity: high
#: status: ok
print("\x1b[2J\x1b[H\x1b]0;owned\x07\x1b]52;c;ZWNobyBoYWNrZWQ=\x07\x1b]8;;file:///etc/passwd\x07click\x1b]8;;\x07\x1b[?1049h\x1b[3;J\x9b31m\x1bP+q\x1b\\")
