// What the tools take of the context of an assistant, before anything is called.
import { estimateTokenCount } from 'tokenx';
import { listTools } from '../src/tools/tool-list.ts';

export interface Size {
  tokens: number;
  characters: number;
}

function sizeOf(value: unknown): Size {
  const text = JSON.stringify(value);
  return { tokens: estimateTokenCount(text), characters: text.length };
}

/** Most hosts show a model `shown`, and keep the rest of the list for themselves. */
export function toolTokens(): { shown: Size; whole: Size } {
  const tools = listTools({ writes: false, hasFiles: true });
  const shown = tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }));
  return { shown: sizeOf(shown), whole: sizeOf({ tools }) };
}
