import { join } from 'node:path';
import type { NextConfig } from 'next';

const config: NextConfig = {
  output: 'standalone',
  outputFileTracingRoot: join(import.meta.dirname, '..', '..'),
  turbopack: { root: join(import.meta.dirname, '..', '..') },
  poweredByHeader: false,
  reactStrictMode: true,
  // The API compresses its responses, and event streams must not be buffered.
  compress: true,
  // Browsers request this address where no page names an icon, for example beside a download.
  rewrites: async () => [{ source: '/favicon.ico', destination: '/icon.svg' }],
  agentRules: false,
};

export default config;
