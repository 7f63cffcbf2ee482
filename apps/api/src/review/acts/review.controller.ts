import { Controller } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import type { ReviewCommand } from '#read-model';
import { ActRoute } from './act-docs.js';
import { SentAct, type ActSent } from './act-request.js';
import type { Acted } from './acts.js';
import { PerformAct } from './perform-act.js';

/** The commands on one finding (contract section 7). */
@ApiTags('review')
@Controller('v1/findings')
export class ReviewController {
  constructor(private readonly commands: CommandBus) {}

  @ActRoute('claim', 'Claim a finding for some time, so that others leave it alone')
  claimFinding(@SentAct() sent: ActSent): Promise<Acted> {
    return this.perform('claim', sent);
  }

  @ActRoute('release', 'Give up a claim')
  releaseFinding(@SentAct() sent: ActSent): Promise<Acted> {
    return this.perform('release', sent);
  }

  @ActRoute('comment', 'Comment on a finding')
  commentOnFinding(@SentAct() sent: ActSent): Promise<Acted> {
    return this.perform('comment', sent);
  }

  @ActRoute('video', 'Attach a link to video of a finding')
  attachVideo(@SentAct() sent: ActSent): Promise<Acted> {
    return this.perform('video', sent);
  }

  @ActRoute('hold', 'Ask surveillance to keep video')
  requestVideoHold(@SentAct() sent: ActSent): Promise<Acted> {
    return this.perform('hold', sent);
  }

  @ActRoute('held', 'Record until when requested video is kept')
  confirmVideoHeld(@SentAct() sent: ActSent): Promise<Acted> {
    return this.perform('held', sent);
  }

  @ActRoute('propose', 'Propose a ruling, which is final if the policy requires only one person')
  proposeRuling(@SentAct() sent: ActSent): Promise<Acted> {
    return this.perform('propose', sent);
  }

  @ActRoute('sign', 'Sign what somebody else proposed, which makes it final')
  signRuling(@SentAct() sent: ActSent): Promise<Acted> {
    return this.perform('sign', sent);
  }

  @ActRoute('refuse', 'Refuse what somebody else proposed')
  refuseRuling(@SentAct() sent: ActSent): Promise<Acted> {
    return this.perform('refuse', sent);
  }

  @ActRoute('take-back', 'Take back your own proposal')
  takeRulingBack(@SentAct() sent: ActSent): Promise<Acted> {
    return this.perform('take-back', sent);
  }

  @ActRoute('escalate', 'Escalate a finding to another role, which alone may then sign')
  escalateFinding(@SentAct() sent: ActSent): Promise<Acted> {
    return this.perform('escalate', sent);
  }

  @ActRoute('reopen', 'Reopen a finding that was ruled on')
  reopenFinding(@SentAct() sent: ActSent): Promise<Acted> {
    return this.perform('reopen', sent);
  }

  private perform(command: ReviewCommand, sent: ActSent): Promise<Acted> {
    return this.commands.execute(new PerformAct(command, sent));
  }
}
