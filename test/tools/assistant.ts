// An assistant that uses the tools, within this process.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import type { RequestOptions } from '@modelcontextprotocol/client';
import { MillraceClient } from '../../src/client/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { DEFAULT_TOOL_SETTINGS } from '../../src/tools/deps.ts';
import type { ToolDeps, ToolSettings } from '../../src/tools/deps.ts';
import type { CancelOutput, ExecuteOutput, StatusOutput } from '../../src/tools/tool-schemas.ts';
import { createToolServer } from '../../src/tools/tool-server.ts';

export interface Called<T> {
  isError: boolean;
  text: string;
  output: T;
}

interface Outputs {
  execute: ExecuteOutput;
  status: StatusOutput;
  cancel: CancelOutput;
}

export interface Assistant {
  client: Client;
  call<N extends keyof Outputs>(
    tool: N,
    input: object,
    options?: RequestOptions,
  ): Promise<Called<Outputs[N]>>;
  close(): Promise<void>;
}

export interface Place {
  url: string;
  key: string;
  /** Made by `newFolder`. */
  folder?: string | undefined;
  settings?: Partial<ToolSettings>;
  tryTimeoutMs?: number;
}

/** A project with one file, and its state beside it. */
export function newFolder(): { folder: string; root: string; remove(): void } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'millrace-tools-')));
  const root = mkdtempSync(join(folder, 'project-'));
  writeFileSync(join(root, 'a.ts'), 'export const a = 1;\n');
  return { folder, root, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export function toolDeps({ url, key, folder, settings, ...limits }: Place): ToolDeps {
  const client = new MillraceClient(url, key, { maxRetries: 0, ...limits });
  return {
    version: '1.2.3',
    connect: async () => client,
    workspace:
      folder === undefined
        ? undefined
        : {
            root: folder,
            stateDir: `${folder}-state`,
            allowed: [],
            applyCommand: (id) => `millrace apply ${id}`,
          },
    clock: systemClock,
    settings: { ...DEFAULT_TOOL_SETTINGS, model: 'sim-instant', ...settings },
  };
}

export async function callTool<T>(
  client: Pick<Client, 'callTool'>,
  tool: string,
  input: object,
  options?: RequestOptions,
): Promise<Called<T>> {
  const params = { name: `millrace_${tool}`, arguments: { ...input } };
  const { isError = false, content, structuredContent } = await client.callTool(params, options);
  const [first] = content;
  const text = first?.type === 'text' ? first.text : '';
  return { isError, text, output: structuredContent as T };
}

export const newAssistant = (place: Place): Promise<Assistant> => assistantOf(toolDeps(place));

export async function assistantOf(deps: ToolDeps): Promise<Assistant> {
  const [here, there] = InMemoryTransport.createLinkedPair();
  await createToolServer(deps).connect(there);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(here);
  return {
    client,
    call: (tool, input, options) => callTool(client, tool, input, options),
    close: () => client.close(),
  };
}
