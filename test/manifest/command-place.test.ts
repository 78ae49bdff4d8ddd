// sandboxCommands and commandNetwork, in both notations.
import { describe, expect, it } from 'vitest';
import { parseManifest } from '../../src/manifest/text/parse.ts';

const B = (top: string) => `feature: f\n${top}\nstreams: { a: { name: A } }\n`;
const A = (top: string) =>
  `name: n\nversion: 1.0.0\ndescription: d\n${top}\nstreams: { a: { description: A, plan: p } }\n`;

describe.each([
  ['A', A],
  ['B', B],
])('notation %s', (_name, text) => {
  const read = (top: string) => {
    const parsed = parseManifest(text(top), { file: 'm.yaml' });
    if (parsed.kind !== 'invalid') {
      const { sandboxCommands, commandNetwork } = parsed.manifest;
      return { sandboxCommands, commandNetwork };
    }
    return parsed.problems.map(({ code, message, hint }) => `${code} ${message} ${hint}`);
  };

  it('says whether commands run in the sandbox, and what they may reach', () => {
    expect(read('')).toEqual({});
    expect(read('sandboxCommands: true\ncommandNetwork: none')).toEqual({
      sandboxCommands: true,
      commandNetwork: 'none',
    });
    expect(read('sandboxCommands: false')).toEqual({ sandboxCommands: false });
    expect(read('commandNetwork: [registry.example.com, "*.example.org"]')).toEqual({
      commandNetwork: ['registry.example.com', '*.example.org'],
    });
  });

  it.each([
    ['sandboxCommands: yes please', /^WRONG_TYPE sandboxCommands must be true or false/],
    ['commandNetwork: all', /^BAD_CHOICE commandNetwork cannot be "all"/],
    ['commandNetwork: registry.example.com', /Put it in brackets: \[registry\.example\.com\]/],
    [
      'commandNetwork: [https://registry.example.com]',
      /^BAD_HOST .* without a scheme, port or path/,
    ],
    ['commandNetwork: ["registry.example.com:8080"]', /^BAD_HOST/],
    ['commandNetwork: [127.0.0.1]', /^BAD_HOST/],
    ['commandNetwork: ["*"]', /^BAD_HOST/],
    ['commandNetwork: [localhost]', /^BAD_HOST/],
    ['commandNetwork: []', /^EMPTY_LIST/],
    ['commandNetwork: true', /^WRONG_TYPE commandNetwork must be none or a list of hosts/],
    ['commandNetwork: { a: b }', /^WRONG_TYPE commandNetwork must be none or a list of hosts/],
  ])('refuses %s and says what to write', (top, problem) => {
    expect(read(top)).toEqual([expect.stringMatching(problem)]);
  });
});
