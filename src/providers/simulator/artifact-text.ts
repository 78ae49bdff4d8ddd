import type { Operation } from '../../contract/artifact.ts';
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
    const text = { path, content: content(path, streamId, random) };
    // A file that the prompt shows is there already: it gets a new text.
    return shown.has(path) ? { type: 'edit', ...text } : { type: 'create', ...text };
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

/** Files that the prompt holds, each introduced by a line of its own. */
function shownFiles(prompt: string): Set<string> {
  return new Set([...prompt.matchAll(/^File: (.+)$/gm)].map(([, path = '']) => path.trim()));
}

function outside(operation: Operation): Operation {
  return { ...operation, path: `../${operation.path}` };
}

function content(path: string, streamId: string, random: Random): string {
  const note = `Written by the simulator for ${streamId}.`;
  const text = sentence(random);
  const ending = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  if (ending === 'md') return `# ${streamId}\n\n${note}\n\n${text}\n`;
  if (ending === 'json') return `${JSON.stringify({ simulated: true, note, text }, null, 2)}\n`;
  if (/^[cm]?[jt]sx?$/.test(ending)) {
    return `// ${note}\nexport const simulated = ${JSON.stringify(text)};\n`;
  }
  if (/^(?:py|rb|sh|ya?ml|toml)$/.test(ending)) return `# ${note}\n# ${text}\n`;
  return `${note}\n${text}\n`;
}
