// Values that a shell asks for while a person types: runs and streams of this project. Nothing here
// may fail loudly, or take long.
import { readFile } from 'node:fs/promises';
import type { CommandOptions } from '../../command.ts';
import { shortIds } from '../../short-ids.ts';
import { DEFAULT_MANIFEST } from '../manifests/source.ts';

const MOST = 50;

async function runs(options: CommandOptions): Promise<string[]> {
  const { findProject } = await import('../runs/project.ts');
  const { listRunIds } = await import('../../../orchestrator/state/run-folder.ts');
  const { stateDir } = await findProject(options);
  const ids = (await listRunIds(stateDir)).toSorted().toReversed().slice(0, MOST);
  return [...shortIds(ids).values()];
}

async function streams(): Promise<string[]> {
  const { parseManifest } = await import('../../../manifest/text/parse.ts');
  const text = await readFile(DEFAULT_MANIFEST, 'utf8');
  const parsed = parseManifest(text, { file: DEFAULT_MANIFEST });
  return parsed.kind === 'manifest' ? [...parsed.manifest.streams.keys()] : [];
}

export async function valuesOf(what: string, options: CommandOptions): Promise<string[]> {
  try {
    if (what === 'runs') return await runs(options);
    return what === 'streams' ? await streams() : [];
  } catch {
    return [];
  }
}
