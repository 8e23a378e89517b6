import type { Control, FieldErrors, UseFormRegister } from 'react-hook-form';
import type { CopierValues } from './copier-form.rules';

export interface SettingsFieldsProps {
  readonly register: UseFormRegister<CopierValues>;
  readonly control: Control<CopierValues>;
  readonly errors: FieldErrors<CopierValues>;
  /** The quote currency of the account, for units. */
  readonly quote: string;
  /** The equity of the account in this currency, if it is known. */
  readonly equity: string | undefined;
  /** Whether the strategy allows multiples of its amounts. */
  readonly allowsMultiplier: boolean;
  readonly hasLeverage: boolean;
  /** One column, for dialogs and beside results. */
  readonly isNarrow?: boolean;
}

/** A part of the settings, with the classes of its grid. */
export type SettingsPart = SettingsFieldsProps & { readonly grid: string };

/** What the value of a sizing mode is; a cost in quote currency otherwise. */
export const VALUE_LABELS: Readonly<Record<string, string>> = {
  EQUITY_RATIO: 'Factor',
  MULTIPLIER: 'Factor',
  FIXED_AMOUNT: 'Amount in base currency',
};
