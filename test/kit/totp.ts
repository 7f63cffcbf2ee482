import { Secret, TOTP } from 'otpauth';

const STEP_MS = 30_000;

/** Returns the code of the time step so many steps from now. */
export const codeOf = (secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({
    timestamp: Date.now() + steps * STEP_MS,
  });

/**
 * Confirms an authenticator with the code of the step before now, so that later ones are unused.
 * Asks again if a step began meanwhile, because the code is then two steps old and refused.
 */
export async function confirmedEarly<Answer extends { readonly statusCode: number }>(
  secret: string,
  confirm: (code: string) => Promise<Answer>,
): Promise<Answer> {
  for (;;) {
    const step = Math.floor(Date.now() / STEP_MS);
    const answer = await confirm(codeOf(secret, -1));
    const isSameStep = step === Math.floor(Date.now() / STEP_MS);
    if (answer.statusCode === 200 || isSameStep) return answer;
  }
}
