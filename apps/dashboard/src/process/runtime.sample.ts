import type { Config } from '../config.js';
import { type DashboardRuntime, provideRuntime } from './runtime.js';

export const SAMPLE_ORIGIN = 'http://127.0.0.1:3000';
export const SAMPLE_KEY = 'a'.repeat(64);

/** Provides a runtime without a process, for specs of server code. */
export function provideSampleRuntime(config: Partial<Config> = {}): void {
  const logger = { warn: () => undefined };
  const all = { PUBLIC_URL: SAMPLE_ORIGIN, SESSION_KEYS: [SAMPLE_KEY], ...config };
  provideRuntime({ config: all, logger } as unknown as DashboardRuntime);
}
