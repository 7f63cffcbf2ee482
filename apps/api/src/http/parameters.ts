import { ApiParam, type ApiParamOptions } from '@nestjs/swagger';

/**
 * The most characters of a parameter. A reference may be as long as an event, so a parameter may be
 * as long as the head of a request allows (16 KiB). Lists show longer references in a short form.
 */
export const PARAMETER_LENGTH_MAX = 16_384;

/** Documents a path parameter that may be any text. */
export const TextParam = (
  name: string,
  described: Partial<ApiParamOptions> = {},
): MethodDecorator =>
  ApiParam({
    ...described,
    name,
    schema: { type: 'string', minLength: 1, maxLength: PARAMETER_LENGTH_MAX },
  });

/** Returns a path parameter if PostgreSQL accepts it as text, or else `''`, which matches nothing. */
export const plainText = (parameter: string): string =>
  /^[^\0\p{Cs}]*$/u.test(parameter) ? parameter : '';
