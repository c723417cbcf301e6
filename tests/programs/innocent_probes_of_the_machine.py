#: environment: base
import getpass, multiprocessing, os, platform, socket, uuid

print(platform.system(), bool(platform.platform()), platform.python_implementation())
print(os.cpu_count() >= 1, multiprocessing.cpu_count() >= 1, getpass.getuser(), socket.gethostname())
print(len(str(uuid.uuid4())), os.path.expanduser("~"), bool(platform.processor() or True))
