import workerUrl from './stream.worker.js?sharedworker&url';

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): string };
}

const own = new URL(workerUrl, import.meta.url);
const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
const policy = trustedTypes?.createPolicy('shoeprint', { createScriptURL: (url) => url });

/** Returns the address of the worker, as a browser with trusted types accepts it. */
export const trustedWorkerUrl = (): string => policy?.createScriptURL(own.href) ?? own.href;
