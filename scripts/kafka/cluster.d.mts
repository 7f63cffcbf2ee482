/** A running cluster of one node or three. Nodes are numbered from 1. */
export interface KafkaCluster {
  readonly brokers: string[];
  readonly dir: string;
  readonly nodes: readonly { readonly id: number; readonly port: number }[];
  start(id: number): void;
  kill(id: number, signal?: NodeJS.Signals): Promise<void>;
  restart(id: number): Promise<void>;
  ready(): Promise<void>;
  stop(): Promise<void>;
  logs(): Promise<string>;
}

export function startKafka(options?: {
  nodes?: 1 | 3;
  advertise?: (port: number) => Promise<number>;
}): Promise<KafkaCluster>;
