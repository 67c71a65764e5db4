from pathlib import Path

from canvass_client import Canvass

# Reads CANVASS_URL, CANVASS_USERNAME and CANVASS_PASSWORD.
v3 = Canvass().v3
image = v3.create_image(14, Path("kitchen.png").read_bytes())
# The url of the image of a choice.
print(image.url)
