import { createHash } from 'node:crypto';

/**
 * Renders the pages of the mailbox. The content of a mail is escaped as text, and nothing in it is loaded or run.
 *
 * @typedef {import('./mail-folder.mjs').Mail} Mail
 */

const style = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
  table { border-collapse: collapse; width: 100%; }
  td, th { text-align: left; padding: .4rem .6rem; border-bottom: 1px solid #8884; vertical-align: top; }
  pre { font: 15px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
  time, .quiet { color: #667; }
  @media (prefers-color-scheme: dark) { body { background: #16181d; color: #e6e6e6; } a { color: #8ab4ff; } }
`;
const styleHash = createHash('sha256').update(style).digest('base64');

/** The headers of every page: it may not load, run or submit anything, and may not be framed. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
};

/** @param {string} text */
const escaped = (text) => text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

/**
 * @param {string} title
 * @param {string} body
 * @param {string} [head]
 */
const page = (title, body, head = '') =>
  `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title>${head}<style>${style}</style></head>
<body>${body}</body></html>
`;

/** @param {Mail[]} mails the newest first */
export function listPage(mails) {
  const rows = mails.map(
    ({ id, received_at, to, subject }) =>
      `<tr><td><time>${escaped(received_at)}</time></td><td>${escaped(to.join(', '))}</td><td><a href="/mails/${escaped(id)}">${escaped(subject || '(no subject)')}</a></td></tr>`,
  );
  const table =
    rows.length === 0
      ? '<p class="quiet">No mail yet. This page reloads every few seconds.</p>'
      : `<table><tr><th>Received</th><th>To</th><th>Subject</th></tr>${rows.join('')}</table>`;
  const body = `<h1>Mailbox</h1><p class="quiet">Mails from the services on this machine; no mail leaves the machine. As JSON: <a href="/messages">/messages</a></p>${table}`;
  return page(`Mailbox (${mails.length})`, body, '<meta http-equiv="refresh" content="5">');
}

/** @param {Mail} mail */
export function mailPage({ received_at, from, to, subject, text }) {
  const body = `<p><a href="/">Mailbox</a></p><h1>${escaped(subject || '(no subject)')}</h1>
<p class="quiet">From ${escaped(from)} to ${escaped(to.join(', '))}, <time>${escaped(received_at)}</time></p><pre>${withLocalLinks(text)}</pre>`;
  return page(subject || '(no subject)', body);
}

/** Only URLs of this machine become links; other URLs stay plain text. */
const localUrl = /(http:\/\/(?:127\.0\.0\.1|localhost)(?::\d{1,5})?\/[\w\-./?=&%~+]*)/;

/** @param {string} text */
function withLocalLinks(text) {
  // `split` with a capture group puts the matches at the odd indices.
  return text
    .split(localUrl)
    .map((part, index) =>
      index % 2 === 0 ? escaped(part) : `<a href="${escaped(part)}" rel="noreferrer">${escaped(part)}</a>`,
    )
    .join('');
}
