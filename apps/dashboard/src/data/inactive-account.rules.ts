/** What the dashboard says about an exchange account that is not active. */
export interface InactiveWords {
  readonly label: string;
  /** Why nothing is traded, and what to do. */
  readonly advice: string;
}

const REJECTED: InactiveWords = {
  label: 'Credentials rejected',
  advice: 'The exchange rejected the credentials. Replace them to trade again.',
};

const INACTIVE: Readonly<Record<string, InactiveWords>> = {
  POSITION_MODE: {
    label: 'Hedge mode',
    advice: 'Switch the account to one-way mode at the exchange, then enter its credentials again.',
  },
  PORTFOLIO_MARGIN: {
    label: 'Portfolio margin',
    advice: 'Switch the account to cross margin at the exchange, then enter its credentials again.',
  },
  ACCOUNT_TYPE: {
    label: 'Unsupported account',
    advice: 'Switch the kind of the account at the exchange, then enter its credentials again.',
  },
};

export const inactiveWords = (reason: string | null): InactiveWords => INACTIVE[reason ?? ''] ?? REJECTED;
