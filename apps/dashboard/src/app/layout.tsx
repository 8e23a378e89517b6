import { GeistMono } from 'geist/font/mono';
import { GeistSans } from 'geist/font/sans';
import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { ThemeProvider } from 'next-themes';
import type { ReactNode } from 'react';
import './globals.css';

export const metadata: Metadata = {
  title: { default: 'Trading automation', template: '%s · Trading automation' },
  description: 'Trades, copying, webhooks and rewards of your account.',
  robots: { index: false },
};

/**
 * What the browser waits for before it shows a page. It would show the first part of a page otherwise, and then run
 * scripts before it shows the rest.
 */
const END_OF_PAGE = 'end-of-page';

export default async function RootLayout({ children }: { readonly children: ReactNode }) {
  const nonce = (await headers()).get('x-nonce') ?? undefined;
  return (
    <html lang="en" suppressHydrationWarning className={`${GeistSans.variable} ${GeistMono.variable}`}>
      <head>
        <link rel="expect" href={`#${END_OF_PAGE}`} blocking="render" />
      </head>
      <body>
        <ThemeProvider
          attribute="class"
          disableTransitionOnChange
          {...(nonce === undefined ? {} : { nonce })}
        >
          {children}
        </ThemeProvider>
        <span id={END_OF_PAGE} />
      </body>
    </html>
  );
}
