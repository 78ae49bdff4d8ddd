import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { parse as parseJsonc } from 'jsonc-parser';
import { getStaticTOMLValue, parseTOML } from 'toml-eslint-parser';
import { describe, expect, it } from 'vitest';
import { changeEntry } from '../../src/cli/commands/mcp-install/edit/change-entry.ts';
import type {
  ConfigFormat,
  EntryPath,
} from '../../src/cli/commands/mcp-install/edit/config-edit.ts';
import { JSON_FORMAT } from '../../src/cli/commands/mcp-install/edit/json-format.ts';
import { TOML_FORMAT } from '../../src/cli/commands/mcp-install/edit/toml-format.ts';
import { effort } from '../support/effort.ts';
import { anyJsonConfig, anyTomlConfig } from './any-config.ts';

const ENTRY = { command: 'npx', args: ['-y', 'millrace', 'mcp'], env: { MILLRACE_URL: '${X:-}' } };

interface Case {
  format: ConfigFormat;
  path: EntryPath;
  config: fc.Arbitrary<string>;
  read(text: string): Record<string, unknown>;
}

const CASES: Record<string, Case> = {
  JSON: {
    format: JSON_FORMAT,
    path: ['mcpServers', 'millrace'],
    config: anyJsonConfig,
    read: (text) =>
      (parseJsonc(text.replace('\ufeff', ''), [], { allowTrailingComma: true }) ?? {}) as Record<
        string,
        unknown
      >,
  },
  TOML: {
    format: TOML_FORMAT,
    path: ['mcp_servers', 'millrace'],
    config: anyTomlConfig,
    read: (text) => getStaticTOMLValue(parseTOML(text.replace('\ufeff', ''))),
  },
};

/** Whether `part` is what is left of `whole` after some of it was taken out. */
function isLeftOf(part: string, whole: string): boolean {
  let at = 0;
  for (let i = 0; i < whole.length; i++) if (whole[i] === part[at]) at += 1;
  return at >= part.length;
}

describe.each(Object.entries(CASES))('%s', (_, { format, path, config, read }) => {
  const [container, name] = path;
  const serversIn = (text: string) => (read(text)[container] ?? {}) as Record<string, unknown>;

  it('an entry is added, replaced and removed, and every other byte stays', () => {
    let added = 0;
    let replaced = 0;
    fc.assert(
      fc.property(config, (before) => {
        const had = serversIn(before)[name];
        const set = changeEntry(before, format, path, ENTRY);
        if (set.kind === 'unchanged' || set.kind === 'removed') throw new Error(set.kind);
        expect(set.kind).toBe(had === undefined ? 'added' : 'updated');
        const expected = { ...read(before), [container]: { ...serversIn(before), [name]: ENTRY } };
        expect(read(set.text)).toEqual(expected);
        const others = (value: object) => Object.keys(value).filter((key) => key !== container);
        expect(others(read(set.text))).toEqual(others(expected));
        expect(changeEntry(set.text, format, path, ENTRY)).toEqual({ kind: 'unchanged' });
        if (had === undefined) {
          added += 1;
          expect(isLeftOf(before, set.text)).toBe(true);
        } else replaced += 1;

        const removed = changeEntry(set.text, format, path, undefined);
        if (removed.kind !== 'removed') throw new Error(removed.kind);
        expect(serversIn(removed.text)).toEqual(
          Object.fromEntries(Object.entries(serversIn(before)).filter(([key]) => key !== name)),
        );
        expect(isLeftOf(removed.text, set.text)).toBe(true);
        if (had === undefined && container in read(before)) {
          const bare = (text: string) => text.replaceAll(/\s/g, '');
          expect(bare(removed.text)).toBe(bare(before));
        }
        expect(changeEntry(removed.text, format, path, undefined)).toEqual({ kind: 'unchanged' });
      }),
      { numRuns: effort(100) },
    );
    expect(Math.min(added, replaced)).toBeGreaterThan(effort(15));
  });

  it('what is there as a whole or in other words is left alone', () => {
    const text = format.document(path, ENTRY);
    expect(isDeepStrictEqual(serversIn(text)[name], ENTRY)).toBe(true);
    expect(changeEntry(text, format, path, ENTRY)).toEqual({ kind: 'unchanged' });
  });
});
