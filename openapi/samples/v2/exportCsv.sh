curl -u "$CANVASS_USERNAME:$CANVASS_PASSWORD" -o responses.csv \
  "$CANVASS_URL/api/v2/surveys/14/csv/?_completed=1&include_labels=true&show_titles=true"
head -n 3 responses.csv
