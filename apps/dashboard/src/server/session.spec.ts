import { provideSampleRuntime, SAMPLE_KEY, SAMPLE_ORIGIN } from '../process/runtime.sample';
import { clearedCookie, pendingCookie, readPendingSignIn, readSession, sessionCookie } from './session';

const SECURE = 'https://dashboard.example.com';
const OTHER_KEY = 'b'.repeat(64);
const SESSION = {
  privateKey: '5'.repeat(64),
  id: 'pbk_1',
  userId: 'usr_1',
  expiresAt: '2026-11-28T12:00:00.000Z',
};

beforeEach(() => provideSampleRuntime());

const pairOf = (header: string) => String(header.split(';')[0]);
const sealOf = (header: string) => pairOf(header).slice(pairOf(header).indexOf('=') + 1);
const withCookie = (cookie: string) => new Request(SAMPLE_ORIGIN, { headers: { cookie } });

describe('the cookie of a session', () => {
  it('is hidden from scripts and not sent with requests that other sites cause', async () => {
    const header = await sessionCookie(SESSION);
    expect(header.slice(pairOf(header).length)).toBe('; Path=/; HttpOnly; SameSite=Lax; Max-Age=43200');
    expect(pairOf(header)).toMatch(/^session=/);
  });

  it('over TLS, is sent over TLS only, and no other host can plant it', async () => {
    provideSampleRuntime({ PUBLIC_URL: SECURE });
    const header = await sessionCookie(SESSION);
    expect(header.slice(pairOf(header).length)).toBe(
      '; Path=/; HttpOnly; SameSite=Lax; Max-Age=43200; Secure',
    );
    expect(pairOf(header)).toMatch(/^__Host-session=/);
    expect(await readSession(withCookie(`session=${sealOf(header)}`))).toBeUndefined();
    expect(await readSession(withCookie(pairOf(header)))).toEqual(SESSION);
    expect(clearedCookie('session')).toBe(
      '__Host-session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0; Secure',
    );
  });

  it('is sealed: it shows nothing, and opens only as it was made', async () => {
    const cookie = pairOf(await sessionCookie(SESSION));
    expect(await readSession(withCookie(cookie))).toEqual(SESSION);
    expect(cookie).not.toContain(SESSION.privateKey);
    expect(Buffer.from(cookie, 'base64').toString('latin1')).not.toContain(SESSION.id);
    const changed = cookie.replace(/.(?=~)/, (letter) => (letter === 'A' ? 'Q' : 'A'));
    const plain = encodeURIComponent(JSON.stringify({ ...SESSION, k: 'session' }));
    for (const other of [changed, `session=${plain}`, `session=${btoa(plain)}`])
      expect(await readSession(withCookie(other))).toBeUndefined();
  });

  it('opens as long as its key is listed, whatever keys come and go beside it', async () => {
    const cookie = pairOf(await sessionCookie(SESSION));
    const opened = async (...SESSION_KEYS: string[]) => {
      provideSampleRuntime({ SESSION_KEYS });
      return (await readSession(withCookie(cookie)))?.id;
    };
    expect(await opened(OTHER_KEY)).toBeUndefined();
    expect(await opened(OTHER_KEY, SAMPLE_KEY)).toBe('pbk_1');
    expect(await opened(SAMPLE_KEY, OTHER_KEY)).toBe('pbk_1');
    expect(await opened('c'.repeat(64), OTHER_KEY, SAMPLE_KEY)).toBe('pbk_1');
  });

  it('is sealed by the first key', async () => {
    provideSampleRuntime({ SESSION_KEYS: [OTHER_KEY, SAMPLE_KEY] });
    const cookie = pairOf(await sessionCookie(SESSION));
    provideSampleRuntime({ SESSION_KEYS: [OTHER_KEY] });
    expect(await readSession(withCookie(cookie))).toEqual(SESSION);
  });

  it('cannot be the cookie of a sign-in that has begun, or the reverse', async () => {
    const pending = sealOf(await pendingCookie({ privateKey: SESSION.privateKey, deviceCode: 'x' }));
    const sealed = sealOf(await sessionCookie(SESSION));
    expect(await readSession(withCookie(`session=${pending}`))).toBeUndefined();
    expect(await readPendingSignIn(withCookie(`sign-in=${sealed}`))).toBeUndefined();
    expect(await readPendingSignIn(withCookie(`sign-in=${pending}`))).toMatchObject({ deviceCode: 'x' });
  });

  it.each(['%', '%E0%A4%A', '', 'x', 'Fe26.2*1*x', '"', '\u00e9'])(
    'gives no session if it is %j',
    async (value) => {
      expect(await readSession(withCookie(`session=${value}`))).toBeUndefined();
    },
  );
});
