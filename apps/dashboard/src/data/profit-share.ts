/** Words for the terms of a profit share. */
const EACH: Readonly<Record<string, string>> = { WEEK: 'week', MONTH: 'month', QUARTER: 'quarter' };

export const periodWord = (period: string): string => EACH[period] ?? period.toLowerCase();
