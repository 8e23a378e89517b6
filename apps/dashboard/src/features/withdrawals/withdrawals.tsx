'use client';
import { ArrowUpRight } from 'lucide-react';
import { api } from '../../data/api';
import { useRewardBalance } from '../../data/rewards';
import { ButtonLink } from '../../ui/button';
import { DataTable } from '../../ui/data-table/data-table';
import { PageHeader } from '../../ui/page-header';
import { EmptyState } from '../../ui/states';
import { Amount } from '../../ui/values';
import { COLUMNS, FILTERS, type WithdrawalRow } from './columns';

const KEY = ['withdrawals', 'list'];
const read = (...[query, options]: Parameters<ReturnType<typeof api>['withdrawals']['list']>) =>
  api().withdrawals.list(query, options);
const hrefOf = ({ id }: WithdrawalRow) => `/withdrawals/${id}`;
const keyOf = ({ id }: WithdrawalRow) => id;

const Withdraw = () => (
  <ButtonLink href="/withdrawals/new" variant="primary">
    <ArrowUpRight aria-hidden className="size-4" />
    Withdraw tokens
  </ButtonLink>
);

/** All withdrawals. */
export function Withdrawals() {
  return (
    <>
      <PageHeader
        title="Withdrawals"
        description={<Balance />}
        actions={
          <>
            <ButtonLink href="/withdrawals/addresses">Address book</ButtonLink>
            <Withdraw />
          </>
        }
      />
      <DataTable
        label="Withdrawals"
        queryKey={KEY}
        read={read}
        columns={COLUMNS}
        filters={FILTERS}
        rowKey={keyOf}
        rowHref={hrefOf}
        empty={
          <EmptyState
            title="You have not withdrawn tokens yet."
            hint="Claimed rewards are your available balance, which you can withdraw to a wallet of yours."
            action={<Withdraw />}
          />
        }
      />
    </>
  );
}

/** The balance in one line. The list says whether the service responds. */
function Balance() {
  const { data } = useRewardBalance();
  if (data === undefined) return <span className="text-muted">Available …</span>;
  return (
    <>
      Available <Amount value={data.available} asset={data.currency} />, held by open withdrawals{' '}
      <Amount value={data.held} asset={data.currency} />
    </>
  );
}
