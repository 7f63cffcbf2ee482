#!/bin/sh
# Sends a whole coup to the table $1, its first card by itself. SHOEPRINT_URL and SHOEPRINT_KEY
# name the server and the key.
set -eu

table=${1:-X01}
source="device/$table-gateway"
session="$(date +%s)-$$" # another one after every start of the device
shoe="$table-$session"
sequence=0
answer=$(mktemp)
trap 'rm -f "$answer"' EXIT

# next TYPE DATA: puts the next event of this session into $event.
next() {
  sequence=$((sequence + 1))
  event=$(printf '{"specversion":"1.0","type":"shoeprint.%s.v1","source":"%s","id":"%s/%d","time":"%s","table":"%s","shoe":"%s","session":"%s","sequence":%d,"data":%s}' \
    "$1" "$source" "$session" "$sequence" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$table" "$shoe" "$session" "$sequence" "$2")
}

# add TYPE DATA: adds the next event of this session to $lines.
add() {
  next "$1" "$2"
  lines="$lines$event
"
}

# send MEDIA_TYPE BODY: sends the same bytes again until all events in them are durable. Waits a
# second or more, which is what Retry-After asks for.
send() {
  pause=1
  while :; do
    status=$(printf '%s' "$2" | curl -sS --max-time 60 -o "$answer" -w '%{http_code}' --data-binary @- \
      -H "authorization: Bearer $SHOEPRINT_KEY" -H "content-type: $1" "$SHOEPRINT_URL/v1/events") || status=000
    case $status in
      202) return ;;
      000 | 408 | 429 | 502 | 503 | 504) sleep "$pause" ;; # 000: the connection broke
      *)
        echo "refused: $status $(cat "$answer")" >&2
        exit 1
        ;;
    esac
    if [ "$pause" -lt 5 ]; then pause=$((pause + 1)); fi
  done
}

lines=
add shoe-opened '{"rules":"punto-banco-no-burn@1","decks":8,"kind":"physical","currency":"USD","reports":["outcomes","dealers"]}'
add dealer-signed-on '{"dealer":"dora","role":"dealer"}'
add coup-opened '{"coup":1}'
add betting-closed '{}'
send application/x-ndjson "$lines"

next card-drawn '{"card":"9S","to":"player"}'
send application/cloudevents+json "$event"

lines=
add card-drawn '{"card":"5C","to":"banker"}'
add card-drawn '{"card":"KH","to":"player"}'
add card-drawn '{"card":"3D","to":"banker"}'
add outcome-declared '{"outcome":"player","by":"dealer"}'
add coup-closed '{}'
add shoe-closed '{"reason":"end"}'
send application/x-ndjson "$lines"

echo "recorded $sequence events of table $table"
