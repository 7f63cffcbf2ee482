/** The shape of each severity, so that no color is needed: square, triangle, disk, ring. */
export const SEVERITY_SHAPES: Readonly<Record<number, string>> = {
  1: '■',
  2: '▲',
  3: '●',
  4: '○',
};
