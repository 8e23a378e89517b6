import type { DetailedHealth } from '@trading-automation/contracts';
import { isConnectionLost, readHeartbeats, recordHeartbeat } from '@trading-automation/persistence';
import type { Platform } from './platform.js';

const BEAT_MS = 5_000;
/** Three beats missed. */
const DEGRADED_AFTER_MS = 20_000;
/** Who has to be there for the product to work, whether it was ever seen or not. */
const EXPECTED = ['trading-worker', 'webhook-dispatcher'];
/** Who is told of once they were seen: a deployment may do without. */
const OPTIONAL = ['graphql-api'];
/** What a service that was never seen is said to be silent for. */
const NEVER_SEEN_MS = 86_400_000;

/** Shows that a process lives, until the answer is called. */
export function startHeartbeat(platform: Platform, service: string): () => void {
  const show = () => recordHeartbeat(platform.database, service, platform.instance).catch(() => undefined);
  void show();
  const timer = setInterval(show, BEAT_MS);
  return () => clearInterval(timer);
}

export class HealthService {
  constructor(
    private readonly platform: Platform,
    /** Resolves when Redis answers. */
    private readonly pingRedis: () => Promise<unknown>,
  ) {}

  /** Never throws: what is away is told as degraded. */
  async detailed(): Promise<DetailedHealth> {
    const services: DetailedHealth['services'] = {};
    const [beats, redis] = await Promise.all([this.beats(), isAnswering(this.pingRedis)]);
    services.postgres = { status: beats === null ? 'degraded' : 'ok', age_ms: 0 };
    services.redis = { status: redis ? 'ok' : 'degraded', age_ms: 0 };
    for (const name of [...EXPECTED, ...OPTIONAL.filter((optional) => beats?.has(optional))]) {
      const ageMs = Math.round(beats?.get(name) ?? NEVER_SEEN_MS);
      services[name] = { status: ageMs > DEGRADED_AFTER_MS ? 'degraded' : 'ok', age_ms: ageMs };
    }
    const isOk = Object.values(services).every(({ status }) => status === 'ok');
    return { status: isOk ? 'ok' : 'degraded', services };
  }

  /** The youngest sign of life of each service; null where the database does not tell. */
  private async beats(): Promise<ReadonlyMap<string, number> | null> {
    try {
      const youngest = new Map<string, number>();
      for (const { service, ageMs } of await readHeartbeats(this.platform.database)) {
        if (!youngest.has(service)) youngest.set(service, ageMs);
      }
      return youngest;
    } catch (error) {
      if (isConnectionLost(error)) return null;
      throw error;
    }
  }
}

async function isAnswering(ping: () => Promise<unknown>): Promise<boolean> {
  const timeout = new Promise<boolean>((resolve) => setTimeout(resolve, 2_000, false).unref());
  return Promise.race([
    ping().then(
      () => true,
      () => false,
    ),
    timeout,
  ]);
}
