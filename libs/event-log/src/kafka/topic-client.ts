import type { Kafka } from 'kafkajs';
import { type Cluster, clusterOf } from './internals.js';

/** The connections of one client to the brokers, with the leaders of one topic. */
export class TopicClient {
  private readonly cluster: Cluster;
  private connecting: Promise<void> | undefined;
  private knowsTopic = false;
  private isStale = false;
  private closed = false;

  constructor(
    kafka: Kafka,
    readonly topic: string,
  ) {
    this.cluster = clusterOf(kafka);
  }

  /** Resolves with the cluster once a broker is connected. */
  async connected(): Promise<Cluster> {
    if (this.closed) throw new Error('the connection is closed');
    this.connecting ??= this.cluster.connect().catch((error: unknown) => {
      this.connecting = undefined;
      throw error;
    });
    await this.connecting;
    return this.cluster;
  }

  /**
   * Resolves with the cluster once the leaders of the topic are known. After `distrust` it asks for
   * them again. Rejects if the topic does not exist.
   */
  async withLeaders(): Promise<Cluster> {
    const cluster = await this.connected();
    if (!this.knowsTopic) await cluster.addTargetTopic(this.topic);
    this.knowsTopic = true;
    await (this.isStale ? cluster.refreshMetadata() : cluster.refreshMetadataIfNecessary());
    this.isStale = false;
    return cluster;
  }

  /** Says that the leaders may be others now, and that connections may have ended. */
  distrust(): void {
    this.isStale = true;
    if (!this.cluster.isConnected()) this.connecting = undefined;
  }

  /** Ends all connections. Requests under way end first, each within its limit. */
  async close(): Promise<void> {
    this.closed = true;
    await this.cluster.disconnect();
  }
}
