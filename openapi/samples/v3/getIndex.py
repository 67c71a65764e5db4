import os

from canvass_client import Canvass

# Two of username, password and api_key, or an OAuth 2.0 access token as `token`.
canvass = Canvass(
    os.environ["CANVASS_URL"],
    username=os.environ["CANVASS_USERNAME"],
    password=os.environ["CANVASS_PASSWORD"],
)
print(canvass.v3.get_index())
