// What a team was asked and has said is in its export.
import { expect, it } from 'vitest';
import { downloadArchive, linesOf } from '../accounts/archive.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import { ask, askBody, find, resolve } from './ask.ts';
import type { Asked } from './ask.ts';
import { hunkId, reviewBody, reviewFile } from './review-files.ts';

const server = useServer();

it('an export has the questions of the team, their answers and what was reviewed', async () => {
  verifies('approvals.export');
  const { key, email } = await server().createKey({ scopes: ['admin'] });
  const call = (method: string, path: string, body: object) =>
    server().call(method, path, { key, body });
  // More than a page, and of another team.
  const asked: Asked[] = [];
  for (let i = 0; i < 12; i++)
    asked.push(await ask(server(), key, { hash: `${i}`.repeat(64).slice(0, 64) }));
  const stranger = await server().createKey();
  await ask(server(), stranger.key, { title: 'Not theirs' });
  await resolve(server(), key, asked[0]!, { comment: 'Fine \u202e.' });
  const question = await ask(server(), key, { kind: 'question', title: 'Which one?' });
  await resolve(server(), key, question, { answer: 'The older one.' });

  const names = Array.from({ length: 12 }, (_, i) => `${i}.ts`);
  const review = askBody({ review: reviewBody({ files: names.length }) });
  const held = (await call('POST', '/v1/approvals', review)).body as unknown as Asked;
  const at = `/v1/approvals/${held.id}/review`;
  await call('PUT', `${at}/files`, { from: 0, files: names.map((name) => reviewFile(name)) });
  const decisions = { [hunkId('3.ts')]: 'rejected' };
  await call('PATCH', `${at}/draft`, { decisions });
  await resolve(server(), key, held, { verdict: 'apply' });

  const path = `/v1/teams/${await server().teamId(email)}/export`;
  const { files } = await downloadArchive(server().url + path, { 'x-api-key': key });
  const approvals = linesOf(files['approvals.jsonl']) as Record<string, unknown>[];
  expect(approvals.map(({ id }) => id)).toEqual([...asked, question, held].map(({ id }) => id));
  const shown = await find(server(), key, asked[0]!.id);
  expect(approvals[0]).toMatchObject({
    kind: 'changes',
    status: 'approved',
    detail: shown['detail'],
    comment: 'Fine \u202e.',
    resolvedBy: await server().userId(email),
  });
  expect(approvals.at(-2)).toMatchObject({ kind: 'question', answer: 'The older one.' });
  expect(linesOf(files['reviews.jsonl'])).toMatchObject([
    { approvalId: held.id, round: 1, verdict: 'apply', decisions },
  ]);
  const texts = linesOf(files['review-files.jsonl']) as { path: string }[];
  expect(texts.map((file) => file.path)).toEqual(names);
  expect(texts[0]).toMatchObject({ approvalId: held.id, before: 'old\n', after: 'new\n' });
});
