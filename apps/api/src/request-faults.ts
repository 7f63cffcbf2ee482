import { type ValidationError, ValidationPipe } from '@nestjs/common';
import { Problem, type RequestFault } from './problems.js';

/** Checks the body of a low-rate route against its class: unknown fields are refused, and every fault is told by JSON pointer. */
export const checkedBody = (): ValidationPipe =>
  new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true, transform: true, exceptionFactory: (errors) => new Problem('invalid-request', undefined, { errors: faultsOf(errors) }) });

function faultsOf(errors: readonly ValidationError[], at = ''): RequestFault[] {
  return errors.flatMap(({ property, constraints = {}, children = [] }) => {
    const pointer = `${at}/${property.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return [...Object.values(constraints).map((reason) => ({ pointer, reason })), ...faultsOf(children, pointer)];
  });
}
