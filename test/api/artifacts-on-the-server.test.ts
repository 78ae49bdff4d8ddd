import { describe, expect, it } from 'vitest';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer();

async function answering(text: string) {
  const { key } = await server().createKey();
  const prompt = `[[sim:reply]]${text}[[/sim:reply]]`;
  const jobId = await server().submit(key, { streamId: 'docs', prompt, maxTokens: 10_000 });
  const job = await server().finished(key, jobId);
  expect(job).toMatchObject({ status: 'completed', output: text });
  const run = await server().call('GET', `/api/v1/history/${job['runId'] as string}`, { key });
  const [stream] = run.body['streams'] as { filesChanged: string[] }[];
  return { artifact: job['artifact'], filesChanged: stream?.filesChanged };
}

const block = (value: unknown, label = 'millrace-artifact') =>
  `Here it is.\n\n\`\`\`${label}\n${JSON.stringify(value)}\n\`\`\`\n\nDone.`;

const SHA = 'a'.repeat(64);
const CREATE = { type: 'create', path: 'src/new.ts', content: 'export {};\n' };

describe('an artifact in the text of a model', () => {
  it('is found in its fenced block and shown with all its fields', async () => {
    verifies(
      'artifact.fields',
      'artifact.fence',
      'artifact.fence.label',
      'artifact.operation.kinds',
      'artifact.operation.create',
      'artifact.edit.pairs',
      'artifact.edit.whole',
      'artifact.base-sha',
    );
    const artifact = {
      streamId: 'docs',
      status: 'complete',
      operations: [
        CREATE,
        {
          type: 'edit',
          path: 'src/a.ts',
          edits: [
            { oldText: 'one', newText: 'two' },
            { oldText: 'x', newText: 'y', replaceAll: true },
          ],
          baseSha256: SHA,
        },
        { type: 'edit', path: 'src/b.ts', content: 'whole\n', baseSha256: SHA },
        { type: 'delete', path: 'src/old.ts', baseSha256: SHA },
      ],
      filesChanged: ['src/new.ts', 'src/a.ts', 'src/b.ts', 'src/old.ts'],
      summary: 'Four changes',
    };
    for (const label of ['millrace-artifact', 'service-artifact']) {
      const found = await answering(block(artifact, label));
      expect(found).toEqual({ artifact, filesChanged: artifact.filesChanged });
    }
    expect(await answering(block(artifact, 'json'))).toEqual({
      artifact: undefined,
      filesChanged: [],
    });
  });

  it('may be complete, partial or failed', async () => {
    verifies('artifact.status.values');
    for (const status of ['complete', 'partial', 'failed']) {
      const { artifact } = await answering(block({ status, operations: [CREATE] }));
      expect(artifact).toMatchObject({ status, streamId: 'docs', filesChanged: ['src/new.ts'] });
    }
    const odd = await answering(block({ status: 'splendid', operations: [CREATE] }));
    expect(odd.artifact).toBeUndefined();
  });

  it('may name an edit and its pairs in other usual ways', async () => {
    verifies('artifact.edit.tolerant-type', 'artifact.edit.tolerant-names');
    const operations = [
      { type: 'replace', path: 'a', edits: [{ search: 'x', replace: 'y' }] },
      { type: 'edit', path: 'b', edits: [{ old_string: 'x', new_string: 'y' }] },
    ];
    const { artifact } = await answering(block({ operations }));
    const edits = [{ oldText: 'x', newText: 'y' }];
    expect(artifact).toMatchObject({
      operations: [
        { type: 'edit', path: 'a', edits },
        { type: 'edit', path: 'b', edits },
      ],
    });
  });

  it('is refused whole when one path leads where it must not', async () => {
    verifies('artifact.path.shape', 'artifact.path.git', 'artifact.path.rejects-whole');
    const bad = ['../up.ts', 'a/../../b', '/etc/passwd', 'C:\\x', 'c:/x', 'a\\b', 'a\u0000b', ''];
    for (const path of [...bad, '.git/config', 'sub/.git/hooks/x', '.GIT/x']) {
      const operations = [CREATE, { ...CREATE, path }];
      const { artifact, filesChanged } = await answering(block({ operations }));
      expect(artifact, path).toBeUndefined();
      expect(filesChanged).toEqual([]);
    }
    const fine = ['.gitignore', 'a/.github/x.yml', 'a..b/c', 'ünï/çode.ts'];
    for (const path of fine) {
      const { artifact } = await answering(block({ operations: [{ ...CREATE, path }] }));
      expect(artifact, path).toMatchObject({ filesChanged: [path] });
    }
  });

  it('that cannot be read leaves the output alone', async () => {
    verifies('artifact.fence');
    const texts = [
      '```millrace-artifact\n{ not json\n```',
      '```millrace-artifact\n{"operations": 5}\n```',
      'the word millrace-artifact alone',
    ];
    for (const text of texts) expect((await answering(text)).artifact).toBeUndefined();
  });
});
