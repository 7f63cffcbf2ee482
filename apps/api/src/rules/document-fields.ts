import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import type { Policy } from '#audit';
import type { Rules } from '#baccarat';
import { type Kind, POLICIES, RULES } from './documents.js';

type AnyKind = Pick<Kind<Rules | Policy, unknown>, 'name' | 'pattern' | 'example'>;

/** The name of a document of a kind. */
const NameOf = ({ name, pattern, example }: AnyKind, description: string): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ type: 'string', pattern, example, description }),
    Matches(new RegExp(pattern), { message: `must name a ${name}, such as ${example}` }),
  );

interface RefAsked {
  ref: string;
}
interface TwoAsked {
  from: string;
  to: string;
}

function oneOf(kind: AnyKind): new () => RefAsked {
  class OneDocument implements RefAsked {
    @NameOf(kind, '`id@version`')
    ref!: string;
  }
  return OneDocument;
}

function twoOf(kind: AnyKind): new () => TwoAsked {
  class TwoDocuments implements TwoAsked {
    @NameOf(kind, 'What it was')
    from!: string;

    @NameOf(kind, 'What it is')
    to!: string;
  }
  return TwoDocuments;
}

/** The path of one rule document. */
export class RulesPath extends oneOf(RULES) {}
/** The path of one review policy. */
export class PolicyPath extends oneOf(POLICIES) {}
/** The query of two rule documents to compare. */
export class RulesDiffFields extends twoOf(RULES) {}
/** The query of two review policies to compare. */
export class PoliciesDiffFields extends twoOf(POLICIES) {}
