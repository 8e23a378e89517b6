/**
 * What the process gives to the server code of the pages. Next.js bundles that code separately, so it cannot import the
 * modules of the process; both share this one object of the global scope.
 */
import type { Logger } from '@trading-automation/runtime';
import type { Config } from '../config.js';
import type { LiveSessions } from './live-sessions.js';

/** The header with the address of the browser. The process sets it; a client cannot. */
export const ADDRESS_HEADER = 'x-client-address';

export interface DashboardRuntime {
  readonly config: Config;
  readonly logger: Logger;
  readonly live: LiveSessions;
  /** Aborts when the process stops. Event streams then end. */
  readonly stopping: AbortSignal;
}

const KEY = Symbol.for('trading-automation.dashboard');
type Global = { [KEY]?: DashboardRuntime };

export function provideRuntime(runtime: DashboardRuntime): void {
  (globalThis as Global)[KEY] = runtime;
}

/** @throws {Error} outside of the process, for example while Next.js builds the pages */
export function dashboardRuntime(): DashboardRuntime {
  const runtime = (globalThis as Global)[KEY];
  if (runtime === undefined) throw new Error('The dashboard runs only in its own process; see src/main.ts.');
  return runtime;
}

/** The origin of the REST API, as users reach it. */
export function publicRestUrl(): string {
  const { REST_URL, REST_PUBLIC_URL = REST_URL } = dashboardRuntime().config;
  return REST_PUBLIC_URL;
}
