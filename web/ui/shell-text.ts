// Texts as shells and programs read them.
import { shellWord } from '../../src/domain/command/suggested-command.ts';

/** A request as curl sends it; the key comes from the environment. */
export function curlOf(method: string, url: string, body?: unknown): string {
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}${shellWord(url)}`];
  lines.push('  -H "X-API-Key: $MILLRACE_API_KEY"');
  if (body !== undefined) {
    lines.push("  -H 'Content-Type: application/json'");
    lines.push(`  -d ${shellWord(JSON.stringify(body))}`);
  }
  return lines.join(' \\\n');
}

/** A call of the client, with what it needs around it. */
export function typescriptOf(call: string): string {
  return `import { MillraceClient } from 'millrace/client';

const client = new MillraceClient('${location.origin}', process.env.MILLRACE_API_KEY!);
${call}`;
}

/** Writes a file that is not there yet; `set -C` refuses to replace one. */
export function saveCommand(file: string, text: string): string {
  const lines = new Set(text.split('\n'));
  let end = 'END';
  while (lines.has(end)) end += '_';
  const body = text.endsWith('\n') ? text : `${text}\n`;
  return `(set -C; cat > ${shellWord(file)}) <<'${end}'\n${body}${end}\n`;
}
