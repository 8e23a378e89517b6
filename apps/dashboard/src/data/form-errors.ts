import { ApiError } from '@trading-automation/sdk';

export interface FormErrors<Name extends string> {
  /** The messages of the fields of the form. */
  readonly fields: Partial<Record<Name, string>>;
  /** Whether anything is left that no field of the form shows. */
  readonly isGeneral: boolean;
}

/** Assigns the details of an error of the API to the fields of a form. */
export function formErrorsOf<Name extends string>(error: unknown, names: readonly Name[]): FormErrors<Name> {
  const fields: Partial<Record<Name, string>> = {};
  if (!(error instanceof ApiError)) return { fields, isGeneral: true };
  let others = 0;
  for (const { field, message } of error.details) {
    const name = names.find((known) => field === known || field?.startsWith(`${known}.`));
    if (name === undefined || message === undefined) others += 1;
    else fields[name] ??= message;
  }
  return { fields, isGeneral: others > 0 || Object.keys(fields).length === 0 };
}
