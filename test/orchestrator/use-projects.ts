// A server for the tests of one file, and projects that are gone after each of them.
import { afterEach, beforeAll } from 'vitest';
import { pricedProviders } from '../support/priced-model.ts';
import type { Decisions } from '../../src/domain/review/decision.ts';
import type { ReviewedFile } from '../../src/orchestrator/review/reviewed-file.ts';
import type { TestServer } from '../support/server.ts';
import { useServer } from '../support/use-server.ts';
import { createProject, feature, reply } from './project.ts';
import type { Project, Server } from './project.ts';

export interface Projects {
  /** Filled before the first test. */
  server: Server;
  node(): TestServer;
  /** The same server for another account. */
  stranger(): Promise<Server>;
  /** With a manifest of these streams. */
  project(streams: Record<string, object>, files?: Record<string, string>): Project;
  /** With this manifest. */
  projectOf(manifest: string, files?: Record<string, string>): Project;
}

export function useProjects(): Projects {
  const node = useServer({}, { providers: pricedProviders });
  const server: Server = { url: '', key: '' };
  const stranger = async () => ({ url: node().url, key: (await node().createKey()).key });
  const projects: Project[] = [];
  beforeAll(async () => {
    Object.assign(server, await stranger());
  });
  afterEach(() => projects.splice(0).forEach((project) => project.remove()));
  function projectOf(manifest: string, files?: Record<string, string>): Project {
    const created = createProject(manifest, files);
    projects.push(created);
    return created;
  }
  return {
    server,
    node,
    stranger,
    project: (streams, files) => projectOf(feature(streams), files),
    projectOf,
  };
}

/** What a person says who agrees to all of it. */
export const acceptAll = (files: readonly ReviewedFile[]): Decisions =>
  new Map(files.flatMap(({ hunks }) => hunks.map(({ id }) => [id, { kind: 'accepted' }])));

/** A stream that writes one file with its own name in it. */
export const writes = (id: string, more: object = {}) => ({
  name: id,
  owns: [`${id}.txt`],
  plan: reply({ [`${id}.txt`]: `${id}\n` }),
  ...more,
});
