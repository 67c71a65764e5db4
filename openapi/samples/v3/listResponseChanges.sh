# From the beginning; afterwards from the cursor of the answer before, until nothing more is waiting.
curl -u "$CANVASS_USERNAME:$CANVASS_PASSWORD" "$CANVASS_URL/api/v3/surveys/14/responses/changes/" |
  tee changes.json
CURSOR=$(sed 's/.*"next_cursor":"\([^"]*\)".*/\1/' changes.json)
curl -u "$CANVASS_USERNAME:$CANVASS_PASSWORD" \
  "$CANVASS_URL/api/v3/surveys/14/responses/changes/?since=$CURSOR"
