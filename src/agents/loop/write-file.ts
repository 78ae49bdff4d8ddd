// What the tools that write have in common: where they may, and the file as it is.
import { isUtf8 } from 'node:buffer';
import { failed } from './tool.ts';
import type { ToolResult, ToolWorld } from './tool.ts';
import { MAX_FILE_BYTES } from './tool-limits.ts';
import { readPath } from './tool-path.ts';

export type Place =
  | { kind: 'path'; path: string }
  /** The answer of the tool. */
  | { kind: 'refused'; result: ToolResult };

/** Said at once: otherwise the whole attempt would be refused when it ends. */
export function placeToWrite(written: string, world: ToolWorld): Place {
  const refuse = (path: string, why: string): Place => {
    world.onRefused(path, why);
    return { kind: 'refused', result: failed(`${path} was not changed: ${why}`) };
  };
  const place = readPath(written, world);
  if (place.kind === 'refused') return refuse(written, place.why);
  const problem = world.whyNotWritten(place.path);
  return problem === undefined ? place : refuse(place.path, problem.message);
}

export type Before =
  | { kind: 'text'; text: string }
  | { kind: 'none' }
  | { kind: 'refused'; result: ToolResult };

export async function textBefore(path: string, { bench }: ToolWorld): Promise<Before> {
  const answer = await bench.ask('bytes', { path, maxBytes: MAX_FILE_BYTES });
  const refuse = (why: string): Before => ({ kind: 'refused', result: failed(`${path}: ${why}`) });
  if (answer.kind === 'failed') return refuse(answer.error);
  const { base64 } = answer.value;
  if (base64 === null) return { kind: 'none' };
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.includes(0) || !isUtf8(bytes)) return refuse('it is a binary file');
  return { kind: 'text', text: bytes.toString('utf8') };
}

export async function putText(
  path: string,
  text: string,
  { bench }: ToolWorld,
): Promise<ToolResult | undefined> {
  const bytes = Buffer.from(text);
  if (bytes.length > MAX_FILE_BYTES) return failed(`${path} would be larger than 8 MiB.`);
  if (text.includes('\0')) return failed(`${path}: a text must not have NUL characters.`);
  const answer = await bench.ask('write', { path, base64: bytes.toString('base64') });
  return answer.kind === 'failed' ? failed(`${path} was not changed: ${answer.error}`) : undefined;
}
