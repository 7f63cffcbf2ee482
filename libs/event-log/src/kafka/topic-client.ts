import type { Kafka } from 'kafkajs';
import { hedged } from '#process';
import { type Cluster, clusterOf } from './internals.js';

/** How long a broker may be silent on a new connection before the next one is asked beside it. */
const BESIDE_MS = 1_000;
const BESIDE_MAX = 3;

/** The connections of one client to the brokers, with the leaders of one topic. */
export class TopicClient {
  private readonly begun = new Set<Cluster>();
  private isClosed = false;
  private connecting: Promise<Cluster> | undefined;
  /** The one that answered first, once one has. */
  private cluster: Cluster | undefined;
  /** The one that knows the leaders of the topic. */
  private knowing: Cluster | undefined;
  private isStale = false;

  constructor(
    private readonly clients: () => Kafka,
    readonly topic: string,
  ) {}

  /**
   * Resolves with the cluster once a broker has answered. A connection can stay silent for ever, so
   * another is made beside it each second, and the first that answers is taken.
   */
  async connected(): Promise<Cluster> {
    this.assertOpen();
    this.connecting ??= this.firstToAnswer().catch((error: unknown) => {
      this.connecting = undefined;
      throw error;
    });
    return this.connecting;
  }

  /**
   * Resolves with the cluster once the leaders of the topic are known. After `distrust` it asks for
   * them again. Rejects if the topic does not exist.
   */
  async withLeaders(): Promise<Cluster> {
    const cluster = await this.connected();
    if (this.knowing !== cluster) await cluster.addTargetTopic(this.topic);
    this.knowing = cluster;
    await (this.isStale ? cluster.refreshMetadata() : cluster.refreshMetadataIfNecessary());
    this.isStale = false;
    return cluster;
  }

  /** Says that the leaders may be others now, and that connections may have ended. */
  distrust(): void {
    this.isStale = true;
    // one that is being made is waited for, or each failure would make others beside it
    if (!this.cluster || this.cluster.isConnected()) return;
    this.cluster = undefined;
    this.connecting = undefined;
  }

  /** Says that the connection to a broker has ended. */
  forget(broker: { host: string; port: number }): void {
    this.cluster?.removeBroker(broker);
  }

  /** Ends all connections. Requests under way end first, each within its limit. */
  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all([...this.begun].map((cluster) => cluster.disconnect()));
  }

  private async firstToAnswer(): Promise<Cluster> {
    const first = await hedged(() => this.answering(), {
      everyMs: BESIDE_MS,
      most: BESIDE_MAX,
      discard: (cluster) => this.end(cluster),
    });
    for (const cluster of this.begun) if (cluster !== first) this.end(cluster);
    this.cluster = first;
    return first;
  }

  private async answering(): Promise<Cluster> {
    this.assertOpen();
    const cluster = clusterOf(this.clients());
    this.begun.add(cluster);
    try {
      await cluster.connect();
      // kafkajs calls a broker that says nothing connected
      await (await cluster.brokerPool.findConnectedBroker()).apiVersions();
      if (!this.begun.has(cluster)) throw new Error('another connection answered first');
      return cluster;
    } catch (error) {
      this.end(cluster);
      throw error;
    }
  }

  private assertOpen(): void {
    if (this.isClosed) throw new Error('the connection is closed');
  }

  private end(cluster: Cluster): void {
    this.begun.delete(cluster);
    void cluster.disconnect().catch(() => undefined); // nothing is under way on it
  }
}
