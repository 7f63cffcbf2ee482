/*
 * Sends events over line protocol 1 (docs/devices/line-protocol-1.md) from a microcontroller: no
 * heap, no threads, 7 kB of memory. On a computer it speaks over standard input and output:
 *
 *   cc -O2 -o sender sender.c && ./sender UNIT BOOT EVENT...    an event: CO,1 or CD,9S,P
 *
 * BOOT must be higher at each start: keep it in EEPROM. Keep kept[], made and acked in memory that
 * survives a power cut if you can, and say H of the earlier boot first. This program does not, so
 * its ON does not say `missed`. Ends with status 0 once the gateway has everything on disk.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES 160
#define EVENT_MAX_BYTES 100
#define KEEP 64      /* events that wait for their acknowledgment */
#define WINDOW 8     /* of them, those on the line */
#define RETRY_MS 500 /* doubling to RETRY_MAX_MS */
#define RETRY_MAX_MS 8000
#define IDLE_MS 5000
#define BUSY_MS 10000

/* What your board has to provide. */
static void write_bytes(const char *bytes, size_t length);
static uint32_t clock_ms(void);

static struct {
  uint32_t ms;
  char text[EVENT_MAX_BYTES + 1]; /* code and fields */
} kept[KEEP];                     /* event n is in kept[n % KEEP] */
static uint32_t made, acked, sent;
static uint32_t boot, retry_after = RETRY_MS, retry_from, spoke_at, busy_from;
static int is_busy;
static const char *unit = "", *firmware = "1.0";

static uint32_t crc32(const char *text, size_t length) {
  uint32_t crc = 0xffffffffu;
  for (size_t at = 0; at < length; at++) {
    crc ^= (uint8_t)text[at];
    for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return ~crc;
}

/* The first event that is still kept. */
static uint32_t oldest(void) { return made - acked > KEEP ? made - KEEP + 1 : acked + 1; }

/* Ends the line in `line`, which begins with $, and writes it. */
static void say(char *line, int length) {
  if (length < 0 || length + 10 > LINE_MAX_BYTES) return; /* record() makes sure that it fits */
  length += snprintf(line + length, 11, "*%08" PRIX32 "\n", crc32(line + 1, (size_t)length - 1));
  write_bytes(line, (size_t)length);
  spoke_at = clock_ms();
}

static void say_hello(void) {
  char line[LINE_MAX_BYTES + 1];
  say(line, snprintf(line, sizeof line,
                     "$H,1,%s,%s,%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32, unit, firmware,
                     boot, clock_ms(), made, made > acked ? oldest() : 0));
}

static void say_event(uint32_t seq) {
  char line[LINE_MAX_BYTES + 1];
  say(line, snprintf(line, sizeof line, "$E,%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%s", boot, seq,
                     kept[seq % KEEP].ms, kept[seq % KEEP].text));
}

/* Makes an event from its code and fields. Returns 0 if it does not fit. */
static int record(const char *text) {
  if (strlen(text) > EVENT_MAX_BYTES) return 0;
  made++;
  kept[made % KEEP].ms = clock_ms();
  strcpy(kept[made % KEEP].text, text);
  return 1;
}

static void acknowledge(uint32_t up_to) {
  if (is_busy) sent = acked; /* the gateway took nothing while it was busy */
  is_busy = 0;
  if (up_to <= acked) return;
  acked = up_to;
  if (sent < acked) sent = acked;
  retry_after = RETRY_MS;
  retry_from = clock_ms();
}

static void send_from(uint32_t seq) {
  if (seq > made) return; /* nothing is missing */
  if (seq < oldest()) say_hello();
  else sent = seq - 1;
}

/* Does what a line of the gateway asks. Ignores everything that it does not understand. */
static void obey(char *line) {
  char *crc = strrchr(line, '*');
  if (crc == NULL || strlen(crc) != 9) return;
  if (strtoul(crc + 1, NULL, 16) != crc32(line + 1, (size_t)(crc - line - 1))) return;
  *crc = '\0';
  if (strcmp(line, "$Q") == 0) {
    say_hello();
    return;
  }
  char *rest = line + 2;
  if (*rest != ',' || strtoul(rest + 1, &rest, 10) != boot || *rest != ',') return;
  uint32_t seq = (uint32_t)strtoul(rest + 1, &rest, 10);
  if (line[1] == 'A' && seq <= made) acknowledge(seq);
  if (line[1] == 'N' && strcmp(rest, ",FORM") != 0) send_from(seq);
  if (line[1] == 'B') {
    is_busy = 1;
    busy_from = clock_ms();
  }
}

/* Takes a byte of the gateway. */
static void take(char byte) {
  static char line[LINE_MAX_BYTES + 1];
  static size_t length;
  if (byte == '$') length = 0;
  else if (length == 0) return; /* outside a line */
  if (byte == '\n' && length > 0) {
    if (line[length - 1] == '\r') length--;
    line[length] = '\0';
    length = 0;
    obey(line);
  } else if (length < LINE_MAX_BYTES) line[length++] = byte;
  else length = 0; /* too long to be a line */
}

/* Sends what is due. Call it a few times a second. */
static void keep_time(void) {
  uint32_t now = clock_ms();
  if (is_busy && now - busy_from >= BUSY_MS) {
    is_busy = 0;
    sent = acked;
  }
  if (sent < oldest() - 1) sent = oldest() - 1;
  if (!is_busy && sent >= oldest() && now - retry_from >= retry_after) {
    say_event(oldest()); /* the oldest again, ever more slowly */
    retry_after = retry_after * 2 > RETRY_MAX_MS ? RETRY_MAX_MS : retry_after * 2;
    retry_from = now;
  }
  while (!is_busy && sent < made && sent + 1 < oldest() + WINDOW) {
    if (sent + 1 == oldest()) retry_from = now;
    say_event(++sent);
  }
  if (now - spoke_at >= IDLE_MS) {
    char line[LINE_MAX_BYTES + 1];
    say(line, snprintf(line, sizeof line, "$I,%" PRIu32 ",%" PRIu32 ",%" PRIu32, boot, now, made));
  }
}

/* A computer in the place of a board. */
#include <poll.h>
#include <time.h>
#include <unistd.h>

static void write_bytes(const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t written = write(1, bytes, length);
    if (written <= 0) exit(1);
    bytes += written;
    length -= (size_t)written;
  }
}

static uint32_t clock_ms(void) {
  static struct timespec start;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (start.tv_sec == 0) start = now;
  return (uint32_t)((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000);
}

int main(int count, char **words) {
  if (count < 3 || (boot = (uint32_t)strtoul(words[2], NULL, 10)) == 0) {
    fprintf(stderr, "usage: sender UNIT BOOT EVENT...   BOOT is 1 or more\n");
    return 2;
  }
  unit = words[1];
  say_hello();
  record("ON,1.0");
  for (int at = 3; at < count; at++) {
    if (made - acked == KEEP || !record(words[at])) {
      fprintf(stderr, "event %d is too long, or more than %d events wait\n", at - 2, KEEP);
      return 2;
    }
  }
  while (acked < made) {
    char bytes[64];
    struct pollfd input = {.fd = 0, .events = POLLIN};
    keep_time();
    if (poll(&input, 1, 50) <= 0) continue;
    ssize_t length = read(0, bytes, sizeof bytes);
    if (length <= 0) return 1; /* the gateway is gone */
    for (ssize_t at = 0; at < length; at++) take(bytes[at]);
  }
  return 0;
}
