import tailwindcss from '@tailwindcss/vite';
import { defineConfig } from 'vite';

/** What the frame is made of, and so every page waits for. */
const FRAME_PACKAGES = [
  'react',
  'react-dom',
  'scheduler',
  'use-sync-external-store',
  ...[
    'history',
    'query-core',
    'react-query',
    'react-router',
    'react-store',
    'router-core',
    'store',
  ].map((name) => `@tanstack/${name}`),
];
const FRAME = new RegExp(
  `/node_modules/(?:${FRAME_PACKAGES.join('|')})/|/src/client/|/web/ui/(?:button|class-names|frame-icons|icon|surface)[.]tsx?$`,
);

export default defineConfig({
  root: import.meta.dirname,
  plugins: [tailwindcss()],
  worker: { format: 'es' },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    // The policy allows nothing inline.
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      // The lists of what each page needs would be in the frame, which every page waits for. Scripts name
      // what they import themselves; only styles must be known before.
      resolveDependencies: (_file, needed) => needed.filter((name) => name.endsWith('.css')),
    },
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      // In one file: cut up by who else uses which part they would be a dozen, each packed by itself.
      output: { codeSplitting: { groups: [{ name: 'frame', test: FRAME }] } },
      onwarn(warning, warn) {
        // Marks of server components, which mean nothing here.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:4747', '/v1': 'http://127.0.0.1:4747' } },
});
