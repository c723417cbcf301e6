#: title: image decompression bomb
#: breaks: a web UI that thumbnails artefacts decodes hostile images on the host
#: severity: medium
#: status: ok | timeout | memory_limit
#: environment: data
#: wall_time: 500ms
try:
    from PIL import Image
    Image.MAX_IMAGE_PIXELS = None
    Image.new("L", (60000, 60000)).save("a.png")
    print(Image.open("a.png").resize((1, 1)).size)
except Exception as e: print(type(e).__name__)
