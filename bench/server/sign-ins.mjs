// Signs in, again and again: half of the people with the right password, half with a wrong one.
// Each message from the parent lets them come or go; the second answer says what they got.
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** @typedef {{ port: number, names: readonly string[], password: string }} SignInsOrder */

/** Somebody who was refused tries again after this time. */
const AGAIN_MS = 100;

/** @param {SignInsOrder} order */
function people({ port, names, password }) {
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  /** @type {Map<number, number>} */
  const answers = new Map();
  let isSigningIn = false;

  /** @type {(body: object) => Promise<number>} */
  const signIn = (body) =>
    new Promise((resolve) => {
      const failed = () => resolve(0);
      const asked = request(
        { port, host: '127.0.0.1', path: '/v1/sign-in', method: 'POST', agent },
        (response) =>
          response
            .on('error', failed)
            .on('end', () => resolve(response.statusCode ?? 0))
            .resume(),
      );
      asked.setHeader('content-type', 'application/json');
      asked.on('error', failed).end(JSON.stringify(body));
    });
  /** @type {(name: string, given: string) => Promise<void>} */
  const again = async (name, given) => {
    while (isSigningIn) {
      const status = await signIn({ name, password: given });
      answers.set(status, (answers.get(status) ?? 0) + 1);
      if (status >= 400) await pause(AGAIN_MS);
    }
  };
  process.on('message', () => {
    const found = [...answers].map(([status, times]) => `sign-in ${status}: ${times}`).sort();
    answers.clear();
    isSigningIn = !isSigningIn;
    if (isSigningIn)
      for (const [n, name] of names.entries())
        void again(name, n % 2 === 0 ? password : `${password}, wrong`);
    process.send?.({ found: found.join(', ') });
  });
  process.on('disconnect', () => process.exit(0));
  process.send?.('ready');
}

process.once('message', (/** @type {SignInsOrder} */ order) => people(order));
