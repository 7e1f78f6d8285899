import { resolve } from 'node:path';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { chunkGroups } from '../../scripts/console/chunk-groups.ts';
import { compiledMessages } from '../../scripts/console/compiled-messages.ts';
import { contractValues } from '../../scripts/console/contract-values.ts';
import { earlyFiles } from '../../scripts/console/early-files.ts';
import { kitPage } from '../../scripts/console/kit-page.ts';

/** The gateway refuses a sign-in from a page whose address is not the one that it was asked at, so it is told the page's. */
const sameSite = { target: 'http://127.0.0.1:7300', changeOrigin: false };

export default defineConfig({
  plugins: [
    react(),
    tailwind(),
    compiledMessages(),
    contractValues(resolve(import.meta.dirname, '../contract/src')),
    earlyFiles({
      modules: ['/app/start-queries.ts', '/react-dom/client.js', '/app/show-console.tsx'],
      font: 'inter-latin-wght',
    }),
    kitPage(),
  ],
  resolve: {
    // The form of use-intl that takes compiled messages and has no parser.
    alias: { 'use-intl/format-message': 'use-intl/format-message/format-only' },
  },
  build: {
    target: 'es2023',
    modulePreload: { polyfill: false },
    // The policy of the page allows fonts and pictures of its own origin only, so nothing is put into the style as data.
    assetsInlineLimit: 0,
    sourcemap: false,
    manifest: true,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      output: {
        codeSplitting: { groups: chunkGroups(resolve(import.meta.dirname, 'src/app')) },
      },
    },
  },
  // `npm run dev`: the console from source beside the gateway, whose API it uses.
  server: {
    proxy: {
      '/api': sameSite,
      '/uploads': sameSite,
      '/ws': { ...sameSite, ws: true },
    },
  },
});
