# Start without a cursor; then send the cursor of the previous reply, until `more` is false.
curl -u "$CANVASS_USERNAME:$CANVASS_PASSWORD" "$CANVASS_URL/api/v3/surveys/14/responses/changes/" |
  tee changes.json
CURSOR=$(sed 's/.*"next_cursor":"\([^"]*\)".*/\1/' changes.json)
curl -u "$CANVASS_USERNAME:$CANVASS_PASSWORD" \
  "$CANVASS_URL/api/v3/surveys/14/responses/changes/?since=$CURSOR"
