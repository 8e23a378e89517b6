'use client';
import type { FieldValues, Resolver } from 'react-hook-form';
import type { ZodType } from 'zod';
import { loadLate } from './late-code';

type Contracts = typeof import('@trading-automation/contracts');

/** Validates a form by a schema of the API, which is loaded with the first validation. */
export function lazyResolver<T extends FieldValues>(
  schemaOf: (contracts: Contracts) => ZodType<unknown, T>,
): Resolver<T> {
  return async (values, context, options) => {
    const [{ zodResolver }, contracts] = await Promise.all([
      loadLate(() => import('@hookform/resolvers/zod')),
      loadLate(() => import('@trading-automation/contracts')),
    ]);
    const resolve = zodResolver(schemaOf(contracts)) as unknown as Resolver<T>;
    return resolve(values, context, options);
  };
}
