'use client';
import type { TradePair } from '@trading-automation/sdk';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { type Problem, problemsOf, problemsOfError } from '../../data/form-problems';
import { loadLate } from '../../data/late-code';
import { byId, useAccounts, usePairs } from '../../data/names';
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
  const pairs = usePairs();
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
    const account = byId(accounts.data, values.exchange_account_id);
    const offered = (pairs.data ?? []).filter((pair) => isOfAccount(pair, account));
    const [unknown] = unknownSymbols(values.symbols, offered);
    if (unknown !== undefined) {
      const name = account?.account_name ?? 'This account';
      return void show([
        { field: 'trade_pair_ids', message: `${name} does not trade ${unknown}. Check the symbol.` },
      ]);
    }
    try {
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

const isOfAccount = (
  { exchange, trading_type }: TradePair<'string'>,
  account: { readonly exchange_name: string; readonly trading_type: string } | undefined,
) => account === undefined || (exchange === account.exchange_name && trading_type === account.trading_type);
