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

export default async function RootLayout({ children }: { readonly children: ReactNode }) {
  const nonce = (await headers()).get('x-nonce') ?? undefined;
  return (
    <html lang="en" suppressHydrationWarning className={`${GeistSans.variable} ${GeistMono.variable}`}>
      <head>
        {/* The browser would show the first part of a page otherwise, and run scripts before it shows the rest. */}
        <link rel="expect" href="#end-of-page" blocking="render" />
      </head>
      <body>
        <ThemeProvider
          attribute="class"
          disableTransitionOnChange
          {...(nonce === undefined ? {} : { nonce })}
        >
          {children}
        </ThemeProvider>
        <span id="end-of-page" />
      </body>
    </html>
  );
}
