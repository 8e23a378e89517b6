/**
 * The mailbox that an address reaches, for limits of mails: a person must not get more mails because an address can be
 * written in several ways.
 *
 * 1. Letters count in lower case.
 * 2. What follows a `+` in the local part is dropped, for every domain: most providers deliver such mail to one mailbox.
 *    Where they do not, the addresses share a limit, which costs their owners little.
 * 3. Dots of the local part count, except at Gmail, which ignores them. Elsewhere, dots distinguish people.
 */
const GMAIL = ['gmail.com', 'googlemail.com'];

export function mailboxOf(email: string): string {
  const text = email.toLowerCase();
  const at = text.lastIndexOf('@');
  const domain = text.slice(at + 1);
  const local = text.slice(0, at).replace(/(?!^)\+.*$/s, '');
  if (!GMAIL.includes(domain)) return `${local}@${domain}`;
  return `${local.replaceAll('.', '')}@gmail.com`;
}
