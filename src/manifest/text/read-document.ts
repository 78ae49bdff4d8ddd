// The one YAML document of a text, as the parser's events, within limits.
import { EVENT_ID, YAMLException, parseEvents } from 'js-yaml';
import type { Event } from 'js-yaml';
import { eventOffset } from './event-tree.ts';
import { createLineIndex } from './line-index.ts';
import type { ManifestLimits } from './limits.ts';
import type { Finding, Locator } from './problem-list.ts';
import { scanText } from './scan.ts';
import { explainSyntax } from './syntax.ts';

export type ReadEvents =
  | { kind: 'events'; events: Event[] }
  | { kind: 'problem'; finding: Finding };

export function readEvents(text: string, limits: ManifestLimits): ReadEvents {
  const finding = scanText(text, limits);
  if (finding) return { kind: 'problem', finding };
  try {
    return { kind: 'events', events: parseEvents(text, { maxDepth: limits.maxDepth }) };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    return {
      kind: 'problem',
      finding: explainSyntax(text, error.reason, error.mark?.position ?? 0),
    };
  }
}

export function documentFinding(events: readonly Event[]): Finding | undefined {
  const first = events[0];
  if (first?.type !== EVENT_ID.DOCUMENT) {
    return {
      code: 'EMPTY',
      message: 'The manifest is empty.',
      hint: 'Run millrace init to create one.',
      path: [],
    };
  }
  if (first.directives.some(({ kind }) => kind === 'tag')) {
    return {
      code: 'TAG',
      message: 'A %TAG directive is not allowed in a manifest.',
      hint: 'Remove the directive and the tags that use it.',
      path: [],
      offset: 0,
    };
  }
  const second = events.findIndex((event, at) => at > 0 && event.type === EVENT_ID.DOCUMENT);
  if (second < 0) return undefined;
  return {
    code: 'SEVERAL_DOCUMENTS',
    message: 'The file contains more than one YAML document.',
    hint: 'Remove the --- line and everything after it, or move that part to its own file.',
    path: [],
    offset: eventOffset(events[second + 1]!) ?? 0,
  };
}

export function locateByOffset(text: string): Locator {
  const at = createLineIndex(text);
  return { at, of: () => at(0), ofKey: () => at(0) };
}
