import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const gateway = 'http://127.0.0.1:7300';

export default defineConfig({
  plugins: [react(), tailwind()],
  build: {
    target: 'es2023',
    modulePreload: { polyfill: false },
    // The policy of the page allows fonts and pictures of its own origin only, so nothing is put into the style as data.
    assetsInlineLimit: 0,
    sourcemap: false,
    manifest: true,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
  },
  // `npm run dev -w @switchyard/console` beside a gateway: the page of Vite, the API of the gateway.
  server: {
    proxy: {
      '/api': gateway,
      '/files': gateway,
      '/ws': { target: gateway, ws: true },
    },
  },
});
