import { Injectable } from '@nestjs/common';
import type { Policy, Severity } from '#audit';
import type { Overdue } from '#read-model';
import { ApiSettings } from '../settings/api-settings.js';
import { policyInForce } from '../settings/rules-of-server.js';
import { InstalledRules } from '../settings/tokens.js';

/** How long findings may wait for their ruling, by the review policy in force. */
@Injectable()
export class Deadlines {
  constructor(
    private readonly installed: InstalledRules,
    private readonly settings: ApiSettings,
  ) {}

  /** The review policy in force. */
  get policy(): Policy {
    return policyInForce(this.installed.book, this.settings.policy);
  }

  /** Returns a filter in which `overdue` says before when a finding of each severity was raised. */
  in<Asked extends { readonly overdue?: boolean }>(
    filter: Asked,
  ): Omit<Asked, 'overdue'> & { readonly overdue?: Overdue } {
    const { overdue, ...others } = filter;
    if (overdue === undefined) return others;
    const { due } = this.policy.document;
    // whole seconds, so that requests of one second ask the same
    const now = Math.floor(Date.now() / 1000) * 1000;
    const raisedBefore = Object.fromEntries(
      Object.entries(due).map(([severity, s]) => [
        severity,
        new Date(now - s * 1000).toISOString(),
      ]),
    ) as unknown as Readonly<Record<Severity, string>>;
    return { ...others, overdue: { is: overdue, raisedBefore } };
  }
}
