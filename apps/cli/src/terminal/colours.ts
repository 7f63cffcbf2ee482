import pc from 'picocolors';

const { env, stdout } = process;

/** Colours on a terminal, unless `NO_COLOR` is set (no-color.org); `FORCE_COLOR` keeps them where output goes to a file. */
// `isTTY` is undefined where there is no terminal, and picocolors takes undefined for a question of its own.
const wanted =
  !env.NO_COLOR && (Boolean(env.FORCE_COLOR) || (stdout.isTTY === true && env.TERM !== 'dumb'));

export const colours = pc.createColors(wanted);
