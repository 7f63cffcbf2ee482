import { applyDecorators, Controller, Get, Param, Query, UseInterceptors } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Policy } from '#audit';
import type { Rules } from '#baccarat';
import { Requires } from '../identity/requires.js';
import { Refuses } from '../problems/refuses.js';
import { PoliciesDiffFields, PolicyPath, RulesDiffFields, RulesPath } from './document-fields.js';
import {
  DiffDocuments,
  type Difference,
  type Kind,
  ListDocuments,
  POLICIES,
  type PolicyLine,
  RULES,
  type RulesLine,
  ShowDocument,
} from './documents.js';
import { PublishedAnswer } from './published-answer.interceptor.js';
import { DifferenceAnswer, PoliciesAnswer, RulesAnswer } from './rules.answers.js';

const TAG = { description: 'The SHA-256 of the file', schema: { type: 'string' } } as const;

/** Documents a route that returns a document, and has `PublishedAnswer` send it. */
const Published = ({
  name,
  form: { $schema: _, ...form },
}: Pick<Kind<Rules | Policy, unknown>, 'name' | 'form'>): MethodDecorator =>
  applyDecorators(
    UseInterceptors(PublishedAnswer),
    Refuses('invalid-request', 'not-acceptable', 'not-found'),
    ApiOperation({ summary: `A ${name}, byte for byte as it was published` }),
    ApiHeader({
      name: 'If-None-Match',
      required: false,
      description: 'The `ETag` of an earlier answer: returns 304, as a document never changes',
      schema: { type: 'string' },
    }),
    ApiResponse({
      status: 200,
      description: 'The file. Its SHA-256 is the `ETag`',
      headers: { ETag: TAG },
      content: { 'application/json': { schema: form as object } },
    }),
    ApiResponse({ status: 304, description: 'Not modified', headers: { ETag: TAG } }),
  );

/** The routes of the installed rule documents and review policies. */
@ApiTags('rules')
@Controller('v1')
export class RulesController {
  constructor(private readonly queries: QueryBus) {}

  @Get('rules')
  @Requires('read-rules')
  @ApiOperation({ summary: 'The installed rule documents' })
  @ApiOkResponse({ type: RulesAnswer, description: 'In order of name' })
  async listRules(): Promise<{ items: readonly RulesLine[] }> {
    return { items: await this.queries.execute(new ListDocuments(RULES)) };
  }

  @Get('rules/diff')
  @Requires('read-rules')
  @ApiOperation({ summary: 'What differs between two rule documents, in words' })
  @ApiOkResponse({ type: DifferenceAnswer, description: 'The differences' })
  @Refuses('invalid-request', 'not-found')
  diffRules(@Query() { from, to }: RulesDiffFields): Promise<Difference> {
    return this.queries.execute(new DiffDocuments(RULES, from, to));
  }

  @Get('rules/:ref')
  @Requires('read-rules')
  @Published(RULES)
  getRules(@Param() { ref }: RulesPath): Promise<Rules> {
    return this.queries.execute(new ShowDocument(RULES, ref));
  }

  @Get('policies')
  @Requires('read-rules')
  @ApiOperation({ summary: 'The installed review policies, and the one in force' })
  @ApiOkResponse({ type: PoliciesAnswer, description: 'In order of name' })
  async listPolicies(): Promise<{ items: readonly PolicyLine[] }> {
    return { items: await this.queries.execute(new ListDocuments(POLICIES)) };
  }

  @Get('policies/diff')
  @Requires('read-rules')
  @ApiOperation({ summary: 'What differs between two review policies, in words' })
  @ApiOkResponse({ type: DifferenceAnswer, description: 'The differences' })
  @Refuses('invalid-request', 'not-found')
  diffPolicies(@Query() { from, to }: PoliciesDiffFields): Promise<Difference> {
    return this.queries.execute(new DiffDocuments(POLICIES, from, to));
  }

  @Get('policies/:ref')
  @Requires('read-rules')
  @Published(POLICIES)
  getPolicy(@Param() { ref }: PolicyPath): Promise<Policy> {
    return this.queries.execute(new ShowDocument(POLICIES, ref));
  }
}
