// The models that a team lets its members call.
import { matchesGlob } from './id-glob.ts';

export function isModelAllowed(allowed: readonly string[], model: string): boolean {
  return allowed.some((pattern) => matchesGlob(pattern, model));
}
