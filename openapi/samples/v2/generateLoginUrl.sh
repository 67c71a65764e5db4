curl -u "$CANVASS_USERNAME:$CANVASS_PASSWORD" "$CANVASS_URL/api/v2/accounts/generate-login-url/" \
  -d key="$CANVASS_API_KEY" -d username=carla -d password='correct horse battery'
