// Projects whose model is scripted by the test: it sees each prompt, and may do anything before it
// answers.
import { afterAll, afterEach, beforeAll } from 'vitest';
import { startScriptedModel } from '../support/scripted-model.ts';
import type { ScriptedModel } from '../support/scripted-model.ts';
import type { Config } from '../../src/config/config.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { createProject, feature } from './project.ts';
import type { Project, Server } from './project.ts';

export interface ScriptedProjects {
  server: Server;
  model(): ScriptedModel;
  node(): TestServer;
  /** `head`: what the manifest says of its model. */
  project(streams: Record<string, object>, files?: Record<string, string>, head?: object): Project;
  /** Of notation A. */
  workflow(streams: Record<string, object>, files?: Record<string, string>): Project;
}

export function useScriptedProjects(settings: Partial<Config> = {}): ScriptedProjects {
  const server: Server = { url: '', key: '' };
  let node: TestServer | undefined;
  let vendor: ScriptedModel | undefined;
  const projects: Project[] = [];
  const model = () => {
    if (vendor === undefined) throw new Error('the model is not up yet');
    return vendor;
  };
  beforeAll(async () => {
    vendor = await startScriptedModel();
    node = await startTestServer({
      baseUrls: { openai: vendor.url },
      operatorKeys: { openai: 'sk-test' },
      ...settings,
    });
    Object.assign(server, { url: node.url, key: (await node.createKey()).key });
  });
  afterEach(() => {
    model().calls.length = 0;
    projects.splice(0).forEach((each) => each.remove());
  });
  afterAll(async () => {
    await node?.close();
    await vendor?.close();
  });
  function create(manifest: string, files?: Record<string, string>): Project {
    const project = createProject(manifest, files);
    projects.push(project);
    return project;
  }
  const head = { model: 'gpt-4.1', maxTokens: 1000 };
  return {
    server,
    model,
    node: () => node!,
    project: (streams, files, own = head) => create(feature(streams, own), files),
    workflow: (streams, files) =>
      create(
        `${JSON.stringify({ name: 'w', version: '1.0.0', description: 'd', ...head, streams })}\n`,
        files,
      ),
  };
}

/** A block of edits with these sections in it. */
export const edits = (...sections: string[]) =>
  ['Here it is.', '````millrace-edits', 'summary: Done', '', ...sections, '````', ''].join('\n');

export const whole = (path: string, text: string, word = 'edit') =>
  `${word}: ${path}\n\`\`\`\n${text}\`\`\`\n`;

export const replace = (path: string, search: string, by: string) =>
  `edit: ${path}\n<<<<<<< SEARCH\n${search}\n=======\n${by}\n>>>>>>> REPLACE\n`;
