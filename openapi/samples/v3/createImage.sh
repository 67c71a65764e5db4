# The url of the image of a choice.
curl -u "$CANVASS_USERNAME:$CANVASS_PASSWORD" \
  "$CANVASS_URL/api/v3/surveys/14/images/" \
  -H 'Content-Type: application/octet-stream' \
  --data-binary @kitchen.png
