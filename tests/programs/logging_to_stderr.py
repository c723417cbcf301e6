#: environment: base
#: stderr: WARNING:shop:low stock: 2
import logging

logging.basicConfig(level=logging.INFO)
logging.getLogger("shop").warning("low stock: %d", 2)
print("logged")
