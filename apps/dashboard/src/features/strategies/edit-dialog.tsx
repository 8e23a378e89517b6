'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { StrategyUpdate } from '@trading-automation/sdk';
import { api } from '../../data/api';
import { type Pair, usePairsById } from '../../data/pairs';
import { Button } from '../../ui/button';
import { Drawer } from '../../ui/drawer';
import { FormError } from '../../ui/form-error';
import { notify } from '../../ui/notify';
import type { StrategyRow } from './figures';
import { StrategyFields } from './strategy-fields';
import { valuesOf } from './strategy-form.rules';
import { useStrategyForm } from './use-strategy-form';

export interface EditStrategyProps {
  readonly strategy: StrategyRow;
  readonly onClose: () => void;
}

export function EditStrategy(props: EditStrategyProps) {
  const pairs = usePairsById(props.strategy.trade_pair_ids ?? []);
  // The symbols of the form are known once the pairs are loaded.
  return pairs.isPending ? null : <Form {...props} pairs={pairs.data} />;
}

function Form({ strategy, onClose, pairs }: EditStrategyProps & { readonly pairs: readonly Pair[] }) {
  const queries = useQueryClient();
  const { form, submit, failure, isBusy } = useStrategyForm({
    initial: valuesOf(strategy, pairs),
    isNew: false,
    send: async (body, idempotencyKey) => {
      await api().strategies.update(strategy.id, body as StrategyUpdate, { idempotencyKey });
      await queries.invalidateQueries({ queryKey: ['strategies'] });
      notify({ kind: 'success', message: 'The strategy was changed.' });
      onClose();
    },
  });
  return (
    <Drawer
      isOpen
      onClose={onClose}
      title="Edit strategy"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" isBusy={isBusy} onClick={() => void submit()}>
            Save changes
          </Button>
        </>
      }
    >
      <p className="pb-4 text-muted text-sm">
        A higher profit share applies to a copier only after its user accepts it; a lower one applies at once.
      </p>
      <form onSubmit={(event) => void submit(event)} noValidate>
        <StrategyFields
          register={form.register}
          control={form.control}
          errors={form.formState.errors}
          hasAccount={false}
        />
        {failure !== undefined && (
          <div className="pt-4">
            <FormError error={failure} />
          </div>
        )}
        <button type="submit" className="hidden" aria-hidden tabIndex={-1} />
      </form>
    </Drawer>
  );
}
