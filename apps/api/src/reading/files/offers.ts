import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Format } from './formats.js';

/** Declares the formats in which a route answers. The first is what a reader gets who asks for none. */
export const Offers = Reflector.createDecorator<readonly Format[]>();

const reflector = new Reflector();

/** Returns the formats that a route declares. */
export const offeredBy = (context: ExecutionContext): readonly Format[] =>
  reflector.get(Offers, context.getHandler());
