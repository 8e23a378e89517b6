'use client';
import type { Decision } from '@trading-automation/sdk';
import { api } from '../../data/api';
import { type ListReader, listQuery } from '../../ui/data-table/use-list';
import { NEWEST } from '../../ui/data-table/use-table-request';

export type DecisionRow = Decision<'string'>;

/** The decisions of a copier as its page shows them at first. */
export function decisionsQuery(copierId: string) {
  const { key, read } = decisionsOf(copierId);
  return listQuery(key, read, NEWEST);
}

/** Returns how the decisions of a copier are read. */
export function decisionsOf(copierId: string) {
  const read: ListReader<DecisionRow> = (query, options) => api().copiers.decisions(copierId, query, options);
  return { key: ['copiers', copierId, 'decisions'], read };
}
