/** What the steps of a withdrawal share. */
export interface WithdrawalDraft {
  readonly amount: string;
  readonly address: string;
  /** The name of the address in the address book. */
  readonly label?: string | undefined;
}

/** The terms as far as they are known before the request. */
export interface KnownTerms {
  readonly available: string;
  readonly currency: string;
  readonly fee: string | undefined;
  readonly network: string | undefined;
}

export const STEP_NAMES = ['Amount', 'Address', 'Confirm', 'Result'] as const;
