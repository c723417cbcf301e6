#: environment: data
#: value_mime: image/png
#: artifact: small.jpg image/jpeg
#: wall_time: 30s
from PIL import Image, ImageDraw

picture = Image.new("RGB", (60, 40), "white")
ImageDraw.Draw(picture).ellipse((10, 5, 50, 35), fill="teal")
picture.resize((30, 20)).save("small.jpg")
print(picture.size, picture.getpixel((30, 20)))
picture
