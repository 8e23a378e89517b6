'use client';
/**
 * Simulates a copier. Simulations are limited to a few a minute, so they are no query, which events would repeat: one runs
 * when the settings have changed, and after a refusal when the limit allows it again.
 */
import { RateLimitError, type Simulation } from '@trading-automation/sdk';
import { useCallback, useEffect, useState } from 'react';
import { api } from '../../../data/api';

const DAY_MS = 86_400_000;
const WAIT_MS = 10_000;

export interface SimulationState {
  /** The last result; it stays while the next simulation runs. */
  readonly result: Simulation<'string'> | undefined;
  readonly error: unknown;
  readonly isRunning: boolean;
  /** When the limit allows the next simulation, in milliseconds; undefined without a limit. */
  readonly retryAt: number | undefined;
}

export interface SimulationRequest {
  readonly copierId: string;
  /** Undefined: all signals. */
  readonly days: number | undefined;
  /** Increases with each saved change of the settings. */
  readonly version: number;
}

const FIRST: SimulationState = { result: undefined, error: undefined, isRunning: true, retryAt: undefined };

export function useSimulation({ copierId, days, version }: SimulationRequest) {
  const [state, setState] = useState(FIRST);
  const [attempt, setAttempt] = useState(0);
  const retry = useCallback(() => setAttempt((count) => count + 1), []);

  // `version` and `attempt` are why it runs again.
  useEffect(() => {
    const stop = new AbortController();
    const body = days === undefined ? {} : { from: new Date(Date.now() - days * DAY_MS).toISOString() };
    setState((now) => ({ ...now, isRunning: true, error: undefined, retryAt: undefined }));
    api()
      .copiers.simulate(copierId, body, { signal: stop.signal, maxRetries: 0 })
      .then(
        (result) => ({ result, error: undefined, retryAt: undefined }),
        (error: unknown) =>
          error instanceof RateLimitError
            ? { error: undefined, retryAt: Date.now() + (error.retryAfterMs ?? WAIT_MS) }
            : { error },
      )
      .then((changes) => {
        if (!stop.signal.aborted) setState((now) => ({ ...now, isRunning: false, ...changes }));
      });
    return () => stop.abort();
  }, [copierId, days, version, attempt]);

  const { retryAt } = state;
  useEffect(() => {
    if (retryAt === undefined) return;
    const timer = setTimeout(retry, Math.max(500, retryAt - Date.now()));
    return () => clearTimeout(timer);
  }, [retryAt, retry]);
  return { ...state, retry };
}

/** Whole seconds until a time, counted down; 0 when it has come. */
export function useCountdown(until: number | undefined): number {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    if (until === undefined) return setSeconds(0);
    const update = () => setSeconds(Math.max(0, Math.ceil((until - Date.now()) / 1_000)));
    update();
    const timer = setInterval(update, 500);
    return () => clearInterval(timer);
  }, [until]);
  return seconds;
}
