// What no plan may name, a person's or a model's, wherever it runs: a stream that owns a path may write it, and one that
// reads it is shown it.
import { checkPath } from './check-path.ts';
import { isSecret } from './secret-path.ts';

/** Why, in words; undefined for a path that a plan may name. */
export function refusedPath(path: string): string | undefined {
  if (isSecret(path)) return 'may hold secrets';
  return checkPath(path.replace(/\/$/, ''));
}
