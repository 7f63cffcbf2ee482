/** Says in one clear sentence why something cannot be done that was asked for; a command ends with exit code 2. Anything else thrown is a fault of ours. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** Why a file could not be opened or read, in a person's words. */
export function fileRefusal(name: string, error: unknown): Refusal {
  const { code, message } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'ENOENT':
      return new Refusal(`${name}: there is no such file`);
    case 'EACCES':
    case 'EPERM':
      return new Refusal(`${name}: it may not be read`);
    case 'EISDIR':
      return new Refusal(`${name}: this is a folder, not a file`);
    case 'ENOTDIR':
      return new Refusal(`${name}: a part of this path is a file, not a folder`);
    default:
      if (code?.startsWith('Z_'))
        return new Refusal(`${name}: this is not a whole gzip file (${message})`);
      return new Refusal(`${name}: it could not be read (${message})`);
  }
}
