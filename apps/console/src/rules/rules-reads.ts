import { queryOptions } from '@tanstack/react-query';
import type { RuleDocument } from '#baccarat';
import { api, dataOf } from '../api/client.js';

/** A published document never changes. */
const PUBLISHED_MS = Number.POSITIVE_INFINITY;

/** The query for the installed rule documents. */
export const ruleListQuery = queryOptions({
  queryKey: ['rules'],
  queryFn: ({ signal }) => dataOf(api.GET('/v1/rules', { signal })),
});

/** The query for one rule document, `id@version`. */
export const ruleDocumentQuery = (ref: string) =>
  queryOptions({
    queryKey: ['rules', ref],
    queryFn: async ({ signal }) => {
      const document: unknown = await dataOf(
        api.GET('/v1/rules/{ref}', { params: { path: { ref } }, signal }),
      );
      return document as RuleDocument;
    },
    staleTime: PUBLISHED_MS,
  });

/** The query for how many shoes were dealt by a rule document. */
export const shoesByRulesQuery = (ref: string, enabled: boolean) =>
  queryOptions({
    queryKey: ['shoes by rules', ref],
    queryFn: async ({ signal }) => {
      const query = { rules: ref, limit: 1 };
      const answer = await dataOf(api.GET('/v1/reports/shoes', { params: { query }, signal }));
      return typeof answer === 'string' ? 0 : answer.total.shoes;
    },
    enabled,
  });

/** The query for the installed review policies. */
export const policyListQuery = queryOptions({
  queryKey: ['policies'],
  queryFn: ({ signal }) => dataOf(api.GET('/v1/policies', { signal })),
});

/** Returns whether a name is that of a review policy. */
export const isPolicy = (ref: string): boolean => ref.startsWith('review@');

/** The query for what differs between two rule documents, or two review policies. */
export const differenceQuery = (from: string, to: string) =>
  queryOptions({
    queryKey: ['difference', from, to],
    queryFn: ({ signal }) => {
      const asked = { params: { query: { from, to } }, signal };
      return dataOf(
        isPolicy(from) ? api.GET('/v1/policies/diff', asked) : api.GET('/v1/rules/diff', asked),
      );
    },
  });
