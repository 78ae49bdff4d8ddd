import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import type { RulesetDefinition } from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';
import { beforeAll, describe, expect, it } from 'vitest';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer({ role: 'api' });

interface Described {
  description?: string;
  summary?: string;
  tags?: string[];
}
interface OpenApi {
  servers: { url: string }[];
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Described & { parameters?: Described[] }>>;
  webhooks: Record<string, { post: Described }>;
}

let text: string;
beforeAll(async () => {
  text = await (await fetch(`${server().url}/openapi.json`)).text();
});

describe('the OpenAPI document', () => {
  it('has nothing that the recommended rules of Redocly complain about', async () => {
    verifies('http.openapi');
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source: text, config });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  it('has nothing that the recommended rules of Spectral complain about', async () => {
    verifies('http.openapi');
    const spectral = new spectralCore.Spectral();
    // Its own types do not fit each other.
    const rules = spectralRulesets.oas as unknown as RulesetDefinition;
    spectral.setRuleset({ extends: [[rules, 'recommended']] });
    const problems = await spectral.run(text);
    expect(problems.map(({ code, path }) => `${code}: ${path.join('.')}`)).toEqual([]);
  });

  it('describes every operation and every parameter, under tags that it declares', () => {
    const { paths, tags, servers } = JSON.parse(text) as OpenApi;
    expect(servers).toHaveLength(1);
    const declared = new Set(tags.map(({ name }) => name));
    const bare = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, operation]) => {
        const name = `${method} ${path}`;
        const parameters = (operation.parameters ?? []).filter(({ description }) => !description);
        const isDescribed = operation.summary && operation.description;
        const isTagged = operation.tags?.every((tag) => declared.has(tag));
        return isDescribed && isTagged && parameters.length === 0 ? [] : [name];
      }),
    );
    expect(bare).toEqual([]);
  });

  it('tells what webhooks are sent', () => {
    verifies('http.openapi.webhooks');
    const { webhooks } = JSON.parse(text) as OpenApi;
    expect(Object.keys(webhooks)).toEqual([
      'execution.started',
      'execution.step_completed',
      'execution.completed',
      'execution.failed',
      'execution.cancelled',
      'usage.budget_warning',
      'usage.budget_exceeded',
      'approval.requested',
      'approval.resolved',
      'schedule.paused',
      'trigger.paused',
    ]);
  });
});
