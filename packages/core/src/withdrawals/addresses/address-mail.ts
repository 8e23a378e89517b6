export const LINK_HOURS = 24;

/** The path of the page that confirms an address, with the query parameter `code`. */
export const CONFIRMATION_PATH = '/withdrawal-addresses/confirm';

export interface AddressMail {
  readonly address: string;
  readonly label: string | null;
  readonly link: string;
}

/** Returns the text of the mail that asks the owner to confirm an address. */
export function addressMailText({ address, label, link }: AddressMail): string {
  return [
    'A credential of your account added this withdrawal address:',
    '',
    `  ${address}`,
    ...(label === null ? [] : [`  ${label}`]),
    '',
    'Compare every character with the address of your wallet. If it is yours, open this link and confirm it there:',
    '',
    link,
    '',
    `The link is valid for ${LINK_HOURS} hours. If you did not add the address, do not confirm it, and revoke the credentials that can withdraw.`,
    '',
  ].join('\n');
}
