# Username and password, username and API key, or API key and password:
curl -u "$CANVASS_USERNAME:$CANVASS_PASSWORD" "$CANVASS_URL/api/v3/"
# With an OAuth 2.0 access token:
#   curl -H "Authorization: Bearer $CANVASS_TOKEN" "$CANVASS_URL/api/v3/"
