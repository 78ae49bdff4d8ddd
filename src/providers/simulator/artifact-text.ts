import type { Operation } from '../../contract/artifact.ts';
import { endOfLine, findFences } from '../../domain/artifact/fences.ts';
import { renderArtifactBlock, renderEditsBlock } from '../../domain/artifact/render-artifact.ts';
import type { ProviderRequest } from '../provider.ts';
import { ownedFiles } from './owned-files.ts';
import { sentence, type Random } from './prose.ts';
import type { Script } from './script-model.ts';

/** The block that ends a simulated answer, or nothing. */
export function artifactText(
  request: Pick<ProviderRequest, 'prompt' | 'streamId'>,
  form: Script['artifact'],
  random: Random,
): string {
  if (form === 'none') return '';
  const { streamId } = request;
  const shown = shownFiles(request.prompt);
  const operations = ownedFiles(request.prompt, streamId).map((path): Operation => {
    const before = shown.get(path);
    const text = { path, content: content(path, streamId, random, before) };
    return before === undefined ? { type: 'create', ...text } : { type: 'edit', ...text };
  });
  if (form === 'edits') return renderEditsBlock(operations);
  return renderArtifactBlock({
    streamId,
    status: 'complete',
    // The bad one leaves the project: every reader must refuse it as a whole.
    operations: form === 'bad' ? operations.map(outside) : operations,
    filesChanged: operations.map(({ path }) => path),
    summary: `Simulated change of ${operations.length} file${operations.length === 1 ? '' : 's'}.`,
  });
}

/** Files that the prompt holds, each introduced by a line of its own; the text that was shown last counts. */
function shownFiles(prompt: string): Map<string, string> {
  const fences = findFences(prompt);
  const files = new Map<string, string>();
  for (const { index, 0: line, 1: path = '' } of prompt.matchAll(/^File: (.+)$/gm)) {
    const start = index + line.length + 1;
    const fence = fences.firstFrom(start);
    const closer = fence < fences.count ? fences.closerOf(fence) : -1;
    const isBelow = closer >= 0 && fences.startOf(fence) === start;
    const text = isBelow ? prompt.slice(endOfLine(prompt, start) + 1, fences.startOf(closer)) : '';
    files.set(path.trim(), text);
  }
  return files;
}

function outside(operation: Operation): Operation {
  return { ...operation, path: `../${operation.path}` };
}

/** A file that is there keeps its text: others may have put it there. */
function content(path: string, streamId: string, random: Random, before = ''): string {
  const note = `Written by the simulator for ${streamId}.`;
  const text = sentence(random);
  const ending = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  if (ending === 'md') {
    return before === ''
      ? `# ${streamId}\n\n${note}\n\n${text}\n`
      : `${before}\n${note}\n\n${text}\n`;
  }
  if (ending === 'json') return json(before, { simulated: true, note, text }, streamId);
  if (/^[cm]?[jt]sx?$/.test(ending)) {
    return before === ''
      ? `// ${note}\nexport const simulated = ${JSON.stringify(text)};\n`
      : `${before}\n// ${note}\n// ${text}\n`;
  }
  if (/^(?:py|rb|sh|ya?ml|toml)$/.test(ending)) return `${before}# ${note}\n# ${text}\n`;
  return `${before}${note}\n${text}\n`;
}

function json(before: string, entry: object, streamId: string): string {
  const known = fieldsOf(before);
  const merged = known === undefined ? entry : { ...known, [`simulated:${streamId}`]: entry };
  return `${JSON.stringify(merged, null, 2)}\n`;
}

function fieldsOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
