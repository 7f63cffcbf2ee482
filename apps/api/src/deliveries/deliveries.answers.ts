import type { FindingCode } from '#audit';
import type { DeliveryFault } from '#read-model';
import { Code, Parts, Text, Time, Whole } from '../docs/answer-fields.js';
import { pageAnswerOf } from '../docs/page.answer.js';
import type { KeyDelivery } from './key-deliveries.js';

/** How many findings with one code there are. */
export class DeliveryFaultAnswer implements Required<DeliveryFault> {
  @Code() code!: FindingCode;
  @Whole() count!: number;
}

/** What one key delivered, and what was found about the sources that it sent for. */
class DeliveryAnswer implements Required<KeyDelivery> {
  @Text({ description: 'The name of the key' }) key!: string;
  @Text({ description: 'The identity that created the key' }) createdBy!: string;
  @Time({ nullable: true }) revokedAt!: string | null;
  @Whole({ description: 'Tables whose events it sent' }) tables!: number;
  @Whole({ description: 'Sources whose events it sent' }) sources!: number;
  @Whole({ description: 'Events recorded, repeats included' }) events!: number;
  @Whole({ description: 'Repeats with the same content' }) duplicates!: number;
  @Whole({ description: 'Cards that were drawn and not read' }) unread!: number;
  @Time({ nullable: true, description: 'When its last event was received; null if none was' })
  lastReceived!: string | null;
  @Whole({ description: 'Holes in the numbers of its sources (DV-04)' }) gaps!: number;
  @Parts(() => DeliveryFaultAnswer, {
    description:
      'Standing DV findings of its sources. They count for every key that sent for a source',
  })
  faults!: readonly DeliveryFaultAnswer[];
}

/** A page of deliveries, by the name of the key. */
export class DeliveriesAnswer extends pageAnswerOf(DeliveryAnswer) {}
