import { describe, expect, it } from 'vitest';
import { compose } from '../../../src/manifest/compose/compose.ts';
import type { Proposal } from '../../../src/manifest/compose/proposal.ts';
import { isTaskList, readTaskList } from '../../../src/manifest/compose/spec-kit.ts';
import { aRepository } from './a-repository.ts';

function read(text: string): Proposal {
  const answer = readTaskList(text);
  if (answer.kind === 'invalid') throw new Error(answer.problems.join(' '));
  return answer.proposal;
}

const shape = (text: string) =>
  read(text).streams.map(({ id, owns, deps }) => `${id} [${owns.join()}] < ${deps.join()}`);

const LIST = `---
description: tasks
---

# Tasks: Search the shelves

## Format: \`[ID] [P?] [Story] Description\`

- **[P]**: may run beside others

## Phase 1: Setup

- [x] T001 Create the folder in src/done.ts
- [X] T002 [P] Done as well in src/done-too.ts
- [ ] T003 Add the package to \`package.json\`, e.g. with Node.js v1.x

**Checkpoint**: ready

## Phase 2: Story 1 (P1) 🎯

### Tests

- [ ] T004 [P] [US1] Test the query in tests/query.test.ts.
- [ ] T005 [P] [US1] Add the model in \`src/models/book.ts\` and \`src/models/shelf.ts\`

### Implementation

- [ ] T006 [US1] Write GET /search/* in src/search.ts (depends on T005, see data-model.md)
- [ ] T007 [US1] Add logging
- [ ] T008 [P] [US1] Rank | src/rank.ts

\`\`\`sh
- [ ] T099 an example in src/example.ts
\`\`\`

## Phase 3: Polish

- [ ] **T009** [P] Extend the model in src/models/book.ts
- [ ] T010 [P] 在 \`docs/search.md\` 中
  **Files**:
  - \`app/(auth)/page.tsx\` (create)
- [ ] TXXX [P] A placeholder in src/none.ts
`;

describe('a task list of spec-kit', () => {
  it('becomes streams: one for the tasks of a file, in the order of phases and of [P]', () => {
    expect(read(LIST).feature).toBe('Search the shelves');
    expect(shape(LIST)).toEqual([
      't003 [package.json] < ',
      't004 [tests/query.test.ts] < t003',
      't005 [src/models/book.ts,src/models/shelf.ts] < t003,t004',
      't006 [src/search.ts] < t003,t004,t005',
      't008 [src/rank.ts] < t003',
      't010 [docs/search.md,app/(auth)/page.tsx] < t003,t004,t005,t006,t008',
    ]);
  });

  it('keeps the words of every task that is left', () => {
    const plans = Object.fromEntries(read(LIST).streams.map(({ id, plan }) => [id, plan]));
    expect(plans['t005']).toMatch(/^T005: Add the model .*\nT009: Extend the model/);
    expect(plans['t006']).toMatch(/\nT007: Add logging$/);
    expect(Object.values(plans).join()).not.toMatch(/T001|T002|T099|TXXX/);
  });

  it('that begins without a path begins the first stream that has one', () => {
    expect(
      shape('- [ ] T001 Set it up\n- [ ] T002 Then in src/a.ts\n- [ ] T003 [P] In src/b.ts'),
    ).toEqual(['t001 [src/a.ts] < ', 't003 [src/b.ts] < ']);
  });

  it('without a heading is called as its first task', () => {
    const { feature } = read('- [x] T001 Begin\r\n- [ ] T002 [P] [US1] Rank in src/rank.ts\r\n');
    expect(feature).toBe('Rank in src/rank.ts');
  });

  it('without a task says what one looks like', () => {
    const answer = readTaskList('# Tasks\n\nNone.\n');
    expect(answer).toMatchObject({ problems: [expect.stringContaining('- [ ] T001')] });
  });

  it('goes through the rules', () => {
    const text =
      '- [ ] T001 [P] A in src/a.ts\n- [ ] T002 [P] B in src/b.ts\n- [ ] T003 [P] C in .git/config.ts';
    const composed = compose(
      read(text),
      aRepository({ files: { 'src/a.ts': [], 'src/b.ts': [] } }),
    );
    expect(composed).toMatchObject({
      kind: 'composed',
      plan: { streams: [{ id: 't001' }, { id: 't002' }] },
    });
  });

  it.each([
    ['- [ ] T012 [P] [US1] Create X in src/path.ts', true],
    ['* [x] T1 done', true],
    ['# Search\n\nPlease add search to T012.', false],
    ['- [ ] Add search', false],
    ['- T012 Add search', false],
    ['```\n- [ ] T012 Add search\n```', false],
  ])('is known by its lines: %j', (text, expected) => {
    expect(isTaskList(text)).toBe(expected);
  });

  it('says so when nothing is left to do, or when it is too long', () => {
    expect(readTaskList('- [x] T001 done')).toMatchObject({
      problems: [expect.stringContaining('done')],
    });
    const long = Array.from({ length: 5_000 }, (_, n) => `- [ ] T${n} in src/a${n}.ts`).join('\n');
    expect(readTaskList(long)).toMatchObject({ problems: [expect.stringContaining('too long')] });
  });
});
