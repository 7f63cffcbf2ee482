import pc from 'picocolors';

const { env, stdout } = process;

/** Colours on a terminal, unless `NO_COLOR` is set (no-color.org); `FORCE_COLOR` keeps them where output goes to a file. */
// Without a terminal, `isTTY` is undefined whatever its type says, and picocolors would then decide by itself.
const wanted =
  !env.NO_COLOR &&
  (Boolean(env.FORCE_COLOR) ||
    ((stdout as { isTTY?: boolean }).isTTY === true && env.TERM !== 'dumb'));

export const colours = pc.createColors(wanted);
