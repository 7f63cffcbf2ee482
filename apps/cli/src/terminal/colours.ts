import pc from 'picocolors';

const { env, stdout } = process;

// Without a terminal, `isTTY` is undefined whatever its type says, and picocolors would decide by
// itself.
const wanted =
  !env.NO_COLOR &&
  (Boolean(env.FORCE_COLOR) ||
    ((stdout as { isTTY?: boolean }).isTTY === true && env.TERM !== 'dumb'));

/**
 * Colors on a terminal, unless `NO_COLOR` is set (no-color.org). `FORCE_COLOR` keeps them without a
 * terminal.
 */
export const colours = pc.createColors(wanted);
