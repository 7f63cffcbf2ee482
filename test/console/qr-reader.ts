import read from 'jsqr';

/** The width of a module in pixels: a reader finds no finer ones. */
const SCALE = 4;

/**
 * Returns the text of a QR code that is drawn as an SVG path of rows, `M2 4h3v1H2z`, with one unit
 * for each module; undefined if a reader finds none.
 */
export function readQr(path: string, size: number): string | undefined {
  const width = size * SCALE;
  const rgba = new Uint8ClampedArray(width * width * 4).fill(255);
  for (const [, x, y, length] of path.matchAll(/M(\d+) (\d+)h(\d+)v1H\d+z/g))
    for (let row = 0; row < SCALE; row += 1) {
      const from = (Number(y) * SCALE + row) * width + Number(x) * SCALE;
      for (let at = from; at < from + Number(length) * SCALE; at += 1)
        rgba.fill(0, at * 4, at * 4 + 3);
    }
  return read(rgba, width, width)?.data;
}
