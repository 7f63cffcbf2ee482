import { ApiProperty } from '@nestjs/swagger';
import { OneOf, Parts, Text, Texts, Whole, YesNo } from '../docs/answer-fields.js';
import { type Difference, type PolicyLine, POLICIES, RULES, type RulesLine } from './documents.js';

/** The fields that both kinds of document have in a list. */
class DocumentAnswer {
  @Text({ description: 'Its id; other versions of it have the same' }) id!: string;
  @Whole({ minimum: 1 }) version!: number;
  @Text() title!: string;
  @Text({ pattern: '^[0-9a-f]{64}$', description: 'The SHA-256 of the published file' })
  hash!: string;
}

/** A rule document in the list. */
class RulesLineAnswer extends DocumentAnswer implements RulesLine {
  @Text({ pattern: RULES.pattern, description: '`id@version`, as shoes name it' }) ref!: string;
  @OneOf(['punto-banco', 'chemin-de-fer'], { description: 'The family of the game' })
  game!: string;
  @ApiProperty({
    type: 'array',
    items: { type: 'integer', minimum: 1 },
    description: 'The numbers of decks that the house may use',
  })
  decks!: readonly number[];
}

/** A review policy in the list. */
class PolicyLineAnswer extends DocumentAnswer implements PolicyLine {
  @Text({ pattern: POLICIES.pattern, description: '`review@version`, as proposals name it' })
  ref!: string;
  @YesNo({ description: 'Whether it applies to new proposals. One policy is in force' })
  inForce!: boolean;
}

/** The installed rule documents. */
export class RulesAnswer {
  @Parts(() => RulesLineAnswer) items!: readonly RulesLine[];
}
/** The installed review policies. */
export class PoliciesAnswer {
  @Parts(() => PolicyLineAnswer) items!: readonly PolicyLine[];
}

/** What differs between two documents. */
export class DifferenceAnswer implements Difference {
  @Text({ description: 'The first document, `id@version`' }) from!: string;
  @Text({ description: 'The second document, `id@version`' }) to!: string;
  @Texts({
    description:
      'The differences in words, as `shoeprint rules diff` prints them, with the first document before the arrow. Empty if the documents agree',
  })
  differences!: readonly string[];
}
