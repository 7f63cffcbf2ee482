import { Controller, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import type { ReviewCommand } from '#read-model';
import type { FastifyReply } from 'fastify';
import { personIn } from '../identity/requires.js';
import { ActReplies } from './act-replies.js';
import { ActRoute } from './act-docs.js';
import { SentAct, type ActSent } from './act-request.js';
import { PerformAct } from './perform-act.js';

/** The commands on one finding (contract section 7). */
@ApiTags('review')
@Controller('v1/findings')
export class ReviewController {
  constructor(
    private readonly commands: CommandBus,
    private readonly replies: ActReplies,
  ) {}

  @ActRoute('claim', 'Hold a finding for some time, so that others leave it alone')
  claimFinding(@SentAct() sent: ActSent, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.perform('claim', sent, reply);
  }

  @ActRoute('release', 'Give up a claim')
  releaseFinding(@SentAct() sent: ActSent, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.perform('release', sent, reply);
  }

  @ActRoute('comment', 'Say something about a finding')
  commentOnFinding(@SentAct() sent: ActSent, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.perform('comment', sent, reply);
  }

  @ActRoute('video', 'Name video of what a finding is about')
  attachVideo(@SentAct() sent: ActSent, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.perform('video', sent, reply);
  }

  @ActRoute('hold', 'Ask surveillance to keep video')
  requestVideoHold(@SentAct() sent: ActSent, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.perform('hold', sent, reply);
  }

  @ActRoute('held', 'Say until when video is kept that somebody asked for')
  confirmVideoHeld(@SentAct() sent: ActSent, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.perform('held', sent, reply);
  }

  @ActRoute('propose', 'Propose a ruling, which is final if the policy asks for one person only')
  proposeRuling(@SentAct() sent: ActSent, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.perform('propose', sent, reply);
  }

  @ActRoute('sign', 'Sign what somebody else proposed, which makes it final')
  signRuling(@SentAct() sent: ActSent, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.perform('sign', sent, reply);
  }

  @ActRoute('refuse', 'Refuse what somebody else proposed')
  refuseRuling(@SentAct() sent: ActSent, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.perform('refuse', sent, reply);
  }

  @ActRoute('take-back', 'Take back the own proposal')
  takeRulingBack(@SentAct() sent: ActSent, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.perform('take-back', sent, reply);
  }

  @ActRoute('escalate', 'Leave a finding to another role, which alone may sign then')
  escalateFinding(@SentAct() sent: ActSent, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.perform('escalate', sent, reply);
  }

  @ActRoute('reopen', 'Open a finding again that was ruled on')
  reopenFinding(@SentAct() sent: ActSent, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.perform('reopen', sent, reply);
  }

  private async perform(
    command: ReviewCommand,
    sent: ActSent,
    reply: FastifyReply,
  ): Promise<object> {
    const acted = await this.commands.execute(new PerformAct(command, sent));
    return this.replies.answer(reply, acted, personIn(sent.by).id);
  }
}
