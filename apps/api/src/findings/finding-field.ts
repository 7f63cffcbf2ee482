import { TextParam } from '../http/parameters.js';

/** The path parameter of one finding. */
export const FindingField = (): MethodDecorator =>
  TextParam('id', { description: 'The id of the finding', example: 'f'.repeat(32) });
