curl -u "$CANVASS_USERNAME:$CANVASS_PASSWORD" -o account.zip "$CANVASS_URL/api/v3/users/2/export/"
python3 -m zipfile --list account.zip
