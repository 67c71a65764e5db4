# User name and password, user name and API key, or API key and password:
curl -u "$CANVASS_USERNAME:$CANVASS_PASSWORD" "$CANVASS_URL/api/v3/"
# An OAuth 2.0 access token goes into a header:
#   curl -H "Authorization: Bearer $CANVASS_TOKEN" "$CANVASS_URL/api/v3/"
