import { Refusal } from '#process';

/**
 * Thrown when another process holds a port at the start: its serial device is locked, or its
 * address is in use.
 */
export class PortHeld extends Refusal {
  override readonly name = 'PortHeld';
}
