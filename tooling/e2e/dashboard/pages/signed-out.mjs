const NO_DATA = 'It shows no data of an account.';
const FORM = { loading: NO_DATA, empty: NO_DATA, 'no permission': NO_DATA, stale: NO_DATA };
const DOES_NOT_RESPOND = 'A part of the service does not respond.';
const waitsFor =
  (/** @type {string} */ way, /** @type {string} */ button) =>
  async (/** @type {import('playwright-core').Page} */ page) => {
    await page.getByRole('tab', { name: way }).click();
    await page.getByRole('button', { name: button }).click();
  };

/** @type {readonly import('../pages.mjs').DashboardPage[]} */
export const SIGNED_OUT_PAGES = [
  {
    route: '/sign-in',
    title: 'Sign in',
    shows: 'text=This is not an API key.',
    status: 422,
    isSignedOut: true,
    act: async (page) => {
      await page.getByRole('tab', { name: 'API key' }).click();
      await page.getByPlaceholder('svc_…').fill('secret');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    },
    failure: DOES_NOT_RESPOND,
    without: FORM,
  },
  {
    route: '/sign-in',
    title: 'Sign in',
    shows: 'text=Save the key file',
    isSignedOut: true,
    act: waitsFor('New account', 'Create an account'),
    failure: DOES_NOT_RESPOND,
    without: FORM,
  },
  {
    route: '/sign-in',
    path: '/sign-in?reason=IDLE',
    title: 'Sign in',
    shows: '[data-testid=user-code]',
    isSignedOut: true,
    act: waitsFor('By code', 'Show a code'),
    failure: DOES_NOT_RESPOND,
    without: FORM,
  },
  {
    route: 'not-found',
    path: '/no-such-page',
    title: 'Page not found',
    shows: 'text=Go to the overview',
    status: 404,
    isSignedOut: true,
    without: { ...FORM, error: NO_DATA },
  },
];
