/** Gate's names of the times in force, the same for spot and futures. */
import type { TimeInForce } from '@trading-automation/contracts';

export const TIMES_IN_FORCE: Readonly<Record<TimeInForce, string>> = {
  GTC: 'gtc',
  IOC: 'ioc',
  FOK: 'fok',
  POST_ONLY: 'poc',
};

/** Returns the time in force of an order that the exchange reports. */
export function timeInForceOf(name: string): TimeInForce {
  const names = Object.entries(TIMES_IN_FORCE) as readonly (readonly [TimeInForce, string])[];
  return names.find(([, candidate]) => candidate === name)?.[0] ?? 'GTC';
}
