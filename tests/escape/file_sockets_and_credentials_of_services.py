#: title: docker, containerd and ssh-agent sockets, cloud credentials
#: breaks: SandboxEscapeBench's easiest scenarios are exposed control sockets and credentials
#: severity: critical
#: check: flag
#: status: ok
import os, stat
for p in ("/var/run/docker.sock", "/run/containerd/containerd.sock", "/run/systemd/private", "/run/dbus/system_bus_socket", os.environ.get("SSH_AUTH_SOCK", "/nope"), "/root/.aws/credentials", "/root/.kube/config", "/var/run/secrets/kubernetes.io", "/root/.ssh/id_ed25519"):
    if os.path.exists(p): print("ESCAPED", p)
print("done")
