/** What a review policy asks two persons for. */
interface AskingTwo {
  readonly two: {
    readonly dispositions: readonly string[];
    readonly from: Readonly<Record<string, number>>;
  };
}

interface Ruling {
  readonly disposition: string | undefined;
  readonly amount: number | undefined;
  readonly currency: string | undefined;
}

/**
 * Returns whether the policy asks for a second person because of the disposition or the amount. The
 * answer of the finding says whether it itself asks for one.
 */
export function asksForTwo({ two }: AskingTwo, { disposition, amount, currency }: Ruling): boolean {
  if (disposition !== undefined && two.dispositions.includes(disposition)) return true;
  if (amount === undefined) return false;
  return amount >= (two.from[currency ?? ''] ?? 0);
}
