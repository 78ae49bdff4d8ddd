import type { Operation } from '../../contract/artifact.ts';
import { renderArtifactBlock, renderEditsBlock } from '../../domain/artifact/render-artifact.ts';
import type { ProviderRequest } from '../provider.ts';
import { addMarkedLine } from './marked-line.ts';
import { ownedFiles } from './owned-files.ts';
import { sentence, type Random } from './prose.ts';
import type { Script } from './script-model.ts';
import { shownFiles } from './shown-files.ts';

/** The block that ends a simulated answer, or nothing. */
export function artifactText(
  request: Pick<ProviderRequest, 'prompt' | 'streamId'>,
  form: Script['artifact'],
  random: Random,
): string {
  if (form === 'none') return '';
  const { streamId } = request;
  const shown = shownFiles(request.prompt);
  const owned = ownedFiles(request.prompt, streamId);
  const operations = owned
    .map((path) =>
      // The bad one leaves the project: every reader must refuse it as a whole.
      form === 'bad'
        ? newFile(`../${path}`, streamId, random)
        : changeOf(path, shown, streamId, random),
    )
    .filter((operation) => operation !== undefined);
  // The plain-text form cannot say that nothing changes.
  if (form === 'edits' && operations.length > 0) return renderEditsBlock(operations);
  return renderArtifactBlock({
    streamId,
    status: 'complete',
    operations,
    filesChanged: operations.map(({ path }) => path),
    summary: summaryOf(operations.length, owned.length - operations.length),
  });
}

function summaryOf(changed: number, left: number): string {
  const files = (count: number) => `${count} file${count === 1 ? '' : 's'}`;
  const rest = left === 0 ? '' : ` ${files(left)} left unchanged.`;
  return `Simulated change of ${files(changed)}.${rest}`;
}

/** A file that exists keeps all of its text; where no comment can be added, it stays as it is. */
function changeOf(
  path: string,
  shown: ReturnType<typeof shownFiles>,
  streamId: string,
  random: Random,
): Operation | undefined {
  if (!shown.has(path)) return newFile(path, streamId, random);
  const text = shown.get(path);
  if (text === undefined) return undefined;
  if (text === '') return { ...newFile(path, streamId, random), type: 'edit' };
  return addMarkedLine(path, text, `${noteFor(streamId)} ${sentence(random)}`);
}

const noteFor = (streamId: string) => `Written by the simulator for ${streamId}.`;

function newFile(
  path: string,
  streamId: string,
  random: Random,
): Extract<Operation, { type: 'create' }> {
  return { type: 'create', path, content: content(path, streamId, random) };
}

function content(path: string, streamId: string, random: Random): string {
  const note = noteFor(streamId);
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
