#!/bin/bash
# Package: exim4-daemon-light 4.96-15+deb12u11 (Debian 12), with a router that rejects an unknown recipient.
# Expected: the delivery status notification has the reason in Diagnostic-Code or an exact Status, such as 5.1.1 (RFC 3464,
#   2.3.4 and 2.3.6; RFC 3463), because programs read these fields.
# Seen on 2026-11-28: Status is 5.0.0 and Diagnostic-Code is absent. The reason is only in the text for people.
# For Canvass: if the fields do not say why, the paragraph after the address in the text does (src/lib/bounce-message.ts).
# Needs root, because Exim asks for a user of its own, which exists here only in a name space.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

apt-get download -qq exim4-daemon-light=4.96-15+deb12u11 libidn12 2>/dev/null
for archive in *.deb; do dpkg-deb -x "$archive" root; done
chmod 755 root/usr/sbin/exim4
(cat /etc/passwd; echo 'Debian-exim:x:9:9::/nonexistent:/usr/sbin/nologin') > passwd
(cat /etc/group; echo 'Debian-exim:x:9:') > group
printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s "$@"\n' "$(dirname root/usr/lib/*/libidn.so.12 | sed "s|^|$folder/|")" "$folder/root/usr/sbin/exim4" > exim
chmod 755 exim . && mkdir spool && chown 9:9 . spool
cat > exim.conf <<CONFIGURATION
primary_hostname = mx.example.test
exim_path = $folder/exim
spool_directory = $folder/spool
log_file_path = $folder/spool/%slog
deliver_drop_privilege
keep_environment =
begin routers
sender:
  driver = accept
  domains = example.org
  transport = file
unknown:
  driver = redirect
  allow_fail
  data = :fail: no such user here
begin transports
file:
  driver = appendfile
  file = $folder/returned
CONFIGURATION
printf 'Subject: Tea\n\nHello\n' | unshare -m sh -c "mount --bind passwd /etc/passwd && mount --bind group /etc/group &&
  ./exim -C $folder/exim.conf -odi -f ann@example.org nobody@example.test"
diff <(grep -aE '^(Action|Status|Diagnostic-Code|    no such)' returned) - <<'SEEN' || { echo 'exim-report-without-reason: the behaviour has changed (see above)' >&2; exit 1; }
    no such user here
Action: failed
Status: 5.0.0
SEEN
