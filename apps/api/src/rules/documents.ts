import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { diffPolicies, type Policy, POLICY_FORM, type RuleBook } from '#audit';
import { diffRules, type Form, RULE_DOCUMENT_FORM, type Rules } from '#baccarat';
import { Problem } from '../problems/problems.js';
import { ApiSettings } from '../settings/api-settings.js';
import { InstalledRules } from '../settings/tokens.js';

/** What a list says of a document. */
interface OfDocument {
  readonly ref: string;
  readonly id: string;
  readonly version: number;
  readonly title: string;
  readonly hash: string;
}
/** A rule document in a list. */
export interface RulesLine extends OfDocument {
  readonly game: string;
  readonly decks: readonly number[];
}
/** A review policy in a list. */
export interface PolicyLine extends OfDocument {
  readonly inForce: boolean;
}

/** What differs between two documents, in words, as `shoeprint rules diff --json` prints it. */
export interface Difference {
  readonly from: string;
  readonly to: string;
  readonly differences: readonly string[];
}

/** A kind of document: rule documents or review policies. */
export interface Kind<Document extends Rules | Policy, Line> {
  readonly name: string;
  /** The regular expression of names, `id@version`. */
  readonly pattern: string;
  readonly example: string;
  readonly form: Form;
  readonly installed: (book: RuleBook) => ReadonlyMap<string, Document>;
  readonly lineOf: (document: Document, policyInForce: string) => Line;
  readonly diff: (from: Document, to: Document) => readonly string[];
}

/** The documents that a house plays by. Each shoe names its own, so none is in force by itself. */
export const RULES: Kind<Rules, RulesLine> = {
  name: 'rule document',
  pattern: '^[a-z0-9-]+@[0-9]+$',
  example: 'punto-banco@1',
  form: RULE_DOCUMENT_FORM,
  installed: (book) => book,
  lineOf: (rules) => ({
    ...lineOf(rules),
    game: rules.document.game,
    decks: rules.document.decks,
  }),
  diff: (from, to) => diffRules(from.document, to.document),
};

/** The policies that a house reviews by. One is in force. */
export const POLICIES: Kind<Policy, PolicyLine> = {
  name: 'review policy',
  pattern: '^review@[0-9]+$',
  example: 'review@1',
  form: POLICY_FORM,
  installed: ({ policies }) => policies,
  lineOf: (policy, inForce) => ({ ...lineOf(policy), inForce: policy.ref === inForce }),
  diff: (from, to) => diffPolicies(from.document, to.document),
};

const lineOf = ({ ref, hash, document }: Rules | Policy): OfDocument => ({
  ref,
  id: document.id,
  version: document.version,
  title: document.title,
  hash,
});

/** Asks for the installed documents of a kind, by name. */
export class ListDocuments<Document extends Rules | Policy, Line> extends Query<readonly Line[]> {
  constructor(readonly kind: Kind<Document, Line>) {
    super();
  }
}

/** Returns every installed document of a kind, in order of name. */
@QueryHandler(ListDocuments)
export class ListDocumentsHandler implements IQueryHandler<ListDocuments<Rules | Policy, object>> {
  constructor(
    private readonly rules: InstalledRules,
    private readonly settings: ApiSettings,
  ) {}

  async execute({ kind }: ListDocuments<Rules | Policy, object>): Promise<readonly object[]> {
    return [...kind.installed(this.rules.book).values()]
      .sort((a, b) => a.ref.localeCompare(b.ref, 'en', { numeric: true }))
      .map((document) => kind.lineOf(document, this.settings.policy));
  }
}

/** Asks for one document as it was published. */
export class ShowDocument<Document extends Rules | Policy> extends Query<Document> {
  constructor(
    readonly kind: Kind<Document, unknown>,
    readonly ref: string,
  ) {
    super();
  }
}

/** Returns a document. Throws `not-found` if it is not installed. */
@QueryHandler(ShowDocument)
export class ShowDocumentHandler implements IQueryHandler<ShowDocument<Rules | Policy>> {
  constructor(private readonly rules: InstalledRules) {}

  async execute({ kind, ref }: ShowDocument<Rules | Policy>): Promise<Rules | Policy> {
    return named(kind, this.rules.book, ref);
  }
}

/** Asks what differs between two documents of a kind. */
export class DiffDocuments<Document extends Rules | Policy> extends Query<Difference> {
  constructor(
    readonly kind: Kind<Document, unknown>,
    readonly from: string,
    readonly to: string,
  ) {
    super();
  }
}

/** Compares two documents. Throws `not-found` if one is not installed. */
@QueryHandler(DiffDocuments)
export class DiffDocumentsHandler implements IQueryHandler<DiffDocuments<Rules | Policy>> {
  constructor(private readonly rules: InstalledRules) {}

  async execute({ kind, from, to }: DiffDocuments<Rules | Policy>): Promise<Difference> {
    const { book } = this.rules;
    const [before, after] = [named(kind, book, from), named(kind, book, to)];
    return { from: before.ref, to: after.ref, differences: kind.diff(before, after) };
  }
}

function named<Document extends Rules | Policy>(
  { name, installed }: Kind<Document, unknown>,
  book: RuleBook,
  ref: string,
): Document {
  const document = installed(book).get(ref);
  if (!document) throw new Problem('not-found', `the ${name} ${ref} is not installed`);
  return document;
}
