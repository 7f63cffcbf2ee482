import {
  type ArgumentMetadata,
  Injectable,
  type ValidationError,
  ValidationPipe,
} from '@nestjs/common';
import { Problem, type RequestFault } from '../problems/problems.js';

/** Checks the body or query of a low-rate route against its class: unknown fields are refused, and every fault is told by JSON pointer. */
export const checkedBody = (): ValidationPipe =>
  new Checked({
    whitelist: true,
    forbidNonWhitelisted: true,
    transform: true,
    exceptionFactory: (errors) =>
      new Problem('invalid-request', undefined, { errors: faultsOf(errors) }),
  });

/** class-transformer leaves out, unsaid, what every object has a field of by itself: it is refused before. */
@Injectable()
class Checked extends ValidationPipe {
  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const inherited =
      typeof value === 'object' && value !== null
        ? Object.keys(value).filter((name) => name in Object.prototype)
        : [];
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
