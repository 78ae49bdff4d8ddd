// Links to the changes of each step, which results leave out for their length.
import type { ResourceLink } from '@modelcontextprotocol/server';
import { artifactUri } from './address.ts';

/** More are found by the template. */
const MOST_LINKS = 20;
/** Clients of older versions do not know the kind, and refuse the whole result. */
const SINCE = '2025-06-18';

interface Linked {
  executionId?: string;
  result?: { artifacts: { streamId: string; operations: readonly unknown[] }[] } | null;
}

/** `version` is undefined for clients that name one with each request: they are newer. */
export function artifactLinks(output: object, version: string | undefined): ResourceLink[] {
  const { executionId, result } = output as Linked;
  if (executionId === undefined || (version !== undefined && version < SINCE)) return [];
  return (result?.artifacts ?? [])
    .map(({ streamId, operations }, index) => ({ streamId, operations, index }))
    .filter(({ operations }) => operations.length > 0)
    .slice(0, MOST_LINKS)
    .map(({ streamId, index }) => ({
      type: 'resource_link',
      uri: artifactUri(executionId, index),
      name: streamId,
      description: 'Changes of this step, with the text of the files',
      mimeType: 'application/json',
    }));
}
