"""An application that uses Authlib as its documentation says. Reads the redirect from its input, line by line."""

import os

from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session

base = os.environ["BASE"]
callback = os.environ["CALLBACK"]
token_endpoint = base + "/accounts/oauth/token/"
secret = os.environ.get("CLIENT_SECRET")
session = OAuth2Session(
    os.environ["CLIENT_ID"],
    secret,
    scope="read write",
    redirect_uri=callback,
    code_challenge_method="S256",
    token_endpoint=token_endpoint,
    token_endpoint_auth_method="client_secret_basic" if secret else "none",
)
verifier = generate_token(48)
url, state = session.create_authorization_url(base + "/accounts/developer/authorize/", code_verifier=verifier)
print(url, flush=True)
redirect = input()


def status() -> int:
    return session.get(base + "/api/v3/surveys/").status_code


first = session.fetch_token(token_endpoint, authorization_response=redirect, state=state, code_verifier=verifier)
assert first["token_type"].lower() == "bearer", first
assert status() == 200
# The library refreshes an access token that has expired before the next request.
session.token["expires_at"] = 1
assert status() == 200
assert session.token["access_token"] != first["access_token"]
# A second process that has not seen the new tokens, within a minute.
again = session.refresh_token(token_endpoint, refresh_token=first["refresh_token"])
assert again["access_token"] != first["access_token"]
assert status() == 200
reply = session.revoke_token(base + "/accounts/oauth/revoke/", token=again["refresh_token"], token_type_hint="refresh_token")
assert reply.status_code == 200 and reply.json() == {}, reply.text
assert status() == 401
print("done", flush=True)
