'use client';
import { api } from '../../data/api';
import { ButtonLink } from '../../ui/button';
import { DataTable } from '../../ui/data-table/data-table';
import { PageHeader } from '../../ui/page-header';
import { EmptyState } from '../../ui/states';
import { COLUMNS, FILTERS, type RewardRow } from './columns';
import { RewardSummary } from './summary';
import { RewardTypes } from './types';

const KEY = ['rewards', 'list'];
const read = (...[query, options]: Parameters<ReturnType<typeof api>['rewards']['list']>) =>
  api().rewards.list(query, options);
const keyOf = ({ id }: RewardRow) => id;

/** What can be claimed, the balance, all rewards, and how they are earned. */
export function Rewards() {
  return (
    <>
      <PageHeader title="Rewards" />
      <RewardSummary />
      <DataTable
        label="Rewards"
        queryKey={KEY}
        read={read}
        columns={COLUMNS}
        filters={FILTERS}
        rowKey={keyOf}
        below={<RewardTypes />}
        empty={
          <EmptyState
            title="You have no rewards yet."
            hint="The first exchange account that you connect and your first filled trade earn rewards."
            action={
              <ButtonLink href="/exchanges/new" variant="primary">
                Connect an exchange account
              </ButtonLink>
            }
          />
        }
      />
    </>
  );
}
