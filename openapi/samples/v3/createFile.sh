# The key of the file, which is the answer to the question photo.
curl -u "$CANVASS_USERNAME:$CANVASS_PASSWORD" \
  "$CANVASS_URL/api/v3/surveys/14/files/?question=photo&name=kitchen.png" \
  -H 'Content-Type: application/octet-stream' \
  --data-binary @kitchen.png
