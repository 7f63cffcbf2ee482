import { encode } from 'uqr';

/** The white modules around a code that its readers need. */
const QUIET_ZONE = 4;

/** A picture of a code: its width and height in modules, and its dark modules as an SVG path. */
interface CodePicture {
  readonly size: number;
  readonly path: string;
}

/** Renders a text as a QR code, with one unit for each module. */
export function codePicture(text: string): CodePicture {
  const { size, data } = encode(text, { ecc: 'M', border: QUIET_ZONE });
  const runs = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => {
      if (!isDark || row[x - 1]) return [];
      const end = row.indexOf(false, x);
      return `M${x} ${y}h${end - x}v1H${x}z`;
    }),
  );
  return { size, path: runs.join('') };
}
