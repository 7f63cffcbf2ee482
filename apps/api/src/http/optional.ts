import { ValidateIf } from 'class-validator';

/** Lets a field be left out, but not be null. */
export const MayBeAbsent = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined);
