import { errorCode, SettingsRefused } from '#process';

/**
 * Runs `listen`, which starts a server at the address of its settings. Throws `SettingsRefused`,
 * with the name of the port's variable or of SHOEPRINT_HOST, if that address cannot be used.
 */
export async function listening<T>(listen: () => Promise<T>, portName: string): Promise<T> {
  try {
    return await listen();
  } catch (error) {
    const fault = faultOf(errorCode(error), portName);
    throw fault === undefined ? error : new SettingsRefused([fault]);
  }
}

/** Returns whether an address to listen on can be reached from this machine only. */
export const isLoopback = (host: string): boolean => /^(localhost|127\..*|::1)$/i.test(host);

function faultOf(code: string | undefined, portName: string): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `${portName}: another program listens there`;
    case 'EACCES':
      return `${portName}: this user may not listen there`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'SHOEPRINT_HOST: must be an address of this machine';
    default:
      return undefined;
  }
}
