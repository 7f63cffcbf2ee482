import {
  type ArgumentMetadata,
  Injectable,
  type ValidationError,
  ValidationPipe,
} from '@nestjs/common';
import { pointerTo } from '#baccarat';
import { Problem, type RequestFault } from '../problems/problems.js';

/**
 * The most that is validated: how deep values may be nested, and how many an object and a list may
 * have. The validator visits all of them, and nothing else bounds its cost.
 */
const DEPTH_MAX = 4;
const MEMBERS_MAX = 64;
const ITEMS_MAX = 2_000;

/**
 * Validates every body, query string and class of path parameters. Refuses unknown fields and
 * names each fault by JSON pointer. class-transformer silently drops keys inherited from
 * `Object.prototype` (`constructor`, `__proto__`), so the pipe refuses them first.
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
    const { type, data } = metadata;
    // A parameter that a method takes by its name has no class.
    if (type !== 'body' && type !== 'query' && !(type === 'param' && data === undefined))
      return value;
    if (typeof value !== 'object' || value === null)
      throw new Problem('invalid-request', 'the request needs a JSON object as its body', {
        errors: [{ pointer: '', reason: 'must be a JSON object' }],
      });
    const excess = excessOf(value);
    if (excess) throw new Problem('invalid-request', undefined, { errors: [excess] });
    const inherited = Object.keys(value).filter((name) => name in Object.prototype);
    if (inherited.length > 0)
      throw new Problem('invalid-request', undefined, {
        errors: inherited.map((name) => ({
          pointer: pointerTo('', name),
          reason: `property ${name} should not exist`,
        })),
      });
    return super.transform(value, metadata);
  }
}

/** Returns the fault of the first value that exceeds a limit, or undefined if none does. */
function excessOf(value: unknown, pointer = '', depth = 0): RequestFault | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth >= DEPTH_MAX)
    return { pointer, reason: `values may be nested at most ${DEPTH_MAX} deep` };
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  const most = isList ? ITEMS_MAX : MEMBERS_MAX;
  if (entries.length > most)
    return { pointer, reason: `may have at most ${most} ${isList ? 'items' : 'members'}` };
  for (const [name, part] of entries) {
    const excess = excessOf(part, pointerTo(pointer, name), depth + 1);
    if (excess) return excess;
  }
  return undefined;
}

function faultsOf(errors: readonly ValidationError[], at = ''): RequestFault[] {
  return errors.flatMap(({ property, value, constraints = {}, children = [] }) => {
    const pointer = pointerTo(at, property);
    return [
      ...reasonsOf(value, constraints).map((reason) => ({ pointer, reason })),
      ...faultsOf(children, pointer),
    ];
  });
}

/** What decides of which kind a value is, the kind of a list before that of its items. */
const KINDS = ['isArray', 'isObject', 'isString', 'isBoolean', 'isInt'];

/**
 * Returns what is wrong with a value. If it is missing, or of another kind, every other constraint
 * fails too and would say nothing.
 */
function reasonsOf(value: unknown, constraints: Readonly<Record<string, string>>): string[] {
  const reasons = Object.values(constraints);
  if (value === undefined && reasons.length > 0) return ['is required'];
  const kind = KINDS.find((name) => constraints[name] !== undefined);
  return kind === undefined ? reasons : [constraints[kind] as string];
}
