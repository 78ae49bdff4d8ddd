// What an edit of the plan did, in a sentence: it is shown and read out.
import { depsWithout } from '../../../src/manifest/edit/edit-plan.ts';
import type { PlanEdit, PlanList } from '../../../src/manifest/edit/edit-plan.ts';
import type { FeatureManifest } from '../../../src/manifest/model.ts';

const ADDED: Readonly<Record<PlanList, (stream: string, entry: string) => string>> = {
  deps: (stream, entry) => `${stream} now waits for ${entry}.`,
  owns: (stream, entry) => `${stream} now writes ${entry}.`,
  reads: (stream, entry) => `${stream} now reads ${entry}.`,
  verify: (stream, entry) => `${stream} is now checked with "${entry}".`,
};

const REMOVED: typeof ADDED = {
  deps: (stream, entry) => `${stream} no longer waits for ${entry}.`,
  owns: (stream, entry) => `${stream} no longer writes ${entry}.`,
  reads: (stream, entry) => `${stream} no longer reads ${entry}.`,
  verify: (stream, entry) => `${stream} is no longer checked with "${entry}".`,
};

function deletedText(manifest: FeatureManifest, id: string): string {
  const { owns = [], deps = [] } = manifest.streams.get(id) ?? {};
  const followers = [...depsWithout(manifest, id).keys()];
  const names = followers.join(' and ');
  const verb = followers.length === 1 ? 'waits' : 'wait';
  const next =
    deps.length === 0 ? `no longer ${verb} for it` : `now ${verb} for ${deps.join(', ')}`;
  return [
    `Deleted ${id}.`,
    ...(followers.length === 0 ? [] : [`${names} ${next}.`]),
    ...(owns.length === 0 ? [] : [`It wrote ${owns.join(', ')}.`]),
  ].join(' ');
}

/** `manifest`: as it was before. */
export function editText(manifest: FeatureManifest, edit: PlanEdit): string {
  const { stream } = edit;
  switch (edit.kind) {
    case 'name':
      return `${stream} is now called "${edit.name}".`;
    case 'id':
      return `${stream} now has the id ${edit.id}, also where others wait for it.`;
    case 'plan':
      return `Changed the plan of ${stream}.`;
    case 'add':
      return ADDED[edit.list](stream, edit.entry);
    case 'remove':
      return REMOVED[edit.list](stream, edit.entry);
    case 'move':
      return `Moved ${edit.entry} from ${stream} to ${edit.to}.`;
    case 'delete':
      return deletedText(manifest, stream);
  }
}
