import { furthest, positionsFrom, positionsText, type Change, type Positions } from '#read-model';
import { accusedBy, changeFor, type Viewer } from './views.js';

/** Changes that were read together, and their messages as server-sent events. */
export class ChangeBatch {
  /** All changes before these positions are in this batch or an earlier one. */
  readonly to: Positions;
  /** `to` as the id of a message. */
  private readonly lastId: string;
  private readonly messages = new Map<object, string>();
  private readonly accused: ReadonlySet<string>;

  /** Takes what was read from `from` on, and where to continue. */
  constructor(
    readonly from: Positions,
    readonly changes: readonly Change[],
    positions: string,
  ) {
    this.to = positions === '' ? from : furthest(from, positionsFrom(positions));
    this.lastId = positionsText(this.to);
    this.accused = new Set(changes.flatMap(accusedBy));
  }

  /** Returns whether a change accuses the viewer, who then sees other messages than the rest. */
  accuses({ person }: Viewer): boolean {
    return person !== undefined && this.accused.has(person);
  }

  /**
   * Returns the messages of these changes for a viewer, '' if it may see none of them. Only the
   * last message has the id, so a reader that is cut off before it gets the same messages again.
   */
  render(viewer: Viewer, changes: readonly Change[], until?: Positions): string {
    let text = '';
    for (const change of changes) {
      const shown = changeFor(viewer, change);
      if (shown) text += `${text === '' ? '' : '\n'}${this.messageOf(change.is, shown)}`;
    }
    if (text === '') return '';
    return `${text}id: ${until === undefined ? this.lastId : positionsText(until)}\n\n`;
  }

  /** Returns a message without its id and its end. Each is formatted once, for all viewers. */
  private messageOf(event: Change['is'], shown: object): string {
    let message = this.messages.get(shown);
    if (message === undefined) {
      message = `event: ${event}\ndata: ${JSON.stringify(shown)}\n`;
      this.messages.set(shown, message);
    }
    return message;
  }
}
