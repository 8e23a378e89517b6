/** The numbers that a decision was made of, for those who want more than its sentence. */
import { formatAmount } from '../../format/numbers';

export interface DecisionNumber {
  readonly name: string;
  readonly value: string;
}

type Inputs = Readonly<Record<string, string | number | boolean | null>>;

/** Whether an input is a decimal, which is formatted. */
export const isDecimal = (value: string) => /^-?\d+(\.\d+)?$/.test(value);

/** Returns the inputs in their order with readable names. Missing ones, and those hidden from copiers, are left out. */
export function decisionNumbers(inputs: Inputs, locale?: string): DecisionNumber[] {
  return Object.entries(inputs).flatMap(([name, value]) => {
    if (value === null) return [];
    const text = String(value);
    const words = name.replaceAll('_', ' ');
    return [{ name: words, value: isDecimal(text) ? formatAmount(text, locale) : text.replaceAll('_', ' ') }];
  });
}
