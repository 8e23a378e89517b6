import type { WithdrawalAddress } from '@trading-automation/contracts';
import { CONFIRMATION_PATH, type WithdrawalAddressesService } from '@trading-automation/core/withdrawals';
import { form, heading, paragraph } from './html.js';
import type { LinkPage } from './link-pages.js';

/** The page behind the link that confirms a withdrawal address. Confirming it again shows the same page. */
export function withdrawalAddressPage(
  addresses: Pick<WithdrawalAddressesService, 'byCode' | 'confirm'>,
): LinkPage {
  return {
    path: CONFIRMATION_PATH,
    title: 'Withdrawal address',
    show: async (code) => view(await addresses.byCode(code), code),
    submit: async ({ code }) => view(await addresses.confirm(code), code),
  };
}

function view({ address, label, status, usable_at }: WithdrawalAddress, code: string): string[] {
  const record = [paragraph(address), ...(label === undefined ? [] : [paragraph(label)])];
  if (status === 'PENDING')
    return [
      heading('Confirm a withdrawal address'),
      ...record,
      paragraph(
        'Compare every character with the address of your wallet. If it is not yours, close this page.',
      ),
      form(CONFIRMATION_PATH, code, 'Confirm this address'),
    ];
  const when =
    status === 'HELD' ? `You can withdraw to it from ${usable_at} on.` : 'You can withdraw to it now.';
  return [heading('The withdrawal address is confirmed'), ...record, paragraph(when)];
}
