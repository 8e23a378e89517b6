/** Renders HTML without scripts, styles and foreign content. Text is escaped. */

export const heading = (text: string) => `<h1>${escapeHtml(text)}</h1>`;
export const paragraph = (text: string) => `<p>${escapeHtml(text)}</p>`;

/** Renders a field for a password. `autocomplete` is the HTML token for password managers. */
export function passwordField(label: string, autocomplete: 'new-password' | 'current-password'): string {
  return `<p><label>${escapeHtml(label)} <input type="password" name="password" autocomplete="${autocomplete}" required></label></p>`;
}

/** Renders a form that sends `code` in its body to `path`. */
export function form(path: string, code: string, button: string, fields: readonly string[] = []): string {
  const hidden = `<input type="hidden" name="code" value="${escapeHtml(code)}">`;
  return `<form method="post" action="${path}">${hidden}${fields.join('')}<button>${escapeHtml(button)}</button></form>`;
}

export function document(title: string, body: readonly string[]): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title></head><body><main>${body.join('')}</main></body></html>\n`;
}

function escapeHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replaceAll(/[&<>"']/g, (character) => entities[character]!);
}
