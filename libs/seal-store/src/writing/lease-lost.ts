/** Thrown if another sealer may write now, or the positions are not where this one left them. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}
