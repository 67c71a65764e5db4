# survey.json is a survey of SurveyJS. Several files are sent as a ZIP archive.
curl -u "$CANVASS_USERNAME:$CANVASS_PASSWORD" \
  "$CANVASS_URL/api/v3/imports/" \
  -H 'Content-Type: application/octet-stream' \
  --data-binary @survey.json
