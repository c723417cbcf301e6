"""The sandbox as a tool of other libraries; each module needs the extra of its name."""
