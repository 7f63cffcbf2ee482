import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { SpoolFull } from '#spool';
import { Spool } from '../../libs/spool/src/spool.js';
import { rounds } from '../kit/rounds.js';
import { Chance } from './chance.js';
import { CountingOwner, numbered, numberOf } from './counting-owner.js';
import { SimulatedDisk } from './simulated-disk.js';

const FRAMES = 200;
const RUNS = rounds(1_000);
const RUNS_MS_MAX = 300_000;
const READ_MS_MAX = 60_000;
const LIMITS = { contents: 7, bytes: 2_000 };
/** Small segments, so that a run begins and removes many. */
const settings = (seed: number) => ({
  segmentBytes: 1_500,
  keepMs: seed % 3 === 0 ? 1e12 : -1,
  capBytes: seed % 4 === 0 ? 9_000 : 1e9,
  cursorMs: 1e6,
  retryMs: 1,
});
const NEVER = (): undefined => undefined;

/** Thrown by an operation of a disk that fails and goes on. */
class DiskFault extends Error {}

/** One table's spool through all its losses of power, and what was promised meanwhile. */
class Trial {
  disk: SimulatedDisk;
  owner = new CountingOwner();
  cuts = 0;
  private readonly chance: Chance;
  private readonly patience = AbortSignal.timeout(READ_MS_MAX);
  private nextId = 1;
  private readonly acknowledged: number[] = [];
  private readonly delivered: number[] = [];

  /** `fault` makes operations fail while the power is on. */
  constructor(
    private readonly seed: number,
    private readonly fault: (operation: string) => Error | undefined = NEVER,
  ) {
    this.chance = new Chance(seed);
    this.disk = new SimulatedDisk(this.chance);
    this.disk.fault = fault;
  }

  get isDone(): boolean {
    return this.nextId > FRAMES;
  }

  /** Opens the spool and uses it until the power goes or all frames are in. */
  async live(): Promise<void> {
    const spool = await this.open();
    if (!spool) return;
    const answers: Promise<void>[] = [];
    if (this.chance.below(2) === 0) await this.deliverAll(spool);
    while (!this.isDone && !this.disk.isCut) {
      for (let frames = this.chance.below(3); frames > 0 && !this.isDone; frames -= 1)
        answers.push(this.append(spool));
      if (this.chance.below(3) > 0) await turn();
      if (this.chance.below(4) === 0) await this.deliver(spool);
    }
    if (!this.disk.isCut) await Promise.all(answers);
    await spool.close();
    await Promise.all(answers);
  }

  /** Goes on with what a loss of power has left, or the end of the process alone. */
  reboot(isKill = false): void {
    if (!this.disk.isCut) return;
    this.cuts += 1;
    this.disk = isKill ? this.disk.killed() : this.disk.restarted();
    this.disk.fault = this.fault;
  }

  /** Delivers the rest on a disk that stays on, and compares all with what was promised. */
  async expectWhole(): Promise<void> {
    this.disk.cutAt = Infinity;
    this.disk.fault = NEVER;
    const spool = await this.open();
    if (spool) await this.deliverAll(spool);
    await spool?.close();
    const { ids } = this.owner;
    expect([...new Set(this.delivered)]).toEqual(ids);
  }

  /** Opens the spool. Returns undefined if the power goes meanwhile, or the disk fails. */
  private async open(): Promise<Spool | undefined> {
    this.owner = new CountingOwner();
    try {
      const spool = await Spool.open(this.disk, this.owner, settings(this.seed));
      this.expectKept();
      return spool;
    } catch (error) {
      if (this.disk.isCut || error instanceof DiskFault) return undefined;
      throw error;
    }
  }

  private expectKept(): void {
    const { ids, notices } = this.owner;
    expect(ids.filter((id, at) => at > 0 && id <= Number(ids[at - 1]))).toEqual([]);
    const kept = new Set(ids);
    expect(this.acknowledged.filter((id) => !kept.has(id))).toEqual([]);
    expect(this.delivered.filter((id) => !kept.has(id))).toEqual([]);
    expect(notices).toEqual([]);
  }

  /** Returns whether a frame was refused for want of room, on a disk that fails or has a cap. */
  private mayBeFull(error: unknown): boolean {
    const { capBytes } = settings(this.seed);
    return error instanceof SpoolFull && (this.fault !== NEVER || capBytes < 1e9);
  }

  private async append(spool: Spool): Promise<void> {
    const id = this.nextId;
    this.nextId += 1;
    await spool.append([numbered(id, this.chance.below(200))]).then(
      () => this.acknowledged.push(id),
      (error: unknown) => {
        if (!this.disk.isCut && !this.mayBeFull(error)) throw error;
      },
    );
  }

  private async deliverAll(spool: Spool): Promise<void> {
    const last = this.owner.lines.at(-1) ?? 0;
    while (spool.figures.sent < last && !this.disk.isCut) await this.deliver(spool);
  }

  private async deliver(spool: Spool): Promise<void> {
    const { sent } = spool.figures;
    if (!this.owner.lines.some((n) => n > sent)) return;
    try {
      const lines = await spool.read(sent, LIMITS, this.patience);
      this.delivered.push(...lines.flatMap(({ made }) => made.map(numberOf)));
      spool.delivered(lines.at(-1)?.n ?? sent);
    } catch (error) {
      if (!this.disk.isCut) throw error;
    }
  }
}

/** Runs a test for a seed, and names the seed if it fails. */
async function withSeed(seed: number, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw new Error(`seed ${seed}`, { cause: error });
  }
}

describe('a spool whose disk loses power', () => {
  it(
    'keeps all that it acknowledged, once, wherever a run is cut',
    async () => {
      const whole = new Trial(1);
      await whole.live();
      const { operations } = whole.disk;
      expect(operations).toBeGreaterThan(FRAMES);
      for (let cutAt = 1; cutAt <= operations; cutAt += 1) {
        const trial = new Trial(1);
        trial.disk.cutAt = cutAt;
        while (!trial.isDone || trial.disk.isCut) {
          trial.reboot();
          await trial.live();
        }
        expect({ cutAt, cuts: trial.cuts }).toEqual({ cutAt, cuts: 1 });
        await trial.expectWhole();
      }
    },
    RUNS_MS_MAX,
  );

  it('keeps what a killed process left in memory, once a start has shown it', async () => {
    for (let seed = 1; seed <= 20; seed += 1)
      await withSeed(seed, async () => {
        const disk = new SimulatedDisk(new Chance(seed));
        const spool = await Spool.open(disk, new CountingOwner());
        await spool.append([numbered(1)]);
        disk.cutAt = disk.operations + 2; // the sync
        await expect(spool.append([numbered(2)])).rejects.toThrow(SpoolFull);
        await spool.close();
        const left = disk.killed();
        const shown = new CountingOwner();
        await Spool.open(left, shown);
        expect(shown.ids).toEqual([1, 2]);
        const after = new CountingOwner();
        await Spool.open(left.restarted(), after);
        expect(after.ids).toEqual([1, 2]);
      });
  });

  it.each([
    ['that are cut or killed again and again', 0],
    ['that are cut or killed, and whose disk also fails', 1 / 25],
  ])(
    `keeps all that it acknowledged, once, in ${RUNS} runs %s`,
    async (title, faults) => {
      const first = Number(process.env.SHOEPRINT_TEST_SEED ?? Math.floor(Math.random() * 1e9));
      process.stderr.write(`runs ${title}: SHOEPRINT_TEST_SEED=${first}\n`);
      let cuts = 0;
      for (let seed = first; seed < first + RUNS; seed += 1)
        await withSeed(seed, async () => {
          const chance = new Chance(~seed);
          const fault = (operation: string): Error | undefined =>
            chance.below(1_000) < faults * 1_000 ? new DiskFault(operation) : undefined;
          const trial = new Trial(seed, faults > 0 ? fault : NEVER);
          while (!trial.isDone || trial.disk.isCut) {
            trial.reboot(chance.below(3) === 0);
            trial.disk.cutAt = trial.disk.operations + 1 + chance.below(4) ** 2 * chance.below(40);
            await trial.live();
          }
          cuts += trial.cuts;
          await trial.expectWhole();
        });
      expect(cuts).toBeGreaterThan(3 * RUNS);
    },
    RUNS_MS_MAX,
  );
});
