// An answer as the protocol carries it. There are no links besides the text: hosts that show them put them in
// front of it, where the first words must say whether files are written.
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ToolAnswer } from './call.ts';

export function toResult({
  output,
  isError,
}: Extract<ToolAnswer, { kind: 'output' }>): CallToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(output) }],
    structuredContent: { ...output },
    ...(isError ? { isError } : {}),
  };
}
