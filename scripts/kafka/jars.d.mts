export const kafkaVersion: string;
export function whyNoBroker(): Promise<string | undefined>;
export function kafkaJars(): Promise<string>;
