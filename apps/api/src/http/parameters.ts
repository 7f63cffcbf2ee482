import { ApiParam, type ApiParamOptions } from '@nestjs/swagger';

/**
 * The most characters of a parameter. A reference may be as long as an event, so whatever fits into
 * the head of a request (16 KiB) is looked for. Lists show longer references in a short form.
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
