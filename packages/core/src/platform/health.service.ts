import type { DetailedHealth } from '@trading-automation/contracts';
import { readHeartbeats, recordHeartbeat } from '@trading-automation/persistence';
import type { Platform } from './platform.js';

const HEARTBEAT_MS = 5_000;
/** Three heartbeats were missed by then, and a fourth is due. */
const DEGRADED_AFTER_MS = 20_000;
/** Services that the product needs. They are reported even if they never sent a heartbeat. */
const EXPECTED_SERVICES = ['trading-worker', 'webhook-dispatcher'];
/** Optional services, reported only after their first heartbeat. */
const OPTIONAL_SERVICES = ['graphql-api'];
/** The reported age of a service without a heartbeat. */
const NEVER_SEEN_AGE_MS = 86_400_000;

/** Records heartbeats of a process until the returned function is called. */
export function startHeartbeat(platform: Platform, service: string): () => void {
  const record = () => recordHeartbeat(platform.database, service, platform.instance).catch(() => undefined);
  void record();
  const timer = setInterval(record, HEARTBEAT_MS);
  return () => clearInterval(timer);
}

export class HealthService {
  constructor(
    private readonly platform: Platform,
    /** Resolves when Redis responds. */
    private readonly pingRedis: () => Promise<unknown>,
    /** Returns whether this process accepts signed requests. */
    private readonly acceptsSignedRequests: () => boolean = () => true,
  ) {}

  /** Returns the state of each service. @throws if the database is unavailable: it holds the states */
  async detailed(): Promise<DetailedHealth> {
    const services: DetailedHealth['services'] = {};
    const [heartbeats, redis] = await Promise.all([this.latestHeartbeats(), isResponding(this.pingRedis)]);
    services.postgres = { status: 'ok', age_ms: 0 };
    services.redis = { status: redis ? 'ok' : 'degraded', age_ms: 0 };
    services['signed-requests'] = { status: this.acceptsSignedRequests() ? 'ok' : 'degraded', age_ms: 0 };
    for (const name of [
      ...EXPECTED_SERVICES,
      ...OPTIONAL_SERVICES.filter((optional) => heartbeats.has(optional)),
    ]) {
      const ageMs = Math.round(heartbeats.get(name) ?? NEVER_SEEN_AGE_MS);
      services[name] = { status: ageMs > DEGRADED_AFTER_MS ? 'degraded' : 'ok', age_ms: ageMs };
    }
    const isOk = Object.values(services).every(({ status }) => status === 'ok');
    return { status: isOk ? 'ok' : 'degraded', services };
  }

  /** Returns the age of the latest heartbeat of each service, in ms. */
  private async latestHeartbeats(): Promise<ReadonlyMap<string, number>> {
    const latest = new Map<string, number>();
    for (const { service, ageMs } of await readHeartbeats(this.platform.database)) {
      if (!latest.has(service)) latest.set(service, ageMs);
    }
    return latest;
  }
}

async function isResponding(ping: () => Promise<unknown>): Promise<boolean> {
  const timeout = new Promise<boolean>((resolve) => setTimeout(resolve, 2_000, false).unref());
  return Promise.race([
    ping().then(
      () => true,
      () => false,
    ),
    timeout,
  ]);
}
