import { Controller, Get, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import type { Page, ReadAt } from '#read-model';
import type { Identity } from '../identity/identity.js';
import { ListKeys } from '../identity/keys/device-keys.js';
import { Requires, Sender } from '../identity/requires.js';
import { AskLines } from '../reading/ask-lines.js';
import { ReadLines } from '../reading/documented.js';
import type { Export } from '../reading/files/export.js';
import { paged, TableFields } from '../reading/filter-fields.js';
import { Reader, Reading } from '../reading/reading.js';
import { DeliveriesAnswer } from './deliveries.answers.js';
import { deliveriesOf, keysSeen, type KeyDelivery } from './key-deliveries.js';

/** The query of the list of deliveries: at one table or all, a page at a time. */
class DeliveriesFields extends paged(TableFields) {}

/** The route by which an integrator sees what became of what was sent. */
@ApiTags('keys')
@Controller('v1/deliveries')
export class DeliveriesController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @Requires('read-deliveries')
  @ReadLines(
    'What each key delivered: the keys that you created or, for an admin, all keys in scope',
    DeliveriesAnswer,
  )
  async listDeliveries(
    @Query() fields: DeliveriesFields,
    @Reader() by: Reading,
    @Sender() identity: Identity,
  ): Promise<ReadAt<Page<KeyDelivery>> | Export> {
    const keys = keysSeen(identity, await this.queries.execute(new ListKeys(identity)));
    return this.queries.execute(new AskLines(deliveriesOf(keys), by.asks(fields)));
  }
}
