import os

from canvass_client import Canvass

# Reads CANVASS_URL, CANVASS_USERNAME and CANVASS_PASSWORD.
v2 = Canvass().v2
key = os.environ["CANVASS_API_KEY"]  # of a developer account
body = {"key": key, "username": "carla", "password": "correct horse battery"}
print(v2.generate_login_url(body=body).login_url)
