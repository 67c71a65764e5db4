# User name and password, user name and API key, or API key and password:
curl -u "$CANVASS_USERNAME:$CANVASS_PASSWORD" "$CANVASS_URL/api/v2/me"
# An OAuth 2.0 access token goes into a header:
#   curl -H "Authorization: Bearer $CANVASS_TOKEN" "$CANVASS_URL/api/v2/me"
