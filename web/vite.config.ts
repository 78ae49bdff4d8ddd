import tailwindcss from '@tailwindcss/vite';
import { defineConfig } from 'vite';

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
      onwarn(warning, warn) {
        // Marks of server components, which mean nothing here.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:4747', '/v1': 'http://127.0.0.1:4747' } },
});
