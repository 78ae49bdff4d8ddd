// An answer as the protocol carries it.
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ToolAnswer } from './call.ts';
import { artifactLinks } from './resources/links.ts';

/** `version` of the protocol, where the connection has one. */
export function toResult(
  { output, isError }: Extract<ToolAnswer, { kind: 'output' }>,
  version?: string,
): CallToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(output) }, ...artifactLinks(output, version)],
    structuredContent: { ...output },
    ...(isError ? { isError } : {}),
  };
}
