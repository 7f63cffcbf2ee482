import { Injectable } from '@nestjs/common';
import type { Policy } from '#audit';
import type { FindingsFilter, VideoEnds } from '#read-model';
import { ApiSettings } from '../settings/api-settings.js';
import { policyInForce } from '../settings/rules-of-server.js';
import { InstalledRules } from '../settings/tokens.js';

const HOUR_S = 3_600;

/** What a filter says by the clock. */
interface Timed {
  readonly overdue?: boolean;
  readonly videoHours?: number;
}

/** How long findings may wait for their ruling, and how long their video is kept, by the review policy in force. */
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

  /**
   * Returns a filter in which `overdue` says before when a finding of each severity was raised, and
   * `videoEnds` between which times the video of a finding is deleted.
   */
  in<Asked extends Timed>(
    filter: Asked,
  ): Omit<Asked, keyof Timed> & Pick<FindingsFilter, 'overdue' | 'videoEnds'> {
    const { overdue, videoHours, ...others } = filter;
    const { due, video } = this.policy.document;
    // whole seconds, so that requests of one second ask the same
    const now = Math.floor(Date.now() / 1000) * 1000;
    const after = (seconds: number): string => new Date(now + seconds * 1000).toISOString();
    const raisedBefore = {
      1: after(-due[1]),
      2: after(-due[2]),
      3: after(-due[3]),
      4: after(-due[4]),
    };
    const ends = (hours: number): VideoEnds => ({
      kept: video.kept,
      from: after(0),
      to: after(hours * HOUR_S),
    });
    return {
      ...others,
      ...(overdue !== undefined && { overdue: { is: overdue, raisedBefore } }),
      ...(videoHours !== undefined && { videoEnds: ends(videoHours) }),
    };
  }
}
