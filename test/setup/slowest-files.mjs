const SHOWN = 10;

/** Prints the ten slowest test files at the end of a run. */
export default class SlowestFiles {
  /**
   * @param {unknown} _contexts
   * @param {{
   *   testResults: readonly { testFilePath: string, perfStats: { runtime: number } }[],
   * }} results
   */
  onRunComplete(_contexts, { testResults }) {
    if (testResults.length <= SHOWN) return;
    const slowest = testResults
      .toSorted((a, b) => b.perfStats.runtime - a.perfStats.runtime)
      .slice(0, SHOWN)
      .map(({ testFilePath, perfStats }) => {
        const seconds = (perfStats.runtime / 1000).toFixed(1).padStart(6);
        return `${seconds} s  ${testFilePath.replace(/^.*\/(?=test\/)/, '')}`;
      });
    process.stderr.write(`The ${SHOWN} slowest files:\n${slowest.join('\n')}\n`);
  }
}
