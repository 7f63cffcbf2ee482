import {
  type ArgumentMetadata,
  Injectable,
  type ValidationError,
  ValidationPipe,
} from '@nestjs/common';
import { Problem, type RequestFault } from '../problems/problems.js';

/**
 * Validates every body and query string against its class. Refuses unknown fields and names each
 * fault by JSON pointer. class-transformer silently drops keys inherited from `Object.prototype`
 * (`constructor`, `__proto__`), so the pipe refuses them first.
 */
@Injectable()
export class RequestPipe extends ValidationPipe {
  constructor() {
    super({
      whitelist: true,
      forbidNonWhitelisted: true,
      transform: true,
      exceptionFactory: (errors) =>
        new Problem('invalid-request', undefined, { errors: faultsOf(errors) }),
    });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.type !== 'body' && metadata.type !== 'query') return value;
    if (typeof value !== 'object' || value === null)
      throw new Problem('invalid-request', 'the request needs a JSON object as its body', {
        errors: [{ pointer: '', reason: 'must be a JSON object' }],
      });
    const inherited = Object.keys(value).filter((name) => name in Object.prototype);
    if (inherited.length > 0)
      throw new Problem('invalid-request', undefined, {
        errors: inherited.map((name) => ({
          pointer: pointerTo(name),
          reason: `property ${name} should not exist`,
        })),
      });
    return super.transform(value, metadata);
  }
}

function faultsOf(errors: readonly ValidationError[], at = ''): RequestFault[] {
  return errors.flatMap(({ property, constraints = {}, children = [] }) => {
    const pointer = `${at}${pointerTo(property)}`;
    return [
      ...Object.values(constraints).map((reason) => ({ pointer, reason })),
      ...faultsOf(children, pointer),
    ];
  });
}

const pointerTo = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
