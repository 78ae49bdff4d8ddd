/** For people who are not signed in: where links lead, signing in, and letting a command line in. */
export const SIGN_IN_PAGES: readonly string[] = ['/login', '/welcome', '/device'];

/** Addresses of the dashboard: the same page answers all of them and shows what the address says. */
export const WEB_PAGES: readonly string[] = [
  '/',
  '/new',
  '/runs',
  '/runs/*',
  '/compare',
  '/runners',
  '/requests/*',
  '/schedules',
  '/schedules/*',
  '/triggers',
  '/triggers/*',
  '/approvals',
  '/approvals/*',
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
  ...SIGN_IN_PAGES,
];

export const WEB_ASSETS: readonly string[] = ['/assets/*', '/favicon.svg'];
