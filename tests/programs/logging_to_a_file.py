#: environment: base
#: artifact: app.log text/plain
import logging
import logging.handlers

logger = logging.getLogger("app")
logger.setLevel(logging.DEBUG)
handler = logging.handlers.RotatingFileHandler("app.log", maxBytes=10_000, backupCount=2, encoding="utf-8")
handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
logger.addHandler(handler)
logger.debug("started")
try:
    {}["missing"]
except KeyError:
    logger.exception("lookup failed")
logging.shutdown()
lines = open("app.log", encoding="utf-8").read().splitlines()
print(lines[0], lines[1], lines[-1], sep="\n")
