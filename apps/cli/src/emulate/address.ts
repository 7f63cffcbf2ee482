import { InvalidArgumentError } from 'commander';

const PORT_MAX = 65_535;

/** A host and a port. */
export interface Address {
  readonly host: string;
  readonly port: number;
  /** As it was written. */
  readonly text: string;
}

/**
 * Reads an address such as `127.0.0.1:7301`, `[::1]:7301` or `gateway-7:7301`. Throws
 * `InvalidArgumentError` for any other text. Port 0 means a free one, where `from` is 0.
 */
export function readAddress(text: string, from: 0 | 1): Address {
  const [, host, port] = /^(\[[0-9A-Fa-f:.]+\]|[^:[\]\s]+):(\d{1,5})$/.exec(text) ?? [];
  const number = Number(port);
  if (host === undefined || number < from || number > PORT_MAX)
    throw new InvalidArgumentError(
      `It must be a host and a port from ${from} to ${PORT_MAX}, such as 127.0.0.1:7301.`,
    );
  return { host: host.replace(/^\[|\]$/g, ''), port: number, text };
}
