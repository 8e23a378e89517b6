'use client';
import { useCallback, useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import { type Problem, problemsOf, problemsOfError } from '../../data/form-problems';
import { loadLate } from '../../data/late-code';
import { type CopierValues, formFieldOf, formMessageOf, updateBody } from './copier-form.rules';
import { repeatedPairs } from './pair-settings.rules';

const REPEATED = 'This pair is listed above. Change its settings there, or remove one of the two.';

/** The form of the settings of a copier. Problems appear at their fields, other failures in `failure`. */
export function useSettingsForm(initial: CopierValues) {
  const form = useForm<CopierValues>({ defaultValues: initial });
  const [failure, setFailure] = useState<unknown>();
  const { setError, setFocus, clearErrors, getValues, watch } = form;

  useEffect(() => {
    const { unsubscribe } = watch((_, { name }) => name !== undefined && clearErrors(name));
    return unsubscribe;
  }, [watch, clearErrors]);

  /** Returns whether a field shows one of the problems. */
  const show = useCallback(
    (problems: readonly Problem[], isFocused: boolean): boolean => {
      const [first] = problems.flatMap((problem) => {
        const name = formFieldOf(problem.field, getValues('overrides'));
        if (name === undefined) return [];
        setError(name, { message: formMessageOf(problem) });
        return [name];
      });
      if (first !== undefined && first !== 'overrides' && isFocused) setFocus(first);
      return first !== undefined;
    },
    [getValues, setError, setFocus],
  );

  /** Validates the fields and runs `send`. Returns whether it succeeded. */
  const submit = useCallback(
    async (send: (values: CopierValues) => Promise<void>, isFocused = true): Promise<boolean> => {
      setFailure(undefined);
      clearErrors();
      const values = getValues();
      const repeated = repeatedPairs(values.overrides);
      for (const i of repeated) setError(`overrides.${i}.symbol`, { message: REPEATED });
      if (repeated.length > 0) return false;
      try {
        const { copierUpdate } = await loadLate(() => import('@trading-automation/contracts'));
        // A new copier has the same rules.
        if (show(problemsOf(copierUpdate, updateBody(values)), isFocused)) return false;
        await send(values);
        return true;
      } catch (error) {
        if (!show(problemsOfError(error), isFocused)) setFailure(error);
        return false;
      }
    },
    [clearErrors, getValues, setError, show],
  );
  return { form, submit, failure };
}
