/** What tells a program to stop. `disconnect` means that the program that started it has ended. */
export const STOP_REQUESTS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const;
type StopRequest = (typeof STOP_REQUESTS)[number];

/**
 * A service manager signals a whole group: what comes so soon after the first request is the same
 * request.
 */
const SAME_REQUEST_MS = 1_000;

/**
 * Resolves with the first request to stop. A second one exits at once with code 1. From the first
 * one on, output that nobody reads any more is dropped instead of ending the process: its terminal
 * or its parent may be gone.
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
