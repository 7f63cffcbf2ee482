/**
 * The signals and events that stop a program. `disconnect` means that the process that started it
 * has ended.
 */
export const STOP_REQUESTS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const;
type StopRequest = (typeof STOP_REQUESTS)[number];

/**
 * A service manager signals a whole group, so requests within this time of the first one count as
 * the same request.
 */
const SAME_REQUEST_MS = 1_000;

/**
 * Resolves with the first request to stop. A second one exits at once with code 1. After the first
 * request, write errors of standard output and standard error are ignored: the terminal or the
 * parent may have closed them.
 */
export function stopRequest(): Promise<StopRequest> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    const onRequest = (request: StopRequest): void => {
      if (firstAt !== undefined && performance.now() - firstAt > SAME_REQUEST_MS) process.exit(1);
      if (firstAt !== undefined) return;
      firstAt = performance.now();
      for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
      resolve(request);
    };
    for (const request of STOP_REQUESTS) process.on(request, () => onRequest(request));
  });
}
