const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Returns whole seconds in words, exactly: `7 days`, `1 hour 30 minutes`, `0 seconds`. */
export function durationInWords(seconds: number): string {
  const parts: string[] = [];
  let left = seconds;
  for (const [name, size] of UNITS) {
    const count = Math.floor(left / size);
    left %= size;
    if (count > 0) parts.push(`${count} ${name}${count === 1 ? '' : 's'}`);
  }
  return parts.join(' ') || '0 seconds';
}
