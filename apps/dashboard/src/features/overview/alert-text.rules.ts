import { inactiveWords } from '../../data/inactive-account.rules';
import type { Alert } from './alerts.rules';

/** The sentences of an alert. Those about inactive accounts are loaded with the list, which most pages do not show. */
export const alertText = ({ text, inactiveReason }: Pick<Alert, 'text' | 'inactiveReason'>): string =>
  inactiveReason === undefined ? text : `${text} ${inactiveWords(inactiveReason).advice}`;
