/** Accepts withdrawals to every valid address, as the test world does by default. */
export const OPEN_WITHDRAWAL_POLICY = {
  world: 'test',
  holdHours: 0,
  dailyLimit: null,
  tokenAddress: null,
  treasuryAddress: null,
  deniedAddresses: [],
} as const;
