import type { Operation } from '../../contract/artifact.ts';
import { renderArtifactBlock, renderEditsBlock } from '../../domain/artifact/render-artifact.ts';
import type { ProviderRequest } from '../provider.ts';
import { ownedFiles } from './owned-files.ts';
import { sentence, type Random } from './prose.ts';
import type { Script } from './script.ts';

/** The block that ends a simulated answer, or nothing. */
export function artifactText(
  request: Pick<ProviderRequest, 'prompt' | 'streamId'>,
  form: Script['artifact'],
  random: Random,
): string {
  if (form === 'none') return '';
  const { streamId } = request;
  const operations = ownedFiles(request.prompt, streamId).map((path): Operation => ({
    type: 'create',
    path,
    content: content(path, streamId, random),
  }));
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
