import { describe, expect, it } from 'vitest';
import {
  GENERATED_DOCS,
  GENERATED_SCHEMAS,
  readDoc,
  withFreshTables,
} from '../../scripts/gen-docs.ts';
import { SETTINGS } from '../../src/config/settings.ts';

describe('the generated documents', () => {
  it.each(Object.keys(GENERATED_DOCS))('%s is what `npm run docs` would write', (path) => {
    const current = readDoc(path);
    expect(current).toBe(withFreshTables(path, current));
  });

  it.each(Object.entries(GENERATED_SCHEMAS))(
    '%s is what `npm run docs` would write',
    (path, make) => {
      expect(readDoc(path)).toBe(make());
    },
  );

  it('describe every setting', () => {
    const text = readDoc('docs/config.md');
    const missing = Object.values(SETTINGS).filter(({ env }) => !text.includes(`\`${env}\``));
    expect(missing).toEqual([]);
  });
});

describe('the settings', () => {
  it('are named MILLRACE_..., but for what has a customary name', () => {
    const odd = Object.values(SETTINGS)
      .map(({ env }) => env)
      .filter((env) => !/^(MILLRACE_[A-Z_]+|DATABASE_(DIRECT_)?URL|OTEL_[A-Z_]+)$/.test(env));
    expect(odd).toEqual([]);
  });
});
