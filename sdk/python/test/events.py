"""Signs and unwraps the messages in events.json, as forms and as JSON, and prints the type of each."""

import hmac
import json
import time
from base64 import b64encode
from pathlib import Path
from urllib.parse import urlencode

from canvass_client import webhooks

key = b"a key for the tests"
secret = f"whsec_{b64encode(key).decode()}"
events = json.loads(Path("events.json").read_text())
for body in (encode(event) for event in events for encode in (urlencode, json.dumps)):
    sent = str(int(time.time()))
    signature = b64encode(hmac.digest(key, f"msg_1.{sent}.{body}".encode(), "sha256")).decode()
    headers = {"webhook-id": "msg_1", "webhook-timestamp": sent, "webhook-signature": f"v1,{signature}"}
    print(webhooks.unwrap(body, headers, secret).type)
