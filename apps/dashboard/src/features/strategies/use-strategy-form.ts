'use client';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { api } from '../../data/api';
import { type Problem, problemsOf, problemsOfError, symbolsOf } from '../../data/form-problems';
import { loadLate } from '../../data/late-code';
import { byId, useAccounts } from '../../data/names';
import type { Pair } from '../../data/pairs';
import { type Market, marketOf } from '../../data/search-pairs.rules';
import { useSendOnce } from '../../data/send-once';
import {
  createBody,
  formFieldOf,
  type StrategyValues,
  unknownSymbols,
  updateBody,
} from './strategy-form.rules';

type Body = Record<string, unknown>;

export interface StrategyFormOptions {
  readonly initial: StrategyValues;
  readonly isNew: boolean;
  /** Sends the valid body. */
  readonly send: (body: Body, idempotencyKey: string) => Promise<void>;
}

/** The state of the form; problems appear at their fields, other failures in `failure`. */
export function useStrategyForm({ initial, isNew, send }: StrategyFormOptions) {
  const form = useForm<StrategyValues>({ defaultValues: initial });
  const accounts = useAccounts();
  const [failure, setFailure] = useState<unknown>();
  const once = useSendOnce();

  const show = (problems: readonly Problem[]): boolean => {
    const [first] = problems.flatMap(({ field, message }) => {
      const name = formFieldOf(field);
      if (name === undefined) return [];
      form.setError(name, { message });
      return [name];
    });
    if (first !== undefined) form.setFocus(first);
    return first !== undefined;
  };

  const submit = form.handleSubmit(async (values) => {
    setFailure(undefined);
    try {
      const account = byId(accounts.data, values.exchange_account_id);
      const offered = await pairsNamed(symbolsOf(values.symbols), account && marketOf(account));
      const [unknown] = unknownSymbols(values.symbols, offered);
      if (unknown !== undefined) {
        const name = account?.account_name ?? 'This account';
        return void show([
          { field: 'trade_pair_ids', message: `${name} does not trade ${unknown}. Check the symbol.` },
        ]);
      }
      const { strategyCreate, strategyUpdate } = await loadLate(
        () => import('@trading-automation/contracts'),
      );
      const body = isNew ? createBody(values, offered) : updateBody(values, offered);
      if (show(problemsOf(isNew ? strategyCreate : strategyUpdate, body))) return;
      await once(body, (idempotencyKey) => send(body, idempotencyKey));
    } catch (error) {
      if (!show(problemsOfError(error))) setFailure(error);
    }
  });
  return { form, submit, failure, isBusy: form.formState.isSubmitting };
}

/** Returns the pairs with these symbols, of one market if it is known. */
async function pairsNamed(symbols: readonly string[], market: Market | undefined): Promise<Pair[]> {
  const pages = await Promise.all(
    symbols.map((symbol) => api().tradePairs.list({ ...market, symbol, limit: 1 })),
  );
  return pages.flatMap(({ data }) => data);
}
