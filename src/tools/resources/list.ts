// The resources that there are now. Nothing is asked of a server for it: there may be none, and hosts
// list resources when a session starts.
import type { Resource, ResourceTemplateType } from '@modelcontextprotocol/server';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { EXECUTION_ID_PATTERN } from '../../contract/fields.ts';
import { DEFAULT_MANIFEST } from '../../manifest/default-file.ts';
import { listRuns } from '../../orchestrator/index.ts';
import type { SessionDeps } from '../deps.ts';
import { readLatest } from '../latest.ts';
import { URIS, artifactUri, executionUri, planManifestUri } from './address.ts';

const JSON_TYPE = 'application/json';

export async function listResources({
  workspace,
  clock,
  attempts,
}: SessionDeps): Promise<Resource[]> {
  if (workspace === undefined) return [];
  const resources: Resource[] = [];
  if (existsSync(join(workspace.root, DEFAULT_MANIFEST))) {
    resources.push({
      uri: URIS.manifest,
      name: DEFAULT_MANIFEST,
      description: 'Manifest of this project',
      mimeType: 'application/yaml',
    });
    if (workspace.makePlan !== undefined) {
      const description = 'What the manifest would run, in which order, and what it may cost';
      resources.push({ uri: URIS.plan, name: 'plan', description, mimeType: JSON_TYPE });
    }
  }
  const { total } = await listRuns(workspace, { limit: 0, now: clock.now() });
  if (total > 0) {
    const about = 'State, cost and errors of the last run of a manifest';
    resources.push({ uri: URIS.run, name: 'last run', description: about, mimeType: JSON_TYPE });
    const description = 'What the last run changed';
    resources.push({ uri: URIS.diff, name: 'diff', description, mimeType: 'text/x-diff' });
  }
  const latest = attempts.latest() ?? readLatest(workspace);
  if (latest !== undefined && EXECUTION_ID_PATTERN.test(latest)) {
    const description = 'Newest execution of this session, or of the workspace';
    resources.push({
      uri: executionUri(latest),
      name: 'last execution',
      description,
      mimeType: JSON_TYPE,
    });
  }
  return resources;
}

export function listTemplates(): ResourceTemplateType[] {
  return [
    {
      uriTemplate: `${executionUri('{id}')}{?from}`,
      name: 'execution',
      description: 'State and result of an execution; "latest" is the newest one',
      mimeType: JSON_TYPE,
    },
    {
      uriTemplate: `${planManifestUri('{id}')}{?from}`,
      name: 'plan',
      description: 'Plan of a dry run, as text for millrace.yaml',
      mimeType: 'application/yaml',
    },
    {
      uriTemplate: `${artifactUri('{id}', '{n}')}{?from}`,
      name: 'artifact',
      description: 'Changes that one step made, with the text of the files; n counts from 0',
      mimeType: JSON_TYPE,
    },
  ];
}
