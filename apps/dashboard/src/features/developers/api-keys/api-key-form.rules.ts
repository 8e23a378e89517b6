/** Converts the form of an API key to the request of the API, and the API's errors to the fields of the form. */

export interface ApiKeyForm {
  readonly name: string;
  readonly permissions: readonly string[];
  /** A number of days, `never`, or `date`. */
  readonly expiry: string;
  /** The last day, as YYYY-MM-DD, if `expiry` is `date`. */
  readonly date: string;
  /** Addresses and ranges, separated by line ends, commas or spaces. */
  readonly allowlist: string;
}

export const EMPTY_FORM: ApiKeyForm = {
  name: '',
  permissions: ['READ'],
  expiry: '90',
  date: '',
  allowlist: '',
};

export interface ApiKeyBody {
  name: string;
  permissions: string[];
  ip_allowlist?: string[];
  expires_at?: string;
}

const DAY_MS = 86_400_000;

/** Returns the addresses and ranges of the text. */
const addressesOf = (text: string): string[] => text.split(/[\s,]+/).filter((entry) => entry !== '');

export function bodyOf(form: ApiKeyForm, nowMs: number): ApiKeyBody {
  const allowlist = addressesOf(form.allowlist);
  const expiresAt = expiryOf(form, nowMs);
  return {
    name: form.name.trim(),
    permissions: [...form.permissions],
    ...(allowlist.length === 0 ? {} : { ip_allowlist: allowlist }),
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
  };
}

function expiryOf({ expiry, date }: ApiKeyForm, nowMs: number): string | undefined {
  if (expiry === 'never') return undefined;
  if (expiry !== 'date') return new Date(nowMs + Number(expiry) * DAY_MS).toISOString();
  // The key works until the end of the day in the reader's time zone.
  const end = new Date(`${date}T23:59:59`);
  return Number.isNaN(end.getTime()) ? date : end.toISOString();
}

export interface Issue {
  /** Members separated by dots, such as `ip_allowlist.2`. */
  readonly field: string;
  readonly message: string;
}

const FIELDS: Readonly<Record<string, keyof ApiKeyForm>> = {
  name: 'name',
  permissions: 'permissions',
  ip_allowlist: 'allowlist',
  expires_at: 'expiry',
};

/** Returns the first issue of each field of the form. An issue of one address names it. */
export function fieldErrors(
  issues: readonly Issue[],
  form: ApiKeyForm,
): Partial<Record<keyof ApiKeyForm, string>> {
  const errors: Partial<Record<keyof ApiKeyForm, string>> = {};
  for (const { field, message } of issues) {
    const [member = '', index] = field.split('.');
    const name = FIELDS[member];
    if (name === undefined || errors[name] !== undefined) continue;
    const address =
      name === 'allowlist' && index !== undefined ? addressesOf(form.allowlist)[+index] : undefined;
    errors[name] = address === undefined ? message : `${address}: ${message}`;
  }
  return errors;
}
