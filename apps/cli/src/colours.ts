import pc from 'picocolors';

const { env, stdout } = process;

/** Colours on a terminal, unless `NO_COLOR` is set (no-color.org); `FORCE_COLOR` keeps them where output goes to a file. */
const wanted = !env.NO_COLOR && (Boolean(env.FORCE_COLOR) || (stdout.isTTY && env.TERM !== 'dumb'));

export const colours = pc.createColors(wanted);
