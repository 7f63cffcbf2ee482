import { listenForProbes, type ProbeServer } from '#process';
import { gatewayRegistry } from './gateway-metrics.js';
import { type GatewaySnapshot, readinessOf } from './snapshot.js';

/**
 * Serves `/livez`, `/readyz` and `/metrics` of a gateway from its snapshots. They have no secret
 * and no card, so everybody who reaches the port may read them.
 */
export const serveGatewayHealth = (
  snapshot: () => GatewaySnapshot,
  host: string,
  port: number,
): Promise<ProbeServer> =>
  listenForProbes(
    {
      registry: gatewayRegistry(snapshot),
      mayReadMetrics: () => true,
      ready: async () => readinessOf(snapshot(), Date.now()),
    },
    host,
    port,
  );
