import type { SignInOptions } from '../../../src/domain/accounts/sign-in-options.ts';

/** What the server says in the page; see `http/web/page-meta`. */
export function signInOptions(): SignInOptions {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="millrace-sign-in"]');
  return JSON.parse(meta?.content ?? '{}') as SignInOptions;
}
