#: environment: data
#: artifact: label.png image/png
#: artifact: spin.gif image/gif
#: wall_time: 30s
import io

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont, ImageOps

ramp = np.tile(np.arange(256, dtype=np.uint8), (64, 1))
image = Image.fromarray(ramp).convert("RGB").resize((128, 32)).filter(ImageFilter.GaussianBlur(1))
ImageDraw.Draw(image).text((4, 8), "Grüße", fill="red", font=ImageFont.load_default())
image.save("label.png")
print(image.size, image.mode, ImageOps.grayscale(image).getextrema()[1] > 200)
frames = [Image.new("P", (20, 20), n) for n in range(4)]
frames[0].save("spin.gif", save_all=True, append_images=frames[1:], duration=80, loop=0)
print(Image.open("spin.gif").n_frames, np.asarray(image.rotate(90, expand=True)).shape)
buffer = io.BytesIO()
image.save(buffer, "WEBP")
print(Image.open(io.BytesIO(buffer.getvalue())).format, image.getbbox())
