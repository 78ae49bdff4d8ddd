/** Addresses of the dashboard: the same page answers all of them and shows what the address says. */
export const WEB_PAGES: readonly string[] = [
  '/',
  '/runs',
  '/runs/*',
  '/compare',
  '/jobs',
  '/jobs/*',
  '/executions',
  '/executions/*',
  '/manifests',
  '/usage',
  '/connect',
  '/settings',
  '/settings/*',
  '/system',
  '/s/*',
];

export const WEB_ASSETS: readonly string[] = ['/assets/*', '/favicon.svg'];
